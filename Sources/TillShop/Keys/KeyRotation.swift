import Synchronization
import TillSigning
import TillStorage

/// The root and all its chains at a running server: answers who asks whether a certificate is revoked, and makes what
/// verifiers must refuse.
///
/// What the operator says of a certificate is kept in the store, by its serial number. See docs/api/ocsp.md.
package final class KeyRotation: Sendable {
    private struct State {
        var root: RootAuthority?
        var responder: OCSPResponder?
        /// By serial number; a certificate that is not here is good.
        var said: [String: OCSPState] = [:]
    }

    private let storage: any Storage
    private let state: Mutex<State>

    init(storage: any Storage) async throws {
        self.storage = storage
        state = Mutex(State(said: try await Self.read(storage)))
    }

    /// Follows the store, in which everything was replaced.
    func reload() async throws {
        let said = try await Self.read(storage)
        state.withLock { $0.said = said }
    }

    private static func read(_ storage: any Storage) async throws -> [String: OCSPState] {
        var said: [String: OCSPState] = [:]
        for document in try await storage.documents(.revocation) { said[document.name] = try document.decoded() }
        return said
    }

    /// Speaks for a root and its chains from now on.
    package func open(_ root: RootAuthority, chains: [SigningChain]) throws {
        var responder = try OCSPResponder(root: root)
        for chain in chains { try responder.add(chain) }
        let made = responder
        state.withLock { state in
            state.root = root
            state.responder = made
        }
    }

    /// Speaks for a new chain too.
    package func add(_ chain: SigningChain) throws {
        try state.withLock { state in _ = try state.responder?.add(chain) }
    }

    /// What is done about a question.
    ///
    /// - Parameter now: the wall clock, milliseconds since 1970: revocation has nothing to do with the shop's.
    /// - Returns: nil when the server has no root at hand.
    package func reply(to question: [UInt8], at now: Int64) -> OCSPReply? {
        let (responder, said) = state.withLock { ($0.responder, $0.said) }
        return responder?.reply(to: question, at: now) { said[$0] ?? .good }
    }

    /// Every certificate for which the desk speaks, and what it says of it.
    package var certificates: [(certificate: OCSPResponder.Known, state: OCSPState)] {
        state.withLock { state in
            (state.responder?.certificates ?? []).map { ($0, state.said[$0.serial] ?? .good) }
        }
    }

    /// Says something of certificates from now on, also after a restart.
    package func say(_ word: OCSPState, of certificates: [OCSPResponder.Known]) async throws {
        try await storage.put(
            try certificates.map { try Document(kind: .revocation, name: $0.serial, encoding: word) }
        )
        state.withLock { state in
            for certificate in certificates { state.said[certificate.serial] = word }
        }
    }

    /// Signs what verifiers must refuse, beside a chain that signs rightly; nil when the server has no root at hand.
    package func forger(beside chain: SigningChain) -> Forger? {
        state.withLock { $0.root }.map { Forger(root: $0, chain: chain) }
    }
}
