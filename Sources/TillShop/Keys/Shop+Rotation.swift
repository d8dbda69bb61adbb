import TillSigning

extension Shop {
    /// Issues another chain under the root and signs with it from now on. Across all nodes only one rotation runs at a
    /// time.
    ///
    /// - Parameters:
    ///   - certificates: the store that issues and keeps the chain.
    ///   - ocspURL: the URL of the OCSP responder for the new certificates.
    /// - Returns: the new chain.
    /// - Throws: `DirectoryRefused` if the root cannot be read or the chain cannot be written; `ShopBusy` during a
    ///   restore, import or reset, or if the server is stopping.
    package func rotateChain(in certificates: CertificateStore, ocspURL: String) async throws -> SigningChain {
        try await exclusively("certificates") {
            let chain = try certificates.rotate(under: try certificates.presentRoot(), ocspURL: ocspURL)
            // The OCSP responder must know the chain before it signs anything.
            try authority.add(chain)
            try await sign(with: chain)
            return chain
        }
    }
}
