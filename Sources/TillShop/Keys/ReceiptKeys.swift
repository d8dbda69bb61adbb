import TillSigning

/// The keys that sign and verify receipts. They are created at first use, because creating RSA keys takes some tenths
/// of a second.
package actor ReceiptKeys {
    /// A chain and a verifier for the receipts that it signs.
    package struct Signing: Sendable {
        /// The current chain.
        package let chain: ReceiptChain
        /// Verifies receipts against the root of the chain.
        let verifier: ReceiptVerifier

        init(_ chain: ReceiptChain) {
            self.chain = chain
            verifier = ReceiptVerifier(
                rootsDER: [chain.certificatesDER[2]],
                purchaseCertificatesDER: [chain.purchaseCertificateDER]
            )
        }
    }

    /// A chain, and a function that reads the root. Only forged receipts need the root.
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

    /// - Parameter load: reads or creates the keys; called again only if it threw an error.
    package init(load: @escaping @Sendable () throws -> Loaded) {
        self.load = load
    }

    /// Creates keys that exist only in this process.
    package static func temporary() -> ReceiptKeys {
        ReceiptKeys {
            let root = try ReceiptAuthority.make()
            return Loaded(try ReceiptChain.issue(under: root)) { root }
        }
    }

    /// The keys, loaded at the first call.
    package func signing() async throws -> Signing { try await loaded().0 }

    /// A forger that signs receipts for the attack pack. Its certificates are created at first use and not stored.
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
