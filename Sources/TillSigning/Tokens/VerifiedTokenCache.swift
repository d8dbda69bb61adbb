import Synchronization

/// A cache of tokens with valid signatures, so that a client that sends the same header again causes parsing and
/// verification only once. The key is the header's complete text; the value includes the key that signed. Everything
/// else, the times above all, is checked for each request.
package final class VerifiedTokenCache: Sendable {
    /// Two generations: when the young one is full it becomes the old one, and the previous old one is dropped.
    private struct State {
        var young: [String: BearerToken] = [:]
        var old: [String: BearerToken] = [:]
    }

    private let state = Mutex(State())
    private let half: Int
    /// Longer headers, which no client library makes, are not cached.
    private static let maxHeaderLength = 2_048

    /// - Parameter limit: the maximum number of tokens; about 1 kB each.
    package init(limit: Int = 8_192) { half = max(limit / 2, 1) }

    /// How many tokens are cached.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The cached token of a header.
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
