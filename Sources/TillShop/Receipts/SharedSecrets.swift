import Crypto
import Foundation
import TillCore
import TillSigning

/// The shared secret for verifyReceipt: the app's own secret, or else the primary secret of its team
/// (docs/api/receipts/verify-receipt.md).
extension Shop {
    /// The secret that is valid for an app; nil if neither the app nor its team has one.
    package func sharedSecret(of app: AppRecord) -> String? {
        app.sharedSecret ?? registry.team(app.issuerID)?.sharedSecret
    }

    /// Sets the app's own secret; nil removes the secret.
    package func setSharedSecret(_ secret: String?, of app: AppRecord) async throws {
        try await exclusively("app/\(app.bundleID)") {
            guard var record = self.registry.app(app.bundleID) else { return }
            record.sharedSecret = secret
            try await self.registry.put(record)
        }
    }

    /// Sets the primary secret of a team, for all its apps; nil removes the secret.
    package func setSharedSecret(_ secret: String?, of team: Team) async throws {
        try await exclusively("team/\(team.issuerID)") {
            guard var record = self.registry.team(team.issuerID) else { return }
            record.sharedSecret = secret
            try await self.registry.put(record)
        }
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
