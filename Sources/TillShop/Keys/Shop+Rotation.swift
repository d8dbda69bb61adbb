import TillSigning

extension Shop {
    /// Issues another chain under the root and signs with it from now on. One rotation goes on at a time, on all nodes;
    /// others wait for it.
    ///
    /// - Parameters:
    ///   - certificates: where the chain is kept.
    ///   - ocspURL: goes into its certificates.
    /// - Returns: the chain that was issued.
    /// - Throws: `DirectoryRefused` when the root cannot be read or the chain cannot be written; `ShopBusy` while
    ///   everything is being replaced or the server stops.
    package func rotateChain(in certificates: CertificateStore, ocspURL: String) async throws -> SigningChain {
        try await exclusively("certificates") {
            let chain = try certificates.rotate(under: try certificates.presentRoot(), ocspURL: ocspURL)
            // Who is asked about the chain must know it before anything is signed with it.
            try authority.add(chain)
            try await sign(with: chain)
            return chain
        }
    }
}
