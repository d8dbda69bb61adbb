import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillControl
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillServer

/// Calls every operation of the contract with tokens of every scope, and reads the audit log.
@Suite("Scopes of tokens, and the audit log")
struct ScopeTests {
    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/surface/scopes.txt")

    private static func line(_ route: ControlRoute) -> String {
        let reach = isOfApp(route) ? "app" : route.selectsByCaller ? "caller" : "server"
        return "\(route.scope.rawValue) \(reach) \(route.method.rawValue) \(route.path) \(route.id)"
    }

    private static func isOfApp(_ route: ControlRoute) -> Bool { route.path.contains("{bundleId}") }

    @Test("The list of operations with their scopes is the reviewed list")
    func reviewed() async throws {
        let lines = try await TestShop().controlAPI().routes.map(Self.line).sorted()
        let text = lines.joined(separator: "\n") + "\n"
        let known = try String(contentsOf: Self.fixture, encoding: .utf8)
        #expect(text == known, "Review who may call the operation, and write this list to \(Self.fixture.path).")
    }

    @Test("A token for one app deletes no snapshots, because they can contain other apps")
    func snapshots() async throws {
        let test = try await TestShop(selling: SampleCatalog.plans)
        let caller = ControlCaller(test.controlAPI())
        let (token, _) = try await test.shop.tokens.create("own", scope: .operate, app: TestShop.bundleID)
        let limited = caller.acting(for: Principal(token))
        let app = AppEnvironment(TestShop.bundleID)
        _ = try await caller.send(CreateCustomer(app: app, customer: "ann"))
        _ = try await caller.send(SaveSnapshot(name: "all"))
        let request = EraseCustomer(app: app, customer: "ann", removeSnapshots: true)
        await #expect(throws: ControlError.self) { _ = try await limited.send(request) }
        let left = try await caller.send(ListSnapshots())
        #expect(left.map(\.name) == ["all"])
        let erased = try await limited.send(EraseCustomer(app: app, customer: "ann"))
        #expect(erased.snapshots == ["all"])
    }

    @Test("A token for one app lists that app only")
    func ownApp() async throws {
        let test = try await TestShop()
        let caller = ControlCaller(test.controlAPI())
        _ = try await caller.send(CreateApp(bundleId: "com.example.second"))
        let (token, _) = try await test.shop.tokens.create("own", scope: .read, app: TestShop.bundleID)
        #expect(try await caller.send(ListApps()).map(\.bundleId) == ["com.example.second", TestShop.bundleID])
        #expect(try await caller.acting(for: Principal(token)).send(ListApps()).map(\.bundleId) == [TestShop.bundleID])
    }

    /// A call of an operation, as the audit log must contain it.
    private struct Call: Equatable {
        let operation: String
        let caller: String
        let status: Int
        let result: String
    }

