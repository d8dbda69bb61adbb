import Crypto
import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Checks the answer and the explanation of every documented reason for a 401 or a 404. The tests read the tables of
/// docs/api/authentication.md and docs/operating/explain.md, so they fail if only the documentation or only the server
/// changes.
@Suite("Documented reasons for refusals")
struct DocumentedRefusalTests {
    private static let info = "/inApps/v1/transactions/"
    private static let history = "/inApps/v2/history/"
    private static let tests = "/inApps/v1/notifications/test"
    private static let never = "2000000999999999"

    private typealias Headers = @Sendable (TypedControl, BearerTokens) async throws -> HTTPFields

    private static func bearer(_ make: @escaping @Sendable (BearerTokens) throws -> String) -> Headers {
        { AppleRoutes.bearer(try make($1)) }
    }

    private static func claims(_ changes: [String: String?]) -> Headers { bearer { try $0.token(changes) } }

    private static func times(iat: Int64, exp: Int64) -> Headers {
        bearer { try $0.token(["iat": "\($0.now + iat)", "exp": "\($0.now + exp)"]) }
    }

    /// The headers of a request for each row of the table of 401 answers.
    private static let tokens: [Int: Headers] = [
        1: { _, _ in [:] },
        2: { _, _ in [.authorization: "Basic dXNlcjpwYXNz"] },
        3: { _, _ in [.authorization: "Bearer"] },
        4: bearer { _ in String(repeating: "x", count: 20_000) },
        5: bearer { _ in "a.b" },
        6: bearer { "!!!." + (try $0.token().split(separator: ".").dropFirst().joined(separator: ".")) },
        7: bearer { try $0.signed($0.header(), Array("[1]".utf8)) },
        8: bearer { BearerTokens.encoded(Array($0.header(["alg": #""none""#]).utf8)) + ".e30." },
        9: bearer { try $0.token(header: ["alg": #""HS256""#]) },
        10: bearer { try $0.token(header: ["alg": #""RS256""#]) },
        11: bearer { try $0.token(header: ["crit": #"["exp"]"#]) },
        12: bearer { try $0.withSignature([0x30] + [UInt8](repeating: 0, count: 69)) },
        13: bearer { try $0.token(header: ["kid": String?.none]) },
        14: claims(["exp": #""tomorrow""#]),
        15: bearer { try $0.token(header: ["kid": #""2X9R4HXF34""#]) },
        16: { AppleRoutes.bearer(try $1.token(key: try await revokedKey($0))) },
        17: bearer { try $0.withSignature([UInt8](repeating: 0, count: 63) + [1]) },
        18: claims(["iss": #""00000000-0000-0000-0000-000000000007""#]),
        19: claims(["aud": #""appstoreconnect-v2""#]),
        20: claims(["exp": String?.none]),
        21: times(iat: -1_000, exp: -500),
        22: times(iat: 90, exp: 390),
        23: times(iat: 0, exp: 3_700),
        24: claims(["bid": String?.none]),
        25: { AppleRoutes.bearer(try $1.token(key: try await offerKey($0))) },
        26: claims(["bid": #""com.example.unknown""#]),
    ]

    private static func revokedKey(_ control: TypedControl) async throws -> APIKeyPair {
        let key = try await control.addKey(control.test.app.issuerID)
        _ = try await control.send(RevokeKey(keyId: key.keyID))
        return key
    }

    private static func offerKey(_ control: TypedControl) async throws -> APIKeyPair {
        let pair = P256.Signing.PrivateKey()
        let key = try APIKeyPair(keyID: "0FF3FF3C", privateKeyPEM: Secret(pair.pemRepresentation))
        let der = pair.derRepresentation.base64EncodedString()
        let file = """
            {"products":[],"subscriptionGroups":[],"settings":{},"version":{"major":4,"minor":0},
            "subscriptionOffersKeyPair":{"id":"\(key.keyID)","privateKey":"\(der)"}}
            """
        _ = try await control.addApp("com.offers", issuerID: control.test.app.issuerID)
        _ = try await control.till.upload(ImportStoreKitFile(bundleId: "com.offers"), Array(file.utf8))
        return key
    }

    private static func expect401(_ row: [String], _ apple: AppleRoutes, _ answer: AppleRoutes.Answer) async throws {
        let explanation = try await apple.expectUnauthenticated(answer).explanation
        #expect(DocumentedTable.begins(explanation, with: row[2]), "\(row): \(explanation)")
    }

    private static func refusals() throws -> [Int: [String]] {
        try DocumentedTable.rows(
            of: "api/authentication.md",
            under: "Every reason for a refusal, in the order of the checks"
        )
    }

    @Test("Each documented 401 has its explanation", arguments: StoreEnvironment.allCases)
    func unauthenticated(in environment: StoreEnvironment) async throws {
        let rows = try Self.refusals()
        #expect(rows.keys.sorted() == Array(1...28) && Set(Self.tokens.keys).union([27, 28]) == Set(rows.keys))
        try await AppleRoutes.run { control in
            let apple = AppleRoutes(test: control.test, environment: environment)
            let app = AppEnvironment(TestShop.bundleID, environment)
            let path = Self.info + (try await control.buy("coins", by: "ann", in: app).transactionId)
            for (number, headers) in Self.tokens.sorted(by: { $0.key < $1.key }) {
                let answer = try await apple.get(
                    path,
                    headers: try await headers(control, BearerTokens(test: control.test))
                )
                try await Self.expect401(try #require(rows[number]), apple, answer)
            }
            if environment == .production {
                _ = try await control.send(UpdateSettings(app: app, released: false))
                try await Self.expect401(try #require(rows[27]), apple, try await apple.get(path))
                let sandbox = Self.info + (try await control.buy("coins", by: "ann").transactionId)
                #expect(try await control.apple.get(sandbox).status == 200)
                _ = try await control.send(UpdateSettings(app: app, released: true))
            }
            _ = try await control.send(AddFault(kind: .unauthorized, bundleId: TestShop.bundleID, limit: 1))
            try await Self.expect401(try #require(rows[28]), apple, try await apple.get(path))
        }
    }

    @Test("Of several reasons for a 401, the first in the table is reported")
    func first() async throws {
        let rows = try Self.refusals()
        try await AppleRoutes.run { control in
            let tokens = BearerTokens(test: control.test)
            let now = tokens.now
            let wrong = [UInt8](repeating: 1, count: 64)
            let someone = #""00000000-0000-0000-0000-000000000007""#
            let revoked = try tokens.token(key: try await Self.revokedKey(control))
            let cases: [(Int, String)] = [
                (16, try tokens.withSignature(wrong, of: revoked)),
                (17, try tokens.withSignature(wrong, of: try tokens.token(["iss": #""x""#, "aud": #""y""#]))),
                (18, try tokens.token(["iss": someone, "aud": #""y""#, "exp": "1"])),
                (19, try tokens.token(["aud": #""y""#, "exp": "1", "bid": String?.none])),
                (21, try tokens.token(["exp": "1", "iat": "\(now + 1_000)", "bid": String?.none])),
                (22, try tokens.token(["iat": "\(now + 1_000)", "exp": "\(now + 9_000)", "bid": String?.none])),
                (23, try tokens.token(["iat": "\(now)", "exp": "\(now + 9_000)", "bid": String?.none])),
            ]
            let path = Self.info + (try await control.buy("coins", by: "ann").transactionId)
            for (number, token) in cases {
                let answer = try await control.apple.get(path, headers: AppleRoutes.bearer(token))
                try await Self.expect401(try #require(rows[number]), control.apple, answer)
            }
        }
    }

    // MARK: 404

    /// A shop with Apple's profile, with the data for each row of the table of 404 answers.
    private struct Shop: Sendable {
        let control: TypedControl
        let first: TransactionInfo
        let second: TransactionInfo
        var apple: AppleRoutes { control.apple }
        var tokens: BearerTokens { BearerTokens(test: control.test) }

        func put(_ path: String, _ body: String) async throws -> AppleRoutes.Answer {
            try await apple.send(.put, path, body)
        }

        func requestTest() async throws -> String {
            let endpoint = SetEndpoint(app: control.app, endpoint: "primary", url: "http://127.0.0.1:9/")
            _ = try await control.send(endpoint)
            return tests + "/" + (try await apple.json(.post, tests)["testNotificationToken"]?.text ?? "")
        }

        func neighbour() async throws -> String {
            let app = try await control.addApp("com.neighbour", issuerID: control.test.app.issuerID)
            return history + (try await control.buy("coins", by: "ann", in: AppEnvironment(app.bundleId)).transactionId)
        }

        func withBundle(_ bundleID: String) async throws -> AppleRoutes.Answer {
            let token = try tokens.token(["bid": #""\#(bundleID)""#])
            return try await apple.get(history + first.transactionId, headers: AppleRoutes.bearer(token))
        }
    }

    /// The answer to a request for each row of the table of 404 answers.
    private static let cases: [Int: @Sendable (Shop) async throws -> AppleRoutes.Answer] = [
        1: { try await $0.apple.get("/inApps/v9/history/1") },
        2: { try await $0.apple.get("/inapps/v2/history/\($0.first.transactionId)") },
        3: { try await $0.apple.get("/inApps/v1/lookup/M123456789") },
        4: { try await $0.apple.get(info + never) },
        5: {
            let production = AppEnvironment(TestShop.bundleID, .production)
            return try await $0.apple.get(info + $0.control.buy("coins", by: "ann", in: production).transactionId)
        },
        6: { try await $0.apple.get(try await $0.neighbour()) },
        7: { try await $0.apple.get(info + (try #require($0.first.webOrderLineItemId))) },
        8: {
            _ = try await $0.control.send(AddFault(kind: .staleReads, milliseconds: 600_000))
            let answer = try await $0.apple.get(info + $0.control.buy("coins", by: "dan").transactionId)
            _ = try await $0.control.send(RemoveFaults())
            return answer
        },
        9: {
            _ = try await $0.control.addApp("org.foreign")
            return try await $0.withBundle("org.foreign")
        },
        10: { try await $0.withBundle("com.example.unknown") },
        11: {
            let body = #"{"appAccountToken":"00000000-0000-0000-0000-000000000007"}"#
            return try await $0.put("\(info)\(never)/appAccountToken", body)
        },
        12: { try await $0.apple.get("/inApps/v1/refund/lookup/\($0.second.transactionId)") },
        13: {
            let body = #"{"extendByDays":3,"extendReasonCode":1,"requestIdentifier":"x"}"#
            return try await $0.put("/inApps/v1/subscriptions/extend/\($0.second.transactionId)", body)
        },
        14: {
            _ = try await $0.control.send(CreateCustomer(app: $0.control.app, customer: "cara", downloadsApp: false))
            let id = try await $0.control.buy("coins", by: "cara").transactionId
            return try await $0.apple.get("\(info)appTransactions/\(id)")
        },
        15: { try await $0.apple.send(.post, tests) },
        16: { try await $0.apple.get("\(tests)/00000000-0000-0000-0000-000000000007") },
        17: { try await $0.apple.get(try await $0.requestTest()) },
        18: {
            let path = try await $0.requestTest()
            _ = try await $0.control.send(SetClock(app: $0.control.app, mode: .frozen))
            _ = try await $0.control.send(AdvanceClock(app: $0.control.app, by: "P7M"))
            return try await $0.apple.get(path)
        },
        19: {
            let id = "00000000-0000-0000-0000-000000000007"
            return try await $0.apple.get("/inApps/v1/subscriptions/extend/mass/basic/\(id)")
        },
        20: {
            let fault = AddFault(kind: .error, bundleId: TestShop.bundleID, limit: 1, code: 4_040_002)
            _ = try await $0.control.send(fault)
            return try await $0.apple.get(history + $0.first.transactionId)
        },
        21: { try await $0.apple.get("/inApps/v1/messaging/message/list") },
        22: { try await $0.apple.send(.post, "/advancedCommerce/v1/subscription/cancel/\(never)", "{}") },
        23: { try await $0.put("/externalPurchase/v1/reports", "{}") },
        24: { try await $0.apple.get("/groups/v1/currentGroups/\(never)") },
    ]

    @Test("Each documented 404 has its answer and its explanation")
    func notFound() async throws {
        let rows = try DocumentedTable.rows(of: "operating/explain.md", under: "Every 404")
        #expect(rows.keys.sorted() == Array(1...24) && Set(Self.cases.keys) == Set(rows.keys))
        try await AppleRoutes.run(settings: .apple) { control in
            let first = try await control.buy("basic", by: "ann", offer: .noOffer)
            let shop = Shop(control: control, first: first, second: try await control.buy("pro", by: "ann"))
            for (number, ask) in Self.cases.sorted(by: { $0.key < $1.key }) {
                let row = try #require(rows[number])
                let answer = try await ask(shop)
                let isEmpty = row[2] == "empty"
                let entry =
                    isEmpty
                    ? try await shop.apple.expectEmpty(404, answer)
                    : try await shop.apple.expectError(try #require(Int(row[2])), answer)
                let explanation = entry?.explanation ?? ""
                #expect(DocumentedTable.begins(explanation, with: row[3]), "\(row): \(explanation)")
            }
        }
    }
}
