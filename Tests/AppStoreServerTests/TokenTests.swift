import Crypto
import Foundation
import Testing
import TillJSON

@testable import AppStoreServer

/// The tokens of a client, and answers that refuse them.
@Suite("Tokens")
struct TokenTests {
    private struct Claims: Decodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String
    }

    private func token(_ request: TransportRequest) throws -> String {
        let header = try #require(request.headers.first { $0.name == "Authorization" })
        #expect(header.value.hasPrefix("Bearer "))
        return String(header.value.dropFirst("Bearer ".count))
    }

    private func bytes(_ base64URL: Substring) -> [UInt8] {
        let standard = base64URL.replacing("-", with: "+").replacing("_", with: "/")
        return Array(
            Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)) ?? Data()
        )
    }

    private func claims(_ token: String) throws -> Claims {
        try JSONTree.parse(bytes(token.split(separator: ".")[1])).decode(Claims.self)
    }

    /// A refusal of a token, with the time of the server.
    private static func refusal(_ date: String?) -> TransportResponse {
        let headers = date.map { [(name: "Date", value: $0)] } ?? []
        return TransportResponse(status: 401, headers: headers, body: Array("Unauthenticated\n\nRequest ID: X\n".utf8))
    }

    @Test("A token is an ES256 JWT with the documented claims, dated back by a minute")
    func contents() async throws {
        let server = FakeServer(.transactionInfo)
        _ = try await server.client().transactionInfo("1")
        let token = try token(server.requests[0])
        let parts = token.split(separator: ".")
        #expect(String(decoding: bytes(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
        let claims = try claims(token)
        #expect(claims.iss == "an-issuer" && claims.aud == "appstoreconnect-v1" && claims.bid == "com.example.shop")
        #expect(claims.iat == 1_767_225_540 && claims.exp == 1_767_226_800)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes(parts[2]))
        let signed = Data(parts[0].utf8) + Data(".".utf8) + Data(parts[1].utf8)
        #expect(FakeServer.privateKey.publicKey.isValidSignature(signature, for: signed))
    }

    @Test("A token is used again until five minutes before its end")
    func renewal() async throws {
        let server = FakeServer(.transactionInfo)
        let client = try server.client()
        for pause in [0, 14 * 60 + 59, 1, 60] {
            server.time.pass(.seconds(pause))
            _ = try await client.at(client.environment.servers[0]).transactionInfo("1")
        }
        let tokens = try server.requests.map(token)
        #expect(tokens[0] == tokens[1] && tokens[1] != tokens[2] && tokens[2] == tokens[3])
    }

    @Test("A token never lives longer than 60 minutes, and a short one is renewed in the middle")
    func lifetimes() async throws {
        let server = FakeServer(.transactionInfo)
        _ = try await server.client { $0.tokenLifetime = .seconds(86_400) }.transactionInfo("1")
        let long = try claims(token(server.requests[0]))
        #expect(long.exp - long.iat == 3_600)
        let client = try server.client { $0.tokenLifetime = .seconds(60) }
        _ = try await client.transactionInfo("1")
        server.time.pass(.seconds(30))
        _ = try await client.transactionInfo("1")
        #expect(try token(server.requests[1]) != token(server.requests[2]))
    }

    @Test(
        "A refused token is not sent again if the clocks agree, or if the server has no Date",
        arguments: [nil, "Thu, 01 Jan 2026 00:01:00 GMT", "Wed, 31 Dec 2025 23:59:00 GMT", "yesterday"]
    )
    func badKey(date: String?) async throws {
        let server = FakeServer(Self.refusal(date))
        let error = try #require(try await failure { try await server.client().transactionInfo("1") })
        #expect(error.reason == .unauthenticated && error.status == 401 && error.code == nil && !error.canRetry)
        #expect(server.requests.count == 1)
    }

    @Test("A token that is refused because of the clock is made again with the server's time, for all later calls")
    func skew() async throws {
        let server = FakeServer(Self.refusal("Thu, 01 Jan 2026 01:00:00 GMT"), .transactionInfo)
        let client = try server.client()
        _ = try await client.transactionInfo("1")
        _ = try await client.transactionInfo("1")
        let tokens = try server.requests.map(token)
        #expect(tokens.count == 3 && tokens[1] == tokens[2] && server.time.sleeps.isEmpty)
        #expect(try claims(tokens[1]).iat == claims(tokens[0]).iat + 3_600)
        server.time.pass(.seconds(1_200))
        _ = try await client.transactionInfo("1")
        #expect(try claims(token(server.requests[3])).iat == claims(tokens[1]).iat + 1_200)
    }

    @Test("Many calls at once that are refused because of the clock all succeed")
    func manySkews() async throws {
        let server = FakeServer { request, _, _ in
            let issued = try claims(token(request)).iat
            return issued > 1_767_225_600 + 3_000 ? .transactionInfo : Self.refusal("Thu, 01 Jan 2026 01:00:00 GMT")
        }
        let client = try server.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await client.transactionInfo("1") } }
            try await group.waitForAll()
        }
        #expect((20...40).contains(server.requests.count))
    }

    @Test("A clock that is set right later is noticed too")
    func setClock() async throws {
        let server = FakeServer { _, index, _ in
            if index == 0 { return Self.refusal("Thu, 01 Jan 2026 01:00:00 GMT") }
            return index == 2 ? Self.refusal("Thu, 01 Jan 2026 01:20:00 GMT") : .transactionInfo
        }
        let client = try server.client()
        _ = try await client.transactionInfo("1")
        server.time.pass(.seconds(1_200))
        server.time.setWallClock(TestTime.start + .seconds(4_800))
        _ = try await client.transactionInfo("1")
        #expect(server.requests.count == 4)
        #expect(try claims(token(server.requests[3])).iat == 1_767_225_600 + 4_800 - 60)
    }

    @Test("The error names the difference of the clocks, if the option forbids to follow the server")
    func namedSkew() async throws {
        let server = FakeServer(Self.refusal("Wed, 31 Dec 2025 23:55:00 GMT"))
        let client = try server.client { $0.correctsClockSkew = false }
        let error = try #require(try await failure { try await client.transactionInfo("1") })
        #expect(error.reason == .clockSkew(.seconds(-300)) && server.requests.count == 1)
    }

    @Test("A token with the server's time that is refused too has a bad key")
    func skewAndBadKey() async throws {
        let server = FakeServer(Self.refusal("Thu, 01 Jan 2026 01:00:00 GMT"))
        let error = try #require(try await failure { try await server.client().transactionInfo("1") })
        #expect(error.reason == .unauthenticated && error.attempts == 2 && server.requests.count == 2)
    }

    @Test("A key is read from PEM, and never printed")
    func key() throws {
        let refused = #expect(throws: InvalidFile.self) { try AppStoreKey(pem: "no key", keyID: "A", issuerID: "B") }
        #expect(refused?.path == nil && refused?.message.contains(".p8") == true)
        for path in [#filePath, "/no/such/key.p8"] {
            let refused = #expect(throws: InvalidFile.self) { try AppStoreKey(file: path, keyID: "A", issuerID: "B") }
            #expect(refused?.description.hasPrefix("\(path): ") == true)
        }
        let key = try FakeServer.key()
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("2X9R4HXF34") && !text.lowercased().contains("private"), "\(text)")
        }
    }
}
