import Testing
import TillCore
import TillTestSupport

/// Checks how each transition changes the fields of a transaction and of renewal info. Each transition is a row.
@Suite("Each transition changes the documented fields")
struct FieldTests {
    /// A transition: the operations before it, the operation or event that causes it, and the expected fields.
    /// Expected values are abbreviated: `=` is the unchanged value, `new` a new value, `t` the instant of the event,
    /// `old expiry` the previous expiration date, `+P1M` this long after the purchase date, and `-` an absent field.
    /// Any other text is the value itself.
    struct Row: Sendable, CustomStringConvertible {
        var name: String
        var transaction: [Field: String] = [:]
        var info: [InfoField: String] = [:]
        var before: Play
        var event: Play

        var description: String { name }
    }

    typealias Play = @Sendable (Scenario) async throws -> Void

    enum Field: String, Sendable {
        case transactionId, originalTransactionId, webOrderLineItemId, productId, purchaseDate, originalPurchaseDate
        case expiresDate, transactionReason, price, offerType, offerDiscountType, offerPeriod, offerIdentifier
        case revocationDate, revocationReason, revocationType, revocationPercentage, isUpgraded
    }

    enum InfoField: String, Sendable {
        case productId, autoRenewProductId, autoRenewStatus, renewalPrice, expirationIntent, isInBillingRetryPeriod
        case gracePeriodExpiresDate, renewalDate, recentSubscriptionStartDate, priceIncreaseStatus, offerType
        case offerIdentifier
    }

    static let products: [Product] = [
        .plan(
            "top",
            each: .month,
            at: 9_990,
            offers: .payUpFront(.promotional, "up", for: Period(2, .month), at: 7_990)
        ),
        .plan("same", level: 2, at: 5_490),
        .plan(
            "pro",
            level: 2,
            isShared: true,
            offers: .payUpFront(.promotional, "stay", for: .month, at: 990),
            .payUpFront(.winBack, "back", for: .month, at: 490)
        ),
        .plan("year", level: 2, each: .year, at: 39_990),
        .plan("low", level: 3, at: 1_990),
        .plan("trial", group: "trials", offers: .freeWeek),
        .plan("front", group: "fronts", offers: .payUpFront(.introductory, for: Period(2, .month), at: 1_990)),
        .plan("go", group: "gos", offers: .payAsYouGo(.introductory, times: 3, at: 490)),
    ]

