import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillTestSupport

/// Checks teams, apps, keys, catalogs and the request log.
@Suite("Setting up, through the control API")
struct SetupControlTests {
    @Test("Teams and apps are created and listed, and an app needs a team and an Apple id of its own")
    func apps() async throws {
        try await TypedControl.run { control in
            let own = UUID().uuidString
            let team = try await control.send(CreateTeam(name: "Mine", issuerId: own))
            let issuer = own.lowercased()
            #expect(team.issuerId == issuer && team.name == "Mine")
            #expect(try await control.send(ListTeams()).map { try $0.json }.contains(team.json))
            try await control.expectRefusal(409, "team_exists", of: CreateTeam(name: "Again", issuerId: own))
            let made = try await control.send(CreateApp(bundleId: "com.example.own", issuerId: issuer))
            #expect(made.appAppleId >= 1_000_000_000 && made.issuerId == issuer)
            #expect(try await control.send(GetApp(bundleId: "com.example.own")).json == made.json)
            #expect(try await control.send(ListApps()).map { try $0.json }.contains(made.json))
            let again = CreateApp(bundleId: "com.example.own", issuerId: issuer)
            try await control.expectRefusal(409, "app_exists", of: again)
            let taken = CreateApp(bundleId: "com.example.b", appAppleId: made.appAppleId, issuerId: issuer)
            try await control.expectRefusal(409, "apple_id_taken", of: taken)
            try await control.expectRefusal(400, "which_team", of: CreateApp(bundleId: "com.example.b"))
            let stranger = CreateApp(bundleId: "com.example.b", issuerId: UUID().uuidString)
            let refusal = try await control.refusal(of: stranger)
            #expect([400, 404].contains(refusal?.status))
        }
    }

    @Test("A key can be deleted with an app of its team, and is restored with it")
    func keyOfAnApp() async throws {
        try await TypedControl.run { control in
            let issuer = try await control.send(CreateTeam(name: "Mine")).issuerId
            let app = "com.example.temporary"
            _ = try await control.send(CreateApp(bundleId: app, issuerId: issuer))
            let key = try await control.send(CreateKey(name: "temporary", bundleId: app))
            #expect(key.bundleId == app && key.issuerId == issuer && key.offersOf == nil)
            let kept = try await control.send(CreateKey(name: "kept", issuerId: issuer))
            let wrong = CreateKey(issuerId: UUID().uuidString, bundleId: app)
            try await control.expectRefusal(404, "unknown_team", of: wrong)
            let foreign = CreateKey(issuerId: issuer, bundleId: TestShop.bundleID)
            try await control.expectRefusal(400, "which_team", of: foreign)
            _ = try await control.send(SaveSnapshot(name: "before", bundleId: app))
            #expect(try await control.send(RevokeKey(keyId: key.keyId, bundleId: app)).revokedDate != nil)
            _ = try await control.send(Reset(bundleId: app, everything: true))
            let rest = try await control.send(ListKeys()).map(\.keyId)
            #expect(rest.contains(kept.keyId) && !rest.contains(key.keyId))
            try await control.expectRefusal(404, "unknown_app", of: CreateKey(bundleId: app))
            _ = try await control.send(RestoreSnapshot(name: "before"))
            let restored = try await control.send(ListKeys()).first { $0.keyId == key.keyId }
            #expect(restored?.bundleId == app && restored?.revokedDate == nil)
        }
    }

