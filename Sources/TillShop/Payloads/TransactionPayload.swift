import TillCore
import TillJSON
import TillSigning

/// Writes a JWSTransactionDecodedPayload (docs/api/payloads.md), with the keys in the order of Apple's payloads.
enum TransactionPayload {
    /// - Parameters:
    ///   - signedDate: the signing date, never earlier than the transaction's last change.
    ///   - device: the proof for a transaction on a device; nil for a server.
    static func bytes(
        _ row: Transaction,
        environment: StoreEnvironment,
        app: String,
        signedDate: Timestamp,
        device: DeviceProof? = nil
    ) -> [UInt8] {
        dated(row, environment: environment, app: app, signedDate: signedDate, device: device).bytes
    }

    /// The payload for a server, prepared to be signed again with later dates.
    static func prepared(
        _ row: Transaction,
        environment: StoreEnvironment,
        app: String,
        by chain: SigningChain
    ) -> PreparedPayload {
        let payload = dated(row, environment: environment, app: app, signedDate: row.modifiedDate)
        return PreparedPayload(payload.bytes, date: payload.date, by: chain)
    }

    /// The payload, and the place of the digits of `signedDate` in it.
    private static func dated(
        _ row: Transaction,
        environment: StoreEnvironment,
        app: String,
        signedDate: Timestamp,
        device: DeviceProof? = nil
    ) -> (bytes: [UInt8], date: Range<Int>) {
        var json = JSONWriter()
        json.put("transactionId", row.shownID)
        json.put("originalTransactionId", row.shownOriginalID)
        json.put("webOrderLineItemId", row.lineItem.map { String($0) })
        json.put("bundleId", app)
        json.put("productId", row.productID)
        json.put("subscriptionGroupIdentifier", row.groupID)
        json.put("purchaseDate", row.purchaseDate)
        json.put("originalPurchaseDate", row.originalPurchaseDate)
        json.put("expiresDate", row.expiresDate)
        json.put("quantity", row.quantity)
        json.put("type", row.type.wireName)
        json.put("appAccountToken", row.appAccountToken)
        json.put("inAppOwnershipType", row.ownership.rawValue)
        json.put("signedDate", signedDate)
        let endOfDate = json.bytes.count
        let date = (endOfDate - String(signedDate.milliseconds).utf8.count)..<endOfDate
        json.put("revocationReason", row.revocation?.reason.rawValue)
        json.put("revocationDate", row.revocation?.date)
        json.put("isUpgraded", row.isUpgraded ? true : nil)
        json.put("offerType", row.offer?.kind.rawValue)
        json.put("offerIdentifier", row.offer?.id)
        json.put("environment", environment.wireName)
        json.put("transactionReason", row.reason.rawValue)
        json.put("storefront", row.storefront.code)
        json.put("storefrontId", row.storefront.id)
        json.put("price", row.price?.milliunits)
        json.put("currency", row.price?.currency)
        json.put("offerDiscountType", row.offer?.mode.rawValue)
        json.put("appTransactionId", row.shownAccountID)
        json.put("offerPeriod", row.offer?.wholePeriod?.iso8601)
        json.put("revocationType", row.revocation?.kind.rawValue)
        json.put("revocationPercentage", row.revocation?.percentage)
        json.put("billingPlanType", row.billingPlan?.rawValue)
        json.put("commitmentInfo", written: row.commitment.map { bytes($0, of: row) })
        json.put("deviceVerification", device?.verification)
        json.put("deviceVerificationNonce", device?.nonce)
        return (json.finish(), date)
    }

    /// Writes the object `commitmentInfo`. A family member pays nothing, so their object has no price.
    private static func bytes(_ commitment: Commitment, of row: Transaction) -> [UInt8] {
        var json = JSONWriter()
        json.put("billingPeriodNumber", commitment.period)
        json.put("totalBillingPeriods", commitment.periods)
        json.put("commitmentExpiresDate", commitment.expiresDate)
        json.put("commitmentPrice", row.ownership == .purchased ? commitment.price.milliunits : nil)
        return json.finish()
    }
}

/// The values of two keys with which an app checks that data was signed for its device.
struct DeviceProof: Sendable {
    /// The SHA-384 hash of the nonce and the device id, in Base64.
    let verification: String
    /// A random UUID as lower-case text.
    let nonce: String
}
