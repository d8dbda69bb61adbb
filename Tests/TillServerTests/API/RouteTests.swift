import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Checks which paths, methods and bodies exist, and how the two environments differ.
@Suite("Routes of the App Store Server API")
struct RouteTests {
    private static let wrongCase = [
        "/inapps/v2/history/{}", "/InApps/v2/history/{}", "/inApps/V2/history/{}", "/inApps/v2/History/{}",
        "/inApps/v1/transactions/apptransactions/{}", "/INAPPS/V1/LOOKUP/{}",
    ]
    private static let unknown = [
        "/", "/inApps", "/inApps/v3/history/{}", "/inApps/v2/transactions/{}", "/inApps/v2/history/{}/more", "/v1/apps",
        "/openapi.json", "/healthz", "/metrics", "/inApps/v1/lookup",
    ]
    private static let wrongMethods: [(HTTPRequest.Method, String, String)] = [
        (.post, "/inApps/v2/history/{}", "GET"), (.delete, "/inApps/v1/transactions/{}", "GET"),
        (.get, "/inApps/v1/transactions/{}/finish", "POST"), (.put, "/inApps/v1/transactions/{}/finish", "POST"),
        (.get, "/inApps/v1/transactions/{}/appAccountToken", "PUT"), (.patch, "/inApps/v1/subscriptions/{}", "GET"),
        (.post, "/inApps/v1/transactions/{}/appAccountToken", "PUT"), (.put, "/inApps/v1/lookup/{}", "GET"),
        (.post, "/inApps/v2/refund/lookup/{}", "GET"), (.delete, "/inApps/v1/refund/lookup/{}", "GET"),
        (.post, "/inApps/v1/transactions/appTransactions/{}", "GET"),
    ]

