import Logging
import Synchronization

/// Tokens of control that were refused in the last minute, from wherever they came. Where there are many somebody
/// guesses, and waits for each answer.
package final class WrongTokens: Sendable {
    private let instants = Mutex<[ContinuousClock.Instant]>([])
    /// So many are mistakes.
    package static let most = 10
    /// How long who guesses waits for each answer.
    package static let pause = Duration.milliseconds(250)
    private static let span = Duration.seconds(60)

    /// Nobody has guessed yet.
    package init() {}

    /// Notes one, says so in the log, without what was given, and waits where there are many.
    ///
    /// - Parameter message: the line of the log.
    /// - Throws: `CancellationError`.
    package func refuse(_ message: Logger.Message, _ logger: Logger) async throws {
        let recently = note()
        logger.warning(message, metadata: ["inAMinute": "\(recently)"])
        if recently > Self.most { try await Task.sleep(for: Self.pause) }
    }

    /// Notes one.
    ///
    /// - Returns: how many there were in the last minute, this one included; a thousand at the most.
    package func note(at now: ContinuousClock.Instant = ContinuousClock().now) -> Int {
        instants.withLock { instants in
            instants.removeAll { now - $0 >= Self.span }
            if instants.count < 1_000 { instants.append(now) }
            return instants.count
        }
    }
}
