import Foundation
import Logging
import TillShop

/// The administrator's token for the control API.
enum AdministratorToken {
    private static let shortestSafe = 16

    /// Returns the token, and whether requests need one. On loopback none is needed, and there may be no token; but a
    /// token that a client sends is checked. On any other address, the first start creates a token and stores it in the
    /// data directory.
    ///
    /// - Parameter configured: a token to use instead of the one in the data directory.
    static func open(
        for address: String,
        configured: String?,
        _ directory: DataDirectory,
        _ logger: Logger
    ) throws -> (text: String?, isRequired: Bool) {
        let kept = (try? DataDirectory.read(directory.controlToken))?.trimmingCharacters(in: .whitespacesAndNewlines)
        let known = configured ?? kept.flatMap { $0.isEmpty ? nil : $0 }
        if ["127.0.0.1", "::1", "localhost"].contains(address) { return (known, false) }
        if let configured, configured.utf8.count < shortestSafe {
            logger.warning("TILL_CONTROL_TOKEN has fewer than \(shortestSafe) characters: an attacker can guess it")
        }
        if let known { return (known, true) }
        let token = (0..<2).map { _ in UUID().uuidString.lowercased() }.joined()
        try DataDirectory.write(token + "\n", to: directory.controlToken)
        return (token, true)
    }
}
