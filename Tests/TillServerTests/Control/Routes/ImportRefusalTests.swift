import Testing
import TillControl
import TillCore
import TillJSON
import TillSigning
import TillTestSupport

/// What an import refuses or leaves out (docs/client/import.md).
@Suite("An import takes nothing that cannot be explained")
struct ImportRefusalTests {
    /// The answers about a customer with transactions, which differ from the purchase of a map in some keys. A key with
    /// null is absent.
    private static func answers(_ changes: [[String: JSONTree]]) -> CustomerAnswers {
        let rows = changes.enumerated().map { place, changed in
            let id = JSONTree.string(String(2_000_000_912_340_000 + place))
            let row: [String: JSONTree] = [
                "transactionId": id, "originalTransactionId": id, "bundleId": .string(TestShop.bundleID),
                "environment": .string("Sandbox"), "productId": .string("map"), "type": .string("Non-Consumable"),
                "purchaseDate": .number("1767225600000"), "signedDate": .number("1767225600000"),
                "storefront": .string("USA"), "price": .number("1990"), "currency": .string("USD"),
            ]
            let merged = row.merging(changed) { $1 }.filter { $0.value != .null }
            return JSONTree.object(merged.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value) })
        }
        let page = JSONTree.object([
            .init("bundleId", .string(TestShop.bundleID)), .init("hasMore", .bool(false)),
            .init("signedTransactions", .array(rows)),
        ])
        return CustomerAnswers(answers: [JSONObject(page)])
    }

    private static func refusal(_ answers: CustomerAnswers, by server: AppServer) async throws -> ControlFailure? {
        do {
            _ = try await ImportControlTests.bring("zoe", answers, to: server)
            return nil
        } catch let failure as ControlFailure {
            return failure
        }
    }

    private static func products(of server: AppServer) async throws -> [String] {
        try await server.control.send(GetCatalog(bundleId: TestShop.bundleID)).products.map(\.productId).sorted()
    }

    @Test("A refused import leaves no products and no clock")
    func nothingLeft() async throws {
        try await AppServer.run { server in
            let before = try await Self.products(of: server)
            let own = try await server.buy("basic", by: "own")
            let item = try #require(own.webOrderLineItemId)
            for (change, words) in [
                (["appTransactionId": .string("2000000912340000")], "twice in the answers"),
                (["webOrderLineItemId": .string(item)], item), (["signedDate": .number("0")], "time of the answers"),
                (["productId": .string("")], "productId is"),
            ] as [([String: JSONTree], String)] {
                let failure = try #require(try await Self.refusal(Self.answers([change]), by: server))
                #expect(failure.error.message.contains(words), "\(failure.error.message)")
            }
            _ = try await server.control.send(CreateClock(app: server.app, name: "zoe"))
            let failure = try #require(try await Self.refusal(Self.answers([[:]]), by: server))
            #expect(failure.status == 409 && failure.error.code == "clock_exists")
            #expect(try await Self.products(of: server) == before)
            let clocks = try await server.control.send(ListClocks(app: server.app)).compactMap(\.name)
            #expect(clocks == ["zoe"])
        }
    }

    @Test("A value of a wrong type, and an impossible value, quarantine the transaction with the key")
    func impossible() async throws {
        let values: [(key: String, value: JSONTree)] = [
            ("revocationDate", .string("1767225601000")), ("revocationDate", .number("-1")),
            ("revocationDate", .number("1867225601000")), ("purchaseDate", .number("253402300799999")),
            ("expiresDate", .number("253402300799999")), ("originalPurchaseDate", .string("x")),
            ("price", .string("1990")), ("price", .number("-5")), ("price", .number("9007199254740992")),
            ("currency", .string("USDX")), ("currency", .string("\u{1B}[2")), ("quantity", .number("0")),
            ("quantity", .number("11")), ("storefront", .number("5")), ("storefront", .string("XXX")),
            ("appAccountToken", .string("x\u{1B}[2J")), ("webOrderLineItemId", .number("5")),
            ("isUpgraded", .string("true")), ("commitmentInfo", .string("x")), ("productId", .string("a\u{1}b")),
        ]
        try await AppServer.run { server in
            let report = try await ImportControlTests.bring(
                "zoe",
                Self.answers([[:]] + values.map { [$0.key: $0.value] }),
                to: server
            )
            #expect(report.transactions == 1 && report.productsCreated == ["map"])
            let reasons = Dictionary(report.quarantined.map { ($0.subject, $0.reason) }) { first, _ in first }
            #expect(report.quarantined.count == values.count)
            for (place, entry) in values.enumerated() {
                let reason = try #require(reasons["transaction \(2_000_000_912_340_001 + place)"])
                #expect(reason.contains("\(entry.key) "), "\(reason)")
                #expect(!reason.unicodeScalars.contains("\u{1B}"), "the report contains no control characters")
            }
        }
    }

    @Test("Answers about two customers are refused, but Apple's placeholder for appTransactionId is no second customer")
    func severalCustomers() async throws {
        let (one, other) = (JSONTree.string("704000000000000001"), JSONTree.string("704000000000000002"))
        let placeholder = JSONTree.string("700000000000000000")
        try await AppServer.run { server in
            let two = Self.answers([["appTransactionId": one], [:], ["appTransactionId": other]])
            var elsewhere = Self.answers([["appTransactionId": one]])
            elsewhere.historyV1 = Self.answers([["appTransactionId": other]]).answers
            for answers in [two, elsewhere] {
                let failure = try #require(try await Self.refusal(answers, by: server))
                #expect(failure.status == 400 && failure.error.code == "several_customers")
                let words = failure.error.message
                #expect(words.contains("704000000000000001 and 704000000000000002"), "\(words)")
            }
            // Another app gives the customer another id.
            let foreign: [String: JSONTree] = ["appTransactionId": other, "bundleId": .string("com.example.other")]
            let same = Self.answers([["appTransactionId": placeholder], ["appTransactionId": one], foreign])
            let report = try await ImportControlTests.bring("zoe", same, to: server)
            #expect(report.appTransactionId == "704000000000000001" && report.transactions == 2)
            #expect(report.quarantined.map(\.subject) == ["transaction 2000000912340002"])
        }
    }

    @Test("Ids that cannot be read are reported, wherever they are, and a list that is no array is refused")
    func unreadableIDs() async throws {
        try await AppServer.run { server in
            let row = Self.answers([["storefront": .null]])
            var answers = row
            let broken = Self.answers([["transactionId": .number("5")]])
            answers.historyV1 = broken.answers
            let list = try #require(broken.answers.first).tree["signedTransactions"] ?? .null
            let refunds = [JSONTree.Member("revision", .string("r")), .init("signedTransactions", list)]
            answers.answers.append(JSONObject(.object(refunds)))
            let looked = JSONObject(.object([.init("status", .number("0")), .init("signedTransactions", list)]))
            answers.orders = [OrderAnswer(orderId: "MAAA", answer: looked)]
            let report = try await ImportControlTests.bring("zoe", answers, to: server)
            let found = report.quarantined.filter { $0.reason.contains("transactionId is") }.map(\.subject)
            #expect(found == ["refund history", "history of version 1", "order MAAA"])
            #expect(report.assumptions.map(\.subject) == ["storefront"])
            for value in [JSONTree.string("x"), .object([.init("a", .null)])] {
                var refused = row
                refused.answers.append(JSONObject(.object([.init("data", value)])))
                let failure = try #require(try await Self.refusal(refused, by: server))
                #expect(failure.error.code == "bad_document" && failure.error.message.contains("$.answers[1].data"))
            }
        }
    }

    @Test("Transactions of a product that a catalog cannot have are quarantined with the reason of the catalog")
    func products() async throws {
        let long = JSONTree.string(String(repeating: "a", count: 300))
        let subscription: [String: JSONTree] = [
            "type": .string("Auto-Renewable Subscription"), "expiresDate": .number("1769904000000"),
            "productId": .string("club"), "subscriptionGroupIdentifier": long,
        ]
        let dear: [String: JSONTree] = ["productId": .string("dear"), "price": .number("10000000000000")]
        try await AppServer.run { server in
            let answers = Self.answers([[:], ["productId": long], subscription, dear])
            let report = try await ImportControlTests.bring("zoe", answers, to: server)
            #expect(report.transactions == 1 && report.productsCreated == ["map"])
            let reasons = report.quarantined.map(\.reason)
            #expect(reasons.count == 3)
            for (reason, key) in zip(reasons, ["productId", "groupId", "price"]) {
                #expect(reason.contains("the catalog refuses its product") && reason.contains(key), "\(reason)")
            }
        }
    }

    @Test("A deleted customer can be imported again, and a clock that no import created stays")
    func again() async throws {
        try await AppServer.run { server in
            func clocks() async throws -> [String] {
                try await server.control.send(ListClocks(app: server.app)).compactMap(\.name)
            }
            for _ in 0..<2 {
                _ = try await ImportControlTests.bring("zoe", Self.answers([[:]]), to: server)
                #expect(try await clocks() == ["zoe"])
                _ = try await server.control.send(EraseCustomer(app: server.app, customer: "zoe", dryRun: true))
                #expect(try await clocks() == ["zoe"])
                _ = try await server.control.send(EraseCustomer(app: server.app, customer: "zoe"))
                #expect(try await clocks().isEmpty)
            }
            _ = try await server.control.send(CreateClock(app: server.app, name: "mine"))
            _ = try await server.control.send(CreateCustomer(app: server.app, customer: "yan", clock: "mine"))
            _ = try await server.control.send(EraseCustomer(app: server.app, customer: "yan"))
            #expect(try await clocks() == ["mine"])
        }
    }
}
