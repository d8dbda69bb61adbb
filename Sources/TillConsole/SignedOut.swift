import Crypto
import Foundation
import Synchronization

/// Sessions that were ended before their time, by the digests of their cookies, until they would have ended by
/// themselves. Another server of the store does not know them, nor does this one after a restart.
final class SignedOut: Sendable {
    private let ends = Mutex<[SHA256Digest: Int64]>([:])
    /// Twelve hours of one every second.
    private static let most = 43_200

    func add(_ cookie: String, until end: Int64, now: Int64) {
        ends.withLock { ends in
            if ends.count >= Self.most { ends = ends.filter { $0.value > now } }
            if ends.count >= Self.most, let soonest = ends.min(by: { $0.value < $1.value }) { ends[soonest.key] = nil }
            ends[Self.digest(cookie)] = end
        }
    }

    func has(_ cookie: String) -> Bool { ends.withLock { !$0.isEmpty && $0[Self.digest(cookie)] != nil } }

    private static func digest(_ cookie: String) -> SHA256Digest { SHA256.hash(data: Data(cookie.utf8)) }
}
