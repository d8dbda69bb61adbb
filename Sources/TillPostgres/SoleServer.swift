import Foundation
import Synchronization

/// Holds a database for one server. Each server ticks and sends by itself; until they divide that work among
/// themselves, a second one on the same database is refused.
///
/// The hold is a lock of a session of its own. It ends with the session, however the server ends; a session that is
/// lost is made again, and if another server has the lock by then, this one must not go on.
package final class SoleServer: Sendable {
    /// What the thread that holds the session shares with who lets it go.
    private final class Hold: Sendable {
        let isReleased = Atomic<Bool>(false)
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let bell = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
    }

    private let hold = Hold()

    /// One more than the lock under which tables are brought up.
    private static let lock: Int64 = 0x7469_6c6d
    /// A server that was killed a moment ago may still seem to have it.
    private static let patience = Duration.seconds(5)
    private static let checkInterval = DispatchTimeInterval.seconds(2)

    /// Takes the hold; waits for the network on the calling thread, as at a start one may.
    ///
    /// - Parameter lost: told, once, when another server has the database.
    /// - Throws: `PostgresRefused`, and what the server says.
    package init(
        _ url: DatabaseURL,
        settings: PostgresSettings = PostgresSettings(),
        lost: @escaping @Sendable () -> Void
    ) throws {
        let hold = hold
        Thread.detachNewThread {
            defer { hold.ended.signal() }
            let leadership = Leadership(url, settings)
            // Nobody else keeps it, so that it closes as soon as it is no more use.
            var session: Session?
            let outcome = Result { session = try Self.taken(url, leadership) }
            hold.outcome.withLock { $0 = outcome }
            hold.begun.signal()
            if session != nil, !Self.keep(&session, hold, { try Self.taken(url, leadership) }) { lost() }
        }
        hold.begun.wait()
        try hold.outcome.withLock { $0 }?.get()
    }

    /// Lets go of it.
    package func release() {
        hold.isReleased.store(true, ordering: .relaxed)
        hold.bell.signal()
        hold.ended.wait()
    }

    /// Looks at the session from time to time, and makes it again when it has ended.
    ///
    /// - Returns: false when another server has the lock.
    private static func keep(_ session: inout Session?, _ hold: Hold, _ take: () throws -> Session) -> Bool {
        while true {
            _ = hold.bell.wait(timeout: .now() + checkInterval)
            if hold.isReleased.load(ordering: .relaxed) { return true }
            do {
                if let held = session, held.isAlive() {
                    try held.run(script: "SELECT 1")
                } else {
                    session = nil
                    session = try take()
                }
            } catch PostgresRefused.taken {
                return false
            } catch {
                // While the database does not answer, nobody else can take it either.
                session = nil
            }
        }
    }

    private static func taken(_ url: DatabaseURL, _ leadership: Leadership) throws -> Session {
        let session = try leadership.connect()
        let deadline = ContinuousClock.now + patience
        while true {
            let answer = try session.run(script: "SELECT pg_try_advisory_lock(\(lock))").first?.maybeText(0)
            if answer == "t" { return session }
            guard ContinuousClock.now < deadline else { throw PostgresRefused.taken(url.description) }
            Thread.sleep(forTimeInterval: 0.25)
        }
    }
}