    @Test("An unknown path is 404 and a wrong method 405, both without a body, and the explanation says why")
    func unknownRoutes() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let id = try await control.buy("coins", by: "ann").transactionId
            for path in Self.wrongCase + Self.unknown {
                let word = Self.wrongCase.contains(path) ? "case" : ""
                for headers in [nil, [:]] as [HTTPFields?] {
                    let answer = try await apple.get(path.replacing("{}", with: id), headers: headers)
                    try await apple.expectEmpty(404, answer, word)
                }
            }
            for (method, path, right) in Self.wrongMethods {
                try await apple.expectEmpty(405, try await apple.send(method, path.replacing("{}", with: id)), right)
            }
            // `appTransactions` is a sibling of the transaction id.
            let literal = try await apple.get("/inApps/v1/transactions/appTransactions")
            #expect(literal.status == 404 && literal.text.isEmpty || literal.text.contains("4000006"))
            _ = try await apple.json("/inApps/v1/transactions/appTransactions/\(id)")
        }
    }

    @Test("The documentation lists the routes that read their body; they refuse one that is not JSON, of any type")
    func bodies() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let source = try text("Sources/TillServer/API/RouteName.swift")
        let routes = source.matches(of: /"(POST|PUT) ([^"]+)": "(\w+)"/).map {
            (String($0.1), String($0.2), String($0.3))
        }
        let row = try text("docs/api/transport.md").split(separator: "\n").first {
            $0.hasPrefix("| `Content-Type` | anything")
        }
        let listed = Set((row ?? "").matches(of: /`(\w+)`/).map { String($0.1) })
        try await AppleRoutes.run { control in
            let apple = control.apple
            let coins = try await control.buy("coins", by: "ann").transactionId
            let basic = try await control.buy("basic", by: "ann").transactionId
            var reading: Set<String> = []
            for (method, path, name) in routes {
                let id = path.contains("subscriptions") ? basic : coins
                var headers = AppleRoutes.bearer(try control.test.token())
                headers[.contentType] = "text/plain"
                let answer = try await apple.send(
                    try #require(HTTPRequest.Method(rawValue: method)),
                    path.replacing("{id}", with: id),
                    "no JSON",
                    headers: headers
                )
                guard answer.status == 400 else { continue }
                try await apple.expectEmpty(400, answer, "not JSON")
                reading.insert(name)
            }
            #expect(reading == listed && reading.count == 6)
        }
    }

    @Test("A UUID may be in upper case, a body may have unknown keys, and its type may have a charset")
    func spellings() async throws {
        try await AppleRoutes.run { control in
            let id = try await control.buy("coins", by: "ann").transactionId
            for (index, type) in [
                "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
                "Application/JSON",
            ].enumerated() {
                let token = "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5\(index)"
                var headers = AppleRoutes.bearer(try control.test.token())
                headers[.contentType] = type
                let body = #"{"later":{"than":[1,22]},"appAccountToken":"\#(token.uppercased())","nothing":null}"#
                let path = "/inApps/v1/transactions/\(id)"
                let answer = try await control.apple.send(.put, path + "/appAccountToken", body, headers: headers)
                try await control.apple.expectEmpty(200, answer)
                let info = try await control.apple.json(path).text("signedTransactionInfo")
                #expect(try control.payload(of: info).text("appAccountToken") == token)
            }
        }
    }

    @Test("The environments are disjoint, so clients may ask production first and then the sandbox")
    func environments() async throws {
        try await AppleRoutes.run { control in
            let shops = [StoreEnvironment.production, .sandbox].map {
                AppServer(control: control, environment: $0)
            }
            func find(_ id: String) async throws -> StoreEnvironment? {
                for shop in shops {
                    let answer = try await shop.apple.get("/inApps/v1/transactions/\(id)")
                    if answer.status == 200 { return shop.environment }
                    try await shop.apple.expectError(4_040_010, answer)
                }
                return nil
            }
            var accounts: Set<String> = []
            for shop in shops {
                let bought = try await shop.buy("coins", by: "ann")
                #expect(try await find(bought.transactionId) == shop.environment)
                #expect(try await shop.history(bought.transactionId) == [bought.transactionId])
                accounts.insert(bought.appTransactionId)
            }
            #expect(try await find("2000000999999999") == nil)
            #expect(accounts.count == 2, "the same customer has another account in the other environment")
        }
    }

    @Test("An answer has the exact content type, its own request id, and less than the mebibyte that clients read")
    func answers() async throws {
        try await AppServer.run { shop in
            let bought = try await shop.buyMany("coins", by: "ann", 25)
            let path = "/inApps/v2/history/"
            for (id, status) in [(bought[0], 200), ("x", 400), ("12", 404)] {
                let answer = try await shop.apple.get(path + id)
                #expect(answer.status == status && answer.contentType == "application/json")
            }
            let page = try await shop.apple.get(path + bought[0])
            #expect(try page.json["signedTransactions"]?.elements.count == 20 && page.text.utf8.count < 1 << 20)
            var ids: Set<String> = []
            for _ in 0..<20 { ids.insert(try await shop.apple.get("/inApps/v1/transactions/\(bought[0])").requestID) }
            #expect(ids.count == 20)
        }
    }

    // MARK: Transactions, statuses and orders

    @Test("Finish hides a consumable from history V1 until it is refunded", arguments: StoreEnvironment.allCases)
    func finish(in environment: StoreEnvironment) async throws {
        try await AppServer.run(in: environment) { shop in
            let coins = try await shop.buy("coins", by: "ann").transactionId
            let season = try await shop.buy("season", by: "ann").transactionId
            let v1 = "/inApps/v1/history/\(coins)"
            #expect(try await shop.whole(v1).ids == [coins, season])
            for _ in 0..<2 {
                try await shop.finish(coins)
                try await shop.finish(season)
                #expect(try await shop.whole(v1).ids == [season])
                #expect(try await shop.history(coins) == [coins, season], "finishing moved a transaction")
            }
            try await shop.refund(coins)
            #expect(try await shop.whole(v1).ids == [season, coins], "a refunded one is missing")
            let done = BuyProduct(app: shop.app, customer: "bob", productId: "coins", finished: true)
            let finished = try #require(try await shop.control.send(done).transaction).transactionId
            let waiting = try await shop.buy("coins", by: "bob").transactionId
            #expect(try await shop.whole("/inApps/v1/history/\(waiting)").ids == [waiting])
            #expect(try await shop.history(waiting) == [finished, waiting])
        }
    }

    @Test("The refund of a past period does not end the current one, and a reversal restores access")
    func pastRefund() async throws {
        try await AppServer.run { shop in
            let old = try await shop.lapsed("basic", by: "ann").transactionId
            let running = try await shop.buy("basic", by: "ann")
            #expect(running.originalTransactionId == old)
            func status() async throws -> SubscriptionStatus? {
                try await shop.control.statuses(of: "ann", in: shop.app).first?.status
            }
            try await shop.refund(old)
            #expect(try await status() == .active)
            let latest = try await shop.control.statuses(of: "ann", in: shop.app).first?.transaction
            #expect(latest?.text("transactionId") == running.transactionId)
            try await shop.reverse(old)
            try await shop.refund(running.transactionId)
            #expect(try await status() == .revoked)
            try await shop.reverse(running.transactionId)
            #expect(try await status() == .active)
            let earlier = try await shop.control.buy(
                "basic",
                by: "bob",
                offer: .noOffer,
                at: shop.control.inDays(-10)
            )
            let refund = RefundTransaction(app: shop.app, transactionId: earlier.transactionId, share: .unused)
            let refunded = try await shop.control.send(refund).transaction
            let end = try #require(earlier.expiresDate).milliseconds
            let left = Double(end - (try #require(refunded.revocationDate)).milliseconds)
            let share = left / Double(end - earlier.purchaseDate.milliseconds) * 100_000
            #expect(refunded.revocationType == .refundProrated)
            #expect(abs(Double(refunded.revocationPercentage ?? 0) - share) < 10)
            #expect(try await shop.control.statuses(of: "bob", in: shop.app).first?.status == .revoked)
            for part in [1, 50_000, 33_333, 99_999] {
                let id = try await shop.buy("season", by: "cat").transactionId
                let request = RefundTransaction(
                    app: shop.app,
                    transactionId: id,
                    share: .part,
                    percentage: part,
                    include: [.signed]
                )
                let signed = try await shop.control.send(request).transaction.signedTransactionInfo
                let payload = try shop.control.payload(of: signed)
                #expect(payload.text("revocationType") == "REFUND_PRORATED")
                #expect(payload["revocationPercentage"]?.number == Int64(part))
                #expect(payload["revocationReason"]?.number == 0)
            }
        }
    }

    @Test("An order has all its transactions; an order id is ten characters, and an unknown one has status 1")
    func orders() async throws {
        for environment in StoreEnvironment.allCases {
            try await AppServer.run(in: environment) { shop in
                let first = try await shop.buy("coins", by: "ann")
                let order = try #require(first.orderId)
                let more = BuyProduct(app: shop.app, customer: "ann", productId: "season", orderId: order)
                let second = try #require(try await shop.control.send(more).transaction)
                let alone = try await shop.buy("solo", by: "ann")
                #expect(second.orderId == order && alone.orderId != order)
                #expect(order.hasPrefix("M") && order.count == 10)
                let payload = try shop.control.payload(of: first.signedTransactionInfo)
                #expect(!String(decoding: payload.written(), as: UTF8.self).contains(order))
                for (id, found) in [
                    (order, [first.transactionId, second.transactionId]), (alone.orderId ?? "", [alone.transactionId]),
                ] {
                    let answer = try await shop.apple.json("/inApps/v1/lookup/\(id)")
                    #expect(Set(answer.members.map(\.key)) == ["status", "signedTransactions"])
                    #expect(answer["status"]?.number == 0)
                    let signed = try (answer["signedTransactions"]?.elements ?? []).map {
                        try shop.control.payload(of: $0.text).text("transactionId") ?? ""
                    }
                    #expect(signed.sorted() == found.sorted())
                }
                let other = environment == .sandbox ? StoreEnvironment.production : .sandbox
                let apple = AppleRoutes(test: shop.control.test, environment: other)
                let none = JSONTree.object([.init("status", .number("1"))])
                #expect(try await apple.json("/inApps/v1/lookup/\(order)") == none)
                let neighbour = try await shop.control.addNeighbour()
                let foreign = try await shop.apple.get(
                    "/inApps/v1/lookup/\(order)",
                    headers: neighbour
                )
                #expect(try foreign.json == none)
                for id in ["MZZZZZZZZZ", "M1", first.transactionId] {
                    #expect(try await shop.apple.json("/inApps/v1/lookup/\(id)") == none, "\(id)")
                }
            }
        }
    }
}
