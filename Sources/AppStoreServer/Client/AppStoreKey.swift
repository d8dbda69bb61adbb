import Crypto
import Foundation

/// A key for in-app purchases of App Store Connect, which signs the tokens of a client.
///
/// Its description does not contain the key.
public struct AppStoreKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id of the key, such as `2X9R4HXF34`.
    public let keyID: String
    /// The id of the issuer, a UUID.
    public let issuerID: String
    /// The bytes of the key, because swift-crypto 3 has no private keys that can be sent between tasks.
    private let privateKey: Data

    /// A key in the text of a `.p8` file.
    ///
    /// - Throws: `InvalidFile` if the text is not a P-256 private key in PEM.
    public init(pem: String, keyID: String, issuerID: String) throws(InvalidFile) {
        try self.init(pem: pem, path: nil, keyID: keyID, issuerID: issuerID)
    }

    /// A key in a `.p8` file.
    ///
    /// - Throws: `InvalidFile` if the file cannot be read, or is not a P-256 private key in PEM.
    public init(file path: String, keyID: String, issuerID: String) throws(InvalidFile) {
        let pem = String(decoding: try InvalidFile.read(path), as: UTF8.self)
        try self.init(pem: pem, path: path, keyID: keyID, issuerID: issuerID)
    }

    private init(pem: String, path: String?, keyID: String, issuerID: String) throws(InvalidFile) {
        do {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem).rawRepresentation
        } catch {
            throw InvalidFile(
                path: path,
                message:
                    "It is not a private key. Give the .p8 file of a key for in-app purchases as it was downloaded, "
                    + "which begins with -----BEGIN PRIVATE KEY-----."
            )
        }
        (self.keyID, self.issuerID) = (keyID, issuerID)
    }

    /// The signature of bytes: ECDSA with SHA-256, as the 64 bytes that a JWS contains.
    func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        let key = try P256.Signing.PrivateKey(rawRepresentation: privateKey)
        return Array(try key.signature(for: Data(bytes)).rawRepresentation)
    }

    /// The ids, without the key.
    public var description: String { "key \(keyID) of issuer \(issuerID)" }
    /// The ids, without the key.
    public var debugDescription: String { description }
    /// The ids, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID, "issuerID": issuerID]) }
}
