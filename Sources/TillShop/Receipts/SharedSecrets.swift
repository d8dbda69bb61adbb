import Crypto
import Foundation
import TillCore
import TillSigning

/// The shared secret of verifyReceipt: the app's own, or else its team's primary one
/// (docs/api/receipts/verify-receipt.md).
extension Shop {
    /// The secret for an app; nil if there is none.
    package func sharedSecret(of app: AppRecord) -> String? {
        app.sharedSecret ?? registry.team(app.issuerID)?.sharedSecret
    }

    /// Sets the app's own secret; nil removes it.
    package func setSharedSecret(_ secret: String?, of app: AppRecord) async throws {
        try await exclusively("app/\(app.bundleID)") {
            guard var record = self.registry.app(app.bundleID) else { return }
            record.sharedSecret = secret
            try await self.registry.put(record)
        }
    }

    /// Sets the primary secret of a team's apps; nil removes it.
    package func setSharedSecret(_ secret: String?, of team: Team) async throws {
        try await exclusively("team/\(team.issuerID)") {
            guard var record = self.registry.team(team.issuerID) else { return }
            record.sharedSecret = secret
            try await self.registry.put(record)
        }
    }

    /// A new secret: 32 hexadecimal digits, like Apple's.
    package static func makeSharedSecret() -> String {
        Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255) })
    }

    /// Whether a text is a valid secret: 1 to 128 printable ASCII characters without spaces.
    package static func accepts(sharedSecret text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Compares in constant time. The digests hide the length of the secret.
    func isSharedSecret(_ given: String, of app: AppRecord) -> Bool {
        guard let secret = sharedSecret(of: app) else { return false }
        return ConstantTime.areEqual(SHA256.hash(data: Data(secret.utf8)), SHA256.hash(data: Data(given.utf8)))
    }
}
