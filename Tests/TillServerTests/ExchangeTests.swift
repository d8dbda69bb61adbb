import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillCore
import TillServer
import TillShop
import TillSigning
import TillStorage
import TillTesting

/// Whole exchanges with Apple's routes, written out, without a socket.
@Suite("Apple's routes on the wire")
struct ExchangeTests {
    private func withAPI(
        _ test: TestShop,
        realm: Realm = .sandbox,
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let api = AppleAPI(shop: test.shop, realm: realm, meter: RequestMeter(factory: PrometheusFigures()))
        try await Application(router: api.router()).test(.router) { try await body($0) }
    }

    private func get(
        _ client: any TestClientProtocol,
        _ uri: String,
        method: HTTPRequest.Method = .get,
        token: String?,
        body: String? = nil
    ) async throws -> TestResponse {
        var headers = HTTPFields()
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await client.execute(
            uri: uri,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        ) { $0 }
    }

    @Test("A 401 is plain text with the id under which the journal explains it")
    func unauthenticated() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v2/history/2000000000000000", token: nil)
            #expect(answer.status == .unauthorized)
            #expect(answer.headers[.contentType] == "text/plain")
            let text = String(buffer: answer.body)
            let id = try #require(text.split(separator: "\n").last?.split(separator: " ").last)
            #expect(text == "Unauthenticated\n\nRequest ID: \(id)\n")
            #expect(id.utf8.count == 30 && id.hasSuffix(".0.0"))
            let entry = try await test.shop.journal.entry(String(id))
            #expect(entry?.status == 401)
            #expect(entry?.explanation.contains("Authorization") == true)
        }
    }

    @Test("A token's secrets are not in the journal, whatever is wrong with it")
    func secrets() async throws {
        let test = try await TestShop()
        let token = try test.token(["exp": .number("1")])
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v1/transactions/2000000000000000", token: token)
            #expect(answer.status == .unauthorized)
            let entry = try #require(try await test.shop.journal.latest(1).first)
            #expect(entry.keyID == test.key.keyID)
            #expect(entry.app == TestShop.bundleID)
            let shown = String(describing: entry)
            for part in token.split(separator: ".") { #expect(!shown.contains(part)) }
        }
    }

    @Test("An error has two keys and exactly the content type that clients compare with")
    func errorForm() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        let token = try test.token()
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v2/history/2000000000001024", token: token)
            #expect(answer.status == .notFound)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(String(buffer: answer.body) == #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
        }
    }

    @Test("A history of one has these keys in this order, and an empty query is no harm")
    func history() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        let row = try await test.buy("coins", by: "ann")
        let token = try test.token()
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v2/history/\(row.id.number)?", token: token)
            #expect(answer.status == .ok)
            let tree = try JSONTree.parse(Array(buffer: answer.body))
            guard case .object(let members) = tree else {
                Issue.record("no object")
                return
            }
            #expect(
                members.map(\.key) == [
                    "revision", "bundleId", "appAppleId", "environment", "hasMore", "signedTransactions",
                ]
            )
            #expect(members[2].value == .number("1234567890"))
            #expect(members[4].value == .bool(false))
        }
    }

    @Test("The other realm does not know the id, and the journal says where it is")
    func realms() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        let row = try await test.buy("coins", by: "ann")
        let token = try test.token()
        try await withAPI(test, realm: .production) { client in
            let answer = try await get(client, "/inApps/v1/transactions/\(row.id.number)", token: token)
            #expect(answer.status == .notFound)
            let entry = try #require(try await test.shop.journal.latest(1).first)
            #expect(entry.code == 4_040_010)
            #expect(entry.explanation.contains("realm Sandbox"))
        }
    }

    @Test("Look Up Order ID is a departure in the sandbox, and Apple's profile takes it back")
    func profile() async throws {
        let test = try await TestShop(selling: SampleProducts.all, settings: .apple)
        let row = try await test.buy("coins", by: "ann")
        let order = try #require(row.order).wireForm
        let token = try test.token()
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v1/lookup/\(order)", token: token)
            #expect(answer.status == .notFound)
            #expect(answer.body.readableBytes == 0)
        }
    }

    @Test(
        "What is no route, or not by this method, is told without an error object",
        arguments: [
            ("GET", "/", 404), ("GET", "/inapps/v2/history/1", 404), ("POST", "/inApps/v2/history/1", 405),
            ("GET", "/inApps/v1/transactions/1/finish", 405), ("GET", "/inApps/v2/history", 404),
        ]
    )
    func routes(_ method: String, _ path: String, _ status: Int) async throws {
        let test = try await TestShop()
        let method = try #require(HTTPRequest.Method(rawValue: method))
        try await withAPI(test) { client in
            let answer = try await get(client, path, method: method, token: nil)
            #expect(answer.status.code == status)
            #expect(answer.body.readableBytes == 0)
        }
    }

    @Test("A token for a subscription needs the original's id and a UUID")
    func appAccountToken() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        let row = try await test.buy("pro", by: "ann")
        let token = try test.token()
        let path = "/inApps/v1/transactions/\(row.id.number)/appAccountToken"
        try await withAPI(test) { client in
            let bodies: [(String, Int)] = [
                (#"{"appAccountToken":"0F6F6E3C-6D3E-4A58-9B1D-6F0F7A0F5A11","more":1}"#, 200),
                (#"{"appAccountToken":""}"#, 400), (#"{}"#, 400), ("[", 400), ("", 400),
            ]
            for (body, status) in bodies {
                let answer = try await get(client, path, method: .put, token: token, body: body)
                #expect(answer.status.code == status, "\(body)")
                let isBare = status == 200 || body.isEmpty || body == "["
                #expect(answer.body.readableBytes == 0 || !isBare, "\(body)")
            }
        }
        #expect(
            try await test.shop.storage.transaction(row.id)?.appAccountToken == "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11"
        )
    }
}
