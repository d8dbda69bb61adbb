import TillCore
import TillJSON

/// Writes a JWSAppTransactionDecodedPayload (docs/api/payloads.md). The payload's environment is in `receiptType`, and
/// it has no `signedDate`.
enum AppTransactionPayload {
    /// - Parameter device: the proof for an app transaction on a device, which has additional keys; nil for a server.
    static func bytes(
        _ download: AppTransaction,
        of account: Account,
        appleID: Int64,
        createdAt: Timestamp,
        device: DeviceProof? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.put("receiptType", account.environment.wireName)
        json.put("appAppleId", appleID)
        json.put("bundleId", account.app)
        if device != nil {
            json.put("applicationVersion", download.applicationVersion)
            json.put("versionExternalIdentifier", 0)
        }
        json.put("receiptCreationDate", createdAt)
        if device != nil { json.put("requestDate", createdAt) }
        json.put("originalPurchaseDate", download.originalPurchaseDate)
        // In Apple's sandbox the original version is always 1.0.
        json.put(
            "originalApplicationVersion",
            account.environment == .sandbox ? "1.0" : download.originalApplicationVersion
        )
        json.put("preorderDate", download.preorderDate)
        json.put("deviceVerification", device?.verification)
        json.put("deviceVerificationNonce", device?.nonce)
        json.put("appTransactionId", account.shownID)
        json.put("originalPlatform", download.originalPlatform.rawValue)
        return json.finish()
    }
}
