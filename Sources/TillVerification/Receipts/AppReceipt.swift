import Crypto

/// The content of an app receipt. Each property's comment names its attribute in parentheses.
///
/// All dates are in milliseconds since 1970, UTC. The encoded receipt has whole seconds, so ``payload()`` cuts off
/// fractions. See docs/api/receipts/app-receipts.md.
package struct AppReceipt: Sendable, Equatable {
    /// The platforms, with their numbers in attribute 25. Apple does not document this attribute.
    package enum Platform: Int64, Sendable {
        case macOS = 2
        case iOS = 3
    }

    /// The environment: `Production`, `ProductionSandbox`, `ProductionVPP`, `ProductionVPPSandbox` or `Xcode` (0).
    package var receiptType: String
    /// The app's Apple ID; 0 in the sandbox (1).
    package var appAppleID: Int64 = 0
    /// The bundle id (2).
    package var bundleID: String
    /// The version of the app that requested the receipt: CFBundleVersion on iOS (3).
    package var applicationVersion: String
    /// The opaque bytes that are part of the device hash: 16 bytes, or 8 in receipts from Xcode (4).
    package var opaqueValue: [UInt8]
    /// The device hash: the 20 bytes from ``deviceHash(guid:opaqueValue:bundleID:)`` (5).
    package var deviceHash: [UInt8]
    /// The date when the receipt was first issued to the device (8). It is nil in the sandbox, which is encoded as an
    /// empty text.
    package var issueDate: Int64?
    /// The build of the App Store's server: four ASCII characters as one number; 0x50333035 is `P305` (9).
    package var serverBuild: Int64 = 0x5033_3035
    /// The age rating, such as `4+` or `17+` (10).
    package var ageRating: String = "4+"
    /// The developer's Apple ID; 0 in the sandbox (11).
    package var developerID: Int64 = 0
    /// The date when the receipt was created (12). Verifiers check the certificates at this date.
    package var creationDate: Int64
    /// The version of the operating system as `MMmmpp`, such as 180602 for 18.6.2 (13).
    package var systemVersion: Int64 = 180_602
    /// A number from 1 to 254, whose meaning is unknown (14).
    package var counter: Int64 = 1
    /// The download id; 0 in the sandbox (15).
    package var downloadID: Int64 = 0
    /// The App Store's number for the app's version; 0 in the sandbox (16).
    package var versionExternalIdentifier: Int64 = 0
    /// The purchases (17). After decoding they are in the order of the encoded receipt, which encoding determines by
    /// sorting.
    package var inApp: [InAppReceipt]
    /// The date when the customer first bought or downloaded the app (18). Nil omits the attribute.
    package var originalPurchaseDate: Int64? = sandboxOriginalPurchaseDate
    /// The version of the app that the customer first bought; `1.0` in the sandbox (19). Nil omits the attribute.
    package var originalApplicationVersion: String? = "1.0"
    /// The date when the receipt of a volume purchase expires (21). Nil omits the attribute.
    package var expirationDate: Int64?
    /// The platform (25). Receipts for iOS also have an empty attribute 20.
    package var platform = Platform.iOS
    /// The date when the customer pre-ordered the app (32). Nil omits the attribute.
    package var preorderDate: Int64?

    /// Creates a receipt. Values without a parameter are those of the sandbox.
    package init(
        receiptType: String = "ProductionSandbox",
        bundleID: String,
        applicationVersion: String,
        creationDate: Int64,
        opaqueValue: [UInt8],
        deviceHash: [UInt8],
        inApp: [InAppReceipt] = []
    ) {
        self.receiptType = receiptType
        self.bundleID = bundleID
        self.applicationVersion = applicationVersion
        self.opaqueValue = opaqueValue
        self.deviceHash = deviceHash
        self.creationDate = creationDate
        self.inApp = inApp
    }

    /// The original purchase date of every app in the sandbox: 2013-08-01 07:00:00 UTC.
    package static let sandboxOriginalPurchaseDate: Int64 = 1_375_340_400_000

    /// Computes the device hash: SHA-1 of the device's bytes, the opaque value, and the value of attribute 2, which is
    /// the bundle id with its UTF8String header.
    ///
    /// - Parameter guid: the device's bytes: the 16 bytes of `identifierForVendor`, or on macOS the 6 bytes of the
    ///   first network interface's address.
    package static func deviceHash(guid: [UInt8], opaqueValue: [UInt8], bundleID: String) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: guid)
        hash.update(data: opaqueValue)
        hash.update(data: DERBytes.text(bundleID))
        return Array(hash.finalize())
    }

    /// Whether the receipt was created for a device.
    package func isFor(guid: [UInt8]) -> Bool {
        deviceHash == Self.deviceHash(guid: guid, opaqueValue: opaqueValue, bundleID: bundleID)
    }
}
