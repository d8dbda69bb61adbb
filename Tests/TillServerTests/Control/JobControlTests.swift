import Testing
import TillControl
import TillJSON
import TillTestSupport

/// Checks operations on all customers of a product.
@Suite("Jobs, through the control API")
struct JobControlTests {
    @Test("A price increase that needs consent is declined and accepted")
    func priceIncrease() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let id = try await control.buy("pro", by: "ann").transactionId
            let raise = RaisePrice(app: app, productId: "pro", price: 19_990, consent: .required)
            let job = try await control.send(raise)
            #expect(job.kind == .raisePrice && job.state == .done && job.succeeded == 1)
            let price = try await control.buy("pro", by: "bob").price
            #expect(price == 19_990, "new customers must pay the new price at once")
            func increase() async throws -> PriceIncreaseInfo {
                let shown = try await control.send(GetSubscription(app: app, originalTransactionId: id))
                return try #require(shown.subscription?.priceIncrease)
            }
            #expect(try await increase().stage == .scheduled)
            let accept = AcceptPriceIncrease(app: app, originalTransactionId: id)
            try await control.expectRefusal(409, "no_price_increase", of: accept)
            while try await increase().stage == .scheduled {
                _ = try await control.send(AdvanceClock(app: app, toNextEvent: true))
            }
            #expect(
                try await control.subscription(of: "ann").summary.contains("waits for the customer's consent")
            )
            let declined = try await control.send(DeclinePriceIncrease(app: app, originalTransactionId: id))
            #expect(declined.notifications == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
            _ = try await control.send(ResumeSubscription(app: app, originalTransactionId: id))
            let accepted = try await control.send(accept)
            #expect(accepted.notifications == ["PRICE_INCREASE/ACCEPTED"])
            #expect(accepted.transaction.subscription?.priceIncrease?.stage == .accepted)
            let same = RaisePrice(app: app, productId: "pro", price: 19_990)
            try await control.expectRefusal(409, "not_higher", of: same)
            let coins = RaisePrice(app: app, productId: "coins", price: 1)
            try await control.expectRefusal(409, "wrong_type", of: coins)
            let euros = RaisePrice(app: app, productId: "pro", price: 29_990, currency: "EUR")
            try await control.expectRefusal(400, "bad_currency", of: euros)
        }
    }

    @Test("All subscribers of a product are extended, once for each request identifier")
    func extendAll() async throws {
        try await TypedControl.run { control in
            let app = control.app
            for customer in ["ann", "bob"] { try await control.buy("pro", by: customer) }
            let request = "7c0e6c1a-0d52-4c8c-8a57-0f1f5d5c7a01"
            let extend = ExtendAll(app: app, productId: "pro", days: 3, reasonCode: 3, requestIdentifier: request)
            let job = try await control.send(extend)
            #expect(job.kind == .extend && job.succeeded == 2 && job.failed == 0)
            let again = ExtendAll(app: app, productId: "pro", days: 3, requestIdentifier: request)
            #expect(try await control.send(again).jobId == job.jobId)
            let later = ExtendAll(
                app: app,
                productId: "pro",
                days: 1,
                storefronts: [.unitedStates],
                at: control.inDays(1)
            )
            #expect(try await control.send(later).state == .waiting)
            let coins = ExtendAll(app: app, productId: "coins", days: 1)
            try await control.expectRefusal(409, "wrong_type", of: coins)
            let unknown = try InvalidRequest(
                ExtendAll(app: app, productId: "pro", days: 1),
                ["storefronts": .array([.string("XXX"), .string("USA")])]
            )
            try await control.expectRefusal(400, "bad_request", of: unknown)
        }
    }

    @Test("A product is shared with the families of its owners, and its job is listed")
    func shareProduct() async throws {
        try await TypedControl.run { control in
            let app = control.app
            try await control.buy("pro", by: "ann")
            let extended = try await control.send(ExtendAll(app: app, productId: "pro", days: 3))
            let later = ExtendAll(app: app, productId: "pro", days: 1, at: control.inDays(1))
            _ = try await control.send(later)
            control.test.advance(1_000)
            _ = try await control.send(CreateFamily(app: app, organizer: "ann", members: ["carl"]))
            try await control.buy("solo", by: "ann")
            let carl = GetCustomer(app: app, customer: "carl")
            #expect(try await control.send(carl).owned.isEmpty)
            let shared = try await control.send(ShareProduct(app: app, productId: "solo"))
            #expect(shared.kind == .shareProduct && shared.succeeded == 1)
            #expect(try await control.send(carl).owned == ["solo"])
            let jobs = try await control.send(ListJobs(app: app))
            #expect(jobs.prefix(2).map(\.jobId) == [extended.jobId, shared.jobId])
            let shown = try await control.send(GetJob(app: app, jobId: shared.jobId))
            #expect(try shown.json == shared.json)
            try await control.expectRefusal(404, "unknown_job", of: GetJob(app: app, jobId: "no"))
        }
    }
}
