import HTTPTypes
import Testing
import TillJSON
import TillTestSupport

/// Checks the operations on the catalog through the control API.
@Suite("Operations on the catalog")
struct CatalogOperationTests {
    private let control = ControlTests()
    private let path = "/v1/apps/com.example.shop/catalog"

    /// A catalog with a value for every key.
    private let document = """
        {"groups": [{"groupId": "plans", "name": "Plans",
                     "localizations": [{"locale": "en_US", "displayName": "Plans", "description": ""}]}],
         "products": [{
           "productId": "pro.year", "type": "AUTO_RENEWABLE", "referenceName": "Pro",
           "price": "49.99", "currency": "USD",
           "prices": {"AUT": {"price": "54.99", "currency": "EUR"}, "DEU": {"price": "54.99", "currency": "EUR"},
                      "GBR": {"price": "44.99", "currency": "GBP"}, "JPN": {"price": "7200", "currency": "JPY"}},
           "familyShareable": true, "forSale": false,
           "localizations": [{"locale": "de_DE", "displayName": "Pro", "description": "Alles"}],
           "subscription": {"groupId": "plans", "level": 2, "period": "P1Y", "billingPlans": [
             {"kind": "BILLED_UPFRONT", "price": "49.99", "currency": "USD", "enabled": true},
             {"kind": "MONTHLY", "price": "4.99", "currency": "USD",
              "commitment": {"price": "59.88", "currency": "USD"}, "enabled": true}]},
           "offers": [
             {"kind": "INTRODUCTORY", "mode": "FREE_TRIAL", "period": "P1W", "periodCount": 1},
             {"kind": "CODE", "id": "SPRING", "referenceName": "Spring", "mode": "PAY_UP_FRONT", "period": "P1Y",
              "periodCount": 1, "price": "39.99", "currency": "USD",
              "prices": {"DEU": {"price": "41.99", "currency": "EUR"}}, "audience": ["NEW", "EXPIRED"],
              "redemptionLimit": 1000, "stackable": true},
             {"kind": "WIN_BACK", "id": "back", "mode": "FREE_TRIAL", "period": "P1M", "periodCount": 1,
              "winBack": {"minimumPaidMonths": 2, "monthsSinceExpiry": [1, 24], "monthsBetweenOffers": 3},
              "billingPlan": "MONTHLY"}]}],
         "settings": {"storefront": "USA", "locale": "en_US", "timeRate": 0, "billingGracePeriodEnabled": false,
                      "renewalBillingIssuesEnabled": false, "askToBuyEnabled": false, "appAppleId": 1234567890}}
        """

    @Test("The answer about a catalog has every key, in the order of the document")
    func wholeDocument() async throws {
        let test = try await TestShop()
        let (path, document) = (path, document)
        try await control.withControl(test) { client in
            let put = try await control.send(client, .put, path, document)
            #expect(put.status == 200, "\(put.body)")
            let shown = try await control.send(client, .get, path)
            #expect(try JSONTree.parse(Array(shown.body.utf8)) == JSONTree.parse(Array(document.utf8)))
        }
    }

    @Test("The parser of the catalog reports every error, with its place")
    func faults() async throws {
        let test = try await TestShop()
        try await control.withControl(test) { client in
            let product =
                #"{"productId":"x","type":"CONSUMABLE","price":"4,99","prise":"1","offers":[{"kind":"GIFT"}]}"#
            let refused = try await control.send(client, .post, "/v1/apps/com.example.shop/products", product)
            #expect(refused.status == 400 && refused.body.contains("bad_document"))
            for place in ["$.price", "$.prise", "$.offers[0].kind"] {
                #expect(refused.body.contains("\"path\":\"\(place)\""), "\(place): \(refused.body)")
            }
        }
    }

    @Test("The OpenAPI document describes the documents as components")
    func components() async throws {
        let test = try await TestShop()
        try await control.withControl(test) { client in
            let answer = try await control.send(client, .get, "/openapi.json")
            let api = try JSONTree.parse(Array(answer.body.utf8))
            func body(_ path: String, _ method: String) -> JSONTree? {
                api["paths"]?[path]?[method]?["requestBody"]?["content"]?["application/json"]?["schema"]
            }
            let component = "#/components/schemas/"
            #expect(body("/v1/apps/{bundleId}/catalog", "put")?["$ref"]?.text == "\(component)CatalogInfo")
            #expect(body("/v1/apps/{bundleId}/products", "post")?["$ref"]?.text == "\(component)ProductInfo")
            #expect(body("/v1/apps/{bundleId}/groups", "post")?["$ref"]?.text == "\(component)GroupInfo")
            #expect(body("/v1/apps/{bundleId}/catalog/storekit", "put")?["$ref"]?.text == "\(component)JSONObject")
            let product = api["components"]?["schemas"]?["ProductInfo"]
            #expect(product?["required"]?.elements.map(\.text) == ["productId", "type", "price"])
            #expect(product?["properties"]?["prices"]?["$ref"]?.text == "\(component)PriceInfoMap")
            let prices = api["components"]?["schemas"]?["PriceInfoMap"]
            #expect(prices?["additionalProperties"]?["$ref"]?.text == "\(component)PriceInfo")
            let attack = api["components"]?["schemas"]?["AttackInfo"]?["properties"]?["case"]
            #expect(attack?["description"]?.text == "The name of the case.")
        }
    }
}
