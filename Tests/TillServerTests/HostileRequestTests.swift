import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillTestSupport

/// Sends malformed ids, queries, revisions and bodies to the App Store Server API. Each gets its documented answer.
/// What cannot be a request of this HTTP library is sent by Tests/Python/robustness/test_hostile.py.
@Suite("Hostile requests to the App Store Server API")
struct HostileRequestTests {
    private static let two = "com.example.two", three = "com.example.three"
    private static let tokenBody = #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}"#

    /// A route about a transaction, with its errors for a malformed and for an unknown id.
    private struct Route {
        let method: HTTPRequest.Method
        let path: String
        var malformed = 4_000_006
        var unknown = 4_040_010

        static let all = [
            Route(method: .get, path: "/inApps/v2/history/"), Route(method: .get, path: "/inApps/v1/history/"),
            Route(method: .get, path: "/inApps/v1/transactions/"),
            Route(method: .get, path: "/inApps/v1/transactions/appTransactions/"),
            Route(method: .get, path: "/inApps/v1/subscriptions/"),
            Route(method: .get, path: "/inApps/v2/refund/lookup/"),
            Route(method: .get, path: "/inApps/v1/refund/lookup/", malformed: 4_000_008, unknown: 4_040_005),
            Route(method: .post, path: "/inApps/v1/transactions//finish"),
            Route(method: .put, path: "/inApps/v1/transactions//appAccountToken", unknown: 4_040_005),
        ]

        /// The path with an id.
        func path(_ id: String) -> String {
            path.contains("//") ? path.replacing("//", with: "/\(id)/") : path + id
        }
    }

    /// A server with three apps of two teams, in which ann has bought products in each environment.
    private struct Server: Sendable {
        let control: TypedControl
        let twoKey: String
        let threeToken: String
        let threeIssuer: String
        let threeKey: APIKeyPair

        /// The first transaction of the shop's app in each environment. Its history has more than one page.
        let ids: [StoreEnvironment: String]

        func id(_ environment: StoreEnvironment) -> String { ids[environment] ?? "" }

        func history(_ environment: StoreEnvironment, _ query: String = "") -> String {
            "/inApps/v2/history/\(id(environment))\(query)"
        }

        /// Sends a request that must have one of some statuses, and a well-formed answer.
        @discardableResult
        func ask(
            _ environment: StoreEnvironment,
            _ path: String,
            _ statuses: Set<Int>,
            _ code: Int? = nil,
            method: HTTPRequest.Method = .get,
            body: String? = nil,
            token: String? = nil
        ) async throws -> TypedControl.Answer {
            let answer = try await control.apple(method, path, body, in: environment, token: token)
            HostileRequestTests.expect(
                answer,
                statuses,
                code,
                "\(method) \(path.prefix(200)) \(body?.prefix(80) ?? "")"
            )
            return answer
        }

        func ask(_ route: Route, _ environment: StoreEnvironment, _ id: String, _ status: Int, _ code: Int?)
            async throws
        {
            let body = route.method == .put ? tokenBody : nil
            try await ask(environment, route.path(id), [status], code, method: route.method, body: body)
        }
    }

    /// Checks the status and the code of an answer, and that an error has exactly its two keys.
    private static func expect(_ answer: TypedControl.Answer, _ statuses: Set<Int>, _ code: Int?, _ request: String) {
        #expect(statuses.contains(answer.status), "\(request): \(answer)")
        if let code { #expect(answer.errorCode == code, "\(request): \(answer)") }
        if answer.status == 401 {
            #expect(
                answer.body.hasPrefix("Unauthenticated\n\nRequest ID: ") && answer.headers[.contentType] == "text/plain"
            )
        } else if answer.status >= 400, !answer.body.isEmpty {
            #expect(answer.json.members.map(\.key) == ["errorCode", "errorMessage"], "\(request): \(answer)")
            #expect(answer.headers[.contentType] == "application/json", "\(request)")
            #expect(answer.errorCode.map { $0 / 10_000 } == answer.status, "\(request): \(answer)")
        }
    }

