import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A token of control that has a name. The store keeps what it takes to know it again, not the token.
package struct ControlToken: Codable, Equatable, Sendable {
    /// Unique in the store.
    package let name: String
    /// SHA-256 of the token, standard Base64.
    package let digest: String
    /// By the wall clock.
    package let createdAt: Timestamp
}

/// Named tokens of control, beside the administrator's (docs/control/index.md). Each check reads the store, so that
/// every server of a database knows at once which were made and which revoked.
extension Shop {
    /// Makes a token. It is given back and not kept.
    ///
    /// - Throws: `TokenRefused`.
    package func makeControlToken(named name: String) async throws -> (ControlToken, Secret) {
        guard Self.isName(name) else { throw TokenRefused.badName(name) }
        return try await exclusively("tokens") {
            let known = try await storage.documents(.token)
            guard !known.contains(where: { $0.name == name }) else { throw TokenRefused.exists(name) }
            guard known.count < Self.mostTokens else { throw TokenRefused.tooMany(Self.mostTokens) }
            let secret = SymmetricKey(size: .bits256).withUnsafeBytes {
                Self.tokenPrefix + String(decoding: Base64URL.encode(Array($0)), as: UTF8.self)
            }
            let token = ControlToken(
                name: name,
                digest: Base64.encode(Array(SHA256.hash(data: Data(secret.utf8)))),
                createdAt: wallClock()
            )
            try await storage.put([Document(kind: .token, name: name, encoding: token)])
            return (token, Secret(secret))
        }
    }

    /// All tokens, by name.
    package func controlTokens() async throws -> [ControlToken] {
        try await storage.documents(.token).map { try $0.decoded() }
    }

    /// Lets a token count no more, from the next request on.
    ///
    /// - Throws: `TokenRefused` when there is none of that name.
    package func revokeControlToken(_ name: String) async throws {
        try await exclusively("tokens") {
            let known = try await storage.documents(.token).map(\.name)
            guard known.contains(name) else { throw TokenRefused.unknown(name, known: known) }
            try await storage.removeDocument(.token, name: name)
        }
    }

    /// Whether somebody was given this token and it was not revoked. What cannot be one is refused without asking the
    /// store; all are compared, each in a time that tells nothing.
    package func isControlToken(_ text: String) async throws -> Bool {
        guard text.utf8.count == Self.tokenLength, text.hasPrefix(Self.tokenPrefix) else { return false }
        let given = SHA256.hash(data: Data(text.utf8))
        return try await storage.documents(.token).reduce(false) { found, document in
            let digest = (try? document.decoded(as: ControlToken.self)).flatMap { Base64.decode($0.digest) } ?? []
            return given == Data(digest as [UInt8]) || found
        }
    }

    /// Tokens at the most.
    package static let mostTokens = 100
    /// By which a token is known for one when it turns up where it should not be.
    private static let tokenPrefix = "till_"
    /// The prefix, and 32 bytes in Base64url.
    private static let tokenLength = 48
}

/// Why a token was not made or revoked.
package enum TokenRefused: Error, Equatable, Sendable {
    case badName(String)
    case exists(String)
    case tooMany(Int)
    case unknown(String, known: [String])

    /// A word for programs.
    package var code: String {
        switch self {
        case .badName: "bad_name"
        case .exists: "token_exists"
        case .tooMany: "too_many_tokens"
        case .unknown: "unknown_token"
        }
    }

    /// A sentence for people: what was wrong and what to do.
    package var message: String {
        switch self {
        case .badName(let name):
            "\(name.cut(toBytes: 64)) is no name for a token: 1 to 64 letters, digits, dots, dashes and underscores, a "
                + "letter or digit in front."
        case .exists(let name):
            "There is a token \(name) already. Revoke it first (till token revoke \(name)), or take another name."
        case .tooMany(let most): "There are \(most) tokens already; revoke some with till token revoke."
        case .unknown(let name, let known):
            "There is no token \(name.cut(toBytes: 64)). "
                + (known.isEmpty ? "Make one with till token create." : "Tokens: \(known.joined(separator: ", ")).")
        }
    }
}
