import TillSigning
import TillStorage

/// The keys of the shop: the chains that sign payloads, their root, and the keys that sign receipts; and what was
/// signed recently.
package final class SigningKeys: Sendable {
    let chains: Chains
    /// The root certificate and the chains that it issued, for the OCSP responder.
    package let authority: RevocationRegistry
    /// Signs and verifies receipts.
    package let receipts: ReceiptKeys
    /// Seals and opens cursors.
    package let cursors: CursorSeal
    /// Transactions that were signed recently.
    let signatures = SignatureCache()
    /// Pages of histories that were read recently, with their signed transactions.
    let historyPages = HistoryPages()
    /// The receipts that were signed in the current second.
    let signedReceipts = ReceiptCache()
    private let storage: any Storage
    private let locks: ShopLocks

    init(storage: any Storage, locks: ShopLocks, chain: SigningChain, receipts: ReceiptKeys) async throws {
        self.storage = storage
        self.locks = locks
        self.receipts = receipts
        chains = try await Chains(storage: storage, signing: chain)
        authority = try await RevocationRegistry(storage: storage)
        cursors = try await CursorSeal(storage: storage)
        try await publish(chain)
    }

    /// Issues another chain under the root and signs with it from now on. Existing signatures stay valid. Across all
    /// nodes only one rotation runs at a time.
    ///
    /// - Parameters:
    ///   - certificates: the store that issues and keeps the chain.
    ///   - ocspURL: the URL of the OCSP responder for the new certificates.
    /// - Returns: the new chain.
    /// - Throws: `DirectoryRefused` if the root cannot be read or the chain cannot be written; `ShopBusy` during a
    ///   restore, import or reset, or if the server is stopping.
    package func rotate(in certificates: CertificateStore, ocspURL: String) async throws -> SigningChain {
        try await locks.exclusively("certificates") {
            let chain = try certificates.rotate(under: try certificates.presentRoot(), ocspURL: ocspURL)
            // The OCSP responder must know the chain before it signs anything.
            try authority.add(chain)
            if try await publish(chain) { await locks.cluster?.settle() }
            chains.sign(with: chain)
            return chain
        }
    }

    /// Stores the document of a chain for the other nodes, which assemble payloads that this node signs.
    ///
    /// - Returns: whether the document was stored now.
    @discardableResult
    private func publish(_ chain: SigningChain) async throws -> Bool {
        guard locks.cluster != nil, let document = chains.document(of: chain) else { return false }
        try await storage.put([document])
        return true
    }

    /// Forgets what was signed, because its content was erased or replaced.
    func forgetSigned() {
        signatures.clear()
        signedReceipts.clear()
    }

    /// Reloads from the database what a restore, import or reset replaced.
    func reload() async throws {
        try await chains.follow(storage)
        try await authority.reload()
        forgetSigned()
    }
}
