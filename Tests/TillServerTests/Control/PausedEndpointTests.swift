import Testing
import TillControl
import TillCore
import TillTestSupport

/// Pauses and resumes endpoints while deliveries are pending.
@Suite("Paused endpoints, through the control API")
struct PausedEndpointTests {
    @Test("A resumed endpoint gets what waited, and nothing waits for a paused one", arguments: TestEngine.allCases)
    func paused(engine: TestEngine) async throws {
        try await SettlingControlTests.run(on: engine) { control, primary in
            let app = control.app
            let log = try await WebhookReceiver.start()
            _ = try await control.send(SetEndpoint(app: app, endpoint: "log", url: log.url))
            let pause = UpdateEndpoint(app: app, endpoint: "primary").pausing(true)
            #expect(try await control.send(pause).paused == true)

            // The purchase waits only for the other endpoint, and so does the advance.
            let bought = try await control.send(BuyProduct(app: app, customer: "ann", productId: "pro").settling(60))
            #expect(bought.settled?.delivered == 1 && bought.settled?.pending == 1)
            let pending = try #require(bought.settled?.pendingDeliveries.first)
            #expect(pending.endpoint == "primary" && pending.paused == true && pending.sendAttemptResult == nil)
            let begun = ContinuousClock.now
            let months = try await control.send(AdvanceClock(app: app, by: "P2M").settling(60))
            #expect(months.settled?.delivered == 2 && months.settled?.pending == 2)
            #expect(ContinuousClock.now - begun < .seconds(50))
            #expect(try await control.send(ListUpcomingEvents(app: app)).nextAttemptDate == nil)

            // Another URL does not resume the endpoint.
            let set = try await control.send(SetEndpoint(app: app, endpoint: "primary", url: primary.url + "/new"))
            #expect(set.paused == true)
            #expect(try await control.send(ListEndpoints(app: app)).map(\.paused) == [true, nil])
            #expect(primary.requests.isEmpty && log.requests.count == 3)

            let resumed = try await control.send(UpdateEndpoint(app: app, endpoint: "primary").pausing(false))
            #expect(resumed.paused == nil)
            let received = try await primary.requests(atLeast: 3)
            #expect(
                received.map(\.body) == log.requests.map(\.body) && received.allSatisfy { $0.path.hasSuffix("/new") }
            )
            let next = try await control.send(BuyProduct(app: app, customer: "bob", productId: "coins").settling(60))
            #expect(next.settled?.delivered == 2 && next.settled?.pending == 0)
            try await log.stop()
        }
    }

    @Test("On a moving clock, a resumed endpoint gets what waited", arguments: TestEngine.allCases)
    func movingClock(engine: TestEngine) async throws {
        try await SettlingControlTests.run(on: engine) { control, primary in
            let app = control.app
            _ = try await control.send(SetClock(app: app, mode: .running, speed: 1_000))
            _ = try await control.send(UpdateEndpoint(app: app, endpoint: "primary").pausing(true))
            for customer in ["ann", "bob"] { try await control.buy("coins", by: customer) }
            _ = try await control.send(TriggerNotification(app: app, type: .test))
            try await Task.sleep(for: .milliseconds(300))
            #expect(primary.requests.isEmpty)
            _ = try await control.send(UpdateEndpoint(app: app, endpoint: "primary").pausing(false))
            #expect(try await primary.requests(atLeast: 3).count == 3)
        }
    }
}
