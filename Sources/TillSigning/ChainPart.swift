/// One of the things a signing chain is made of, as an error names it.
package enum ChainPart: String, Sendable, Hashable, CaseIterable {
    case root = "root certificate"
    case rootKey = "root private key"
    case intermediate = "intermediate certificate"
    case intermediateKey = "intermediate private key"
    case leaf = "leaf certificate"
    case leafKey = "leaf private key"
    /// A key for the API (`.p8` file or public key).
    case apiKey = "API key"
}
