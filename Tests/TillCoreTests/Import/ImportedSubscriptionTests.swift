import Testing
import TillCore

/// What the answers show indirectly about a subscription.
@Suite("A subscription is derived from everything that the answers show")
struct ImportedSubscriptionTests {
    private typealias Samples = ImportedAccountTests
    private static let day: Int64 = 86_400_000

    private static func subscription(_ customer: SourceCustomer) throws -> Subscription {
        try #require(Samples.derive(customer).account.subscriptions.first)
    }

    private static func instant(_ days: Int64) -> Timestamp { Samples.start.advanced(milliseconds: days * day) }

    private static func refund(on days: Int64) -> Revocation {
        Revocation(date: instant(days), reason: .other, kind: .refundFull, percentage: 100_000)
    }

    @Test(
        "A refund during the period hides an active state, and a later one a failed payment or an expiration",
        arguments: [(10, true), (40, true), (40, false)] as [(Int64, Bool)]
    )
    func reversal(day: Int64, autoRenews: Bool) throws {
        var customer = Samples.customer(.revoked, after: 45) { $0.autoRenews = autoRenews }
        customer.transactions[0].row.revocation = Self.refund(on: day)
        let state = try Self.subscription(customer).state
        let end = state.latest.end
        let retry = Policy(for: .production).rate.endOfRetry(days: 60, from: end)
        let resumes: ResumableState =
            day == 10
            ? .period
            : autoRenews
                ? .billingRetry(until: retry, graceEnded: nil) : .expired(.customer(leftInGrace: false), at: end)
        #expect(state == .revoked(state.latest, previous: nil, resumes: resumes))
    }

    @Test("A refunded period that a purchase replaced stays replaced", arguments: [false, true])
    func replaced(isUpgraded: Bool) throws {
        var customer = Samples.customer(.active, after: 12)
        customer.transactions[0].row.revocation = Self.refund(on: 5)
        customer.transactions[0].row.isUpgraded = isUpgraded
        customer.transactions.append(Samples.month(200, from: Self.instant(10)))
        customer.transactions[1].row.reason = .purchase
        customer.subscriptions[0].latest = 200
        let subscription = try Self.subscription(customer)
        #expect(subscription.replacedRefunds == (isUpgraded ? [] : [subscription.originalID]))
    }

    @Test("The customer keeps the agreed price, even if a lower price in the catalog applies to the next renewal")
    func agreedPrice() throws {
        for (renewal, agreed) in [(9_990, 12_990), (8_990, 8_990)] as [(Int64, Int64)] {
            var customer = Samples.customer(.active, after: 10) {
                $0.renewalPrice = Money(milliunits: renewal, currency: "USD")
            }
            customer.transactions[0].row.price?.milliunits = 12_990
            #expect(try Self.subscription(customer).agreedPrice?.milliunits == agreed)
        }
    }

    @Test("A price increase whose price does not apply to the next renewal has the price in the catalog")
    func laterPrice() throws {
        var customer = Samples.customer(.active, after: 10) {
            $0.priceIncreaseStatus = 1
            $0.renewalPrice = Money(milliunits: 8_990, currency: "USD")
        }
        customer.transactions[0].row.price?.milliunits = 8_990
        let imported = Samples.derive(customer)
        let subscription = try #require(imported.account.subscriptions.first)
        #expect(subscription.priceIncrease?.price.milliunits == 9_990 && subscription.agreedPrice?.milliunits == 8_990)
        #expect(imported.differences.isEmpty, "the renewal info has the old price")
    }

    @Test("A code of the next period is redeemed")
    func codes() throws {
        let customer = Samples.customer(.active, after: 10) {
            $0.offer = AppliedOffer(kind: .code, id: "SPRING", mode: .freeTrial, wholePeriod: Period(1, .month))
        }
        #expect(Samples.derive(customer).account.codesRedeemed == ["pro/SPRING"])
    }
}
