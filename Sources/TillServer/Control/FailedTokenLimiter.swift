import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TillShop

/// Slows down the guessing of control API tokens. It limits the rate of refusals for each address and for all
/// addresses together, across connections. A valid token is never delayed, because only refusals use the limiter.
package final class FailedTokenLimiter: Sendable {
    /// A maximum rate of refusals.
    package struct Pace: Sendable {
        /// The number of refusals that are answered without delay, because they may be mistakes.
        package let burst: Int
        /// The interval between two answers after these refusals.
        package let interval: Duration
    }

    /// The rate for one address. An IPv6 /64 network counts as one address, because providers give it to one customer.
    package static let perAddress = Pace(burst: 10, interval: .seconds(1))
    /// The rate for all addresses together.
    package static let inAll = Pace(burst: 100, interval: .milliseconds(100))
    /// The maximum delay of one answer.
    package static let maxWait = Duration.seconds(30)
    /// The maximum number of addresses with their own rate. All other addresses share one rate.
    package static let maxAddresses = 4_096

    /// The state of the generic cell rate algorithm, which is a theoretical arrival time.
    private struct Schedule {
        var next: ContinuousClock.Instant
        var refused = 0

        mutating func delay(_ pace: Pace, at now: ContinuousClock.Instant) -> Duration {
            refused += 1
            let slack = pace.interval * pace.burst
            // The total delay has a maximum, so that answers are prompt again soon after an attack.
            next = min(max(next, now) + pace.interval, now + slack + FailedTokenLimiter.maxWait)
            return max(.zero, next - now - slack)
        }
    }

    private struct State {
        var all: Schedule?
        var others: Schedule?
        var addresses: [String: Schedule] = [:]
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a limiter that has seen no refusal.
    ///
    /// - Parameters:
    ///   - now: the clock; tests pass a clock of their own.
    ///   - sleep: waits for a duration; the function of tests returns at once.
    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Records a wrong token and logs it without the token. Returns when the answer is due, or when the server stops.
    ///
    /// - Parameters:
    ///   - message: the log message.
    ///   - address: the client's address; clients with unknown addresses share one rate.
    ///   - metadata: what else the line contains.
    /// - Throws: `CancellationError`.
    package func refuse(
        _ message: Logger.Message,
        from address: SocketAddress?,
        _ logger: Logger,
        _ metadata: Logger.Metadata = [:]
    ) async throws {
        let delay = log(message, from: address, logger, metadata)
        guard delay > .zero else { return }
        do {
            // A stopping server answers at once, so that an attacker cannot delay the stop.
            try await cancelWhenGracefulShutdown { [sleep] in try await sleep(delay) }
        } catch is CancellationError where !Task.isCancelled {}
    }

    /// Records a wrong token and logs it without the token. Of many refusals for an address, only some have a line.
    ///
    /// - Returns: the delay of the answer, for a caller that slows down the guessing of tokens.
    @discardableResult
    func log(
        _ message: Logger.Message,
        from address: SocketAddress?,
        _ logger: Logger,
        _ metadata: Logger.Metadata
    ) -> Duration {
        let network = Self.network(of: address)
        let (delay, count) = note(network)
        // An attacker who guesses fast must not fill the log.
        if count <= Self.perAddress.burst || count.isMultiple(of: 100) {
            var metadata = metadata
            metadata["address"] = "\(network)"
            metadata["refused"] = .stringConvertible(count)
            logger.warning(message, metadata: metadata)
        }
        return delay
    }

    /// Records one wrong token.
    ///
    /// - Returns: the delay of the answer, and the number of recent refusals for the address.
    private func note(_ network: String) -> (delay: Duration, refused: Int) {
        let now = now()
        return state.withLock { state in
            var all = state.all ?? Schedule(next: now)
            let inAll = all.delay(Self.inAll, at: now)
            state.all = all
            if state.addresses[network] == nil, state.addresses.count >= Self.maxAddresses {
                // An address whose next answer is not delayed needs no tracking.
                state.addresses = state.addresses.filter { $0.value.next > now }
            }
            guard state.addresses[network] != nil || state.addresses.count < Self.maxAddresses else {
                var others = state.others ?? Schedule(next: now)
                defer { state.others = others }
                return (max(inAll, others.delay(Self.perAddress, at: now)), others.refused)
            }
            var own = state.addresses[network] ?? Schedule(next: now)
            if own.next <= now { own.refused = 0 }
            let delay = own.delay(Self.perAddress, at: now)
            state.addresses[network] = own
            return (max(inAll, delay), own.refused)
        }
    }

    /// The number of tracked addresses.
    package var addressCount: Int { state.withLock { $0.addresses.count } }

    /// The network of an address: an IPv4 address, even if mapped into IPv6, or the /64 network of an IPv6 address.
    package static func network(of address: SocketAddress?) -> String {
        guard let bytes = address.flatMap({ IPAddress($0) })?.bytes else { return "unknown" }
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
