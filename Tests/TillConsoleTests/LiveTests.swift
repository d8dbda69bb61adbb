import Synchronization
import Testing
import TillControl
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// Live regions of pages, and long actions.
@Suite("Live pages")
struct LiveTests {
    @Test("Regions are found by their comments and compared by their digests")
    func regions() {
        let html = "a<!--live one-->b<!--/live-->c<!--live two-->d<!--/live-->"
        #expect(LiveRegions.of(html).map(\.id) == ["one", "two"])
        #expect(LiveRegions.of(html).map(\.html) == ["b", "d"])
        let digests = LiveRegions.digests(LiveRegions.summary(html))
        #expect(digests["one"] == LiveRegions.digest("b"))
        #expect(digests.count == 2)
    }

    @Test("Only regions that changed since the page was rendered are sent")
    func changes() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        let address = "/console/apps/com.example.shop/sandbox/"
        let session = Session(cookie: "a cookie")
        let page = try await site.console.page(at: address, session)
        var had = LiveRegions.digests(LiveRegions.summary(page.html))
        let stream = LiveStream(console: site.console, session: session, address: address, action: nil, had: had)
        let app = AppEnvironment("com.example.shop")
        #expect(try await site.console.control.send(SetClock(app: app, mode: .frozen)).mode == .frozen)
        let event = try #require(await stream.changes(from: &had, nil).event)
        #expect(event.hasPrefix("event: regions\ndata: {"))
        #expect(event.contains("clock-com.example.shop-sandbox"))
        #expect(!event.contains("\"customers\""))
        let again = await stream.changes(from: &had, nil)
        #expect(again.event == nil && !again.isGone)
    }

    @Test("Only streams of the same page and session share a rendering")
    func shared() async throws {
        let pages = LivePages()
        let made = Mutex<[String]>([])
        func look(
            _ address: String,
            _ cookie: String,
            revision: Int = 1,
            since: ContinuousClock.Instant? = nil
        ) async throws -> Int {
            let key = LivePages.Key(address: address, cookie: cookie)
            return try await pages.rendering(key, revision: revision, since: since) {
                made.withLock { $0.append("\(address) \(cookie)") }
                return RenderedPage(html: "<!--live one-->\(address)<!--/live-->")
            }.regions.count
        }
        let clock = ContinuousClock()
        let began = clock.now
        for _ in 0..<50 { #expect(try await look("a", "ann") == 1) }
        // One rendering per second, however slow the machine is.
        let most = 1 + Int((clock.now - began) / .seconds(1))
        #expect((1...most).contains(made.withLock { $0.count { $0 == "a ann" } }))
        #expect(try await look("b", "ann") == 1)
        #expect(try await look("a", "bob") == 1)
        #expect(made.withLock { $0.suffix(2) } == ["b ann", "a bob"])
        // A page that was just loaded gets no older rendering.
        #expect(try await look("b", "ann", since: clock.now) == 1)
        #expect(made.withLock { $0.suffix(2) } == ["a bob", "b ann"])
    }

    @Test("A slow page is rendered again only after ten times its rendering time")
    func rests() async throws {
        let pages = LivePages()
        let made = Mutex(0)
        let clock = ContinuousClock()
        let (began, key) = (clock.now, LivePages.Key(address: "a", cookie: "ann"))
        var revision = 0
        while clock.now - began < .milliseconds(900) {
            revision += 1
            _ = try await pages.rendering(key, revision: revision) {
                made.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(100))
                return RenderedPage(html: "")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(made.withLock { $0 } == 1)
    }

    @Test("The number of concurrent tasks is limited")
    func room() async throws {
        let semaphore = AsyncSemaphore(2, maxWaiting: 3)
        let inside = Crowd()
        let done = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await semaphore.run {
                        inside.enter()
                        try? await Task.sleep(for: .milliseconds(50))
                        inside.leave()
                    } != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(done == 5)
        #expect(inside.most == 2)
    }

    @Test("When the subject of a page is deleted, its stream ends and releases its seat", .timeLimit(.minutes(10)))
    func gone() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let customer = "/console/apps/com.example.shop/sandbox/customers/unknown"
            let ended = try await visitor.get("/console/live?page=\(customer)")
            #expect(ended.status == 200)
            #expect(ended.text.contains("event: gone"))
            let none = try await visitor.get("/console/live?page=/console/nothing/at/all")
            #expect(none.status == 404)
            for _ in 0..<LiveSeats.limit { #expect(site.console.seats.take()) }
        }
    }

    @Test("A long action continues in the background, and the page shows its progress and, once, its result")
    func longActions() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test, patience: .milliseconds(20))
        let actions = site.console.actions
        let operation = try #require(site.console.control[CreateTeam.operationID])
        let form = FormData(fields: [.init(name: "name", value: "Another")])
        let name = try await test.shop.exclusively("set-up") {
            let (effect, name) = await actions.perform(operation, form)
            #expect(effect.outcome == nil)
            let session = Session(cookie: "a cookie")
            let page = try await site.console.page(at: "/console/", session, effect, action: name)
            #expect(page.html.contains("in progress"))
            #expect(LiveRegions.of(page.html).first?.id == "effect")
            return name
        }
        let action = try #require(name)
        var ended: Effect?
        for _ in 0..<1_000 where ended?.outcome == nil {
            ended = actions.effect(of: action)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect((try ended?.outcome?.get() as? TeamInfo)?.name == "Another")
        #expect(actions.effect(of: action) == nil)
    }

    @Test("The number of open streams is limited")
    func seats() {
        let seats = LiveSeats()
        for _ in 0..<LiveSeats.limit { #expect(seats.take()) }
        #expect(!seats.take())
        seats.leave()
        #expect(seats.take())
    }
}

/// Counts concurrent tasks.
private final class Crowd: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { state.withLock { $0.now -= 1 } }
}
