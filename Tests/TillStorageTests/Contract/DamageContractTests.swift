import Foundation
import Testing
import TillCore
import TillStorage

/// Damages rows as manual edits can do. No damaged row may crash the server or hide another row.
@Suite("Damaged rows are reported, and hide no other rows")
struct DamageContractTests {
    private static let scope = StorageFixture.scope
    private static let clock = ClockName(StorageFixture.scope)

    /// A store with Ann, Bob and Cat, each with two transactions and one notification.
    private func fixture(_ engine: Engine) async throws -> (StorageFixture, [Account]) {
        let fixture = try StorageFixture(engine)
        var accounts: [Account] = []
        for (number, name) in ["ann", "bob", "cat"].enumerated() {
            let account = fixture.account(name, number: Int64(number) + 1)
            let rows = [fixture.row(account, 1), fixture.row(account, 2, type: .autoRenewable)]
            let stored = try await fixture.commit(account, rows: rows)
            try await fixture.notify(stored, number: Int64(number) + 1)
            accounts.append(stored)
        }
        _ = try await fixture.storage.reserveIdentifiers(100_000)
        return (fixture, accounts)
    }

    // MARK: Values of another type than the column

    struct Edit: Sendable, CustomTestStringConvertible {
        let table: ShopTable
        let column: String
        let value: String

        var testDescription: String { "\(table.rawValue).\(column) = \(value)" }

        init(_ table: ShopTable, _ column: String, _ value: String) {
            self.table = table
            self.column = column
            self.value = value
        }
    }

    static let edits: [Edit] = [
        Edit(.ledger, "price", "1e30"), Edit(.ledger, "product", "x'00ff'"), Edit(.ledger, "quantity", "'many'"),
        Edit(.ledger, "is_finished", "0.5"), Edit(.ledger, "expires_date", "x'01'"),
        Edit(.ledger, "offer_kind", "'code'"), Edit(.ledger, "commitment", "x'01'"),
        Edit(.outbox, "signed_date", "'abc'"), Edit(.outbox, "uuid", "x'00'"), Edit(.outbox, "body", "'text'"),
        Edit(.outbox, "account", "'abc'"), Edit(.outbox, "is_triggered", "1e30"),
        Edit(.deliveries, "signed_date", "'abc'"), Edit(.deliveries, "type", "x'00'"),
        Edit(.deliveries, "is_delivered", "'no'"), Edit(.deliveries, "log", "x'5b5d'"),
        Edit(.documents, "body", "x'7b7d'"), Edit(.documents, "app", "x'00'"),
    ]

