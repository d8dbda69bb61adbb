import TillSigning

/// What signs and verifies receipts. RSA keys take some tenths of a second to make, so they are made at first use.
package actor ReceiptKeys {
    /// A chain, and who trusts it.
    package struct Signing: Sendable {
        /// Signs what is made now.
        package let chain: ReceiptChain
        /// Trusts the root of the chain.
        let verifier: ReceiptVerifier

        init(_ chain: ReceiptChain) {
            self.chain = chain
            verifier = ReceiptVerifier(
                rootsDER: [chain.certificatesDER[2]],
                purchaseCertificatesDER: [chain.purchaseCertificateDER]
            )
        }
    }

    private let load: @Sendable () throws -> ReceiptChain
    private var loading: Task<Signing, any Error>?

    /// - Parameter load: reads the keys, or makes them; called once, unless it throws.
    package init(load: @escaping @Sendable () throws -> ReceiptChain) {
        self.load = load
    }

    /// Keys that are made anew for this process and forgotten with it.
    package static func temporary() -> ReceiptKeys {
        ReceiptKeys { try ReceiptChain.issue(under: try ReceiptAuthority.make()) }
    }

    /// The keys, once they are there.
    package func signing() async throws -> Signing {
        if let loading { return try await loading.value }
        let load = load
        let task = Task.detached { Signing(try load()) }
        loading = task
        do {
            return try await task.value
        } catch {
            loading = nil
            throw error
        }
    }
}
