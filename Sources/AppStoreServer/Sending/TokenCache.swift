import Foundation
import Synchronization
import TillJSON

/// The tokens of a client (docs/api/authentication.md): one is kept and used again until five minutes before its end.
final class TokenCache: Sendable {
    /// A token, as it is sent.
    struct Token: Sendable {
        let text: String
        /// The difference between the clock that dated it and the local one.
        let clockOffset: Duration
    }

    private struct Kept: Sendable {
        var token: Token?
        /// When a new token is made.
        var renewal = Timestamp(milliseconds: .min)
        /// The server's clock, in relation to the local one.
        var clockOffset = Duration.zero
    }

    /// A server may refuse a token whose `iat` is in the future, so tokens are dated back by a minute. A larger
    /// difference of the clocks is recognized with the `Date` of the answer.
    static let tolerance = Duration.seconds(60)
    private static let maxLifetime = Duration.seconds(3_600)
    private static let margin = Duration.seconds(300)

    private let key: AppStoreKey
    private let bundleID: String
    private let lifetime: Duration
    private let kept = Mutex(Kept())

    init(key: AppStoreKey, bundleID: String, lifetime: Duration) {
        (self.key, self.bundleID) = (key, bundleID)
        self.lifetime = min(lifetime, Self.maxLifetime - Self.tolerance)
    }

    /// A token that is valid for some minutes.
    ///
    /// - Throws: an error of swift-crypto.
    func token(at now: Timestamp) throws -> Token {
        try kept.withLock { kept in
            if let token = kept.token, now < kept.renewal { return token }
            let token = Token(text: try make(at: now + kept.clockOffset), clockOffset: kept.clockOffset)
            kept.renewal = now + max(lifetime - Self.margin, lifetime / 2)
            kept.token = token
            return token
        }
    }

    /// Dates the next tokens by a server's clock.
    ///
    /// - Parameter skew: by how much the server's clock is ahead of the local one.
    func follow(clockAhead skew: Duration) {
        kept.withLock { kept in
            if kept.clockOffset != skew { kept = Kept(clockOffset: skew) }
        }
    }

    private func make(at date: Timestamp) throws -> String {
        let issued = (date - Self.tolerance).milliseconds / 1_000
        let expires = (date + lifetime).milliseconds / 1_000
        let header = JSONTree.members(["alg": .string("ES256"), "kid": .string(key.keyID), "typ": .string("JWT")])
        let claims = JSONTree.members([
            "iss": .string(key.issuerID), "iat": .count(issued), "exp": .count(expires),
            "aud": .string("appstoreconnect-v1"), "bid": .string(bundleID),
        ])
        let signed = [header, claims].map { Self.base64URL($0.compact) }.joined(separator: ".")
        return signed + "." + Self.base64URL(try key.sign(Array(signed.utf8)))
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension Timestamp {
    static func + (left: Timestamp, right: Duration) -> Timestamp { left.advanced(milliseconds: right.milliseconds) }
    static func - (left: Timestamp, right: Duration) -> Timestamp { left.advanced(milliseconds: -right.milliseconds) }
    static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds - right.milliseconds)
    }
}
