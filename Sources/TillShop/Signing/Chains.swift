import Synchronization
import TillSigning
import TillStorage

/// The chain that signs now, and the certificates of all that ever signed a notification: what was sent once is put
/// together again byte for byte, also after a rotation.
final class Chains: Sendable {
    private struct State {
        var current: SigningChain
        /// The first segment of what a chain signs, by the chain's id; those that the store has.
        var headers: [String: [UInt8]] = [:]
    }

    private let state: Mutex<State>

    init(storage: any Storage, signing chain: SigningChain) async throws {
        var state = State(current: chain)
        for document in try await storage.documents(.chain) {
            state.headers[document.name] = Self.header(in: document)
        }
        self.state = Mutex(state)
    }

    /// The first segment of what a chain signed, as a document keeps it: a JSON string.
    static func header(in document: Document) -> [UInt8] { Array(document.body.utf8.dropFirst().dropLast()) }

    var current: SigningChain { state.withLock { $0.current } }

    func sign(with chain: SigningChain) {
        state.withLock { $0.current = chain }
    }

    /// What the store must keep of a chain before anything that it signed; nil once it does.
    func document(of chain: SigningChain) -> Document? {
        state.withLock { state in
            guard state.headers[chain.id] == nil else { return nil }
            let body = "\"\(String(decoding: chain.headerSegment, as: UTF8.self))\""
            return Document(kind: .chain, name: chain.id, body: body)
        }
    }

    /// The store has it now.
    func keep(_ chain: SigningChain) {
        state.withLock { $0.headers[chain.id] = chain.headerSegment }
    }

    /// Follows the store, in which another node may have put a chain.
    func follow(_ storage: any Storage) async throws {
        for document in try await storage.documents(.chain) { learn(document) }
    }

    /// The store has a chain of another Till's.
    func learn(_ document: Document) {
        state.withLock { $0.headers[document.name] = Self.header(in: document) }
    }

    func header(of id: String) -> [UInt8]? {
        state.withLock { $0.headers[id] ?? ($0.current.id == id ? $0.current.headerSegment : nil) }
    }
}
