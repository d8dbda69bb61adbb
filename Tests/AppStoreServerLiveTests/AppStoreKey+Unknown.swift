import AppStoreServer
import Crypto

extension AppStoreKey {
    /// A key that the server has never issued.
    static func unknown(issuer: String) throws -> AppStoreKey {
        try AppStoreKey(pem: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABCDEFGHIJ", issuerID: issuer)
    }
}
