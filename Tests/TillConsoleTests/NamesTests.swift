import Foundation
import Testing
import TillControl
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// Names and texts from users, on every page.
@Suite("User input is shown as text")
struct NamesTests {
    private static let names = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "مرحبا 🍎 日本"]

    @Test("Names are escaped on every page", arguments: names)
    func everywhere(_ name: String) async throws {
        let test = try await TestShop()
        try await CatalogInManyScripts.put(in: test)
        let site = try TestConsole(test)
        let control = site.console.control
        let scope = ["bundleId": TestShop.bundleID, "environment": "sandbox"]
        let app = AppEnvironment(TestShop.bundleID)
        let url = "http://127.0.0.1:9/?a=<b>&c=\"d\""
        _ = try await control.send(SetEndpoint(app: app, endpoint: "primary", url: url))
        _ = try await control.send(CreateCustomer(app: app, customer: name))
        let buyer = scope.merging(["customer": name]) { $1 }
        let bought = try await control.send(BuyProduct(app: app, customer: name, productId: "pro.month"))
        _ = try await control.send(CreateKey(name: name))
        let notifications = try await control.send(ListNotifications(app: app)).notifications
        let uuid = try #require(notifications.first?.notificationUUID)
        let values = buyer.merging(["notificationUUID": uuid, "productId": "pro.month"]) { $1 }
            .merging(["transactionId": bought.transaction?.transactionId ?? ""]) { $1 }
        let (addresses, missing) = EveryPage.addresses(values)
        #expect(missing.isSubset(of: ["id"]), "\(missing)")
        let shown = name.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
        try await site.visit { visitor in
            for address in addresses {
                let page = try await visitor.get(address)
                #expect(page.status == 200, "\(address)")
                #expect(!page.text.contains("<script>") && !page.text.contains("<img"), "\(address)")
                #expect(!page.text.contains("Optional("), "\(address)")
                #expect(page.text.components(separatedBy: "<h1").count == 2, "\(address)")
            }
            for path in ["customers", "customers/\(Address.escaped(name))"] {
                let page = try await visitor.get("/console/apps/com.example.shop/sandbox/\(path)")
                #expect(page.text.contains(shown), "\(path)")
            }
            let keys = try await visitor.get("/console/keys")
            #expect(keys.text.contains(shown))
            let product = try await visitor.get("/console/apps/com.example.shop/sandbox/catalog/pro.month")
            #expect(product.text.contains("Pro &lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(product.text.contains("كل شيء 🎉"))
        }
    }
}
