import Foundation
import GRDB
import Testing
import TillCore
import TillSQLite
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// Stores data that Till cannot read, as a manual edit of the database can do. The error must name the data, and no
/// other customer may be affected.
@Suite("Unreadable data affects no other customer")
struct UnreadableDataTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let clock = ClockName(scope)
    private static let cut = "UPDATE accounts SET state = substr(state, 1, 100) WHERE customer = 'bob'"

    /// Ann, Bob and Cat have subscriptions. Ann has also bought coins.
    private func shop() async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        for customer in ["ann", "bob", "cat"] { try await test.buy("pro", by: customer) }
        try await test.buy("coins", by: "ann")
        return test
    }

    private func edit(_ sql: String, in test: TestShop) throws {
        let client = try DatabaseQueue(path: test.directory.database)
        try client.write {
            try $0.execute(sql: sql)
            #expect($0.totalChangesCount > 0)
        }
        try client.close()
    }

    // MARK: Accounts

    @Test(
        "Operations on an unreadable account are rejected with the reason, and other accounts work",
        arguments: [
            (cut, "its state cannot be read"),
            ("UPDATE accounts SET version = 0 WHERE customer = 'bob'", "its column version is 0, but its state has 1"),
            ("UPDATE accounts SET state = x'7b' WHERE customer = 'bob'", "its column state contains bytes"),
        ]
    )
    func account(_ sql: String, _ words: String) async throws {
        let test = try await shop()
        try edit(sql, in: test)
        let refused = await #expect(throws: DamagedAccount.self) { try await test.buy("coins", by: "bob") }
        #expect(refused?.reason.hasPrefix(words) == true, "\(String(describing: refused))")
        #expect(test.shop.quarantine.all.values.contains { $0.contains(words) })
        try await test.buy("coins", by: "ann")

        // A job that a clock starts reports the account once, and does not block the clock.
        let at = test.shop.now(on: Self.clock).advanced(milliseconds: 86_400_000)
        let later = try await test.shop.jobRunner.start(.shareProduct("pro"), in: Self.scope, at: at)
        #expect(later.state == .waiting)
        for _ in 0..<2 {
            let report = try await test.shop.advance(Self.clock, .byPeriod(Period(2, .month)))
            #expect(
                report.quarantine == ["bob"] && report.notifications.contains { $0.notice.words == "DID_RENEW" },
                "\(report)"
            )
        }
        let done = try #require(try await test.shop.jobs.job(later.id))
        #expect(done.state == .done && done.failed == 1, "\(done)")
        // A job that runs at once also reports the account once.
        let job = try await test.shop.jobRunner.start(.extend(Self.extension), in: Self.scope)
        #expect(job.state == .done && job.failed == 1 && job.succeeded == 2, "\(job)")

        // An erasure must read the customer's account. Other customers can be erased.
        await #expect(throws: DamagedAccount.self) { try await test.shop.eraseCustomer(test.customer("bob")) }
        _ = try await test.shop.eraseCustomer(test.customer("cat"))

        let findings = await test.doctorFindings()
        #expect(findings.contains { $0.contains("(bob) is damaged: \(words)") }, "\(findings)")
        #expect(findings.allSatisfy { !$0.contains("cannot be read:") && !$0.contains("(ann)") }, "\(findings)")
    }

    private static let `extension` = MassExtension(
        productID: "pro",
        days: 10,
        reasonCode: 1,
        request: "request"
    )

    // MARK: Rows

    @Test("The doctor reports every unreadable row, and continues")
    func doctor() async throws {
        let test = try await shop()
        try edit(Self.cut, in: test)
        try edit("UPDATE ledger SET price = 1e30 WHERE product = 'coins'", in: test)
        try edit("UPDATE outbox SET signed_date = 'abc' WHERE id = (SELECT min(id) FROM outbox)", in: test)
        try edit("UPDATE documents SET body = x'00' WHERE kind = 'clock'", in: test)
        try edit("UPDATE accounts SET clock = 'own' WHERE customer = 'cat'", in: test)
        let findings = await test.doctorFindings()
        for words in [
            "A row of the table ledger", "its column price contains", "A row of the table outbox",
            "its column signed_date",
            "A row of the table documents (kind clock, name", "its column body", "(bob) is damaged",
            "stored under another clock", "(ann) is damaged: a row of the table ledger",
        ] { #expect(findings.contains { $0.contains(words) }, "\(words): \(findings)") }
    }

    @Test("Each command that needs an unreadable document reports it")
    func document() async throws {
        let test = try await shop()
        try edit("UPDATE documents SET body = '{}' WHERE kind = 'catalog'", in: test)
        let damaged = await #expect(throws: DamagedRow.self) { _ = try await Registry(storage: test.shop.storage) }
        #expect(damaged?.row == "kind catalog, name \(TestShop.bundleID)" && damaged?.column == "body")
    }

    @Test("An unreadable delivery is logged once, and other deliveries are made")
    func delivery() async throws {
        let post = try await WebhookReceiver.start { _ in .status(200) }
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.shop.setup.updateRules(of: Self.scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        for customer in ["ann", "bob", "cat"] { try await test.buy("coins", by: customer) }
        let bob = "(SELECT account FROM accounts WHERE customer = 'bob')"
        try edit("UPDATE deliveries SET type = x'00' WHERE account = \(bob)", in: test)
        let deliveryWorker = try test.startSending()
        await deliveryWorker.dispatch(Self.clock)
        #expect(try await post.requests(atLeast: 2, within: .seconds(120)).count == 2)
        try await test.buy("coins", by: "ann")
        #expect(try await post.requests(atLeast: 3, within: .seconds(120)).count == 3)
        await test.stopSending(deliveryWorker)
        #expect(test.log.errors.count { $0.contains("a delivery was skipped") } == 1, "\(test.log.errors)")
        try await post.stop()
    }

    // MARK: Identifiers

    @Test("When the identifiers are exhausted, a purchase is rejected with the reason, and the doctor reports it")
    func identifiers() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try edit("UPDATE identifiers SET next = 9223372036854775000", in: test)
        let refused = await #expect(throws: DamagedRow.self) { try await test.buy("coins", by: "ann") }
        #expect(refused?.table == "identifiers")
        #expect(await test.doctorFindings().contains { $0.contains("no purchase is possible") })
        try edit("UPDATE identifiers SET next = 1", in: test)
        try await test.buy("coins", by: "ann")
    }

    // MARK: Imports

    private func text(_ test: TestShop) async throws -> [String] {
        var text: [UInt8] = []
        try await test.shop.snapshots.export(TestShop.bundleID) { text += $0 }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").dropLast().map(String.init)
    }

    @Test(
        "An import rejects a row that Till could not read afterwards, and names its line",
        arguments: [
            (ShopTable.deliveries, "log", Cell.text("[null]")),
            (.ledger, "revocation_date", .integer(1_767_225_600_000)), (.ledger, "offer_kind", .integer(1)),
        ]
    )
    func imported(_ table: ShopTable, _ column: String, _ cell: Cell) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/notifications")]
        }
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        try await test.buy("coins", by: "ann")
        var lines = try await text(test)
        try await test.shop.takeState(lines)
        let start = try #require(lines.firstIndex { $0.contains(#""table":"\#(table.rawValue)""#) })
        var cells = try #require(StateFile.row(Array(lines[start + 1].utf8), of: table)).cells
        let place = try #require(table.columns.firstIndex { $0.name == column })
        cells[place] = cell
        var line: [UInt8] = []
        StateFile.append(TableRow(cells), to: &line)
        lines[start + 1] = String(decoding: line.dropLast(), as: UTF8.self)
        let refused = await #expect(throws: StateRefused.self) { try await test.shop.takeState(lines) }
        guard case .badFile(let number, let what)? = refused else {
            return #expect(Bool(false), "\(String(describing: refused))")
        }
        #expect(number == start + 2 && what.contains("a row of the table \(table.rawValue)"), "\(what)")
    }

    @Test("An import rejects identifiers near the maximum, because no later purchase would be possible")
    func counters() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        try edit("UPDATE identifiers SET next = \(Identifiers.lastBeforeEnd)", in: test)
        try await test.buy("coins", by: "ann")
        let lines = try await text(test)
        let other = try await TestShop(selling: SampleCatalog.all)
        let refused = await #expect(throws: StateRefused.self) { try await other.shop.takeState(lines) }
        #expect(refused?.message.contains("close to their maximum") == true, "\(String(describing: refused))")
        try await other.buy("coins", by: "ann")
    }
}
