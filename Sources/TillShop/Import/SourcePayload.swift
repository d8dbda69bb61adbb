import TillCore
import TillJSON
import TillStorage

/// A decoded payload of another App Store server: a transaction, renewal info or an app transaction.
struct SourcePayload {
    /// A payload that the ledger cannot contain.
    struct Unreadable: Error {
        /// A clause without a full stop.
        let words: String

        init(_ words: String) { self.words = words }
    }

    private let members: [String: JSONTree]

    init(_ members: [String: JSONTree]) { self.members = members }

    // MARK: Keys

    func text(_ key: String) -> String? {
        guard case .string(let text)? = members[key], text.utf8.count <= 1_024 else { return nil }
        return text
    }

    /// An id: 1 to 19 digits that do not begin with 0.
    func id(_ key: String) -> Int64? {
        guard let text = text(key), text.first != "0", text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    func number(_ key: String) -> Int64? { members[key]?.number }

    func date(_ key: String) -> Timestamp? {
        number(key).flatMap { NumberCheck.dates.contains($0) ? Timestamp(milliseconds: $0) : nil }
    }

    private func required<Value>(_ key: String, _ value: Value?) throws(Unreadable) -> Value {
        guard let value else { throw Unreadable(absence(of: key)) }
        return value
    }

    private func absence(of key: String) -> String {
        guard let value = members[key] else { return "\(key) is absent" }
        return "\(key) is \(value.summary), which Till does not know"
    }

    /// An enumeration. A value that Till does not know is an error, because the ledger cannot keep it.
    private func known<Value>(_ key: String, _ value: Value?) throws(Unreadable) -> Value? {
        guard value == nil, members[key] != nil else { return value }
        throw Unreadable(absence(of: key))
    }

    private func texts<Value: RawRepresentable>(_ key: String, _ type: Value.Type) throws(Unreadable) -> Value?
    where Value.RawValue == String {
        try known(key, text(key).flatMap(Value.init(rawValue:)))
    }

    private func numbers<Value: RawRepresentable>(_ key: String, _ type: Value.Type) throws(Unreadable) -> Value?
    where Value.RawValue == Int {
        try known(key, number(key).flatMap { Int(exactly: $0) }.flatMap(Value.init(rawValue:)))
    }

    // MARK: A transaction

    /// The payload of a signed transaction.
    func transaction(in scope: AccountScope) throws(Unreadable) -> SourceTransaction {
        let number = try required("transactionId", id("transactionId"))
        let original = try required("originalTransactionId", id("originalTransactionId"))
        guard text("bundleId") == scope.app else { throw Unreadable("its bundleId is not \(scope.app)") }
        guard text("environment") == scope.environment.wireName else {
            throw Unreadable("its environment is not \(scope.environment.wireName)")
        }
        let wireType = try required("type", try texts("type", ProductType.self))
        let ownership = try texts("inAppOwnershipType", InAppOwnershipType.self) ?? .purchased
        let purchased = try required("purchaseDate", date("purchaseDate"))
        let revocation = try revocation(ownership)
        let storefront = text("storefront").map { Storefront(code: $0) } ?? .unitedStates
        var row = Transaction(
            id: TransactionID(number),
            originalID: TransactionID(original),
            account: AccountID(0),
            change: 0,
            lineItem: id("webOrderLineItemId"),
            order: nil,
            productID: try required("productId", text("productId")),
            groupID: text("subscriptionGroupIdentifier"),
            type: try required("type", ProductKind.allCases.first { $0.wireType == wireType }),
            purchaseDate: purchased,
            originalPurchaseDate: date("originalPurchaseDate") ?? purchased,
            expiresDate: date("expiresDate"),
            quantity: min(max(Int(self.number("quantity") ?? 1), 1), 10),
            appAccountToken: text("appAccountToken")?.lowercased(),
            ownership: ownership,
            reason: try texts("transactionReason", TransactionReason.self)
                ?? (number == original ? .purchase : .renewal),
            storefront: try required("storefront", storefront),
            price: money("price"),
            offer: try offer(),
            isUpgraded: members["isUpgraded"]?.isTrue ?? false,
            revocation: revocation,
            refundNumber: nil,
            isFinished: true,
            sharedFrom: nil,
            modifiedDate: purchased
        )
        row.billingPlan = try texts("billingPlanType", BillingPlanType.self)
        row.commitment = try commitment(of: row)
        return SourceTransaction(number: number, original: original, row: row)
    }

    private func money(_ key: String) -> Money? {
        guard let amount = number(key), NumberCheck.amounts.contains(amount), let currency = text("currency"),
            currency.utf8.count == 3
        else { return nil }
        return Money(milliunits: amount, currency: currency)
    }

    private func revocation(_ ownership: InAppOwnershipType) throws(Unreadable) -> Revocation? {
        guard let date = date("revocationDate") else { return nil }
        let kind = try texts("revocationType", RevocationType.self)
        return Revocation(
            date: date,
            reason: try numbers("revocationReason", RevocationReason.self) ?? .other,
            kind: kind ?? (ownership == .familyShared ? .familyRevoke : .refundFull),
            percentage: number("revocationPercentage").flatMap { (0...100_000).contains($0) ? Int($0) : nil }
        )
    }

    private func offer() throws(Unreadable) -> AppliedOffer? {
        guard let kind = try numbers("offerType", OfferType.self) else { return nil }
        let period = text("offerPeriod")
        let mode = try texts("offerDiscountType", OfferDiscountType.self)
        return AppliedOffer(
            kind: kind,
            id: text("offerIdentifier"),
            mode: try required("offerDiscountType", mode),
            wholePeriod: try known("offerPeriod", period.flatMap(Period.init(iso8601:)))
        )
    }

    private func commitment(of row: Transaction) throws(Unreadable) -> Commitment? {
        guard case .object(let parts)? = members["commitmentInfo"] else { return nil }
        let info = SourcePayload(Dictionary(parts.map { ($0.key, $0.value) }) { first, _ in first })
        let months: ClosedRange<Int64> = 1...1_000
        guard
            let period = info.number("billingPeriodNumber"), let periods = info.number("totalBillingPeriods"),
            let expires = info.date("commitmentExpiresDate"), months.contains(period), months.contains(periods)
        else { throw Unreadable("its commitmentInfo is not complete") }
        let price = info.number("commitmentPrice").flatMap { NumberCheck.amounts.contains($0) ? $0 : nil } ?? 0
        return Commitment(
            period: Int(period),
            periods: Int(periods),
            expiresDate: expires,
            price: Money(milliunits: price, currency: row.price?.currency ?? row.storefront.currency)
        )
    }

    // MARK: Renewal info

    /// The payload of signed renewal info.
    func renewalInfo() throws(Unreadable) -> SourceRenewalInfo {
        let product = text("autoRenewProductId") ?? text("productId")
        var info = SourceRenewalInfo(
            autoRenewProductID: try required("autoRenewProductId", product),
            autoRenews: number("autoRenewStatus") == 1
        )
        info.expirationIntent = try numbers("expirationIntent", ExpirationIntent.self)
        info.graceUntil = date("gracePeriodExpiresDate")
        info.priceIncreaseStatus = number("priceIncreaseStatus").flatMap { (0...1).contains($0) ? Int($0) : nil }
        info.renewalPrice = money("renewalPrice")
        info.recentStart = date("recentSubscriptionStartDate")
        info.offer = try offer()
        info.appAccountToken = text("appAccountToken")?.lowercased()
        info.billingPlan = try texts("renewalBillingPlanType", BillingPlanType.self)
        guard case .object(let parts)? = members["commitmentInfo"] else { return info }
        let next = SourcePayload(Dictionary(parts.map { ($0.key, $0.value) }) { first, _ in first })
        info.commitment = SourceRenewalInfo.Commitment(
            productID: next.text("commitmentAutoRenewProductId") ?? info.autoRenewProductID,
            autoRenews: next.number("commitmentAutoRenewStatus") == 1,
            billingPlan: try next.texts("commitmentRenewalBillingPlanType", BillingPlanType.self)
        )
        return info
    }
}
