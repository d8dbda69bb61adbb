import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// The overview, the navigation, links to the documentation, and dates.
@Suite("Layout of pages")
struct LayoutTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func page(_ address: String, _ site: TestConsole) async throws -> String {
        try await site.console.page(at: address, Session(cookie: "a")).html
    }

    @Test("The overview has a row for each app, and continues on another page")
    func manyApps() async throws {
        let site = try TestConsole(try await TestShop())
        let control = site.console.control
        for number in 9..<38 { _ = try await control.send(CreateApp(bundleId: "com.example.app\(number)")) }
        let app = AppEnvironment(TestShop.bundleID)
        for number in 0..<12 { _ = try await control.send(CreateCustomer(app: app, customer: "c\(number)")) }
        let first = try await page("/console/", site)
        #expect(first.components(separatedBy: "<span class=\"line faint id\">").count == OverviewRow.apps + 1)
        let link = try #require(first.range(of: "/console/?after="))
        let second = try await page(String(first[link.lowerBound...].prefix { $0 != "\"" }), site)
        #expect(second.components(separatedBy: "<span class=\"line faint id\">").count == 30 - OverviewRow.apps + 1)
        #expect(first.contains("<small>1 to 20 of 30</small>") && second.contains("<small>21 to 30 of 30</small>"))
        #expect(second.contains("<a href=\"/console/\">First apps</a>") && !first.contains("First apps"))
        #expect(second.contains("No failing deliveries of the apps on this page."))
        let places = try ["app9", "app10", "app11"].map {
            try #require(first.range(of: ">com.example.\($0)<")).lowerBound
        }
        #expect(places == places.sorted(), "numbers are in their order")
        let both = first + second
        #expect(both.contains(">10+ customers</a>") && both.contains(">0 customers</a>"))
        #expect(both.components(separatedBy: "id=\"createApp\"").count == 3)
        #expect(!both.contains("What to click first"))
    }

    @Test("The demo shop opens with a tour of five sentences, whose links lead to pages")
    func tour() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        _ = try await Demo.setUp(test.shop, test.directory)
        let html = try await page("/console/", site)
        let tour = try #require(html.components(separatedBy: "<section class=\"card tour\"").last)
            .components(separatedBy: "</section>")[0]
        #expect(tour.components(separatedBy: "<li>").count == 6)
        for link in tour.components(separatedBy: "<a href=\"").dropFirst() {
            let address = String(link.prefix { $0 != "\"" && $0 != "#" })
            let target = try await page(address, site)
            #expect(!target.isEmpty, "\(address)")
        }
        // The buttons that the tour names are on the customer's page.
        let customer = try await page(
            "/console/apps/\(DemoCatalog.bundleID)/sandbox/customers/\(Demo.customer)",
            site
        )
        for label in ["Advance to next event", "Advance or change the clock", "Payment method: decline renewals"] {
            #expect(tour.contains("“\(label)”") && customer.contains(">\(label)<"), "\(label)")
        }
    }

    @Test("Every page links to documentation that exists")
    func documentation() async throws {
        for documented in ConsolePage.all.flatMap(\.documentation) {
            let file = Self.repository.appendingPathComponent("docs/\(documented.path).md")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.hasPrefix("# \(documented.name)\n"), "\(documented.path)")
        }
        var settings = Settings()
        let without = try TestConsole(try await TestShop(settings: settings))
        let names = try await page("/console/faults", without)
        #expect(names.contains("Faults (<code>docs/operating/faults.md</code>)"))
        #expect(names.contains("href=\"/openapi.json\""))
        #expect(names.contains("<code>--documentation-url</code>"))
        settings.documentation = "https://docs.example/till"
        let with = try TestConsole(try await TestShop(settings: settings))
        let links = try await page("/console/faults", with)
        #expect(links.contains("<a href=\"https://docs.example/till/operating/faults/\">Faults</a>"))
        #expect(!links.contains("--documentation-url"))
        #expect(try await page("/console/", with).contains("<a href=\"https://docs.example/till/operating/\">"))
    }

    @Test("The navigation of a narrow screen has every page of the navigation of a wide screen")
    func navigation() async throws {
        let site = try TestConsole(try await TestShop())
        let html = try await page("/console/apps/com.example.shop/sandbox/customers", site)
        let menu = try #require(html.components(separatedBy: "<details class=\"menu\">").last)
            .components(separatedBy: "</details>")[0]
        for place in ConsolePage.all.compactMap(\.menu) {
            #expect(menu.contains(">\(place)<"), "\(place)")
            #expect(html.components(separatedBy: ">\(place)<").count >= 3, "\(place)")
        }
    }

    @Test("Each cell of a list has the heading of its column, which a narrow screen shows beside it")
    func labels() throws {
        let folder = Self.repository.appendingPathComponent("Sources/TillConsole/Resources")
        for name in ["Pages", "Parts", "Search"] {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + name)
            for file in files where file != "facts.mustache" {
                let text = try String(contentsOfFile: "\(folder.path)/\(name)/\(file)", encoding: .utf8)
                let cells = text.matches(of: /<td(?<attributes>[^>]*)>/)
                for cell in cells where !cell.output.attributes.contains("colspan") {
                    #expect(cell.output.attributes.contains("data-label="), "\(file): \(cell.output.0)")
                }
            }
        }
    }

    @Test("A date has seconds only near the current time, and in logs")
    func seconds() throws {
        let instant = Timestamp(milliseconds: 1_772_359_209_000)
        func words(_ value: PageValue) -> PageValue? { value["words"] }
        #expect(words(Words.time(instant)) == .text("1 Mar 2026, 10:00 UTC"))
        #expect(words(Words.time(instant, isPrecise: true)) == .text("1 Mar 2026, 10:00:09 UTC"))
        let whole = Timestamp(milliseconds: 1_772_359_200_000)
        #expect(words(Words.time(whole, isPrecise: true)) == .text("1 Mar 2026, 10:00:00 UTC"))
        let soon = instant.advanced(milliseconds: -60_000)
        #expect(words(Words.time(instant, from: soon)) == .text("1 Mar 2026, 10:00:09 UTC"))
        let before = instant.advanced(milliseconds: -7_200_000)
        #expect(words(Words.time(instant, from: before)) == .text("1 Mar 2026, 10:00 UTC"))
    }

    @Test("A clock at the speed of real time shows its distance from real time")
    func clocks() throws {
        let real = Timestamp(milliseconds: 1_772_359_209_000)
        func words(_ mode: ClockMode, _ ahead: Int64, speed: Int? = nil) -> String {
            let now = real.advanced(milliseconds: ahead)
            return ClockCard.words(mode, speed, now, real)
        }
        #expect(words(.real, 0) == "Real time" && words(.frozen, 90_000) == "Frozen")
        #expect(words(.running, 10, speed: 1) == "Real time")
        #expect(words(.running, 3 * 86_400_000, speed: 1) == "3 days ahead of real time")
        #expect(words(.running, -7_200_000) == "2 hours behind real time")
        #expect(words(.running, 0, speed: 60) == "Speed: 60 × real time")
    }
}
