import Testing
import TillCore
import TillJSON
import TillShop

/// Checks Till's own JSON format, which the control API accepts and returns.
@Suite("A catalog can be written by control API calls")
struct CatalogDocumentTests {
    private func written(_ tree: JSONTree) -> String { String(decoding: tree.written(), as: UTF8.self) }

    private func productFaults(_ text: String) -> [String]? {
        CatalogFixtures.faults { try CatalogDocument.product(from: Array(text.utf8)) }
    }

    @Test(
        "A catalog that is written and read again is the same",
        arguments: ["v1.0", "v1.1", "v1.2", "v2.0", "v3.0", "v4.0", "v5.0"]
    )
    func roundTrip(name: String) throws {
        let catalog = try CatalogFixtures.read(name).catalog
        let bytes = CatalogDocument.tree(of: catalog).written()
        let again = try CatalogDocument.catalog(from: bytes).catalog
        #expect(again == catalog)
        #expect(CatalogDocument.tree(of: again).written() == bytes)
        for product in catalog.products.values {
            #expect(try CatalogDocument.product(from: CatalogDocument.tree(of: product).written()) == product)
        }
        for group in catalog.groups.values {
            #expect(try CatalogDocument.group(from: CatalogDocument.tree(of: group).written()) == group)
        }
    }

    /// A subscription with every key that the format has.
    private let full = """
        {
          "productId": "pro",
          "type": "AUTO_RENEWABLE",
          "referenceName": "Pro",
          "price": "49.99",
          "currency": "USD",
          "prices": {
            "DEU": {
              "price": "54.99",
              "currency": "EUR"
            },
            "JPN": {
              "price": "7000",
              "currency": "JPY"
            }
          },
          "familyShareable": true,
          "forSale": false,
          "localizations": [
            {
              "locale": "en_US",
              "displayName": "Pro",
              "description": "All of it"
            }
          ],
          "subscription": {
            "groupId": "main",
            "level": 1,
            "period": "P1Y",
            "billingPlans": [
              {
                "kind": "MONTHLY",
                "price": "4.50",
                "currency": "USD",
                "commitment": {
                  "price": "54",
                  "currency": "USD"
                },
                "enabled": true
              }
            ]
          },
          "offers": [
            {
              "kind": "INTRODUCTORY",
              "mode": "FREE_TRIAL",
              "period": "P1W",
              "periodCount": 1
            },
            {
              "kind": "CODE",
              "id": "SPRING",
              "referenceName": "Spring",
              "mode": "PAY_UP_FRONT",
              "period": "P6M",
              "periodCount": 1,
              "price": "9.995",
              "currency": "USD",
              "audience": [
                "NEW",
                "EXPIRED"
              ],
              "redemptionLimit": 100,
              "stackable": true
            },
            {
              "kind": "WIN_BACK",
              "id": "back",
              "mode": "PAY_AS_YOU_GO",
              "period": "P1M",
              "periodCount": 3,
              "price": "1.05",
              "currency": "USD",
              "winBack": {
                "minimumPaidMonths": 2,
                "monthsSinceExpiry": [
                  3,
                  12
                ],
                "monthsBetweenOffers": 6
              },
              "billingPlan": "MONTHLY"
            }
          ]
        }

        """

    @Test("A product with every key is written as it was read")
    func everything() throws {
        let product = try CatalogDocument.product(from: Array(full.utf8))
        #expect(written(CatalogDocument.tree(of: product)) == full)
        #expect(product.prices.byStorefront["DEU"] == Money(milliunits: 54_990, currency: "EUR"))
        #expect(product.prices.standard == Money(milliunits: 49_990, currency: "USD"))
    }

    @Test("A short product takes its currency, its name and its availability from the catalog")
    func short() throws {
        let text = #"{"productId": "coin", "type": "CONSUMABLE", "price": 3, "prices": {"JPN": {"price": "500"}}}"#
        let product = try CatalogDocument.product(from: Array(text.utf8), settings: CatalogSettings(storefront: "GBR"))
        let price = Money(milliunits: 3_000, currency: "GBP")
        let japan = ["JPN": Money(milliunits: 500_000, currency: "JPY")]
        let prices = PriceList(standard: price, byStorefront: japan)
        #expect(product == Product(id: "coin", type: .consumable, referenceName: "coin", prices: prices))
    }

    @Test("A one-time product has offer codes with a single payment")
    func oneTime() throws {
        let text = """
            {"productId": "coin", "type": "CONSUMABLE", "price": "3", "offers":
            [{"kind": "CODE", "referenceName": "HALF", "mode": "ONE_TIME", "price": "1.50", "redemptionLimit": 5}]}
            """
        let product = try CatalogDocument.product(from: Array(text.utf8))
        let half = PriceList(standard: Money(milliunits: 1_500, currency: "USD"))
        let offer = Offer(
            kind: .code,
            id: "HALF",
            referenceName: "HALF",
            mode: .oneTime,
            prices: half,
            redemptionLimit: 5
        )
        #expect(product.offers == [offer])
        #expect(try CatalogDocument.product(from: CatalogDocument.tree(of: product).written()) == product)
    }

