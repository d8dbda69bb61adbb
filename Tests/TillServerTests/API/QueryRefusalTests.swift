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

/// Sends wrong query parameters, order ids and revisions.
@Suite("Query parameters that a route does not accept")
struct QueryRefusalTests {
    private static let long = String(repeating: "x", count: 300)
    private static let queries: [(Int, [String])] = [
        // A range that ends before its start has no documented code; 4000015 is recommended.
        (
            4_000_015,
            [
                "startDate=yesterday", "startDate=-1", "startDate=1.5", "startDate=",
                "startDate=" + String(repeating: "9", count: 30), "startDate=5000&endDate=4000",
                "startDate=5000&endDate=5000",
            ]
        ),
        (4_000_016, ["endDate=2026-01-01", "endDate=1e12"]),
        (4_000_021, ["sort=NEWEST", "sort=ascending", "sort="]),
        (
            4_000_022,
            [
                "productType=Consumable", "productType=CONSUMABLE&productType=SOMETHING",
                "productType=CONSUMABLE,NON_CONSUMABLE",
            ]
        ),
        (4_000_023, ["productId=", "productId=\(long)"]),
        (4_000_024, ["subscriptionGroupIdentifier=", "subscriptionGroupIdentifier=\(long)"]),
        (4_000_026, ["inAppOwnershipType=MINE", "inAppOwnershipType=purchased"]),
        (4_000_030, ["revoked=maybe", "revoked=1", "revoked=", "excludeRevoked=perhaps"]),
        (4_000_005, ["revision=nonsense", "revision="]),
    ]

    @Test("A wrong query parameter of a history has its own code", arguments: ["v1", "v2"])
    func history(version: String) async throws {
        try await AppleRoutes.run { control in
            let id = try await control.buy("coins", by: "ann").transactionId
            for (code, queries) in Self.queries {
                for query in queries where version == "v2" || !query.hasPrefix("excludeRevoked") {
                    let answer = try await control.apple.get("/inApps/\(version)/history/\(id)?\(query)")
                    try await control.apple.expectError(code, answer)
                }
            }
        }
    }

    @Test("A wrong status and a malformed order id have their codes")
    func others() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let id = try await control.buy("coins", by: "ann").transactionId
            for status in ["0", "6", "9", "active", "", "1,2", "1.0", "-1", "11"] {
                for query in ["status=\(status)", "status=1&status=\(status)"] {
                    let answer = try await apple.get("/inApps/v1/subscriptions/\(id)?\(query)")
                    try await apple.expectError(4_000_031, answer)
                }
            }
            let production = AppleRoutes(test: control.test, environment: .production)
            for order in ["M-1", "M12345678!", Self.long, "M%20A", "M%C3%8412345678", ""] {
                for apple in [apple, production] {
                    try await apple.expectError(4_000_000, try await apple.get("/inApps/v1/lookup/\(order)"))
                }
            }
        }
    }

    @Test("Checks run in the order token, path, query or body, existence")
    func order() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let wrong = "/inApps/v2/history/nonsense?sort=NEWEST&startDate=x"
            let never = "2000000999999999"
            try await apple.expectUnauthenticated(
                try await apple.get(wrong, headers: AppleRoutes.bearer("x.y.z"))
            )
            try await apple.expectError(4_000_006, try await apple.get(wrong))
            try await apple.expectError(4_000_021, try await apple.get("/inApps/v2/history/\(never)?sort=NEWEST"))
            try await apple.expectError(4_040_010, try await apple.get("/inApps/v2/history/\(never)"))
            let path = "/inApps/v1/transactions/\(never)/appAccountToken"
            try await apple.expectError(4_000_183, try await apple.send(.put, path, #"{"appAccountToken":"x"}"#))
        }
    }

    // MARK: Revisions

    /// The revision in the answer to a request.
    private func revision(_ apple: AppleRoutes, _ path: String) async throws -> String {
        try #require(try await apple.json(path)["revision"]?.text)
    }

    @Test("A revision of a history is valid only for its own customer, route, order, filter, environment and app")
    func revisions() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let mine = try await control.buy("coins", by: "ann")
            let other = try await control.buy("coins", by: "bob").transactionId
            let abroad = try await control.buy(
                "coins",
                by: "ann",
                in: AppEnvironment(TestShop.bundleID, .production)
            ).transactionId
            _ = try await control.addApp("com.neighbour", issuerID: control.test.app.issuerID)
            let neighbour = try await control.buy("coins", by: "ann", in: AppEnvironment("com.neighbour")).transactionId
            let path = "/inApps/v2/history/\(mine.transactionId)"
            let revision = try await revision(apple, path)
            let same = "/inApps/v2/history/\(mine.appTransactionId)?revision=\(revision)"
            #expect(try await apple.json(same)["signedTransactions"]?.elements == [])
            func expect(_ answer: AppleRoutes.Answer, _ word: String = "", _ routes: AppleRoutes) async throws {
                try await routes.expectError(4_000_005, answer, word)
            }
            let query = "revision=\(revision)"
            try await expect(try await apple.get("/inApps/v2/history/\(other)?\(query)"), "customer", apple)
            try await expect(try await apple.get("/inApps/v1/history/\(mine.transactionId)?\(query)"), "route", apple)
            for more in ["sort=DESCENDING", "productId=coins"] {
                try await expect(try await apple.get("\(path)?\(query)&\(more)"), "", apple)
            }
            let production = AppleRoutes(test: control.test, environment: .production)
            try await expect(try await production.get("/inApps/v2/history/\(abroad)?\(query)"), "", production)
            let token = try BearerTokens(test: control.test).token(["bid": #""com.neighbour""#])
            let headers = AppleRoutes.bearer(token)
            try await expect(
                try await apple.get("/inApps/v2/history/\(neighbour)?\(query)", headers: headers),
                "",
                apple
            )
            for text in Self.changes(of: revision, every: 7) + [revision + revision + revision] {
                try await expect(try await apple.get("\(path)?revision=\(text)"), "", apple)
            }
        }
    }

    /// The text with a changed, a missing and an additional character.
    static func changes(of text: String, every step: Int) -> [String] {
        let changed = stride(from: 0, to: text.count, by: step).map { place in
            var characters = Array(text)
            characters[place] = characters[place] == "A" ? "B" : "A"
            return String(characters)
        }
        return changed + [String(text.dropLast()), text + "A"]
    }

    @Test("A revision of a refund history is valid only for the refunds of the same customer")
    func refundRevisions() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let mine = try await control.buy("coins", by: "ann").transactionId
            let other = try await control.buy("coins", by: "bob").transactionId
            let history = try await revision(apple, "/inApps/v2/history/\(mine)")
            let refunds = try await revision(apple, "/inApps/v2/refund/lookup/\(mine)")
            let path = "/inApps/v2/refund/lookup/"
            for wrong in [
                "/inApps/v2/history/\(mine)?revision=\(refunds)", "\(path)\(mine)?revision=\(history)",
                "\(path)\(other)?revision=\(refunds)", "\(path)\(mine)?revision=nonsense",
                "\(path)\(mine)?revision=\(String(refunds.reversed()))",
            ] {
                try await apple.expectError(4_000_005, try await apple.get(wrong))
            }
        }
    }
}
