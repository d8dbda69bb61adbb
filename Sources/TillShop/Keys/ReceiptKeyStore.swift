import Foundation
import TillSigning
import TillStorage

/// The certificates and keys for receipts in a data directory. They are created at first use and reused afterwards.
package struct ReceiptKeyStore: Sendable {
    private let directory: DataDirectory

    /// Opens the receipt keys of a data directory.
    package init(_ directory: DataDirectory) {
        self.directory = directory
    }

    /// Whether the data directory contains a receipt chain.
    package var hasChain: Bool { FileManager.default.fileExists(atPath: chainFile) }

    /// The file with the leaf, intermediate and root certificates.
    package var chainFile: String { ReceiptFiles(folder: directory.receiptKeys).certificates }

    /// The keys for a shop, created at first use.
    package var keys: ReceiptKeys { ReceiptKeys { ReceiptKeys.Loaded(try chain()) { try root() } } }

    /// Reads the chain, or creates the chain and its root if they are missing.
    package func chain() throws -> ReceiptChain {
        let files = ReceiptFiles(folder: directory.receiptKeys)
        guard FileManager.default.fileExists(atPath: files.certificates) else { return try make(files) }
        return try read(files)
    }

    /// Reads the root with its key; the chain must exist.
    private func root() throws -> ReceiptAuthority {
        let files = ReceiptFiles(folder: directory.receiptKeys)
        return try ReceiptAuthority(
            certificatePEM: try read(files).rootCertificatePEM,
            privateKeyPEM: Secret(DataDirectory.read(files.rootKey))
        )
    }

    /// Checks the files and describes what is wrong; nil if the files are correct or do not exist.
    func finding() -> String? {
        let files = ReceiptFiles(folder: directory.receiptKeys)
        guard FileManager.default.fileExists(atPath: files.rootKey) else { return nil }
        do {
            _ = try read(files)
            return nil
        } catch {
            return "The receipt keys cannot be used: \(error.logText) Restore \(files.folder) from a backup."
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

    /// Creates the root and the chain. The certificates are written last: if a crash prevents that, the next call
    /// creates everything again.
    private func make(_ files: ReceiptFiles) throws -> ReceiptChain {
        let root = try ReceiptAuthority.make()
        let chain = try ReceiptChain.issue(under: root)
        try DataDirectory.makeFolder(files.folder)
        // Keeps a copy of an existing root key, because an operator may still restore its certificates.
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
    /// The private key of the root.
    var rootKey: String { folder + "/root.key" }
    /// The leaf, intermediate and root certificates.
    var certificates: String { folder + "/chain.pem" }
    var leafKey: String { folder + "/leaf.key" }
    /// The certificate whose key signs receipts of single transactions.
    var purchaseCertificate: String { folder + "/purchase.pem" }
    var purchaseKey: String { folder + "/purchase.key" }
}
