import Crypto
import Foundation
import TillJSON

extension SigningChain {
    /// The size of a raw ES256 signature, r then s, in bytes.
    package static let signatureByteCount = 64
    static let encodedSignatureByteCount = Base64URL.encodedCount(of: signatureByteCount)

    /// The first segment of a signed text: the algorithm and the certificates, in base64url.
    static func headerSegment(_ algorithm: String, _ certificatesDER: [[UInt8]]) -> [UInt8] {
        var header = JSONWriter(capacity: 4_096)
        header.put("alg", algorithm)
        header.put("x5c", certificatesDER.map { Base64.encode($0) })
        return Base64URL.encode(header.finish())
    }

    /// Signs a payload (UTF-8 JSON) as a compact JWS.
    ///
    /// ECDSA uses a random number, so two signatures of the same payload differ.
    ///
    /// - Throws: ``SigningError`` with the code `cryptography`.
    package func sign(_ payload: [UInt8]) throws(SigningError) -> String {
        try signText(payload).text
    }

    /// Signs a payload like ``sign(_:)``, but returns the header and the rest separately.
    package func signText(_ payload: [UInt8]) throws(SigningError) -> SignedText {
        var rest: [UInt8] = []
        rest.reserveCapacity(2 + Base64URL.encodedCount(of: payload.count) + Self.encodedSignatureByteCount)
        rest.append(CompactJWS.dot)
        Base64URL.append(payload, to: &rest)
        let signature = try signature(overEncoded: rest[1...])
        rest.append(CompactJWS.dot)
        Base64URL.append(signature, to: &rest)
        return SignedText(header: headerSegment, rest: rest)
    }

    /// Signs a payload, but returns only the signature (64 bytes, r then s). The outbox stores payloads and signatures
    /// without certificates, and ``assemble(header:payload:signature:)`` creates the JWS for each attempt.
    package func signature(for payload: [UInt8]) throws(SigningError) -> [UInt8] {
        try signature(overEncoded: Base64URL.encode(payload)[...])
    }

    /// Assembles a compact JWS. The result has the same bytes as the result of ``signText(_:)``.
    ///
    /// - Parameters:
    ///   - header: the ``headerSegment`` of the chain that signed.
    ///   - payload: the payload before encoding.
    ///   - signature: the 64 bytes of the signature.
    package static func assemble(header: [UInt8], payload: [UInt8], signature: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        append(header: header, payload: payload, signature: signature, to: &text)
        return text
    }

    /// Assembles a compact JWS like ``assemble(header:payload:signature:)``, and appends it to a buffer.
    package static func append(header: [UInt8], payload: [UInt8], signature: [UInt8], to text: inout [UInt8]) {
        if text.isEmpty {
            let encoded = Base64URL.encodedCount(of: payload.count) + encodedSignatureByteCount
            text.reserveCapacity(header.count + encoded + 2)
        }
        text.append(contentsOf: header)
        text.append(CompactJWS.dot)
        Base64URL.append(payload, to: &text)
        text.append(CompactJWS.dot)
        Base64URL.append(signature, to: &text)
    }

    private func signature(overEncoded payload: ArraySlice<UInt8>) throws(SigningError) -> [UInt8] {
        var hash = hashAfterHeader
        hash.update(data: payload)
        return try signature(of: hash.finalize())
    }

    /// The signature (64 bytes, r then s) of the hash of a header and a payload.
    func signature(of digest: SHA256Digest) throws(SigningError) -> [UInt8] {
        try SigningError.wrapping(.cryptography, .leafKey, "could not sign") {
            Array(try leafPrivateKey.signature(for: digest).rawRepresentation)
        }
    }
}