    @Test(
        "Each operation may be called with its scope or a higher one; all other callers get 403, and the log has each call",
        arguments: [false, true]
    )
    func everyOperation(recordsReads: Bool) async throws {
        var settings = Settings()
        settings.auditReads = recordsReads
        let test = try await TestShop(selling: SampleCatalog.plans, settings: settings)
        let api = test.controlAPI(ControlGuard(token: "the administrator's", hosts: []))
        var tokens: [(token: ControlToken, secret: String)] = []
        for scope in ControlScope.allCases {
            let (token, secret) = try await test.shop.tokens.create(scope.rawValue, scope: scope)
            tokens.append((token, secret.exposed))
        }
        for (name, app) in [("own", TestShop.bundleID), ("other", "com.example.other")] {
            let (token, secret) = try await test.shop.tokens.create(name, scope: .operate, app: app)
            tokens.append((token, secret.exposed))
        }
        let all = tokens
        let calls = Synchronized<[String: Call]>([:])
        try await Application(router: api.router()).test(.router) { client in
            for route in api.routes {
                for (token, secret) in all {
                    let (id, status, body) = try await Self.call(route, secret, client)
                    let answer = try? JSONDecoder().decode(ErrorInfo.self, from: Data(body.utf8))
                    let isAllowed =
                        token.scope >= route.scope
                        && (token.app == nil || route.selectsByCaller
                            || Self.isOfApp(route) && token.app == TestShop.bundleID)
                    let expected = token.scope >= route.scope ? "other_app" : "insufficient_scope"
                    if isAllowed {
                        #expect(status != 401 && status != 403, "\(route.id) with \(token.name): \(body)")
                    } else {
                        #expect(status == 403 && answer?.code == expected, "\(route.id) with \(token.name): \(body)")
                    }
                    guard recordsReads || route.method != .get || status == 403 else { continue }
                    let result = answer?.code ?? "ok"
                    calls.value[id] = Call(operation: route.id, caller: token.name, status: status, result: result)
                }
            }
        }
        var found: [String: Call] = [:]
        var position: AuditPosition?
        repeat {
            let page = try await test.shop.storage.auditRecords(after: position, limit: 200)
            for record in page.map(\.record) {
                found[record.id] = Call(
                    operation: record.operation,
                    caller: record.caller,
                    status: record.status,
                    result: record.code ?? "ok"
                )
            }
            position = page.last?.position
        } while position != nil
        #expect(found.count == calls.value.count)
        for (id, call) in calls.value { #expect(found[id] == call) }
    }

    private static func call(_ route: ControlRoute, _ token: String, _ client: any TestClientProtocol) async throws -> (
        id: String, status: Int, body: String
    ) {
        let values = ["bundleId": TestShop.bundleID, "environment": "sandbox"]
        let path = route.path.split(separator: "/").map { part in
            part.hasPrefix("{") ? values[String(part.dropFirst().dropLast())] ?? "1" : String(part)
        }.joined(separator: "/")
        let query = route.id == Listen.operationID ? "?wait=0" : ""
        var headers: HTTPFields = [.authorization: "Bearer \(token)"]
        if route.request != nil { headers[.contentType] = "application/json" }
        return try await client.execute(
            uri: "/\(path)\(query)",
            method: route.method,
            headers: headers,
            body: route.request == nil ? nil : ByteBuffer(string: "{}")
        ) { answer in
            let id = try #require(HTTPField.Name("X-Request-ID").flatMap { answer.headers[$0] })
            return (id, answer.status.code, String(buffer: answer.body))
        }
    }

    @Test("Where no token is required, a given token is checked all the same")
    func loopback() async throws {
        let test = try await TestShop()
        let (_, secret) = try await test.shop.tokens.create("reader", scope: .read)
        let (_, meter) = try await test.shop.tokens.create("prometheus", scope: .metrics)
        let api = test.controlAPI(ControlGuard(token: "the administrator's", isRequired: false, hosts: []))
        try await Application(router: api.router()).test(.router) { client in
            func check(_ token: String?, _ method: HTTPRequest.Method, _ uri: String, _ status: Int) async throws {
                let headers: HTTPFields = token.map { [.authorization: "Bearer \($0)"] } ?? [:]
                let found = try await client.execute(uri: uri, method: method, headers: headers) { $0.status.code }
                #expect(found == status, "\(method) \(uri)")
            }
            for token in [nil, "the administrator's"] {
                try await check(token, .get, "/v1/tokens", 200)
                try await check(token, .get, "/metrics", 200)
            }
            try await check("unknown", .get, "/v1/apps", 401)
            try await check(secret.exposed, .get, "/v1/apps", 200)
            try await check(secret.exposed, .get, "/v1/tokens", 403)
            try await check(secret.exposed, .delete, "/v1/faults", 403)
            try await check(secret.exposed, .get, "/metrics", 200)
            try await check(meter.exposed, .get, "/metrics", 200)
            try await check(meter.exposed, .get, "/v1/apps", 403)
        }
        let callers = try await test.shop.storage.auditRecords(AuditQuery(limit: 10)).map { $0.record }
        #expect(callers.map(\.caller) == ["prometheus", "reader", "reader"])
        #expect(callers.map(\.code) == Array(repeating: "insufficient_scope", count: 3))
    }

    @Test("A record names the app, the environment, the customer and the object, but contains no body")
    func content() async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.plans)) { control in
            let bought = try await control.send(
                BuyProduct(app: control.app, customer: "ann", productId: "pro", appAccountToken: UUID().uuidString)
            )
            let id = try #require(bought.transaction?.transactionId)
            _ = try await control.send(RefundTransaction(app: control.app, transactionId: id))
            let token = try await control.send(CreateToken(name: "ci", scope: .read, bundleId: control.app.bundleId))
            #expect(token.scope == .read && token.bundleId == control.app.bundleId)
            #expect(try await control.send(ListTokens()).first?.scope == .read)
            #expect(try await control.send(CreateToken(name: "simple")).scope == .operate)
            #expect(try await control.refusal(of: CreateToken(name: "console")) == .init(400, "bad_name"))
            let global = CreateToken(name: "x", scope: .administer, bundleId: control.app.bundleId)
            #expect(try await control.refusal(of: global) == .init(400, "bad_scope"))
            let unknown = CreateToken(name: "x", bundleId: "com.example.none")
            #expect(try await control.refusal(of: unknown) == .init(404, "unknown_app"))

            let list = try await control.send(ListAuditRecords())
            let texts = list.records.map { record in
                [
                    record.caller, record.operationId, record.bundleId, record.environment, record.customer,
                    record.object, record.result,
                ].map { $0 ?? "-" }.joined(separator: " ")
            }
            #expect(
                texts == [
                    "loopback createToken com.example.none - - x unknown_app",
                    "loopback createToken com.example.shop - - x bad_scope",
                    "loopback createToken - - - console bad_name",
                    "loopback createToken - - - simple ok",
                    "loopback createToken com.example.shop - - ci ok",
                    "loopback refundTransaction com.example.shop sandbox - \(id) ok",
                    "loopback buyProduct com.example.shop sandbox ann pro ok",
                ]
            )
            let page = try await control.send(ListAuditRecords(failed: true, limit: 2))
            #expect(page.records == Array(list.records[..<2]))
            let rest = try await control.send(ListAuditRecords(failed: true, after: page.next))
            #expect(rest.records == [list.records[2]] && rest.next == nil)
            #expect(try await control.send(ListAuditRecords(caller: "nobody")).records.isEmpty)
            #expect(try await control.refusal(of: ListAuditRecords(after: "x")) == .init(400, "bad_page"))
        }
    }

    @Test("An operation that fails after its first change is recorded as failed")
    func failedLater() async throws {
        let test = try await TestShop()
        let api = test.controlAPI()
        let route = try #require(api.routes.first { $0.id == CreateApp.operationID })
        struct Broken: Error {}
        await #expect(throws: ControlError.self) {
            try await api.run(route, by: .administrator, on: [:]) {
                try await test.shop.storage.put([Document(kind: .team, name: "team", body: "{}")])
                #expect(try await test.shop.storage.auditRecords(AuditQuery(limit: 9)).map(\.record.code) == [nil])
                throw Broken()
            }
        }
        let records = try await test.shop.storage.auditRecords(AuditQuery(limit: 9)).map { $0.record }
        #expect(records.map(\.code) == ["internal"] && records.map(\.status) == [500])
    }

    @Test("Records are deleted after their retention period, but not with 0 days")
    func retention() async throws {
        for (days, left) in [(90, 1), (0, 2)] {
            var settings = Settings()
            settings.auditDays = days
            let test = try await TestShop(settings: settings)
            try await TypedControl.run(test) { control in
                _ = try await control.send(CreateToken(name: "old"))
                test.advance(91 * 86_400_000)
                _ = try await control.send(CreateToken(name: "new"))
                _ = try await test.shop.retention.pruneAudit()
                #expect(try await control.send(ListAuditRecords()).records.count == left)
            }
        }
    }

    @Test("A token that version 0.1.0 stored permits everything")
    func older() async throws {
        let test = try await TestShop()
        let body = #"{"name":"old","digest":"AAAA","createdAt":1767225600000}"#
        try await test.shop.storage.put([Document(kind: .token, name: "old", body: body)])
        let token = try #require(try await test.shop.tokens.all().first)
        #expect(token.scope == .administer && token.app == nil)
    }
}
