import Foundation
import TillCore
import TillJSON
import TillSigning

/// Describes the signer and the validity of a signature in words.
struct SignatureCheck {
    let shop: Shop

    /// The signed date in the payload, in milliseconds since 1970.
    static func instant(of jws: CompactJWS) -> Int64? {
        for name in ["signedDate", "receiptCreationDate"] {
            // A Double represents only smaller whole numbers exactly.
            if let number = jws.claims[name]?.double, (0...9e15).contains(number) { return Int64(number) }
        }
        return nil
    }

    // MARK: With certificates

    /// Inspects a signed text that contains its certificates.
    func inspect(_ jws: CompactJWS) -> JWSInspection {
        let instant = Self.instant(of: jws) ?? shop.wallClock().milliseconds
        return JWSInspection(jws, trusting: [shop.signingChain.certificatesDER[2]], at: instant)
    }

    func verdict(of inspection: JWSInspection, _ instant: Int64) -> SignatureVerdict {
        let date = ReceiptDate.iso8601(instant)
        guard inspection.problems.isEmpty, let root = inspection.root else {
            let words =
                switch inspection.root {
                case .trusted?:
                    "Verification failed for the reasons below, although the certificates name this server's root."
                case .apple?:
                    "Verification failed for the reasons below, although the certificates name one of Apple's roots."
                default: "Verification failed for the reasons below."
                }
            return .invalid(words, inspection.problems)
        }
        let holds = "The signature is valid, and the certificates were valid on \(date)"
        let fingerprint = inspection.certificates.last?.fingerprint ?? ""
        switch root {
        case .trusted:
            let chain = inspection.chainID ?? ""
            let isCurrent = chain == shop.signingChain.id
            let words = "Chain \(chain), \(isCurrent ? "current" : "not current"). \(holds)."
            return SignatureVerdict(signer: .thisTill, words: words, notes: revocations(chain))
        case .apple(let name):
            let words = "Signed by Apple under \(name). \(holds)."
            return SignatureVerdict(signer: .apple, words: words)
        case .till:
            let words = "\(holds), but the root is that of another Till server (SHA-256 \(fingerprint))."
            return SignatureVerdict(signer: .otherTill, words: words)
        case .unknown:
            let words =
                "\(holds), but the root is neither this server's nor one of Apple's (SHA-256 \(fingerprint))."
            return SignatureVerdict(signer: .unknownRoot, words: words)
        }
    }

    /// One sentence for each certificate of a chain that the OCSP responder does not report as good.
    private func revocations(_ chain: String) -> [String] {
        shop.keys.authority.certificates.filter { $0.certificate.chainID == chain && $0.state.status != .good }.map {
            let state = $0.state.status.rawValue
            return "This server's OCSP responder answers \(state) for the \($0.certificate.part.rawValue)."
        }
    }

    // MARK: With a key

    /// Judges a token that a developer signed, for the API or for an offer.
    func verdict(ofToken jws: CompactJWS, _ text: String) -> SignatureVerdict {
        let id = jws.headerString("kid") ?? ""
        let app: String? = if case .string(let text)? = jws.claims["bid"] { text } else { nil }
        guard let (record, key) = shop.registry.key(id, usedFor: app) else {
            return .invalid("Unknown key \(id.cut(toBytes: 64)): the signature cannot be verified.")
        }
        guard jws.verify(with: key) else {
            return .invalid("The signature does not match the key \(id), or the token was changed.")
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
        let words = "Signed with the key \(id) (\(record.name)), which is registered on this server."
        return notes.isEmpty
            ? SignatureVerdict(signer: .key, words: words) : .invalid("\(words) The API rejects the token.", notes)
    }

    // MARK: Receipts

    func verdict(of receipt: SignedReceipt) async -> SignatureVerdict {
        guard let last = receipt.certificatesDER.last else {
            return .invalid("The receipt has no certificate, so its signature cannot be verified.")
        }
        let own = (try? await shop.keys.receipts.signing())?.chain.certificatesDER[2]
        let root = ChainRoot(last, trusting: own.map { [$0] } ?? [])
        do {
            try ReceiptVerifier(rootsDER: [last], acceptsSHA1: true).verify(receipt)
        } catch {
            return .invalid("Verification failed for the reason below.", [error.explanation])
        }
        let holds = "The signature and the certificates are valid"
        return switch root {
        case .trusted: SignatureVerdict(signer: .thisTill, words: "\(holds).")
        case .apple(let name):
            SignatureVerdict(signer: .apple, words: "Signed by Apple under \(name). \(holds).")
        case .till:
            SignatureVerdict(
                signer: .otherTill,
                words: "\(holds), but the root is that of another Till server.",
                notes: []
            )
        case .unknown:
            SignatureVerdict(
                signer: .unknownRoot,
                words: "\(holds), but the root is neither this server's nor one of Apple's.",
                notes: []
            )
        }
    }

    /// Reads and judges a transaction receipt, which can only be read if this server signed it.
    func verdict(ofTransactionReceipt bytes: [UInt8]) async -> (TransactionReceipt?, SignatureVerdict) {
        let chain = (try? await shop.keys.receipts.signing())?.chain
        let verifier = ReceiptVerifier(
            rootsDER: [],
            purchaseCertificatesDER: chain.map { [$0.purchaseCertificateDER] } ?? []
        )
        do {
            let words = "Signed with this server's certificate for transaction receipts."
            return (try verifier.parseTransaction(bytes), SignatureVerdict(signer: .thisTill, words: words))
        } catch {
            return (nil, .invalid("This transaction receipt is not signed by this server.", [error.explanation]))
        }
    }
}
