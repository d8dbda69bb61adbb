import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillCore
import TillJSON
import TillServer
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// Sends complete requests to the control API and checks the answers, without a socket.
@Suite("Requests and answers of the control API")
struct ControlTests {
    func withControl(
        _ test: TestShop,
        token: String? = nil,
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let control = test.controlAPI(ControlGuard(token: token, hosts: ["till.internal"]))
        try await Application(router: control.router()).test(.router) { try await body($0) }
    }

    func send(
        _ client: any TestClientProtocol,
        _ method: HTTPRequest.Method,
        _ uri: String,
        _ body: String? = nil,
        headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> (status: Int, body: String) {
        try await client.execute(
            uri: uri,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        ) { ($0.status.code, String(buffer: $0.body)) }
    }

    @Test("An error in a request body is named by its path")
    func faults() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withControl(test) { client in
            let path = "/v1/apps/com.example.shop/sandbox/customers/ann/purchases"
            let answer = try await send(client, .post, path, #"{"quantity":"3","product":"coins","finished":1}"#)
            #expect(answer.status == 400)
            for place in ["$.quantity", "$.product", "$.finished", "$.productId"] {
                #expect(answer.body.contains("\"path\":\"\(place)\""), "\(place)")
            }
        }
    }

    @Test("A purchase returns its effects; a bulk extension returns its product and storefronts")
    func results() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withControl(test) { client in
            let scope = "/v1/apps/com.example.shop/sandbox"
            func buy(_ body: String) async throws -> String {
                try await send(client, .post, "\(scope)/customers/ann/purchases", body).body
            }
            #expect(try await buy(#"{"productId":"coins"}"#).contains(#""result":"purchased""#))
            #expect(try await buy(#"{"productId":"pro"}"#).contains(#""result":"subscribed""#))
            let held = try await buy(#"{"productId":"coins","interrupted":true}"#)
            #expect(held.contains(#""result":"held""#) && held.contains(#""held":1"#))
            let approved = try await send(client, .post, "\(scope)/customers/ann/held-purchases/1/approve", "{}")
            #expect(approved.body.contains(#""result":"purchased""#))
            let shown = try await send(client, .get, "\(scope)/customers/ann", headers: [:])
            #expect(!shown.body.contains(#""result""#))

            let request = "7c0e6c1a-0d52-4c8c-8a57-0f1f5d5c7a01"
            let storefronts = #"["DEU","USA"]"#
            let extend = #"{"productId":"pro","days":5,"reasonCode":3,"storefronts":\#(storefronts)"#
            let body = extend + #","requestIdentifier":"\#(request)"}"#
            let begun = try await send(client, .post, "\(scope)/extensions", body)
            let listed = try await send(client, .get, "\(scope)/jobs", headers: [:])
            for answer in [begun.body, listed.body] {
                for part in [
                    #""requestIdentifier":"\#(request)""#, #""days":5"#, #""reasonCode":3"#,
                    #""storefronts":["DEU","USA"]"#,
                ] {
                    #expect(answer.contains(part), "\(part) is not in \(answer)")
                }
            }
        }
    }

    @Test("Sixteen concurrent rotations of the signing chain succeed, and each returns its own chain")
    func rotations() async throws {
        let test = try await TestShop()
        try await withControl(test) { client in
            let answers = try await withThrowingTaskGroup(of: (status: Int, body: String).self) { group in
                for _ in 0..<16 { group.addTask { try await send(client, .post, "/v1/ca/rotate", "{}") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.filter { $0.status != 200 })")
            #expect(Set(answers.map(\.body)).count == 16)
        }
        #expect(try CertificateStore(test.directory).currentChain().id == test.shop.signingChain.id)
        #expect(test.log.errors.isEmpty, "\(test.log.errors)")
    }

    @Test("A key rotation that cannot be written returns an error, and a damaged account returns the reason")
    func causes() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try FileManager.default.removeItem(atPath: test.directory.rootKey)
        let path = "/v1/apps/com.example.shop/sandbox/customers/ann/purchases"
        try await withControl(test) { client in
            let answer = try await send(client, .post, "/v1/ca/rotate", "{}")
            #expect(answer.status == 503 && answer.body.contains("not_rotated"))
            #expect(answer.body.contains("root.key cannot be read"), "\(answer.body)")
            let bought = try await send(client, .post, path, #"{"productId":"coins"}"#)
            #expect(bought.status == 201)
            var account = try #require(try await test.sandbox.account(of: "ann"))
            account.family = FamilyMembership(
                name: "Family",
                organizer: account.id,
                members: [account.id, AccountID(7)]
            )
            let version = account.version
            account.version += 1
            let change = Change(accounts: [AccountChange(account: account, before: version)])
            for result in await test.shop.storage.commit([change]) { try result.get() }
            let refused = try await send(client, .post, path, #"{"productId":"coins"}"#)
            #expect(refused.status == 500 && refused.body.contains("damaged_account"), "\(refused.body)")
            #expect(refused.body.contains("names account 7, which does not exist"))
        }
    }

    @Test("A refusal by the rules has a code, a message and a matching status")
    func refusals() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withControl(test) { client in
            let scope = "/v1/apps/com.example.shop/sandbox"
            let cases: [(String, String, Int, String)] = [
                ("\(scope)/customers/ann/purchases", #"{"productId":"nothing"}"#, 404, "unknown_product"),
                ("\(scope)/transactions/2000000000001024/refund", "{}", 404, "unknown_transaction"),
                ("/v1/apps/com.unknown/sandbox/customers", #"{"customer":"a"}"#, 404, "unknown_app"),
                ("/v1/apps/com.example.shop/moon/customers", #"{"customer":"a"}"#, 404, "unknown_environment"),
                ("/v1/apps", #"{"bundleId":"com.example.shop"}"#, 409, "app_exists"),
                ("/v1/apps", #"{"bundleId":"with space"}"#, 400, "bad_bundle_id"),
                ("/v1/apps", #"{"bundleId":".."}"#, 400, "bad_bundle_id"),
                ("/v1/apps", #"{"bundleId":"."}"#, 400, "bad_bundle_id"),
                ("/v1/apps", #"{"bundleId":"-com.example"}"#, 400, "bad_bundle_id"),
            ]
            for (path, body, status, code) in cases {
                let answer = try await send(client, .post, path, body)
                #expect(answer.status == status, "\(path)")
                #expect(answer.body.contains("\"code\":\"\(code)\""), "\(path): \(answer.body)")
            }
            let unknown = try await send(client, .delete, "/v1/keys/UNKNOWN")
            #expect(unknown.status == 404 && unknown.body.contains("\"code\":\"unknown_key\""))
        }
    }

    @Test("Revoking a key that two apps share requires the app")
    func sharedKey() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let apps = ["com.example.one", "com.example.two"]
        for app in apps {
            let record = KeyRecord(
                id: "8C3D5E71",
                issuerID: test.app.issuerID,
                name: "offers",
                publicKey: Base64.encode(test.key.publicKey.x963),
                offersOf: app,
                createdAt: test.now,
                revokedAt: nil
            )
            try await test.shop.registry.put(record)
        }
        try await withControl(test) { client in
            let path = "/v1/keys/8C3D5E71"
            let ambiguous = try await send(client, .delete, path)
            #expect(ambiguous.status == 409 && ambiguous.body.contains("\"ambiguous_key\""))
            for app in apps { #expect(ambiguous.body.contains(app)) }
            let unknown = try await send(client, .delete, "\(path)?bundleId=com.example.three")
            #expect(unknown.status == 404 && unknown.body.contains("com.example.three"))
            let revoked = try await send(client, .delete, "\(path)?bundleId=com.example.two")
            #expect(revoked.status == 200 && revoked.body.contains("\"offersOf\":\"com.example.two\""))
        }
        #expect(test.shop.registry.keys("8C3D5E71").map { $0.record.revokedAt == nil } == [true, false])
        try await withControl(test) { client in
            // A team's App Store Connect API key needs no app.
            let revoked = try await send(client, .delete, "/v1/keys/\(test.key.keyID)")
            #expect(revoked.status == 200)
        }
    }

    @Test("An environment with missingPrice refuse refuses purchases without a price; other environments accept them")
    func missingPrice() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withControl(test) { client in
            let scope = "/v1/apps/com.example.shop/sandbox"
            let purchase = #"{"productId":"coins","storefront":"JPN"}"#
            let before = try await send(client, .post, "\(scope)/customers/ann/purchases", purchase)
            #expect(before.status == 201 && before.body.contains("\"price\":990,\"currency\":\"JPY\""))
            let rules = try await send(client, .put, "\(scope)/settings", #"{"missingPrice":"refuse"}"#)
            #expect(rules.status == 200 && rules.body.contains("\"missingPrice\":\"refuse\""))
            let refused = try await send(client, .post, "\(scope)/customers/bob/purchases", purchase)
            #expect(refused.status == 409 && refused.body.contains("\"no_price\""), "\(refused.body)")
            #expect(refused.body.contains("coins") && refused.body.contains("JPN"))
            let priced = #"{"productId":"coins","storefront":"JPN","price":120000}"#
            let sold = try await send(client, .post, "\(scope)/customers/bob/purchases", priced)
            #expect(sold.status == 201 && sold.body.contains("\"price\":120000,\"currency\":\"JPY\""))
            let other = "/v1/apps/com.example.shop/production"
            let elsewhere = try await send(client, .post, "\(other)/customers/ann/purchases", purchase)
            #expect(elsewhere.status == 201)
            let shown = try await send(client, .get, "\(other)/settings")
            #expect(shown.body.contains("\"missingPrice\":\"storefrontCurrency\""))
            let wrong = try await send(client, .put, "\(scope)/settings", #"{"missingPrice":"free"}"#)
            #expect(wrong.status == 400 && wrong.body.contains("\"path\":\"$.missingPrice\""))
        }
    }

    @Test("A byte order mark before a name matches no other customer, and a new name with one is refused")
    func byteOrderMarks() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withControl(test) { client in
            let customers = "/v1/apps/com.example.shop/sandbox/customers"
            let made = try await send(client, .post, customers, #"{"customer":"zoe"}"#)
            #expect(made.status == 201)
            let plain = try await send(client, .get, "\(customers)/zoe")
            #expect(plain.status == 200)
            let marked = try await send(client, .get, "\(customers)/%EF%BB%BFzoe")
            #expect(marked.status == 404)
            let erased = try await send(client, .delete, "\(customers)/%EF%BB%BFzoe")
            #expect(erased.status == 404)
            for (path, body) in [
                (customers, "{\"customer\":\"\u{FEFF}zoe\"}"),
                ("\(customers)/%EF%BB%BFzoe/purchases", #"{"productId":"coins"}"#),
            ] {
                let refused = try await send(client, .post, path, body)
                #expect(refused.status == 400)
                #expect(refused.body.contains("bad_customer"), "\(refused.body)")
            }
        }
    }

    @Test("Percent-encoding is decoded and encoded byte by byte")
    func percentEncoding() {
        #expect("%EF%BB%BFa%2fb%c3%a9+".percentDecoded == "\u{FEFF}a/b\u{e9}+")
        #expect(PercentEncoding.decoded("a+b%2B", plusIsSpace: true) == "a b+")
        #expect(PercentEncoding.encoded("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encoded("a/b +%\0é") == "a%2Fb%20%2B%25%00%C3%A9")
        for broken in ["%", "%1", "%g1", "%1g", "%FF", "%C3", "a%00", "%+1"] {
            #expect(broken.percentDecoded == nil, "\(broken)")
        }
    }

    @Test("A request with another origin, host or content type is refused")
    func origins() async throws {
        let test = try await TestShop()
        try await withControl(test) { client in
            var headers: HTTPFields = [.contentType: "text/plain", .contentLength: "2"]
            let answer1 = try await send(client, .post, "/v1/teams", "{}", headers: headers)
            #expect(answer1.status == 415)
            headers = [.contentType: "application/json", .origin: "http://evil.example"]
            let answer2 = try await send(client, .post, "/v1/teams", "{}", headers: headers)
            #expect(answer2.status == 403)
            for origin in [
                "http://localhost:9999", "http://till.internal:8890", "null", "localhost", "file://localhost",
            ] {
                headers = [.contentType: "application/json", .origin: origin]
                let answer = try await send(client, .get, "/v1/teams", headers: headers)
                #expect(answer.status == 403, "\(origin)")
            }
            for origin in ["http://localhost", "https://localhost", "http://LOCALHOST"] {
                let answer = try await send(client, .get, "/v1/teams", headers: [.origin: origin])
                #expect(answer.status == 200, "\(origin)")
            }
        }
    }

    @Test("A browser request needs a content type that only pages of this origin can send, even without a body")
    func browserContentTypes() async throws {
        let test = try await TestShop()
        try await withControl(test) { client in
            let path = "/v1/apps/com.example.shop/reset"
            for type in [nil, "text/plain", "application/x-www-form-urlencoded"] as [String?] {
                var headers: HTTPFields = [.origin: "http://localhost"]
                headers[.contentType] = type
                let answer = try await send(client, .post, path, headers: headers)
                #expect(answer.status == 415, "\(type ?? "none")")
            }
            let typed: HTTPFields = [.origin: "http://localhost", .contentType: "application/json"]
            let page = try await send(client, .post, path, headers: typed)
            let program = try await send(client, .post, path, headers: [:])
            #expect(page.status != 415 && page.status != 403)
            #expect(program.status == page.status)
        }
    }

    @Test("A page of another site can link to the server's pages, but cannot read anything")
    func sites() async throws {
        let test = try await TestShop()
        try await withControl(test) { client in
            let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
            let mode = try #require(HTTPField.Name("Sec-Fetch-Mode"))
            let listen = "/v1/apps/com.example.shop/sandbox/listen"
            for (path, how) in [("/v1/teams", "no-cors"), ("/v1/teams", "navigate"), (listen, "no-cors")] {
                for from in ["cross-site", "same-site"] {
                    let answer = try await send(client, .get, path, headers: [site: from, mode: how])
                    #expect(answer.status == 403, "\(path) \(from) \(how)")
                }
                if path != listen {
                    let own = try await send(client, .get, path, headers: [site: "same-origin", mode: how])
                    #expect(own.status == 200)
                }
            }
            let page = try await send(client, .get, "/console/", headers: [site: "cross-site", mode: "navigate"])
            #expect(page.status != 403)
            let picture = try await send(client, .get, "/console/", headers: [site: "cross-site", mode: "no-cors"])
            #expect(picture.status == 403)
        }
    }

    @Test("When control API tokens are required, only a token gives access")
    func tokens() async throws {
        let test = try await TestShop()
        try await withControl(test, token: "secret") { client in
            for wrong in [nil, "Bearer secre", "Bearer secret2", "secret", "Basic secret"] as [String?] {
                var headers = HTTPFields()
                if let wrong { headers[.authorization] = wrong }
                let answer = try await send(client, .get, "/v1/status", headers: headers)
                #expect(answer.status == 401)
            }
            let answer = try await send(client, .get, "/v1/status", headers: [.authorization: "Bearer secret"])
            #expect(answer.status == 200)
            #expect(answer.body.contains(#""ports":{"production":1,"sandbox":2,"control":3}"#))
        }
    }

    @Test("The OpenAPI document is JSON and has one operation id for each verb")
    func document() async throws {
        let test = try await TestShop()
        try await withControl(test) { client in
            let answer = try await send(client, .get, "/openapi.json")
            #expect(answer.status == 200)
            let document = try JSONTree.parse(Array(answer.body.utf8))
            let operations = (document["paths"]?.members ?? []).flatMap { $0.value.members.map(\.value) }
            let ids = operations.compactMap { $0["operationId"]?.text }
            #expect(ids.count > 90 && ids.count == operations.count)
            #expect(Set(ids).count == ids.count)
        }
    }

    @Test("Metrics count answers by environment, route and status")
    func metrics() async throws {
        let test = try await TestShop()
        try await withControl(test) { client in
            _ = try await send(client, .get, "/v1/teams")
            _ = try await send(client, .get, "/v1/nothing")
            let text = try await send(client, .get, "/metrics").body
            #expect(text.contains(#"till_requests_total{environment="control",route="/v1/teams",status="200"} 1"#))
            #expect(text.contains(#"status="404"} 1"#))
        }
    }
}
