import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("Plan changes")
    struct PlanChanges {}
}

extension Scenarios.PlanChanges {
    /// A pair of plans with their levels and periods, and whether a change between them takes effect at once.
    struct Cell: Sendable, CustomStringConvertible {
        var from: (level: Int, period: Period)
        var to: (level: Int, period: Period)
        var isAtOnce: Bool

        var description: String {
            "\(from.level)/\(from.period.iso8601) to \(to.level)/\(to.period.iso8601)"
        }
    }

    static let cells = [
        Cell(from: (2, .month), to: (1, .month), isAtOnce: true),
        Cell(from: (2, .month), to: (1, .year), isAtOnce: true),
        Cell(from: (2, .year), to: (1, .month), isAtOnce: true),
        Cell(from: (1, .month), to: (1, .month), isAtOnce: true),
        Cell(from: (1, .year), to: (1, Period(12, .month)), isAtOnce: true),
        Cell(from: (1, .month), to: (1, .year), isAtOnce: false),
        Cell(from: (1, .year), to: (1, .month), isAtOnce: false),
        Cell(from: (1, .month), to: (2, .month), isAtOnce: false),
        Cell(from: (1, .month), to: (2, .year), isAtOnce: false),
        Cell(from: (1, .year), to: (2, .month), isAtOnce: false),
        Cell(from: (1, .month), to: (2, .week), isAtOnce: false),
    ]

