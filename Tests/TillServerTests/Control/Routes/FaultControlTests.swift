import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillTestSupport

/// Checks which calls a fault rule affects, and how. What bad connections do to a client, and how faults change
/// deliveries, is tested with clients and receivers on sockets in Tests/Python/control/test_faults.py.
@Suite("Fault rules, through the control API")
struct FaultControlTests {
    private static let info = "/inApps/v1/transactions/"

    /// Runs a test in each environment, with one transaction of ann.
    private static func run(
        _ body: @escaping @Sendable (TypedControl, AppEnvironment, String) async throws -> Void
    ) async throws {
        for environment in StoreEnvironment.allCases {
            try await TypedControl.run { control in
                let app = AppEnvironment(TestShop.bundleID, environment)
                try await body(control, app, try await control.buy("coins", by: "ann", in: app).transactionId)
            }
        }
    }

    private static func hits(_ control: TypedControl) async throws -> [Int] {
        try await control.send(ListFaults()).map(\.struck)
    }

    @Test("An error may have a Retry-After header, and the request log names the fault")
    func retryAfter() async throws {
        try await Self.run { control, app, id in
            _ = try await control.send(AddFault(kind: .error, bundleId: app.bundleId, code: 4_290_000, retryAfter: 7))
            let answer = try await control.apple(.get, Self.info + id, in: app.environment)
            #expect(answer.status == 429)
            #expect(HTTPField.Name("Retry-After").flatMap { answer.headers[$0] } == "7")
            let entry = try await control.send(ExplainRequest(requestId: answer.requestID))
            #expect(entry.errorCode == 4_290_000 && entry.explanation.contains("Fault f"))
        }
    }

    @Test("A fault may be a bare status or a 401")
    func statuses() async throws {
        try await Self.run { control, app, id in
            let rule = try await control.send(AddFault(kind: .status, bundleId: app.bundleId, code: 503))
            let bare = try await control.apple(.get, Self.info + id, in: app.environment)
            #expect(bare.status == 503 && bare.body.isEmpty)
            _ = try await control.send(RemoveFaults(faultId: rule.id))
            _ = try await control.send(AddFault(kind: .unauthorized, bundleId: app.bundleId))
            let refused = try await control.apple(.get, Self.info + id, in: app.environment)
            #expect(refused.status == 401 && refused.body.hasPrefix("Unauthenticated\n\nRequest ID: "))
        }
    }

    @Test("A rule keeps its count when the data of another app is replaced")
    func otherApp() async throws {
        try await Self.run { control, app, id in
            _ = try await control.send(AddFault(kind: .status, bundleId: app.bundleId, limit: 1, code: 503))
            #expect(try await control.apple(.get, Self.info + id, in: app.environment).status == 503)
            _ = try await control.send(CreateApp(bundleId: "com.example.other"))
            _ = try await control.send(Reset(bundleId: "com.example.other"))
            #expect(try await control.apple(.get, Self.info + id, in: app.environment).status == 200)
            #expect(try await Self.hits(control) == [1])
        }
    }

    @Test("A rule applies only to the customer and the route that it names, in both environments")
    func scope() async throws {
        try await Self.run { control, app, id in
            let others = try await control.buy("coins", by: "bob", in: app).transactionId
            _ = try await control.send(
                AddFault(
                    kind: .error,
                    bundleId: app.bundleId,
                    route: "getTransactionInfo",
                    customer: "ann",
                    code: 5_000_001
                )
            )
            #expect(try await control.apple(.get, Self.info + id, in: app.environment).status == 500)
            #expect(try await control.apple(.get, Self.info + others, in: app.environment).status == 200)
            #expect(try await control.apple(.get, "/inApps/v2/history/\(id)", in: app.environment).status == 200)
            let other = AppEnvironment(app.bundleId, app.environment == .sandbox ? .production : .sandbox)
            let elsewhere = try await control.buy("coins", by: "ann", in: other).transactionId
            #expect(try await control.apple(.get, Self.info + elsewhere, in: other.environment).status == 500)
            #expect(try await Self.hits(control) == [2])
        }
    }