    private static func run(_ body: @escaping @Sendable (Server) async throws -> Void) async throws {
        let test = try await TestShop(selling: SampleCatalog.control)
        try await TypedControl.run(test) { control in
            let issuer = test.app.issuerID
            let other = try await control.send(CreateTeam(name: "Other")).issuerId
            let catalog = try await control.send(GetCatalog(bundleId: TestShop.bundleID))
            for (bundleId, team) in [(two, issuer), (three, other)] {
                _ = try await control.send(CreateApp(bundleId: bundleId, issuerId: team))
                _ = try await control.till.upload(PutCatalog(bundleId: bundleId), catalog)
            }
            var ids: [StoreEnvironment: String] = [:]
            for environment in StoreEnvironment.allCases {
                for bundleId in [TestShop.bundleID, two, three] {
                    let app = AppEnvironment(bundleId, environment)
                    let id = try await control.buy("coins", by: "ann", in: app).transactionId
                    ids[environment] = ids[environment] ?? id
                    try await control.buy("basic", by: "ann", in: app)
                }
                let app = AppEnvironment(TestShop.bundleID, environment)
                for _ in 1...20 { try await control.buy("coins", by: "ann", in: app) }
            }
            let made = try await control.send(CreateKey(issuerId: other))
            let pem = try #require(made.privateKey)
            let key = try APIKeyPair(keyID: made.keyId, privateKeyPEM: Secret(pem))
            let claims: [String: JSONTree?] = ["iss": .string(other), "bid": .string(three)]
            let server = Server(
                control: control,
                twoKey: try test.token(["bid": .string(two)]),
                threeToken: try test.token(claims, key: key),
                threeIssuer: other,
                threeKey: key,
                ids: ids
            )
            try await body(server)
            // The next request is answered normally.
            for environment in StoreEnvironment.allCases {
                let answer = try await server.ask(environment, server.history(environment), [200])
                #expect(answer.signedTransactions.count == 20)
            }
        }
    }

    // MARK: Ids

    @Test("A malformed id and an unknown id have different errors, and percent-encoded digits are the same digits")
    func ids() async throws {
        try await Self.run { server in
            for environment in StoreEnvironment.allCases {
                let id = server.id(environment)
                let wide = id.map { "%EF%BC%9\($0)" }.joined()
                let arabic = id.utf8.map { "%D9%A\($0 - 48)" }.joined()
                let malformed = [
                    "0", "00", "-1", "-\(id)", "%2B\(id)", "+\(id)", "0\(id)", "00\(id)", "\(id)%20", "%20\(id)",
                    "\(id)%00", "%00\(id)", "\(id)%0A", wide, arabic, "\(id).0", "\(id)e0", "\(id)e999999999",
                    "0x" + String(Int64(id) ?? 0, radix: 16), String(repeating: "9", count: 20),
                    String(repeating: "9", count: 300), String(repeating: "9", count: 20_000), "%FF%FE", "%C0%B1",
                    "%ED%A0%80", "..%2F..%2Fetc%2Fpasswd", "%2E%2E", "\(id)%2F", "%2F\(id)", "null", "undefined",
                    "%7Bid%7D", "'", "1%20OR%201=1", "\(id)'--", "%F0%9F%98%80", "%", "%1", "%zz", "\(id),\(id)",
                    "\(id);a=b", "\(id)%E2%80%8B", "%E2%82%81", "NaN", "Infinity", "1e5", "$", "*",
                ]
                let unknown = [
                    "9223372036854775807", "2000000999999999", "704334945917031057", "1",
                    String(repeating: "9", count: 18),
                ]
                let encoded = id.utf8.map { "%" + String($0, radix: 16) }.joined()
                for route in Route.all {
                    for bad in malformed { try await server.ask(route, environment, bad, 400, route.malformed) }
                    for missing in unknown { try await server.ask(route, environment, missing, 404, route.unknown) }
                    try await server.ask(route, environment, encoded, 200, nil)
                }
                try await server.ask(
                    environment,
                    "/inApps/v1/lookup/" + String(repeating: "M", count: 30_000),
                    [400],
                    4_000_000
                )
            }
            for order in ["%00", "M%20", "%FF", String(repeating: "x", count: 33), "M-1", "%EF%BC%AD", "..%2F", "M'--"]
            {
                try await server.ask(.production, "/inApps/v1/lookup/\(order)", [400], 4_000_000)
            }
        }
    }

