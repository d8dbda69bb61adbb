import Foundation
import TillSigning

/// The certificates and keys in a data directory: created at the first start, and kept.
package struct CertificateStore: Sendable {
    private let directory: DataDirectory

    /// The certificates of a data directory.
    package init(_ directory: DataDirectory) {
        self.directory = directory
    }

    /// Whether there is a root.
    package var hasRoot: Bool { FileManager.default.fileExists(atPath: directory.rootCertificate) }

    /// The root, created the first time. If clients may already trust an earlier one, `SharedRoots.open` checks that
    /// first.
    package func root() throws -> RootAuthority {
        if hasRoot { return try presentRoot() }
        let root = try RootAuthority.make()
        try DataDirectory.makeFolder(directory.path + "/ca")
        // The key first, because a certificate without its key would prevent creating a new pair.
        try DataDirectory.write(root.privateKeyPEM.exposed, to: directory.rootKey)
        try DataDirectory.write(root.certificatePEM, to: directory.rootCertificate)
        return root
    }

    /// Reads the existing root.
    ///
    /// - Throws: `DirectoryRefused` if it is missing; no new one is created.
    package func presentRoot() throws -> RootAuthority {
        try RootAuthority(
            certificatePEM: DataDirectory.read(directory.rootCertificate),
            privateKeyPEM: Secret(DataDirectory.read(directory.rootKey))
        )
    }

    /// The current signing chain, issued the first time.
    ///
    /// - Parameter ocspURL: for newly issued certificates; existing ones keep theirs.
    package func chain(under root: RootAuthority, ocspURL: String) throws -> SigningChain {
        guard FileManager.default.fileExists(atPath: directory.currentChain) else {
            return try rotate(under: root, ocspURL: ocspURL)
        }
        return try currentChain()
    }

    /// Reads the current signing chain.
    package func currentChain() throws -> SigningChain {
        try chain(try DataDirectory.read(directory.currentChain).trimmingCharacters(in: .newlines))
    }

    private func chain(_ id: String) throws -> SigningChain {
        let files = directory.chain(id)
        return try SigningChain(
            certificatesPEM: DataDirectory.read(files.certificates),
            leafPrivateKeyPEM: Secret(DataDirectory.read(files.leafKey)),
            intermediatePrivateKeyPEM: Secret(DataDirectory.read(files.intermediateKey))
        )
    }

    /// Reads all chains in the directory, current and former, in no order.
    ///
    /// - Parameter unreadable: called for each incomplete chain; the others are still returned.
    package func chains(unreadable: (_ id: String, _ reason: any Error) -> Void) throws -> [SigningChain] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/ca").sorted()
        return names.compactMap { id in
            // Other keys are in this folder, too. A folder without this file is a rotation that a crash interrupted;
            // nothing was signed with its key.
            guard SigningChain.isID(id), FileManager.default.fileExists(atPath: directory.chain(id).certificates)
            else { return nil }
            do {
                return try chain(id)
            } catch {
                unreadable(id, error)
                return nil
            }
        }
    }

    /// Issues a new intermediate and leaf under the same root. Old chains stay in their folders, and their signatures
    /// stay valid. The file that names the current chain is written last, so that a crash leaves one of the chains
    /// current.
    package func rotate(under root: RootAuthority, ocspURL: String) throws -> SigningChain {
        let chain = try SigningChain.issue(under: root, ocspURL: ocspURL)
        let files = directory.chain(chain.id)
        try DataDirectory.makeFolder(files.folder)
        try DataDirectory.write(chain.leafPrivateKeyPEM.exposed, to: files.leafKey)
        try DataDirectory.write(chain.intermediatePrivateKeyPEM.exposed, to: files.intermediateKey)
        try DataDirectory.write(chain.certificatesPEM, to: files.certificates)
        try DataDirectory.write(chain.id + "\n", to: directory.currentChain)
        return chain
    }
}
