import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TillControl
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillServer

/// Checks what the audit log does not keep: erased names, invalid names, and a record for each refused call.
@Suite("What the audit log leaves out")
struct AuditControlTests {
    private static func texts(_ control: TypedControl) async throws -> [String] {
        try await control.send(ListAuditRecords()).records.map { record in
            [record.operationId, record.environment, record.customer, record.object, record.result]
                .map { $0 ?? "-" }.joined(separator: " ")
        }
    }

    @Test("The name of an erased customer comes back with no failed call")
    func erased() async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.all)) { control in
            let app = control.app
            for customer in ["ann", "bob"] { _ = try await control.send(CreateCustomer(app: app, customer: customer)) }
            _ = try await control.send(CreateFamily(app: app, organizer: "bob", members: ["cem"]))
            _ = try await control.send(
                AddFault(
                    kind: .latency,
                    environment: .sandbox,
                    bundleId: app.bundleId,
                    customer: "ann",
                    milliseconds: 1
                )
            )
            _ = try await control.send(SaveSnapshot(name: "all"))
            let erasure = EraseCustomer(app: app, customer: "ann")
            _ = try await control.send(erasure)
            // A snapshot still contains the customer, so that the erasure may be repeated.
            _ = try await control.send(erasure)
            _ = try await control.send(EraseCustomer(app: app, customer: "ann", removeSnapshots: true))
            #expect(try await control.refusal(of: erasure)?.status == 404)
            #expect(
                try await control.refusal(of: UpdateCustomer(app: app, customer: "ann", card: .declined))?.status == 404
            )
            let join = JoinFamily(app: app, customer: "ann", member: "bob")
            #expect(try await control.refusal(of: join)?.status == 404)
            let leave = LeaveFamily(app: app, customer: "ann")
            #expect(try await control.refusal(of: leave)?.status == 404)
            let texts = try await Self.texts(control)
            #expect(texts.count == 12 && !texts.contains { $0.contains("ann") }, "\(texts)")
            #expect(texts.contains("createCustomer sandbox bob - ok"))
        }
    }

    @Test("A refused call for an erased customer has no name, and one for an existing customer has the name")
    func refused() async throws {
        let test = try await TestShop()
        let caller = ControlCaller(test.controlAPI())
        let (token, _) = try await test.shop.tokens.create("reader", scope: .read)
        let app = AppEnvironment(TestShop.bundleID)
        _ = try await caller.send(CreateCustomer(app: app, customer: "bob"))
        let reader = caller.acting(for: Principal(token))
        await #expect(throws: ControlError.self) { _ = try await reader.send(LeaveFamily(app: app, customer: "ann")) }
        await #expect(throws: ControlError.self) {
            _ = try await reader.send(BuyProduct(app: app, customer: "bob", productId: "coins"))
        }
        let records = try await test.shop.storage.auditRecords(AuditQuery(limit: 2)).map(\.record)
        #expect(records.map(\.operation) == ["buyProduct", "leaveFamily"])
        #expect(records.map(\.customer) == ["bob", nil])
    }

    @Test("A record contains no names that are not valid")
    func invalidNames() async throws {
        try await TypedControl.run(try await TestShop()) { control in
            let app = control.app
            let bad = ["with space", "a/b", "<b>", "tab\t", String(repeating: "x", count: 300)]
            for name in bad {
                #expect(try await control.refusal(of: CreateToken(name: name)) == .init(400, "bad_name"), "\(name)")
                #expect(try await control.refusal(of: RevokeToken(tokenName: name))?.status == 404, "\(name)")
                #expect(try await control.refusal(of: SaveSnapshot(name: name)) == .init(400, "bad_name"), "\(name)")
                #expect(try await control.refusal(of: CreateApp(bundleId: name)) == .init(400, "bad_bundle_id"))
            }
            for name in ["tab\t", String(repeating: "x", count: 129)] {
                let create = CreateCustomer(app: app, customer: name)
                #expect(try await control.refusal(of: create) == .init(400, "bad_customer"))
            }
            let records = try await control.send(ListAuditRecords(limit: 100)).records
            #expect(records.count == bad.count * 4 + 2)
            for record in records { #expect(record.object == nil && record.customer == nil, "\(record)") }
            #expect(records.allSatisfy { $0.bundleId == nil || $0.bundleId == app.bundleId })
        }
    }

    @Test("Refused calls of one caller and operation in one minute are one record", arguments: TestEngine.allCases)
    func counted(engine: TestEngine) async throws {
        let test = try await TestShop(on: engine)
        let api = test.controlAPI(ControlGuard(token: "the administrator's", hosts: []))
        let (_, secret) = try await test.shop.tokens.create("reader", scope: .read)
        let (_, other) = try await test.shop.tokens.create("other", scope: .read)
        try await Application(router: api.router()).test(.router) { client in
            func call(_ token: String, _ uri: String) async throws {
                let headers: HTTPFields = [.authorization: "Bearer \(token)"]
                let status = try await client.execute(uri: uri, method: .get, headers: headers) { $0.status.code }
                #expect(status == 403)
            }
            for _ in 0..<50 { try await call(secret.exposed, "/v1/audit") }
            try await call(secret.exposed, "/v1/tokens")
            try await call(other.exposed, "/v1/audit")
            test.advance(60_000)
            for _ in 0..<2 { try await call(secret.exposed, "/v1/audit") }
        }
        let list = try await ControlCaller(api).send(ListAuditRecords()).records
        let found = list.map { "\($0.caller) \($0.operationId) \($0.count ?? 1)" }
        #expect(
            found.sorted() == [
                "other listAuditRecords 1", "reader listAuditRecords 2", "reader listAuditRecords 50",
                "reader listTokens 1",
            ]
        )
    }
}