    @Test("A product with a new group creates the group; a product that was sold keeps its type")
    func adding() throws {
        let (catalog, product) = try CatalogDocument.adding(product: Array(full.utf8), to: Catalog())
        #expect(catalog.groups == ["main": SubscriptionGroup(id: "main", name: "main")])
        #expect(catalog.products == ["pro": product])
        let other = Array(#"{"productId": "pro", "type": "CONSUMABLE", "price": "1"}"#.utf8)
        #expect(
            CatalogFixtures.faults { try CatalogDocument.adding(product: other, to: catalog).catalog } == [
                "$.type: expected Auto-Renewable Subscription, as pro was sold, found Consumable"
            ]
        )
    }

    @Test("A misspelled key is an error and is not ignored")
    func mistyped() {
        let text = #"{"productId": "coin", "type": "CONSUMABLE", "price": "1", "familySharable": true}"#
        #expect(
            productFaults(text) == [
                "$.familySharable: expected one of the keys productId, type, referenceName, price, currency, prices, "
                    + "familyShareable, forSale, localizations, offers of a product that is not a subscription, "
                    + "found the key \"familySharable\""
            ]
        )
    }

    @Test("All errors of a product are listed")
    func faults() {
        let text = """
            {"productId": "", "type": "AUTO_RENEWABLE", "price": "1,00", "currency": "usd",
            "prices": {"DE": {"price": "1"}, "FRA": {}}, "subscription": {"groupId": "g", "level": 0, "period": "P1D"},
            "offers": [{"kind": "INTRO", "mode": "FREE_TRIAL"}, {"kind": "PROMOTIONAL", "mode": "ONE_TIME"},
            {"kind": "CODE", "id": "c", "mode": "FREE_TRIAL", "period": "P1W", "audience": ["OLD"], "price": "0"},
            {"kind": "WIN_BACK", "id": "w", "mode": "FREE_TRIAL", "period": "P1W", "winBack":
            {"minimumPaidMonths": 61, "monthsSinceExpiry": [5, 2], "monthsBetweenOffers": 1}}]}
            """
        let expected = """
            $.productId: expected a string of 1 to 255 characters, found the string ""
            $.currency: expected three capital letters, such as "USD", found the string "usd"
            $.price: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found the string "1,00"
            $.prices.DE: expected the three capital letters of a storefront, such as "DEU", found the key "DE"
            $.prices.FRA.price: expected an amount of 0 or more with at most 3 decimals, such as "4.99", found nothing
            $.subscription.level: expected a whole number from 1 to 1000000, found the number 0
            $.subscription.period: expected one of P1W, P1M, P2M, P3M, P6M, P1Y, found the string "P1D"
            $.offers[0].kind: expected one of "INTRODUCTORY", "PROMOTIONAL", "CODE", "WIN_BACK", found the string "INTRO"
            $.offers[1].mode: expected one of "FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", found the string "ONE_TIME"
            $.offers[2].price: expected one of the keys kind, mode, id, referenceName, period, periodCount, \
            billingPlan, audience, redemptionLimit, stackable of an offer of this kind and mode, found the key "price"
            $.offers[2].audience[0]: expected one of "NEW", "EXISTING", "EXPIRED", found the string "OLD"
            $.offers[3].winBack.minimumPaidMonths: expected a whole number from 1 to 60, found the number 61
            $.offers[3].winBack.monthsBetweenOffers: expected a whole number from 2 to 24, found the number 1
            $.offers[3].winBack.monthsSinceExpiry: expected the minimum and maximum of months, such as [1, 24], \
            found an array
            """
        #expect(productFaults(text)?.joined(separator: "\n") == expected)
    }

    @Test("A complete catalog must have products, and no duplicate product or group")
    func wholeCatalog() {
        let text = """
            {"groups": [{"groupId": "g"}, {"groupId": "g"}, {}], "settings": {"storefront": "XXX", "rate": 1},
            "products": [{"productId": "a", "type": "CONSUMABLE", "price": 1},
            {"productId": "a", "type": "CONSUMABLE", "price": 1}]}
            """
        let faults = CatalogFixtures.faults { try CatalogDocument.catalog(from: Array(text.utf8)) }
        #expect(
            faults?.map { String($0.prefix { $0 != ":" }) } == [
                "$.settings.rate", "$.settings.storefront", "$.groups[1].groupId", "$.groups[2].groupId",
                "$.products[1].productId",
            ]
        )
        #expect(
            CatalogFixtures.faults { try CatalogDocument.catalog(from: Array("{}".utf8)) } == [
                "$.products: expected an array of products, found nothing"
            ]
        )
    }
}
