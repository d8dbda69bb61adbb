import Foundation
import Testing
import TillCore
import TillTesting

/// What version 0.1.0 kept of a subscription still opens, and goes on.
@Suite("Subscriptions of version 0.1.0")
struct SubscriptionCodingTests {
    /// A subscription as version 0.1.0 wrote it.
    private func old(_ subscription: Subscription) throws -> [String: Any] {
        let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(subscription))
        var object = try #require(written as? [String: Any])
        #expect(object.removeValue(forKey: "anchorTime") != nil)
        object.removeValue(forKey: "paidPeriods")
        return object
    }

    private func read(_ object: [String: Any]) throws -> Subscription {
        try JSONDecoder().decode(Subscription.self, from: JSONSerialization.data(withJSONObject: object))
    }

    private func weekly() throws -> CoreStage {
        var stage = CoreStage(
            in: .sandbox,
            selling: [Goods.plan(period: Period(1, .week))],
            at: Timestamp(day: "2026-02-22T10:30:00Z")
        )
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        return stage
    }

    @Test("The time of day of a run is that at which the running period began")
    func timeOfDay() throws {
        var stage = try weekly()
        stage.advance(to: Timestamp(day: "2026-03-02"))
        let subscription = try #require(stage.accounts["ann"]?.subscriptions.first)
        // It ends in the missing hour.
        #expect(subscription.renewalDate == Timestamp(day: "2026-03-08T10:30:00Z"))
        let opened = try read(old(subscription))
        #expect(opened == subscription)
        #expect(opened.anchor.time == 9_000_000, "02:30")
    }

    @Test("A subscription that has drifted to 03:30 opens, and stays there")
    func drifted() throws {
        var stage = try weekly()
        stage.advance(to: Timestamp(day: "2026-03-09"))
        let subscription = try #require(stage.accounts["ann"]?.subscriptions.first)
        var object = try old(subscription)
        var row = try #require(object["current"] as? [String: Any])
        row["expiresDate"] = Timestamp(day: "2026-03-15T10:30:00Z").milliseconds
        object["current"] = row
        let opened = try read(object)
        #expect(opened.anchor.time == 12_600_000, "03:30")
        let next = Period(1, .week).end(from: opened.renewalDate, anchorTime: opened.anchor.time)
        #expect(next == Timestamp(day: "2026-03-22T10:30:00Z"))
    }

    @Test("Paid periods are counted by their length")
    func paidPeriods() throws {
        var stage = try weekly()
        for (day, count) in [("2026-02-23", 1), ("2026-03-02", 2), ("2026-03-09", 2)] {
            stage.advance(to: Timestamp(day: day))
            let opened = try read(old(try #require(stage.accounts["ann"]?.subscriptions.first)))
            #expect(opened.paidPeriods == count, "\(day)")
        }
    }

    @Test("Dates of any size are read, and found out to be damaged", arguments: [Int64.min, Int64.max])
    func extremes(_ number: Int64) throws {
        var object = try old(try #require(try weekly().accounts["ann"]?.subscriptions.first))
        var row = try #require(object["current"] as? [String: Any])
        row["purchaseDate"] = number
        row["expiresDate"] = number == .max ? Int64.min : Int64.max
        object["current"] = row
        object["running"] = row
        let opened = try read(object)
        #expect(opened.latestTransaction.damage != nil && opened.paidPeriods >= 2)
    }

    @Test("A held purchase with a price of its own keeps the price")
    func heldPrice() throws {
        let text =
            #"{"productID":"coins","quantity":1,"isFinished":false,"isInterrupted":true,"#
            + #""offer":{"automatic":{}},"price":{"milliunits":5,"currency":"EUR"}}"#
        let purchase = try JSONDecoder().decode(Purchase.self, from: Data(text.utf8))
        #expect(purchase.price == PriceOverride(milliunits: 5, currency: "EUR"))
        #expect(purchase.subscription == nil)
    }
}
