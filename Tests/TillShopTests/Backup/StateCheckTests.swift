import Foundation
import Testing
import TillCore
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// In all of these exports the digest is right, because someone who edits an export can update the digest, too.
@Suite("An invalid export is rejected")
struct StateCheckTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    private func shop() async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(ClockName(Self.scope), .freeze(at: nil))
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/notifications")]
        }
        try await test.buy("pro", by: "ann")
        return test
    }

    private func text(_ shop: Shop, _ app: String? = TestShop.bundleID) async throws -> String {
        var text: [UInt8] = []
        try await shop.snapshots.export(app) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }

    @Test(
        "A row that is impossible, or contradicts itself or another row, is rejected",
        arguments: [
            ("accounts", #"\"id\":704"#, #"\"id\":705"#, "does not match its columns"),
            ("accounts", #"\"app\":\"com.example.shop\""#, #"\"app\":\"com.other\""#, "does not match its columns"),
            ("accounts", #"\"version\":"#, #"\"version\":7"#, "does not match its columns"),
            ("accounts", ",704", ",-704", "a number that is out of range"),
            ("accounts", ",704", ",703", "a number that is out of range"),
            ("ledger", ",704", ",705", "to an account that is not in the file"),
            ("ledger", ",2000000", ",2900000", "a number that is out of range"),
            ("ledger", ",2000000", ",-2000000", "a number that is out of range"),
            ("outbox", ",704", ",705", "to an account that is not in the file"),
            ("deliveries", "[", "[1", "a number that is out of range"),
            ("documents", #"["app","com.example.shop""#, #"["app","com.other""#, "does not match its name"),
            ("documents", #"["rules","sandbox/com.example.shop""#, #"["rules","sandbox/com.other""#, "match its name"),
            ("documents", #"["clock","sandbox/com.example.shop""#, #"["clock","sandbox/com.other""#, "match its name"),
            ("documents", #"\"frozen\":{\"at\":"#, #"\"frozen\":{\"at\":99999"#, "a date or a speed that no clock has"),
            ("documents", #"\"frozen\":{\"at\":"#, #"\"frozen\":{\"at\":-"#, "a date from 2008-01-01"),
            ("documents", #"\"frozen\":{\"at\":"#, #"\"frozen\":{\"at\":0,\"was\":"#, "is set to 1970-01-01"),
            ("documents", #"\"frozen\":{\"at\":"#, #"\"frozen\":{\"at\":4102444800000,\"was\":"#, "before 2100-01-01"),
            ("documents", #"\"createdAt\":"#, #"\"createdAt\":-"#, "a number that is out of range"),
            ("documents", #"\"milliunits\":"#, #"\"milliunits\":900000000000000"#, "a number that is out of range"),
            ("documents", #"["app","com.example.shop""#, #"["app","..""#, "does not match its name"),
            ("accounts", #"\"lastEvent\":"#, #"\"lastEvent\":9999"#, "a number that is out of range"),
            ("accounts", #"\"recentStart\":"#, #"\"recentStart\":-"#, "a number that is out of range"),
            ("accounts", #"\"purchaseDate\":"#, #"\"purchaseDate\":999"#, "a number that is out of range"),
            ("accounts", #"\"anchorDay\":"#, #"\"anchorDay\":99"#, "a number that is out of range"),
            ("accounts", #"\"quantity\":1"#, #"\"quantity\":11"#, "a number that is out of range"),
            ("accounts", #"\"expiresDate\":"#, #"\"expires\":"#, "a period without an end"),
            ("companions", #"["key",""#, #"["key","X"#, "match its name"),
            ("companions", #"["chain",""#, #"["chain","0"#, "match its name"),
            ("companions", #"["team",""#, #"["team","0"#, "match its name"),
        ]
    )
    func contradictions(_ table: String, _ old: String, _ new: String, _ words: String) async throws {
        let test = try await shop()
        var lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let start = try #require(lines.firstIndex { $0.contains(#""table":"\#(table)""#) })
        let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("{") } ?? lines.count
        let row = try #require(lines[start..<end].firstIndex { $0.hasPrefix("[") && $0.contains(old) })
        let place = try #require(lines[row].firstRange(of: old))
        lines[row].replaceSubrange(place, with: new)
        let before = try await text(test.shop, nil)
        do {
            try await test.shop.takeState(lines)
            Issue.record("imported")
        } catch StateRefused.badFile(_, let what) {
            #expect(what.contains(words), "\(what)")
        }
        #expect(try await text(test.shop, nil) == before)
        #expect(try await test.shop.storage.snapshots().isEmpty)
    }

    @Test("The identifiers of another store are exported and imported; those of an unknown account are rejected")
    func foreignIdentifiers() async throws {
        let test = try await shop()
        let bought = try await test.buy("coins", by: "ann")
        #expect(try await !text(test.shop).contains("foreign_identifiers"))
        let known = ForeignIdentifier(.transaction, "300", in: Self.scope, of: bought.account, own: bought.id.number)
        try await test.shop.storage.commit([Change(foreignIdentifiers: [known])])[0].get()
        let exported = try await text(test.shop)
        var lines = exported.split(separator: "\n").dropLast().map(String.init)
        try await test.shop.takeState(lines)
        #expect(try await text(test.shop) == exported)
        #expect(try await test.shop.storage.foreignIdentifier(.transaction, "300", in: Self.scope) == known)
        let row = try #require(lines.firstIndex { $0.contains(#""transaction","300""#) })
        let line = lines[row]
        for (old, new) in [(bought.account.number, 7), (bought.id.number, bought.id.number + 1_024)] {
            lines[row] = line.replacing(String(old), with: String(new))
            await #expect(throws: StateRefused.self) { try await test.shop.takeState(lines) }
        }
    }

    @Test("A file of an earlier version may lack optional columns at the end of a table, and no others")
    func lackingColumns() async throws {
        let test = try await shop()
        let lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let bought = try await test.sandbox.account(of: "ann")
        func file(lacking column: String, of table: ShopTable) throws -> [String] {
            var changed = lines
            let start = try #require(lines.firstIndex { $0.contains(#""table":"\#(table.rawValue)""#) })
            changed[start] = lines[start].replacing(#","\#(column)""#, with: "")
            #expect(changed[start] != lines[start])
            let place = try #require(table.columns.firstIndex { $0.name == column })
            for line in lines.indices.dropFirst(start + 1).prefix(while: { lines[$0].hasPrefix("[") }) {
                var cells = try #require(StateFile.row(Array(lines[line].utf8), of: table)).cells
                cells.remove(at: place)
                var row: [UInt8] = []
                StateFile.append(TableRow(cells), to: &row)
                changed[line] = String(decoding: row.dropLast(), as: UTF8.self)
            }
            return changed
        }
        try await test.buy("coins", by: "ann")
        try await test.shop.takeState(try file(lacking: "foreign_ids", of: .ledger))
        #expect(try await test.sandbox.account(of: "ann") == bought)
        for (column, table) in [("billing_plan", ShopTable.ledger), ("offer", .redemptions)] {
            await #expect(throws: StateRefused.self) {
                try await test.shop.takeState(try file(lacking: column, of: table))
            }
        }
    }

    @Test(
        "A number that would overflow arithmetic is rejected",
        arguments: [
            (ShopTable.ledger, "purchase_date"), (.ledger, "original_purchase_date"), (.ledger, "modified_date"),
            (.ledger, "expires_date"), (.ledger, "quantity"), (.ledger, "price"), (.ledger, "change"),
            (.accounts, "next_due"), (.accounts, "row_count"), (.outbox, "signed_date"), (.deliveries, "signed_date"),
            (.deliveries, "due"), (.deliveries, "attempts"),
        ]
    )
    func numbers(_ table: ShopTable, _ column: String) async throws {
        let test = try await shop()
        let lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let start = try #require(lines.firstIndex { $0.contains(#""table":"\#(table.rawValue)""#) })
        let place = try #require(table.columns.firstIndex { $0.name == column })
        for number in [Int64.min, -1, .max] {
            var changed = lines
            var cells = try #require(StateFile.row(Array(lines[start + 1].utf8), of: table)).cells
            cells[place] = .integer(number)
            var row: [UInt8] = []
            StateFile.append(TableRow(cells), to: &row)
            changed[start + 1] = String(decoding: row.dropLast(), as: UTF8.self)
            do {
                try await test.shop.takeState(changed)
                Issue.record("\(column) \(number) was imported")
            } catch StateRefused.badFile(_, let what) {
                #expect(what.contains("a number that is out of range"), "\(what)")
            }
        }
    }

    /// Ann has a subscription, a skin and two purchases of coins. Bob is in Ann's family and owns nothing.
    private func family() async throws -> TestShop {
        let test = try await shop()
        for product in ["skin", "coins", "coins"] { try await test.buy(product, by: "ann") }
        let opened = try await test.shop.openAccount(test.customer("bob"), Opening()).account
        let ann = try #require(try await test.sandbox.account(of: "ann"))
        for member in ["ann", "bob"] {
            let command = Command.joinFamily(of: ann.id, named: "Family")
            _ = try await test.shop.perform(command, by: test.customer(member))
        }
        #expect(opened.id != ann.id)
        return test
    }

    /// The number of the first line of a table that contains a text, counted from 1.
    private func line(of table: ShopTable, holding words: String, in lines: [String]) throws -> Int {
        let start = try #require(lines.firstIndex { $0.contains(#""table":"\#(table.rawValue)""#) })
        return try #require(lines[start...].firstIndex { $0.hasPrefix("[") && $0.contains(words) }) + 1
    }

    private func replace(
        _ columns: [String: Cell],
        of table: ShopTable,
        in line: Int,
        _ lines: inout [String]
    ) throws {
        var cells = try #require(StateFile.row(Array(lines[line - 1].utf8), of: table)).cells
        for (column, cell) in columns {
            cells[try #require(table.columns.firstIndex { $0.name == column })] = cell
        }
        var row: [UInt8] = []
        StateFile.append(TableRow(cells), to: &row)
        lines[line - 1] = String(decoding: row.dropLast(), as: UTF8.self)
    }

    private func expectRefusal(_ lines: [String], _ test: TestShop, at line: Int, _ words: String) async throws {
        do {
            try await test.shop.takeState(lines)
            Issue.record("imported: \(words)")
        } catch StateRefused.badFile(let found, let what) {
            #expect(found == line && what.contains(words), "line \(found), not \(line): \(what)")
        }
        #expect(try await test.shop.storage.snapshots().isEmpty)
    }

    /// A wrong value in a row, with the message that the doctor and the import must report.
    struct WrongCell: Sendable, CustomTestStringConvertible {
        let table: ShopTable
        /// A text that the row contains.
        let row: String
        let columns: [String: Cell]
        let words: String

        var testDescription: String { "\(columns.keys.sorted()): \(words)" }

        init(_ table: ShopTable, _ row: String, _ columns: [String: Cell], _ words: String) {
            self.table = table
            self.row = row
            self.columns = columns
            self.words = words
        }
    }

    static let wrongCells: [WrongCell] = [
        // These values must be cases of an enumeration.
        WrongCell(.ledger, "coins", ["storefront": .text("ZZZ")], "column storefront"),
        WrongCell(.ledger, "coins", ["currency": .text("dollar")], "column currency"),
        WrongCell(.ledger, "coins", ["currency": .null], "column currency"),
        WrongCell(.ledger, "coins", ["price": .null], "column price"),
        WrongCell(.ledger, "coins", ["type": .text("type_")], "column type"),
        WrongCell(.ledger, "coins", ["ownership": .text("OWNED")], "column ownership"),
        WrongCell(.ledger, "coins", ["reason": .text("GIFT")], "column reason"),
        WrongCell(.ledger, "pro", ["offer_kind": .integer(9)], "column offer_kind"),
        WrongCell(.ledger, "pro", ["offer_kind": .null], "column offer_mode"),
        WrongCell(.ledger, "pro", ["offer_mode": .text("FREE")], "column offer_mode"),
        WrongCell(.ledger, "pro", ["offer_period": .text("week")], "column offer_period"),
        WrongCell(.ledger, "pro", ["billing_plan": .text("DAILY")], "column billing_plan"),
        // These columns must have a value or be empty together.
        WrongCell(.ledger, "coins", ["ownership": .text("FAMILY_SHARED")], "column shared_from"),
        WrongCell(.ledger, "coins", ["shared_from": .integer(2_000_000_000_000_000)], "column shared_from"),
        WrongCell(.ledger, "coins", ["revocation_kind": .text("REFUND_FULL")], "column revocation_date"),
        WrongCell(.ledger, "coins", ["revocation_date": .integer(1_767_225_600_000)], "column revocation_reason"),
        WrongCell(.ledger, "coins", ["refund_number": .integer(1)], "column refund_number"),
        // These values must agree between the accounts and the ledger.
        WrongCell(.ledger, "pro", ["expires_date": .integer(1_767_225_600_000)], "is not what the subscription"),
        WrongCell(.ledger, "pro", ["product": .text("other")], "is not what the subscription"),
        WrongCell(.ledger, "skin", ["product": .text("other")], "which is for the product other"),
        WrongCell(.ledger, "coins", ["type": .text("nonConsumable")], "does not record that it owns coins"),
        WrongCell(.ledger, "coins", ["change": .integer(99)], "its account has only reached"),
        WrongCell(.accounts, #""ann""#, ["next_due": .integer(1_767_225_600_000)], "the next event is due at"),
        WrongCell(.accounts, #""ann""#, ["next_due": .null], "stored deadline is never"),
    ]

    @Test("A row that the doctor would report is rejected", arguments: wrongCells)
    func wrongCell(_ wrong: WrongCell) async throws {
        let test = try await family()
        var lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let line = try line(of: wrong.table, holding: wrong.row, in: lines)
        try replace(wrong.columns, of: wrong.table, in: line, &lines)
        try await expectRefusal(lines, test, at: line, wrong.words)
    }

    @Test("An error that is found only at the end names the line of the account")
    func accountLines() async throws {
        let test = try await family()
        let lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let ann = try line(of: .accounts, holding: #""ann""#, in: lines)
        let bob = try line(of: .accounts, holding: #""bob""#, in: lines)

        var apart = lines
        apart[bob - 1].replace(#"\"name\":\"Family\""#, with: #"\"name\":\"Others\""#)
        try await expectRefusal(apart, test, at: min(ann, bob), "is damaged")
    }

    @Test("An account with fewer transactions or notifications than it states is named with its line")
    func missingRows() async throws {
        let test = try await shop()
        try await test.buy("coins", by: "ann")
        let lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let ann = try line(of: .accounts, holding: #""ann""#, in: lines)
        var table = ""
        let withoutNotifications = lines.filter { line in
            if line.hasPrefix("{") { table = line }
            return !line.hasPrefix("[") || !["outbox", "deliveries"].contains { table.contains(#""table":"\#($0)""#) }
        }
        try await expectRefusal(withoutNotifications, test, at: ann, "notifications and has")
        var withoutCoins = withoutNotifications
        withoutCoins.remove(at: try line(of: .ledger, holding: "coins", in: withoutNotifications) - 1)
        try await expectRefusal(withoutCoins, test, at: ann, "transactions and has")
    }

    @Test("A duplicate key is distinguished from a number that another app uses")
    func doubled() async throws {
        let test = try await family()
        var lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let first = try line(of: .ledger, holding: "coins", in: lines)
        let change = try #require(StateFile.row(Array(lines[first - 1].utf8), of: .ledger))["change", of: .ledger]
        try replace(["change": try #require(change)], of: .ledger, in: first + 1, &lines)
        try await expectRefusal(lines, test, at: first + 1, "an earlier row of ledger has the same key (partition")
    }

    @Test("The certificates that signed the notifications must be in the export or in the store")
    func lostChain() async throws {
        let source = try await shop()
        let lines = try await text(source.shop).split(separator: "\n").dropLast().map(String.init)
        let without = lines.filter { !$0.hasPrefix(#"["chain""#) }
        let target = try await TestShop()
        try await target.shop.reset(app: nil, .everything)
        try await expectRefusal(without, target, at: without.count + 1, "certificates of chain")
        // The shop that signed the notifications has their certificates.
        try await source.shop.takeState(without)
    }

    @Test("Every number is checked according to its key, wherever it occurs")
    func documents() {
        for good in [
            #"{"a":"\"milliunits\":-1","b":[1,2.5,1e3],"id":9223372036854775807}"#, #"{"share":0.25}"#, "[]", "7",
            #"{"i\u0064":9223372036854775807}"#,
        ] { #expect(NumberCheck.arePossible(in: good), "\(good)") }
        for bad in [
            #"{"a":-1}"#, #"{"a":[0,[253402300800000]]}"#, #"{"id":-1}"#, #"{"a":1e18}"#,
            #"{"a":99999999999999999999}"#,
            #"{"d\u0061ys":1001}"#, "{\"days\" :\n1001}", #"{"id":1"#,
        ] { #expect(!NumberCheck.arePossible(in: bad), "\(bad)") }
        #expect(NumberCheck.arePossible(in: #"{"seed":18446744073709551615}"#, except: ["seed"]))
    }

    @Test("The tables have a fixed order, and additional rows belong to the exported state")
    func order() async throws {
        let test = try await shop()
        let lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let ledger = try #require(lines.firstIndex { $0.contains(#""table":"ledger""#) })
        let accounts = try #require(lines.firstIndex { $0.contains(#""table":"accounts""#) })
        let swapped = Array(lines[..<accounts] + lines[ledger...])
        await #expect(throws: StateRefused.badFile(line: accounts + 1, "the table ledger comes too early")) {
            try await test.shop.takeState(swapped)
        }
        let key = try #require(lines.last { $0.hasPrefix(#"["key","#) })
        await #expect(throws: StateRefused.self) { try await test.shop.takeState(lines + [key]) }
        let otherTeam = Team(issuerID: UUID().uuidString.lowercased(), name: "Stranger", createdAt: test.now)
        var row: [UInt8] = []
        StateFile.append(try Document(kind: .team, name: otherTeam.issuerID, encoding: otherTeam).row, to: &row)
        let line = String(decoding: row.dropLast(), as: UTF8.self)
        await #expect(throws: StateRefused.self) { try await test.shop.takeState(lines + [line]) }
        try await test.shop.takeState(lines)
    }

    @Test("Additional rows are imported with the state, or nothing is imported")
    func whole() async throws {
        let source = try await shop()
        var rule = FaultRule(id: "", kind: .cut, seed: 1)
        rule.app = TestShop.bundleID
        _ = try await source.shop.faults.add(rule)
        let lines = try await text(source.shop).split(separator: "\n").dropLast().map(String.init)
        let target = try await TestShop()
        try await target.shop.reset(app: nil, .everything)
        // The target already has a fault with this id for all apps, so the fault in the export collides with it.
        _ = try await target.shop.faults.add(FaultRule(id: "", kind: .half, seed: 1))
        let before = try await text(target.shop, nil)
        await #expect(throws: StateRefused.collides(.documents)) { try await target.shop.takeState(lines) }
        #expect(try await text(target.shop, nil) == before)
        #expect(try await target.shop.storage.documents(.team).isEmpty)
    }
}