    @Test("A share of the calls is random, and repeatable by its seed")
    func share() async throws {
        try await Self.run { control, app, id in
            var runs: [[Int]] = []
            for _ in 1...2 {
                let rule = try await control.send(
                    AddFault(kind: .status, bundleId: app.bundleId, percent: 30, code: 500, seed: 4_711)
                )
                var found: [Int] = []
                for _ in 0..<60 {
                    found.append(try await control.apple(.get, Self.info + id, in: app.environment).status)
                }
                runs.append(found)
                _ = try await control.send(RemoveFaults(faultId: rule.id))
            }
            #expect(runs[0] == runs[1] && (6...32).contains(runs[0].count { $0 == 500 }), "\(runs)")
        }
    }

    @Test("A rule ends at its time")
    func until() async throws {
        try await Self.run { control, app, id in
            let end = control.test.now.advanced(milliseconds: 1_500)
            _ = try await control.send(AddFault(kind: .status, bundleId: app.bundleId, until: end, code: 500))
            #expect(try await control.apple(.get, Self.info + id, in: app.environment).status == 500)
            control.test.advance(1_501)
            #expect(try await control.apple(.get, Self.info + id, in: app.environment).status == 200)
        }
    }

    @Test("Recent purchases are hidden by stale reads, and found later with the revision that hid them")
    func staleReads() async throws {
        try await Self.run { control, app, _ in
            func history(_ id: String, _ revision: String? = nil) async throws -> TypedControl.Answer {
                let query = revision.map { "?revision=\($0)" } ?? ""
                return try await control.apple(.get, "/inApps/v2/history/\(id)\(query)", in: app.environment)
            }
            func expectHidden(_ answer: TypedControl.Answer) {
                #expect(answer.signedTransactions.isEmpty && answer.json["hasMore"] == .bool(false), "\(answer)")
            }
            let first = try await control.buy("basic", by: "eve", in: app, offer: .noOffer).transactionId
            let page = try await history(first)
            let rule = try await control.send(
                AddFault(kind: .staleReads, bundleId: app.bundleId, milliseconds: 600_000)
            )
            let second = try await control.buy("coins", by: "eve", in: app).transactionId
            let refused = try await control.apple(.get, Self.info + second, in: app.environment)
            #expect(refused.status == 404 && refused.errorCode == 4_040_010)
            // The customer bought both transactions within the staleness window, so the history shows neither.
            expectHidden(try await history(first))
            _ = try await control.send(RemoveFaults(faultId: rule.id))
            let more = try await history(first, page.json["revision"]?.text)
            #expect(more.signedTransactions.count == 1)
            _ = try await control.send(AddFault(kind: .staleReads, bundleId: app.bundleId, milliseconds: 6_000))
            let third = try await control.buy("coins", by: "eve", in: app).transactionId
            let gap = try await history(second, more.json["revision"]?.text)
            expectHidden(gap)
            control.test.advance(6_001)
            #expect(try await control.apple(.get, Self.info + third, in: app.environment).status == 200)
            let late = try await history(third, gap.json["revision"]?.text)
            #expect(late.signedTransactions.count == 1, "not found after the window has passed")
        }
    }

    @Test("After the calls of an hour, a rate limit answers 429 with the start of the next hour")
    func rateLimit() async throws {
        try await Self.run { control, app, id in
            _ = try await control.send(
                AddFault(kind: .rateLimit, bundleId: app.bundleId, route: "getTransactionInfo", perHour: 3)
            )
            var answers: [TypedControl.Answer] = []
            for _ in 1...5 { answers.append(try await control.apple(.get, Self.info + id, in: app.environment)) }
            #expect(answers.map(\.status) == [200, 200, 200, 429, 429])
            let limited = try #require(answers.last)
            #expect(limited.body == #"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#)
            let text = HTTPField.Name("Retry-After").flatMap { limited.headers[$0] }
            let next = try #require(text.flatMap(Int64.init))
            let wait = next - control.test.now.milliseconds
            #expect(0 < wait && wait <= 3_600_000 && next.isMultiple(of: 3_600_000))
        }
    }