    @Test(
        "Each transition changes the fields of the transaction and of renewal info as the table lists",
        arguments: BackendKind.all,
        rows
    )
    func transition(at backend: BackendKind, _ row: Row) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: Self.products,
            grace: row.name.contains("grace") ? GracePeriod(days: 16) : nil
        )
        try await row.before(shop)
        let before = try await shop.wire.subscriptions(of: "ann").first
        try await row.event(shop)
        let after = try #require(try await shop.wire.subscriptions(of: "ann").first)
        // The last notification determines the transaction. After a refund, this is the refunded transaction.
        let received = try #require(try await shop.wire.received().last { $0.customer == "ann" })
        let history = try await shop.wire.history(of: "ann")
        #expect(history.last == received.transaction || row.transaction[.transactionId] == "=")
        let base = before.map { values(of: $0.transaction) } ?? [:]
        let next = values(of: received.transaction)
        for (field, expected) in row.transaction.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let wanted = resolve(expected, was: base[field], received: received, before: before)
            if expected == "new" {
                #expect(next[field] != nil && next[field] != base[field], "\(field)")
            } else {
                #expect(next[field] == wanted, "\(field)")
            }
        }
        let baseInfo = before.map { infoValues(of: $0.renewalInfo) } ?? [:]
        for info in [after.renewalInfo, received.renewalInfo] {
            let nextInfo = infoValues(of: try #require(info))
            for (field, expected) in row.info.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let wanted = resolve(expected, was: baseInfo[field], received: received, before: before)
                #expect(nextInfo[field] == wanted, "renewal info: \(field)")
            }
        }
    }

    private func resolve(
        _ expected: String,
        was value: String?,
        received: ReceivedNotification,
        before: ReceivedSubscription?
    ) -> String? {
        func text(_ instant: Timestamp?) -> String? { instant?.iso8601 }
        switch expected {
        case "=": return value
        case "-": return nil
        case "t": return text(received.signedDate.wholeSecond)
        case "id": return received.transaction.transactionId
        case "old expiry": return text(before?.transaction.expiresDate)
        case "expiry": return text(received.transaction.expiresDate)
        case "purchase": return text(received.transaction.purchaseDate)
        default:
            if expected.hasPrefix("+P"), let period = Period(iso8601: String(expected.dropFirst())) {
                return text(period.end(from: received.transaction.purchaseDate))
            }
            if expected.hasPrefix("old expiry +"), let period = Period(iso8601: String(expected.dropFirst(12))) {
                return text(before?.transaction.expiresDate.map { period.end(from: $0) })
            }
            return expected
        }
    }

    private func values(of row: ReceivedTransaction) -> [Field: String] {
        var values: [Field: String] = [
            .transactionId: row.transactionId, .originalTransactionId: row.originalTransactionId,
            .productId: row.productId, .purchaseDate: row.purchaseDate.iso8601,
            .originalPurchaseDate: row.originalPurchaseDate.iso8601, .transactionReason: row.transactionReason,
        ]
        values[.webOrderLineItemId] = row.webOrderLineItemId
        values[.expiresDate] = row.expiresDate?.iso8601
        values[.price] = row.price.map(String.init)
        values[.offerType] = row.offerType.map(String.init)
        values[.offerDiscountType] = row.offerDiscountType
        values[.offerPeriod] = row.offerPeriod
        values[.offerIdentifier] = row.offerIdentifier
        values[.revocationDate] = row.revocationDate?.iso8601
        values[.revocationReason] = row.revocationReason.map(String.init)
        values[.revocationType] = row.revocationType
        values[.revocationPercentage] = row.revocationPercentage.map(String.init)
        values[.isUpgraded] = row.isUpgraded.map { "\($0)" }
        return values
    }

    private func infoValues(of info: ReceivedRenewalInfo) -> [InfoField: String] {
        var values: [InfoField: String] = [
            .productId: info.productId, .autoRenewProductId: info.autoRenewProductId,
            .autoRenewStatus: String(info.autoRenewStatus), .renewalDate: info.renewalDate.iso8601,
            .recentSubscriptionStartDate: info.recentSubscriptionStartDate.iso8601,
        ]
        values[.renewalPrice] = info.renewalPrice.map(String.init)
        values[.expirationIntent] = info.expirationIntent.map(String.init)
        values[.isInBillingRetryPeriod] = info.isInBillingRetryPeriod.map { "\($0)" }
        values[.gracePeriodExpiresDate] = info.gracePeriodExpiresDate?.iso8601
        values[.priceIncreaseStatus] = info.priceIncreaseStatus.map(String.init)
        values[.offerType] = info.offerType.map(String.init)
        values[.offerIdentifier] = info.offerIdentifier
        return values
    }

    @Test("An upgrade marks the replaced transaction as upgraded and keeps its dates", arguments: BackendKind.all)
    func replaced(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: Self.products)
        try await shop.buy("pro", by: "ann")
        let old = try await shop.transaction(of: "ann", nil)
        try await shop.advance(to: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "top")
        var marked = old
        marked.isUpgraded = true
        #expect(try await shop.transaction(of: "ann", "2026-01-01") == marked)
    }

    @Test(
        "A refund revokes a member's transaction and keeps its dates; the reversal removes the revocation",
        arguments: BackendKind.all
    )
    func family(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: Self.products)
        try await shop.join("bob", familyOf: "ann")
        try await shop.buy("pro", by: "ann")
        let old = try await shop.shared("bob").transaction
        try await shop.advance(to: "2026-01-10")
        try await shop.grantRefund(to: "ann", because: .issueInApp)
        var revoked = old
        revoked.revocationDate = shop.now
        revoked.revocationReason = 1
        revoked.revocationType = "FAMILY_REVOKE"
        #expect(try await shop.shared("bob").transaction == revoked)
        try await shop.reverseRefund(to: "ann")
        #expect(try await shop.shared("bob").transaction == old)
        try await shop.leaveFamily("bob")
        #expect(try await shop.shared("bob").transaction.revocationReason == 0)
    }

    @Test("After an extension, the next renewal begins at the extended date", arguments: BackendKind.all)
    func extended(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: Self.products)
        try await shop.buy("pro", by: "ann")
        try await shop.extendRenewal(of: "ann", days: 10, request: "one")
        try await shop.advance(to: "2026-02-12")
        let renewal = try await shop.transaction(of: "ann", nil)
        #expect(renewal.purchaseDate == shop.instant("2026-02-11") && renewal.transactionReason == "RENEWAL")
        #expect(renewal.expiresDate == shop.instant("2026-03-11"))
    }
}
