import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// API keys, control API tokens, shared secrets, and the certificates that sign data.
    static let keys = ConsolePage(
        "/console/keys",
        "keys",
        menu: "Keys and certificates",
        documentation: [.control, .signedData, .ocsp]
    ) { page in
        return [
            "keys": try await apiKeys(page), "tokens": try await tokens(page),
            "secrets": try await sharedSecrets(page), "authorities": try await Authorities.list(page),
            "rotate": page.form(RotateChain(), "Issue new leaf and intermediate certificates"),
            "responder": try await Authorities.responder(page),
        ]
    }

    private static func apiKeys(_ page: PageRequest) async throws -> PageValue {
        let teams = try await page.send(ListTeams())
        let names = Dictionary(teams.map { ($0.issuerId, $0.name) }) { $1 }
        var fields: [FormField] = [.init("name", "Name", hint: "backend")]
        if teams.count > 1 { fields.append(.init("issuerId", "Team", try await page.teams())) }
        // Several apps can have a key with the same ID.
        let id = { (key: KeyInfo) in [key.keyId, key.offersOf].compactMap(\.self).joined(separator: "-") }
        let table = try await page.table(of: try await page.send(ListKeys()), by: id, as: "key") { key in
            let revoke = page.form(
                RevokeKey(keyId: key.keyId, bundleId: key.offersOf),
                "Revoke",
                name: id(key),
                isDestructive: true,
                confirmation: "Reject all requests signed with this key"
            )
            return [
                "id": key.keyId, "name": key.name, "issuer": key.issuerId, "team": names[key.issuerId],
                "offersOf": key.offersOf, "revoked": key.revokedDate, "revoke": key.revokedDate == nil ? revoke : nil,
            ]
        }
        return table.with(["create": page.form(CreateKey(), "Create API key", fields)])
    }

    private static func tokens(_ page: PageRequest) async throws -> PageValue {
        let table = try await page.table(of: try await page.send(ListTokens()), by: \.name, as: "token") { token in
            let request = RevokeToken(tokenName: token.name)
            return [
                "name": token.name, "scope": token.scope.rawValue, "app": token.bundleId, "created": token.createdDate,
                "revoke": page.form(request, "Revoke", name: token.name, isDestructive: true),
            ]
        }
        let scopes = ControlScope.allCases.sorted { $0 == .operate && $1 != .operate }
        let help = "Leave empty for all apps and the server."
        let fields: [FormField] = [
            .init("name", "Name", hint: "ci"),
            .init("scope", "Scope", .choice(scopes.map { ($0.rawValue, $0.rawValue) })),
            .init("bundleId", "App", hint: "com.example.app", help: help),
        ]
        return table.with(["create": page.form(CreateToken(name: ""), "Create token", fields)])
    }

    /// Shared secrets of verifyReceipt. The console shows a secret only when it is set.
    private static func sharedSecrets(_ page: PageRequest) async throws -> PageValue {
        let table = try await page.table(of: try await page.send(ListApps()), by: \.bundleId, as: "app") { app in
            let id = app.bundleId
            let source = try await page.send(GetSharedSecret(bundleId: id)).from
            let remove = page.form(
                SetSharedSecret(bundleId: id, remove: true),
                "Delete",
                name: id,
                isDestructive: true
            )
            return [
                "id": id, "name": app.name, "from": source == .app ? "app-specific" : source.rawValue,
                "remove": source == .app ? remove : nil,
            ]
        }
        let secret = FormField("sharedSecret", "Secret", help: "If empty, Till generates a secret.")
        let app = FormField("path.bundleId", "App", try await page.apps(first: []))
        let team = FormField("path.issuerId", "Team", try await page.teams())
        let removal = SetPrimarySharedSecret(issuerId: "", remove: true)
        let forms = [
            (
                "Set the secret of an app",
                page.form(SetSharedSecret(bundleId: ""), "Set app-specific secret", [app, secret])
            ),
            (
                "Set the secret of a team",
                page.form(SetPrimarySharedSecret(issuerId: ""), "Set team secret", [team, secret])
            ),
            (
                "Delete the secret of a team",
                page.form(removal, "Delete team secret", [team], name: "remove", isDestructive: true)
            ),
        ].listed { ["title": $0.0, "form": $0.1] }
        return table.with(["forms": forms])
    }
}

