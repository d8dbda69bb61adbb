import Foundation
import Logging
import TillShop

/// The administrator's token for the control API.
enum AdministratorToken {
    private static let shortestSafe = 16

    /// Returns the token; nil on loopback, where none is needed. On any other address, the first start creates a token
    /// and stores it in the data directory.
    ///
    /// - Parameter configured: a token to use instead of the one in the data directory.
    static func open(
        for address: String,
        configured: String?,
        _ directory: DataDirectory,
        _ logger: Logger
    ) throws -> String? {
        if ["127.0.0.1", "::1", "localhost"].contains(address) { return nil }
        if let configured {
            if configured.utf8.count < shortestSafe {
                logger.warning(
                    "TILL_CONTROL_TOKEN has fewer than \(shortestSafe) characters: an attacker can guess it"
                )
            }
            return configured
        }
        if let kept = try? DataDirectory.read(directory.controlToken).trimmingCharacters(in: .whitespacesAndNewlines),
            !kept.isEmpty
        {
            return kept
        }
        let token = (0..<2).map { _ in UUID().uuidString.lowercased() }.joined()
        try DataDirectory.write(token + "\n", to: directory.controlToken)
        return token
    }
}
