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
    /// - Throws: `InvalidFile` if a file cannot be read, or contains no certificate; `InvalidRoots` if there is none.
    public init(files paths: [String]) throws {
        let files = try paths.map { path in
            let file = Array(try InvalidFile.read(path))
            do throws(InvalidRoots) {
                _ = try Self.certificates(in: file)
            } catch {
                throw InvalidFile(path: path, message: error.description)
            }
            return file
        }
        try self.init(files)
    }

    /// Roots in bytes: each element is a certificate in DER, or one or more in PEM.
    ///
    /// - Throws: `InvalidRoots` if an element contains no certificate, or if there is none.
    public init(_ certificates: [[UInt8]]) throws(InvalidRoots) {
        var ders: [[UInt8]] = []
        for file in certificates {
            ders += try Self.certificates(in: file)
            guard ders.count <= Self.maxCount else { throw InvalidRoots("There are more than \(Self.maxCount) roots.") }
        }
        guard !ders.isEmpty else { throw InvalidRoots("There is no root certificate.") }
        do {
            chains = try ChainVerifier(rootsDER: ders)
        } catch {
            throw InvalidRoots(error.description)
        }
    }

    /// The certificates of a file, in DER.
    private static func certificates(in file: [UInt8]) throws(InvalidRoots) -> [[UInt8]] {
        guard file.count <= maxBytes else { throw InvalidRoots("A file has more than \(maxBytes) bytes.") }
        let found: [[UInt8]]
        do {
            found = try CertificateText.certificates(in: file, .root)
        } catch {
            throw InvalidRoots(error.description)
        }
        guard !found.isEmpty else { throw InvalidRoots("A file contains no certificate.") }
        return found
    }
}

/// Bytes are not root certificates.
public struct InvalidRoots: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    init(_ description: String) { self.description = description }
}
