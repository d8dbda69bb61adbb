import HTTPTypes
import Logging
import TillControl
import TillShop
import TillSigning
import TillStorage

/// Operations on the certificates that sign data, and on their OCSP status.
extension ControlAPI {
    var certificateRoutes: [ControlRoute] {
        [
            ControlRoute(GetAuthority.self) { call in
                guard call.receipts == true else { return AuthorityInfo(shop.signingChain) }
                return AuthorityInfo(try await shop.keys.receipts.signing().chain)
            },
            ControlRoute(RotateChain.self) { _ in AuthorityInfo(try await rotateChain()) },
            ControlRoute(GetRevocation.self) { _ in list(shop.keys.authority.certificates) },
            ControlRoute(SetRevocation.self) { call in
                let chosen = try certificates(of: call.request)
                try await shop.keys.authority.setState(try Self.state(call.request, now: shop.wallClock()), of: chosen)
                return list(shop.keys.authority.certificates.filter { chosen.contains($0.certificate) })
            },
        ]
    }

    private func rotateChain() async throws -> SigningChain {
        guard let directory = facts.dataDirectory else {
            throw ControlError.conflict(
                "no_directory",
                "This server stores no certificates, so it cannot rotate the chain."
            )
        }
        do {
            return try await shop.keys.rotate(in: CertificateStore(directory), ocspURL: facts.ocspURL)
        } catch let refused as DirectoryRefused {
            shop.logger.error("the chain was not rotated", metadata: ["cause": "\(refused.logText)"])
            throw ControlError(
                status: .serviceUnavailable,
                code: "not_rotated",
                message: "The chain was not rotated. \(refused.description)"
            )
        }
    }

    /// The certificates that a request selects.
    private func certificates(of request: SetRevocation) throws -> [OCSPResponder.Known] {
        let known = shop.keys.authority.certificates.map(\.certificate)
        let name = request.certificate
        let chainID = request.chainId
        if let chainID, !known.contains(where: { $0.chainID == chainID }) {
            throw ControlError.notFound(
                "unknown_chain",
                "There is no chain \(chainID.prefix(64)). List them with till ca ocsp show."
            )
        }
        let chosen = known.filter { certificate in
            switch name {
            case "all": chainID == nil || certificate.chainID == chainID
            case "leaf": certificate.part == .leaf && certificate.chainID == chainID ?? shop.signingChain.id
            case "intermediate":
                certificate.part == .intermediate && certificate.chainID == chainID ?? shop.signingChain.id
            default: Self.digits(of: certificate.serial) == Self.digits(of: name)
            }
        }
        guard !chosen.isEmpty else {
            throw ControlError.notFound(
                "unknown_certificate",
                "There is no certificate \(name.prefix(64)). Give leaf, intermediate, all, or a serial number."
            )
        }
        return chosen
    }

    /// A serial number in a form to compare: without colons and leading zeros, in lower case.
    private static func digits(of serial: String) -> Substring {
        serial.lowercased().replacing(":", with: "").drop { $0 == "0" }
    }

    private static func state(_ request: SetRevocation, now: Timestamp) throws -> OCSPState {
        let details: [(key: String, isGiven: Bool, owner: OCSPStatus)] = [
            ("revocationDate", request.revocationDate != nil, .revoked), ("reason", request.reason != nil, .revoked),
            ("delay", request.delay != nil, .slow), ("error", request.error != nil, .error),
        ]
        for detail in details where detail.isGiven && request.state != detail.owner {
            throw ControlError.bad(
                "bad_state",
                "\(detail.key) is only for the state \(detail.owner.rawValue).",
                path: "$.\(detail.key)"
            )
        }
        return switch request.state {
        case .good: .good
        case .revoked: .revoked(at: (request.revocationDate ?? now).milliseconds, reason: request.reason)
        case .unknown: .unknown
        case .slow: .slow(milliseconds: request.delay ?? 5_000)
        case .error: .error(request.error ?? .tryLater)
        case .stale: .stale
        case .dead: .dead
        }
    }

    private func list(_ certificates: [(certificate: OCSPResponder.Known, state: OCSPState)]) -> [CertificateInfo] {
        let current = shop.signingChain.id
        return certificates.map { certificate, state in
            CertificateInfo(certificate, state, isCurrent: certificate.chainID == current)
        }
    }
}

extension AuthorityInfo {
    fileprivate init(_ chain: some CertificateChain) {
        self.init(
            rootCertificate: chain.rootCertificatePEM,
            rootFingerprint: chain.rootFingerprint,
            chainId: chain.id,
            chain: chain.certificatesPEM
        )
    }
}

extension CertificateInfo {
    fileprivate init(_ certificate: OCSPResponder.Known, _ state: OCSPState, isCurrent: Bool) {
        self.init(
            serialNumber: certificate.serial,
            certificate: certificate.part == .leaf ? .leaf : .intermediate,
            chainId: certificate.chainID,
            isCurrent: isCurrent,
            state: state.status
        )
        switch state {
        case .revoked(let instant, let reason):
            revocationDate = Timestamp(milliseconds: instant)
            self.reason = reason
        case .slow(let delay): self.delay = delay
        case .error(let failure): error = failure
        case .good, .unknown, .stale, .dead: break
        }
    }
}
