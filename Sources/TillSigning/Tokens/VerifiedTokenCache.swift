import Synchronization

/// Keeps tokens with valid signatures. If a client sends the same `Authorization` header again, its token is not parsed
/// and verified again. The cache finds a token by the complete text of the header. Everything except the signature,
/// especially the times, is still checked for each request.
package final class VerifiedTokenCache: Sendable {
    /// The two halves of the cache. When the young half is full, it replaces the old half.
    private struct State {
        var young: [String: BearerToken] = [:]
        var old: [String: BearerToken] = [:]
    }

    private let state = Mutex(State())
    private let half: Int
    /// The maximum length of a cached header. No client library creates longer headers.
    private static let maxHeaderLength = 2_048

    /// - Parameter limit: the maximum number of tokens. Each token takes about 1 kB.
    package init(limit: Int = 8_192) { half = max(limit / 2, 1) }

    /// The number of cached tokens.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The cached token for a header; nil if there is none.
    func token(in header: String) -> BearerToken? {
        state.withLock { state in
            if let token = state.young[header] { return token }
            guard let token = state.old.removeValue(forKey: header) else { return nil }
            keep(token, header, &state)
            return token
        }
    }

    /// Caches a token with a valid signature.
    func keep(_ token: BearerToken, in header: String) {
        guard header.utf8.count <= Self.maxHeaderLength else { return }
        state.withLock { keep(token, header, &$0) }
    }

    private func keep(_ token: BearerToken, _ header: String, _ state: inout State) {
        if state.young.count >= half {
            state.old = state.young
            state.young = [:]
        }
        state.young[header] = token
    }
}
