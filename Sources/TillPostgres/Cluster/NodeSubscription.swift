import CPostgres
import Foundation
import Synchronization
import TillStorage

/// Subscribes to the messages between nodes, and renews this node's registration. It has its own connection and thread,
/// because a busy node must not lose its registration.
final class NodeSubscription: Sendable {
    private let settings: PostgresSettings
    private let primaryTracker: PrimaryTracker
    private let isClosed = Atomic<Bool>(false)
    private let isOpen = Atomic<Bool>(false)
    private let node = Mutex<(id: String, lease: Duration)?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    /// The time that the thread waits for a message before it checks for other work.
    private static let pollMilliseconds: Int32 = 100

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        self.settings = settings.forNodes
        primaryTracker = PrimaryTracker(url, settings.forNodes)
    }

    /// - Parameter receive: Called for each message. Also called once after a new connection, because the node may have
    ///   missed messages.
    func open(_ receive: @escaping @Sendable (NodeSign) -> Void) {
        guard !isOpen.exchange(true, ordering: .relaxed) else { return }
        Thread.detachNewThread { self.work(receive) }
    }

    func keepAlive(_ id: String, _ lease: Duration) { node.withLock { $0 = (id, lease) } }

    /// Returns after the thread has ended.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed), isOpen.load(ordering: .relaxed) else { return }
        ended.wait()
    }

    private func work(_ receive: (NodeSign) -> Void) {
        let backOff = BackOff(settings)
        while !isClosed.load(ordering: .relaxed) {
            do {
                let session = try backOff.attempt { try primaryTracker.connect() }
                try session.run(script: "LISTEN \(NodeStatements.channel)")
                receive(.missed)
                try subscribe(session, receive)
            } catch {
                Thread.sleep(forTimeInterval: Double(Self.pollMilliseconds) / 1_000)
            }
        }
        ended.signal()
    }

    /// Returns or throws after the connection has ended.
    private func subscribe(_ session: Session, _ receive: (NodeSign) -> Void) throws {
        var next = ContinuousClock.now
        while !isClosed.load(ordering: .relaxed) {
            guard session.receive(within: Self.pollMilliseconds, receive) else { return }
            guard let node = node.withLock({ $0 }), next <= .now else { continue }
            let asked = ContinuousClock.now
            next = asked + node.lease / 6
            let arguments = Arguments(node.id, node.lease.wholeMilliseconds)
            if try session.run(.renewNode, arguments).first != nil { receive(.alive(asked)) }
        }
    }
}

extension Session {
    /// Waits for messages and passes them to `receive`.
    ///
    /// - Returns: False if the connection has ended.
    fileprivate func receive(within milliseconds: Int32, _ receive: (NodeSign) -> Void) -> Bool {
        var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let ready = poll(&socket, 1, milliseconds)
        if ready > 0 {
            guard PQconsumeInput(connection) == 1 else { return false }
        } else if ready < 0, errno != EINTR {
            return false
        }
        // Messages can also arrive together with the results of statements.
        while let word = PQnotifies(connection) {
            receive(.word(String(cString: word.pointee.extra)))
            PQfreemem(word)
        }
        return PQstatus(connection) == CONNECTION_OK
    }
}