    @Test(
        "A plan change takes effect at once or at the next renewal, depending on levels and periods",
        arguments: BackendKind.all,
        cells
    )
    func table(at backend: BackendKind, _ cell: Cell) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("old", level: cell.from.level, each: cell.from.period),
                .plan("new", level: cell.to.level, each: cell.to.period),
            ]
        )
        try await shop.buy("old", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "new")
        let received = try #require(try await shop.wire.received().last)
        #expect(received.words == "DID_CHANGE_RENEWAL_PREF " + (cell.isAtOnce ? "UPGRADE" : "DOWNGRADE"))
        #expect(received.transaction.productId == (cell.isAtOnce ? "new" : "old"))
        #expect(received.renewalInfo?.productId == (cell.isAtOnce ? "new" : "old"))
        #expect(received.renewalInfo?.autoRenewProductId == "new")
        #expect(Laws.violations(by: received).isEmpty)
    }

    @Test("A customer is notified of each plan choice, and the last choice wins", arguments: BackendKind.all)
    func lastChoice(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top"), .plan("mid", level: 2, at: 2_990), .plan("low", level: 3, at: 1_990)]
        )
        try await shop.buy("top", by: "ann")
        try await shop.changePlan(of: "ann", to: "mid")
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  top, paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then mid
            2026-01-01  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-02-01  DID_RENEW                        status 1  low, paid until 2026-03-01
            """
        )
    }

    @Test("An upgrade replaces a pending downgrade", arguments: BackendKind.all)
    func upgradeOverDowngrade(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top", at: 9_990), .plan("mid", level: 2), .plan("low", level: 3, at: 1_990)]
        )
        try await shop.buy("mid", by: "ann")
        try await shop.advance(to: "2026-01-05")
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.advance(to: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-02-12")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  mid, paid until 2026-02-01
            2026-01-05  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  mid, then low
            2026-01-10  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-02-10
            2026-02-10  DID_RENEW                        status 1  top, paid until 2026-03-10
            """
        )
    }

    @Test(
        "A customer who upgrades during a trial pays the full price and gets no second trial",
        arguments: BackendKind.all
    )
    func upgradeOutOfTrial(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("top", at: 9_990, offers: .freeWeek), .plan("low", level: 2, at: 1_990, offers: .freeWeek),
            ]
        )
        try await shop.buy("low", by: "ann")
        try await shop.advance(to: "2026-01-03")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-02-04")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  low, trial until 2026-01-08
            2026-01-03  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-02-03
            2026-02-03  DID_RENEW                        status 1  top, paid until 2026-03-03
            """
        )
    }

    @Test("A plan change turns auto-renew on again without a separate notification", arguments: BackendKind.all)
    func choiceAfterCancelling(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top", at: 9_990), .plan("mid", level: 2), .plan("low", level: 3, at: 1_990)]
        )
        for customer in ["ann", "bob"] {
            try await shop.buy("mid", by: customer)
            try await shop.cancelRenewal(of: customer)
        }
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.changePlan(of: "bob", to: "top")
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY           status 1  mid, paid until 2026-02-01
            2026-01-01  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  mid
            2026-01-01  ann  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  mid, then low
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY           status 1  mid, paid until 2026-02-01
            2026-01-01  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  mid
            2026-01-01  bob  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-02-01
            2026-02-01  ann  DID_RENEW                        status 1  low, paid until 2026-03-01
            2026-02-01  bob  DID_RENEW                        status 1  top, paid until 2026-03-01
            """
        )
    }

    @Test("A customer who cancels loses the pending plan change", arguments: BackendKind.all)
    func cancelledChoice(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top"), .plan("low", level: 2, at: 1_990)]
        )
        try await shop.buy("top", by: "ann")
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.cancelRenewal(of: "ann")
        try await shop.resumeRenewal(of: "ann")
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  top, paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  top
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1  top
            2026-02-01  DID_RENEW                        status 1  top, paid until 2026-03-01
            """
        )
    }

    @Test(
        "An offer with a downgrade is pending until the renewal; withdrawing the downgrade removes it",
        arguments: BackendKind.all
    )
    func downgradeWithOffer(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("top"),
                .plan("low", level: 2, at: 1_990, offers: .payAsYouGo(.promotional, "stay", times: 2, at: 490)),
            ]
        )
        for customer in ["ann", "bob"] {
            try await shop.buy("top", by: customer)
            try await shop.changePlan(of: customer, to: "low", offer: .promotional("stay"))
        }
        try await shop.changePlan(of: "bob", to: "top")
        try await shop.advance(to: "2026-04-02")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY    status 1  top, paid until 2026-02-01
            2026-01-01  ann  OFFER_REDEEMED DOWNGRADE  status 1  top, then low, next 0.49 by promo stay
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY    status 1  top, paid until 2026-02-01
            2026-01-01  bob  OFFER_REDEEMED DOWNGRADE  status 1  top, then low, next 0.49 by promo stay
            2026-01-01  bob  DID_CHANGE_RENEWAL_PREF   status 1  top
            2026-02-01  ann  DID_RENEW                 status 1  low, paid until 2026-03-01 at 0.49 by promo stay, again
            2026-02-01  bob  DID_RENEW                 status 1  top, paid until 2026-03-01
            2026-03-01  ann  DID_RENEW                 status 1  low, paid until 2026-04-01 at 0.49 by promo stay
            2026-03-01  bob  DID_RENEW                 status 1  top, paid until 2026-04-01
            2026-04-01  ann  DID_RENEW                 status 1  low, paid until 2026-05-01
            2026-04-01  bob  DID_RENEW                 status 1  top, paid until 2026-05-01
            """
        )
    }

    @Test("A product of another subscription group is a separate subscription", arguments: BackendKind.all)
    func groups(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .freeWeek), .plan("radio", group: "21000000", offers: .freeWeek)]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-03")
        try await shop.buy("radio", by: "ann")
        try await shop.advance(to: "2026-01-20")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  pro, trial until 2026-01-08
            2026-01-03  SUBSCRIBED INITIAL_BUY  status 1  radio, trial until 2026-01-10
            2026-01-08  DID_RENEW               status 1  pro, paid until 2026-02-08
            2026-01-10  DID_RENEW               status 1  radio, paid until 2026-02-10
            """
        )
        let all = try await shop.wire.subscriptions(of: "ann")
        #expect(Set(all.map(\.transaction.originalTransactionId)).count == 2)
    }

    @Test("A customer cannot buy an active subscription again", arguments: BackendKind.all)
    func again(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.expectRefusal("already_subscribed") { try await shop.buy("pro", by: "ann") }
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            """
        )
    }

    @Test("An upgrade moves the billing date", arguments: BackendKind.all)
    func anchor(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-31",
            selling: [.plan("top", at: 9_990), .plan("low", level: 2)]
        )
        try await shop.buy("low", by: "ann")
        try await shop.advance(to: "2026-03-10")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-05-01")
        try await shop.expectNotifications(
            """
            2026-01-31  SUBSCRIBED INITIAL_BUY           status 1  low, paid until 2026-02-28
            2026-02-28  DID_RENEW                        status 1  low, paid until 2026-03-31
            2026-03-10  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-04-10
            2026-04-10  DID_RENEW                        status 1  top, paid until 2026-05-10
            """
        )
    }
}
