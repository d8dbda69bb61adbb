import Synchronization
import TillSigning
import TillStorage

/// The current signing chain, and the certificates of all chains that signed notifications, which are needed to
/// assemble stored notifications byte for byte after a rotation.
final class Chains: Sendable {
    private struct State {
        var current: SigningChain
        /// The first segment of signed texts, by the chain's id, for the chains in the store.
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

    /// The first segment of a chain's signed texts, from its document: a JSON string.
    static func header(in document: Document) -> [UInt8] { Array(document.body.utf8.dropFirst().dropLast()) }

    var current: SigningChain { state.withLock { $0.current } }

    func sign(with chain: SigningChain) {
        state.withLock { $0.current = chain }
    }

    /// The document of a chain, which must be stored before anything that it signed; nil if it already is.
    func document(of chain: SigningChain) -> Document? {
        state.withLock { state in
            guard state.headers[chain.id] == nil else { return nil }
            let body = "\"\(String(decoding: chain.headerSegment, as: UTF8.self))\""
            return Document(kind: .chain, name: chain.id, body: body)
        }
    }

    /// Records that the store has the chain.
    func keep(_ chain: SigningChain) {
        state.withLock { $0.headers[chain.id] = chain.headerSegment }
    }

    /// Reloads from the store, where another node may have added a chain.
    func follow(_ storage: any Storage) async throws {
        for document in try await storage.documents(.chain) { learn(document) }
    }

    /// Adds a chain of another Till from the store.
    func learn(_ document: Document) {
        state.withLock { $0.headers[document.name] = Self.header(in: document) }
    }

    func header(of id: String) -> [UInt8]? {
        state.withLock { $0.headers[id] ?? ($0.current.id == id ? $0.current.headerSegment : nil) }
    }
}
