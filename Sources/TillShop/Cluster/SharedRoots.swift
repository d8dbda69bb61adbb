import Foundation
import TillCore
import TillSigning
import TillStorage

/// The fingerprints of the root certificates that clients of a store trust. The store contains the fingerprints; data
/// directories contain the certificates and keys.
package struct SharedRoots: Codable, Equatable, Sendable {
    /// The SHA-256 of the root certificate for signed data, in hexadecimal.
    package let root: String
    /// The SHA-256 of the root certificate for receipts, in hexadecimal; nil until it is known.
    package let receipts: String?

    private init(root: String, receipts: String?) {
        self.root = root
        self.receipts = receipts
    }

    /// Opens the root of a data directory for use with a store. The store records the first root that is used with it.
    /// A directory with another root, or with no root, is refused later, because every client would need the new root.
    ///
    /// - Parameters:
    ///   - isAdopting: whether the directory's root replaces the recorded root. A missing root is then created.
    ///   - makesReceipts: whether to create a missing root for receipts now rather than at first use. Servers that
    ///     share a store need this to compare their roots.
    /// - Throws: `RootRefused` if the root is missing or unusable, or if it is not the root that the store has
    ///   recorded.
    package static func open(
        _ directory: DataDirectory,
        for storage: any Storage,
        isAdopting: Bool,
        makesReceipts: Bool
    ) async throws -> RootAuthority {
        let certificates = CertificateStore(directory)
        let receiptKeys = ReceiptKeyStore(directory)
        let recorded = try await recorded(in: storage)
        if !isAdopting {
            if !certificates.hasRoot {
                if let recorded { throw RootRefused.missing(directory.rootCertificate, fingerprint: recorded.root) }
                // Earlier versions of Till recorded no root, so the data shows whether clients trust one.
                if try await hasBeenServed(storage) {
                    throw RootRefused.missing(directory.rootCertificate, fingerprint: nil)
                }
            }
            if let receipts = recorded?.receipts, !receiptKeys.hasChain {
                throw RootRefused.missing(receiptKeys.chainFile, fingerprint: receipts)
            }
        }
        let root: RootAuthority
        do {
            root = try certificates.root()
        } catch let error where certificates.hasRoot {
            // The certificate exists, but its key is missing or unusable. No new root is created, because it would
            // replace this certificate, and restoring the key would not help any more.
            throw RootRefused.unusable(directory.path, reason: error.logText)
        }
        let receipts: String?
        if makesReceipts {
            receipts = try await receiptKeys.keys.signing().chain.rootFingerprint
        } else {
            // An unreadable chain is no error here: requests for receipts and `till doctor` report it.
            receipts = receiptKeys.hasChain ? try? receiptKeys.chain().rootFingerprint : nil
        }
        let present = SharedRoots(root: root.fingerprint, receipts: receipts)
        guard isAdopting || recorded != present else { return root }
        let document = try Document(kind: .shop, name: documentName, encoding: present)
        if isAdopting || recorded.map({ $0.root == present.root && $0.receipts == nil }) == true {
            try await storage.put([document])
            return root
        }
        // Several servers may start at the same time. The server that records its root first determines the root.
        let kept = try await storage.keep(document).decoded(as: SharedRoots.self)
        let isSame = kept.root == present.root && (present.receipts == nil || kept.receipts == present.receipts)
        guard isSame else { throw RootRefused.other(directory.path) }
        return root
    }

    /// The roots that a store has recorded; nil for a new store, and for a store of a Till version that recorded none.
    package static func recorded(in storage: any Storage) async throws -> SharedRoots? {
        try await storage.documents(.shop).first { $0.name == documentName }?.decoded()
    }

    private static let documentName = "roots"

    /// Whether clients may have signed data from this store: it contains customers, or notifications were signed.
    private static func hasBeenServed(_ storage: any Storage) async throws -> Bool {
        if try await !storage.storedAccounts(of: nil, after: nil, limit: 1).isEmpty { return true }
        return try await !storage.documents(.chain).isEmpty
    }
}

/// Why a server does not start with the root certificate of its data directory.
package enum RootRefused: Error, Equatable, CustomStringConvertible {
    /// A certificate file is missing. `fingerprint` is that of the certificate that clients trust, if it is known.
    case missing(String, fingerprint: String?)
    /// The store was used with another root than the root in this data directory.
    case other(String)
    /// The certificate in a data directory cannot be read, or its key cannot be used.
    case unusable(String, reason: String)

    package var description: String {
        switch self {
        case .missing(let path, let fingerprint):
            "\(path) is missing. A new one would differ from the certificate that clients of this database trust"
                + (fingerprint.map { " (SHA-256 \($0.prefix(16))…)" } ?? "")
                + ". Restore the folder ca from a backup, or copy it from another server of this database. If it is "
                + "permanently lost, start once with --adopt-root true, and give every client the new root."
        case .other(let path):
            "This database was used with another root than the root in \(path)/ca. Replace that folder with the "
                + "folder ca of another server of this database, or of a backup. If it is permanently lost, start "
                + "once with --adopt-root true, and give every client the new root."
        case .unusable(let path, let reason):
            "The root in \(path)/ca cannot be used: \(reason)\(reason.hasSuffix(".") ? "" : ".") Restore the folder ca "
                + "from a backup, or copy it from another server of this database. If it is permanently lost, "
                + "move the folder \(path)/ca away, start once with --adopt-root true, and give every client the new "
                + "root."
        }
    }
}
