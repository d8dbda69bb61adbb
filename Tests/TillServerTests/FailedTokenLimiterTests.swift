import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import TillServer

/// Every test has its own clock, which only the test moves, so no test waits.
@Suite("Wrong control API tokens are refused slowly, per address and in total")
struct FailedTokenLimiterTests {
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock().now)
        private let waits = Mutex<[Duration]>([])

        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        var waited: [Duration] { waits.withLock { $0 } }

        func advance(_ time: Duration) { instant.withLock { $0 += time } }
        func wait(_ time: Duration) { waits.withLock { $0.append(time) } }
    }

    private let clock = Clock()
    private let wrong: FailedTokenLimiter
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    init() {
        let clock = clock
        wrong = FailedTokenLimiter(now: { clock.now }, sleep: { clock.wait($0) })
    }

    private func refuse(from address: String, times: Int = 1) async throws {
        let address = try SocketAddress(ipAddress: address, port: 40_000)
        for _ in 0..<times { try await wrong.refuse("refused", from: address, logger) }
    }

    @Test("Ten refusals per address are immediate; then one is sent per second, however many requests run concurrently")
    func perAddress() async throws {
        try await refuse(from: "192.0.2.1", times: 10)
        #expect(clock.waited.isEmpty)
        try await refuse(from: "192.0.2.1", times: 40)
        #expect(clock.waited == (1...40).map { min(.seconds($0), FailedTokenLimiter.maxWait) })
        // Requests from another address are not delayed.
        try await refuse(from: "192.0.2.2")
        #expect(clock.waited.count == 40)
        clock.advance(.seconds(3_600))
        try await refuse(from: "192.0.2.1", times: 10)
        #expect(clock.waited.count == 40)
    }

    @Test("After an attack, refusals are delayed for at most the longest wait plus the time of a burst")
    func over() async throws {
        try await refuse(from: "192.0.2.1", times: 5_000)
        clock.advance(
            FailedTokenLimiter.maxWait + FailedTokenLimiter.perAddress.interval * FailedTokenLimiter.perAddress.burst
        )
        let before = clock.waited.count
        try await refuse(from: "192.0.2.1", times: 10)
        #expect(clock.waited.count == before)
    }

    @Test("A hundred refusals for many addresses are immediate; then ten are sent per second")
    func inAll() async throws {
        for number in 0..<100 { try await refuse(from: "10.0.\(number / 250).\(number % 250)") }
        #expect(clock.waited.isEmpty)
        for number in 0..<20 { try await refuse(from: "10.1.0.\(number)") }
        #expect(clock.waited == (1...20).map { .milliseconds(100 * $0) })
    }

    @Test("A server that stops sends pending and later refusals at once", .timeLimit(.minutes(5)))
    func stop() async throws {
        struct Guesses: Service {
            let work: @Sendable () async throws -> Void

            func run() async throws { try await work() }
        }
        let logger = logger
        let (waiting, begun) = AsyncStream<Void>.makeStream()
        let wrong = FailedTokenLimiter(sleep: { _ in
            begun.yield()
            try await Task.sleep(for: .seconds(86_400))
        })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: Guesses {
                            for _ in 0..<50 { try await wrong.refuse("refused", from: nil, logger) }
                        },
                        successTerminationBehavior: .gracefullyShutdownGroup
                    )
                ],
                logger: logger
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in waiting { break }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("The number of remembered addresses is limited, and IPv6 addresses of one network count as one")
    func memory() async throws {
        for number in 0..<6_000 {
            try await refuse(from: "10.\(number / 62_500).\(number / 250 % 250).\(number % 250)")
        }
        #expect(wrong.addressCount == FailedTokenLimiter.maxAddresses)
        clock.advance(.seconds(60))
        try await refuse(from: "10.9.9.9")
        #expect(wrong.addressCount == 1)
        for number in 0..<50 { try await refuse(from: "2001:db8:1:2::\(String(number, radix: 16))") }
        #expect(wrong.addressCount == 2)
        try await refuse(from: "2001:db8:1:3::1")
        #expect(wrong.addressCount == 3)
    }

    @Test(
        "IPv4 addresses are counted one by one, IPv6 addresses by their network",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::1", "0:0:0:0::/64"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ]
    )
    func network(_ address: String, _ network: String) throws {
        #expect(FailedTokenLimiter.network(of: try SocketAddress(ipAddress: address, port: 1)) == network)
        #expect(FailedTokenLimiter.network(of: nil) == "unknown")
    }
}
