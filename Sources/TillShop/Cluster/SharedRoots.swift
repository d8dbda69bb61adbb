import Foundation
import TillCore
import TillSigning
import TillStorage

/// The roots that clients of a store trust. Their fingerprints are in the store, the keys in data directories.
package struct SharedRoots: Codable, Equatable, Sendable {
    /// SHA-256 of the certificate of the root for signed data, hexadecimal.
    package let root: String
    /// The same for the root of receipts; nil until one is known.
    package let receipts: String?

    private init(root: String, receipts: String?) {
        self.root = root
        self.receipts = receipts
    }

    /// Opens the root of a data directory for a store. The first root that is used with a store is recorded there. A
    /// directory with another root, or without one, is refused, because every client would need the new root.
    ///
    /// - Parameters:
    ///   - isAdopting: records the root of the directory in place of the one before; creates a missing one.
    ///   - makesReceipts: creates the root of receipts now, so that servers can compare theirs, rather than at first
    ///     use.
    /// - Throws: `RootRefused`; nothing was created then.
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
                // Earlier versions of Till recorded no root.
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
            // A certificate without its key. Creating a new root would replace it, and restoring the key would not help
            // any more.
            throw RootRefused.unusable(directory.path, reason: error.logText)
        }
        let receipts: String?
        if makesReceipts {
            receipts = try await receiptKeys.keys.signing().chain.rootFingerprint
        } else {
            // An unreadable chain is reported when a receipt is requested, and by till doctor.
            receipts = receiptKeys.hasChain ? try? receiptKeys.chain().rootFingerprint : nil
        }
        let present = SharedRoots(root: root.fingerprint, receipts: receipts)
        guard isAdopting || recorded != present else { return root }
        let document = try Document(kind: .shop, name: documentName, encoding: present)
        if isAdopting || recorded.map({ $0.root == present.root && $0.receipts == nil }) == true {
            try await storage.put([document])
            return root
        }
        // Another server may start at the same time; the first one determines the root.
        let kept = try await storage.keep(document).decoded(as: SharedRoots.self)
        let isSame = kept.root == present.root && (present.receipts == nil || kept.receipts == present.receipts)
        guard isSame else { throw RootRefused.other(directory.path) }
        return root
    }

    /// The roots with which a store was used; nil for a new store, or after a version of Till that recorded none.
    package static func recorded(in storage: any Storage) async throws -> SharedRoots? {
        try await storage.documents(.shop).first { $0.name == documentName }?.decoded()
    }

    private static let documentName = "roots"

    /// Whether clients may have data signed for this store: there are customers, or notifications were signed.
    private static func hasBeenServed(_ storage: any Storage) async throws -> Bool {
        if try await !storage.storedAccounts(of: nil, after: nil, limit: 1).isEmpty { return true }
        return try await !storage.documents(.chain).isEmpty
    }
}

/// Why a server does not start with the root of its data directory.
package enum RootRefused: Error, Equatable, CustomStringConvertible {
    /// A file is missing; the fingerprint of the certificate that clients trust, if it is known.
    case missing(String, fingerprint: String?)
    /// The store was used with another root than that of the data directory.
    case other(String)
    /// The certificate in a data directory cannot be read, or its key cannot be used.
    case unusable(String, reason: String)

    package var description: String {
        switch self {
        case .missing(let path, let fingerprint):
            "\(path) is missing, and a new one would be another root than the one that clients of this database trust"
                + (fingerprint.map { " (SHA-256 \($0.prefix(16))…)" } ?? "")
                + ". Put the folder ca back from a backup, or copy it from another server of this database. If it is "
                + "lost for good, start once with --adopt-root true, and give every client the new root."
        case .other(let path):
            "This database was used with another root than \(path)/ca. Replace that folder with a copy of the one "
                + "that signs for it; or, if that is lost for good, start once with --adopt-root true."
        case .unusable(let path, let reason):
            "The root in \(path)/ca cannot be used: \(reason)\(reason.hasSuffix(".") ? "" : ".") Put the folder ca "
                + "back from a backup, or copy it from another server of this database. If it is lost for good, "
                + "move the folder \(path)/ca away, start once with --adopt-root true, and give every client the new "
                + "root."
        }
    }
}
