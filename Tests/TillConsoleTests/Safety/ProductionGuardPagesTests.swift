import Foundation
import Testing
import TillControl
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole

/// The console of a server that guards production: docs/operating/production-guard.md.
@Suite("Pages of a server that guards production")
struct ProductionGuardPagesTests {
    private static let production = "/console/apps/com.example.shop/production"
    private static let sandbox = "/console/apps/com.example.shop/sandbox"
    private static let band = #"id="production-band""#

    private static func shop(_ settings: Settings) async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all, settings: settings)
        try await test.buy("pro", by: "ann", in: .production)
        try await test.buy("pro", by: "ann")
        _ = try await test.shop.snapshots.save("safe", of: nil)
        return test
    }

    @Test("Production has a band on every page, and the sandbox has none", arguments: [Settings(), .operator])
    func bands(settings: Settings) async throws {
        let site = try TestConsole(try await Self.shop(settings))
        try await site.visit { visitor in
            let values = ["bundleId": "com.example.shop", "customer": "ann", "productId": "pro"]
            for environment in ["production", "sandbox"] {
                let pages = EveryPage.addresses(values.merging(["environment": environment]) { $1 }).addresses
                #expect(pages.count > 8)
                for page in pages {
                    let answer = try await visitor.get(page)
                    let isOfEnvironment = page.contains("/\(environment)")
                    let expected = isOfEnvironment ? environment == "production" : settings.guardsProduction
                    #expect(answer.text.contains(Self.band) == expected, "\(page)")
                    #expect(answer.text.contains(#"<body class="guarded""#) == expected, "\(page)")
                }
            }
        }
    }

    @Test("Before a deletion in production the console asks, and it asks nothing in the sandbox")
    func deletions() async throws {
        let test = try await Self.shop(.operator)
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let page = "\(Self.production)/customers/ann"
            let asked = try await visitor.perform("eraseCustomer", on: page, [])
            #expect(asked.status == 200 && asked.text.contains("<h1><bdi>Delete customer?</bdi></h1>"))
            #expect(asked.text.contains("cannot be undone") && asked.text.contains(">ann<"))
            let scope = AccountScope(environment: .production, app: TestShop.bundleID)
            #expect(try await test.shop.storage.account(of: CustomerName(scope, "ann")) != nil)
            // The page sends the same form again.
            let proof = try #require(asked.hidden("_proof"))
            let fields = ["path.bundleId", "path.environment", "path.customer", "_back", "_form"].map {
                ($0, asked.hidden($0) ?? "")
            }
            let confirmed = try await visitor.post(
                "/console/actions/eraseCustomer",
                fields + [("_proof", proof), ("_confirmed", "true")]
            )
            #expect(confirmed.status == 200)
            #expect(try await test.shop.storage.account(of: CustomerName(scope, "ann")) == nil)
            let erased = try await visitor.perform("eraseCustomer", on: "\(Self.sandbox)/customers/ann", [])
            #expect(!erased.text.contains("Delete customer?"))
            #expect(try await test.shop.storage.account(of: test.customer("ann")) == nil)
        }
    }

    @Test("Before a refund in production the console asks, with the labels of the form")
    func refunds() async throws {
        let test = try await Self.shop(.operator)
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let page = "\(Self.production)/customers/ann"
            let ann = try await visitor.get(page)
            #expect(!ann.text.contains("id=\"own-clock\""), "the fold would be empty")
            let id = String(try #require(ann.text.firstMatch(of: /id="t-([0-9]+)"/)?.output.1))
            let fields = [("path.transactionId", id), ("share", "FULL")]
            let asked = try await visitor.perform("refundTransaction", form: "row-\(id)", on: page, fields)
            #expect(asked.text.contains("<h1><bdi>Refund transaction?</bdi></h1>"), "\(asked.text)")
            #expect(asked.text.contains("class=\"card destructive\"") && asked.text.contains("<dt>Amount</dt>"))
            let refunded = { (visitor: Visitor) in try await visitor.get(page).text.contains(">refunded<") }
            #expect(!(try await refunded(visitor)))
            let scope = ["path.bundleId", "path.environment", "path.transactionId", "share"]
            let again = (scope + ["_back", "_form", "_proof"]).map { ($0, asked.hidden($0) ?? "") }
            _ = try await visitor.post("/console/actions/refundTransaction", again + [("_confirmed", "true")])
            #expect(try await refunded(visitor))
            let erasure = try await visitor.perform("eraseCustomer", on: page, [("removeSnapshots", "true")])
            #expect(erasure.text.contains("Also delete snapshots that contain the customer</dt><dd><bdi>yes<"))
        }
    }

    @Test("Without the guard, the console asks no further question")
    func unguarded() async throws {
        let site = try TestConsole(try await Self.shop(Settings()))
        try await site.visit { visitor in
            let erased = try await visitor.perform("eraseCustomer", on: "\(Self.production)/customers/ann", [])
            #expect(!erased.text.contains("Delete customer?"))
        }
    }

    @Test("Forms that erase or replace all data need the typed confirmation")
    func replacing() async throws {
        let test = try await Self.shop(.operator)
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let page = try await visitor.get("/console/snapshots")
            for form in ["reset", "importState", "restoreSnapshot-safe"] {
                #expect(page.text.contains(#"id="\#(form)-confirm""#), "\(form)")
            }
            let refused = try await visitor.perform("reset", on: "/console/snapshots", [("confirm", "yes")])
            #expect(refused.status == 403 && refused.text.contains("guards production data"))
            #expect(try await test.shop.storage.account(of: test.customer("ann")) != nil)
            let done = try await visitor.perform("reset", on: "/console/snapshots", [("confirm", "production")])
            #expect(done.status == 200)
            #expect(try await test.shop.storage.account(of: test.customer("ann")) == nil)
            let form = "restoreSnapshot-safe"
            let restored = try await visitor.perform(
                "restoreSnapshot",
                form: form,
                on: "/console/snapshots",
                [("confirm", "production"), ("path.name", "safe")]
            )
            #expect(restored.status == 200)
            #expect(try await test.shop.storage.account(of: test.customer("ann")) != nil)
        }
    }

    @Test("The console offers no way to move a clock of production")
    func clocks() async throws {
        let site = try TestConsole(try await Self.shop(.operator))
        try await site.visit { visitor in
            for page in ["", "/customers/ann"] {
                let production = try await visitor.get("\(Self.production)\(page)")
                let sandbox = try await visitor.get("\(Self.sandbox)\(page)")
                for action in ["/console/actions/advanceClock", "/console/actions/setClock"] {
                    #expect(!production.text.contains(action), "\(page)")
                    #expect(sandbox.text.contains(action), "\(page)")
                }
            }
            let customer = try await visitor.get("\(Self.production)/customers/ann")
            #expect(!customer.text.contains("/console/actions/createClock"))
            let guarded = try await visitor.get(Self.production + "/")
            #expect(guarded.text.contains("its clocks show real time"))
        }
    }
}

extension Answer {
    /// The value of the first hidden field with a name.
    fileprivate func hidden(_ name: String) -> String? {
        guard let field = text.range(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(text[field.upperBound...].prefix { $0 != "\"" })
    }
}