    @Test("Ids of other apps and environments are not found, and no rejected request changes their transactions")
    func foreignIDs() async throws {
        try await Self.run { server in
            func bought(_ bundleId: String, _ environment: StoreEnvironment) async throws -> [TransactionInfo] {
                let app = AppEnvironment(bundleId, environment)
                let rows = try await server.control.send(ListTransactions(app: app, customer: "ann")).transactions
                var found: [TransactionInfo] = []
                for row in rows.suffix(2) {
                    let request = GetTransaction(app: app, transactionId: row.transactionId, include: [.signed])
                    found.append(try await server.control.send(request))
                }
                return found
            }
            func payloads() async throws -> [JSONTree] {
                var found: [JSONTree] = []
                for bundleId in [Self.two, Self.three] {
                    for environment in StoreEnvironment.allCases {
                        found += try await bought(bundleId, environment).map {
                            try server.control.payload(of: $0.signedTransactionInfo).withoutSigningDate
                        }
                    }
                }
                return found
            }
            let before = try await payloads()
            #expect(before.count == 8)
            for environment in StoreEnvironment.allCases {
                let other: StoreEnvironment = environment == .sandbox ? .production : .sandbox
                var foreign: [String] = []
                for (bundleId, place) in [
                    (Self.two, environment), (Self.three, environment), (TestShop.bundleID, other), (Self.two, other),
                ] {
                    let rows = try await bought(bundleId, place)
                    foreign += rows.flatMap { [$0.transactionId, $0.appTransactionId] }
                    let order = try #require(rows.first?.orderId)
                    let answer = try await server.ask(environment, "/inApps/v1/lookup/\(order)", [200])
                    #expect(answer.body == #"{"status":1}"#)
                }
                // The id of a line item is not a transaction id.
                foreign += try await bought(TestShop.bundleID, environment).compactMap(\.webOrderLineItemId)
                for route in Route.all {
                    for id in foreign { try await server.ask(route, environment, id, 404, route.unknown) }
                }
                // With the right key, the same ids are found. The 404s above were therefore caused by the wrong key.
                for (bundleId, token) in [(Self.two, server.twoKey), (Self.three, server.threeToken)] {
                    for row in try await bought(bundleId, environment) {
                        let path = "/inApps/v1/transactions/\(row.transactionId)"
                        try await server.ask(environment, path, [200], token: token)
                    }
                }
            }
            #expect(try await payloads() == before)
        }
    }

    @Test("A key of another team is rejected, and another app of the key's team finds nothing")
    func keys() async throws {
        try await Self.run { server in
            let test = server.control.test
            let own: JSONTree = .string(TestShop.bundleID)
            let team: JSONTree = .string(test.app.issuerID)
            let third: JSONTree = .string(Self.three)
            let other: JSONTree = .string(server.threeIssuer)
            for environment in StoreEnvironment.allCases {
                for token in [
                    try test.token(["bid": own, "iss": other], key: server.threeKey),
                    try test.token(["bid": own, "iss": team], key: server.threeKey),
                    try test.token(["bid": third]), try test.token(["bid": third, "iss": other]),
                    try test.token(["bid": .string("com.example.unknown")]),
                ] {
                    let path = "/inApps/v1/transactions/\(server.id(environment))"
                    let answer = try await server.control.apple(.get, path, in: environment, token: token)
                    Self.expect(answer, [401], nil, path)
                }
                let history = server.history(environment)
                try await server.ask(environment, history, [404], 4_040_003, token: try test.token(["bid": third]))
                try await server.ask(environment, history, [404], 4_040_010, token: server.twoKey)
            }
        }
    }

