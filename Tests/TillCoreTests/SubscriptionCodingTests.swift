import Foundation
import Testing
import TillCore
import TillTestSupport

/// Checks that subscriptions that version 0.1.0 has stored can be read and continue.
@Suite("Subscriptions of version 0.1.0")
struct SubscriptionCodingTests {
    /// The account of a customer and the customer's subscription, as version 0.1.0 stored them.
    private func old(_ shop: CoreShop) throws -> (account: [String: Any], subscription: [String: Any]) {
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(shop.accounts["ann"]))
        let account = try #require(encoded as? [String: Any])
        var object = try #require((account["subscriptions"] as? [[String: Any]])?.first)
        let state = try #require(object.removeValue(forKey: "state") as? [String: Any])
        let preference = try #require(object.removeValue(forKey: "preference") as? [String: Any])
        #expect(object.removeValue(forKey: "anchorTime") != nil)
        object.removeValue(forKey: "paidPeriods")
        object["ownership"] = "PURCHASED"
        object["current"] = state["latest"]
        object["running"] = state["previous"]
        object["autoRenews"] = preference["autoRenews"]
        object["nextProductID"] = preference["productID"]
        return (account, object)
    }

    private func read(_ account: [String: Any], _ subscription: [String: Any]) throws -> Subscription {
        var account = account
        account["subscriptions"] = [subscription]
        let data = try JSONSerialization.data(withJSONObject: account)
        let opened = try JSONDecoder().decode(Account.self, from: data)
        return try #require(opened.subscriptions.first)
    }

    private func weekly() throws -> CoreShop {
        var shop = CoreShop(on: "2026-02-22T10:30:00Z", selling: [.plan(each: .week)])
        try shop.buy("pro", by: "ann")
        return shop
    }

    @Test("A subscription of version 0.1.0 renews at the time of day at which its current period began")
    func timeOfDay() throws {
        var shop = try weekly()
        shop.advance(to: "2026-03-02")
        let subscription = try #require(shop.subscription("ann"))
        // The period ends in the hour that does not exist on that day.
        #expect(subscription.renewalDate == Timestamp(day: "2026-03-08T10:30:00Z"))
        let written = try old(shop)
        let opened = try read(written.account, written.subscription)
        #expect(opened == subscription)
        #expect(opened.anchor.time == 9_000_000, "02:30")
    }

    @Test("A subscription of version 0.1.0 that drifted to 03:30 can be read, and keeps that time")
    func drifted() throws {
        var shop = try weekly()
        shop.advance(to: "2026-03-09")
        let (account, written) = try old(shop)
        var object = written
        var row = try #require(object["current"] as? [String: Any])
        row["expiresDate"] = Timestamp(day: "2026-03-15T10:30:00Z").milliseconds
        object["current"] = row
        let opened = try read(account, object)
        #expect(opened.anchor.time == 12_600_000, "03:30")
        let next = Period(1, .week).end(from: opened.renewalDate, anchorTime: opened.anchor.time)
        #expect(next == Timestamp(day: "2026-03-22T10:30:00Z"))
    }

    @Test("Paid periods of version 0.1.0 are counted by their length")
    func paidPeriods() throws {
        var shop = try weekly()
        for (day, count) in [("2026-02-23", 1), ("2026-03-02", 2), ("2026-03-09", 2)] {
            shop.advance(to: day)
            let written = try old(shop)
            let opened = try read(written.account, written.subscription)
            #expect(opened.paidPeriods == count, "\(day)")
        }
    }

    @Test("Dates of any size are read, and invalid dates are reported as damage", arguments: [Int64.min, Int64.max])
    func extremes(_ number: Int64) throws {
        let (account, written) = try old(try weekly())
        var object = written
        var row = try #require(object["current"] as? [String: Any])
        row["purchaseDate"] = number
        row["expiresDate"] = number == .max ? Int64.min : Int64.max
        object["current"] = row
        object["running"] = row
        let opened = try read(account, object)
        #expect(opened.latestTransaction.damage != nil && opened.paidPeriods >= 2)
    }

    @Test("A held purchase keeps the price that the operator set")
    func heldPrice() throws {
        let text =
            #"{"productID":"coins","quantity":1,"isFinished":false,"isInterrupted":true,"#
            + #""offer":{"automatic":{}},"price":{"milliunits":5,"currency":"EUR"}}"#
        let purchase = try JSONDecoder().decode(Purchase.self, from: Data(text.utf8))
        #expect(purchase.price == PriceOverride(milliunits: 5, currency: "EUR"))
        #expect(purchase.subscription == nil)
    }
}
