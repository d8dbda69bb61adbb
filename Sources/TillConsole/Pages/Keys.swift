import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// API keys, control API tokens, shared secrets, and the certificates that sign data.
    static let keys = ConsolePage(
        path: Keys.path,
        template: Template("keys", PackageResources.keys_mustache)
    ) { page in
        let authorities = Authorities(page: page)
        return PageContent(
            "Keys and certificates",
            [
                "keys": try await Keys.keys(page), "tokens": try await Keys.tokens(page),
                "secrets": try await SharedSecrets.value(page), "authorities": .list(try await authorities.list),
                "rotate": ActionForm(RotateChain(), "Issue new leaf and intermediate certificates").value(page),
                "responder": try await authorities.responder,
            ]
        )
    }
}

/// API keys and control API tokens.
private enum Keys {
    static let path = "/console/keys"

    static func keys(_ page: PageRequest) async throws -> PageValue {
        let teams = try await page.send(ListTeams())
        let names = Dictionary(teams.map { ($0.issuerId, $0.name) }) { $1 }
        let all = try await page.send(ListKeys())
        let part = ShownPart(all, by: name(of:), as: "key", page, path: path)
        var fields: [ActionForm.Field] = [.init("name", "Name", hint: "backend")]
        if teams.count > 1 { fields.append(.init("issuerId", "Team", try await Choices.teams(page, first: []))) }
        return [
            "rows": .list(part.elements.map { row($0, team: names[$0.issuerId], page) }), "isEmpty": .flag(all.isEmpty),
            "next": part.next, "create": ActionForm(CreateKey(), "Create API key", fields).value(page),
        ]
    }

    /// A name that is unique on the page: several apps can have a key with the same ID.
    private static func name(of key: KeyInfo) -> String {
        [key.keyId, key.offersOf].compactMap(\.self).joined(separator: "-")
    }

    private static func row(_ key: KeyInfo, team: String?, _ page: PageRequest) -> PageValue {
        let revoke = ActionForm(
            RevokeKey(keyId: key.keyId, bundleId: key.offersOf),
            "Revoke",
            name: name(of: key),
            isDestructive: true,
            confirmation: "Reject all requests signed with this key"
        )
        return [
            "id": .text(key.keyId), "name": .text(key.name), "issuer": .text(key.issuerId), "team": PageValue(team),
            "offersOf": PageValue(key.offersOf), "revoked": Words.time(key.revokedDate),
            "revoke": key.revokedDate == nil ? revoke.value(page) : .nothing,
        ]
    }

    static func tokens(_ page: PageRequest) async throws -> PageValue {
        let all = try await page.send(ListTokens())
        let part = ShownPart(all, by: \.name, as: "token", page, path: path)
        let rows = part.elements.map { token -> PageValue in
            let request = RevokeToken(tokenName: token.name)
            let revoke = ActionForm(request, "Revoke", name: token.name, isDestructive: true)
            return [
                "name": .text(token.name), "scope": .text(token.scope.rawValue), "app": PageValue(token.bundleId),
                "created": Words.time(token.createdDate), "revoke": revoke.value(page),
            ]
        }
        let scopes = ControlScope.allCases.sorted { $0 == .operate && $1 != .operate }
        let create = ActionForm(
            CreateToken(name: ""),
            "Create token",
            [
                .init("name", "Name", hint: "ci"),
                .init("scope", "Scope", .choice(scopes.map { ($0.rawValue, $0.rawValue) })),
                .init("bundleId", "App", hint: "com.example.app", help: "Leave empty for all apps and the server."),
            ]
        )
        return ["rows": .list(rows), "isEmpty": .flag(all.isEmpty), "next": part.next, "create": create.value(page)]
    }
}

