import TillCore
import TillJSON

/// Writes a responseBodyV2DecodedPayload (docs/api/notifications.md), with placeholders for the signed transaction and
/// the signed renewal info.
enum NotificationPayload {
    /// The members that every notification has.
    struct Head {
        var type: String
        var subtype: String?
        var uuid: String
        var signedDate: Timestamp
    }

    /// The object that a notification contains, under the key of the same name.
    enum Object {
        case data([UInt8])
        case appData([UInt8])
        case summary([UInt8])
        case externalPurchaseToken([UInt8])

        /// The kind of signed data in the object: an app transaction in `appData`, else a transaction.
        var signedWithin: WireObject {
            if case .appData = self { .appTransaction } else { .transaction }
        }
    }

    /// The placeholder for the signed transaction or app transaction.
    static let transactionPlace: UInt8 = 1
    /// The placeholder for the signed renewal info.
    static let renewalPlace: UInt8 = 2

    static func bytes(_ head: Head, _ object: Object) -> [UInt8] {
        var json = JSONWriter()
        json.put("notificationType", head.type)
        json.put("subtype", head.subtype)
        json.put("notificationUUID", head.uuid)
        switch object {
        case .data(let bytes): json.put("data", written: bytes)
        case .appData(let bytes): json.put("appData", written: bytes)
        case .summary(let bytes): json.put("summary", written: bytes)
        case .externalPurchaseToken(let bytes): json.put("externalPurchaseToken", written: bytes)
        }
        json.put("version", "2.0")
        json.put("signedDate", head.signedDate)
        return json.finish()
    }

    /// The object `data` of a notification about a purchase.
    static func data(
        of app: AppRecord,
        environment: StoreEnvironment,
        version: String,
        status: SubscriptionStatus?,
        hasRenewalInfo: Bool,
        reason: ConsumptionRequestReason?
    ) -> [UInt8] {
        var json = JSONWriter()
        json.put("appAppleId", app.appleID)
        json.put("bundleId", app.bundleID)
        json.put("bundleVersion", version)
        json.put("environment", environment.wireName)
        json.put("signedTransactionInfo", written: placeholder(transactionPlace))
        if hasRenewalInfo { json.put("signedRenewalInfo", written: placeholder(renewalPlace)) }
        json.put("status", status?.rawValue)
        json.put("consumptionRequestReason", reason?.rawValue)
        return json.finish()
    }

    /// The object `data` of a test notification.
    static func testData(of app: AppRecord, environment: StoreEnvironment) -> [UInt8] {
        var json = JSONWriter()
        json.put("appAppleId", app.appleID)
        json.put("bundleId", app.bundleID)
        json.put("environment", environment.wireName)
        return json.finish()
    }

    /// The object `appData` of a RESCIND_CONSENT notification.
    static func appData(of app: AppRecord, environment: StoreEnvironment) -> [UInt8] {
        var json = JSONWriter()
        json.put("appAppleId", app.appleID)
        json.put("bundleId", app.bundleID)
        json.put("environment", environment.wireName)
        json.put("signedAppTransactionInfo", written: placeholder(transactionPlace))
        return json.finish()
    }

    /// The object `summary` of a mass extension of renewal dates.
    static func summary(
        of app: AppRecord,
        environment: StoreEnvironment,
        _ job: MassExtension,
        succeeded: Int,
        failed: Int
    ) -> [UInt8] {
        var json = JSONWriter()
        json.put("requestIdentifier", job.request)
        json.put("environment", environment.wireName)
        json.put("appAppleId", app.appleID)
        json.put("bundleId", app.bundleID)
        json.put("productId", job.productID)
        if let storefronts = job.storefronts { json.put("storefrontCountryCodes", storefronts) }
        json.put("succeededCount", succeeded)
        json.put("failedCount", failed)
        return json.finish()
    }

    /// The object `externalPurchaseToken`. Only the prefix of its id shows the environment.
    ///
    /// - Parameter expires: the expiration date of a token for a custom link; nil for the older kind of token, which
    ///   has no `tokenType`.
    static func externalPurchaseToken(
        of app: AppRecord,
        environment: StoreEnvironment,
        id: String,
        created: Timestamp,
        expires: Timestamp?
    ) -> [UInt8] {
        var json = JSONWriter()
        json.put("externalPurchaseId", environment == .sandbox ? "SANDBOX_\(id)" : id)
        json.put("tokenCreationDate", created)
        json.put("appAppleId", app.appleID)
        json.put("bundleId", app.bundleID)
        json.put("tokenType", expires == nil ? nil : "ACQUISITION")
        json.put("tokenExpirationDate", expires)
        return json.finish()
    }

    private static func placeholder(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "\""), byte, UInt8(ascii: "\"")]
    }
}
