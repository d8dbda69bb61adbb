import Foundation
import TillCore
import TillJSON
import TillSigning

/// Verifies the signature of a text, and describes its signer and validity in sentences.
struct SignatureCheck {
    let shop: Shop

    init(_ shop: Shop) { self.shop = shop }

    /// The signing date in the payload of a token, in milliseconds since 1970; nil if it contains none.
    static func instant(of jws: CompactJWS) -> Int64? {
        for name in ["signedDate", "receiptCreationDate"] {
            // A Double represents only smaller whole numbers exactly.
            if let number = jws.claims[name]?.double, (0...9e15).contains(number) { return Int64(number) }
        }
        return nil
    }

    // MARK: With certificates

    /// Inspects a token that contains certificates.
    func inspect(_ jws: CompactJWS) -> JWSInspection {
        let instant = Self.instant(of: jws) ?? shop.wallClock().milliseconds
        return JWSInspection(jws, trusting: [shop.signingChain.certificatesDER[2]], at: instant)
    }

    func verdict(of inspection: JWSInspection, _ instant: Int64) -> SignatureVerdict {
        let date = ReceiptDate.iso8601(instant)
        guard inspection.problems.isEmpty, let root = inspection.root else {
            let words =
                switch inspection.root {
                case .trusted?: "Verification failed, although the certificates name this Till's root."
                case .apple?: "Verification failed, although the certificates name Apple's root."
                default: "Verification failed."
                }
            return SignatureVerdict(signer: .invalid, words: words, notes: inspection.problems)
        }
        let holds = "the signature is valid, and the certificates were valid on \(date)"
        let fingerprint = inspection.certificates.last?.fingerprint ?? ""
        switch root {
        case .trusted:
            let chain = inspection.chainID ?? ""
            let isCurrent = chain == shop.signingChain.id
            let which = "chain \(chain), \(isCurrent ? "the current one" : "not the current one")"
            let words = "Signed by this Till (\(which)): \(holds)."
            return SignatureVerdict(signer: .thisTill, words: words, notes: revocations(chain))
        case .apple(let name):
            let words = "Signed by Apple under \(name): \(holds)."
            return SignatureVerdict(signer: .apple, words: words, notes: [])
        case .till:
            let words = "Signed by another Till: \(holds), but its root is not this Till's (SHA-256 \(fingerprint))."
            return SignatureVerdict(signer: .otherTill, words: words, notes: [])
        case .unknown:
            let words =
                "Signed under a root that is neither this Till's nor one of Apple's (SHA-256 \(fingerprint)): \(holds)."
            return SignatureVerdict(signer: .unknownRoot, words: words, notes: [])
        }
    }

    /// A sentence for each certificate of a chain whose OCSP status is not `good`.
    private func revocations(_ chain: String) -> [String] {
        shop.authority.certificates.filter { $0.certificate.chainID == chain && $0.state.word != .good }.map {
            let state = $0.state.word.rawValue
            return "This Till's OCSP responder reports the \($0.certificate.part.rawValue) as \(state)."
        }
    }

    // MARK: With a key

    /// Verifies a token that a developer signed: a bearer token for the API, or an offer signature.
    func verdict(ofToken jws: CompactJWS, _ text: String) -> SignatureVerdict {
        let id = jws.headerString("kid") ?? ""
        let app: String? = if case .string(let text)? = jws.claims["bid"] { text } else { nil }
        guard let (record, key) = shop.registry.key(id, usedFor: app) else {
            let words = "Unknown key \(id.cut(toBytes: 64)): the signature cannot be verified."
            return SignatureVerdict(signer: .invalid, words: words, notes: [])
        }
        guard jws.verify(with: key) else {
            let words = "The signature does not match the key \(id), or the token was changed."
            return SignatureVerdict(signer: .invalid, words: words, notes: [])
        }
        var notes: [String] = []
        if record.revokedAt != nil { notes.append("The key was revoked, so the API rejects the token.") }
        if jws.claims["aud"] == .string(BearerToken.audience) {
            do {
                let token = try BearerToken(authorization: "Bearer \(text)", limit: TextDecoding.maxBytes)
                let now = Double(shop.wallClock().milliseconds) / 1_000
                _ = try token.verify(key: key, issuer: record.issuerID, now: now)
            } catch {
                notes.append(error.explanation)
            }
        }
        let words = "Signed with the key \(id) (\(record.name)), which this Till knows."
        let isRefused = !notes.isEmpty
        return SignatureVerdict(
            signer: isRefused ? .invalid : .key,
            words: isRefused ? "\(words) The API rejects it." : words,
            notes: notes
        )
    }

    // MARK: Receipts

    func verdict(of receipt: SignedReceipt) async -> SignatureVerdict {
        guard let last = receipt.certificatesDER.last else {
            let words = "Verification failed: the receipt contains no certificate."
            return SignatureVerdict(signer: .invalid, words: words, notes: [])
        }
        let own = (try? await shop.receiptKeys.signing())?.chain.certificatesDER[2]
        let root = ChainRoot(last, trusting: own.map { [$0] } ?? [])
        do {
            try ReceiptVerifier(rootsDER: [last], acceptsSHA1: true).verify(receipt)
        } catch {
            return SignatureVerdict(signer: .invalid, words: "Verification failed.", notes: [error.explanation])
        }
        let holds = "the signature and its certificates are valid"
        return switch root {
        case .trusted: SignatureVerdict(signer: .thisTill, words: "Signed by this Till: \(holds).", notes: [])
        case .apple(let name):
            SignatureVerdict(signer: .apple, words: "Signed by Apple under \(name): \(holds).", notes: [])
        case .till:
            SignatureVerdict(
                signer: .otherTill,
                words: "Signed by another Till: \(holds), but its root is not this Till's.",
                notes: []
            )
        case .unknown:
            SignatureVerdict(
                signer: .unknownRoot,
                words: "Signed under a root that is neither this Till's nor one of Apple's: \(holds).",
                notes: []
            )
        }
    }

    /// Verifies the receipt of a single transaction. Only a receipt that this Till signed can be read.
    func verdict(ofTransactionReceipt bytes: [UInt8]) async -> (TransactionReceipt?, SignatureVerdict) {
        let chain = (try? await shop.receiptKeys.signing())?.chain
        let verifier = ReceiptVerifier(
            rootsDER: [],
            purchaseCertificatesDER: chain.map { [$0.purchaseCertificateDER] } ?? []
        )
        do {
            let words = "Signed by this Till, with the certificate for receipts of single transactions."
            return (
                try verifier.parseTransaction(bytes), SignatureVerdict(signer: .thisTill, words: words, notes: [])
            )
        } catch {
            let words = "Not signed by this Till."
            return (nil, SignatureVerdict(signer: .invalid, words: words, notes: [error.explanation]))
        }
    }
}
