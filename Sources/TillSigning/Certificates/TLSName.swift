import Foundation
import SwiftASN1
import X509

/// The name of a TLS server: a host name or an IP address.
package struct TLSName: Sendable, Hashable, CustomStringConvertible {
    /// The name as text in the certificate: a host name in lower case, or an IP address.
    package let text: String
    private let address: [UInt8]?

    /// Parses a host name, which may begin with the label `*`, or an IP address; nil for any other text.
    package init?(_ text: String) {
        if let address = Self.address(text) {
            self.text = text
            self.address = address
            return
        }
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isUsable = labels.enumerated().allSatisfy { index, label in
            (index == 0 && label == "*" && labels.count > 2) || Self.isLabel(label)
        }
        guard isUsable, name.utf8.count <= 253 else { return nil }
        self.text = name
        address = nil
    }

    package var description: String { text }

    var general: GeneralName {
        address.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(text)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        // The name is in lower case.
        label.isPlain(1...63, and: "-_") && label.first != "-" && label.last != "-"
    }

    private static func address(_ text: String) -> [UInt8]? {
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
