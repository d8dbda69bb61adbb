import Foundation
import TillSigning

/// The certificates and keys in a data directory: made at the first start, kept for ever.
package struct CertificateStore: Sendable {
    private let directory: DataDirectory

    /// The certificates of a data directory.
    package init(_ directory: DataDirectory) {
        self.directory = directory
    }

    /// Whether there is a root.
    package var hasRoot: Bool { FileManager.default.fileExists(atPath: directory.rootCertificate) }

    /// The root, made the first time. Where clients may trust an earlier one already, `SharedRoots.open` asks first.
    package func root() throws -> RootAuthority {
        if hasRoot { return try presentRoot() }
        let root = try RootAuthority.make()
        try DataDirectory.makeFolder(directory.path + "/ca")
        // The key first: a certificate without its key would never be made again.
        try DataDirectory.write(root.privateKeyPEM.exposed, to: directory.rootKey)
        try DataDirectory.write(root.certificatePEM, to: directory.rootCertificate)
        return root
    }

    /// The root as it lies in the directory.
    ///
    /// - Throws: `DirectoryRefused` when it is missing; nothing is made in its place.
    package func presentRoot() throws -> RootAuthority {
        try RootAuthority(
            certificatePEM: DataDirectory.read(directory.rootCertificate),
            privateKeyPEM: Secret(DataDirectory.read(directory.rootKey))
        )
    }

    /// The chain that signs, issued the first time.
    ///
    /// - Parameter ocspURL: goes into certificates that are issued now; those that exist keep theirs.
    package func chain(under root: RootAuthority, ocspURL: String) throws -> SigningChain {
        guard FileManager.default.fileExists(atPath: directory.currentChain) else {
            return try rotate(under: root, ocspURL: ocspURL)
        }
        return try currentChain()
    }

    /// The chain that signs, as it lies in the directory.
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

    /// Every chain that ever signed, as they lie in the directory, in no order.
    ///
    /// - Parameter unreadable: told of a folder that holds no whole chain; the others are read all the same.
    package func chains(unreadable: (_ id: String, _ reason: any Error) -> Void) throws -> [SigningChain] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/ca").sorted()
        return names.compactMap { id in
            // Others keep their keys here too. A folder without the file is a rotation that a crash cut short; nothing
            // was signed with it.
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

    /// Issues a new intermediate and leaf under the same root. Old chains stay in their folders; what they signed
    /// carries their certificates and keeps verifying. The file that names the chain in use is written last, so that
    /// a crash leaves either chain whole.
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
