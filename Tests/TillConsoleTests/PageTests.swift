import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// The pages and actions of the console.
@Suite("Pages and actions of the console")
struct PageTests {
    private let scope = "/console/apps/com.example.shop/sandbox"

    @Test("Templates parse, and missing values show nothing")
    func templates() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            for page in ["/console/", "/console/apps/com.example.shop/sandbox/"] {
                let answer = try await visitor.get(page)
                #expect(answer.status == 200)
                #expect(answer.text.contains("<h1"))
                #expect(!answer.text.contains("Optional("))
            }
        }
    }

    @Test("The root path redirects browsers to the console and points programs to the control API")
    func root() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let page = try await visitor.get("/")
            #expect(page.status == 303)
            #expect(page.headers[.location] == "/console/")
            let text = try await visitor.get("/", headers: [:])
            #expect(text.text.contains("/openapi.json"))
        }
    }

    @Test("Pages have security headers")
    func headers() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            for uri in ["/console/", "/console/nowhere", "/console/style.css", "/console/console.js"] {
                let answer = try await visitor.get(uri)
                let policy = answer.headers[.contentSecurityPolicy] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(uri)")
                #expect(!policy.contains("unsafe"))
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            }
            let page = try await visitor.get("/console/")
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(!page.text.contains("<script>") && !page.text.contains(" style="))
            let style = try await visitor.get("/console/style.css")
            let tag = try #require(style.headers[.eTag])
            let again = try await visitor.get("/console/style.css", headers: [.ifNoneMatch: tag])
            #expect(again.status == 304)
        }
    }

    @Test("A clock offers only possible actions, and the result shows by how much it advanced")
    func clocks() async throws {
        let site = try TestConsole(try await TestShop())
        let environment = scope + "/"
        let clock = "com.example.shop-sandbox"
        try await site.visit { visitor in
            let real = try await visitor.get(environment)
            #expect(real.text.contains(">Freeze</button>") && !real.text.contains(">Switch to real time</button>"))
            #expect(real.text.contains("No endpoint is configured. Notifications are stored, but not sent."))
            let mode = ("mode", "frozen")
            let frozen = try await visitor.perform(
                "setClock",
                form: "setClock-freeze-\(clock)",
                on: environment,
                [mode]
            )
            #expect(!frozen.text.contains(">Freeze</button>") && frozen.text.contains(">Switch to real time</button>"))
            let fields = [("by", "10d"), ("settle", "60")]
            let ahead = try await visitor.perform(
                "advanceClock",
                form: "advanceClock-by-\(clock)",
                on: environment,
                fields
            )
            #expect(ahead.text.contains("The clock advanced by 10 days"), "\(ahead.text)")
            #expect(ahead.text.contains("Successful deliveries: 0. Pending deliveries: 0."))
            // The clock is ahead of real time, and a clock cannot be set back.
            #expect(!ahead.text.contains(">Switch to real time</button>"))
        }
    }

    @Test("A button pauses an endpoint, and the next one resumes it")
    func pausedEndpoint() async throws {
        let site = try TestConsole(try await TestShop())
        let environment = scope + "/"
        try await site.visit { visitor in
            let endpoint = ("path.endpoint", "primary")
            let url = ("url", "http://127.0.0.1:9/apple")
            _ = try await visitor.perform("setEndpoint", on: environment, [endpoint, url])
            for (paused, button, state) in [("true", "Resume", "paused"), ("false", "Pause", "active")] {
                let form = "updateEndpoint-primary"
                let fields = [endpoint, ("paused", paused)]
                let page = try await visitor.perform("updateEndpoint", form: form, on: environment, fields)
                #expect(page.text.contains(">\(button)</button>"), "\(page.text)")
                #expect(page.text.contains("\">\(state)</span></td><td data-label=\"Actions\">"))
            }
        }
    }

    @Test("A form creates only new customers, and no app from an invalid file")
    func beginnings() async throws {
        let site = try TestConsole(try await TestShop())
        let scope = scope
        let app = "com.example.broken"
        try await site.visit { visitor in
            let page = scope + "/customers"
            let first = try await visitor.perform("createCustomer", on: page, [("customer", "bob")])
            #expect(first.status == 200)
            let again = try await visitor.perform("createCustomer", on: page, [("customer", "bob")])
            #expect(again.status == 409 && again.text.contains("Customer &quot;bob&quot; already exists."))
            // A clock created on a customer's page is assigned to the customer.
            let bob = page + "/bob"
            let clock = try await visitor.perform("createClock", on: bob, [("name", "spring"), ("_customer", "bob")])
            #expect(clock.text.contains("Clock <bdi>spring</bdi>"), "\(clock.text)")
            let control = site.console.control
            let get = GetCustomer(app: AppEnvironment(TestShop.bundleID), customer: "bob")
            #expect(try await control.send(get).clock == "spring")
            let assigned = try await visitor.perform("updateCustomer", on: bob, [("clock", "")])
            #expect(assigned.status == 200 && assigned.text.contains("Assign clock"), "\(assigned.text)")
            #expect(try await control.send(get).clock == nil)
            let proof = try #require(try await visitor.get("/console/").field("_proof", in: "createApp"))
            let body = ["_proof": proof, "bundleId": app].map { name, value in
                "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            }
            let file = "--XX\r\nContent-Disposition: form-data; name=\"_file\"; filename=\"a.storekit\"\r\n\r\n{\r\n"
            let made = try await visitor.send(
                .post,
                "/console/actions/createApp",
                body.joined() + file + "--XX--\r\n",
                [.contentType: "multipart/form-data; boundary=XX"]
            )
            #expect(made.status == 400, "\(made.text)")
            #expect(try await visitor.get("/console/apps/\(app)/sandbox/").status == 404)
        }
    }

    @Test("A dry run deletes nothing, and a deleted customer has no link")
    func erasure() async throws {
        let site = try TestConsole(try await TestShop())
        let page = scope + "/customers"
        try await site.visit { visitor in
            _ = try await visitor.perform("createCustomer", on: page, [("customer", "bob")])
            let dry = try await visitor.perform(
                "eraseCustomer",
                form: "eraseCustomer-dry",
                on: page + "/bob",
                [("dryRun", "true")]
            )
            #expect(dry.text.contains("nothing was changed") && dry.text.contains("<h1><bdi>bob</bdi>"))
            let gone = try await visitor.perform("eraseCustomer", on: page + "/bob", [("_sure", "true")])
            #expect(gone.status == 200 && gone.text.contains("<h1><bdi>Customers</bdi>"), "\(gone.text)")
            #expect(!gone.text.contains("Open bob"))
        }
    }

    @Test("The result links to the created object")
    func links() async throws {
        let site = try TestConsole(try await TestShop())
        let scope = scope
        try await site.visit { visitor in
            let made = try await visitor.perform("createCustomer", on: scope + "/customers", [("customer", "bob")])
            #expect(made.text.contains("<a href=\"\(scope)/customers/bob\"><bdi>Open bob</bdi></a>"), "\(made.text)")
            let app = try await visitor.perform("createApp", on: "/console/", [("bundleId", "com.example.other")])
            let link = "<a href=\"/console/apps/com.example.other/sandbox/\"><bdi>Open com.example.other</bdi></a>"
            #expect(app.text.contains(link), "\(app.text)")
        }
    }

    @Test("A customer is created and buys, and the pages show both with their results")
    func story() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let scope = scope
        let product = try #require(
            test.shop.registry.catalog(of: TestShop.bundleID).products.values.first { $0.plan != nil }
        )
        try await site.visit { visitor in
            let made = try await visitor.perform("createCustomer", on: "\(scope)/customers", [("customer", "ann")])
            #expect(made.status == 200)
            #expect(made.text.contains("<bdi>ann</bdi></a>"))
            let page = "\(scope)/customers/ann"
            let bought = try await visitor.perform("buyProduct", on: page, [("productId", product.id)])
            #expect(bought.status == 200)
            #expect(bought.text.contains("id=\"effect\""))
            #expect(bought.text.contains("SUBSCRIBED/INITIAL_BUY"))
            #expect(bought.text.contains("data-address=\"\(page)\""))
            let seen = try await visitor.get(page)
            #expect(seen.text.contains("active"))
            #expect(!seen.text.contains("id=\"effect\""))
        }
    }

    @Test("A rejected form shows the error and its path, and keeps the entered values")
    func refusal() async throws {
        let site = try TestConsole(try await TestShop(selling: SampleCatalog.all))
        let scope = scope
        try await site.visit { visitor in
            _ = try await visitor.perform("createCustomer", on: "\(scope)/customers", [("customer", "ann")])
            let page = "\(scope)/customers/ann"
            let refused = try await visitor.perform(
                "buyProduct",
                on: page,
                [("productId", "coins"), ("quantity", "many")]
            )
            #expect(refused.status == 400)
            #expect(refused.text.contains(": failed</h2>"))
            #expect(refused.text.contains("<a href=\"#buyProduct-quantity\">Quantity</a>"))
            #expect(refused.text.contains("value=\"many\""))
            #expect(refused.text.contains("aria-invalid"))
        }
    }

    @Test("Names with markup or right-to-left text are shown as text")
    func hostile() async throws {
        let site = try TestConsole(try await TestShop())
        let scope = scope
        try await site.visit { visitor in
            for name in ["<script>alert(1)</script>", "\"'><img src=x>", "<!--live about-->", "مرحبا 🍎 日本"] {
                _ = try await visitor.perform("createCustomer", on: "\(scope)/customers", [("customer", name)])
                let list = try await visitor.get("\(scope)/customers")
                let page = try await visitor.get("\(scope)/customers/\(Address.escaped(name))")
                #expect(page.status == 200)
                for text in [list.text, page.text] {
                    #expect(!text.contains("<script>") && !text.contains("<img") && text.contains("dir=\"auto\""))
                }
                #expect(page.text.components(separatedBy: "<!--live about-->").count == 2)
            }
            let page = try await visitor.get("\(scope)/customers")
            #expect(page.text.contains("مرحبا 🍎 日本"))
        }
    }

    @Test("An app and its products are created with one form")
    func upload() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let proof = try #require(try await visitor.get("/console/").field("_proof", in: "createApp"))
            let parts = [("bundleId", "com.example.new"), ("_proof", proof), ("_back", "/console/")]
            var text = ""
            for (name, value) in parts {
                text += "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            }
            text += "--XX\r\nContent-Disposition: form-data; name=\"_file\"; filename=\"a.storekit\"\r\n\r\n"
            text += String(decoding: DemoCatalog.bytes, as: UTF8.self) + "\r\n--XX--\r\n"
            let type = "multipart/form-data; boundary=XX"
            let answer = try await visitor.send(.post, "/console/actions/createApp", text, [.contentType: type])
            #expect(answer.status == 200)
            #expect(answer.text.contains("com.example.new"))
        }
        #expect(!site.test.shop.registry.catalog(of: "com.example.new").products.isEmpty)
    }

    @Test("Missing pages answer 404 with a page")
    func missing() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let none = "/console/apps/com.unknown/sandbox/"
            for uri in ["/console/nowhere", none, "\(self.scope)/customers/unknown", "/console/%FF", "/console/%00"] {
                let answer = try await visitor.get(uri)
                #expect(answer.status == 404, "\(uri)")
                #expect(answer.text.contains("<h1"))
            }
        }
    }
}
