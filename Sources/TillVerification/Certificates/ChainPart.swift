/// A certificate or key, with its name in errors.
package enum ChainPart: String, Sendable, Hashable, CaseIterable {
    case root = "root certificate"
    case rootKey = "root private key"
    case intermediate = "intermediate certificate"
    case intermediateKey = "intermediate private key"
    case leaf = "leaf certificate"
    case leafKey = "leaf private key"
    /// The certificate of the key that signs transaction receipts.
    case purchase = "purchase receipt certificate"
    case purchaseKey = "purchase receipt private key"
    /// The root for TLS clients, which is independent of the signing root.
    case tlsRoot = "TLS root certificate"
    case tlsRootKey = "TLS root private key"
    case tlsServer = "TLS server certificate"
    case tlsServerKey = "TLS server private key"
    /// An API key: a `.p8` file or a public key.
    case apiKey = "API key"
}