/// Shared secrets of verifyReceipt. The console shows a secret only when it is set.
private enum SharedSecrets {
    static func value(_ page: PageRequest) async throws -> PageValue {
        let all = try await page.send(ListApps())
        let part = ShownPart(all, by: \.bundleId, as: "app", page, path: Keys.path)
        var rows: [PageValue] = []
        for app in part.elements {
            let source = try await page.send(GetSharedSecret(bundleId: app.bundleId)).from
            let remove = ActionForm(
                SetSharedSecret(bundleId: app.bundleId, remove: true),
                "Delete",
                name: app.bundleId,
                isDestructive: true
            )
            rows.append([
                "id": .text(app.bundleId), "name": .text(app.name),
                "from": .text(source == .app ? "app-specific" : source.rawValue),
                "remove": source == .app ? remove.value(page) : .nothing,
            ])
        }
        let secret = ActionForm.Field("sharedSecret", "Secret", help: "If empty, Till generates a secret.")
        let apps = try await Choices.apps(page, first: [])
        let teams = try await Choices.teams(page, first: [])
        let team = ActionForm.Field("path.issuerId", "Team", teams)
        return [
            "rows": .list(rows), "isEmpty": .flag(all.isEmpty), "next": part.next,
            "forms": .list(
                [
                    ActionForm(
                        SetSharedSecret(bundleId: ""),
                        "Set app-specific secret",
                        [.init("path.bundleId", "App", apps), secret]
                    ),
                    ActionForm(SetPrimarySharedSecret(issuerId: ""), "Set team secret", [team, secret]),
                    ActionForm(
                        SetPrimarySharedSecret(issuerId: "", remove: true),
                        "Delete team secret",
                        [team],
                        name: "remove",
                        isDestructive: true
                    ),
                ].map { $0.value(page) }
            ),
        ]
    }
}

/// Root certificates, their chains, and OCSP responses.
private struct Authorities: Sendable {
    let page: PageRequest

    var list: [PageValue] {
        get async throws {
            let signed = try await page.send(GetAuthority())
            let receipts = try await page.send(GetAuthority(receipts: true))
            let list: [PageValue] = [
                value("Signed data", signed.rootFingerprint, chain: signed.chainId, Downloads.signedData),
                value("Receipts", receipts.rootFingerprint, chain: receipts.chainId, Downloads.receipts),
            ]
            guard let tls = try await page.send(GetStatus()).tls else {
                return list + [["name": "TLS", "isOff": true]]
            }
            let end = Words.time(tls.serverCertificateEndDate)
            return list + [value("TLS", tls.rootFingerprint, chain: nil, Downloads.tls).with(["ends": end])]
        }
    }

    private func value(
        _ name: String,
        _ fingerprint: String,
        chain: String?,
        _ certificates: [PublicCertificate]
    ) -> PageValue {
        [
            "name": .text(name), "isOff": false, "fingerprint": .text(fingerprint), "chain": PageValue(chain),
            "ends": .nothing,
            "certificates": .list(
                certificates.map {
                    ["name": .text($0.words), "pem": .text($0.address("pem")), "der": PageValue($0.derAddress)]
                }
            ),
        ]
    }

    var responder: PageValue {
        get async throws {
            let all = try await page.send(GetRevocation())
            // The current chain comes first.
            let known = all.filter(\.isCurrent) + all.filter { !$0.isCurrent }
            let part = ShownPart(known, by: \.serialNumber, as: "serial", page, path: Keys.path)
            return [
                "rows": .list(part.elements.map { Self.row($0) }), "isEmpty": .flag(all.isEmpty), "next": part.next,
                "setRevocation": Self.form(part.elements).value(page),
            ]
        }
    }

    private static func row(_ certificate: CertificateInfo) -> PageValue {
        var details: [String] = []
        if let reason = certificate.reason { details.append(OCSPWords.reason(reason)) }
        if let delay = certificate.delay { details.append("delay: \(Words.exactly(Int64(delay)))") }
        if let error = certificate.error { details.append(Words.plain(error.rawValue)) }
        let state = certificate.state
        return [
            "part": .text(Words.sentence(certificate.certificate.rawValue)), "chain": .text(certificate.chainId),
            "serial": .text(certificate.serialNumber), "isCurrent": .flag(certificate.isCurrent),
            "state": .text(OCSPWords.state(state)),
            "style": .text(state == .good ? "good" : state == .revoked ? "bad" : "warn"),
            "details": .list(details.map { .text($0) }), "since": Words.time(certificate.revocationDate),
        ]
    }

    private static func form(_ certificates: ArraySlice<CertificateInfo>) -> ActionForm {
        let named: [(value: String, name: String)] = [
            ("leaf", "Current leaf"), ("intermediate", "Current intermediate"), ("all", "All certificates"),
        ]
        let others = certificates.map { certificate in
            let name = "\(Words.sentence(certificate.certificate.rawValue)) \(certificate.serialNumber)"
            return (value: certificate.serialNumber, name: name)
        }
        return ActionForm(
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
    static let states = OCSPStatus.allCases.map { (value: $0.rawValue, name: capitalized(state($0))) }

    static let reasons =
        [(value: "", name: "–")]
        + OCSPRevocationReason.allCases.map { (value: $0.rawValue, name: capitalized(reason($0))) }

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

    private static func capitalized(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() }
}
