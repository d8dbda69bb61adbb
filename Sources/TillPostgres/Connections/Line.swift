import CPostgres
import Foundation
import Synchronization

/// A connection as it is seen by those who may have to end it from another thread.
///
/// A server that stands still, and one whose machine is cut off, says nothing; whoever waits for its answer waits in
/// the system and cannot be spoken to. What can be done is to shut the connection under them.
final class Line: Sendable {
    /// A descriptor of our own for the connection's socket: libpq closes its own whenever it likes, and the number may
    /// then be somebody else's.
    private let socket: Int32
    private let state = Mutex(State())

    private struct State {
        var waitingSince: ContinuousClock.Instant?
        var isPatient = false
    }

    init(of connection: OpaquePointer) {
        socket = dup(PQsocket(connection))
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Notes that the thread of the connection waits for the server while the work goes on.
    func waiting<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        state.withLock { $0.waitingSince = .now }
        defer { state.withLock { $0.waitingSince = nil } }
        return try body()
    }

    /// Whether it may wait as long as it takes, as those do who read everything.
    func setPatient(_ isPatient: Bool) { state.withLock { $0.isPatient = isPatient } }

    /// For how long the server has said nothing although it was asked; nil when it was not.
    func silence(at now: ContinuousClock.Instant) -> Duration? { state.withLock { $0.waitingSince.map { now - $0 } } }

    var isPatient: Bool { state.withLock { $0.isPatient } }

    /// Ends the connection under whoever uses it.
    func cut() { if socket >= 0 { _ = shutdown(socket, Int32(SHUT_RDWR)) } }
}
