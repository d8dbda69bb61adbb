import Crypto
import Foundation
import Testing
import TillCore
import TillSigning
import TillStorage
import TillTesting

@testable import TillShop

/// The digest is right in all of them: whoever changes a text by hand can write one anew.
@Suite("A written state that no Till wrote is refused")
struct StateCheckTests {
    private static let scope = AccountScope(realm: .sandbox, app: TestShop.bundleID)

    private func shop() async throws -> TestShop {
        let test = try await TestShop(selling: SampleProducts.all)
        _ = try await test.shop.setClock(ClockName(Self.scope), .freeze(at: nil))
        try await test.shop.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/notifications")]
        }
        try await test.buy("pro", by: "ann")
        return test
    }

    private func text(_ shop: Shop, _ app: String? = TestShop.bundleID) async throws -> String {
        var text: [UInt8] = []
        try await shop.exportState(of: app) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }

    private func take(_ lines: [String], into shop: Shop) async throws {
        var text = Data(lines.map { $0 + "\n" }.joined().utf8)
        let foot = StateFile.Foot(
            rows: lines.count { $0.hasPrefix("[") },
            sha256: Hexadecimal.text(SHA256.hash(data: text))
        )
        text += try StateFile.line(foot)
        var state = try StateImport(shop)
        do {
            try await state.take(text)
        } catch {
            await state.abandon()
            throw error
        }
        _ = try await state.finish()
    }

    @Test(
        "Rows that contradict themselves, each other or what there can be",
        arguments: [
            ("accounts", #"\"id\":704"#, #"\"id\":705"#, "is not what its columns say"),
            ("accounts", #"\"app\":\"com.example.shop\""#, #"\"app\":\"com.other\""#, "is not what its columns say"),
            ("accounts", #"\"version\":"#, #"\"version\":7"#, "is not what its columns say"),
            ("accounts", ",704", ",-704", "a number that no Till gives"),
            ("accounts", ",704", ",703", "a number that no Till gives"),
            ("ledger", ",704", ",705", "of an account that is not in the text"),
            ("ledger", ",2000000", ",2900000", "a number that no Till gives"),
            ("ledger", ",2000000", ",-2000000", "a number that no Till gives"),
            ("outbox", ",704", ",705", "of an account that is not in the text"),
            ("deliveries", "[", "[1", "a number that no Till gives"),
            ("documents", #"["app","com.example.shop""#, #"["app","com.other""#, "not what its name says"),
            ("documents", #"["rules","sandbox/com.example.shop""#, #"["rules","sandbox/com.other""#, "its name says"),
            ("documents", #"["clock","sandbox/com.example.shop""#, #"["clock","sandbox/com.other""#, "its name says"),
            ("documents", #"\"frozen\":{\"at\":"#, #"\"frozen\":{\"at\":99999"#, "its name says"),
            ("documents", #"\"createdAt\":"#, #"\"createdAt\":-"#, "a number that no Till gives"),
            ("documents", #"\"milliunits\":"#, #"\"milliunits\":900000000000000"#, "a number that no Till gives"),
            ("documents", #"["app","com.example.shop""#, #"["app","..""#, "not what its name says"),
            ("accounts", #"\"lastEvent\":"#, #"\"lastEvent\":9999"#, "a number that no Till gives"),
            ("accounts", #"\"recentStart\":"#, #"\"recentStart\":-"#, "a number that no Till gives"),
            ("accounts", #"\"purchaseDate\":"#, #"\"purchaseDate\":999"#, "a number that no Till gives"),
            ("accounts", #"\"anchorDay\":"#, #"\"anchorDay\":99"#, "a number that no Till gives"),
            ("accounts", #"\"quantity\":1"#, #"\"quantity\":11"#, "a number that no Till gives"),
            ("accounts", #"\"expiresDate\":"#, #"\"expires\":"#, "a period without an end"),
            ("companions", #"["key",""#, #"["key","X"#, "its name says"),
            ("companions", #"["chain",""#, #"["chain","0"#, "its name says"),
            ("companions", #"["team",""#, #"["team","0"#, "its name says"),
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
            try await take(lines, into: test.shop)
            Issue.record("taken in")
        } catch StateRefused.badFile(_, let what) {
            #expect(what.contains(words), "\(what)")
        }
        #expect(try await text(test.shop, nil) == before)
        #expect(try await test.shop.storage.snapshots().isEmpty)
    }

    @Test(
        "A number of a row that leads arithmetic astray",
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
                try await take(changed, into: test.shop)
                Issue.record("\(column) \(number) was taken in")
            } catch StateRefused.badFile(_, let what) {
                #expect(what.contains("a number that no Till gives"), "\(what)")
            }
        }
    }

    @Test("Numbers are judged by their keys, wherever they stand")
    func documents() {
        for good in [
            #"{"a":"\"milliunits\":-1","b":[1,2.5,1e3],"id":9223372036854775807}"#, #"{"share":0.25}"#, "[]", "7",
        ] { #expect(NumberCheck.arePossible(in: good), "\(good)") }
        for bad in [
            #"{"a":-1}"#, #"{"a":[0,[253402300800000]]}"#, #"{"id":-1}"#, #"{"a":1e18}"#,
            #"{"a":99999999999999999999}"#,
            #"{"i\u0064":9223372036854775807}"#, "{\"days\" :\n1001}",
        ] { #expect(!NumberCheck.arePossible(in: bad), "\(bad)") }
        #expect(NumberCheck.arePossible(in: #"{"seed":18446744073709551615}"#, except: ["seed"]))
    }

    @Test("Tables come in their order, and what comes along is of the state")
    func order() async throws {
        let test = try await shop()
        let lines = try await text(test.shop).split(separator: "\n").dropLast().map(String.init)
        let ledger = try #require(lines.firstIndex { $0.contains(#""table":"ledger""#) })
        let accounts = try #require(lines.firstIndex { $0.contains(#""table":"accounts""#) })
        let swapped = Array(lines[..<accounts] + lines[ledger...])
        await #expect(throws: StateRefused.badFile(line: accounts + 1, "the table ledger comes too early")) {
            try await take(swapped, into: test.shop)
        }
        let key = try #require(lines.last { $0.hasPrefix(#"["key","#) })
        await #expect(throws: StateRefused.self) { try await take(lines + [key], into: test.shop) }
        let stranger = Team(issuerID: UUID().uuidString.lowercased(), name: "Stranger", createdAt: test.now)
        var row: [UInt8] = []
        StateFile.append(try Document(kind: .team, name: stranger.issuerID, encoding: stranger).row, to: &row)
        let line = String(decoding: row.dropLast(), as: UTF8.self)
        await #expect(throws: StateRefused.self) { try await take(lines + [line], into: test.shop) }
        try await take(lines, into: test.shop)
    }

    @Test("What comes along is put down with the state or not at all")
    func whole() async throws {
        let source = try await shop()
        var rule = FaultRule(id: "", kind: .cut, seed: 1)
        rule.app = TestShop.bundleID
        _ = try await source.shop.faults.add(rule)
        let lines = try await text(source.shop).split(separator: "\n").dropLast().map(String.init)
        let target = try await TestShop()
        try await target.shop.reset(app: nil, .everything)
        // Of the same name, and of another app: of all.
        _ = try await target.shop.faults.add(FaultRule(id: "", kind: .half, seed: 1))
        let before = try await text(target.shop, nil)
        await #expect(throws: StateRefused.collides(.documents)) { try await take(lines, into: target.shop) }
        #expect(try await text(target.shop, nil) == before)
        #expect(try await target.shop.storage.documents(.team).isEmpty)
    }
}
