import Foundation
import HTTPTypes
import Testing
import TillCore
import TillServer
import TillStorage
import TillTestSupport

@testable import TillConsole
@testable import TillShop

/// Faults, snapshots, keys, certificates, endpoints and settings.
@Suite("Configuration pages")
struct ShopPagesTests {
    private let environment = "/console/apps/com.example.shop/sandbox/"

    @Test(
        "Every kind of fault has a form that adds a rule",
        arguments: FaultKind.allCases
    )
    func faultKinds(_ kind: FaultKind) async throws {
        let site = try TestConsole(try await TestShop())
        let codes: [FaultKind: String] = [.error: "5000001", .status: "503", .receiptStatus: "21005"]
        let waits: Set<FaultKind> = [.latency, .staleReads, .delay, .reorder]
        try await site.visit { visitor in
            let page = "/console/faults?kind=\(kind.rawValue)"
            let form = "addFault-\(kind.rawValue)"
            var fields = [
                ("kind", kind.rawValue), ("bundleId", "com.example.shop"), ("until:instant", "2030-01-01T00:00"),
            ]
            if let code = codes[kind] { fields.append(("code", code)) }
            if waits.contains(kind) { fields.append(("milliseconds", "1500")) }
            let seen = try await visitor.get(page)
            for (name, _) in fields { #expect(seen.text.contains("name=\"\(name)\""), "\(name)") }
            let added = try await visitor.perform("addFault", form: form, on: page, fields)
            #expect(added.status == 200, "\(added.text)")
            #expect(added.text.contains("0 of 0 matches") && added.text.contains("app <bdi>com.example.shop</bdi>"))
            let removed = try await visitor.perform(
                "removeFaults",
                form: "removeFaults-f1",
                on: page,
                [("faultId", "f1")]
            )
            #expect(removed.text.contains("No fault rules."), "\(removed.text)")
        }
    }

    @Test("A snapshot is saved, restored and deleted; a reset deletes customers")
    func snapshots() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let customers = environment + "customers"
        try await test.buy("pro", by: "ann")
        try await site.visit { visitor in
            let page = "/console/snapshots"
            let saved = try await visitor.perform("saveSnapshot", on: page, [("path.name", "fresh")])
            #expect(saved.status == 200 && saved.text.contains("<th scope=\"row\">fresh</th>"))
            let reset = try await visitor.perform("reset", on: page, [])
            #expect(reset.status == 200, "\(reset.text)")
            let answer1 = try await visitor.get(customers)
            #expect(!answer1.text.contains("<bdi>ann</bdi>"))
            let name = ("path.name", "fresh")
            let restored = try await visitor.perform("restoreSnapshot", form: "restoreSnapshot-fresh", on: page, [name])
            #expect(restored.status == 200)
            let answer2 = try await visitor.get(customers)
            #expect(answer2.text.contains("<bdi>ann</bdi>"))
            let removed = try await visitor.perform("removeSnapshot", form: "removeSnapshot-fresh", on: page, [name])
            #expect(removed.text.contains("No snapshots yet."))
        }
    }

