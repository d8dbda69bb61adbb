import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("A yearly commitment with monthly billing")
    struct Commitments {}
}

extension Scenarios.Commitments {
    private static let year = Product.plan("year", each: .year, at: 99_990, monthlyAt: 9_990)

    private func shop(_ backend: BackendKind, _ more: Product..., grace: GracePeriod? = nil) async throws -> Scenario {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [Self.year] + more, grace: grace)
        try await shop.buy("year", by: "ann", monthly: true)
        return shop
    }

    @Test("A commitment renews each month, and a new commitment follows it", arguments: BackendKind.all)
    func renewal(at backend: BackendKind) async throws {
        let shop = try await shop(backend)
        try await shop.advance(to: "2027-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW               status 1  until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_RENEW               status 1  until 2026-04-01, 3/12 to 2027-01-01
            2026-04-01  DID_RENEW               status 1  until 2026-05-01, 4/12 to 2027-01-01
            2026-05-01  DID_RENEW               status 1  until 2026-06-01, 5/12 to 2027-01-01
            2026-06-01  DID_RENEW               status 1  until 2026-07-01, 6/12 to 2027-01-01
            2026-07-01  DID_RENEW               status 1  until 2026-08-01, 7/12 to 2027-01-01
            2026-08-01  DID_RENEW               status 1  until 2026-09-01, 8/12 to 2027-01-01
            2026-09-01  DID_RENEW               status 1  until 2026-10-01, 9/12 to 2027-01-01
            2026-10-01  DID_RENEW               status 1  until 2026-11-01, 10/12 to 2027-01-01
            2026-11-01  DID_RENEW               status 1  until 2026-12-01, 11/12 to 2027-01-01
            2026-12-01  DID_RENEW               status 1  until 2027-01-01, 12/12 to 2027-01-01
            2027-01-01  DID_RENEW               status 1  until 2027-02-01, 1/12 to 2028-01-01
            2027-02-01  DID_RENEW               status 1  until 2027-03-01, 2/12 to 2028-01-01
            """
        )
        let info = try await shop.own("ann").renewalInfo.commitmentInfo
        #expect(info?.commitmentRenewalPrice == 119_880)
        #expect(try await shop.transaction(of: "ann", nil).commitmentInfo?.commitmentPrice == 119_880)
    }

    @Test(
        "A renewal within a commitment has no grace period and is retried for ninety days",
        arguments: BackendKind.all
    )
    func failure(at backend: BackendKind) async throws {
        let shop = try await shop(backend, grace: GracePeriod(days: 16))
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-06-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_FAIL_TO_RENEW       status 3
            2026-05-02  EXPIRED BILLING_RETRY   status 2
            """
        )
    }

    @Test(
        "A customer who turns off auto-renew during billing retry is still bound by the commitment",
        arguments: BackendKind.all
    )
    func cancelledInRetry(at backend: BackendKind) async throws {
        let shop = try await shop(backend)
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.cancelRenewal(of: "ann")
        try await shop.expectRefusal("auto_renew_is_off") { try await shop.cancelRenewal(of: "ann") }
        try await shop.advance(to: "2026-02-20")
        try await shop.acceptCard(of: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_FAIL_TO_RENEW           status 3
            2026-02-10  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 3  bound until 2027-01-01
            2026-02-20  DID_RENEW BILLING_RECOVERY  status 1  until 2026-03-20, 2/12 to 2027-01-20, then ends
            """
        )
    }

    @Test("A billing recovery moves the end of the commitment", arguments: BackendKind.all)
    func recovery(at backend: BackendKind) async throws {
        let shop = try await shop(backend)
        try await shop.advance(to: "2026-02-20")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-03-15")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-04-20")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW                   status 1  until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_FAIL_TO_RENEW           status 3
            2026-03-15  DID_RENEW BILLING_RECOVERY  status 1  until 2026-04-15, 3/12 to 2027-01-15
            2026-04-15  DID_RENEW                   status 1  until 2026-05-15, 4/12 to 2027-01-15
            """
        )
    }

    @Test("An upgrade ends the commitment at once", arguments: BackendKind.all)
    func upgrade(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("year", level: 2, each: .year, at: 99_990, monthlyAt: 9_990), .plan("top", at: 19_990)]
        )
        try await shop.buy("year", by: "ann", monthly: true)
        try await shop.advance(to: "2026-02-10")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-03-11")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  year, until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW                       status 1  year, until 2026-03-01, 2/12 to 2027-01-01
            2026-02-10  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-03-10
            2026-03-10  DID_RENEW                       status 1  top, paid until 2026-04-10
            """
        )
    }

    @Test("A downgrade begins when the commitment ends", arguments: BackendKind.all)
    func downgrade(at backend: BackendKind) async throws {
        let shop = try await shop(backend, .plan("low", level: 2, at: 1_990))
        try await shop.advance(to: "2026-10-10")
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.advance(to: "2027-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  year, until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW                       status 1  year, until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_RENEW                       status 1  year, until 2026-04-01, 3/12 to 2027-01-01
            2026-04-01  DID_RENEW                       status 1  year, until 2026-05-01, 4/12 to 2027-01-01
            2026-05-01  DID_RENEW                       status 1  year, until 2026-06-01, 5/12 to 2027-01-01
            2026-06-01  DID_RENEW                       status 1  year, until 2026-07-01, 6/12 to 2027-01-01
            2026-07-01  DID_RENEW                       status 1  year, until 2026-08-01, 7/12 to 2027-01-01
            2026-08-01  DID_RENEW                       status 1  year, until 2026-09-01, 8/12 to 2027-01-01
            2026-09-01  DID_RENEW                       status 1  year, until 2026-10-01, 9/12 to 2027-01-01
            2026-10-01  DID_RENEW                       status 1  year, until 2026-11-01, 10/12 to 2027-01-01
            2026-10-10  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  year, later low
            2026-11-01  DID_RENEW                       status 1  year, until 2026-12-01, 11/12 to 2027-01-01, later low
            2026-12-01  DID_RENEW                       status 1  year, until 2027-01-01, 12/12 to 2027-01-01, then low
            2027-01-01  DID_RENEW                       status 1  low, paid until 2027-02-01
            2027-02-01  DID_RENEW                       status 1  low, paid until 2027-03-01
            """
        )
    }

    @Test(
        "A refund of a past month leaves the commitment unchanged; a refund of the current month ends it",
        arguments: BackendKind.all
    )
    func refund(at backend: BackendKind) async throws {
        let shop = try await shop(backend)
        try await shop.advance(to: "2026-03-10")
        try await shop.grantRefund(to: "ann", of: "2026-02-01")
        try await shop.advance(to: "2026-04-10")
        try await shop.grantRefund(to: "ann")
        try await shop.advance(to: "2026-08-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW               status 1  until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_RENEW               status 1  until 2026-04-01, 3/12 to 2027-01-01
            2026-03-10  REFUND                  status 1  REFUND_FULL, of 2026-02-01
            2026-04-01  DID_RENEW               status 1  until 2026-05-01, 4/12 to 2027-01-01
            2026-04-10  REFUND                  status 5  REFUND_FULL
            """
        )
    }

    @Test("A customer who cancels and resumes gets a second commitment after the first", arguments: BackendKind.all)
    func resumed(at backend: BackendKind) async throws {
        let shop = try await shop(backend)
        try await shop.advance(to: "2026-11-10")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-12-10")
        try await shop.resumeRenewal(of: "ann")
        try await shop.advance(to: "2027-01-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW                       status 1  until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_RENEW                       status 1  until 2026-04-01, 3/12 to 2027-01-01
            2026-04-01  DID_RENEW                       status 1  until 2026-05-01, 4/12 to 2027-01-01
            2026-05-01  DID_RENEW                       status 1  until 2026-06-01, 5/12 to 2027-01-01
            2026-06-01  DID_RENEW                       status 1  until 2026-07-01, 6/12 to 2027-01-01
            2026-07-01  DID_RENEW                       status 1  until 2026-08-01, 7/12 to 2027-01-01
            2026-08-01  DID_RENEW                       status 1  until 2026-09-01, 8/12 to 2027-01-01
            2026-09-01  DID_RENEW                       status 1  until 2026-10-01, 9/12 to 2027-01-01
            2026-10-01  DID_RENEW                       status 1  until 2026-11-01, 10/12 to 2027-01-01
            2026-11-01  DID_RENEW                       status 1  until 2026-12-01, 11/12 to 2027-01-01
            2026-11-10  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  bound until 2027-01-01
            2026-12-01  DID_RENEW                       status 1  until 2027-01-01, 12/12 to 2027-01-01, then ends
            2026-12-10  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1
            2027-01-01  DID_RENEW                       status 1  until 2027-02-01, 1/12 to 2028-01-01
            """
        )
    }

    @Test("A commitment continues to its end when its product is removed from sale", arguments: BackendKind.all)
    func removed(at backend: BackendKind) async throws {
        let shop = try await shop(backend)
        try await shop.removeFromSale("year")
        try await shop.advance(to: "2027-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY        status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW                     status 1  until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_RENEW                     status 1  until 2026-04-01, 3/12 to 2027-01-01
            2026-04-01  DID_RENEW                     status 1  until 2026-05-01, 4/12 to 2027-01-01
            2026-05-01  DID_RENEW                     status 1  until 2026-06-01, 5/12 to 2027-01-01
            2026-06-01  DID_RENEW                     status 1  until 2026-07-01, 6/12 to 2027-01-01
            2026-07-01  DID_RENEW                     status 1  until 2026-08-01, 7/12 to 2027-01-01
            2026-08-01  DID_RENEW                     status 1  until 2026-09-01, 8/12 to 2027-01-01
            2026-09-01  DID_RENEW                     status 1  until 2026-10-01, 9/12 to 2027-01-01
            2026-10-01  DID_RENEW                     status 1  until 2026-11-01, 10/12 to 2027-01-01
            2026-11-01  DID_RENEW                     status 1  until 2026-12-01, 11/12 to 2027-01-01
            2026-12-01  DID_RENEW                     status 1  until 2027-01-01, 12/12 to 2027-01-01
            2027-01-01  EXPIRED PRODUCT_NOT_FOR_SALE  status 2
            """
        )
    }
}
