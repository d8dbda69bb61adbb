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

/// Sends requests with valid and wrong bearer tokens to the App Store Server API.
@Suite("Bearer tokens on the App Store Server API")
struct BearerRefusalTests {
    /// The routes that report errors about the app with a code, and the others.
    private static let listing = ["/inApps/v2/history/", "/inApps/v1/history/", "/inApps/v1/subscriptions/"]
    private static let silent = [
        "/inApps/v1/transactions/", "/inApps/v1/transactions/appTransactions/", "/inApps/v2/refund/lookup/",
        "/inApps/v1/refund/lookup/",
    ]

    /// A shop with a purchase, and the tokens for its app.
    private struct Shop: Sendable {
        let control: TypedControl
        let id: String
        var apple: AppleRoutes { control.apple }
        var tokens: BearerTokens { BearerTokens(test: control.test) }
        var keyID: String { control.test.key.keyID }
        var issuerID: String { control.test.app.issuerID }
        var silent: [String] { BearerRefusalTests.silent.map { $0 + id } + ["/inApps/v1/lookup/M123456789"] }
        var listing: [String] { BearerRefusalTests.listing.map { $0 + id } }

        func get(_ path: String, _ token: String) async throws -> AppleRoutes.Answer {
            try await apple.get(path, headers: AppleRoutes.bearer(token))
        }

        /// Checks that a token is accepted.
        func expectAccepted(_ token: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            #expect(try await get(listing[0], token).status == 200, sourceLocation: sourceLocation)
        }

        /// Checks that a token is refused with a 401, that the request log has the reason, and that it has no part of
        /// the token.
        func expectRefused(
            _ token: String,
            _ words: String...,
            at paths: [String]? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            for path in paths ?? [listing[0]] {
                let answer = try await get(path, token)
                let entry = try await apple.expectUnauthenticated(answer, words, sourceLocation: sourceLocation)
                #expect(entry.path == path && entry.method == "GET", sourceLocation: sourceLocation)
                let shown = String(describing: entry)
                for part in token.split(separator: ".") where part.count > 8 {
                    #expect(!shown.contains(part), "the request log has the token", sourceLocation: sourceLocation)
                }
            }
        }

        /// Checks that the routes that list errors about the app return a code, and that the others return a 401.
        func expectAppError(_ code: Int, _ token: String, _ word: String) async throws {
            for path in listing { try await apple.expectError(code, try await get(path, token), word) }
            try await expectRefused(token, word, at: silent)
        }
    }

    private static func run(_ body: @escaping @Sendable (Shop) async throws -> Void) async throws {
        try await AppleRoutes.run { control in
            try await body(Shop(control: control, id: try await control.buy("coins", by: "ann").transactionId))
        }
    }

    @Test("A valid token is accepted by every route, more than once and in both environments")
    func valid() async throws {
        try await Self.run { shop in
            let token = try shop.tokens.token()
            for path in (shop.listing + shop.silent) + shop.listing {
                #expect(try await shop.get(path, token).status == 200, "\(path)")
            }
            let there = try await shop.control.buy(
                "coins",
                by: "ann",
                in: AppEnvironment(TestShop.bundleID, .production)
            )
            let production = AppleRoutes(test: shop.control.test, environment: .production)
            let path = "/inApps/v2/history/\(there.transactionId)"
            for _ in 0..<2 {
                #expect(try await production.get(path, headers: AppleRoutes.bearer(token)).status == 200)
            }
        }
    }

