import HTTPTypes
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// The search box, its results, and the comparison of snapshots.
@Suite("Search and comparison pages")
struct SearchPageTests {
    private let environment = "/console/apps/com.example.shop/sandbox/"

    @Test("An exact result leads straight to its page")
    func exact() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let bought = try await test.buy("pro", by: "ann")
        _ = try await site.console.control.send(
            CreateCustomer(app: AppEnvironment(TestShop.bundleID), customer: "anna")
        )
        let sent = try await site.console.control.send(ListNotifications(app: AppEnvironment(TestShop.bundleID)))
        let uuid = try #require(sent.notifications.first?.notificationUUID)
        try await site.visit { visitor in
            for (value, page) in [
                ("ann", "customers/ann"), (bought.id.wireForm, "transactions/\(bought.id.wireForm)"),
                (bought.account.wireForm, "customers/ann"), (uuid, "notifications/\(uuid)"),
                (try #require(bought.order).wireForm, "transactions/\(bought.id.wireForm)"),
            ] {
                let answer = try await visitor.get("/console/search?q=\(value)")
                #expect(answer.status == 303 && answer.headers[.location] == environment + page, "\(value)")
                let location = try #require(answer.headers[.location])
                #expect(try await visitor.get(location).status == 200, "\(value)")
            }
        }
    }

    @Test("Several results are shown in groups, and no result says what can be searched for")
    func several() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        try await test.buy("pro", by: "ann")
        try await test.buy("pro", by: "ann", in: .production)
        try await test.buy("pro", by: "<b>anna</b>")
        try await site.visit { visitor in
            let exact = try await visitor.get("/console/search?q=ann")
            #expect(exact.status == 200 && exact.text.contains("<h2 id=\"found-customer\">Customers</h2>"))
            #expect(
                exact.text.contains("/sandbox/customers/ann\"") && exact.text.contains("/production/customers/ann\"")
            )
            #expect(exact.text.contains("name=\"q\" type=\"search\" value=\"ann\""))
            let prefix = try await visitor.get("/console/search?q=%3Cb%3Ea")
            #expect(prefix.status == 200 && prefix.text.contains("<bdi>&lt;b&gt;anna&lt;/b&gt;</bdi>"))
            #expect(!prefix.text.contains("What you can search for"))
            for query in ["", "?q=", "?q=nobody"] {
                let none = try await visitor.get("/console/search\(query)")
                #expect(none.status == 200 && none.text.contains("What you can search for"), "\(query)")
            }
            #expect(!exact.text.contains("data-address"), "an open page does not search again after each change")
            #expect(try await visitor.get("/console/live?page=/console/search").status == 404)
            let long = try await visitor.get("/console/search?q=\(String(repeating: "a", count: 129))")
            #expect(long.status == 200 && long.text.contains("1 to 128 bytes"))
            for page in ["/console/", environment, "/console/keys"] {
                let answer = try await visitor.get(page)
                #expect(answer.text.contains("action=\"/console/search\""), "\(page)")
            }
        }
    }

    @Test("Apps are found by a part of the name or of the bundle ID")
    func apps() async throws {
        let site = try TestConsole(try await TestShop())
        for (id, name) in [("com.example.notes", "Field Notes"), ("com.example.notes2", "More")] {
            _ = try await site.console.control.send(CreateApp(bundleId: id, name: name))
        }
        try await site.visit { visitor in
            let found = try await visitor.get("/console/search?q=field")
            #expect(
                found.text.contains("<h2 id=\"found-app\">Apps</h2>") && found.text.contains("<bdi>Field Notes</bdi>")
            )
            let both = try await visitor.get("/console/search?q=example.NOTES")
            #expect(both.text.contains("apps/com.example.notes/sandbox/\"") && both.text.contains("<bdi>More</bdi>"))
            let exact = try await visitor.get("/console/search?q=com.example.notes")
            #expect(exact.status == 303 && exact.headers[.location] == "/console/apps/com.example.notes/sandbox/")
        }
    }

    @Test("A comparison shows dates, statuses and amounts in words")
    func words() {
        #expect(
            DecodedWords.words(of: 1_772_359_209_000, "revocationDate", currency: nil) == "1 Mar 2026, 10:00:09 UTC"
        )
        #expect(DecodedWords.words(of: 3, "status", currency: nil) == "billing retry")
        #expect(DecodedWords.words(of: 37_500, "revocationPercentage", currency: nil) == "37.5 %")
        #expect(DecodedWords.words(of: 4_990, "price", currency: "USD") == "4.99 USD")
        #expect(DecodedWords.words(of: 4_990, "price", currency: nil) == "4.99")
        #expect(DecodedWords.words(of: 1, "autoRenewStatus", currency: nil) == nil)
    }

    @Test("More than a page of customers has a next page")
    func pages() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let app = AppEnvironment(TestShop.bundleID)
        for number in 0..<ListLimit.elements + 5 {
            _ = try await site.console.control.send(CreateCustomer(app: app, customer: "guest-\(number)"))
        }
        try await site.visit { visitor in
            let first = try await visitor.get("/console/search?q=guest")
            let after = try #require(first.text.firstMatch(of: /after=([0-9-]+)">More results/)).1
            let second = try await visitor.get("/console/search?q=guest&after=\(after)")
            let links = (first.text + second.text).matches(of: /customers\/(guest-[0-9]+)"/).map { String($0.1) }
            #expect(Set(links).count == ListLimit.elements + 5 && !second.text.contains("More results"))
        }
    }

    @Test("Snapshots are compared with the current state and with each other")
    func comparison() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let control = site.console.control
        let bought = try await test.buy("pro", by: "ann")
        _ = try await control.send(SaveSnapshot(name: "fresh"))
        _ = try await control.send(
            CancelSubscription(
                app: AppEnvironment(TestShop.bundleID),
                originalTransactionId: bought.originalID.wireForm
            )
        )
        try await test.buy("pro", by: "bob")
        try await site.visit { visitor in
            let list = try await visitor.get("/console/snapshots")
            #expect(list.text.contains("action=\"/console/comparison\"") && list.text.contains("The current state"))
            let found = try await visitor.get("/console/comparison?from=fresh")
            #expect(found.status == 200 && found.text.contains("Differences between “fresh” and the current state"))
            #expect(found.text.contains("<dt><code>autoRenewStatus</code></dt><dd><bdi>1</bdi> → <bdi>0</bdi></dd>"))
            #expect(found.text.contains("href=\"\(environment)customers/bob\""))
            #expect(found.text.contains("class=\"current\">Snapshots") && found.text.contains(">All snapshots</a>"))
            let same = try await visitor.get("/console/comparison?from=fresh&to=fresh&bundleId=com.example.shop")
            #expect(same.status == 200 && same.text.contains("No differences."))
            let unknown = try await visitor.get("/console/comparison?from=none")
            #expect(unknown.status == 200 && unknown.text.contains("class=\"fault\""))
        }
    }
}
