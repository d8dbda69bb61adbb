import TillControl
import TillJSON
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
                "rotate": ActionForm("rotateChain", "Issue new leaf and intermediate certificates").value(page),
                "responder": try await authorities.responder,
            ]
        )
    }
}

/// API keys and control API tokens.
private enum Keys {
    static let path = "/console/keys"

    static func keys(_ page: PageRequest) async throws -> PageValue {
        let teams = try await page.ask("listTeams")["teams"]?.elements ?? []
        let names = Dictionary(teams.map { ($0["issuerId"]?.text ?? "", $0["name"]?.text ?? "") }) { $1 }
        let all = try await page.ask("listKeys")["keys"]?.elements ?? []
        let part = ShownPart(all, by: "keyId", and: "offersOf", as: "key", page, path: path)
        let rows = part.elements.map { key -> PageValue in
            let id = key["keyId"]?.text ?? ""
            let isRevoked = key["revokedDate"] != nil
            let app = key["offersOf"]?.text
            let revoke = ActionForm(
                "revokeKey",
                "Revoke",
                app.map { [.init("bundleId", "", .hidden, value: $0)] } ?? [],
                parameters: ["keyId": id],
                name: app.map { "\(id)-\($0)" } ?? id,
                isDestructive: true,
                confirmation: "Reject all requests signed with this key"
            )
            return [
                "id": .text(id), "name": PageValue(key["name"]?.text),
                "issuer": PageValue(key["issuerId"]?.text), "team": PageValue(names[key["issuerId"]?.text ?? ""]),
                "offersOf": PageValue(app), "revoked": Words.time(key["revokedDate"]?.number),
                "revoke": isRevoked ? .nothing : revoke.value(page),
            ]
        }
        var fields: [ActionForm.Field] = [.init("name", "Name", hint: "backend")]
        if teams.count > 1 { fields.append(.init("issuerId", "Team", try await Choices.teams(page, first: []))) }
        return [
            "rows": .list(rows), "isEmpty": .flag(all.isEmpty), "next": part.next,
            "create": ActionForm("createKey", "Create API key", fields).value(page),
        ]
    }

    static func tokens(_ page: PageRequest) async throws -> PageValue {
        let all = try await page.ask("listTokens")["tokens"]?.elements ?? []
        let part = ShownPart(all, by: "name", as: "token", page, path: path)
        let rows = part.elements.map { token -> PageValue in
            let name = token["name"]?.text ?? ""
            let revoke = ActionForm(
                "revokeToken",
                "Revoke",
                parameters: ["tokenName": name],
                name: name,
                isDestructive: true
            )
            return [
                "name": .text(name), "created": Words.time(token["createdDate"]?.number), "revoke": revoke.value(page),
            ]
        }
        return [
            "rows": .list(rows), "isEmpty": .flag(all.isEmpty), "next": part.next,
            "create": ActionForm("createToken", "Create token", [.init("name", "Name", hint: "ci")]).value(page),
        ]
    }
}

