import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A named token for the control API. The database contains only the token's digest.
package struct ControlToken: Codable, Equatable, Sendable {
    /// The name, which is unique in the database.
    package let name: String
    /// The SHA-256 digest of the token, in standard Base64.
    package let digest: String
    /// The creation date, in real time.
    package let createdAt: Timestamp
    /// What the token permits.
    package let scope: ControlScope
    /// The bundle id of the only app that the token permits to read and change; nil for all apps and the server.
    package let app: String?
}

extension ControlToken {
    /// Decodes a token. A token that version 0.1.0 stored has no scope and permits everything.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        digest = try values.decode(String.self, forKey: .digest)
        createdAt = try values.decode(Timestamp.self, forKey: .createdAt)
        scope = try values.decodeIfPresent(ControlScope.self, forKey: .scope) ?? .administer
        app = try values.decodeIfPresent(String.self, forKey: .app)
    }
}

/// The names of callers without a named token, in the audit log. No token may have such a name.
package enum CallerName {
    /// The holder of the administrator's token.
    package static let administrator = "administrator"
    /// A client on loopback, where the control API requires no token.
    package static let loopback = "loopback"
    /// A user of the console, where it requires no sign-in.
    package static let console = "console"
    /// All of these names.
    static let all: Set = [administrator, loopback, console]
}

/// Manages named control API tokens, which exist in addition to the administrator's token (docs/control/index.md).
/// Each check reads the database, so that new and revoked tokens take effect on every server at once.
package struct ControlTokens: Sendable {
    let storage: any Storage
    let locks: ShopLocks
    let wallClock: @Sendable () -> Timestamp

    /// Creates a token and returns it. The token itself is not stored.
    ///
    /// - Parameter app: the bundle id of the only app that the token permits; nil for all apps and the server.
    /// - Throws: `TokenRefused`.
    package func create(_ name: String, scope: ControlScope, app: String? = nil) async throws -> (ControlToken, Secret)
    {
        guard name.isObjectName else { throw TokenRefused.badName(name) }
        guard !CallerName.all.contains(name) else { throw TokenRefused.reservedName(name) }
        if let app, scope == .metrics || scope == .administer { throw TokenRefused.notOfApp(scope, app) }
        return try await locks.exclusively("tokens") {
            let known = try await storage.documents(.token)
            guard !known.contains(where: { $0.name == name }) else { throw TokenRefused.exists(name) }
            guard known.count < Self.maxTokens else { throw TokenRefused.tooMany(Self.maxTokens) }
            let secret = SymmetricKey(size: .bits256).withUnsafeBytes {
                Self.tokenPrefix + String(decoding: Base64URL.encode(Array($0)), as: UTF8.self)
            }
            let token = ControlToken(
                name: name,
                digest: Base64.encode(Array(SHA256.hash(data: Data(secret.utf8)))),
                createdAt: wallClock(),
                scope: scope,
                app: app
            )
            try await storage.put([Document(kind: .token, name: name, encoding: token)])
            return (token, Secret(secret))
        }
    }

    /// All tokens, sorted by name.
    package func all() async throws -> [ControlToken] {
        try await storage.documents(.token).map { try $0.decoded() }
    }

    /// Revokes a token. The server rejects the token from the next request on.
    ///
    /// - Throws: `TokenRefused` if there is no token with this name.
    package func revoke(_ name: String) async throws {
        try await locks.exclusively("tokens") {
            let known = try await storage.documents(.token).map(\.name)
            guard known.contains(name) else { throw TokenRefused.unknown(name, known: known) }
            try await storage.removeDocument(.token, name: name)
        }
    }

    /// The named token with this text; nil for any other text. A text with another length or prefix is rejected without
    /// reading the database. The comparison takes constant time.
    package func token(_ text: String) async throws -> ControlToken? {
        guard text.utf8.count == Self.tokenLength, text.hasPrefix(Self.tokenPrefix) else { return nil }
        let given = SHA256.hash(data: Data(text.utf8))
        return try await storage.documents(.token).reduce(nil) { found, document in
            let token = try? document.decoded(as: ControlToken.self)
            let digest = token.flatMap { Base64.decode($0.digest) } ?? []
            return ConstantTime.areEqual(given, digest) ? token : found
        }
    }

    /// The maximum number of tokens.
    package static let maxTokens = 100
    /// The prefix of every token. It makes leaked tokens easy to recognize.
    private static let tokenPrefix = "till_"
    /// The length of the prefix and of 32 bytes in Base64url.
    private static let tokenLength = 48
}

extension Shop {
    /// The named tokens of the control API.
    package var tokens: ControlTokens { ControlTokens(storage: storage, locks: locks, wallClock: wallClock) }
}

/// The reason why a token was not created or revoked.
package enum TokenRefused: Error, Equatable, Sendable {
    case badName(String)
    /// The name stands for callers without a named token.
    case reservedName(String)
    /// A scope that concerns the whole server was combined with an app.
    case notOfApp(ControlScope, String)
    case exists(String)
    case tooMany(Int)
    case unknown(String, known: [String])

    /// The error code for programs.
    package var code: String {
        switch self {
        case .badName, .reservedName: "bad_name"
        case .notOfApp: "bad_scope"
        case .exists: "token_exists"
        case .tooMany: "too_many_tokens"
        case .unknown: "unknown_token"
        }
    }

    /// The message for people: what is wrong and what to do.
    package var message: String {
        switch self {
        case .badName(let name):
            "\(name.cut(toBytes: 64)) is not a valid token name: use 1 to 64 letters, digits, dots, dashes and "
                + "underscores, beginning with a letter or digit."
        case .reservedName(let name):
            "\(name) cannot be a token name: the audit log uses it for callers without a named token. Choose another "
                + "name."
        case .notOfApp(let scope, let app):
            "The scope \(scope.rawValue) concerns the whole server, so that a token for the app "
                + "\(app.cut(toBytes: 64)) cannot have it. Use the scope read or operate, or omit the app."
        case .exists(let name):
            "A token \(name) already exists. Revoke it first (till token delete \(name)), or choose another name."
        case .tooMany(let limit): "There are already \(limit) tokens, the maximum. Revoke some: till token delete."
        case .unknown(let name, let known):
            "There is no token \(name.cut(toBytes: 64)). "
                + (known.isEmpty ? "Create one: till token create." : "Tokens: \(known.joined(separator: ", ")).")
        }
    }
}
