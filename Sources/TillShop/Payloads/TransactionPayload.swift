import TillCore
import TillJSON

/// JWSTransactionDecodedPayload (docs/api/payloads.md), with the keys in the order of Apple's payloads.
enum TransactionPayload {
    /// - Parameters:
    ///   - signedDate: never earlier than the row's last change.
    ///   - device: only for a device's copy.
    static func bytes(
        _ row: Transaction,
        environment: StoreEnvironment,
        app: String,
        signedDate: Timestamp,
        device: DeviceProof? = nil
    )
        -> [UInt8]
    {
        var json = JSONWriter()
        json.put("transactionId", row.id.wireForm)
        json.put("originalTransactionId", row.originalID.wireForm)
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
        json.put("appTransactionId", row.account.wireForm)
        json.put("offerPeriod", row.offer?.wholePeriod?.iso8601)
        json.put("revocationType", row.revocation?.kind.rawValue)
        json.put("revocationPercentage", row.revocation?.percentage)
        json.put("billingPlanType", row.billingPlan?.rawValue)
        json.put("commitmentInfo", written: row.commitment.map { bytes($0, of: row) })
        json.put("deviceVerification", device?.verification)
        json.put("deviceVerificationNonce", device?.nonce)
        return json.finish()
    }

    /// A family member pays nothing, so their copy has no price.
    private static func bytes(_ commitment: Commitment, of row: Transaction) -> [UInt8] {
        var json = JSONWriter()
        json.put("billingPeriodNumber", commitment.period)
        json.put("totalBillingPeriods", commitment.periods)
        json.put("commitmentExpiresDate", commitment.expiresDate)
        json.put("commitmentPrice", row.ownership == .purchased ? commitment.price.milliunits : nil)
        return json.finish()
    }
}

/// The two keys that show a device that a signed value was made for it.
struct DeviceProof: Sendable {
    /// Base64 of the SHA-384 of nonce and device id.
    let verification: String
    /// Lower-case UUID text.
    let nonce: String
}
