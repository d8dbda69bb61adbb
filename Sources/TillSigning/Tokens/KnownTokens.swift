import Synchronization

/// Tokens whose signatures were checked and found good, so that whoever sends the same header again pays once for its
/// reading and its check. Only good ones are kept, under the header's whole text and with the key that signed;
/// everything else about a token, its times before all, is judged each time.
package final class KnownTokens: Sendable {
    /// What was kept since the last turn, and what before: the older half goes when the younger is full.
    private struct State {
        var young: [String: BearerToken] = [:]
        var old: [String: BearerToken] = [:]
    }

    private let state = Mutex(State())
    private let half: Int
    /// Longer headers, which no client's library makes, are read each time.
    private static let longestHeader = 2_048

    /// - Parameter most: how many are kept at the most; about 1 kB each.
    package init(most: Int = 8_192) { half = max(most / 2, 1) }

    /// How many are kept.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The token that stood in the same header before.
    func token(in header: String) -> BearerToken? {
        state.withLock { state in
            if let token = state.young[header] { return token }
            guard let token = state.old.removeValue(forKey: header) else { return nil }
            keep(token, header, &state)
            return token
        }
    }

    /// Keeps a token whose signature is good.
    func keep(_ token: BearerToken, in header: String) {
        guard header.utf8.count <= Self.longestHeader else { return }
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
