import CPostgres
import Foundation
import Synchronization

/// A handle with which other threads can close a connection.
///
/// A frozen or unreachable server does not respond, and the thread that waits for it is blocked in a system call. Only
/// a shutdown of the socket can wake that thread.
final class ConnectionHandle: Sendable {
    /// A duplicate of the socket's descriptor. Libpq may close its own descriptor at any time, and its number may then
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

    /// Runs `body`, and records that the connection's thread waits for the server in the meantime.
    func waiting<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        state.withLock { $0.waitingSince = .now }
        defer { state.withLock { $0.waitingSince = nil } }
        return try body()
    }

    /// Sets whether the connection may wait without a limit, which is necessary for reads of the whole database.
    func setPatient(_ isPatient: Bool) { state.withLock { $0.isPatient = isPatient } }

    /// The time for which the server has not responded to a request; nil if there is no open request.
    func silence(at now: ContinuousClock.Instant) -> Duration? { state.withLock { $0.waitingSince.map { now - $0 } } }

    var isPatient: Bool { state.withLock { $0.isPatient } }

    /// Shuts down the connection, even if it is in use.
    func cut() { if socket >= 0 { _ = shutdown(socket, Int32(SHUT_RDWR)) } }
}
