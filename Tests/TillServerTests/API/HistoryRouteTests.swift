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

/// Reads the pages of transaction histories and refund histories, with filters, and continues from revisions.
@Suite("Pages, filters and changes of histories")
struct HistoryRouteTests {
    private static let v2 = "/inApps/v2/history/"
    private static let refunds = "/inApps/v2/refund/lookup/"

    @Test("A history has pages of twenty, in both orders and versions, for every id of the customer")
    func pages() async throws {
        for environment in StoreEnvironment.allCases {
            try await AppServer.run(in: environment) { shop in
                let bought = try await shop.buyMany("coins", by: "ann", 41)
                for version in ["/inApps/v2/history/", "/inApps/v1/history/"] {
                    let pages = try await shop.pages(version + bought[7])
                    #expect(pages.map(\.ids.count) == [20, 20, 1] && pages.flatMap(\.ids) == bought)
                    let reversed = try await shop.whole(version + bought[7], "&sort=DESCENDING").ids
                    #expect(reversed == Array(bought.reversed()))
                }
                let full = try await shop.buyMany("coins", by: "bob", 20)
                #expect(try await shop.pages(Self.v2 + full[0]).map(\.ids.count) == [20])
            }
        }
    }

    @Test("An answer has exactly the documented keys, also without transactions", arguments: StoreEnvironment.allCases)
    func keys(in environment: StoreEnvironment) async throws {
        try await AppServer.run(in: environment) { shop in
            let id = try await shop.buy("coins", by: "ann").transactionId
            for version in ["v1", "v2"] {
                for (query, count) in [("", 1), ("?productId=none", 0)] {
                    let answer = try await shop.apple.json("/inApps/\(version)/history/\(id)\(query)")
                    let keys = ["revision", "hasMore", "bundleId", "appAppleId", "environment", "signedTransactions"]
                    #expect(Set(answer.members.map(\.key)) == Set(keys))
                    #expect(answer.text("bundleId") == TestShop.bundleID && answer["hasMore"] == .bool(false))
                    #expect(answer["appAppleId"] == .number("1234567890"))
                    #expect(answer.text("environment") == environment.wireName)
                    #expect(answer["signedTransactions"]?.elements.count == count)
                    #expect(answer.text("revision")?.isEmpty == false)
                }
            }
        }
    }

