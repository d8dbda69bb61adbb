import Crypto
import Foundation
import TillCore
import TillSigning

/// The shared secret for verifyReceipt: the app's own secret, or else the primary secret of its team
/// (docs/api/receipts/verify-receipt.md).
extension Registry {
    /// The secret that is valid for an app; nil if neither the app nor its team has one.
    package func sharedSecret(of app: AppRecord) -> String? {
        app.sharedSecret ?? team(app.issuerID)?.sharedSecret
    }

    /// Creates a random secret: 32 hexadecimal digits, as in App Store Connect.
    package static func makeSharedSecret() -> String {
        Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255) })
    }

    /// Whether a text is a valid secret: 1 to 128 printable ASCII characters without spaces.
    package static func accepts(sharedSecret text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Whether a text is the app's secret. The comparison takes constant time.
    func isSharedSecret(_ given: String, of app: AppRecord) -> Bool {
        guard let secret = sharedSecret(of: app) else { return false }
        return ConstantTime.areEqual(SHA256.hash(data: Data(secret.utf8)), SHA256.hash(data: Data(given.utf8)))
    }
}
