import Testing
import TillCore

@testable import TillShop

/// Checks imports into a shop whose customers have already bought something.
@Suite("A second import changes the products for sale, but no past purchases")
struct CatalogMergeTests {
    private func product(
        _ id: String,
        _ type: ProductKind = .consumable,
        price: Int64 = 990,
        group: String? = nil
    ) -> Product {
        Product(
            id: id,
            type: type,
            referenceName: id,
            prices: PriceList(standard: Money(milliunits: price, currency: "USD")),
            plan: group.map { SubscriptionPlan(groupID: $0, level: 1, period: Period(1, .month)) }
        )
    }

    private func catalog(_ products: Product...) -> Catalog {
        var catalog = Catalog()
        for product in products { catalog.put(product) }
        return catalog
    }

    @Test("Importing a file twice gives the same result as importing it once", arguments: ["v1.0", "v2.0", "v5.0"])
    func twice(name: String) throws {
        let file = try CatalogFixtures.read(name)
        let once = try file.merged(into: Catalog())
        #expect(once == file.catalog)
        #expect(try file.merged(into: once) == once)
    }

    @Test("A new definition replaces the old one, and the new settings apply")
    func replaced() throws {
        var new = catalog(product("a", price: 1_990))
        new.settings.storefront = "DEU"
        let merged = try CatalogImport(catalog: new).merged(into: catalog(product("a")))
        #expect(merged == new)
    }

    @Test("A product that is missing in the new file is kept with its group, but is not for sale")
    func gone() throws {
        let old = catalog(product("a"), product("s", .autoRenewable, group: "G"))
        let merged = try CatalogImport(catalog: catalog(product("b"))).merged(into: old)
        #expect(merged.products.keys.sorted() == ["a", "b", "s"])
        #expect(merged.products.values.filter(\.isForSale).map(\.id) == ["b"])
        #expect(merged.products["s"]?.plan == old.products["s"]?.plan)
        #expect(merged.groups.keys.sorted() == ["G"])
        let back = try CatalogImport(catalog: old).merged(into: merged)
        #expect(back.products["a"]?.isForSale == true)
        #expect(back.products["b"]?.isForSale == false)
    }

    @Test("A product that was sold keeps its type and its group")
    func refused() throws {
        let old = catalog(product("a"), product("s", .autoRenewable, group: "G"), product("t"))
        let new = catalog(
            product("a", .nonConsumable),
            product("s", .autoRenewable, group: "H"),
            product("t", price: 5)
        )
        let imported = CatalogImport(
            catalog: new,
            paths: ["a": "$.products[0]", "s": "$.subscriptionGroups[0].subscriptions[0]"]
        )
        let expected = [
            "$.products[0].type: expected Consumable, as a was sold, found Non-Consumable",
            "$.subscriptionGroups[0].subscriptions[0]: expected the subscription group G, in which s was sold, "
                + "found the subscription group H",
        ]
        #expect(CatalogFixtures.faults { try imported.merged(into: old) } == expected)
    }
}
