import Foundation
import TillSigning
import TillStorage

/// The root and chain of receipts in a data directory: created at first use, and kept.
package struct ReceiptKeyStore: Sendable {
    private let directory: DataDirectory

    /// The receipt keys of a data directory.
    package init(_ directory: DataDirectory) {
        self.directory = directory
    }

    /// Whether there is a chain.
    package var hasChain: Bool { FileManager.default.fileExists(atPath: chainFile) }

    /// Leaf, intermediate and root.
    package var chainFile: String { ReceiptFiles(folder: directory.receiptKeys).certificates }

    /// The keys for a shop, created at first use.
    package var keys: ReceiptKeys { ReceiptKeys { ReceiptKeys.Loaded(try chain()) { try root() } } }

    /// The chain, created with its root the first time.
    package func chain() throws -> ReceiptChain {
        let files = ReceiptFiles(folder: directory.receiptKeys)
        guard FileManager.default.fileExists(atPath: files.certificates) else { return try make(files) }
        return try read(files)
    }

    /// The root with its key, once there is a chain.
    private func root() throws -> ReceiptAuthority {
        let files = ReceiptFiles(folder: directory.receiptKeys)
        return try ReceiptAuthority(
            certificatePEM: try read(files).rootCertificatePEM,
            privateKeyPEM: Secret(DataDirectory.read(files.rootKey))
        )
    }

    /// What is wrong with the files; nil if nothing, or if there are none.
    func finding() -> String? {
        let files = ReceiptFiles(folder: directory.receiptKeys)
        guard FileManager.default.fileExists(atPath: files.rootKey) else { return nil }
        do {
            _ = try read(files)
            return nil
        } catch {
            return "The keys of receipts cannot be used: \(error.logText) Restore \(files.folder) from a backup."
        }
    }

    private func read(_ files: ReceiptFiles) throws -> ReceiptChain {
        try ReceiptChain(
            certificatesPEM: DataDirectory.read(files.certificates),
            leafPrivateKeyPEM: Secret(DataDirectory.read(files.leafKey)),
            purchaseCertificatePEM: DataDirectory.read(files.purchaseCertificate),
            purchasePrivateKeyPEM: Secret(DataDirectory.read(files.purchaseKey))
        )
    }

    /// The certificates are written last: after a crash before that, everything is created again.
    private func make(_ files: ReceiptFiles) throws -> ReceiptChain {
        let root = try ReceiptAuthority.make()
        let chain = try ReceiptChain.issue(under: root)
        try DataDirectory.makeFolder(files.folder)
        // Keeps an existing key, because its certificates might still be restored.
        if FileManager.default.fileExists(atPath: files.rootKey) {
            try DataDirectory.write(DataDirectory.read(files.rootKey), to: files.rootKey + ".lost")
        }
        try DataDirectory.write(root.privateKeyPEM.exposed, to: files.rootKey)
        try DataDirectory.write(chain.leafPrivateKeyPEM.exposed, to: files.leafKey)
        try DataDirectory.write(chain.purchasePrivateKeyPEM.exposed, to: files.purchaseKey)
        try DataDirectory.write(chain.purchaseCertificatePEM, to: files.purchaseCertificate)
        try DataDirectory.write(chain.certificatesPEM, to: files.certificates)
        return chain
    }
}

/// The files of the keys that sign receipts.
private struct ReceiptFiles {
    let folder: String
    /// The key of the root, which is the last certificate in the chain.
    var rootKey: String { folder + "/root.key" }
    /// Leaf, intermediate and root.
    var certificates: String { folder + "/chain.pem" }
    var leafKey: String { folder + "/leaf.key" }
    /// Signs receipts of single transactions.
    var purchaseCertificate: String { folder + "/purchase.pem" }
    var purchaseKey: String { folder + "/purchase.key" }
}
