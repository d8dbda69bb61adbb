import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing
import TillCore
import TillJSON
import TillServer
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// Sends complete requests to the App Store Server API and checks the answers, without a socket.
@Suite("Requests and answers of the App Store Server API")
struct ExchangeTests {
    private func withAPI(
        _ test: TestShop,
        environment: StoreEnvironment = .sandbox,
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let api = test.appleAPI(in: environment)
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

    @Test("A 401 is plain text with the id of the request log entry")
    func unauthenticated() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v2/history/2000000000000000", token: nil)
            #expect(answer.status == .unauthorized)
            #expect(answer.headers[.contentType] == "text/plain")
            let text = String(buffer: answer.body)
            let id = try #require(text.split(separator: "\n").last?.split(separator: " ").last)
            #expect(text == "Unauthenticated\n\nRequest ID: \(id)\n")
            #expect(id.utf8.count == 30 && id.hasSuffix(".0.0"))
            let entry = try await test.shop.requestLog.entry(String(id))
            #expect(entry?.status == 401)
            #expect(entry?.explanation.contains("Authorization") == true)
        }
    }

    @Test("A token's secrets are not in the request log, whatever is wrong with the token")
    func secrets() async throws {
        let test = try await TestShop()
        let token = try test.token(["exp": .number("1")])
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v1/transactions/2000000000000000", token: token)
            #expect(answer.status == .unauthorized)
            let entry = try #require(try await test.shop.requestLog.latest(1).first)
            #expect(entry.keyID == test.key.keyID)
            #expect(entry.app == TestShop.bundleID)
            let shown = String(describing: entry)
            for part in token.split(separator: ".") { #expect(!shown.contains(part)) }
        }
    }

    @Test("An error has two keys and exactly the content type that clients expect")
    func errorForm() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let token = try test.token()
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v2/history/2000000000001024", token: token)
            #expect(answer.status == .notFound)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(String(buffer: answer.body) == #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
        }
    }

    @Test("The control API and the request log name an unreadable transaction, and other customers are unaffected")
    func damagedRow() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("coins", by: "ann")
        let other = try await test.buy("coins", by: "bob")
        let database = try DatabaseQueue(path: test.directory.database)
        try await database.write {
            try $0.execute(sql: "UPDATE ledger SET storefront = 'ZZZ' WHERE id = ?", arguments: [row.id.number])
        }
        try database.close()
        let words = "ow of the table ledger (id \(row.id.number)) is damaged: its column storefront"
        let token = try test.token()
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v2/history/\(row.id.number)", token: token)
            #expect(answer.status == .internalServerError)
            #expect(String(buffer: answer.body).contains("5000000"))
            #expect(try await test.shop.requestLog.latest(1).first?.explanation.contains(words) == true)
            #expect(try await get(client, "/inApps/v2/history/\(other.id.number)", token: token).status == .ok)
        }
        let refund = Command.refund(Refund(transaction: row.id))
        let error = await #expect(throws: DamagedRow.self) {
            _ = try await test.shop.perform(refund, by: test.customer("ann"))
        }
        let answered = ControlError(of: try #require(error), logger: test.shop.logger)
        #expect(answered.code == "damaged_row" && answered.message.contains(words), "\(answered.message)")
        try await test.sandbox.refund(other, by: "bob")
    }

    @Test("A history with one transaction has these keys in this order, and an empty query is accepted")
    func history() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
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

    @Test("With Apple's profile, extending a first paid period returns 403 with 4030004")
    func firstPeriod() async throws {
        for (settings, status) in [(Settings.apple, 403), (Settings(), 200)] {
            let test = try await TestShop(selling: SampleCatalog.all, settings: settings)
            let purchase = Purchase(productID: "pro", offer: .none)
            let customer = test.customer("ann", in: .production)
            let bought = try await test.shop.perform(.purchase(purchase), by: customer, opening: Opening())
            let row = try #require(bought.transaction)
            let token = try test.token()
            try await withAPI(test, environment: .production) { client in
                let answer = try await get(
                    client,
                    "/inApps/v1/subscriptions/extend/\(row.id.number)",
                    method: .put,
                    token: token,
                    body: #"{"extendByDays":5,"extendReasonCode":1,"requestIdentifier":"one"}"#
                )
                #expect(answer.status.code == status)
                let refusal = #""errorCode":4030004"#
                #expect(String(buffer: answer.body).contains(refusal) == (status == 403))
            }
        }
    }

    @Test("An id of the other environment is not found, and the request log names the right environment")
    func environments() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("coins", by: "ann")
        let token = try test.token()
        try await withAPI(test, environment: .production) { client in
            let answer = try await get(client, "/inApps/v1/transactions/\(row.id.number)", token: token)
            #expect(answer.status == .notFound)
            let entry = try #require(try await test.shop.requestLog.latest(1).first)
            #expect(entry.code == 4_040_010)
            #expect(entry.explanation.contains("environment Sandbox"))
        }
    }

    @Test("Look Up Order ID works in the sandbox, unlike Apple's; with Apple's profile it does not")
    func profile() async throws {
        let test = try await TestShop(selling: SampleCatalog.all, settings: .apple)
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
        "An unknown route or method gets an answer without an error object",
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

    /// The served paths, each with its methods (docs/api/index.md).
    private static let served: [(path: String, methods: [String])] = [
        ("/inApps/v2/history/1", ["GET"]), ("/inApps/v1/history/1", ["GET"]), ("/inApps/v1/transactions/1", ["GET"]),
        ("/inApps/v1/transactions/1/finish", ["POST"]), ("/inApps/v1/transactions/1/appAccountToken", ["PUT"]),
        ("/inApps/v1/transactions/appTransactions/1", ["GET"]), ("/inApps/v1/subscriptions/1", ["GET"]),
        ("/inApps/v1/subscriptions/extend/1", ["PUT"]), ("/inApps/v1/subscriptions/extend/mass", ["POST"]),
        ("/inApps/v1/subscriptions/extend/mass/1/2", ["GET"]), ("/inApps/v1/lookup/1", ["GET"]),
        ("/inApps/v2/refund/lookup/1", ["GET"]), ("/inApps/v1/refund/lookup/1", ["GET"]),
        ("/inApps/v2/transactions/consumption/1", ["PUT"]), ("/inApps/v1/transactions/consumption/1", ["PUT"]),
        ("/inApps/v1/notifications/history", ["POST"]), ("/inApps/v1/notifications/test", ["POST"]),
        ("/inApps/v1/notifications/test/1", ["GET"]), ("/inApps/v2/history/", ["GET"]),
        ("/inApps/v1/notifications/test/", ["GET", "POST"]),
    ]

    @Test("Every other method of a served path gets 405, and Allow lists the served methods", arguments: served)
    func methods(_ path: String, _ methods: [String]) async throws {
        let test = try await TestShop()
        let allowed = try #require(HTTPField.Name("Allow"))
        try await withAPI(test) { client in
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
                let answer = try await get(
                    client,
                    path,
                    method: try #require(HTTPRequest.Method(rawValue: method)),
                    token: nil
                )
                if methods.contains(method) {
                    #expect(answer.status == .unauthorized, "\(method) \(path)")
                } else {
                    #expect(answer.status == .methodNotAllowed, "\(method) \(path)")
                    #expect(answer.headers[allowed] == methods.joined(separator: ", "), "\(method) \(path)")
                    #expect(answer.body.readableBytes == 0)
                }
            }
        }
    }

    @Test("A path without its id gets 404 if nothing is served there, and the request log names what is missing")
    func withoutID() async throws {
        let test = try await TestShop()
        try await withAPI(test) { client in
            for path in ["/inApps/v2/history", "/inApps/v1/subscriptions/extend/mass/1"] {
                let answer = try await get(client, path, token: nil)
                #expect(answer.status == .notFound && answer.body.readableBytes == 0)
                let entry = try #require(try await test.shop.requestLog.latest(1).first)
                #expect(entry.explanation.contains("lacks its id"), "\(entry.explanation)")
            }
        }
    }

    // MARK: Notification history

    /// The status of a notification history that begins this many milliseconds before the oldest date of its window,
    /// and the number of its notifications.
    private func history(_ test: TestShop, in environment: StoreEnvironment, before oldest: Int64) async throws -> (
        Int, count: Int
    ) {
        let days: Int64 = environment == .production ? 180 : 30
        let now = test.now.milliseconds
        let body = #"{"startDate":\#(now - days * 86_400_000 - oldest),"endDate":\#(now + 1_000)}"#
        let token = try test.token()
        let found = Mutex((0, count: 0))
        try await withAPI(test, environment: environment) { client in
            let answer = try await get(
                client,
                "/inApps/v1/notifications/history",
                method: .post,
                token: token,
                body: body
            )
            var count = 0
            if answer.status == .ok, case .object(let members) = try JSONTree.parse(Array(buffer: answer.body)),
                case .array(let items)? = members.first(where: { $0.key == "notificationHistory" })?.value
            {
                count = items.count
            } else {
                #expect(String(buffer: answer.body).contains("4000012"))
            }
            let status = answer.status.code
            found.withLock { $0 = (status, count) }
        }
        return found.withLock { $0 }
    }

    @Test(
        "A notification history may start up to a day before its window, and returns only the window",
        arguments: StoreEnvironment.allCases
    )
    func historySlack(in environment: StoreEnvironment) async throws {
        var settings = Settings()
        settings.historyListsAll = true
        settings.notificationDays = 0
        let test = try await TestShop(selling: SampleCatalog.all, settings: settings)
        let day: Int64 = 86_400_000
        let days: Int64 = environment == .production ? 180 : 30
        try await test.buy("coins", by: "ann", in: environment)
        test.advance(days * day)
        try await test.buy("coins", by: "bob", in: environment)
        // A notification exactly at the start of the window is included. A moment later it is not, whatever start the
        // request has.
        #expect(try await history(test, in: environment, before: 0) == (200, 2))
        test.advance(60_000)
        #expect(try await history(test, in: environment, before: 1) == (200, 1))
        #expect(try await history(test, in: environment, before: 60_000) == (200, 1))
        #expect(try await history(test, in: environment, before: day) == (200, 1))
        #expect(try await history(test, in: environment, before: day + 1).0 == 400)
    }

    @Test(
        "With Apple's profile, a notification history may not start before its window",
        arguments: StoreEnvironment.allCases
    )
    func historyOfApple(in environment: StoreEnvironment) async throws {
        let test = try await TestShop(selling: SampleCatalog.all, settings: .apple)
        #expect(try await history(test, in: environment, before: 0).0 == 200)
        #expect(try await history(test, in: environment, before: 1).0 == 400)
    }

    @Test("The refusal of a token that is signed with an offer key of two apps names the token's app")
    func offerKey() async throws {
        let test = try await TestShop()
        let pair = APIKeyPair.make()
        for app in ["com.another", TestShop.bundleID] {
            let record = KeyRecord(
                id: pair.keyID,
                issuerID: test.app.issuerID,
                name: "offers",
                publicKey: Base64.encode(pair.publicKey.x963),
                offersOf: app,
                createdAt: test.now,
                revokedAt: nil
            )
            try await test.shop.registry.put(record)
        }
        let token = try test.token(key: pair)
        try await withAPI(test) { client in
            let answer = try await get(client, "/inApps/v1/transactions/2000000000000000", token: token)
            #expect(answer.status == .unauthorized)
            let entry = try #require(try await test.shop.requestLog.latest(1).first)
            #expect(entry.explanation.contains("only signs offers of \(TestShop.bundleID)"))
        }
    }

    @Test("Set App Account Token needs an original transaction id and a UUID")
    func appAccountToken() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
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
