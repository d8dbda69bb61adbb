/// Who makes a request, once the token is verified.
package struct BearerIdentity: Sendable, Equatable {
    /// The key that signed.
    package let keyID: String
    /// The issuer the key belongs to.
    package let issuer: String
    /// The app that the token speaks for; whether it exists is for the caller to find out.
    package let bundleID: String
    /// Until when the token may be used again, in seconds since 1970.
    package let expiresAt: Double
}
