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

    func date(_ key: String) -> Timestamp? {
        members[key]?.number.flatMap { NumberCheck.dates.contains($0) ? Timestamp(milliseconds: $0) : nil }
    }

    // MARK: Values that must be possible. A key with any other value is an error, so that nothing is guessed.

    private func optional<Value>(
        _ key: String,
        _ expected: String,
        _ read: (JSONTree) -> Value?
    ) throws(Unreadable) -> Value? {
        guard let value = members[key] else { return nil }
        guard let found = read(value) else { throw Unreadable("\(key) is \(summary(of: value)), expected \(expected)") }
        return found
    }

    private func label(_ key: String) throws(Unreadable) -> String? {
        try optional(key, "a text of 1 to 1,024 bytes without control characters") { value in
            guard let text = value.text, (1...1_024).contains(text.utf8.count) else { return nil }
            return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
        }
    }

    private func identifier(_ key: String) throws(Unreadable) -> Int64? {
        try optional(key, "a string of 1 to 19 digits that does not begin with 0") { _ in id(key) }
    }

    private func whole(_ key: String, in range: ClosedRange<Int64>) throws(Unreadable) -> Int64? {
        try optional(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private func instant(_ key: String) throws(Unreadable) -> Timestamp? {
        try optional(key, "milliseconds from 1970 to the year 9999") { _ in date(key) }
    }

    private func flag(_ key: String) throws(Unreadable) -> Bool {
        try optional(key, "true or false") { $0 == .bool(true) ? true : $0 == .bool(false) ? false : nil } ?? false
    }

    private func object(_ key: String) throws(Unreadable) -> SourcePayload? {
        try optional(key, "an object") { value in
            guard case .object(let parts) = value else { return nil }
            return SourcePayload(Dictionary(parts.map { ($0.key, $0.value) }) { first, _ in first })
        }
    }

    /// A value on one line of a report, which a terminal may show.
    private func summary(of value: JSONTree) -> String {
        let scalars = value.summary.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    private func required<Value>(_ key: String, _ value: Value?) throws(Unreadable) -> Value {
        guard let value else { throw Unreadable(absence(of: key)) }
        return value
    }

    private func absence(of key: String) -> String {
        guard let value = members[key] else { return "\(key) is absent" }
        return "\(key) is \(summary(of: value)), which Till does not know"
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
        try known(key, members[key]?.number.flatMap { Int(exactly: $0) }.flatMap(Value.init(rawValue:)))
    }

    // MARK: Ids

    /// `transactionId` of a transaction that another list has in full.
    func reference() throws(Unreadable) -> Int64 { try required("transactionId", identifier("transactionId")) }

    /// `appTransactionId`; nil for a payload of another app or environment, in which the customer has another.
    func account(in scope: AccountScope) -> Int64? {
        guard text("bundleId") ?? scope.app == scope.app else { return nil }
        guard text("environment") ?? scope.environment.wireName == scope.environment.wireName else { return nil }
        return id("appTransactionId")
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
        let purchased = try required("purchaseDate", instant("purchaseDate"))
        let revocation = try revocation(ownership)
        let storefront = try optional("storefront", "the three capital letters of a storefront") {
            $0.text.flatMap { Storefront(code: $0) }
        }
        _ = (try instant("signedDate"), try identifier("appTransactionId"))
        var row = Transaction(
            id: TransactionID(number),
            originalID: TransactionID(original),
            account: AccountID(0),
            change: 0,
            lineItem: try identifier("webOrderLineItemId"),
            order: nil,
            productID: try required("productId", label("productId")),
            groupID: try label("subscriptionGroupIdentifier"),
            type: try required("type", ProductKind.allCases.first { $0.wireType == wireType }),
            purchaseDate: purchased,
            originalPurchaseDate: try instant("originalPurchaseDate") ?? purchased,
            expiresDate: try instant("expiresDate"),
            quantity: Int(try whole("quantity", in: 1...10) ?? 1),
            appAccountToken: try label("appAccountToken")?.lowercased(),
            ownership: ownership,
            reason: try texts("transactionReason", TransactionReason.self)
                ?? (number == original ? .purchase : .renewal),
            storefront: storefront ?? .unitedStates,
            price: try money("price"),
            offer: try offer(),
            isUpgraded: try flag("isUpgraded"),
            revocation: revocation,
            refundNumber: nil,
            isFinished: true,
            sharedFrom: nil,
            modifiedDate: purchased
        )
        row.billingPlan = try texts("billingPlanType", BillingPlanType.self)
        row.commitment = try commitment(of: row)
        var found = SourceTransaction(number: number, original: original, row: row)
        found.hasStorefront = storefront != nil
        return found
    }

    private func money(_ key: String) throws(Unreadable) -> Money? {
        let currency = try optional("currency", "three capital letters, such as USD") {
            $0.text.flatMap { CatalogDocument.isCurrency($0) ? $0 : nil }
        }
        // The price of a transaction is that of all its pieces.
        guard let amount = try whole(key, in: 0...DecimalAmount.largest * 10) else { return nil }
        return Money(milliunits: amount, currency: try required("currency", currency))
    }

    private func revocation(_ ownership: InAppOwnershipType) throws(Unreadable) -> Revocation? {
        guard let date = try instant("revocationDate") else {
            for key in ["revocationReason", "revocationType"] where members[key] != nil {
                throw Unreadable("it has \(key) without revocationDate")
            }
            return nil
        }
        let kind = try texts("revocationType", RevocationType.self)
        return Revocation(
            date: date,
            reason: try numbers("revocationReason", RevocationReason.self) ?? .other,
            kind: kind ?? (ownership == .familyShared ? .familyRevoke : .refundFull),
            percentage: try whole("revocationPercentage", in: 0...100_000).map { Int($0) }
        )
    }

    private func offer() throws(Unreadable) -> AppliedOffer? {
        guard let kind = try numbers("offerType", OfferType.self) else { return nil }
        let period = text("offerPeriod")
        let mode = try texts("offerDiscountType", OfferDiscountType.self)
        return AppliedOffer(
            kind: kind,
            id: try label("offerIdentifier"),
            mode: try required("offerDiscountType", mode),
            wholePeriod: try known("offerPeriod", period.flatMap(Period.init(iso8601:)))
        )
    }

    private func commitment(of row: Transaction) throws(Unreadable) -> Commitment? {
        guard let info = try object("commitmentInfo") else { return nil }
        let months: ClosedRange<Int64> = 1...1_000
        let expires = try info.required("commitmentExpiresDate", info.instant("commitmentExpiresDate"))
        let period = try info.required("billingPeriodNumber", info.whole("billingPeriodNumber", in: months))
        let periods = try info.required("totalBillingPeriods", info.whole("totalBillingPeriods", in: months))
        let price = try info.whole("commitmentPrice", in: NumberCheck.amounts) ?? 0
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
        let (renewed, current) = (try label("autoRenewProductId"), try label("productId"))
        let product = renewed ?? current
        var info = SourceRenewalInfo(
            autoRenewProductID: try required("autoRenewProductId", product),
            autoRenews: try required("autoRenewStatus", whole("autoRenewStatus", in: 0...1)) == 1
        )
        info.expirationIntent = try numbers("expirationIntent", ExpirationIntent.self)
        info.graceUntil = try instant("gracePeriodExpiresDate")
        info.priceIncreaseStatus = try whole("priceIncreaseStatus", in: 0...1).map { Int($0) }
        info.renewalPrice = try money("renewalPrice")
        info.recentStart = try instant("recentSubscriptionStartDate")
        info.offer = try offer()
        info.appAccountToken = try label("appAccountToken")?.lowercased()
        info.billingPlan = try texts("renewalBillingPlanType", BillingPlanType.self)
        _ = (try instant("signedDate"), try identifier("appTransactionId"))
        guard let next = try object("commitmentInfo") else { return info }
        info.commitment = SourceRenewalInfo.Commitment(
            productID: try next.label("commitmentAutoRenewProductId") ?? info.autoRenewProductID,
            autoRenews: try next.whole("commitmentAutoRenewStatus", in: 0...1) == 1,
            billingPlan: try next.texts("commitmentRenewalBillingPlanType", BillingPlanType.self)
        )
        return info
    }

    // MARK: An app transaction

    /// The payload of a signed app transaction.
    func appTransaction(in scope: AccountScope) throws(Unreadable) -> AppTransaction {
        guard text("bundleId") ?? scope.app == scope.app else { throw Unreadable("its bundleId is not \(scope.app)") }
        let date = try required("originalPurchaseDate", instant("originalPurchaseDate"))
        let version = try label("originalApplicationVersion") ?? "1.0"
        _ = (try identifier("appTransactionId"), try instant("receiptCreationDate"))
        return AppTransaction(
            originalPurchaseDate: date,
            originalPlatform: try texts("originalPlatform", PurchasePlatform.self) ?? .iOS,
            originalApplicationVersion: version,
            applicationVersion: try label("applicationVersion") ?? version,
            preorderDate: try instant("preorderDate")
        )
    }
}
