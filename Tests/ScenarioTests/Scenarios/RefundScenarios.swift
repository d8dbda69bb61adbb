import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("Refund requests and extensions")
    struct Refunds {}
}

extension Scenarios.Refunds {
    @Test(
        "A refund request turns off auto-renew and asks the developer; after twelve hours the store grants it",
        arguments: BackendKind.all
    )
    func granted(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.requestRefund(by: "ann", because: .fulfillmentIssue)
        try await shop.expectRefusal("refund_already_requested") { try await shop.requestRefund(by: "ann") }
        try await shop.advance(to: "2026-03-01")
        try await shop.expectNotifications(
            """
            2026-01-01        SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-10        DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-10        CONSUMPTION_REQUEST              status 1  FULFILLMENT_ISSUE, then ends
            2026-01-11 00:00  REFUND                           status 5  REFUND_FULL, then ends
            """
        )
    }

    @Test(
        "The store follows the developer's preference to decline a refund, and the subscription ends with the period",
        arguments: BackendKind.all
    )
    func declined(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.requestRefund(by: "ann", because: .legal)
        try await shop.sendConsumption(about: "ann", preferring: .decline)
        try await shop.advance(to: "2026-03-01")
        try await shop.expectNotifications(
            """
            2026-01-01        SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-10        DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-10        CONSUMPTION_REQUEST              status 1  LEGAL, then ends
            2026-01-11 00:00  REFUND_DECLINED                  status 1  then ends
            2026-02-01        EXPIRED VOLUNTARY                status 2
            """
        )
    }

    @Test("A prorated refund is the unused part of the period", arguments: BackendKind.all)
    func prorated(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-04-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-04-15 23:00")
        try await shop.requestRefund(by: "ann")
        try await shop.sendConsumption(about: "ann", preferring: .grantProrated)
        try await shop.advance(to: "2026-05-10")
        try await shop.expectNotifications(
            """
            2026-04-01        SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-05-01
            2026-04-15 23:00  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-04-15 23:00  CONSUMPTION_REQUEST              status 1  UNINTENDED_PURCHASE, then ends
            2026-04-16        REFUND                           status 5  REFUND_PRORATED, 50.0%, then ends
            """
        )
    }

