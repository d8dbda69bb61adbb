import Crypto
import Foundation

extension SigningChain {
    static let dot = UInt8(ascii: ".")
    /// Bytes of a raw ES256 signature, r then s.
    package static let signatureByteCount = 64
    private static let encodedSignatureByteCount = Base64URL.encodedCount(of: signatureByteCount)

    /// Signs a payload (UTF-8 JSON): a compact JWS.
    ///
    /// ECDSA draws a random number for each signature, so signing the same payload twice gives two texts.
    ///
    /// - Throws: ``SigningError`` of code `cryptography`.
    package func sign(_ payload: [UInt8]) throws(SigningError) -> String {
        String(decoding: try signBytes(payload), as: UTF8.self)
    }

    /// ``sign(_:)``, as ASCII bytes ready to be copied into an answer.
    package func signBytes(_ payload: [UInt8]) throws(SigningError) -> [UInt8] {
        let text = try signText(payload)
        return text.header + text.rest
    }

    /// ``signBytes(_:)`` in two pieces, of which the first is every text's.
    package func signText(_ payload: [UInt8]) throws(SigningError) -> SignedText {
        var rest: [UInt8] = []
        rest.reserveCapacity(2 + Base64URL.encodedCount(of: payload.count) + Self.encodedSignatureByteCount)
        rest.append(Self.dot)
        Base64URL.append(payload, to: &rest)
        let signature = try signature(overEncoded: rest[1...])
        rest.append(Self.dot)
        Base64URL.append(signature, to: &rest)
        return SignedText(header: headerSegment, rest: rest)
    }

    /// Only the signature (64 bytes, r then s) over the header and `payload`; ``assemble(header:payload:signature:)``
    /// makes the JWS of it. What is frozen for retries is stored this way, without the certificates.
    package func signature(for payload: [UInt8]) throws(SigningError) -> [UInt8] {
        try signature(overEncoded: Base64URL.encode(payload)[...])
    }

    /// Puts a compact JWS together again, byte for byte as ``signBytes(_:)`` gave it.
    ///
    /// - Parameters:
    ///   - header: the ``headerSegment`` of the chain that signed.
    ///   - payload: the raw payload.
    ///   - signature: its 64 bytes.
    package static func assemble(header: [UInt8], payload: [UInt8], signature: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        append(header: header, payload: payload, signature: signature, to: &text)
        return text
    }

    /// ``assemble(header:payload:signature:)`` at the end of a text under construction.
    package static func append(header: [UInt8], payload: [UInt8], signature: [UInt8], to text: inout [UInt8]) {
        if text.isEmpty {
            let encoded = Base64URL.encodedCount(of: payload.count) + encodedSignatureByteCount
            text.reserveCapacity(header.count + encoded + 2)
        }
        text.append(contentsOf: header)
        text.append(dot)
        Base64URL.append(payload, to: &text)
        text.append(dot)
        Base64URL.append(signature, to: &text)
    }

    private func signature(overEncoded payload: ArraySlice<UInt8>) throws(SigningError) -> [UInt8] {
        var hash = hashAfterHeader
        hash.update(data: payload)
        let digest = hash.finalize()
        return try SigningError.wrapping(.cryptography, .leafKey, "could not sign") {
            Array(try leafPrivateKey.signature(for: digest).rawRepresentation)
        }
    }
}
