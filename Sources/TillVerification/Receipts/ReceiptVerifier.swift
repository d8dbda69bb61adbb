import Foundation
import Synchronization
import X509

/// Verifies that a receipt was signed under one of the trusted roots.
///
/// The signature does not cover all bytes of a receipt. Therefore the verifier encodes the payload, certificates and
/// signature again and compares the result with the file, so that any changed byte is detected. Verified chains are
/// cached; the next receipt of the same chain needs only one RSA operation.
package final class ReceiptVerifier: Sendable {
    private let roots: Set<[UInt8]>
    private let accepted: Set<ReceiptAlgorithm>
    /// The trusted certificates for receipts of single transactions, as DER.
    package let purchaseCertificates: Set<[UInt8]>
    private let trusted = Mutex<[[UInt8]: Trusted]>([:])

    /// The maximum number of cached chains. If it is reached, the cache is emptied. A shop never has this many chains.
    private static let memory = 64

    /// A verified chain under a trusted root.
    private struct Trusted: Sendable {
        let key: Certificate.PublicKey
        /// The dates at which all three certificates are valid, in milliseconds since 1970.
        let validity: ClosedRange<Int64>
        let containers: [ReceiptAlgorithm: ReceiptContainer]
    }

    /// - Parameters:
    ///   - rootsDER: the trusted roots. The last certificate of a receipt must have the same bytes as a trusted root.
    ///   - purchaseCertificatesDER: the trusted certificates for receipts of single transactions.
    ///   - acceptsSHA1: whether to accept also receipts with SHA-1, which the App Store used until 2023.
    package init(rootsDER: [[UInt8]], purchaseCertificatesDER: [[UInt8]] = [], acceptsSHA1: Bool = false) {
        roots = Set(rootsDER)
        purchaseCertificates = Set(purchaseCertificatesDER)
        accepted = acceptsSHA1 ? [.sha256, .sha1] : [.sha256]
    }

    /// Parses and verifies a receipt.
    ///
    /// - Throws: ``ReceiptRefusal``; `malformed` takes precedence over `notAuthenticated`.
    package func parse(
        _ bytes: [UInt8],
        limit: Int = SignedReceipt.defaultLimit
    ) throws(ReceiptRefusal) -> AppReceipt {
        let signed = try SignedReceipt(bytes, limit: limit)
        try verify(signed)
        return signed.receipt
    }

    /// Verifies a parsed receipt. Returns normally only if the receipt is authentic.
    ///
    /// - Throws: ``ReceiptRefusal/notAuthenticated(reason:)``.
    package func verify(_ signed: SignedReceipt) throws(ReceiptRefusal) {
        guard !signed.hasSignedAttributes else {
            throw .notAuthenticated(reason: "has signed attributes, which App Store receipts never have")
        }
        guard let algorithm = signed.algorithm, accepted.contains(algorithm) else {
            throw .notAuthenticated(reason: "is hashed with another algorithm than SHA-256")
        }
        let chain = try chain(of: signed.certificatesDER)
        guard chain.validity.contains(signed.receipt.creationDate) else {
            let date = ReceiptDate.iso8601(signed.receipt.creationDate)
            throw .notAuthenticated(reason: "was created on \(date), when its certificates were not valid")
        }
        guard chain.key.isValidSignature(signed.signature, for: signed.payload, signatureAlgorithm: algorithm.signature)
        else {
            throw .notAuthenticated(reason: "was changed after it was signed, or was signed with another key")
        }
        let canonical = chain.containers[algorithm]?.bytes(payload: signed.payload, signature: signed.signature)
        guard canonical == signed.bytes else {
            throw .notAuthenticated(reason: "is not encoded like App Store receipts")
        }
    }

    private func chain(of certificatesDER: [[UInt8]]) throws(ReceiptRefusal) -> Trusted {
        let key = Array(certificatesDER.joined())
        if let known = trusted.withLock({ $0[key] }) { return known }
        let chain = try prove(certificatesDER)
        trusted.withLock { memory in
            if memory.count >= Self.memory { memory.removeAll() }
            memory[key] = chain
        }
        return chain
    }

    private func prove(_ certificatesDER: [[UInt8]]) throws(ReceiptRefusal) -> Trusted {
        guard certificatesDER.count == 3 else {
            throw .notAuthenticated(reason: "contains \(certificatesDER.count) certificates instead of three")
        }
        // The root is checked first, because this check is cheap and makes other checks unnecessary.
        guard roots.contains(certificatesDER[2]) else {
            throw .notAuthenticated(reason: "has a root certificate that is not trusted")
        }
        let inspection: ReceiptChainInspection
        do {
            inspection = try ReceiptChainInspection(certificatesDER: certificatesDER)
        } catch {
            throw .notAuthenticated(reason: "has a certificate that cannot be read: the \(error.part.rawValue)")
        }
        if let problem = inspection.problems(accepting: accepted).first {
            throw .notAuthenticated(reason: "has an invalid certificate chain: \(problem)")
        }
        guard let validity = inspection.validity else {
            throw .notAuthenticated(reason: "has certificates that are never valid at the same time")
        }
        let containers = accepted.map { algorithm in
            let leaf = inspection.anatomies[0]
            return (algorithm, ReceiptContainer(certificatesDER: certificatesDER, leaf: leaf, algorithm: algorithm))
        }
        return Trusted(
            key: inspection.leaf.publicKey,
            validity: validity,
            containers: Dictionary(uniqueKeysWithValues: containers)
        )
    }
}

extension ReceiptChainInspection {
    /// The dates at which all three certificates are valid, in milliseconds since 1970; nil if there is no such date.
    fileprivate var validity: ClosedRange<Int64>? {
        let certificates = [leaf, intermediate, root]
        let starts = certificates.map { Int64(($0.notValidBefore.timeIntervalSince1970 * 1_000).rounded()) }
        let ends = certificates.map { Int64(($0.notValidAfter.timeIntervalSince1970 * 1_000).rounded()) }
        guard let start = starts.max(), let end = ends.min(), start <= end else { return nil }
        return start...end
    }
}
