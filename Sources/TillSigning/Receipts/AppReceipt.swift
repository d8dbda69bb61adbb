import Crypto

/// The content of an app receipt: the attributes of its payload, typed.
///
/// All dates are milliseconds since 1970, UTC. The encoded form has whole seconds, so ``payload()`` drops a fraction.
/// See docs/api/receipts/app-receipts.md.
package struct AppReceipt: Sendable, Equatable {
    /// The values of attribute 25, which seems to distinguish platforms.
    package enum Platform: Int64, Sendable {
        case macOS = 2
        case iOS = 3
    }

    /// `Production`, `ProductionSandbox`, `ProductionVPP`, `ProductionVPPSandbox` or `Xcode` (0).
    package var receiptType: String
    /// The app's Apple id; 0 in the sandbox (1).
    package var appAppleID: Int64
    /// The bundle id (2).
    package var bundleID: String
    /// The version of the app that made the request: CFBundleVersion on iOS (3).
    package var applicationVersion: String
    /// Random bytes of the device hash; 16, but 8 from Xcode (4).
    package var opaqueValue: [UInt8]
    /// The device hash, 20 bytes of SHA-1, see ``deviceHash(guid:opaqueValue:bundleID:)`` (5).
    package var deviceHash: [UInt8]
    /// When the receipt was first issued to the device; nil in the sandbox, written as an empty text (8).
    package var issueDate: Int64?
    /// Four ASCII characters, packed: 0x50333035 is `P305` (9).
    package var serverBuild: Int64
    /// `4+`, `17+` (10).
    package var ageRating: String
    /// The developer's number; 0 in the sandbox (11).
    package var developerID: Int64
    /// When the receipt was made. Verifiers check the certificates at this instant (12).
    package var creationDate: Int64
    /// The version of the operating system as `MMmmpp`: 180602 (13).
    package var systemVersion: Int64
    /// A small number of unknown meaning, 1 to 254 (14).
    package var counter: Int64
    /// 0 in the sandbox (15).
    package var downloadID: Int64
    /// The store's number for the app's version; 0 in the sandbox (16).
    package var versionExternalIdentifier: Int64
    /// The purchases (17). After decoding they are in the order of the bytes; encoding sorts them anyway.
    package var inApp: [InAppReceipt]
    /// When the app was first bought or downloaded (18). Nil omits the attribute.
    package var originalPurchaseDate: Int64?
    /// The version that was first bought; `1.0` in the sandbox (19). Nil omits the attribute.
    package var originalApplicationVersion: String?
    /// When the receipt expires, for volume purchases (21). Nil omits the attribute.
    package var expirationDate: Int64?
    /// The platform (25). Receipts of iOS also have an empty attribute 20.
    package var platform: Platform
    /// When the app was pre-ordered (32). Nil omits the attribute.
    package var preorderDate: Int64?

    /// A receipt with the defaults of the sandbox, without purchases.
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
        appAppleID = 0
        self.bundleID = bundleID
        self.applicationVersion = applicationVersion
        self.opaqueValue = opaqueValue
        self.deviceHash = deviceHash
        issueDate = nil
        serverBuild = 0x5033_3035
        ageRating = "4+"
        developerID = 0
        self.creationDate = creationDate
        systemVersion = 180_602
        counter = 1
        downloadID = 0
        versionExternalIdentifier = 0
        self.inApp = inApp
        originalPurchaseDate = Self.sandboxOriginalPurchaseDate
        originalApplicationVersion = "1.0"
        expirationDate = nil
        platform = .iOS
        preorderDate = nil
    }

    /// 2013-08-01 07:00:00 UTC: the original purchase date of every app in the sandbox.
    package static let sandboxOriginalPurchaseDate: Int64 = 1_375_340_400_000

    /// The value of attribute 5 on a device.
    ///
    /// SHA-1 over the device's bytes, the opaque value and the octets of attribute 2, which are the bundle id with its
    /// UTF8String header.
    ///
    /// - Parameter guid: the 16 bytes of identifierForVendor; on macOS the 6 of the first network interface.
    package static func deviceHash(guid: [UInt8], opaqueValue: [UInt8], bundleID: String) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: guid)
        hash.update(data: opaqueValue)
        hash.update(data: DERBytes.text(bundleID))
        return Array(hash.finalize())
    }

    /// Whether the receipt was made for a device.
    package func isFor(guid: [UInt8]) -> Bool {
        deviceHash == Self.deviceHash(guid: guid, opaqueValue: opaqueValue, bundleID: bundleID)
    }
}
