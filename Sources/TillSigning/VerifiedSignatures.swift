import Crypto
import Synchronization

/// Signatures that were checked and found good, so that whoever sends the same token again pays for its check once.
/// Only good ones are remembered, by a digest of the key, of what was signed and of the signature; everything else
/// about a token is judged each time.
package final class VerifiedSignatures: Sendable {
    /// What was remembered since the last turn, and what before: the older half goes when the younger is full.
    private struct State {
        var young: Set<[UInt8]> = []
        var old: Set<[UInt8]> = []
    }

    private let state = Mutex(State())
    private let half: Int

    /// - Parameter most: how many are remembered at the most; 32 bytes each, and some for the set.
    package init(most: Int = 16_384) { half = max(most / 2, 1) }

    /// How many are remembered.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Whether a token's signature is good, by memory or by a check.
    func isGood(_ jws: CompactJWS, by key: VerificationKey) -> Bool {
        let digest = jws.digest(with: key)
        let isKnown = state.withLock { state in
            if state.young.contains(digest) { return true }
            guard state.old.contains(digest) else { return false }
            remember(digest, &state)
            return true
        }
        if isKnown { return true }
        guard jws.verify(with: key) else { return false }
        state.withLock { remember(digest, &$0) }
        return true
    }

    private func remember(_ digest: [UInt8], _ state: inout State) {
        if state.young.count >= half {
            state.old = state.young
            state.young = []
        }
        state.young.insert(digest)
    }
}