    // MARK: Queries

    /// Values of a query of the history, each with its error.
    private static let queries: [(code: Int, name: String, values: [String])] = [
        (
            4_000_015, "startDate",
            [
                "-1", "+1", "1.5", "1e3", "NaN", "Infinity", String(repeating: "9", count: 19),
                String(repeating: "9", count: 5_000), "", "%00", "1%00", "%EF%BC%91", "0x10", "abc",
            ]
        ),
        (
            4_000_016, "endDate",
            ["-1", "1e400", String(repeating: "9", count: 19), "", "%F0%9F%98%80", "2024-01-01"]
        ),
        (
            4_000_021, "sort",
            [
                "", "ascending", "ASCENDING%00", "ASC", "%EF%BC%A1", "ASCENDING&sort=DESCENDING",
                String(repeating: "x", count: 30_000),
            ]
        ),
        (
            4_000_022, "productType",
            ["", "CONSUMABLE%20", "consumable", "Consumable", "%00", String(repeating: "x", count: 5_000)]
        ),
        (4_000_023, "productId", ["", String(repeating: "x", count: 30_000)]),
        (4_000_024, "subscriptionGroupIdentifier", ["", String(repeating: "1", count: 300)]),
        (4_000_026, "inAppOwnershipType", ["", "PURCHASED%00", "purchased", "1"]),
        (4_000_030, "revoked", ["", "2", "yes", "true%00", "%EF%BD%94rue", "true&revoked=false"]),
        (
            4_000_005, "revision",
            [
                "", "a", "%00", String(repeating: "A", count: 58), String(repeating: "A", count: 20_000), "null", "0",
                "..%2F", "%F0%9F%98%80", "'%20OR%201=1", "====",
            ]
        ),
        (4_000_000, "productId", ["%FF%FE", "a&%C0%AF=1", "a&sort=%ED%A0%80", "a&a=%", "a&a=%zz", "a&%"]),
    ]

    @Test("Each invalid query has its error, and an unusual query matches nothing or is ignored")
    func queries() async throws {
        try await Self.run { server in
            for environment in StoreEnvironment.allCases {
                for (code, name, values) in Self.queries {
                    for value in values {
                        try await server.ask(environment, server.history(environment, "?\(name)=\(value)"), [400], code)
                    }
                }
                for query in [
                    "productId=%00", "productId=%22%5D,1", "productId=%27%3B%20DROP%20TABLE%20ledger%3B--",
                    "productId=a&productId=%00b", "productId=%F0%9F%98%80&productId=%22",
                    "subscriptionGroupIdentifier=%EF%BC%91", "startDate=999999999999999999", "endDate=0",
                ] {
                    let answer = try await server.ask(environment, server.history(environment, "?\(query)"), [200])
                    #expect(answer.signedTransactions.isEmpty, "\(query)")
                }
                for query in ["", "&&=&", "unknown=%F0%9F%98%80"] {
                    try await server.ask(environment, server.history(environment, "?\(query)"), [200])
                }
                for status in [
                    "0", "6", "-1", "%2B1", "01", "1.0", "%EF%BC%91", "", "1%00", String(repeating: "9", count: 400),
                    "true",
                ] {
                    let path = "/inApps/v1/subscriptions/\(server.id(environment))?status=\(status)"
                    try await server.ask(environment, path, [400], 4_000_031)
                }
                let many = { (part: (Int) -> String, count: Int) in (0..<count).map(part).joined(separator: "&") }
                let history = server.history(environment, "?")
                try await server.ask(environment, history + many({ _ in "a=1" }, 5_000), [400], 4_000_000)
                try await server.ask(environment, history + many({ _ in "productId=a" }, 400), [200])
                try await server.ask(environment, history + many({ "productId=\($0)" }, 400), [400], 4_000_023)
                try await server.ask(environment, String(repeating: "/a", count: 15_000), [404])
            }
        }
    }

