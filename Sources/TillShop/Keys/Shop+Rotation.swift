import TillSigning

extension Shop {
    /// Issues another chain under the root and signs with it from now on. Only one rotation runs at a time, on all
    /// nodes.
    ///
    /// - Parameters:
    ///   - certificates: stores the chain.
    ///   - ocspURL: for its certificates.
    /// - Returns: the new chain.
    /// - Throws: `DirectoryRefused` if the root cannot be read or the chain cannot be written; `ShopBusy` while
    ///   everything is replaced or the server stops.
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
