import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A named control API token. The store keeps only its digest.
package struct ControlToken: Codable, Equatable, Sendable {
    /// Unique in the store.
    package let name: String
    /// SHA-256 of the token, standard Base64.
    package let digest: String
    /// Real time.
    package let createdAt: Timestamp
}

/// Named control API tokens, in addition to the administrator's (docs/control/index.md). Each check reads the store, so
/// that every server of a database sees new and revoked tokens at once.
extension Shop {
    /// Creates a token. It is returned and not stored.
    ///
    /// - Throws: `TokenRefused`.
    package func makeControlToken(named name: String) async throws -> (ControlToken, Secret) {
        guard Self.isName(name) else { throw TokenRefused.badName(name) }
        return try await exclusively("tokens") {
            let known = try await storage.documents(.token)
            guard !known.contains(where: { $0.name == name }) else { throw TokenRefused.exists(name) }
            guard known.count < Self.maxTokens else { throw TokenRefused.tooMany(Self.maxTokens) }
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

    /// Revokes a token, from the next request on.
    ///
    /// - Throws: `TokenRefused` when there is none of that name.
    package func revokeControlToken(_ name: String) async throws {
        try await exclusively("tokens") {
            let known = try await storage.documents(.token).map(\.name)
            guard known.contains(name) else { throw TokenRefused.unknown(name, known: known) }
            try await storage.removeDocument(.token, name: name)
        }
    }

    /// Whether this is a valid token that was not revoked. Texts of another form are rejected without reading the
    /// store; the comparison takes constant time.
    package func isControlToken(_ text: String) async throws -> Bool {
        guard text.utf8.count == Self.tokenLength, text.hasPrefix(Self.tokenPrefix) else { return false }
        let given = SHA256.hash(data: Data(text.utf8))
        return try await storage.documents(.token).reduce(false) { found, document in
            let digest = (try? document.decoded(as: ControlToken.self)).flatMap { Base64.decode($0.digest) } ?? []
            return ConstantTime.areEqual(given, digest) || found
        }
    }

    /// The maximum number of tokens.
    package static let maxTokens = 100
    /// Makes leaked tokens easy to recognize.
    private static let tokenPrefix = "till_"
    /// The prefix, and 32 bytes in Base64url.
    private static let tokenLength = 48
}

/// Why a token was not created or revoked.
package enum TokenRefused: Error, Equatable, Sendable {
    case badName(String)
    case exists(String)
    case tooMany(Int)
    case unknown(String, known: [String])

    /// The machine-readable code.
    package var code: String {
        switch self {
        case .badName: "bad_name"
        case .exists: "token_exists"
        case .tooMany: "too_many_tokens"
        case .unknown: "unknown_token"
        }
    }

    /// The message: what was wrong and what to do.
    package var message: String {
        switch self {
        case .badName(let name):
            "\(name.cut(toBytes: 64)) is not a valid token name: use 1 to 64 letters, digits, dots, dashes and "
                + "underscores, beginning with a letter or digit."
        case .exists(let name):
            "A token \(name) already exists. Revoke it first (till token revoke \(name)), or choose another name."
        case .tooMany(let limit): "There are already \(limit) tokens, the maximum. Revoke some: till token revoke."
        case .unknown(let name, let known):
            "There is no token \(name.cut(toBytes: 64)). "
                + (known.isEmpty ? "Create one: till token create." : "Tokens: \(known.joined(separator: ", ")).")
        }
    }
}