    @Test("A revision that was changed in any way, or that belongs to another query, is rejected")
    func revisions() async throws {
        try await Self.run { server in
            for environment in StoreEnvironment.allCases {
                let other: StoreEnvironment = environment == .sandbox ? .production : .sandbox
                let page = try await server.ask(environment, server.history(environment), [200])
                let revision = try #require(page.json["revision"]?.text)
                #expect(page.json["hasMore"] == .bool(true))
                try await server.ask(environment, server.history(environment, "?revision=\(revision)"), [200])
                for changed in Self.changed(revision) {
                    try await server.ask(
                        environment,
                        server.history(environment, "?revision=\(changed)"),
                        [400],
                        4_000_005
                    )
                }
                // These revisions are valid, but belong to another query.
                let id = server.id(environment)
                let bob = try await server.control.buy(
                    "coins",
                    by: "bob",
                    in: AppEnvironment(TestShop.bundleID, environment)
                )
                for path in [
                    "/inApps/v1/history/\(id)?revision=\(revision)",
                    "/inApps/v2/refund/lookup/\(id)?revision=\(revision)",
                    server.history(environment, "?revision=\(revision)&sort=DESCENDING"),
                    server.history(environment, "?revision=\(revision)&revoked=true"),
                    server.history(environment, "?revision=\(revision)&productId=a"),
                    server.history(environment, "?revision=\(revision)&startDate=1"),
                    server.history(environment, "?revision=\(revision)&revision=B\(revision.dropFirst())"),
                    "/inApps/v2/history/\(bob.transactionId)?revision=\(revision)",
                ] {
                    try await server.ask(environment, path, [400], 4_000_005)
                }
                try await server.ask(other, server.history(other, "?revision=\(revision)"), [400], 4_000_005)
                let neighbour = AppEnvironment(Self.two, environment)
                let rows = try await server.control.send(ListTransactions(app: neighbour, customer: "ann")).transactions
                let foreign = try #require(rows.first).transactionId
                let path = "/inApps/v2/history/\(foreign)?revision=\(revision)"
                try await server.ask(environment, path, [400], 4_000_005, token: server.twoKey)
            }
        }
    }

    /// Every single change of a character or bit of a revision, and additions to it.
    private static func changed(_ revision: String) -> Set<String> {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let characters = Array(revision)
        var changed: Set<String> = []
        for place in characters.indices {
            let index = alphabet.firstIndex(of: characters[place]) ?? 0
            for step in [index ^ 1, (index + 7 * place + 3) % 64, (index + 29) % 64] {
                var copy = characters
                copy[place] = alphabet[step]
                changed.insert(String(copy))
            }
            var copy = characters
            copy.remove(at: place)
            changed.insert(String(copy))
            changed.insert(String(characters.prefix(place)))
        }
        let raw = Base64URL.decode(revision) ?? []
        for place in raw.indices {
            for bit in 0..<8 {
                var copy = raw
                copy[place] ^= 1 << bit
                changed.insert(String(decoding: Base64URL.encode(copy), as: UTF8.self))
            }
        }
        // Some of these differ only in bits that no byte uses.
        changed.formUnion(alphabet.map { revision.dropLast() + String($0) })
        changed.formUnion(["A", "%3D", "%3D%3D", "%00", "%20", "%0A", revision].map { revision + $0 })
        let cases = revision.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined()
        let digits = raw.map { String($0, radix: 16) }.joined()
        changed.formUnion(["%20\(revision)", cases, String(revision.reversed()), digits])
        changed.remove(revision)
        return changed
    }
}