/// Shared secrets of verifyReceipt. The console shows a secret only when it is set.
private enum SharedSecrets {
    static func value(_ page: PageRequest) async throws -> PageValue {
        let all = try await page.ask("listApps")["apps"]?.elements ?? []
        let part = ShownPart(all, by: "bundleId", as: "app", page, path: Keys.path)
        var rows: [PageValue] = []
        for app in part.elements {
            let id = app["bundleId"]?.text ?? ""
            let from = try await page.ask("getSharedSecret", ["bundleId": id])["from"]?.text
            let words =
                switch from {
                case "app"?: "app-specific"
                case "team"?: "team"
                default: "none"
                }
            let remove = ActionForm(
                "removeSharedSecret",
                "Delete",
                parameters: ["bundleId": id],
                name: id,
                isDestructive: true
            )
            rows.append([
                "id": .text(id), "name": PageValue(app["name"]?.text), "from": .text(words),
                "remove": from == "app" ? remove.value(page) : .nothing,
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
                        "setSharedSecret",
                        "Set app-specific secret",
                        [.init("path.bundleId", "App", apps), secret]
                    ),
                    ActionForm("setPrimarySharedSecret", "Set team secret", [team, secret]),
                    ActionForm("removePrimarySharedSecret", "Delete team secret", [team], isDestructive: true),
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
            let signed = try await page.ask("getAuthority")
            let receipts = try await page.ask("getReceiptAuthority")
            var list: [PageValue] = [
                value("Signed data", signed, Downloads.signedData), value("Receipts", receipts, Downloads.receipts),
            ]
            guard let tls = try await tls() else { return list + [["name": "TLS", "isOff": true]] }
            let end = Words.time(tls["serverCertificateEndDate"]?.number)
            list.append(value("TLS", tls, Downloads.tls).with(["ends": end]))
            return list
        }
    }

    /// The certificates for TLS; nil while TLS is off.
    private func tls() async throws(ControlError) -> JSONTree? {
        do {
            return try await page.ask("getTLS")
        } catch {
            guard error.code == "tls_off" else { throw error }
            return nil
        }
    }

    private func value(_ name: String, _ authority: JSONTree, _ certificates: [PublicCertificate]) -> PageValue {
        [
            "name": .text(name), "isOff": false, "fingerprint": PageValue(authority["rootFingerprint"]?.text),
            "chain": PageValue(authority["chainId"]?.text), "ends": .nothing,
            "certificates": .list(
                certificates.map {
                    ["name": .text($0.words), "pem": .text($0.address("pem")), "der": PageValue($0.derAddress)]
                }
            ),
        ]
    }

    var responder: PageValue {
        get async throws {
            let all = try await page.ask("getRevocation")["certificates"]?.elements ?? []
            // The current chain comes first.
            let known = all.filter { $0["isCurrent"]?.isTrue == true } + all.filter { $0["isCurrent"]?.isTrue != true }
            let part = ShownPart(known, by: "serialNumber", as: "serial", page, path: Keys.path)
            return [
                "rows": .list(part.elements.map { Self.row($0) }), "isEmpty": .flag(all.isEmpty), "next": part.next,
                "setRevocation": Self.form(part.elements).value(page),
            ]
        }
    }

    private static func row(_ certificate: JSONTree) -> PageValue {
        let state = certificate["state"]?.text ?? ""
        var details: [String] = []
        if let reason = certificate["reason"]?.text { details.append(OCSPWords.reason(reason)) }
        if let delay = certificate["delay"]?.number { details.append("delay: \(Words.exactly(delay))") }
        if let error = certificate["error"]?.text { details.append(Words.plain(error)) }
        return [
            "part": PageValue(certificate["certificate"]?.text.map(Words.sentence)),
            "chain": PageValue(certificate["chainId"]?.text), "serial": PageValue(certificate["serialNumber"]?.text),
            "isCurrent": PageValue(certificate["isCurrent"]), "state": .text(OCSPWords.state(state)),
            "style": .text(state == "good" ? "good" : state == "revoked" ? "bad" : "warn"),
            "details": .list(details.map { .text($0) }), "since": Words.time(certificate["revocationDate"]?.number),
        ]
    }

    private static func form(_ certificates: ArraySlice<JSONTree>) -> ActionForm {
        let named: [(value: String, name: String)] = [
            ("leaf", "Current leaf"), ("intermediate", "Current intermediate"), ("all", "All certificates"),
        ]
        let others = certificates.compactMap { certificate in
            certificate["serialNumber"]?.text.map {
                (value: $0, name: "\(Words.sentence(certificate["certificate"]?.text ?? "")) \($0)")
            }
        }
        return ActionForm(
            "setRevocation",
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
    static let states = OCSPStatus.allCases.map { (value: $0.rawValue, name: capitalized(state($0.rawValue))) }

    static let reasons =
        [(value: "", name: "–")]
        + OCSPRevocationReason.allCases.map { (value: $0.rawValue, name: capitalized(reason($0.rawValue))) }

    static func state(_ state: String) -> String {
        switch OCSPStatus(rawValue: state) {
        case .slow?: "slow answer"
        case .error?: "error answer"
        case .stale?: "expired answer"
        case .dead?: "no answer (closes the connection)"
        default: Words.plain(state)
        }
    }

    static func reason(_ reason: String) -> String {
        let words = Words.plain(reason)
        return reason == OCSPRevocationReason.aaCompromise.rawValue ? "\(words) (attribute authority)" : words
    }

    private static func capitalized(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() }
}
