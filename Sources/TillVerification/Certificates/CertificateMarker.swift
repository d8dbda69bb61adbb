import SwiftASN1

/// The extensions by which verifiers recognize certificates of the App Store. Their value is ASN.1 NULL.
package enum CertificateMarker {
    /// A leaf that signs data.
    package static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    /// An intermediate that issues such leaves.
    package static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
}
