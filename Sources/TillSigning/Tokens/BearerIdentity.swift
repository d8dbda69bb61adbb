/// The identity of a verified token.
package struct BearerIdentity: Sendable, Equatable {
    /// The key that signed.
    package let keyID: String
    /// The issuer the key belongs to.
    package let issuer: String
    /// The token's app; the caller checks that it exists.
    package let bundleID: String
    /// Until when the token may be used, in seconds since 1970.
    package let expiresAt: Double
}
