import Synchronization
import TillSigning
import TillStorage

/// The current signing chain, and the JWS headers of all chains that signed notifications. With these headers, Till
/// assembles stored notifications byte for byte even after a rotation.
final class Chains: Sendable {
    private struct State {
        var current: SigningChain
        /// The JWS header segment of each chain in the database, by the chain's id.
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

    /// Reads a chain's JWS header segment from the chain's document, whose body is a JSON string.
    static func header(in document: Document) -> [UInt8] { Array(document.body.utf8.dropFirst().dropLast()) }

    var current: SigningChain { state.withLock { $0.current } }

    func sign(with chain: SigningChain) {
        state.withLock { $0.current = chain }
    }

    /// Creates the document of a chain; nil if it is already stored. It must be stored before, or together with, data
    /// that the chain signed.
    func document(of chain: SigningChain) -> Document? {
        state.withLock { state in
            guard state.headers[chain.id] == nil else { return nil }
            let body = "\"\(String(decoding: chain.headerSegment, as: UTF8.self))\""
            return Document(kind: .chain, name: chain.id, body: body)
        }
    }

    /// Records that the chain's document is stored.
    func keep(_ chain: SigningChain) {
        state.withLock { $0.headers[chain.id] = chain.headerSegment }
    }

    /// Reloads the headers from the database, where another node or an import may have added a chain.
    func follow(_ storage: any Storage) async throws {
        for document in try await storage.documents(.chain) {
            state.withLock { $0.headers[document.name] = Self.header(in: document) }
        }
    }

    func header(of id: String) -> [UInt8]? {
        state.withLock { $0.headers[id] ?? ($0.current.id == id ? $0.current.headerSegment : nil) }
    }
}
