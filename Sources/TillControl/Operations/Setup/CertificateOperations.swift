/// Shows the root certificate and the signing chain.
public struct GetAuthority: ControlRequest {
    public typealias Answer = AuthorityInfo
    public static let operation = ControlOperation(.get, "/v1/ca", tag: .server)

    /// Whether to show the certificates of receipts, which have a root certificate of their own.
    public var receipts: Bool?

    public init(receipts: Bool? = nil) {
        self.receipts = receipts
    }
}

/// Issues a new leaf and intermediate under the same root. Existing signatures stay valid.
public struct RotateChain: ControlRequest {
    public typealias Answer = AuthorityInfo
    public static let operation = ControlOperation(.post, "/v1/ca/rotate", tag: .server, scope: .administer)

    public init() {}
}

/// Lists the OCSP status of the leaf and intermediate certificates of all chains under the root.
public struct GetRevocation: ControlRequest {
    public typealias Answer = [CertificateInfo]
    public static let operation = ControlOperation(.get, "/v1/ca/ocsp", tag: .server)

    public init() {}
}

/// Sets the OCSP status of the leaf, the intermediate, a serial number, or all certificates.
public struct SetRevocation: ControlRequest {
    public typealias Answer = [CertificateInfo]
    public static let operation = ControlOperation(
        .put,
        "/v1/ca/ocsp/{certificate}",
        tag: .server,
        scope: .administer
    )
    public static let limits = [
        ControlLimit.range(CodingKeys.revocationDate, 0...253_402_300_799_000),
        ControlLimit.range(CodingKeys.delay, 0...120_000),
    ]

    /// The certificates: leaf, intermediate, all, or a serial number.
    public var certificate: String
    /// The OCSP status.
    public var state: OCSPStatus
    /// Only for leaf and intermediate: the id of the chain; by default the chain that signs now.
    public var chainId: String?
    /// Only for revoked: the revocation date, in milliseconds since 1970; by default now.
    public var revocationDate: Timestamp?
    /// Only for revoked: the reason.
    public var reason: OCSPRevocationReason?
    /// Only for slow: the delay in milliseconds; by default 5000.
    public var delay: Int?
    /// Only for error: the kind of error; by default tryLater.
    public var error: OCSPFailure?

    public init(
        certificate: String,
        state: OCSPStatus,
        chainId: String? = nil,
        revocationDate: Timestamp? = nil,
        reason: OCSPRevocationReason? = nil,
        delay: Int? = nil,
        error: OCSPFailure? = nil
    ) {
        self.certificate = certificate
        self.state = state
        self.chainId = chainId
        self.revocationDate = revocationDate
        self.reason = reason
        self.delay = delay
        self.error = error
    }
}

/// A root certificate, and the chain under it that signs now.
public struct AuthorityInfo: ControlObject {
    /// The root certificate that verifiers must trust, PEM.
    public var rootCertificate: String
    /// The SHA-256 fingerprint of the root, hexadecimal.
    public var rootFingerprint: String
    /// The id of the chain that signs now.
    public var chainId: String
    /// The leaf, intermediate and root certificates, PEM.
    public var chain: String

    public init(rootCertificate: String, rootFingerprint: String, chainId: String, chain: String) {
        self.rootCertificate = rootCertificate
        self.rootFingerprint = rootFingerprint
        self.chainId = chainId
        self.chain = chain
    }
}

/// A certificate and its OCSP status.
public struct CertificateInfo: ControlObject {
    /// The serial number, hexadecimal.
    public var serialNumber: String
    /// The position of the certificate in its chain.
    public var certificate: CertificatePosition
    /// The id of the certificate's chain.
    public var chainId: String
    /// Whether this chain signs data now.
    public var isCurrent: Bool
    /// The OCSP status.
    public var state: OCSPStatus
    /// Only for revoked: the revocation date, in milliseconds since 1970.
    public var revocationDate: Timestamp?
    /// Only for revoked: the reason.
    public var reason: OCSPRevocationReason?
    /// Only for slow: the delay in milliseconds.
    public var delay: Int?
    /// Only for error: the kind of error.
    public var error: OCSPFailure?

    public init(
        serialNumber: String,
        certificate: CertificatePosition,
        chainId: String,
        isCurrent: Bool,
        state: OCSPStatus,
        revocationDate: Timestamp? = nil,
        reason: OCSPRevocationReason? = nil,
        delay: Int? = nil,
        error: OCSPFailure? = nil
    ) {
        self.serialNumber = serialNumber
        self.certificate = certificate
        self.chainId = chainId
        self.isCurrent = isCurrent
        self.state = state
        self.revocationDate = revocationDate
        self.reason = reason
        self.delay = delay
        self.error = error
    }
}

/// The position of a certificate in its chain.
public enum CertificatePosition: String, Codable, CaseIterable, Sendable {
    /// The certificate that signs data.
    case leaf
    /// The certificate that signs the leaf.
    case intermediate
}
