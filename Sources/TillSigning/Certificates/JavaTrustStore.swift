import Crypto
import SwiftASN1

/// A trust store for Java programs, in the file formats of the JDK.
///
/// Till writes JKS, which every JDK reads, even a JDK that expects another type. A JDK verifies the checksum only if
/// the program gives a password.
package struct JavaTrustStore: Sendable {
    /// The certificates as DER.
    package var certificates: [[UInt8]]

    /// The well-known password of the JDK's own trust stores. It protects nothing.
    package static let password = "changeit"
    private static let magic: UInt32 = 0xFEED_FEED
    private static let version: UInt32 = 2
    private static let certificateEntry: UInt32 = 2

    /// Creates a store with certificates.
    package init(certificates: [[UInt8]]) {
        self.certificates = certificates
    }

    /// Reads the `cacerts` of a JDK: JKS, or PKCS#12 without encryption, which is the default since JDK 18. Returns nil
    /// for another format and for a store without certificates.
    package init?(_ bytes: [UInt8]) {
        guard let found = Self.fromJKS(bytes) ?? Self.fromPKCS12(bytes), !found.isEmpty else { return nil }
        certificates = found
    }

    // MARK: JKS

    /// Encodes the store as JKS.
    ///
    /// - Parameter date: the creation date of the entries, in milliseconds since 1970.
    package func written(at date: Int64) -> [UInt8] {
        var bytes = Self.magic.bigEndianBytes + Self.version.bigEndianBytes + UInt32(certificates.count).bigEndianBytes
        for (number, certificate) in certificates.enumerated() {
            bytes += Self.certificateEntry.bigEndianBytes
            bytes += Self.text("till-\(number)") + date.bigEndianBytes + Self.text("X.509")
            bytes += UInt32(certificate.count).bigEndianBytes + certificate
        }
        var hash = Insecure.SHA1()
        hash.update(data: Self.password.utf16.flatMap(\.bigEndianBytes))
        hash.update(data: Array("Mighty Aphrodite".utf8))
        hash.update(data: bytes)
        return bytes + Array(hash.finalize())
    }

    private static func text(_ text: String) -> [UInt8] { UInt16(text.utf8.count).bigEndianBytes + Array(text.utf8) }

    /// Reads the certificates of a JKS; nil if the store also contains other entries, or is not a JKS.
    private static func fromJKS(_ bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes[...]
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func number(of count: Int) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }
        guard number(of: 4) == Int(magic), let version = number(of: 4), [1, 2].contains(version),
            let count = number(of: 4)
        else { return nil }
        var found: [[UInt8]] = []
        for _ in 0..<count {
            // Each entry has an alias, a date of eight bytes and, except in version 1, the certificate type.
            guard number(of: 4) == Int(certificateEntry), let alias = number(of: 2), take(alias + 8) != nil else {
                return nil
            }
            if version == 2 { guard let type = number(of: 2), take(type) != nil else { return nil } }
            guard let length = number(of: 4), let certificate = take(length) else { return nil }
            found.append(Array(certificate))
        }
        return found
    }

    // MARK: PKCS#12

    private static let x509Certificate: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 22, 1]
    /// The maximum nesting depth. A PKCS#12 file contains its certificates at a depth of eight levels, in nested octet
    /// strings.
    private static let maxDepth = 32

    private static func fromPKCS12(_ bytes: [UInt8]) -> [[UInt8]]? {
        guard let node = try? DER.parse(bytes), node.identifier == .sequence else { return nil }
        return certificates(in: node, depth: 0)
    }

    /// The content of all certificate bags below a value, except encrypted bags.
    private static func certificates(in node: ASN1Node, depth: Int) -> [[UInt8]] {
        guard depth < maxDepth else { return [] }
        switch node.content {
        case .constructed(let nodes):
            let children = Array(nodes)
            if children.count == 2, let type = try? ASN1ObjectIdentifier(derEncoded: children[0]),
                type == x509Certificate, let bag = content(ofTagged: children[1])
            {
                return [bag]
            }
            return children.flatMap { certificates(in: $0, depth: depth + 1) }
        case .primitive(let content):
            guard node.identifier == .octetString, let inner = try? DER.parse(content) else { return [] }
            return certificates(in: inner, depth: depth + 1)
        }
    }

    /// The content of the octet string within an explicit tag.
    private static func content(ofTagged node: ASN1Node) -> [UInt8]? {
        guard case .constructed(let nodes) = node.content, let inner = Array(nodes).first,
            let text = try? ASN1OctetString(derEncoded: inner)
        else { return nil }
        return Array(text.bytes)
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
