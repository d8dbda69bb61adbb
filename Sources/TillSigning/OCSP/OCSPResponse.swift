import Crypto
import Foundation
import SwiftASN1
import X509

/// Encodes OCSP responses in DER (RFC 6960).
enum OCSPResponse {
    /// The status of a response to a rejected request.
    enum Status: UInt8 {
        case malformedRequest = 1
        case internalError = 2
        case tryLater = 3
        case unauthorized = 6
    }

    /// The state of one certificate. Dates are in milliseconds since 1970; the encoded response has whole seconds.
    struct Entry {
        /// The encoded id of the certificate, as in the request.
        let certificate: [UInt8]
        /// The state, which is encoded as good unless it is revoked or unknown.
        let state: OCSPState
        let thisUpdate: Int64
        let nextUpdate: Int64
    }

    private static let basic: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
    private static let nonce: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
    private static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 4, 3, 2]

    /// Encodes the response to a rejected request.
    static func refusal(_ status: Status) -> [UInt8] { [0x30, 0x03, 0x0A, 0x01, status.rawValue] }

    /// Encodes and signs a response.
    ///
    /// - Parameter nonce: the value of the nonce extension in the request.
    static func successful(
        _ entries: [Entry],
        producedAt: Int64,
        nonce: [UInt8]?,
        by signer: OCSPSigner
    ) throws -> [UInt8] {
        let content = try data(entries, producedAt: producedAt, nonce: nonce, by: signer)
        let signature = try signer.privateKey.signature(for: content).derRepresentation
        let answer = try written { der in
            try der.sequence { der in
                der.serializeRawBytes(content)
                try der.sequence { try $0.serialize(ecdsaWithSHA256) }
                try der.serialize(ASN1BitString(bytes: Array(signature)[...]))
                try der.explicit(0) { try $0.sequence { $0.serializeRawBytes(signer.certificateDER) } }
            }
        }
        return try written { der in
            try der.sequence { der in
                der.primitive(.enumerated, [0])
                try der.explicit(0) { der in
                    try der.sequence { der in
                        try der.serialize(basic)
                        try der.serialize(ASN1OctetString(contentBytes: answer[...]))
                    }
                }
            }
        }
    }

    /// Encodes the part of the response that is signed.
    private static func data(
        _ entries: [Entry],
        producedAt: Int64,
        nonce value: [UInt8]?,
        by signer: OCSPSigner
    ) throws -> [UInt8] {
        try written { der in
            try der.sequence { der in
                // The responder is identified by its key, because one client cannot find it by its name.
                try der.explicit(2) { try $0.serialize(ASN1OctetString(contentBytes: signer.keyHash[...])) }
                der.time(producedAt)
                try der.sequence { der in
                    for entry in entries { try der.entry(entry) }
                }
                guard let value else { return }
                try der.explicit(1) { der in
                    try der.sequence { der in
                        try der.serialize(Certificate.Extension(oid: nonce, critical: false, value: value[...]))
                    }
                }
            }
        }
    }

    private static func written(_ body: (inout DER.Serializer) throws -> Void) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try body(&serializer)
        return serializer.serializedBytes
    }
}

extension DER.Serializer {
    fileprivate mutating func sequence(_ body: (inout DER.Serializer) throws -> Void) throws {
        try appendConstructedNode(identifier: .sequence, body)
    }

    fileprivate mutating func explicit(_ tag: UInt, _ body: (inout DER.Serializer) throws -> Void) throws {
        try appendConstructedNode(identifier: ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific), body)
    }

    fileprivate mutating func primitive(_ identifier: ASN1Identifier, _ bytes: [UInt8]) {
        appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: bytes) }
    }

    /// Writes a date as GeneralizedTime, in whole seconds and UTC.
    fileprivate mutating func time(_ milliseconds: Int64) {
        // `20200714193640Z`, from 1970 to the last year with four digits.
        let text = ReceiptDate.iso8601(max(milliseconds, 0)).filter { !"-T:".contains($0) }
        primitive(.generalizedTime, Array(text.utf8))
    }

    fileprivate mutating func entry(_ entry: OCSPResponse.Entry) throws {
        try sequence { der in
            der.serializeRawBytes(entry.certificate)
            switch entry.state {
            case .good, .slow, .error, .stale, .dead:
                der.primitive(ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific), [])
            case .revoked(let instant, let reason):
                try der.explicit(1) { der in
                    der.time(instant)
                    guard let reason else { return }
                    try der.explicit(0) { $0.primitive(.enumerated, [reason.code]) }
                }
            case .unknown:
                der.primitive(ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific), [])
            }
            der.time(entry.thisUpdate)
            try der.explicit(0) { $0.time(entry.nextUpdate) }
        }
    }
}
