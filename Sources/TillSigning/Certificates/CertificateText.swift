import SwiftASN1
import X509

/// Reads and writes certificates as PEM text. Its errors name the part of the chain.
enum CertificateText {
    static let discriminator = "CERTIFICATE"

    static func der(of certificate: Certificate, _ part: ChainPart) throws(SigningError) -> [UInt8] {
        try SigningError.wrapping(.cryptography, part, "cannot be written as DER") {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    /// PEM with a line feed at its end, so that several blocks can be joined.
    static func pem(of der: [UInt8]) -> String {
        PEMDocument(type: discriminator, derBytes: der).pemString + "\n"
    }

    static func certificate(_ document: PEMDocument, _ part: ChainPart) throws(SigningError) -> Certificate {
        try SigningError.wrapping(.unreadable, part, "cannot be read") {
            try Certificate(pemDocument: document)
        }
    }

    static func documents(_ pem: String, _ part: ChainPart) throws(SigningError) -> [PEMDocument] {
        try SigningError.wrapping(.unreadable, part, "is not PEM text") {
            try PEMDocument.parseMultiple(pemString: pem)
        }
    }

    /// Reads the PEM block of a text that must contain exactly one block.
    static func document(_ pem: String, _ part: ChainPart) throws(SigningError) -> PEMDocument {
        let documents = try documents(pem, part)
        guard let document = documents.first, documents.count == 1 else {
            throw SigningError(.unreadable, part, "is not exactly one PEM block")
        }
        return document
    }
}
