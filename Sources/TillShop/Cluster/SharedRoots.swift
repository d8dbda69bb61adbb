import TillCore
import TillSigning
import TillStorage

/// The roots under which all servers of a database sign. Their fingerprints lie in the store, the keys do not.
package struct SharedRoots: Codable, Equatable, Sendable {
    /// SHA-256 of the certificate of the App Store's place, hexadecimal.
    package let root: String
    /// The same of the root of receipts.
    package let receipts: String

    /// The roots of a server.
    package init(root: RootAuthority, receipts: ReceiptKeys) async throws {
        self.root = root.fingerprint
        self.receipts = try await receipts.signing().chain.rootFingerprint
    }

    /// Whether these are the roots of the other servers too; the first one says which they are.
    ///
    /// - Parameter adopting: makes these the ones.
    package func check(_ storage: any Storage, adopting: Bool) async throws -> Bool {
        let document = try Document(kind: .shop, name: "roots", encoding: self)
        if adopting {
            try await storage.put([document])
            return true
        }
        return try await storage.keep(document).decoded(as: SharedRoots.self) == self
    }
}
