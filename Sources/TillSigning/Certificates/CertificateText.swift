import Crypto
import SwiftASN1
import X509

/// Reads and writes certificates and keys as PEM. Errors name the part of the chain.
enum CertificateText {
    static let discriminator = "CERTIFICATE"

    static func der(of certificate: Certificate, _ part: ChainPart) throws(SigningError) -> [UInt8] {
        try SigningError.wrapping(.cryptography, part, "cannot be written as DER") {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    /// Encodes a certificate as PEM with a line feed at the end, so that several certificates can be concatenated.
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

    static func p384(_ pem: Secret, _ part: ChainPart) throws(SigningError) -> P384.Signing.PrivateKey {
        try SigningError.wrapping(.unreadable, part, "is not a P-384 private key in PEM") {
            try P384.Signing.PrivateKey(pemRepresentation: pem.exposed)
        }
    }

    static func p256(_ pem: Secret, _ part: ChainPart) throws(SigningError) -> P256.Signing.PrivateKey {
        try SigningError.wrapping(.unreadable, part, "is not a P-256 private key in PEM") {
            try P256.Signing.PrivateKey(pemRepresentation: pem.exposed)
        }
    }
}