    @Test("The state is exported and imported; an invalid file changes nothing")
    func carried() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let customers = environment + "customers"
        try await test.buy("pro", by: "ann")
        try await site.visit { visitor in
            let file = try await visitor.get("/console/state")
            #expect(file.status == 200)
            #expect(file.headers[.contentDisposition] == "attachment; filename=\"shop.till\"")
            #expect(file.text.split(separator: "\n").count > 5)
            // Tests/TillShopTests/Backup/ResetTests.swift checks the file's content.
            let snapshots = try await visitor.get("/console/snapshots")
            let words = "It contains no private keys, but it contains the shared secrets as plain text."
            #expect(snapshots.text.contains(words))
            _ = try await visitor.perform("reset", on: "/console/snapshots", [])
            let proof = try #require(try await visitor.get("/console/snapshots").field("_proof", in: "importState"))
            func take(_ text: String) async throws -> Answer {
                let body =
                    "--XX\r\nContent-Disposition: form-data; name=\"_proof\"\r\n\r\n\(proof)\r\n--XX\r\n"
                    + "Content-Disposition: form-data; name=\"_file\"; filename=\"a.till\"\r\n\r\n\(text)\r\n--XX--\r\n"
                let headers: HTTPFields = [.contentType: "multipart/form-data; boundary=XX"]
                return try await visitor.send(.post, "/console/actions/importState", body, headers)
            }
            #expect(try await take(String(file.text.dropLast(40))).status == 400)
            let answer3 = try await visitor.get(customers)
            #expect(!answer3.text.contains("<bdi>ann</bdi>"))
            let taken = try await take(file.text)
            #expect(taken.status == 200, "\(taken.text)")
            let answer4 = try await visitor.get(customers)
            #expect(answer4.text.contains("<bdi>ann</bdi>"))
            let answer5 = try await visitor.get("/console/state?bundleId=unknown")
            #expect(answer5.status == 404)
        }
    }

    @Test("Downloads require a sign-in")
    func guarded() async throws {
        let site = try TestConsole(try await TestShop(), token: "a-token-of-the-administrator-of-this-shop")
        try await site.visit { visitor in
            for uri in ["/console/state", "/console/certificates/till-root.pem"] {
                let answer6 = try await visitor.get(uri)
                #expect(answer6.status == 303)
            }
        }
    }

    @Test("A private key is shown only when it is created; a revoked key is marked")
    func keys() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let page = "/console/keys"
            let made = try await visitor.perform("createKey", on: page, [("name", "backend")])
            #expect(made.text.contains("-----BEGIN PRIVATE KEY-----") && made.text.contains("download=\"AuthKey_"))
            let seen = try await visitor.get(page)
            #expect(seen.text.contains("<bdi>backend</bdi>") && !seen.text.contains("PRIVATE KEY"))
            let id = try #require(site.test.shop.registry.keys.first { $0.name == "backend" }?.id)
            let revoked = try await visitor.perform(
                "revokeKey",
                form: "revokeKey-\(id)",
                on: page,
                [("path.keyId", id)]
            )
            #expect(revoked.text.contains(">revoked</span>"))
        }
    }

    @Test("A key that two apps share is revoked for only one of them")
    func sharedKey() async throws {
        let site = try TestConsole(try await TestShop())
        let test = site.test
        for app in ["com.example.one", "com.example.two"] {
            let record = KeyRecord(
                id: "8C3D5E71",
                issuerID: test.app.issuerID,
                name: "offers",
                publicKey: try #require(test.shop.registry.keys.first).publicKey,
                offersOf: app,
                createdAt: test.now,
                revokedAt: nil
            )
            try await test.shop.registry.put(record)
        }
        try await site.visit { visitor in
            let form = "revokeKey-8C3D5E71-com.example.two"
            let page = try await visitor.get("/console/keys")
            let app = try #require(page.field("bundleId", in: form))
            let fields = [("path.keyId", "8C3D5E71"), ("bundleId", app)]
            let revoked = try await visitor.perform("revokeKey", form: form, on: "/console/keys", fields)
            #expect(revoked.status == 200 && revoked.text.contains("revokeKey-8C3D5E71-com.example.one"))
        }
        #expect(test.shop.registry.keys("8C3D5E71").map { $0.record.revokedAt == nil } == [true, false])
    }

    @Test("Tokens and shared secrets are shown only when they are created")
    func secrets() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let page = "/console/keys"
            let token = try await visitor.perform("createToken", on: page, [("name", "ci")])
            #expect(token.text.contains("id=\"secret-token\""))
            let app = ("path.bundleId", "com.example.shop")
            let set = try await visitor.perform("setSharedSecret", on: page, [app, ("sharedSecret", "open-sesame-7")])
            #expect(set.text.components(separatedBy: ">open-sesame-7<").count == 2, "\(set.text)")
            let seen = try await visitor.get(page)
            #expect(!seen.text.contains("open-sesame-7") && seen.text.contains(">app-specific</td>"))
            let name = ("path.tokenName", "ci")
            let gone = try await visitor.perform("revokeToken", form: "revokeToken-ci", on: page, [name])
            #expect(gone.text.contains("No tokens besides the administrator’s."))
        }
    }

    @Test("Certificates are downloaded as PEM and DER, and OCSP responses are changed")
    func certificates() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let page = try await visitor.get("/console/keys")
            let files = page.text.matches(of: /href="(\/console\/certificates\/[a-z.-]+)"/).map { String($0.1) }
            #expect(files.count == 14, "\(files)")
            for file in files {
                let answer = try await visitor.get(file)
                #expect(answer.status == 200, "\(file)")
                #expect(answer.text.hasPrefix("-----BEGIN CERTIFICATE-----") == file.hasSuffix(".pem"), "\(file)")
                #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment") == true)
            }
            let answer7 = try await visitor.get("/console/certificates/nothing.pem")
            #expect(answer7.status == 404)
            let fields = [("path.certificate", "leaf"), ("state", "revoked"), ("reason", "keyCompromise")]
            let said = try await visitor.perform("setRevocation", on: "/console/keys", fields)
            #expect(said.text.contains("<span class=\"pill bad\">revoked</span> <span class=\"faint\">key compromise"))
        }
    }

    @Test("An environment's endpoints and settings are shown and changed")
    func settings() async throws {
        let site = try TestConsole(try await TestShop())
        let page = environment
        try await site.visit { visitor in
            let url = "http://127.0.0.1:9/apple"
            let name = ("path.endpoint", "primary")
            let fields = [name, ("url", url), ("types", "DID_RENEW\r\nEXPIRED/VOLUNTARY")]
            let set = try await visitor.perform("setEndpoint", on: page, fields)
            #expect(set.text.contains("<bdi>\(url)</bdi>") && set.text.contains("EXPIRED/VOLUNTARY"))
            let gone = try await visitor.perform("removeEndpoint", form: "removeEndpoint-primary", on: page, [name])
            #expect(gone.text.contains("No endpoint is configured."))
            let rules = [
                ("grace.days", "16"), ("released", "false"), ("refundRule", "alwaysDecline"),
                ("missingPrice", "refuse"),
            ]
            let changed = try await visitor.perform("updateSettings", on: page, rules)
            for text in ["16 days", "always decline", "no (production answers 401)", "reject the purchase"] {
                #expect(changed.text.contains(" selected>\(text)</option>"), "\(text)")
            }
            // A setting that was not changed keeps the server's default.
            let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
            let rate = ("rate", site.test.shop.registry.policy(of: scope).rate.rawValue)
            let same = try await visitor.perform("updateSettings", on: page, [rate, ("payloadProfile", "fair")])
            #expect(same.status == 200)
            #expect(site.test.shop.registry.rules(of: scope).rate == nil)
        }
    }

    @Test("The audit page shows calls and their number, and finds failed ones")
    func audit() async throws {
        let test = try await TestShop()
        var refused = AuditRecord(
            id: "1",
            at: test.now,
            caller: "reader",
            address: "127.0.0.1",
            operation: "createKey",
            status: 403,
            code: "insufficient_scope"
        )
        refused.count = 7
        await test.shop.write(refused)
        let site = try TestConsole(test)
        try await site.visit { visitor in
            _ = try await visitor.perform("createApp", on: "/console/", [("bundleId", "com.example.second")])
            let all = try await visitor.get("/console/audit")
            #expect(all.status == 200)
            for text in ["createApp", "com.example.second", "createKey", "reader", "insufficient_scope", "7 calls"] {
                #expect(all.text.contains(text), "\(text)")
            }
            let failed = try await visitor.get("/console/audit?failed=true&caller=reader")
            #expect(failed.text.contains("insufficient_scope") && !failed.text.contains("com.example.second"))
            let none = try await visitor.get("/console/audit?caller=nobody")
            #expect(none.text.contains("No calls."))
        }
    }

    @Test("The overview shows paused endpoints")
    func paused() async throws {
        let test = try await TestShop()
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let site = try TestConsole(test)
        try await site.visit { visitor in
            for isPaused in [true, nil] {
                try await test.shop.setup.updateRules(of: scope) {
                    var endpoint = EndpointRecord(url: "http://localhost:1/")
                    endpoint.isPaused = isPaused
                    $0.endpoints = [endpoint]
                }
                let page = try await visitor.get("/console/")
                #expect(page.text.contains("paused: <bdi>primary</bdi>") == (isPaused == true))
            }
        }
    }
}