    @Test("Claims that may differ: no iat, fractional dates, extra claims, another typ, an audience in an array")
    func tolerated() async throws {
        try await Self.run { shop in
            let tokens = shop.tokens
            let now = tokens.now
            let extra = ["nonce": #""x""#, "sub": #""me""#, "scope": #"["GET /"]"#, "deep": #"{"er":[1,null]}"#]
            let accepted: [[String: String?]] = [
                ["iat": String?.none], extra.mapValues { $0 }, ["aud": #"["appstoreconnect-v1"]"#],
                ["iat": "\(now - 1).75", "exp": "\(now + 299).75"], ["iat": "\(now)", "exp": "\(now + 3_600)"],
                ["iat": String?.none, "exp": "\(now + 3_590)"], ["iat": "\(now + 50)", "exp": "\(now + 350)"],
            ]
            for claims in accepted { try await shop.expectAccepted(try tokens.token(claims)) }
            for header in [["typ": nil], ["x": #""y""#]] as [[String: String?]] {
                try await shop.expectAccepted(try tokens.token(header: header))
            }
            for scheme in ["bearer", "BEARER", "Bearer "] {
                let headers: HTTPFields = [.authorization: "\(scheme) \(try tokens.token())"]
                #expect(try await shop.apple.get(shop.listing[0], headers: headers).status == 200)
            }
        }
    }

    @Test("A missing header, another scheme and a token without its scheme are refused, and are not logged")
    func schemes() async throws {
        try await Self.run { shop in
            for path in shop.listing + shop.silent {
                let answer = try await shop.apple.get(path, headers: [:])
                try await shop.apple.expectUnauthenticated(answer, ["no Authorization header"])
            }
            let token = try shop.tokens.token()
            for (header, word) in [
                ("Basic dXNlcjpwYXNz", "Basic"), ("Bearer", "Bearer"), ("Bearer ", "Bearer"), ("", ""),
                (token, "Bearer"),
            ] {
                let answer = try await shop.apple.get(shop.listing[0], headers: [.authorization: header])
                let entry = try await shop.apple.expectUnauthenticated(answer, [word])
                let shown = String(describing: entry)
                for secret in ["dXNlcjpwYXNz"] + token.split(separator: ".").map(String.init) {
                    #expect(!shown.contains(secret))
                }
            }
        }
    }

    @Test("A token that is no signed JSON is refused")
    func malformed() async throws {
        try await Self.run { shop in
            let tokens = shop.tokens
            let valid = try tokens.token()
            let claims = Array(tokens.claims().utf8)
            let texts = [
                "garbage", "a.b", "a.b.c", "..", "a.b.c.d", "!!!.???.###", "eyJhbGciOiJFUzI1NiJ9..AAAA",
                String(valid.dropLast(4)), valid + "==", try tokens.signed("[]", claims),
                try tokens.signed(tokens.header(), Array("[1]".utf8)),
                try tokens.signed(tokens.header(), Array(#"{"iss":1,"iss":2}"#.utf8)),
                try tokens.signed(tokens.header(), [0xFF, 0xFE] + Array("{}".utf8)),
                try tokens.token(["padding": "\"\(String(repeating: "x", count: 20_000))\""]),
            ]
            for text in texts { try await shop.expectRefused(text) }
        }
    }

    @Test("Another algorithm, none, or a public key as the shared secret is refused, and the explanation names it")
    func algorithms() async throws {
        try await Self.run { shop in
            let tokens = shop.tokens
            let path = [shop.listing[0]]
            func text(_ algorithm: String) -> String {
                let header = tokens.header(["alg": "\"\(algorithm)\""])
                return BearerTokens.encoded(Array(header.utf8)) + "."
                    + BearerTokens.encoded(Array(tokens.claims().utf8))
            }
            let good = try #require(try tokens.token().split(separator: ".").last)
            for algorithm in ["none", "None", "NONE"] {
                try await shop.expectRefused("\(text(algorithm)).", algorithm, "ES256", at: path)
                try await shop.expectRefused("\(text(algorithm)).\(good)", algorithm, "ES256", at: path)
            }
            let pem = shop.control.test.key.privateKeyPEM.exposed
            let key = try P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
            for secret in [Data(key.pemRepresentation.utf8), key.derRepresentation, key.x963Representation] {
                let signed = text("HS256")
                let mac = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: SymmetricKey(data: secret))
                try await shop.expectRefused("\(signed).\(BearerTokens.encoded(Array(mac)))", "HS256", "ES256")
            }
            let p384 = try P384.Signing.PrivateKey().signature(for: Data(text("ES384").utf8)).rawRepresentation
            try await shop.expectRefused("\(text("ES384")).\(BearerTokens.encoded(Array(p384)))", "ES384")
            try await shop.expectRefused(text("RS256") + "." + String(repeating: "A", count: 342), "RS256")
            for value in [nil, #""es256""#, "5"] as [String?] {
                try await shop.expectRefused(try tokens.token(header: ["alg": value]), "alg")
            }
            try await shop.expectRefused(try tokens.token(header: ["crit": #"["exp"]"#]), "crit")
        }
    }

    @Test("A key id that is unknown or missing, and a signature of another key, are refused")
    func keys() async throws {
        try await Self.run { shop in
            let tokens = shop.tokens
            let unknown = try tokens.token(header: ["kid": #""UNKNOWNKEY""#])
            try await shop.expectRefused(unknown, "UNKNOWNKEY", shop.keyID)
            for value in [nil, "\"\"", "5"] as [String?] {
                try await shop.expectRefused(try tokens.token(header: ["kid": value]), "kid")
            }
            let other = try await shop.control.addApp("org.foreign")
            let foreign = try await shop.control.addKey(other.issuerId)
            let imitated = try tokens.token(header: ["kid": #""\#(shop.keyID)""#], key: foreign)
            try await shop.expectRefused(imitated, shop.keyID)
            let token = try tokens.token()
            let parts = token.split(separator: ".")
            let changed = BearerTokens.encoded(Array(tokens.claims(["exp": "\(tokens.now + 301)"]).utf8))
            try await shop.expectRefused("\(parts[0]).\(changed).\(parts[2])")
            let raw = try #require(Base64URL.decode(String(parts[2])))
            for forged in [
                [UInt8](repeating: 0, count: 64), Array(raw[32...] + raw[..<32]), Array(raw.dropLast()) + [raw[63] ^ 1],
                Array(raw[..<32]), raw + [0],
            ] {
                try await shop.expectRefused(try tokens.withSignature(forged, of: token))
            }
        }
    }

    @Test("A key or an app of another team, and a bid that is missing, have a code only where it is documented")
    func apps() async throws {
        try await Self.run { shop in
            let tokens = shop.tokens
            let own = TestShop.bundleID
            let foreignApp = try await shop.control.addApp("org.foreign")
            let foreign = try await shop.control.addKey(foreignApp.issuerId)
            let theirs = try tokens.token(["iss": #""\#(foreignApp.issuerId)""#], key: foreign)
            for word in [own, "org.foreign"] { try await shop.expectAppError(4_040_003, theirs, word) }
            for path in shop.listing {
                try await shop.apple.expectError(4_040_003, try await shop.get(path, theirs), foreignApp.issuerId)
            }
            let liar = try tokens.token(key: foreign)
            try await shop.expectRefused(liar, shop.issuerID, foreignApp.issuerId)
            try await shop.expectAppError(4_040_003, try tokens.token(["bid": #""org.foreign""#]), "org.foreign")
            try await shop.expectAppError(4_040_003, try tokens.token(["bid": #""com.unknown""#]), "com.unknown")
            for path in shop.listing {
                let answer = try await shop.get(path, try tokens.token(["bid": #""org.foreign""#]))
                try await shop.apple.expectError(4_040_003, answer, own)
            }
            let missing: [String?] = [nil, "\"\"", "5", #"["\#(own)"]"#, #"{"bid":"\#(own)"}"#, "true"]
            for bid in missing { try await shop.expectAppError(4_000_002, try tokens.token(["bid": bid]), "bid") }
            _ = try await shop.control.addApp("com.neighbour", issuerID: shop.issuerID)
            for path in shop.listing {
                let answer = try await shop.get(path, try tokens.token(["bid": #""com.neighbour""#]))
                try await shop.apple.expectError(4_040_010, answer)
            }
        }
    }

    @Test("A revoked key is refused by every route, keeps the date of its revocation, and other keys still work")
    func revoked() async throws {
        try await Self.run { shop in
            let key = try await shop.control.addKey(shop.issuerID)
            let token = try shop.tokens.token(key: key)
            try await shop.expectAccepted(token)
            let date = try await shop.control.send(RevokeKey(keyId: key.keyID)).revokedDate
            #expect(date == shop.control.test.now)
            try await shop.expectRefused(token, "revoked", key.keyID, shop.keyID, at: shop.listing + shop.silent)
            shop.control.test.advance(1_000)
            #expect(try await shop.control.send(RevokeKey(keyId: key.keyID)).revokedDate == date)
            try await shop.expectAccepted(try shop.tokens.token())
        }
    }

    @Test("A key for offers, from a StoreKit file, does not authenticate requests")
    func offerKey() async throws {
        try await Self.run { shop in
            let pair = P256.Signing.PrivateKey()
            let der = pair.derRepresentation.base64EncodedString()
            let file = """
                {"products":[],"subscriptionGroups":[],"settings":{},"version":{"major":4,"minor":0},
                "subscriptionOffersKeyPair":{"id":"0FF3FF3C","privateKey":"\(der)"}}
                """
            _ = try await shop.control.addApp("com.offers", issuerID: shop.issuerID)
            let upload = ImportStoreKitFile(bundleId: "com.offers")
            #expect(try await shop.control.till.upload(upload, Array(file.utf8)).offerKeyId == "0FF3FF3C")
            let key = try APIKeyPair(keyID: "0FF3FF3C", privateKeyPEM: Secret(pair.pemRepresentation))
            let token = try shop.tokens.token(["bid": #""com.offers""#], key: key)
            try await shop.expectRefused(token, "0FF3FF3C", "offers", at: shop.listing + shop.silent)
            let listed = try await shop.control.send(ListKeys()).filter { $0.keyId == "0FF3FF3C" }
            #expect(listed.map(\.offersOf) == ["com.offers"])
        }
    }

    @Test("A wrong audience, issuer or time is refused, and the explanation names the claim")
    func claims() async throws {
        try await Self.run { shop in
            let tokens = shop.tokens
            let now = tokens.now
            let audiences = [
                String?.none, "\"\"", #""appstoreconnect-v2""#, #""AppStoreConnect-v1""#, "[]", "5",
                #"["appstoreconnect-v1","other"]"#, #"["other"]"#,
            ]
            for audience in audiences { try await shop.expectRefused(try tokens.token(["aud": audience]), "aud") }
            let issuers: [String?] = [nil, "\"\"", "5", #""not-a-uuid""#, #""00000000-0000-0000-0000-000000000007""#]
            for issuer in issuers { try await shop.expectRefused(try tokens.token(["iss": issuer]), "iss") }
            for exp in [nil, #""tomorrow""#, "[]", "true", "1000000000000000"] as [String?] {
                try await shop.expectRefused(try tokens.token(["exp": exp]), "exp")
            }
            let refused: [([String: String?], [String])] = [
                (["iat": "\(now - 1_000)", "exp": "\(now - 500)"], ["expired", "500"]),
                (["iat": "\(now - 301).5", "exp": "\(now - 1).5"], ["expired"]), (["exp": "-1"], []),
                (["iat": "\(now)", "exp": "\(now + 3_601)"], ["3601", "iat"]),
                (["iat": "\(now - 3_500)", "exp": "\(now + 200)"], []),
                (["iat": String?.none, "exp": "\(now + 3_700)"], ["no iat"]),
                (["iat": String?.none, "exp": "\(now + 86_400)"], ["no iat"]),
                (["iat": "\(now + 90)", "exp": "\(now + 390)"], ["future"]),
                (["iat": "\(now + 86_400)", "exp": "\(now + 86_700)"], ["future"]),
            ]
            for (claims, words) in refused {
                let answer = try await shop.get(shop.listing[0], try tokens.token(claims))
                try await shop.apple.expectUnauthenticated(answer, words)
            }
        }
    }
}
