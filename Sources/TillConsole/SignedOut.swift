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

/// Sign-ins that were refused in the last minute, from wherever they came. Where there are many somebody guesses, and
/// waits for each answer.
final class WrongTokens: Sendable {
    private let instants = Mutex<[ContinuousClock.Instant]>([])
    /// So many are mistakes.
    static let most = 10
    static let pause = Duration.milliseconds(250)
    private static let span = Duration.seconds(60)

    /// Notes one.
    ///
    /// - Returns: how many there were in the last minute, this one included; a thousand at the most.
    func note(at now: ContinuousClock.Instant = ContinuousClock().now) -> Int {
        instants.withLock { instants in
            instants.removeAll { now - $0 >= Self.span }
            if instants.count < 1_000 { instants.append(now) }
            return instants.count
        }
    }
}