    @Test("verifyReceipt answers with each status on demand, one rule after the other")
    func receiptStatus() async throws {
        try await Self.run { control, app, _ in
            let bundleId = app.bundleId
            let receipt = try await control.send(GetReceipt(app: app, customer: "ann")).receipt
            func verify() async throws -> TypedControl.Answer {
                try await control.apple(
                    .post,
                    "/verifyReceipt",
                    #"{"receipt-data":"\#(receipt)"}"#,
                    in: app.environment
                )
            }
            func statuses(_ count: Int) async throws -> [Int64?] {
                var found: [Int64?] = []
                for _ in 0..<count { found.append(try await verify().json["status"]?.number) }
                return found
            }
            let retryable: [Int: Bool] = [21_010: false, 21_100: true, 21_150: true, 21_199: true]
            let codes = Array(21_000..<21_010) + retryable.keys.sorted()
            for code in codes {
                _ = try await control.send(AddFault(kind: .receiptStatus, bundleId: bundleId, limit: 1, code: code))
            }
            for code in codes + [0] {
                let answer = try await verify().json
                #expect(answer["status"]?.number == Int64(code))
                #expect(answer["is_retryable"] == retryable[code].map { .bool($0) }, "\(code)")
            }
            _ = try await control.send(
                AddFault(kind: .receiptStatus, bundleId: bundleId, route: "verifyReceipt", limit: 1, code: 21_104)
            )
            let environment = app.environment == .sandbox ? "Sandbox" : "Production"
            #expect(
                Set(try await verify().json.members.map { "\($0.key) \($0.value.text ?? "")" })
                    == ["status 21104", "environment \(environment)", "is_retryable true"]
            )
            #expect(try await statuses(1) == [0])
            // Rules apply one after the other: a call that one rule has answered does not use up the next rule.
            _ = try await control.send(AddFault(kind: .receiptStatus, bundleId: bundleId, limit: 2, code: 21_005))
            _ = try await control.send(AddFault(kind: .receiptStatus, bundleId: bundleId, limit: 1, code: 21_199))
            #expect(try await statuses(4) == [21_005, 21_005, 21_199, 0])
            // A rule that cannot apply to the route of a call is not used up by that call.
            _ = try await control.send(AddFault(kind: .error, bundleId: bundleId, limit: 1, code: 5_000_001))
            for customer in ["unknown", "ann"] {
                let rule = AddFault(kind: .status, bundleId: bundleId, customer: customer, limit: 1, code: 503)
                _ = try await control.send(rule)
            }
            let answers = [try await verify(), try await verify()]
            #expect(answers.map(\.status) == [503, 200] && answers[0].body.isEmpty)
            #expect(try await Self.hits(control).suffix(3) == [0, 0, 1])
        }
    }

    @Test("Production rejects an app before its release")
    func release() async throws {
        try await Self.run { control, app, id in
            let isProduction = app.environment == .production
            #expect(try await control.send(UpdateSettings(app: app, released: false)).released == false)
            let answer = try await control.apple(.get, Self.info + id, in: app.environment)
            #expect(answer.status == (isProduction ? 401 : 200))
            if isProduction {
                let entry = try await control.send(ExplainRequest(requestId: answer.requestID))
                #expect(entry.explanation.contains("not released"))
            }
            #expect(try await control.send(UpdateSettings(app: app, released: true)).released)
            #expect(try await control.apple(.get, Self.info + id, in: app.environment).status == 200)
        }
    }

    @Test(
        "An invalid rule is rejected",
        arguments: [
            (#""kind":"error""#, "bad_code"), (#""kind":"error","code":4999999"#, "bad_code"),
            (#""kind":"status","code":404"#, "bad_code"), (#""kind":"receiptStatus","code":500"#, "bad_code"),
            (#""kind":"error","code":5000001,"route":"verifyReceipt""#, "bad_route"),
            (#""kind":"receiptStatus","code":21005,"route":"getTransactionInfo""#, "bad_route"),
            (#""kind":"latency""#, "bad_fault"), (#""kind":"cut","route":"nothing""#, "bad_route"),
            (#""kind":"drop","route":"getTransactionInfo""#, "bad_route"),
            (#""kind":"drop","customer":"ann""#, "bad_fault"),
            (#""kind":"cut","bundleId":"com.example.unknown""#, "unknown_app"), (#""kind":"sleep""#, "bad_request"),
        ]
    )
    func invalid(_ members: String, _ code: String) async throws {
        try await TypedControl.run { control in
            let answer = try await control.ask(.post, "/v1/faults", "{\(members)}")
            #expect(answer.code == code && answer.message.hasSuffix("."), "\(answer)")
        }
    }
}
