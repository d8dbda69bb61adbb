import Foundation

/// The payload of a signed app transaction (`JWSAppTransactionDecodedPayload`; docs/api/payloads.md).
public struct AppTransactionPayload: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The environment of the download.
    public let receiptType: OpenValue<PayloadEnvironment>
    /// The bundle id of the app.
    public let bundleId: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        receiptType = try raw.required("receiptType")
        bundleId = try raw.required("bundleId")
    }

    /// The id of the app in the App Store; nil or 0 in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
    /// The id of the customer's download of the app.
    public var appTransactionId: String? { raw["appTransactionId"] }
    /// The platform of the first download.
    public var originalPlatform: OpenValue<PurchasePlatform>? { raw["originalPlatform"] }
    /// The date of the first download.
    public var originalPurchaseDate: Timestamp? { raw["originalPurchaseDate"] }
    /// The version of the app at the first download; always `1.0` in the sandbox.
    public var originalApplicationVersion: String? { raw["originalApplicationVersion"] }
    /// The date of the customer's pre-order; nil if there was none.
    public var preorderDate: Timestamp? { raw["preorderDate"] }
    /// When the payload was signed.
    public var receiptCreationDate: Timestamp? { raw["receiptCreationDate"] }

    // MARK: Signed on a device

    /// The version of the app; only in data that StoreKit signed for a device.
    public var applicationVersion: String? { raw["applicationVersion"] }
    /// The App Store's id of the version; only in data that StoreKit signed for a device.
    public var versionExternalIdentifier: Int64? { raw["versionExternalIdentifier"] }
    /// The hash that binds the data to a device, in base64.
    public var deviceVerification: String? { raw["deviceVerification"] }
    /// The random part of `deviceVerification`.
    public var deviceVerificationNonce: UUID? { raw["deviceVerificationNonce"] }
    /// When the device requested the data.
    public var requestDate: Timestamp? { raw["requestDate"] }
}
