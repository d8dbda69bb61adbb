import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillControl
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@testable import TillServer

/// A server that guards production: docs/operating/production-guard.md.
@Suite("Production guard")
struct ProductionGuardTests {
    private let production = AppEnvironment(TestShop.bundleID, .production)
    private let sandbox = AppEnvironment(TestShop.bundleID, .sandbox)

    private static func shop(_ settings: Settings = .operator) async throws -> TestShop {
        try await TestShop(selling: SampleCatalog.all, settings: settings)
    }

    // MARK: Clocks

    @Test("No operation moves a clock of production, and the sandbox stays free")
    func clocks() async throws {
        try await TypedControl.run(try await Self.shop()) { control in
            _ = try await control.send(BuyProduct(app: production, customer: "ann", productId: "pro"))
            let guarded = TypedControl.Refusal(403, "production_guarded")
            let moves: [any ControlRequest] = [
                SetClock(app: production, mode: .frozen), SetClock(app: production, mode: .running, speed: 60),
                SetClock(app: production, mode: .frozen, at: Timestamp(milliseconds: 1_800_000_000_000)),
                AdvanceClock(app: production, by: "1mo"), AdvanceClock(app: production, toNextEvent: true),
                CreateClock(app: production, name: "spring"),
            ]
            for move in moves { #expect(try await control.refusal(of: move) == guarded, "\(move)") }
            #expect(try await control.send(GetClock(app: production)).mode == .real)
            #expect(try await control.send(ListClocks(app: production)).isEmpty)
            // Real time is permitted, because that is what the guard demands.
            #expect(try await control.refusal(of: SetClock(app: production, mode: .real)) == nil)
            _ = try await control.send(SetClock(app: sandbox, mode: .frozen))
            let year = try await control.send(AdvanceClock(app: sandbox, by: "1y"))
            #expect(year.to > year.from)
            // Nobody is put on another clock, but everybody may return to the environment's clock.
            func assign(_ clock: String) -> UpdateCustomer {
                UpdateCustomer(app: production, customer: "ann", clock: clock)
            }
            #expect(try await control.refusal(of: assign("spring")) == guarded)
            #expect(try await control.refusal(of: assign("")) == nil)
        }
    }

    @Test("The months of production keep their length, and notifications are kept")
    func ratesAndRetention() async throws {
        try await TypedControl.run(try await Self.shop()) { control in
            let guarded = TypedControl.Refusal(403, "production_guarded")
            let fast = UpdateSettings(app: production, rate: .custom(.sandbox5Minutes))
            #expect(try await control.refusal(of: fast) == guarded)
            #expect(try await control.refusal(of: UpdateSettings(app: production, rate: .custom(.calendar))) == nil)
            #expect(try await control.refusal(of: UpdateSettings(app: sandbox, rate: fast.rate)) == nil)
            #expect(try await control.refusal(of: PruneNotifications(days: 1)) == guarded)
            #expect(try await control.refusal(of: PruneNotifications(days: 180)) == nil)
            let settings = try await control.send(GetSettings(app: production))
            #expect(settings.rate == .calendar)
        }
    }

    @Test("A clock that an unguarded server left in production is reported, and can return to real time")
    func leftClock() async throws {
        let test = try await Self.shop(Settings())
        let name = ClockName(AccountScope(environment: .production, app: TestShop.bundleID))
        let spring = ClockName(name.scope, own: "spring")
        _ = try await test.shop.setClock(name, .freeze(at: nil))
        try await test.shop.createClock(spring, .frozen(at: test.now))
        let log = TestLog()
        let guarded = try await Shop(
            storage: test.shop.storage,
            chain: test.shop.signingChain,
            settings: .operator,
            logger: log.logger(withWarnings: true),
            wallClock: { test.now }
        )
        #expect(log.errors.count { $0.contains("a production clock does not show real time") } == 2)
        #expect(guarded.clocks.state(name) != .real)
        _ = try await guarded.setClock(name, .real)
        #expect(guarded.clocks.state(name) == .real)
        await #expect(throws: ClockRefused.self) { try await guarded.setClock(spring, .run(speed: 2)) }
        await #expect(throws: ClockRefused.self) { try await guarded.advance(spring, .toNextEvent) }
    }

    @Test("No new family member is put on a production clock that an unguarded server left")
    func newFamilyMembers() async throws {
        let test = try await Self.shop(Settings())
        let name = ClockName(AccountScope(environment: .production, app: TestShop.bundleID), own: "spring")
        try await test.shop.createClock(name, .frozen(at: test.now))
        let open = ControlCaller(test.controlAPI())
        for customer in ["ann", "bob", "dan"] {
            _ = try await open.send(CreateCustomer(app: production, customer: customer, clock: "spring"))
        }
        _ = try await open.send(CreateFamily(app: production, organizer: "ann", members: ["dan"]))
        let guarded = try await Shop(
            storage: test.shop.storage,
            chain: test.shop.signingChain,
            settings: .operator,
            wallClock: { test.now }
        )
        let caller = ControlCaller(test.controlAPI(of: guarded))
        func code(of request: some ControlRequest) async -> String? {
            do {
                _ = try await caller.send(request)
                return nil
            } catch {
                return error.code
            }
        }
        let join = JoinFamily(app: production, customer: "ann", member: "cem")
        #expect(await code(of: join) == "production_guarded")
        let create = CreateFamily(app: production, organizer: "bob", members: ["cem"])
        #expect(await code(of: create) == "production_guarded")
        #expect(try await guarded.storage.account(of: CustomerName(name.scope, "cem")) == nil)
        // A customer who is on the clock already may join.
        #expect(await code(of: JoinFamily(app: production, customer: "ann", member: "bob")) == nil)
    }

    // MARK: Replacing data

    @Test("Data is erased and replaced only with the typed confirmation")
    func replacing() async throws {
        try await TypedControl.run(try await Self.shop()) { control in
            _ = try await control.send(BuyProduct(app: production, customer: "ann", productId: "pro"))
            _ = try await control.send(SaveSnapshot(name: "safe"))
            let unconfirmed = TypedControl.Refusal(403, "confirmation_required")
            for text in [nil, "", "Production", "yes", "sandbox"] {
                #expect(try await control.refusal(of: Reset(confirm: text)) == unconfirmed)
                #expect(try await control.refusal(of: Reset(bundleId: TestShop.bundleID, confirm: text)) == unconfirmed)
                #expect(try await control.refusal(of: Reset(everything: true, confirm: text)) == unconfirmed)
                #expect(try await control.refusal(of: RestoreSnapshot(name: "safe", confirm: text)) == unconfirmed)
            }
            #expect(try await control.send(GetCustomer(app: production, customer: "ann")).transactions == 1)
            _ = try await control.send(Reset(confirm: "production"))
            #expect(try await control.refusal(of: GetCustomer(app: production, customer: "ann"))?.status == 404)
            _ = try await control.send(RestoreSnapshot(name: "safe", confirm: "production"))
            #expect(try await control.send(GetCustomer(app: production, customer: "ann")).transactions == 1)
        }
    }

    @Test("Without permission to reset, the server guards production, and no confirmation permits a reset")
    func forbidden() async throws {
        var settings = Settings()
        settings.allowReset = false
        try await TypedControl.run(try await Self.shop(settings)) { control in
            let refused = TypedControl.Refusal(403, "reset_not_allowed")
            #expect(try await control.refusal(of: Reset(confirm: "production")) == refused)
            let moved = try await control.refusal(of: SetClock(app: production, mode: .frozen))
            #expect(moved == .init(403, "production_guarded"))
        }
    }

    // MARK: All operations

    /// The operations that may change production data on a guarded server. A new operation is added here on purpose.
    private static var mayChangeProduction: [String] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Fixtures/control/operations-that-may-change-production.txt")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("#") }
        }
    }

    @Test("The list of operations that may change production is complete")
    func list() async throws {
        let routes = try await Self.shop().controlAPI().routes
        let listed = routes.filter { $0.productionEffect != .none }
            .map { "\($0.id) \($0.productionEffect.rawValue)\($0.isIrreversible ? " irreversible" : "")" }
        #expect(listed.sorted() == (try Self.mayChangeProduction))
        let effects = Set(routes.filter { $0.method == .get }.map(\.productionEffect))
        #expect(effects == [.none])
    }

    @Test("No operation of the contract moves a production clock or erases production data")
    func everyOperation() async throws {
        let test = try await Self.shop()
        let control = test.controlAPI()
        let scope = AccountScope(environment: .production, app: TestShop.bundleID)
        let caller = ControlCaller(control)
        for customer in ["ann", "bob"] {
            _ = try await caller.send(BuyProduct(app: production, customer: customer, productId: "pro"))
        }
        let bought = try await caller.send(ListTransactions(app: production, customer: "bob")).transactions
        let id = try #require(bought.first?.transactionId)
        _ = try await caller.send(SaveSnapshot(name: "safe"))
        let values = [
            "bundleId": TestShop.bundleID, "environment": "production", "customer": "bob", "name": "safe",
            "transactionId": id, "originalTransactionId": id, "productId": "pro", "clock": "production",
        ]
        // `confirm` is the one way, and a customer is deleted by name.
        let deletesCustomer: Set = [EraseCustomer.operationID]
        try await Application(router: control.router()).test(.router) { client in
            for route in control.routes where !deletesCustomer.contains(route.id) {
                for body in Self.bodies(route.request) {
                    let path = route.path.split(separator: "/").map { part in
                        part.hasPrefix("{") ? values[String(part.dropFirst().dropLast())] ?? "x" : String(part)
                    }
                    let query = Self.query(route.query)
                    let uri = "/" + path.joined(separator: "/") + (query.isEmpty ? "" : "?\(query)")
                    guard !route.path.contains("/listen") else { continue }
                    _ = try await client.execute(
                        uri: uri,
                        method: route.method,
                        headers: [.contentType: "application/json"],
                        body: body.map { ByteBuffer(string: $0) }
                    ) { $0.status }
                    #expect(test.shop.clocks.state(ClockName(scope)) == .real, "\(route.id)")
                    #expect(test.shop.clocks.own(in: scope).isEmpty, "\(route.id)")
                    let ann = try await test.shop.storage.account(of: CustomerName(scope, "ann"))
                    #expect(ann?.rowCount == 1 && ann?.clock == nil, "\(route.id)")
                }
            }
        }
    }

    /// Bodies that set every property that could move a clock or replace data, for a schema that has them.
    private static func bodies(_ schema: Schema?) -> [String?] {
        guard case .object(_, let properties)? = schema?.plain else { return [nil] }
        let texts: [String: String] = [
            "clock": #""spring""#, "newClock": "1800000000000", "at": "1900000000000", "mode": #""frozen""#,
            "by": #""1y""#, "name": #""spring""#, "customer": #""cleo""#, "productId": #""pro""#, "speed": "60",
            "toNextEvent": "true", "to": "1900000000000", "everything": "true",
        ]
        let known = properties.map(\.name).filter { texts[$0] != nil }
        let required = properties.filter(\.isRequired).map(\.name)
        let sets = [known] + known.map { [$0] + required }
        return [nil]
            + sets.map { names in
                "{" + Set(names).compactMap { name in texts[name].map { "\"\(name)\":\($0)" } }.joined(separator: ",")
                    + "}"
            }
    }

    private static func query(_ properties: [Schema.Property]) -> String {
        properties.map(\.name).contains("everything") ? "everything=true" : ""
    }
}
