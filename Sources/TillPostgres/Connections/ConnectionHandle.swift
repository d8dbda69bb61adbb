import CPostgres
import Foundation
import Synchronization

/// A connection as seen by other threads that may have to end it.
///
/// A frozen or disconnected server does not answer, and the thread that waits for it is blocked in a system call. The
/// only way to wake it is to shut down the socket.
final class ConnectionHandle: Sendable {
    /// Our own duplicate of the socket's descriptor: libpq may close its own at any time, and the number may then
    /// belong to another file.
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

    /// Records that the connection's thread waits for the server while `body` runs.
    func waiting<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        state.withLock { $0.waitingSince = .now }
        defer { state.withLock { $0.waitingSince = nil } }
        return try body()
    }

    /// Whether it may wait without limit, for reads of the whole database.
    func setPatient(_ isPatient: Bool) { state.withLock { $0.isPatient = isPatient } }

    /// How long the server has not answered a request; nil when no request is open.
    func silence(at now: ContinuousClock.Instant) -> Duration? { state.withLock { $0.waitingSince.map { now - $0 } } }

    var isPatient: Bool { state.withLock { $0.isPatient } }

    /// Shuts the connection down, even while it is in use.
    func cut() { if socket >= 0 { _ = shutdown(socket, Int32(SHUT_RDWR)) } }
}
