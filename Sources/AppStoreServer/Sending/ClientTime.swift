import Foundation

/// The time and the chance that a client uses, so that tests can decide on both.
package protocol ClientTime: Sendable {
    /// The wall clock, which dates the tokens.
    var now: Timestamp { get }
    /// The time since a fixed moment, which never jumps.
    var elapsed: Duration { get }
    /// Waits.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws
    /// A random number from 0 to 1.
    func random() -> Double
}

/// The clocks of the system.
struct SystemTime: ClientTime {
    private let start = ContinuousClock.now

    var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
    var elapsed: Duration { ContinuousClock.now - start }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
    func random() -> Double { Double.random(in: 0..<1) }
}

extension Duration {
    /// In milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
