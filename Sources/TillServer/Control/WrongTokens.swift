import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Slows down whoever guesses tokens of control: answers to wrong tokens are spread out in time, for each address and
/// in all, however many connections ask at once. A right token is never delayed, because only refusals come here.
package final class WrongTokens: Sendable {
    /// How fast wrong tokens are answered.
    package struct Pace: Sendable {
        /// So many at once are mistakes, and are answered at once.
        package let burst: Int
        /// After those, the time between two answers.
        package let interval: Duration
    }

    /// The pace for one address: an IPv4 address, or an IPv6 network of 64 bits, which one customer of a provider has.
    package static let perAddress = Pace(burst: 10, interval: .seconds(1))
    /// The pace for all addresses together.
    package static let inAll = Pace(burst: 100, interval: .milliseconds(100))
    /// No answer waits longer.
    package static let longestWait = Duration.seconds(30)
    /// Addresses that are remembered at once; more share one pace.
    package static let mostAddresses = 4_096

    /// When the next answer of a pace would be due if nobody had asked at once (the generic cell rate algorithm).
    private struct Schedule {
        var next: ContinuousClock.Instant
        var refused = 0

        mutating func delay(_ pace: Pace, at now: ContinuousClock.Instant) -> Duration {
            refused += 1
            let slack = pace.interval * pace.burst
            // Beyond the longest wait nothing is put off any further, so that an attack is over when it ends.
            next = min(max(next, now) + pace.interval, now + slack + WrongTokens.longestWait)
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

    /// Nobody has guessed yet.
    ///
    /// - Parameters:
    ///   - now: the time; tests give their own.
    ///   - sleep: waits; tests need not.
    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Notes a wrong token, says so in the log, without what was given, and waits until the answer is due, or until
    /// the server stops.
    ///
    /// - Parameters:
    ///   - message: the line of the log.
    ///   - address: from where it came; nil shares a pace with all others of which that is not known.
    /// - Throws: `CancellationError`.
    package func refuse(_ message: Logger.Message, from address: SocketAddress?, _ logger: Logger) async throws {
        let network = Self.network(of: address)
        let (delay, count) = note(network)
        // Who guesses fast does not fill the log.
        if count <= Self.perAddress.burst || count.isMultiple(of: 100) {
            logger.warning(message, metadata: ["address": "\(network)", "refused": "\(count)"])
        }
        guard delay > .zero else { return }
        do {
            // A server that stops answers at once, so that guesses cannot hold up its stop.
            try await cancelWhenGracefulShutdown { [sleep] in try await sleep(delay) }
        } catch is CancellationError where !Task.isCancelled {}
    }

    /// Notes one.
    ///
    /// - Returns: how long its answer has to wait, and how many from there were refused of late.
    private func note(_ network: String) -> (delay: Duration, refused: Int) {
        let now = now()
        return state.withLock { state in
            var all = state.all ?? Schedule(next: now)
            let inAll = all.delay(Self.inAll, at: now)
            state.all = all
            if state.addresses[network] == nil, state.addresses.count >= Self.mostAddresses {
                // Those whose answers are due have paid for what they asked.
                state.addresses = state.addresses.filter { $0.value.next > now }
            }
            guard state.addresses[network] != nil || state.addresses.count < Self.mostAddresses else {
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

    /// How many addresses are remembered.
    package var addressCount: Int { state.withLock { $0.addresses.count } }

    /// An IPv4 address, also one that is mapped into IPv6, or the first 64 bits of an IPv6 address.
    package static func network(of address: SocketAddress?) -> String {
        switch address {
        case .v4(let address): return plain(address.address.sin_addr)
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
                return bytes.suffix(4).map(String.init).joined(separator: ".")
            }
            let groups = stride(from: 0, to: 8, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
            return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
        default: return "unknown"
        }
    }

    private static func plain(_ address: some Any) -> String {
        withUnsafeBytes(of: address) { $0.map(String.init) }.joined(separator: ".")
    }
}
