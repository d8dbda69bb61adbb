#if Server || AppStoreServer
import AppStoreServer

extension Till.App {
    /// A client of the App Store Server API of the app, with its key. Needs the trait `AppStoreServer` of the package.
    public func apiClient() throws -> AppStoreServerClient {
        let key = try AppStoreKey(pem: key.privateKey, keyID: key.keyId, issuerID: key.issuerId)
        return AppStoreServerClient(key: key, bundleID: bundleId, environment: .custom(address))
    }

    /// A verifier of the app's signed data, which trusts the server's root certificate. Needs the trait
    /// `AppStoreServer` of the package.
    public func verifier() throws -> SignedDataVerifier {
        let expected: ExpectedApp =
            switch environment {
            case .production: .production(bundleID: bundleId, appAppleID: appAppleId)
            case .sandbox: .sandbox(bundleID: bundleId)
            }
        return SignedDataVerifier(roots: try TrustedRoots([Array(rootCertificate.utf8)]), app: expected)
    }
}
#endif