    @Test(
        "A value of another type than its column is an error that names the value; other rows are unaffected",
        arguments: edits
    )
    func kinds(_ edit: Edit) async throws {
        let (fixture, accounts) = try await fixture(.sqlite)
        let storage = fixture.storage
        for name in ["one", "two"] {
            try await storage.put([Document(kind: .team, name: name, app: nil, body: "{}")])
        }
        let first = try #require(try await storage.rows(of: edit.table, after: nil, limit: 1).first)
        let words = edit.table.key.compactMap { column -> String? in
            switch first[column, of: edit.table] {
            case .integer(let number)?: "\(column) = \(number)"
            case .text(let text)?: "\(column) = '\(text)'"
            default: nil
            }
        }
        let condition = words.joined(separator: " AND ")
        try fixture.edit("UPDATE \(edit.table.rawValue) SET \(edit.column) = \(edit.value) WHERE \(condition)")

        // Backups and migrations reject the row. The examination for damage reports the row and continues with the next
        // row.
        let refused = await #expect(throws: DamagedRow.self) {
            try await storage.readWhole { _ in }
        }
        #expect(
            refused?.table == edit.table.rawValue && refused?.column == edit.column,
            "\(String(describing: refused))"
        )
        var found: [TableRow] = []
        while let row = try await storage.rows(of: edit.table, after: found.last, limit: 1).first {
            found.append(row)
        }
        let damages = found.compactMap { $0.damage(of: edit.table) }
        #expect(damages.count == 1 && damages.first?.column == edit.column, "\(damages)")
        #expect(damages.first?.row?.isEmpty == false)
        _ = try await storage.examine()

        // No query ends the process, and other rows are read as before.
        var errors: [any Error] = []
        func ask(_ read: () async throws -> Void) async { do { try await read() } catch { errors.append(error) } }
        for account in accounts {
            await ask { _ = try await storage.history(HistoryQuery(account: account.id)) }
            await ask { _ = try await storage.latestRefunds(of: account.id, limit: 9) }
            await ask { _ = try await storage.notifications(NotificationQuery(scope: Self.scope, account: account.id)) }
            #expect(try await storage.account(account.id) == account)
        }
        for counter in Int64(1)...3 {
            let id = NotificationID(counter * 1_024 + accounts[Int(counter) - 1].id.partition.number)
            await ask { _ = try await storage.notification(id) }
            await ask { _ = try await storage.deliveries(of: [id]) }
            await ask { _ = try await storage.deliveries(of: [id], to: "primary") }
        }
        await ask { _ = try await storage.documents(.team) }
        await ask { _ = try await storage.keep(Document(kind: .team, name: "one", app: nil, body: "{}")) }
        let named = errors.compactMap { $0 as? DamagedRow }
        #expect(named.count == errors.count && !errors.isEmpty, "\(errors)")
        #expect(named.allSatisfy { $0.table == edit.table.rawValue && $0.column == edit.column }, "\(named)")
        let isRefused = named.allSatisfy { $0.row != nil && $0.description.contains("till doctor") }
        #expect(isRefused, "\(named)")
        // Readable deliveries are due in spite of the damage.
        let due = try await storage.dueDeliveries(
            to: "primary",
            on: Self.clock,
            until: Timestamp(milliseconds: 100),
            limit: 100
        )
        #expect(due.deliveries.count == (edit.table == .deliveries ? 2 : 3))
        #expect(due.damaged.count == (edit.table == .deliveries ? 1 : 0))
        #expect(try await storage.pendingEndpoints().count == 1)
    }

    @Test("The other accounts' events fall due although one account has an invalid due date, and that account is found")
    func dueDates() async throws {
        let (fixture, accounts) = try await fixture(.sqlite)
        try fixture.edit("UPDATE accounts SET next_due = 5")
        try fixture.edit("UPDATE accounts SET next_due = 'soon' WHERE customer = 'ann'")
        try fixture.edit("UPDATE accounts SET next_due = 2.5, customer = x'00' WHERE customer = 'bob'")
        let storage = fixture.storage
        let due = try await storage.dueAccounts(on: Self.clock, until: Timestamp(milliseconds: 9), in: nil, limit: 9)
        #expect(Set(due.map(\.id)) == [accounts[1].id, accounts[2].id])
        #expect(try await storage.nextDue(of: accounts[2].id) == Timestamp(milliseconds: 5))
        await #expect(throws: DamagedRow.self) { try await storage.nextDue(of: accounts[0].id) }
        let all = try await storage.dueAccounts(on: Self.clock, until: Timestamp(milliseconds: .max), in: nil, limit: 9)
        #expect(Set(all.map(\.id)) == [accounts[1].id, accounts[2].id])
    }

    // MARK: Values that Till never writes, on each engine

    @Test(
        "A damaged account is rejected with the reason, and lists contain the other accounts",
        arguments: Engine.allCases,
        [
            ("state = '{'", "its state cannot be read ($ cannot be read)"),
            (
                "state = replace(state, '\"storefront\"', '\"shopfront\"')",
                "its state cannot be read ($.storefront is missing)"
            ),
            ("version = 0", "its column version is 0, but its state has 1"),
            ("change_number = 7", "its column change_number is 7, but its state has 2"),
            ("row_count = 7", "its column row_count is 7, but its state has 2"),
        ]
    )
    func accounts(_ engine: Engine, _ edit: (change: String, words: String)) async throws {
        let (fixture, accounts) = try await fixture(engine)
        let storage = fixture.storage
        try fixture.edit("UPDATE accounts SET \(edit.change) WHERE customer = 'bob'")
        let wanted = DamagedAccount(accounts[1].id, of: "bob", edit.words)
        await #expect(throws: wanted) { try await storage.account(accounts[1].id) }
        await #expect(throws: wanted) {
            try await storage.account(of: CustomerName(AccountScope(environment: .sandbox, app: "com.example"), "bob"))
        }
        for scope in [nil, Self.scope] {
            let all = try await storage.storedAccounts(of: scope, after: nil, limit: 9)
            #expect(all == [.sound(accounts[0]), .damaged(wanted), .sound(accounts[2])])
            let first = try await storage.storedAccounts(of: scope, after: nil, limit: 2)
            let rest = try await storage.storedAccounts(of: scope, after: first.last?.id, limit: 2)
            #expect(first + rest == all)
        }
        // The comparison of account states with transactions skips a state that is not JSON.
        let findings = try await storage.examine()
        #expect(findings.allSatisfy { !$0.contains("malformed") }, "\(findings)")
    }

    @Test("A state that is not JSON does not stop the examination of other accounts", arguments: Engine.allCases)
    func examined(_ engine: Engine) async throws {
        let (fixture, accounts) = try await fixture(engine)
        try fixture.edit("UPDATE accounts SET state = '{' WHERE customer = 'bob'")
        try fixture.edit("UPDATE accounts SET clock = 'own' WHERE customer = 'cat'")
        let findings = try await fixture.storage.examine()
        #expect(findings.contains("Account \(accounts[2].id.number) is stored under another clock than its own."))
        #expect(findings.contains("Account \(accounts[0].id.number) should have 0 notifications and has 1."))
    }

    @Test("A delivery with a damaged log is skipped, and the other deliveries are due", arguments: Engine.allCases)
    func logs(_ engine: Engine) async throws {
        let (fixture, _) = try await fixture(engine)
        try fixture.edit("UPDATE deliveries SET log = '[null]' WHERE notification / 1024 = 1")
        try fixture.edit("UPDATE deliveries SET realm = 'Sandpit' WHERE notification / 1024 = 2")
        let due = try await fixture.storage.dueDeliveries(
            to: "primary",
            on: Self.clock,
            until: Timestamp(milliseconds: 100),
            limit: 100
        )
        #expect(due.deliveries.count == 1)
        #expect(due.damaged.map(\.column) == ["log"])
        #expect(try await fixture.storage.pendingEndpoints().count == 1)
        let rows = try await fixture.storage.rows(of: .deliveries, after: nil, limit: 9)
        #expect(Set(rows.compactMap { $0.damage(of: .deliveries)?.column }) == ["log", "realm"])
    }

    @Test(
        "An unreadable transaction is reported",
        arguments: Engine.allCases,
        [
            ("revocation_date = 1, revocation_reason = NULL", "revocation_reason"),
            ("revocation_date = 1, revocation_reason = 9", "revocation_reason"), ("type = 'x'", "type"),
            ("offer_mode = NULL", "offer_mode"), ("commitment = '1 2'", "commitment"),
            ("storefront = 'ZZZ'", "storefront"),
        ]
    )
    func ledger(_ engine: Engine, _ edit: (change: String, column: String)) async throws {
        let (fixture, accounts) = try await fixture(engine)
        let row = fixture.row(accounts[0], 1)
        try fixture.edit("UPDATE ledger SET \(edit.change) WHERE id = \(row.id.number)")
        let refused = await #expect(throws: DamagedRow.self) { try await fixture.storage.transaction(row.id) }
        #expect(
            refused?.row == "id \(row.id.number)" && refused?.column == edit.column,
            "\(String(describing: refused))"
        )
        #expect(try await fixture.storage.transaction(fixture.row(accounts[0], 2).id) != nil)
        let rows = try await fixture.storage.rows(of: .ledger, after: nil, limit: 9)
        let damages = rows.compactMap { $0.damage(of: .ledger) }
        #expect(damages.map(\.column) == [edit.column] && damages.map(\.row) == ["id \(row.id.number)"])
    }

    @Test(
        "The engine does not hand out identifiers when they are exhausted",
        arguments: Engine.allCases,
        [
            Int64.max - 3, Int64.max - 100, Identifiers.maxCounters - 5, -7,
        ]
    )
    func identifiers(_ engine: Engine, _ next: Int64) async throws {
        let fixture = try StorageFixture(engine)
        try fixture.edit("UPDATE identifiers SET next = \(next)")
        let refused = await #expect(throws: DamagedRow.self) { try await fixture.storage.reserveIdentifiers(10) }
        #expect(refused?.description.contains("is \(next), so too few identifiers are left") == true)
        #expect(try await fixture.storage.identifierHighWater() == next)
        #expect(try await fixture.storage.examine().contains { $0.contains("identifier series all") })
        try fixture.edit("UPDATE identifiers SET next = \(Identifiers.maxCounters - 10)")
        #expect(try await fixture.storage.reserveIdentifiers(10).upperBound == Identifiers.maxCounters)
    }

    @Test("An identifier that is not a number is rejected")
    func strangeIdentifier() async throws {
        let fixture = try StorageFixture(.sqlite)
        try fixture.edit("UPDATE identifiers SET next = 'abc'")
        await #expect(throws: DamagedRow.self) { try await fixture.storage.reserveIdentifiers(10) }
        await #expect(throws: DamagedRow.self) { try await fixture.storage.identifierHighWater() }
        #expect(try await fixture.storage.examine().contains { $0.contains("identifier series all is at 'abc'") })
    }
}
