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

    /// What signs, and the root that is needed for nothing but wrong receipts.
    package struct Loaded: Sendable {
        let chain: ReceiptChain
        let root: @Sendable () throws -> ReceiptAuthority

        init(_ chain: ReceiptChain, root: @escaping @Sendable () throws -> ReceiptAuthority) {
            self.chain = chain
            self.root = root
        }
    }

    private let load: @Sendable () throws -> Loaded
    private var loading: Task<(Signing, Loaded), any Error>?
    private var forging: Task<ReceiptForger, any Error>?

    /// - Parameter load: reads the keys, or makes them; called once, unless it throws.
    package init(load: @escaping @Sendable () throws -> Loaded) {
        self.load = load
    }

    /// Keys that are made anew for this process and forgotten with it.
    package static func temporary() -> ReceiptKeys {
        ReceiptKeys {
            let root = try ReceiptAuthority.make()
            return Loaded(try ReceiptChain.issue(under: root)) { root }
        }
    }

    /// The keys, once they are there.
    package func signing() async throws -> Signing { try await loaded().0 }

    /// Signs what verifiers must refuse. Its certificates are made at first use and forgotten with the process.
    package func forger() async throws -> ReceiptForger {
        if let forging { return try await forging.value }
        let loaded = try await loaded().1
        let task = Task.detached { try ReceiptForger(root: try loaded.root(), chain: loaded.chain) }
        forging = task
        do {
            return try await task.value
        } catch {
            forging = nil
            throw error
        }
    }

    private func loaded() async throws -> (Signing, Loaded) {
        if let loading { return try await loading.value }
        let load = load
        let task = Task.detached {
            let loaded = try load()
            return (Signing(loaded.chain), loaded)
        }
        loading = task
        do {
            return try await task.value
        } catch {
            loading = nil
            throw error
        }
    }
}
