import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// The catalog and product pages.
@Suite("Catalog pages")
struct CatalogPageTests {
    private let path = "/console/apps/com.example.shop/sandbox/catalog"

    @Test("The pages show groups with levels, products with prices, offers, and localizations in their own scripts")
    func shown() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        try await CatalogInManyScripts.put(in: test)
        let path = path
        try await site.visit { visitor in
            let list = try await visitor.get(path)
            for text in [
                "<bdi>Plans</bdi>", "12.50 USD", "DEU 13.99 EUR", "free for 1 week", "1.99 USD every month, 3 times",
                "9.99 USD for 3 months, paid up front", "not for sale", "アプリ内課金 🍎",
            ] { #expect(list.text.contains(text), "\(text)") }
            let product = try await visitor.get("\(path)/pro.month")
            for text in [
                "4.99 USD a month", "for new, expired customers; at most 1000 redemptions",
                "after 2 paid months; 1 to 24 months after expiry; at least 3 months between offers", "اشتراك شهري",
                "dir=\"auto\" lang=\"ar\"", "&quot;productId&quot;: &quot;pro.month&quot;",
            ] { #expect(product.text.contains(text), "\(text)") }
            let nothing = try await visitor.get("\(path)/nothing")
            #expect(nothing.status == 404)
        }
    }

    @Test("Forms add a group and a product, and show errors at their fields")
    func added() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        let path = path
        try await site.visit { visitor in
            _ = try await visitor.perform("putGroup", on: path, [("groupId", "plans"), ("name", "Plans")])
            let fields = [
                ("productId", "pro"), ("type", "AUTO_RENEWABLE"), ("price", "4.99"), ("subscription.groupId", "plans"),
                ("subscription.level", "2"), ("subscription.period", "P1M"), ("familyShareable", "true"),
            ]
            let wrong = try await visitor.perform(
                "putProduct",
                on: path,
                fields.filter { $0.0 != "price" } + [("price", "4,99")]
            )
            #expect(wrong.status == 400)
            #expect(wrong.text.contains("id=\"putProduct-price-fault\"") && wrong.text.contains("value=\"4,99\""))
            let right = try await visitor.perform("putProduct", on: path, fields)
            #expect(right.status == 200, "\(right.text)")
        }
        let pro = try #require(test.shop.registry.catalog(of: TestShop.bundleID).products["pro"])
        #expect(pro.plan?.level == 2 && pro.isFamilyShareable && pro.prices.standard.milliunits == 4_990)
    }

    @Test("The product page raises the price, removes the product from sale, and replaces it as JSON")
    func changed() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let page = "\(path)/pro"
        try await site.visit { visitor in
            let id = ("path.productId", "pro")
            let raised = try await visitor.perform("raisePrice", on: page, [id, ("price:money", "5.99")])
            #expect(raised.status == 200 && raised.text.contains("5.99 USD a month"))
            let off = try await visitor.perform("setForSale", on: page, [id, ("forSale", "false")])
            #expect(off.text.contains("not for sale"))
            let json =
                #"{"productId": "pro", "type": "AUTO_RENEWABLE", "price": "7", "subscription": "#
                + #"{"groupId": "20450880", "level": 1, "period": "P1M"}}"#
            let replaced = try await visitor.perform("putProduct", on: page, [("_document", json)])
            #expect(replaced.status == 200 && replaced.text.contains("7 USD a month"))
        }
    }

    @Test("A large catalog is split into pages")
    func paged() async throws {
        let products = (1...120).map { index in Product.coins.with { $0.id = "coins\(1_000 + index)" } }
        let site = try TestConsole(try await TestShop(selling: products))
        let path = path
        try await site.visit { visitor in
            let first = try await visitor.get(path)
            #expect(first.text.contains("coins1050") && !first.text.contains("coins1051"))
            #expect(first.text.contains("?after=coins1050"))
            let last = try await visitor.get("\(path)?after=coins1100")
            #expect(last.text.contains("coins1120") && !last.text.contains("More products"))
        }
    }
}

/// Products of every kind, with localizations in several scripts.
enum CatalogInManyScripts {
    static func put(in test: TestShop) async throws {
        let control = try TestConsole(test).console.control
        let app = ["bundleId": TestShop.bundleID]
        _ = try await control.perform(PutCatalog.operationID, app, document: Array(json.utf8))
    }

    private static let json = """
        {"groups": [{"groupId": "plans", "name": "Plans",
            "localizations": [{"locale": "ja", "displayName": "アプリ内課金 🍎", "description": ""}]}],
         "products": [
          {"productId": "pro.month", "type": "AUTO_RENEWABLE", "referenceName": "Pro <script>alert(1)</script>",
           "price": "4.99", "subscription": {"groupId": "plans", "level": 2, "period": "P1M"},
           "localizations": [{"locale": "ar", "displayName": "اشتراك شهري", "description": "كل شيء 🎉"}],
           "offers": [
            {"kind": "INTRODUCTORY", "mode": "FREE_TRIAL", "period": "P1W"},
            {"kind": "PROMOTIONAL", "id": "stay", "mode": "PAY_AS_YOU_GO", "period": "P1M", "periodCount": 3,
             "price": "1.99"},
            {"kind": "CODE", "id": "SPRING", "mode": "PAY_UP_FRONT", "period": "P3M", "price": "9.99",
             "audience": ["NEW", "EXPIRED"], "redemptionLimit": 1000},
            {"kind": "WIN_BACK", "id": "miss-you", "mode": "FREE_TRIAL", "period": "P1M",
             "winBack": {"minimumPaidMonths": 2, "monthsSinceExpiry": [1, 24], "monthsBetweenOffers": 3}}]},
          {"productId": "boots", "type": "NON_CONSUMABLE", "price": "12.50", "forSale": false,
           "prices": {"DEU": {"price": "13.99"}}}]}
        """
}
