import Synchronization

/// Keeps tokens with valid signatures. If a client sends the same `Authorization` header again, its token is not parsed
/// and verified again. The cache finds a token by the complete text of the header. Everything except the signature,
/// especially the times, is still checked for each request.
package final class VerifiedTokenCache: Sendable {
    private let tokens: Mutex<TwoGenerationCache<String, BearerToken>>
    /// Longer headers, which no client library makes, are not cached.
    private static let maxHeaderLength = 2_048

    /// - Parameter limit: the maximum number of tokens; about 1 kB each.
    package init(limit: Int = 8_192) { tokens = Mutex(TwoGenerationCache(limit: limit)) }

    /// How many tokens are cached.
    package var count: Int { tokens.withLock { $0.count } }

    /// The cached token of a header.
    func token(in header: String) -> BearerToken? { tokens.withLock { $0.value(of: header) } }

    /// Caches a token with a valid signature.
    func keep(_ token: BearerToken, in header: String) {
        guard header.utf8.count <= Self.maxHeaderLength else { return }
        tokens.withLock { $0.keep(token, of: header) }
    }
}
