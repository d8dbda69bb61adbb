import Foundation
import Testing
import TillCore
import TillJSON
import TillServer
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillConsole

/// The decoder accepts many formats and trusts only valid signatures.
@Suite("The decoder")
struct DecoderTests {
    private let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    /// The first notification of a shop in which ann bought.
    private func notification(_ test: TestShop) async throws -> String {
        try await test.buy(Product.pro.id, by: "ann")
        let entry = try #require(try await test.shop.storage.notifications(NotificationQuery(scope: scope)).first)
        return try await test.signedPayload(entry)
    }

    private func parts(_ text: String, _ test: TestShop) async -> [DecodedPart] {
        await TextDecoding.parts(of: text, test.shop).parts
    }

    @Test("A notification is decoded into three nested signed parts in every format")
    func layers() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let signed = try await notification(test)
        let body = "{\"signedPayload\":\"\(signed)\"}"
        let broken = stride(from: 0, to: signed.utf8.count, by: 76).map { signed.dropFirst($0).prefix(76) }
        let forms = [signed, "  \(signed)\r\n", "\"\(signed)\"", broken.joined(separator: "\r\n")]
        for text in forms {
            let parts = await parts(text, test)
            #expect(parts.map(\.kind) == [.notification, .transaction, .renewalInfo])
            #expect(parts.map(\.place) == [nil, "$.data.signedTransactionInfo", "$.data.signedRenewalInfo"])
            #expect(parts.allSatisfy { $0.verdict?.signer == .thisTill && $0.certificates.count == 3 })
        }
        let whole = await parts(body, test)
        #expect(whole.map(\.kind) == [.json, .notification, .transaction, .renewalInfo])
        #expect(whole.map(\.depth) == [0, 1, 2, 2])
        let list = await parts("{\"signedTransactions\":[\"\(signed)\",\"\(signed)\"]}", test)
        #expect(list.count == 7)
        #expect(list[4].place == "$.signedTransactions[1]")
    }

    @Test(
        "A truncated token is reported as cut short, and Base64 JSON is not",
        arguments: ["header", "half a header", "two parts"]
    )
    func cut(what: String) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let signed = try await notification(test)
        let header = try #require(signed.split(separator: ".").first)
        let text = ["header": "\(header)", "half a header": "\(signed.prefix(40))"][what] ?? "\(header).eyJ"
        let parts = await parts(text, test)
        #expect(parts.map(\.kind) == [.unknown])
        #expect(parts.first?.fault?.contains("is an incomplete signed token") == true, "\(parts.first?.fault ?? "")")
        let bearer = await self.parts("Authorization: Bearer \(text)", test)
        #expect(what != "two parts" || bearer.first?.fault?.contains("is an incomplete signed token") == true)
        let others = [
            #"{"a":1}"#, "{\"signature\" = \"AAAA\";\n\"purchase-info\" = \"AAAA\";\n}", "{\"a\":1}\n{\"b\":2}",
            #"{"alg":"ES256","kty":"EC","crv":"P-256"}"#, #"{"signedPayload":"eyJ"#,
        ]
        for text in others {
            let found = await self.parts(Data(text.utf8).base64EncodedString(), test)
            #expect(found.allSatisfy { $0.fault?.contains("is an incomplete signed token") != true }, "\(text)")
        }
    }

    @Test("An invalid signed text in a body is reported with its path")
    func unsigned() async throws {
        let found = await parts(#"{"signedPayload":"x.y.z"}"#, try await TestShop())
        #expect(found.map(\.kind) == [.json, .unknown])
        #expect(found.last?.place == "$.signedPayload" && found.last?.fault?.contains("not a signed text") == true)
    }

    @Test("An object with a long key and many values is decoded quickly, and its dates are recognized")
    func longKeys() async throws {
        let test = try await TestShop()
        let key = String(repeating: "k", count: 100_000)
        let dates = (0..<300).map { #"{"expiresDate":\#(1_700_000_000_000 + $0)}"# }.joined(separator: ",")
        let clock = ContinuousClock()
        let began = clock.now
        let parts = await parts(#"{"\#(key)":[\#(dates)]}"#, test)
        let rows = try #require(DecodedWords.parts(parts).first?["facts"]?["rows"])
        #expect(clock.now - began < .seconds(30))
        guard case .list(let list) = rows, case .text(let name)? = list.first?["name"] else { throw Strange() }
        #expect(list.count == 300)
        #expect(name.utf8.count <= 200)
        #expect(list.last?["time"] != .nothing)
    }

    private struct Strange: Error {}

    @Test("The decoder trusts no forgery of the attack pack, and reports why", arguments: Forgery.allCases)
    func forgeries(_ forgery: Forgery) async throws {
        let test = try await TestShop()
        let now = test.now.milliseconds
        let payload = Array("{\"transactionId\":\"1\",\"originalTransactionId\":\"1\",\"signedDate\":\(now)}".utf8)
        let altered = Array("{\"transactionId\":\"2\",\"originalTransactionId\":\"1\",\"signedDate\":\(now)}".utf8)
        let forger = try #require(test.shop.keys.authority.forger(beside: test.shop.signingChain))
        let text = try forger.sign(.init(payload: payload, altered: altered, judged: now...now), forgery)
        let part = try #require(await parts(text, test).first)
        #expect(part.kind == .transaction && part.payload != nil)
        let verdict = try #require(part.verdict)
        #expect(verdict.signer == (forgery == .wrongRoot ? .otherTill : .invalid))
        #expect(forgery == .wrongRoot || !verdict.notes.isEmpty)
    }

    @Test("The decoder recognizes signatures of another Till server and reports a revoked chain")
    func others() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let other = try await TestShop(selling: SampleCatalog.all)
        let foreign = try await notification(other)
        #expect(await parts(foreign, test).allSatisfy { $0.verdict?.signer == .otherTill })
        let own = try await notification(test)
        let leaf = test.shop.keys.authority.certificates.map(\.certificate).filter { $0.part == .leaf }
        try await test.shop.keys.authority.setState(.revoked(at: 0, reason: nil), of: leaf)
        let verdict = try #require(await parts(own, test).first?.verdict)
        #expect(verdict.signer == .thisTill && verdict.notes.first?.contains("revoked") == true)
    }

    @Test("The decoder accepts and rejects bearer tokens as the API does")
    func tokens() async throws {
        let test = try await TestShop()
        let good = try test.token()
        for text in [good, "Bearer \(good)", "curl -H 'Authorization: Bearer \(good)' http://localhost:8889/"] {
            let part = try #require(await parts(text, test).first)
            #expect(part.kind == .token && part.verdict?.signer == .key)
        }
        let late = try test.token(["exp": .number("1")])
        let verdict = try #require(await parts(late, test).first?.verdict)
        #expect(verdict.signer == .invalid && !verdict.notes.isEmpty)
        let unknown = try test.token(key: APIKeyPair.make())
        #expect(await parts(unknown, test).first?.verdict?.signer == .invalid)
        #expect(await parts(good.dropLast(4) + "AAAA", test).first?.verdict?.signer == .invalid)
    }

    @Test("A receipt is decoded from Base64 and from a verifyReceipt body")
    func receipts() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy(Product.pro.id, by: "ann")
        let account = try #require(try await test.sandbox.account(of: "ann"))
        let bytes = try #require(try await test.shop.appReceipt(of: account))
        let text = Base64.encode(bytes)
        let part = try #require(await parts(text, test).first)
        #expect(part.kind == .receipt && part.verdict?.signer == .thisTill && part.certificates.count == 3)
        #expect(part.payload?["inApp"]?.elements.first?["productId"]?.text == Product.pro.id)
        let body = await parts("{\"receipt-data\": \"\(text)\", \"password\": \"x\"}", test)
        #expect(body.map(\.kind) == [.json, .receipt])
        var changed = bytes
        changed[changed.count - 1] ^= 1
        #expect(await parts(Base64.encode(changed), test).first?.verdict?.signer == .invalid)
        let short = await parts(Base64.encode(Array(bytes.prefix(500))), test)
        #expect(short.first?.kind == .unknown && short.first?.fault != nil)
        let other = try await TestShop()
        #expect(await parts(text, other).first?.verdict?.signer == .otherTill)
    }

    @Test("Hostile texts do not exceed the decoder's limits")
    func hostile() async throws {
        let test = try await TestShop()
        func signed(_ payload: String) throws -> String {
            try test.shop.signingChain.signText(Array(payload.utf8)).text
        }
        var nested = try signed("{\"a\":1}")
        for _ in 0..<8 { nested = try signed("{\"a\":\"\(nested)\"}") }
        let deep = await TextDecoding.parts(of: nested, test.shop)
        #expect(deep.isCutShort && deep.parts.count == TextDecoding.deepest + 1)
        let one = try signed("{}")
        let many = "[" + Array(repeating: "\"\(one)\"", count: 100).joined(separator: ",") + "]"
        let wide = await TextDecoding.parts(of: many, test.shop)
        #expect(wide.isCutShort && wide.parts.count == TextDecoding.maxParts)
        let texts = [
            "", " ", "a", "a.b.c", "eyJ.eyJ.eyJ", "eyJ..", "....", "{", "[[[[", String(repeating: "[", count: 100_000),
            String(repeating: "A", count: TextDecoding.maxBytes + 1), "\"\\ud800\"", "{\"a\":\"\\u0000\"}", "\0",
            String(repeating: "\"", count: 1_000), "MIIB",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "e30=", "eyJhbGciOiJub25lIn0.e30.",
            try signed("not JSON"), try signed(String(repeating: "[", count: 5_000)), "{ \"purchase-info\" = \"x\"; }",
            one.replacing(".", with: "..", maxReplacements: 1), try signed("{\"signedDate\":1e300}"),
            try signed("{\"signedDate\":-1,\"exp\":99999999999999999999}"),
        ]
        for text in texts {
            let parts = await parts(text, test)
            #expect(!parts.isEmpty, "\(text.prefix(40))")
            #expect(DecodedWords.parts(parts).count == parts.count)
        }
    }

    @Test("The page requires the CSRF token, escapes the text, and does not store it")
    func page() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let signed = try await notification(test)
        let odd = try test.shop.signingChain.signText(Array("{\"<script>\":\"<img src=x>\"}".utf8)).text
        try await site.visit { visitor in
            let page = try await visitor.get("/console/decoder")
            #expect(page.status == 200 && !page.text.contains("Decoded content"))
            let proof = try #require(page.text.firstMatch(of: /name="_proof" value="([^"]+)"/)?.output.1)
            let without = try await visitor.post("/console/decoder", [("text", signed)])
            #expect(without.status == 403)
            let shown = try await visitor.post("/console/decoder", [("_proof", String(proof)), ("text", signed)])
            #expect(shown.status == 200)
            for text in ["Renewal info", "Signed by: this server", "signedTransactionInfo", "1 Jan 2026, 00:00:00 UTC"]
            {
                #expect(shown.text.contains(text), "\(text)")
            }
            #expect(!shown.text.contains("Optional("))
            let other = try await visitor.post("/console/decoder", [("_proof", String(proof)), ("text", odd)])
            #expect(!other.text.contains("<script>") && !other.text.contains("<img"))
            let long = String(repeating: "A", count: 600_000)
            let refused = try await visitor.post("/console/decoder", [("_proof", String(proof)), ("text", long)])
            #expect(refused.status == 400)
            #expect(try await visitor.post("/console/requests", [("_proof", String(proof))]).status == 404)
            #expect(!(try await visitor.get("/console/decoder").text.contains("eyJ")))
        }
    }
}
