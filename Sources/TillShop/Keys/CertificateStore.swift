import Foundation
import TillSigning

/// The certificates and keys in a data directory. They are created at the first start and reused afterwards.
package struct CertificateStore: Sendable {
    private let directory: DataDirectory

    /// Opens the certificates of a data directory.
    package init(_ directory: DataDirectory) {
        self.directory = directory
    }

    /// Whether the data directory contains a root certificate.
    package var hasRoot: Bool { FileManager.default.fileExists(atPath: directory.rootCertificate) }

    /// Reads the root certificate, or creates it if it is missing. Clients may already trust an earlier root;
    /// `SharedRoots.open` checks this before it calls `root()`.
    package func root() throws -> RootAuthority {
        if hasRoot { return try presentRoot() }
        let root = try RootAuthority.make()
        try DataDirectory.makeFolder(directory.path + "/ca")
        // The key is written first: `hasRoot` looks for the certificate, so a certificate without a key could not be
        // replaced.
        try DataDirectory.write(root.privateKeyPEM.exposed, to: directory.rootKey)
        try DataDirectory.write(root.certificatePEM, to: directory.rootCertificate)
        return root
    }

    /// Reads the existing root.
    ///
    /// - Throws: `DirectoryRefused` if the root is missing. This function never creates one.
    package func presentRoot() throws -> RootAuthority {
        try RootAuthority(
            certificatePEM: DataDirectory.read(directory.rootCertificate),
            privateKeyPEM: Secret(DataDirectory.read(directory.rootKey))
        )
    }

    /// Whether a signing chain was issued before.
    package var hasChain: Bool { FileManager.default.fileExists(atPath: directory.currentChain) }

    /// Reads the current signing chain, or issues one if there is none.
    ///
    /// - Parameter ocspURL: the URL of the OCSP responder for newly issued certificates; existing certificates keep
    ///   their URL.
    package func chain(under root: RootAuthority, ocspURL: String) throws -> SigningChain {
        try hasChain ? currentChain() : rotate(under: root, ocspURL: ocspURL)
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

    /// Reads all chains in the directory, current and former, in any order.
    ///
    /// - Parameter unreadable: called for each chain that cannot be read; the other chains are still returned.
    package func chains(unreadable: (_ id: String, _ reason: any Error) -> Void) throws -> [SigningChain] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/ca").sorted()
        return names.compactMap { id in
            // The folder also contains other keys. A chain without certificates comes from a rotation that a crash
            // interrupted; its key never signed anything.
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

    /// Issues a new intermediate and leaf certificate under the same root. Old chains stay in their folders, and their
    /// signatures stay valid. The file that names the current chain is written last, so that it names a complete chain
    /// even after a crash.
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
