import Crypto
import SwiftASN1
import X509

/// Reads and writes certificates as PEM text. Its errors name the part of the chain.
package enum CertificateText {
    private static let discriminator = "CERTIFICATE"

    /// A certificate as DER.
    package static func der(of certificate: Certificate, _ part: ChainPart) throws(SigningError) -> [UInt8] {
        try SigningError.wrapping(.cryptography, part, "cannot be written as DER") {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    /// PEM with a line feed at its end, so that several blocks can be joined.
    package static func pem(of der: [UInt8]) -> String {
        PEMDocument(type: discriminator, derBytes: der).pemString + "\n"
    }

    /// Reads a certificate from a PEM block.
    package static func certificate(_ document: PEMDocument, _ part: ChainPart) throws(SigningError) -> Certificate {
        try SigningError.wrapping(.unreadable, part, "cannot be read") {
            try Certificate(pemDocument: document)
        }
    }

    /// Reads all PEM blocks of a text.
    package static func documents(_ pem: String, _ part: ChainPart) throws(SigningError) -> [PEMDocument] {
        try SigningError.wrapping(.unreadable, part, "is not PEM text") {
            try PEMDocument.parseMultiple(pemString: pem)
        }
    }

    /// The id of the chain with a leaf: the first 16 hexadecimal digits of the SHA-256 hash of its DER.
    package static func chainID(ofLeaf der: [UInt8]) -> String {
        String(Hexadecimal.text(SHA256.hash(data: der)).prefix(16))
    }

    /// The certificates of a file as DER: one in DER, or any number in PEM. They are checked when they are used.
    package static func certificates(in file: [UInt8], _ part: ChainPart) throws(SigningError) -> [[UInt8]] {
        if file.first == DERBytes.sequence { return [file] }
        return try documents(String(decoding: file, as: UTF8.self), part).map(\.derBytes)
    }

    /// Reads the PEM block of a text that must contain exactly one block.
    package static func document(_ pem: String, _ part: ChainPart) throws(SigningError) -> PEMDocument {
        let documents = try documents(pem, part)
        guard let document = documents.first, documents.count == 1 else {
            throw SigningError(.unreadable, part, "is not exactly one PEM block")
        }
        return document
    }
}
