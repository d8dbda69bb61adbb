import CPostgres
import Foundation
import Synchronization
import TillStorage

/// Hears what nodes say to each other, and says that this one lives, on a connection and a thread of its own: a node
/// that is busy is not given up.
final class NodeSubscription: Sendable {
    private let settings: PostgresSettings
    private let primaryTracker: PrimaryTracker
    private let isClosed = Atomic<Bool>(false)
    private let isOpen = Atomic<Bool>(false)
    private let node = Mutex<(id: String, lease: Duration)?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    /// After so long the thread looks whether there is something else to do.
    private static let patience: Int32 = 100

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        self.settings = settings.forNodes
        primaryTracker = PrimaryTracker(url, settings.forNodes)
    }

    /// - Parameter hear: told each word, and that some were missed when a connection is new.
    func open(_ hear: @escaping @Sendable (NodeSign) -> Void) {
        guard !isOpen.exchange(true, ordering: .relaxed) else { return }
        Thread.detachNewThread { self.work(hear) }
    }

    func keepAlive(_ id: String, _ lease: Duration) { node.withLock { $0 = (id, lease) } }

    /// Returns when the thread has ended.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed), isOpen.load(ordering: .relaxed) else { return }
        ended.wait()
    }

    private func work(_ hear: (NodeSign) -> Void) {
        let backOff = BackOff(settings)
        while !isClosed.load(ordering: .relaxed) {
            do {
                let session = try backOff.attempt { try primaryTracker.connect() }
                try session.run(script: "LISTEN \(NodeStatements.channel)")
                hear(.missed)
                try listen(session, hear)
            } catch {
                Thread.sleep(forTimeInterval: Double(Self.patience) / 1_000)
            }
        }
        ended.signal()
    }

    /// Returns, or throws, when the connection has ended.
    private func listen(_ session: Session, _ hear: (NodeSign) -> Void) throws {
        var next = ContinuousClock.now
        while !isClosed.load(ordering: .relaxed) {
            guard session.hear(within: Self.patience, hear) else { return }
            guard let node = node.withLock({ $0 }), next <= .now else { continue }
            let asked = ContinuousClock.now
            next = asked + node.lease / 6
            let arguments = Arguments(node.id, node.lease.wholeMilliseconds)
            if try session.run(.renewNode, arguments).first != nil { hear(.alive(asked)) }
        }
    }
}

extension Session {
    /// Waits for words and tells them.
    ///
    /// - Returns: false when the connection has ended.
    fileprivate func hear(within milliseconds: Int32, _ tell: (NodeSign) -> Void) -> Bool {
        var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let ready = poll(&socket, 1, milliseconds)
        if ready > 0 {
            guard PQconsumeInput(connection) == 1 else { return false }
        } else if ready < 0, errno != EINTR {
            return false
        }
        // Words also come with the answers to statements.
        while let word = PQnotifies(connection) {
            tell(.word(String(cString: word.pointee.extra)))
            PQfreemem(word)
        }
        return PQstatus(connection) == CONNECTION_OK
    }
}