    @Test("A private key is shown once, and no file of the data directory contains it")
    func privateKey() async throws {
        try await TypedControl.run { control in
            let made = try await control.send(CreateKey(name: "secret"))
            #expect(made.keyId.wholeMatch(of: /[A-Z0-9]{10}/) != nil)
            let pem = try #require(made.privateKey)
            #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
            var shown = made
            shown.privateKey = nil
            let listed = try await control.send(ListKeys()).filter { $0.keyId == made.keyId }
            #expect(try listed.map { try $0.json } == [shown.json])
            let text = pem.split(separator: "\n").dropFirst().dropLast().joined()
            let bytes = try #require(Data(base64Encoded: text))
            let parts = [bytes[36..<68], Data(text.utf8.dropFirst(48).prefix(42))]
            let folder = control.test.directory.path
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(files.contains("till.sqlite"))
            for file in files {
                let content = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                for part in parts { #expect(content.firstRange(of: part) == nil, "\(file)") }
            }
        }
    }

    @Test("Groups and products can be added one by one, and a catalog reads back as it was written")
    func catalog() async throws {
        try await TypedControl.run(try await TestShop()) { control in
            let bundleId = TestShop.bundleID
            #expect(try await control.send(GetCatalog(bundleId: bundleId)).products.isEmpty)
            let group = GroupInfo(groupId: "20450880", name: "One", localizations: [])
            _ = try await control.till.upload(PutGroup(bundleId: bundleId), group)
            let offer = OfferInfo(kind: .introductory, mode: .freeTrial, period: "P1W", periodCount: 1)
            let products = [
                ProductInfo(productId: "coins", type: .consumable, price: "0.99", currency: "USD"),
                ProductInfo(
                    productId: "basic",
                    type: .autoRenewable,
                    price: "4.99",
                    currency: "USD",
                    subscription: SubscriptionPlanInfo(groupId: group.groupId, level: 1, period: "P1M"),
                    offers: [offer]
                ),
            ]
            for product in products {
                let made = try await control.till.upload(PutProduct(bundleId: bundleId), product)
                #expect(made.productId == product.productId)
            }
            let shown = try await control.send(GetCatalog(bundleId: bundleId))
            #expect(shown.groups?.map(\.groupId) == [group.groupId])
            #expect(Set(shown.products.map(\.productId)) == ["coins", "basic"])
            let written = try await control.till.upload(PutCatalog(bundleId: bundleId), shown)
            #expect(try written.json == shown.json)
            #expect(try await control.send(GetCatalog(bundleId: bundleId)).json == shown.json)
            let bought = try await control.buy("basic", by: "ann")
            #expect(try control.payload(of: bought.signedTransactionInfo)["offerType"] == .number("1"))
        }
    }

    @Test("The request log has the newest rejected request first, and no successful request")
    func requestLog() async throws {
        try await TypedControl.run { control in
            var ids: [String] = []
            for number in 0..<5 {
                ids.append(try await control.apple(.get, "/inApps/v2/history/x\(number)").requestID)
            }
            let listed = try await control.send(ListRequests(limit: 5)).entries.map(\.requestId)
            #expect(listed == ids.reversed())
            for limit in ["0", "101", "x"] {
                let answer = try await control.ask(.get, "/v1/requests?limit=\(limit)")
                #expect(answer.status == 400, "\(answer)")
            }
            let id = try await control.buy("coins", by: "ann").transactionId
            let found = try await control.apple(.get, "/inApps/v2/history/\(id)")
            #expect(found.status == 200)
            let unknown = ExplainRequest(requestId: found.requestID)
            try await control.expectRefusal(404, "unknown_request", of: unknown)
        }
    }

    @Test("All requests and bodies are logged on demand: without secrets, cut to 4 KiB, and not the long ones")
    func requestBodies() async throws {
        var settings = Settings()
        settings.requestLogAll = true
        settings.requestLogBodies = true
        let test = try await TestShop(selling: SampleCatalog.control, settings: settings)
        try await TypedControl.run(test) { control in
            func explained(_ answer: TypedControl.Answer) async throws -> RequestInfo {
                try await control.send(ExplainRequest(requestId: answer.requestID))
            }
            let bought = try await control.buy("coins", by: "ann")
            let path = "/inApps/v1/transactions/\(bought.transactionId)"
            let invalid = #"{"appAccountToken":"x","password":"hush"}"#
            let refused = try await control.apple(.put, "\(path)/appAccountToken", invalid)
            #expect(refused.status == 400)
            let entry = try await explained(refused)
            let logged = try JSONTree.parse(Array((entry.requestBody ?? "").utf8))
            #expect(logged["appAccountToken"]?.text == "x" && logged["password"]?.text == "struck out")
            #expect(entry.responseBody == refused.body && (entry.milliseconds ?? -1) >= 0)
            let seen = try await explained(try await control.apple(.get, path))
            #expect(seen.status == 200 && seen.explanation == "Answered.")
            let body = try #require(seen.responseBody)
            #expect(body.hasPrefix(#"{"signedTransactionInfo":""#) && body.count <= 4_097)
            let signed = try #require(bought.signedTransactionInfo)
            #expect(!body.contains(signed), "not cut to 4 KiB")
            // The route can still read a body that was logged. A long body is not logged.
            let token = #"{"appAccountToken":"7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"}"#
            #expect(try await control.apple(.put, "\(path)/appAccountToken", token).status == 200)
            let long = #"{"receipt-data":"\#(String(repeating: "A", count: 100_000))","password":"hush"}"#
            let receipt = try await control.apple(.post, "/verifyReceipt", long)
            #expect(receipt.json == .object([JSONTree.Member("status", .number("21002"))]))
            let last = try await explained(receipt)
            #expect(last.errorCode == 21_002 && last.requestBody == nil)
            let file = try #require(FileManager.default.contents(atPath: control.test.directory.database))
            #expect(file.firstRange(of: Data("hush".utf8)) == nil)
        }
    }

    @Test("With Apple's profile, Look Up Order ID works in production only, and the request log gives the reason")
    func orderLookup() async throws {
        let test = try await TestShop(selling: SampleCatalog.control, settings: .apple)
        try await TypedControl.run(test) { control in
            for (environment, status) in [(StoreEnvironment.sandbox, 404), (.production, 200)] {
                let app = AppEnvironment(TestShop.bundleID, environment)
                let order = try #require(try await control.buy("coins", by: "ann", in: app).orderId)
                let answer = try await control.apple(.get, "/inApps/v1/lookup/\(order)", in: environment)
                #expect(answer.status == status)
                #expect(answer.json["status"]?.number == (status == 200 ? 0 : nil))
                guard status == 404 else { continue }
                #expect(answer.body.isEmpty)
                let entry = try await control.send(ExplainRequest(requestId: answer.requestID))
                #expect(entry.explanation.contains("orderLookupInSandbox"))
            }
        }
    }

    @Test("An invalid StoreKit file is rejected with every error, and the catalog does not change")
    func invalidFiles() async throws {
        try await TypedControl.run { control in
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Fixtures/storekit/refused").standardizedFileURL
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            #expect(files.count > 10)
            let before = try await control.send(GetCatalog(bundleId: TestShop.bundleID))
            for file in files where file.pathExtension == "storekit" {
                let path = "/v1/apps/com.example.shop/catalog/storekit"
                let answer = try await control.ask(.put, path, bytes: Array(try Data(contentsOf: file)))
                let faults = answer.json["faults"]?.elements ?? []
                #expect(answer.status == 400 && !faults.isEmpty, "\(file.lastPathComponent): \(answer)")
                for fault in faults {
                    #expect(fault["path"]?.text?.hasPrefix("$") == true, "\(file.lastPathComponent): \(fault)")
                    #expect(fault["expected"]?.text?.isEmpty == false && fault["found"]?.text?.isEmpty == false)
                }
            }
            #expect(try await control.send(GetCatalog(bundleId: TestShop.bundleID)).json == before.json)
        }
    }

    @Test("Importing a StoreKit file again changes future purchases only")
    func importedAgain() async throws {
        try await TypedControl.run(try await TestShop()) { control in
            func document(_ price: String, isComplete: Bool, type: String = "Consumable") -> [UInt8] {
                let gone =
                    #","#
                    + #"{"productID":"gone","type":"NonConsumable","displayPrice":"1.99","localizations":[]}"#
                return Array(
                    #"""
                    {"version":{"major":2,"minor":0},"products":[
                     {"productID":"dear","type":"\#(type)","displayPrice":"\#(price)","localizations":[]}
                     \#(isComplete ? gone : "")]}
                    """#.utf8
                )
            }
            let request = ImportStoreKitFile(bundleId: TestShop.bundleID)
            _ = try await control.till.upload(request, document("0.99", isComplete: true))
            let first = try await control.buy("dear", by: "ann")
            try await control.buy("gone", by: "ann")
            let before = try await control.history(of: "ann", in: control.app).map(\.withoutSigningDate)
            let summary = try await control.till.upload(request, document("77.70", isComplete: false))
            #expect(summary.removedFromSale == 1)
            #expect(try await control.buy("dear", by: "bob").price == 77_700 && first.price == 990)
            let bought = BuyProduct(app: control.app, customer: "bob", productId: "gone")
            try await control.expectRefusal(409, "product_not_for_sale", of: bought)
            #expect(try await control.history(of: "ann", in: control.app).map(\.withoutSigningDate) == before)
            let changed = document("77.70", isComplete: false, type: "NonConsumable")
            do {
                _ = try await control.till.upload(request, changed)
                Issue.record("the type of a sold product was changed")
            } catch let failure as ControlFailure {
                #expect(failure.status == 400)
            }
        }
    }
}

/// Checks the list of attacks. Apple's verifier rejects each of them in Tests/Python/commands/test_attack_pack.py.
@Suite("Attack packs, through the control API")
struct AttackControlTests {
    @Test("Every notification has a UUID of its own, and an unknown case or transaction is refused")
    func cases() async throws {
        try await TypedControl.run { control in
            var ids: [String?] = []
            for _ in 1...2 {
                for attack in try await control.send(ListAttacks(app: control.app)) {
                    let part = try #require(attack.signedPayload?.split(separator: ".").dropFirst().first)
                    let payload = try JSONTree.parse(try #require(Base64URL.decode(String(part))))
                    ids.append(payload["notificationUUID"]?.text)
                }
            }
            #expect(ids.count == 32 && Set(ids).count == 32 && !ids.contains(nil))
            let one = try await control.send(ListAttacks(app: control.app, case: AttackCase(rawValue: "alg-none")))
            #expect(one.map(\.case.rawValue) == ["alg-none"])
            for name in ["alg-any", "truncated"] {
                let answer = try await control.ask(.get, "/v1/apps/com.example.shop/sandbox/attacks?case=\(name)")
                #expect(answer.status == 400 && answer.code == "bad_query", "\(answer)")
            }
            let unknown = ListAttacks(app: control.app, transactionId: "1")
            try await control.expectRefusal(404, "unknown_transaction", of: unknown)
        }
    }
}
