import Crypto
import Foundation
import Synchronization

/// Signed-out sessions, stored as cookie digests until the cookies expire. Other nodes do not know them, and a restart
/// clears them.
final class SignedOut: Sendable {
    private let ends = Mutex<[SHA256Digest: Int64]>([:])
    /// One sign-out per second for twelve hours.
    private static let maxCount = 43_200

    func add(_ cookie: String, until end: Int64, now: Int64) {
        ends.withLock { ends in
            if ends.count >= Self.maxCount { ends = ends.filter { $0.value > now } }
            if ends.count >= Self.maxCount, let soonest = ends.min(by: { $0.value < $1.value }) {
                ends[soonest.key] = nil
            }
            ends[Self.digest(cookie)] = end
        }
    }

    func has(_ cookie: String) -> Bool { ends.withLock { !$0.isEmpty && $0[Self.digest(cookie)] != nil } }

    private static func digest(_ cookie: String) -> SHA256Digest { SHA256.hash(data: Data(cookie.utf8)) }
}