    @Test("A history is filtered by product, type, ownership, revocation and date, and unknown parameters are ignored")
    func filters() async throws {
        try await AppServer.run { shop in
            let start = shop.control.test.now.milliseconds
            let day: Int64 = 86_400_000
            shop.control.test.advance(10 * day)
            let coins = try await shop.buy("coins", by: "ann").transactionId
            shop.control.test.advance(10 * day)
            let season = try await shop.buy("season", by: "ann").transactionId
            shop.control.test.advance(10 * day)
            let solo = try await shop.buy("solo", by: "ann").transactionId
            let cases: [(String, [String])] = [
                ("&productId=coins&productId=solo", [coins, solo]), ("&productId=coins&productId=coins", [coins]),
                ("&productId=solo&sort=ASCENDING&productId=coins", [coins, solo]), ("&productId=coins,solo", []),
                ("&productType=CONSUMABLE&productType=NON_RENEWABLE", [coins, season]),
                ("&startDate=\(start + 20 * day)", [season, solo]), ("&startDate=\(start + 20 * day + 1)", [solo]),
                ("&endDate=\(start + 20 * day)", [coins]), ("&endDate=\(start + 20 * day + 1)", [coins, season]),
                ("&startDate=\(start + 10 * day)&endDate=\(start + 30 * day)", [coins, season]),
                ("&endDate=\(start + 400 * day)", [coins, season, solo]),
            ]
            for (query, found) in cases { #expect(try await shop.history(coins, query) == found, "\(query)") }
            for query in ["&limit=1", "&foo", "&foo=bar&foo=baz&=", "&&&&", "&SORT=DESCENDING", "&productid=none"]
                + ["&%C3%A4=%F0%9F%8D%8E"]
            { #expect(try await shop.history(coins, query) == [coins, season, solo], "\(query)") }
            try await shop.refund(solo)
            for value in ["True", "true", "TRUE"] {
                #expect(try await shop.history(coins, "&revoked=\(value)") == [solo])
                #expect(try await shop.history(coins, "&excludeRevoked=\(value)") == [coins, season])
            }
            for value in ["False", "false", "FALSE"] {
                #expect(try await shop.history(coins, "&revoked=\(value)") == [coins, season])
                #expect(try await shop.history(coins, "&excludeRevoked=\(value)") == [coins, season, solo])
            }
            _ = try await shop.control.send(CreateFamily(app: shop.app, organizer: "eve", members: ["bob"]))
            try await shop.buy("skin", by: "eve")
            let own = try await shop.buy("coins", by: "bob").transactionId
            let shared = try await shop.whole(Self.v2 + own, "&inAppOwnershipType=FAMILY_SHARED").transactions
            #expect(shared.map { $0.text("productId") } == ["skin"])
            #expect(try await shop.history(own, "&inAppOwnershipType=PURCHASED") == [own])
        }
    }

    @Test("Every id of a customer gives the same history, and an upgraded transaction moves to the place of its change")
    func ids() async throws {
        try await AppServer.run { shop in
            let first = try await shop.buy("basic", by: "ann").transactionId
            let coins = try await shop.buy("coins", by: "ann")
            let second = try await shop.buy("pro", by: "ann").transactionId
            for id in [first, second, coins.transactionId, coins.appTransactionId] {
                #expect(try await shop.history(id) == [coins.transactionId, first, second])
            }
            // A customer without purchases is found by the app transaction id.
            _ = try await shop.control.send(CreateCustomer(app: shop.app, customer: "bob"))
            let any = try await shop.customerID("bob")
            let page = try await shop.whole(Self.v2 + any)
            #expect(page.ids.isEmpty)
            #expect(try await shop.whole(Self.refunds + any).ids.isEmpty)
            let statuses = try await shop.apple.json("/inApps/v1/subscriptions/\(any)")
            #expect(statuses["data"]?.elements == [])
            let bought = try await shop.buy("coins", by: "bob").transactionId
            #expect(try await shop.whole(Self.v2 + any, after: page.revision).ids == [bought])
            let none = try await shop.apple.json("/inApps/v1/subscriptions/\(bought)")
            #expect(none["data"]?.elements == [], "a one-time purchase has no status")
        }
    }

    // MARK: Changes

    @Test(
        "A transaction that is refunded between two pages comes again at the end",
        arguments: StoreEnvironment.allCases
    )
    func refundedBetweenPages(in environment: StoreEnvironment) async throws {
        try await AppServer.run(in: environment) { shop in
            let bought = try await shop.buyMany("coins", by: "ann", 30)
            let first = try await shop.page(Self.v2 + bought[0])
            #expect(first.ids == Array(bought[..<20]))
            let refunded = [bought[3], bought[19], bought[25]]
            try await shop.refund(refunded)
            let rest = try await shop.whole(Self.v2 + bought[0], after: first.revision)
            let unchanged = bought[20...].filter { !refunded.contains($0) }
            #expect(rest.ids == unchanged + refunded)
            for row in rest.transactions {
                let isRefunded = refunded.contains(row.text("transactionId") ?? "")
                #expect((row["revocationDate"] != nil) == isRefunded)
                #expect(row["revocationReason"]?.number == (isRefunded ? 1 : nil))
                #expect(row.text("revocationType") == (isRefunded ? "REFUND_FULL" : nil))
            }
        }
    }

    @Test("Purchases between two pages neither lose nor repeat a row")
    func boughtBetweenPages() async throws {
        try await AppServer.run { shop in
            var bought = try await shop.buyMany("coins", by: "ann", 45)
            var page = try await shop.page(Self.v2 + bought[0])
            var seen = page.ids
            while page.hasMore {
                if bought.count < 60 { bought += try await shop.buyMany("season", by: "ann", 5) }
                page = try await shop.page(Self.v2 + bought[0], after: page.revision)
                seen += page.ids
            }
            #expect(seen == Array(bought.prefix(seen.count)) && seen.count >= 45)
            bought = try await shop.buyMany("coins", by: "bob", 45)
            page = try await shop.page(Self.v2 + bought[0], "&sort=DESCENDING")
            seen = page.ids
            while page.hasMore {
                _ = try await shop.buyMany("coins", by: "bob", 1)
                page = try await shop.page(Self.v2 + bought[0], "&sort=DESCENDING", after: page.revision)
                seen += page.ids
            }
            #expect(seen == Array(bought.reversed()))
        }
    }

    @Test("The last revision finds exactly the later changes", arguments: StoreEnvironment.allCases, ["v2", "v1"])
    func changes(in environment: StoreEnvironment, _ version: String) async throws {
        try await AppServer.run(in: environment) { shop in
            let first = try await shop.buy("basic", by: "ann").transactionId
            let coins = try await shop.buy("coins", by: "ann").transactionId
            let season = try await shop.buy("season", by: "ann").transactionId
            let path = "/inApps/\(version)/history/\(first)"
            var revision = try await shop.whole(path).revision
            func changed() async throws -> [JSONTree] {
                let page = try await shop.whole(path, after: revision)
                revision = page.revision
                return page.transactions
            }
            func ids() async throws -> [String] { try await changed().compactMap { $0.text("transactionId") } }
            #expect(try await ids() == [])
            try await shop.finish(season)
            _ = try await shop.apple.json("/inApps/v1/transactions/\(coins)")
            #expect(try await ids() == [], "finishing changes no payload")
            let more = try await shop.buy("coins", by: "ann").transactionId
            #expect(try await ids() == [more])
            try await shop.refund(coins)
            let refunded = try await changed()
            #expect(refunded.map { $0.text("transactionId") } == [coins] && refunded[0]["revocationDate"] != nil)
            let token = "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"
            try await shop.setToken(token, of: season)
            let named = try await changed()
            #expect(named.map { $0.text("transactionId") } == [season] && named[0].text("appAccountToken") == token)
            try await shop.reverse(coins)
            let restored = try await changed()
            #expect(restored.map { $0.text("transactionId") } == [coins] && restored[0]["revocationDate"] == nil)
            let second = try await shop.buy("pro", by: "ann").transactionId
            let upgraded = try await changed()
            #expect(upgraded.map { $0.text("transactionId") } == [first, second])
            #expect(upgraded.map { $0["isUpgraded"] } == [.bool(true), nil])
            try await shop.setToken(token, of: season)
            #expect(try await ids() == [], "the same token again changes nothing")
        }
    }

    @Test("A revision of a filtered history finds matching changes, from the middle again, in any order of filters")
    func filteredRevisions() async throws {
        try await AppServer.run { shop in
            let coins = try await shop.buy("coins", by: "ann").transactionId
            let filter = "&productType=CONSUMABLE&revoked=false"
            let start = try await shop.whole(Self.v2 + coins, filter)
            try await shop.buy("season", by: "ann")
            let more = try await shop.buy("coins", by: "ann").transactionId
            try await shop.refund(coins)
            let found = try await shop.whole(Self.v2 + coins, filter, after: start.revision)
            #expect(found.ids == [more])
            try await shop.reverse(coins)
            #expect(try await shop.whole(Self.v2 + coins, filter, after: found.revision).ids == [coins])
            let bought = try await shop.buyMany("coins", by: "bob", 45)
            let page = try await shop.page(Self.v2 + bought[0], "&productId=coins&productId=season")
            for _ in 0..<2 {
                let query = "&productId=season&productId=coins&productId=coins"
                let rest = try await shop.whole(Self.v2 + bought[0], query, after: page.revision)
                #expect(rest.ids == Array(bought[20...]))
            }
            let first = try await shop.page(Self.v2 + bought[0])
            for _ in 0..<2 {
                let rest = try await shop.whole(Self.v2 + bought[0], after: first.revision)
                #expect(rest.ids == Array(bought[20...]))
            }
        }
    }

    @Test("A change for one member is in the histories of all members, but not in their refund histories")
    func family() async throws {
        try await AppServer.run { shop in
            _ = try await shop.control.send(CreateFamily(app: shop.app, organizer: "ann", members: ["bob"]))
            let path = Self.v2 + (try await shop.customerID("bob"))
            let start = try await shop.whole(path)
            let bought = try await shop.buy("skin", by: "ann").transactionId
            let shared = try await shop.whole(path, after: start.revision)
            #expect(shared.transactions.map { $0.text("productId") } == ["skin"])
            try await shop.refund(bought)
            let revoked = try await shop.whole(path, after: shared.revision)
            #expect(revoked.ids == shared.ids)
            #expect(revoked.transactions.map { $0.text("revocationType") } == ["FAMILY_REVOKE"])
            let copy = try #require(revoked.transactions.first?.text("originalTransactionId"))
            #expect(try await shop.whole(Self.refunds + shared.ids[0]).ids == [])
            #expect(try await shop.whole(Self.refunds + bought).ids == [bought])
            let old = try await shop.apple.json("/inApps/v1/refund/lookup/\(copy)")
            #expect(old == .object([.init("signedTransactions", .array([]))]))
            try await shop.reverse(bought)
            let back = try await shop.whole(path, after: revoked.revision)
            #expect(back.ids == shared.ids && back.transactions[0]["revocationDate"] == nil)
        }
    }

    // MARK: Refunds

    @Test("A refund history has pages of twenty in the order of the refunds", arguments: StoreEnvironment.allCases)
    func refundHistory(in environment: StoreEnvironment) async throws {
        try await AppServer.run(in: environment) { shop in
            let bought = try await shop.buyMany("coins", by: "ann", 43)
            try await shop.refund(bought.reversed())
            let page = try await shop.apple.json(Self.refunds + bought[0])
            #expect(Set(page.members.map(\.key)) == ["signedTransactions", "revision", "hasMore"])
            let pages = try await shop.pages(Self.refunds + bought[5])
            #expect(pages.map(\.ids.count) == [20, 20, 3] && pages.flatMap(\.ids) == Array(bought.reversed()))
            let dates = pages.flatMap(\.transactions).compactMap { $0["revocationDate"]?.number }
            #expect(dates == dates.sorted())
            let revision = try #require(pages.last).revision
            func changes() async throws -> [String] {
                try await shop.whole(Self.refunds + bought[0], after: revision).ids
            }
            #expect(try await changes() == [])
            let late = try await shop.buy("season", by: "ann").transactionId
            #expect(try await changes() == [], "a purchase is not a refund")
            try await shop.refund(late)
            #expect(try await changes() == [late])
        }
    }

    @Test("Refund history V1 has the newest fifty refunds, ascending")
    func oldRefundHistory() async throws {
        try await AppServer.run { shop in
            let bought = try await shop.buyMany("coins", by: "ann", 53)
            func shown() async throws -> [String] {
                let answer = try await shop.apple.json("/inApps/v1/refund/lookup/\(bought[0])")
                #expect(answer.members.map(\.key) == ["signedTransactions"])
                return try (answer["signedTransactions"]?.elements ?? []).compactMap {
                    try shop.control.payload(of: $0.text).text("transactionId")
                }
            }
            #expect(try await shown() == [])
            try await shop.refund(bought)
            #expect(try await shown() == Array(bought[3...]))
            try await shop.reverse(bought[52])
            #expect(try await shown() == Array(bought[2..<52]))
        }
    }
}
