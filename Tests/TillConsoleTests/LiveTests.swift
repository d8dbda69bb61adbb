import Testing
import TillServer
import TillShop
import TillTesting

@testable import TillConsole

/// Regions of a page that change, and acts that take long.
@Suite("Live pages")
struct LiveTests {
    @Test("Regions are found by their marks and told apart by their text")
    func regions() {
        let html = "a<!--live one-->b<!--/live-->c<!--live two-->d<!--/live-->"
        #expect(LiveRegions.of(html).map(\.id) == ["one", "two"])
        #expect(LiveRegions.of(html).map(\.html) == ["b", "d"])
        let digests = LiveRegions.digests(LiveRegions.summary(html))
        #expect(digests["one"] == LiveRegions.digest("b"))
        #expect(digests.count == 2)
    }

    @Test("Only what changed since the page was made is sent")
    func changes() async throws {
        let test = try await TestShop()
        let stage = try ConsoleStage(test)
        let address = "/console/apps/com.example.shop/sandbox/"
        let session = Session(cookie: "a cookie")
        let page = try await stage.console.page(at: address, session)
        var had = LiveRegions.digests(LiveRegions.summary(page.html))
        let stream = LiveStream(console: stage.console, session: session, address: address, act: nil, had: had)
        let frozen = try await stage.console.verbs.call(
            "setClock",
            ["bundleId": "com.example.shop", "realm": "sandbox"],
            body: .object([.init("mode", .string("frozen"))])
        )
        #expect(frozen?["mode"]?.text == "frozen")
        let event = try #require(await stream.changes(from: &had, nil))
        #expect(event.hasPrefix("event: regions\ndata: {"))
        #expect(event.contains("clock-com.example.shop-sandbox"))
        #expect(!event.contains("\"customers\""))
        let again = await stream.changes(from: &had, nil)
        #expect(again == nil)
    }

    @Test("An act that takes long goes on by itself, the page says so, and its end is told once")
    func longActs() async throws {
        let test = try await TestShop()
        let stage = try ConsoleStage(test, patience: .milliseconds(20))
        let acts = stage.console.acts
        let verb = try #require(stage.console.verbs["createTeam"])
        let form = FormData(fields: [.init(name: "name", value: "Another")])
        let name = try await test.shop.exclusively("set-up") {
            let (effect, name) = await acts.perform(verb, form)
            #expect(effect.outcome == nil)
            let session = Session(cookie: "a cookie")
            let page = try await stage.console.page(at: "/console/", session, effect, act: name)
            #expect(page.html.contains("under way"))
            #expect(LiveRegions.of(page.html).first?.id == "effect")
            return name
        }
        let act = try #require(name)
        var ended: Effect?
        for _ in 0..<1_000 where ended?.outcome == nil {
            ended = acts.effect(of: act)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect((try ended?.outcome?.get())??["name"]?.text == "Another")
        #expect(acts.effect(of: act) == nil)
    }

    @Test("There are so many streams and no more")
    func seats() {
        let seats = LiveSeats()
        for _ in 0..<LiveSeats.most { #expect(seats.take()) }
        #expect(!seats.take())
        seats.leave()
        #expect(seats.take())
    }
}
