import Crypto
import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Creates bearer tokens of any kind, also ones that no library would create. Claims and header fields are JSON texts.
struct BearerTokens: Sendable {
    let test: TestShop
    /// The present time in seconds since 1970.
    var now: Int64 { test.now.milliseconds / 1_000 }

    /// A correctly signed token with some changes of its claims and its header. A change to nil removes a member.
    func token(
        _ claims: [String: String?] = [:],
        header: [String: String?] = [:],
        key: APIKeyPair? = nil
    ) throws -> String {
        try signed(self.header(header, key: key), Array(self.claims(claims).utf8), key: key)
    }

    /// The claims of a valid token with some changes.
    func claims(_ changes: [String: String?] = [:]) -> String {
        let whole: [String: String?] = [
            "iss": #""\#(test.app.issuerID)""#, "aud": #""appstoreconnect-v1""#, "bid": #""\#(test.app.bundleID)""#,
            "iat": "\(now)", "exp": "\(now + 300)",
        ]
        return Self.object(whole.merging(changes) { $1 })
    }

    /// The header of a valid token with some changes.
    func header(_ changes: [String: String?] = [:], key: APIKeyPair? = nil) -> String {
        let whole: [String: String?] = [
            "alg": #""ES256""#, "kid": #""\#((key ?? test.key).keyID)""#, "typ": #""JWT""#,
        ]
        return Self.object(whole.merging(changes) { $1 })
    }

    /// A correctly signed token of any two texts.
    func signed(_ header: String, _ claims: [UInt8], key: APIKeyPair? = nil) throws -> String {
        let text = Self.encoded(Array(header.utf8)) + "." + Self.encoded(claims)
        let pem = (key ?? test.key).privateKeyPEM.exposed
        let signature = try P256.Signing.PrivateKey(pemRepresentation: pem).signature(for: Data(text.utf8))
        return "\(text).\(Self.encoded(Array(signature.rawRepresentation)))"
    }

    /// A token with other bytes as its signature.
    func withSignature(_ bytes: [UInt8], of token: String? = nil) throws -> String {
        let parts = try (token ?? self.token()).split(separator: ".")
        return "\(parts[0]).\(parts[1]).\(Self.encoded(bytes))"
    }

    static func encoded(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }

    private static func object(_ members: [String: String?]) -> String {
        let texts = members.sorted { $0.key < $1.key }.compactMap { key, value in value.map { #""\#(key)":\#($0)"# } }
        return "{\(texts.joined(separator: ","))}"
    }
}

extension TypedControl {
    /// Creates a key of a team.
    func addKey(_ issuerID: String) async throws -> APIKeyPair {
        let key = try await send(CreateKey(name: "more", issuerId: issuerID))
        return try APIKeyPair(keyID: key.keyId, privateKeyPEM: Secret(key.privateKey ?? ""))
    }

    /// Creates another app of the team, `com.neighbour`, and returns the header fields with a token for it.
    func addNeighbour() async throws -> HTTPFields {
        _ = try await addApp("com.neighbour", issuerID: test.app.issuerID)
        return AppleRoutes.bearer(try BearerTokens(test: test).token(["bid": #""com.neighbour""#]))
    }
}