    @Test("Consumption information that the developer sends too late has no effect", arguments: BackendKind.all)
    func late(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.coins])
        try await shop.buy("coins", by: "ann")
        try await shop.requestRefund(by: "ann")
        try await shop.advance(to: "2026-01-02")
        try await shop.sendConsumption(about: "ann", preferring: .decline)
        try await shop.advance(to: "2026-01-05")
        try await shop.expectNotifications(
            """
            2026-01-01        ONE_TIME_CHARGE
            2026-01-01        CONSUMPTION_REQUEST    UNINTENDED_PURCHASE
            2026-01-02 00:00  REFUND                 REFUND_FULL
            """
        )
    }

    @Test("The store does not request consumption information for a non-consumable", arguments: BackendKind.all)
    func nonConsumable(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.skin])
        try await shop.buy("skin", by: "ann")
        try await shop.requestRefund(by: "ann")
        try await shop.advance(to: "2026-01-05")
        try await shop.expectNotifications(
            """
            2026-01-01        ONE_TIME_CHARGE
            2026-01-02 00:00  REFUND             REFUND_FULL
            """
        )
    }

    @Test("With manual refund decisions, a request is open until the operator decides", arguments: BackendKind.all)
    func byHand(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.coins]) { $0.refundRule = .byHand }
        for customer in ["ann", "bob"] {
            try await shop.buy("coins", by: customer)
            try await shop.requestRefund(by: customer)
        }
        try await shop.advance(to: "2026-01-20")
        try await shop.declineRefund(to: "ann")
        try await shop.grantRefund(to: "bob")
        try await shop.expectRefusal("refund_not_requested") { try await shop.declineRefund(to: "ann") }
        try await shop.expectNotifications(
            """
            2026-01-01  ann  ONE_TIME_CHARGE
            2026-01-01  ann  CONSUMPTION_REQUEST    UNINTENDED_PURCHASE
            2026-01-01  bob  ONE_TIME_CHARGE
            2026-01-01  bob  CONSUMPTION_REQUEST    UNINTENDED_PURCHASE
            2026-01-20  ann  REFUND_DECLINED
            2026-01-20  bob  REFUND                 REFUND_FULL
            """
        )
    }

    @Test("A refund of a past period leaves the subscription active, and it renews", arguments: BackendKind.all)
    func pastPeriod(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.grantRefund(to: "ann", of: "2026-01-01")
        try await shop.advance(to: "2026-03-05")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-02-01  DID_RENEW               status 1  paid until 2026-03-01
            2026-02-10  REFUND                  status 1  REFUND_FULL, of 2026-01-01
            2026-03-01  DID_RENEW               status 1  paid until 2026-04-01
            """
        )
    }

    @Test(
        "A customer gets at most two extensions within a year, and another one a year later",
        arguments: BackendKind.all
    )
    func extensions(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(each: .year)])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.extendRenewal(of: "ann", days: 90, request: "one")
        try await shop.advance(to: "2026-01-11")
        // A repeated request identifier is the same extension.
        try await shop.extendRenewal(of: "ann", days: 90, request: "one")
        try await shop.extendRenewal(of: "ann", days: 1, request: "two")
        try await shop.expectRefusal("extension_limit") {
            try await shop.extendRenewal(of: "ann", days: 1, request: "three")
        }
        try await shop.advance(to: "2027-01-09")
        try await shop.expectRefusal("extension_limit") {
            try await shop.extendRenewal(of: "ann", days: 1, request: "three")
        }
        try await shop.advance(to: "2027-01-12")
        try await shop.extendRenewal(of: "ann", days: 1, request: "three")
        try await shop.advance(to: "2027-05-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2027-01-01
            2026-01-10  RENEWAL_EXTENDED        status 1  until 2027-04-01
            2026-01-11  RENEWAL_EXTENDED        status 1  until 2027-04-02
            2027-01-12  RENEWAL_EXTENDED        status 1  until 2027-04-03
            2027-04-03  DID_RENEW               status 1  paid until 2028-04-03
            """
        )
    }

    @Test(
        "A subscription in trial, billing retry, expired or revoked is not eligible for an extension",
        arguments: BackendKind.all
    )
    func ineligible(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(offers: .freeWeek)])
        try await shop.buy("pro", by: "ann")
        try await shop.expectRefusal("extension_ineligible") {
            try await shop.extendRenewal(of: "ann", days: 1, request: "a")
        }
        for customer in ["bob", "cat", "dan"] { try await shop.buy("pro", by: customer, offer: .none) }
        try await shop.declineCard(of: "bob")
        try await shop.cancelRenewal(of: "cat")
        try await shop.advance(to: "2026-02-03")
        try await shop.grantRefund(to: "dan")
        for customer in ["bob", "cat", "dan"] {
            try await shop.expectRefusal("extension_ineligible") {
                try await shop.extendRenewal(of: customer, days: 1, request: "b")
            }
        }
        try await shop.extendAllRenewals(of: "pro", days: 5, request: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY           status 1  trial until 2026-01-08
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  cat  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01  dan  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-08  ann  DID_RENEW                        status 1  paid until 2026-02-08
            2026-02-01  bob  DID_FAIL_TO_RENEW                status 3
            2026-02-01  cat  EXPIRED VOLUNTARY                status 2
            2026-02-01  dan  DID_RENEW                        status 1  paid until 2026-03-01
            2026-02-03  ann  RENEWAL_EXTENDED                 status 1  until 2026-02-13
            2026-02-03  dan  REFUND                           status 5  REFUND_FULL
            """
        )
    }
}
