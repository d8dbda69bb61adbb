import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import Testing
import TillControl
import TillServer
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillConsole

/// Access to pages, and CSRF protection of forms.
@Suite("Sign-in and CSRF protection")
struct SafetyTests {
    @Test("A form with a missing or wrong CSRF token or from another origin does nothing")
    func proofs() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let page = try await visitor.get("/console/")
            let proof = try #require(page.field("_proof", in: "createApp"))
            let fields = [("bundleId", "com.example.other")]
            let without = try await visitor.post("/console/actions/createApp", fields)
            #expect(without.status == 403)
            let wrong = try await visitor.post("/console/actions/createApp", fields + [("_proof", proof + "x")])
            #expect(wrong.status == 403)
            let origin: HTTPFields = [.origin: "http://localhost:9999"]
            let foreign = try await visitor.post(
                "/console/actions/createApp",
                fields + [("_proof", proof)],
                headers: origin
            )
            #expect(foreign.status == 403)
            await visitor.forget()
            let stolen = try await visitor.post("/console/actions/createApp", fields + [("_proof", proof)])
            #expect(stolen.status == 403)
            #expect(test.shop.registry.app("com.example.other") == nil)
        }
    }

    @Test("Read-only and unknown operations are not actions")
    func actions() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let proof = try #require(try await visitor.get("/console/").field("_proof", in: "createApp"))
            for operation in ["getStatus", "nothing", "exportState", "createApp/more"] {
                let answer = try await visitor.post("/console/actions/\(operation)", [("_proof", proof)])
                #expect(answer.status == 404, "\(operation)")
            }
            let seen = try await visitor.get("/console/actions/createApp")
            #expect(seen.status == 303)
        }
    }

    @Test("Only the console accepts forms")
    func formsElsewhere() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let answer = try await visitor.post(
                "/v1/apps",
                [("bundleId", "com.example.other")],
                headers: [
                    .contentLength: "26"
                ]
            )
            #expect(answer.status == 415)
        }
    }

    @Test("If the control API requires a token, pages require a sign-in, which is valid for twelve hours")
    func signIn() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test, token: "the administrator's")
        try await site.visit { visitor in
            let sent = try await visitor.get("/console/apps/com.example.shop/sandbox/?a=b")
            #expect(sent.status == 303)
            let door = try #require(sent.headers[.location])
            #expect(door.hasPrefix("/console/sign-in?next=%2Fconsole%2Fapps"))
            let page = try await visitor.get(door)
            #expect(page.status == 200)
            #expect(!page.text.contains("com.example.shop</bdi>"))
            let live = try await visitor.get("/console/live?page=/console/")
            #expect(live.status == 401)
            let proof = try #require(Self.proof(in: page.text))
            let wrong = try await visitor.post("/console/sign-in", [("token", "guess"), ("_proof", proof)])
            #expect(wrong.status == 403)
            #expect(!wrong.text.contains("guess"))
            let right = try await visitor.post(
                "/console/sign-in",
                [("token", "the administrator's"), ("_proof", proof), ("next", "/console/")]
            )
            #expect(right.status == 303)
            let cookie = try #require(right.headers[.setCookie])
            for word in ["HttpOnly", "SameSite=Strict", "Path=/console", "Max-Age=43200"] {
                #expect(cookie.contains(word))
            }
            let inside = try await visitor.get("/console/")
            #expect(inside.status == 200)
            let control = try await visitor.get("/v1/status")
            #expect(control.status == 401)
            test.advance(13 * 3_600_000)
            let late = try await visitor.get("/console/")
            #expect(late.status == 303)
        }
    }

    @Test("A named token is valid for sign-in until it is revoked")
    func named() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test, token: "the administrator's")
        let (_, secret) = try await test.shop.tokens.create("ann", scope: .administer)
        try await site.visit { visitor in
            let page = try await visitor.get("/console/sign-in")
            let proof = try #require(Self.proof(in: page.text))
            _ = try await visitor.post("/console/sign-in", [("token", secret.exposed), ("_proof", proof)])
            let inside = try await visitor.get("/console/")
            #expect(inside.status == 200)
            try await test.shop.tokens.revoke("ann")
            let outside = try await visitor.get("/console/")
            #expect(outside.status == 303)
        }
    }

    @Test("A token opens the pages that its scope permits, and changes nothing else")
    func scopes() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test, token: "the administrator's")
        for scope in [ControlScope.metrics, .read, .operate, .administer] {
            let (_, secret) = try await test.shop.tokens.create(scope.rawValue, scope: scope)
            try await site.visit { visitor in
                let signedIn = try await Self.signIn(visitor, secret.exposed)
                #expect(signedIn.status == (scope == .metrics ? 403 : 303), "\(scope)")
                guard scope != .metrics else { return }
                let overview = try await visitor.get("/console/")
                #expect(overview.status == 200 && overview.text.contains(TestShop.bundleID), "\(scope)")
                let audit = try await visitor.get("/console/audit")
                #expect(audit.status == (scope == .administer ? 200 : 403), "\(scope)")
                let bundleID = "com.example.\(scope.rawValue)"
                let proof = try #require(Self.proof(in: overview.text))
                _ = try await visitor.post("/console/actions/createApp", [("_proof", proof), ("bundleId", bundleID)])
                #expect((test.shop.registry.app(bundleID) != nil) == (scope >= .operate), "\(scope)")
            }
        }
        let calls = try await test.shop.storage.auditRecords(AuditQuery(limit: 50)).map(\.record)
        #expect(
            calls.contains { $0.caller == "read" && $0.operation == "createApp" && $0.code == "insufficient_scope" }
        )
        #expect(calls.contains { $0.caller == "operate" && $0.operation == "createApp" && $0.code == nil })
        #expect(calls.contains { $0.caller == "operate" && $0.operation == "listAuditRecords" && $0.status == 403 })
    }

    @Test("A token for one app cannot sign in")
    func tokenOfApp() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test, token: "the administrator's")
        let (_, secret) = try await test.shop.tokens.create("own", scope: .operate, app: TestShop.bundleID)
        try await site.visit { visitor in
            let refused = try await Self.signIn(visitor, secret.exposed)
            #expect(refused.status == 403 && refused.text.contains("permits only operations on the app"))
            let outside = try await visitor.get("/console/")
            #expect(outside.status == 303)
        }
    }

    private static func signIn(_ visitor: Visitor, _ token: String) async throws -> Answer {
        let page = try await visitor.get("/console/sign-in")
        let proof = try #require(Self.proof(in: page.text))
        return try await visitor.post("/console/sign-in", [("token", token), ("_proof", proof)])
    }

    @Test("A signed-out session is invalid, and other sessions stay valid")
    func signedOut() async throws {
        let site = try TestConsole(try await TestShop(), token: "the administrator's")
        let sessions = site.console.sessions
        let first = try #require(try await sessions.begin(with: "the administrator's"))
        let second = try #require(try await sessions.begin(with: "the administrator's"))
        try await site.visit { visitor in
            await visitor.have(first.cookie)
            let proof = sessions.proof(for: Session(cookie: first.cookie))
            let out = try await visitor.post("/console/sign-out", [("_proof", proof)])
            #expect(out.status == 303)
            for (cookie, status) in [(first.cookie, 303), (second.cookie, 200)] {
                await visitor.have(cookie)
                let page = try await visitor.get("/console/")
                #expect(page.status == status)
            }
        }
    }

    @Test("The sign-in throttles wrong tokens as the control API does, but not right tokens")
    func guesses() async throws {
        let waits = Mutex<[Duration]>([])
        let start = ContinuousClock().now
        let wrong = FailedTokenLimiter(now: { start }, sleep: { wait in waits.withLock { $0.append(wait) } })
        let site = try TestConsole(try await TestShop(), token: "the administrator's", failedTokens: wrong)
        try await site.visit { visitor in
            let page = try await visitor.get("/console/sign-in")
            let proof = try #require(Self.proof(in: page.text))
            for _ in 0..<FailedTokenLimiter.perAddress.burst {
                let refused = try await visitor.post("/console/sign-in", [("token", "guess"), ("_proof", proof)])
                #expect(refused.status == 403)
            }
            #expect(waits.withLock { $0.isEmpty })
            _ = try await visitor.post("/console/sign-in", [("token", "guess"), ("_proof", proof)])
            #expect(waits.withLock { $0 } == [.seconds(1)])
            let operation = try await visitor.get("/v1/apps", headers: [.authorization: "Bearer guess"])
            #expect(operation.status == 401)
            #expect(waits.withLock { $0 } == [.seconds(1), .seconds(2)])
            // Requests without a token or with a right token are not throttled.
            let none = try await visitor.get("/v1/apps", headers: [:])
            #expect(none.status == 401)
            let right = try await visitor.get("/v1/apps", headers: [.authorization: "Bearer the administrator's"])
            #expect(right.status == 200)
            let form = [("token", "the administrator's"), ("_proof", proof)]
            let signedIn = try await visitor.post("/console/sign-in", form)
            #expect(signedIn.status == 303)
            #expect(waits.withLock { $0.count } == 2)
        }
    }

    @Test("A file name has only safe characters")
    func fileNames() {
        let answer = Downloads.file("../a\"b\r\nc;é.till", "text/plain", .init())
        #expect(answer.headers[.contentDisposition] == "attachment; filename=\"..abc.till\"")
    }

    @Test("A form that is sent five times runs once and shows the same result each time")
    func doubleClicks() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let page = try await visitor.get("/console/keys")
            let fields = ["_proof", "_once", "_back", "_form"].map { ($0, page.field($0, in: "createKey") ?? "") }
            #expect(fields.allSatisfy { !$0.1.isEmpty })
            let before = test.shop.registry.keys.count
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<5 {
                    group.addTask { try await visitor.post("/console/actions/createKey", fields + [("name", "Twice")]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.text.contains("BEGIN PRIVATE KEY") })
            #expect(test.shop.registry.keys.count == before + 1)
            // A form with other values or from another rendering is a new form.
            _ = try await visitor.post("/console/actions/createKey", fields + [("name", "Thrice")])
            #expect(test.shop.registry.keys.count == before + 2)
            let again = try #require(answers[0].field("_once", in: "createKey"))
            let anew = fields.map { $0.0 == "_once" ? ("_once", again) : $0 }
            _ = try await visitor.post("/console/actions/createKey", anew + [("name", "Twice")])
            #expect(test.shop.registry.keys.count == before + 3)
        }
    }

    @Test("A session cannot be forged", arguments: ["", "9999999999999.a..b", "9999999999999...", "...."])
    func forged(cookie: String) async throws {
        let site = try TestConsole(try await TestShop(), token: "the administrator's")
        let isValid = try await site.console.sessions.isValid(cookie)
        #expect(!isValid)
    }

    private static func proof(in page: String) -> String? {
        page.range(of: "name=\"_proof\" value=\"").map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}
