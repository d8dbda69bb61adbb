import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    /// In production, a renewal is charged one day before the period ends. During this day, the next period is paid and
    /// has not begun.
    @Suite("The day between the charge and the end of the period in production")
    struct Lead {}
}

extension Scenarios.Lead {
    private static let products: [Product] = [.plan(level: 2), .plan("top", level: 1, at: 9_990)]

    @Test("A renewal is charged and notified one day before the old period ends", arguments: BackendKind.all)
    func renewal(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-03-20")
        try await shop.expectNotifications(
            """
            2026-01-10  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-02-09  DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-03-09  DID_RENEW               status 1  paid 2026-03-10 to 2026-04-10
            """
        )
    }

    @Test(
        "A customer who cancels after the charge has paid for the next period, and lapses at its end",
        arguments: BackendKind.all
    )
    func cancel(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.cancelRenewal(of: "ann")
        #expect(try await shop.own("ann").status == 1)
        try await shop.advance(to: "2026-04-01")
        try await shop.expectNotifications(
            """
            2026-01-10        SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-10
            2026-02-09        DID_RENEW                       status 1  paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-03-10        EXPIRED VOLUNTARY               status 2
            """
        )
    }

    @Test(
        "A refund after the charge affects only its own transaction: the next period or the current period",
        arguments: BackendKind.all
    )
    func refund(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan()])
        for customer in ["ann", "bob"] { try await shop.buy("pro", by: customer) }
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.grantRefund(to: "ann", of: "2026-02-10")
        #expect(try await shop.own("ann").status == 5)
        try await shop.grantRefund(to: "bob", of: "2026-01-10")
        #expect(try await shop.own("bob").status == 1)
        try await shop.advance(to: "2026-02-11")
        #expect(try await shop.own("ann").status == 5)
        #expect(try await shop.own("bob").status == 1)
        try await shop.advance(to: "2026-03-20")
        try await shop.expectNotifications(
            """
            2026-01-10        ann  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-01-10        bob  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-02-09        ann  DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-02-09        bob  DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  ann  REFUND                  status 5  REFUND_FULL
            2026-02-09 20:00  bob  REFUND                  status 1  REFUND_FULL, of 2026-01-10
            2026-03-09        bob  DID_RENEW               status 1  paid 2026-03-10 to 2026-04-10
            """
        )
    }

    @Test(
        "An upgrade after the charge replaces the current period and the paid next period",
        arguments: BackendKind.all
    )
    func upgrade(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: Self.products)
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-03-09 20:00")
        try await shop.expectNotifications(
            """
            2026-01-10        SUBSCRIBED INITIAL_BUY          status 1  pro, paid until 2026-02-10
            2026-02-09        DID_RENEW                       status 1  pro, paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-03-09 19:00
            2026-03-08 19:00  DID_RENEW                       status 1  top, paid 2026-03-09 19:00 to 2026-04-09 19:00
            """
        )
        let history = try await shop.wire.history(of: "ann")
        #expect(history.filter { $0.isUpgraded == true }.map(\.productId) == ["pro", "pro"])
    }

    @Test(
        "A renewal whose payment is declined one day ahead is retried until the period ends",
        arguments: BackendKind.all
    )
    func declined(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan()])
        for customer in ["ann", "bob"] {
            try await shop.buy("pro", by: customer)
            try await shop.declineCard(of: customer)
        }
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-02-12")
        try await shop.expectNotifications(
            """
            2026-01-10        ann  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-01-10        bob  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-02-09 20:00  ann  DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-02-10        bob  DID_FAIL_TO_RENEW       status 3
            """
        )
    }

    @Test(
        "A renewal is charged at the end of the period if the product was off sale one day before",
        arguments: BackendKind.all
    )
    func missed(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan()])
        for customer in ["ann", "bob"] { try await shop.buy("pro", by: customer) }
        try await shop.advance(to: "2026-02-01")
        try await shop.removeFromSale("pro")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.putOnSale("pro")
        try await shop.cancelRenewal(of: "bob")
        try await shop.advance(to: "2026-03-09 12:00")
        try await shop.expectNotifications(
            """
            2026-01-10        ann  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-01-10        bob  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-02-09 20:00  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-10        ann  DID_RENEW               status 1  paid until 2026-03-10
            2026-02-10        bob  EXPIRED VOLUNTARY       status 2
            2026-03-09        ann  DID_RENEW               status 1  paid 2026-03-10 to 2026-04-10
            """
        )
    }

    @Test("A customer who turns auto-renew on during the last day is charged at once", arguments: BackendKind.all)
    func resumed(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.resumeRenewal(of: "ann")
        try await shop.advance(to: "2026-02-12")
        try await shop.expectNotifications(
            """
            2026-01-10        SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-10
            2026-01-10        DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-09 20:00  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1
            2026-02-09 20:00  DID_RENEW                       status 1  paid 2026-02-10 to 2026-03-10
            """
        )
    }

    @Test(
        "A member whose access ends after the charge loses the current and the next period",
        arguments: BackendKind.all
    )
    func family(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: [.plan(isShared: true)])
        try await shop.join("bob", familyOf: "ann")
        try await shop.join("cat", familyOf: "ann")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.leaveFamily("bob")
        try await shop.setSharing(false, by: "ann")
        for day in ["2026-02-09 20:00", "2026-02-12"] {
            try await shop.advance(to: day)
            #expect(try await shop.own("ann").status == 1)
            for member in ["bob", "cat"] { #expect(try await shop.shared(member).status == 5) }
        }
        try await shop.expectNotifications(
            """
            2026-01-10        ann  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-01-10        bob  SUBSCRIBED INITIAL_BUY  status 1  shared until 2026-02-10
            2026-01-10        cat  SUBSCRIBED INITIAL_BUY  status 1  shared until 2026-02-10
            2026-02-09        ann  DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-02-09        bob  DID_RENEW               status 1  shared 2026-02-10 to 2026-03-10
            2026-02-09        cat  DID_RENEW               status 1  shared 2026-02-10 to 2026-03-10
            2026-02-09 20:00  bob  REVOKE                  status 5  FAMILY_REVOKE, of 2026-01-10
            2026-02-09 20:00  bob  REVOKE                  status 5  FAMILY_REVOKE
            2026-02-09 20:00  cat  REVOKE                  status 5  FAMILY_REVOKE, of 2026-01-10
            2026-02-09 20:00  cat  REVOKE                  status 5  FAMILY_REVOKE
            """
        )
    }
}
