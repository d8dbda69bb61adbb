import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole

/// What a page shows after a form was rejected.
@Suite("Rejected forms")
struct RejectedFormTests {
    private static let scope = "/console/apps/com.example.shop/sandbox"

    private func site() async throws -> TestConsole {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        return try TestConsole(test)
    }

    private func count(_ text: String, in answer: Answer) -> Int {
        answer.text.components(separatedBy: text).count - 1
    }

    @Test("A rejected clock form keeps its value, and its fold is open")
    func clock() async throws {
        let site = try await site()
        try await site.visit { visitor in
            let page = "\(Self.scope)/customers/ann"
            let form = "advanceClock-by-com.example.shop-sandbox"
            let refused = try await visitor.perform("advanceClock", form: form, on: page, [("by", "soon")])
            #expect(refused.status == 400 && refused.text.contains("value=\"soon\""))
            #expect(refused.text.contains(" data-refused>"), "the script keeps the region of this form")
            #expect(refused.text.contains("<details open class=\"clock-actions\""))
            #expect(self.count("must be a duration", in: refused) == 1)
            #expect(refused.text.contains("Advance by must be a duration"))
            let seen = try await visitor.get(page)
            #expect(!seen.text.contains(" data-refused") && !seen.text.contains("<details open"))
        }
    }

    @Test("An error is shown once, with the label and the unit of the field")
    func words() async throws {
        let site = try await site()
        try await site.visit { visitor in
            let customers = "\(Self.scope)/customers"
            let fields = [("customer", "bob"), ("storefront", "Germany")]
            let storefront = try await visitor.perform("createCustomer", on: customers, fields)
            #expect(storefront.status == 400 && !storefront.text.contains("$.storefront"))
            #expect(self.count("Enter a storefront, such as USA or DEU.", in: storefront) == 1)
            #expect(storefront.text.contains("<a href=\"#createCustomer-storefront\">Storefront</a>"))
            let ann = try await visitor.get("\(customers)/ann")
            let id = try #require(ann.text.firstMatch(of: /id="t-([0-9]+)"/)?.output.1)
            let refund = try await visitor.perform(
                "refundTransaction",
                on: "\(Self.scope)/transactions/\(id)",
                [("path.transactionId", String(id)), ("share", "PART"), ("percentage:money", "150")]
            )
            #expect(refund.status == 400 && !refund.text.contains("150000"), "\(refund.text)")
            #expect(self.count("Enter a percentage such as 37.5, 0.001 to 99.999.", in: refund) == 1)
            let test = try await visitor.perform(
                "triggerNotification",
                form: "triggerNotification-test",
                on: "\(Self.scope)/notifications",
                [("type", "TEST")]
            )
            #expect(test.status == 409 && !test.text.contains("till endpoint create"))
            #expect(test.text.contains("sandbox/#endpoints-title\">Set endpoint</a>"))
        }
    }

    @Test("A new endpoint replaces none, and an edited endpoint keeps what the user does not change")
    func endpoints() async throws {
        let site = try await site()
        try await site.visit { visitor in
            let page = "\(Self.scope)/"
            let name = ("path.endpoint", "primary")
            let types = "REFUND\nDID_RENEW"
            let fields = [name, ("_new", "true"), ("url", "http://127.0.0.1:9/a"), ("types", types)]
            let set = try await visitor.perform("setEndpoint", on: page, fields)
            #expect(set.status == 200)
            let again = [name, ("_new", "true"), ("url", "http://127.0.0.1:9/b")]
            let refused = try await visitor.perform("setEndpoint", on: page, again)
            #expect(refused.status == 409 && refused.text.contains("Endpoint &quot;primary&quot; already exists."))
            let edit = try #require(
                refused.text.components(separatedBy: "id=\"setEndpoint-primary\"").dropFirst().first
            )
            .components(separatedBy: "</form>")[0]
            #expect(edit.contains("value=\"http://127.0.0.1:9/a\"") && edit.contains(">\(types)</textarea>"), "\(edit)")
            let saved = try await visitor.perform(
                "setEndpoint",
                form: "setEndpoint-primary",
                on: page,
                [name, ("url", "http://127.0.0.1:9/c"), ("types", types)]
            )
            #expect(saved.status == 200)
            let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
            let endpoint = try #require(site.test.shop.registry.rules(of: scope).endpoint("primary"))
            #expect(endpoint.url == "http://127.0.0.1:9/c" && endpoint.types.count == 2)
        }
    }

    @Test("The audit log contains a customer who was not created because the name exists")
    func audit() async throws {
        let site = try await site()
        try await site.visit { visitor in
            let page = "\(Self.scope)/customers"
            let refused = try await visitor.perform("createCustomer", on: page, [("customer", "ann")])
            #expect(refused.status == 409)
            let log = try await visitor.get("/console/audit?operationId=createCustomer&failed=true")
            #expect(log.text.contains("customer_exists"))
        }
    }

    @Test("The form to buy is on the page once, and keeps its further options open if one was filled in")
    func buy() async throws {
        let site = try await site()
        try await site.visit { visitor in
            let page = "\(Self.scope)/customers/ann"
            let seen = try await visitor.get(page)
            #expect(self.count("action=\"/console/actions/buyProduct\"", in: seen) == 1)
            #expect(seen.text.contains("id=\"buyProduct-options\"><summary>More options"))
            let fields = [("productId", "coins"), ("quantity", "many"), ("storefront", "DEU")]
            let refused = try await visitor.perform("buyProduct", on: page, fields)
            #expect(refused.text.contains("id=\"buyProduct-options\" open><summary>More options"))
        }
    }
}
