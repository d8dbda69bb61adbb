/// The verified content of a bearer token.
package struct BearerIdentity: Sendable, Equatable {
    /// The id of the key that signed the token.
    package let keyID: String
    /// The issuer to which the key belongs.
    package let issuer: String
    /// The bundle id of the token's app. The caller must check that the app exists.
    package let bundleID: String
    /// The expiration date of the token, in seconds since 1970.
    package let expiresAt: Double
}
