import Foundation
import TillVerification

/// The root certificates that a verifier trusts.
///
/// For data of the App Store this is Apple Root CA - G3, from apple.com/certificateauthority. For data of Till it is
/// the file that `till ca export` writes. Certificates in the data itself are never trusted.
public struct TrustedRoots: Sendable {
    /// The maximum length of a file in bytes.
    static let maxBytes = 1 << 20
    /// The maximum number of roots.
    static let maxCount = 64

    let chains: ChainVerifier

    /// Roots in files, each in DER or PEM.
    ///
    /// - Throws: an error of Foundation if a file cannot be read; `InvalidRoots` if it contains no certificate.
    public init(files paths: [String]) throws {
        try self.init(paths.map { try Array(Data(contentsOf: URL(filePath: $0))) })
    }

    /// Roots in bytes: each element is a certificate in DER, or one or more in PEM.
    ///
    /// - Throws: `InvalidRoots` if an element contains no certificate, or if there is none.
    public init(_ certificates: [[UInt8]]) throws(InvalidRoots) {
        var ders: [[UInt8]] = []
        for file in certificates {
            guard file.count <= Self.maxBytes else {
                throw InvalidRoots("A file has more than \(Self.maxBytes) bytes.")
            }
            let found: [[UInt8]]
            do {
                found = try CertificateText.certificates(in: file, .root)
            } catch {
                throw InvalidRoots(error.description)
            }
            guard !found.isEmpty else { throw InvalidRoots("A file contains no certificate.") }
            ders += found
            guard ders.count <= Self.maxCount else { throw InvalidRoots("There are more than \(Self.maxCount) roots.") }
        }
        guard !ders.isEmpty else { throw InvalidRoots("There is no root certificate.") }
        do {
            chains = try ChainVerifier(rootsDER: ders)
        } catch {
            throw InvalidRoots(error.description)
        }
    }
}

/// Bytes are not root certificates.
public struct InvalidRoots: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    init(_ description: String) { self.description = description }
}