/// Root certificates, their chains, and OCSP responses.
private enum Authorities {
    static func list(_ page: PageRequest) async throws -> [PageValue] {
        let signed = try await page.send(GetAuthority())
        let receipts = try await page.send(GetAuthority(receipts: true))
        let list = [
            value("Signed data", signed.rootFingerprint, chain: signed.chainId, Downloads.signedData),
            value("Receipts", receipts.rootFingerprint, chain: receipts.chainId, Downloads.receipts),
        ]
        guard let tls = try await page.send(GetStatus()).tls else { return list + [["name": "TLS", "isOff": true]] }
        let shown = value("TLS", tls.rootFingerprint, chain: nil, Downloads.tls)
        return list + [shown.with(["ends": tls.serverCertificateEndDate])]
    }

    private static func value(
        _ name: String,
        _ fingerprint: String,
        chain: String?,
        _ certificates: [PublicCertificate]
    ) -> PageValue {
        [
            "name": name, "fingerprint": fingerprint, "chain": chain,
            "certificates": certificates.listed {
                ["name": $0.words, "pem": $0.address("pem"), "der": $0.derAddress]
            },
        ]
    }

    static func responder(_ page: PageRequest) async throws -> PageValue {
        let all = try await page.send(GetRevocation())
        // The current chain comes first.
        let known = all.filter(\.isCurrent) + all.filter { !$0.isCurrent }
        let shown = page.part(of: known, by: \.serialNumber, as: "serial").elements
        return try await page.table(of: known, by: \.serialNumber, as: "serial") { row($0) }
            .with(["setRevocation": form(shown, page)])
    }

    private static func row(_ certificate: CertificateInfo) -> PageValue {
        let details = [
            certificate.reason.map(OCSPWords.reason),
            certificate.delay.map { "delay: \(Words.exactly(Int64($0)))" },
            certificate.error.map { Words.plain($0.rawValue) },
        ]
        let state = certificate.state
        return [
            "part": Words.sentence(certificate.certificate.rawValue), "chain": certificate.chainId,
            "serial": certificate.serialNumber, "isCurrent": certificate.isCurrent, "state": OCSPWords.state(state),
            "style": state == .good ? "good" : state == .revoked ? "bad" : "warn",
            "details": details.compactMap(\.self), "since": certificate.revocationDate,
        ]
    }

    private static func form(_ certificates: ArraySlice<CertificateInfo>, _ page: PageRequest) -> PageValue {
        let named = [("leaf", "Current leaf"), ("intermediate", "Current intermediate"), ("all", "All certificates")]
        let others = certificates.map {
            ($0.serialNumber, "\(Words.sentence($0.certificate.rawValue)) \($0.serialNumber)")
        }
        return page.form(
            SetRevocation(certificate: "", state: .good),
            "Save",
            [
                .init("path.certificate", "Certificate", .choice(named + others)),
                .init("state", "Status", .choice(OCSPWords.states)),
                .init("reason", "Revocation reason (only for “Revoked”)", .choice(OCSPWords.reasons)),
                .init("revocationDate", "Revoked since (UTC, only for “Revoked”)", .instant),
                .init("delay", "Delay in milliseconds (only for “Slow answer”)", hint: "5000"),
                .init("error", "Error (only for “Error answer”)"),
            ]
        )
    }
}

/// The names of OCSP responses and of revocation reasons.
private enum OCSPWords {
    static let states = OCSPStatus.allCases.map { ($0.rawValue, Words.capitalized(state($0))) }

    static let reasons =
        [("", "–")] + OCSPRevocationReason.allCases.map { ($0.rawValue, Words.capitalized(reason($0))) }

    static func state(_ state: OCSPStatus) -> String {
        switch state {
        case .slow: "slow answer"
        case .error: "error answer"
        case .stale: "expired answer"
        case .dead: "no answer (closes the connection)"
        case .good, .revoked, .unknown: Words.plain(state.rawValue)
        }
    }

    static func reason(_ reason: OCSPRevocationReason) -> String {
        let words = Words.plain(reason.rawValue)
        return reason == .aaCompromise ? "\(words) (attribute authority)" : words
    }
}
