import Synchronization
import TillSigning
import TillStorage

/// The root and all its chains on a running server. The registry answers OCSP requests, and creates the forger of the
/// attack pack.
///
/// The certificates that the operator revoked are stored by serial number. See docs/api/ocsp.md.
package final class RevocationRegistry: Sendable {
    private struct State {
        var root: RootAuthority?
        var responder: OCSPResponder?
        /// The certificates' states by serial number. A certificate without an entry is good.
        var states: [String: OCSPState] = [:]
    }

    private let storage: any Storage
    private let state: Mutex<State>

    init(storage: any Storage) async throws {
        self.storage = storage
        state = Mutex(State(states: try await Self.read(storage)))
    }

    /// Reloads the states from the database after a restore, import or reset.
    func reload() async throws {
        let states = try await Self.read(storage)
        state.withLock { $0.states = states }
    }

    private static func read(_ storage: any Storage) async throws -> [String: OCSPState] {
        var states: [String: OCSPState] = [:]
        for document in try await storage.documents(.revocation) { states[document.name] = try document.decoded() }
        return states
    }

    /// Sets the root and the chains that the OCSP responder knows.
    package func open(_ root: RootAuthority, chains: [SigningChain]) throws {
        var responder = try OCSPResponder(root: root)
        for chain in chains { try responder.add(chain) }
        let made = responder
        state.withLock { state in
            state.root = root
            state.responder = made
        }
    }

    /// Adds a chain to the OCSP responder.
    package func add(_ chain: SigningChain) throws {
        try state.withLock { state in _ = try state.responder?.add(chain) }
    }

    /// Answers an OCSP request.
    ///
    /// - Parameter now: real time in milliseconds since 1970; revocation does not use simulated clocks.
    /// - Returns: nil if the server has no root.
    package func reply(to question: [UInt8], at now: Int64) -> OCSPReply? {
        let (responder, states) = state.withLock { ($0.responder, $0.states) }
        return responder?.reply(to: question, at: now) { states[$0] ?? .good }
    }

    /// Every certificate that the OCSP responder knows, with its state.
    package var certificates: [(certificate: OCSPResponder.Known, state: OCSPState)] {
        state.withLock { state in
            (state.responder?.certificates ?? []).map { ($0, state.states[$0.serial] ?? .good) }
        }
    }

    /// Sets and stores the state of certificates.
    package func setState(_ word: OCSPState, of certificates: [OCSPResponder.Known]) async throws {
        try await storage.put(
            try certificates.map { try Document(kind: .revocation, name: $0.serial, encoding: word) }
        )
        state.withLock { state in
            for certificate in certificates { state.states[certificate.serial] = word }
        }
    }

    /// A forger for the attack pack, based on the root and a valid chain; nil if the server has no root.
    package func forger(beside chain: SigningChain) -> Forger? {
        state.withLock { $0.root }.map { Forger(root: $0, chain: chain) }
    }
}
