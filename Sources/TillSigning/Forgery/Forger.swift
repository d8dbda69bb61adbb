import Crypto
import Foundation
import X509

/// Signs data that a correct verifier must reject. The certificates that it creates are not stored.
///
/// See docs/operating/attack-pack.md.
package struct Forger: Sendable {
    private static let day: Int64 = 86_400_000

    private let root: RootAuthority
    private let chain: SigningChain

    /// - Parameters:
    ///   - root: the root that clients trust.
    ///   - chain: the correct chain under the root.
    package init(root: RootAuthority, chain: SigningChain) {
        self.root = root
        self.chain = chain
    }

    /// The payload to sign, and the dates of its verification.
    package struct Content: Sendable {
        /// The payload: UTF-8 JSON.
        package let payload: [UInt8]
        /// The payload that replaces `payload` after signing, for ``Forgery/tamperedPayload``.
        package let altered: [UInt8]
        /// The earliest and latest date at which a receiver may check the certificates, in milliseconds since 1970.
        /// Some receivers use the payload's date, others the real time.
        package let judged: ClosedRange<Int64>

        /// Creates a content from its values.
        package init(payload: [UInt8], altered: [UInt8], judged: ClosedRange<Int64>) {
            self.payload = payload
            self.altered = altered
            self.judged = judged
        }
    }

    /// Creates a compact JWS with one defect.
    ///
    /// - Throws: ``SigningError``.
    package func sign(_ content: Content, _ forgery: Forgery) throws(SigningError) -> String {
        switch forgery {
        case .wrongRoot:
            let root = try RootAuthority.make()
            return try SigningChain.issue(under: root, ocspURL: ocspURL).sign(content.payload)
        case .leafWithoutMarker:
            return try signed(content, by: try leaf(isMarked: false))
        case .intermediateWithoutMarker:
            return try signed(content, by: try leafUnderUnmarkedIntermediate())
        case .chainOfTwo:
            return try signed(content, by: signer(Array(chain.certificatesDER.prefix(2))))
        case .chainOfFour:
            return try signed(content, by: signer(chain.certificatesDER + [root.certificateDER]))
        case .expiredLeaf:
            let end = CertificateProfile.date(content.judged.lowerBound - Self.day)
            let from = min(CertificateProfile.notValidBefore, end)
            return try signed(content, by: try leaf(validity: from...end))
        case .leafNotYetValid:
            let start = CertificateProfile.date(content.judged.upperBound + Self.day)
            let until = max(CertificateProfile.notValidAfter, start)
            return try signed(content, by: try leaf(validity: start...until))
        case .tamperedPayload:
            let signature = try chain.signature(for: content.payload)
            return assembled(content.altered, signature)
        case .tamperedSignature:
            var signature = try chain.signature(for: content.payload)
            signature[signature.count - 1] ^= 1
            return assembled(content.payload, signature)
        case .algorithmNone:
            let header = SigningChain.headerSegment("none", chain.certificatesDER)
            return Self.text([header, Base64URL.encode(content.payload), []])
        case .sharedSecret:
            let signed = [
                SigningChain.headerSegment("HS256", chain.certificatesDER), Base64URL.encode(content.payload),
            ]
            let key = SymmetricKey(data: Data(chain.leafPrivateKey.publicKey.pemRepresentation.utf8))
            let code = HMAC<SHA256>.authenticationCode(for: Data(Self.text(signed).utf8), using: key)
            return Self.text(signed + [Base64URL.encode(Array(code))])
        }
    }

    // MARK: Certificates

    /// The certificates in `x5c`, leaf first, and the leaf's key.
    private struct Signer {
        let certificatesDER: [[UInt8]]
        let key: P256.Signing.PrivateKey
    }

    /// The URL of the OCSP responder in the certificates of the correct chain.
    private var ocspURL: String { chain.ocspURL ?? "http://localhost:8888/ocsp" }

    /// The correct leaf with other certificates.
    private func signer(_ certificates: [[UInt8]]) -> Signer {
        Signer(certificatesDER: certificates, key: chain.leafPrivateKey)
    }

    private func leafUnderUnmarkedIntermediate() throws(SigningError) -> Signer {
        let key = P384.Signing.PrivateKey()
        let intermediate = try CertificateProfile.intermediate(
            key: key,
            under: root.issuer,
            ocspURL: ocspURL,
            isMarked: false
        )
        return try leaf(under: .init(certificate: intermediate, key: key))
    }

    /// Issues another leaf, by default under the correct chain's intermediate.
    private func leaf(
        under issuer: CertificateProfile.Issuer<P384.Signing.PrivateKey>? = nil,
        validity: ClosedRange<Date> = CertificateProfile.validity,
        isMarked: Bool = true
    ) throws(SigningError) -> Signer {
        let issuer = issuer ?? .init(certificate: chain.intermediate, key: chain.intermediatePrivateKey)
        let key = P256.Signing.PrivateKey()
        let leaf = try CertificateProfile.leaf(
            key: key,
            under: issuer,
            ocspURL: ocspURL,
            validity: validity,
            isMarked: isMarked
        )
        let certificates = [
            try CertificateText.der(of: leaf, .leaf),
            try CertificateText.der(of: issuer.certificate, .intermediate),
            root.certificateDER,
        ]
        return Signer(certificatesDER: certificates, key: key)
    }

    // MARK: Text

    private func signed(_ content: Content, by signer: Signer) throws(SigningError) -> String {
        let signed = [SigningChain.headerSegment("ES256", signer.certificatesDER), Base64URL.encode(content.payload)]
        let signature = try SigningError.wrapping(.cryptography, .leafKey, "could not sign") {
            try signer.key.signature(for: Data(Self.text(signed).utf8)).rawRepresentation
        }
        return Self.text(signed + [Base64URL.encode(Array(signature))])
    }

    private func assembled(_ payload: [UInt8], _ signature: [UInt8]) -> String {
        let text = SigningChain.assemble(header: chain.headerSegment, payload: payload, signature: signature)
        return String(decoding: text, as: UTF8.self)
    }

    private static func text(_ segments: [[UInt8]]) -> String {
        String(decoding: Array(segments.joined(separator: [CompactJWS.dot])), as: UTF8.self)
    }
}
