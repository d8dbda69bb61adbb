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

/// A route of the App Store Server API with a transaction id in its path.
struct IdentifierRoute: Sendable, CustomTestStringConvertible {
    let method: HTTPRequest.Method
    /// The path, in which `{}` stands for the id.
    let path: String
    let body: String?
    /// The code for an id of the wrong form, and for an id that does not exist.
    let malformed: Int
    let missing: Int
    var testDescription: String { path }

    private init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        malformed: Int = 4_000_006,
        missing: Int = 4_040_010
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.malformed = malformed
        self.missing = missing
    }

    static let setToken = IdentifierRoute(
        .put,
        "/inApps/v1/transactions/{}/appAccountToken",
        #"{"appAccountToken":"7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"}"#,
        missing: 4_040_005
    )
    static let info = IdentifierRoute(.get, "/inApps/v1/transactions/{}")
    static let appTransaction = IdentifierRoute(.get, "/inApps/v1/transactions/appTransactions/{}")
    static let oldRefunds = IdentifierRoute(
        .get,
        "/inApps/v1/refund/lookup/{}",
        malformed: 4_000_008,
        missing: 4_040_005
    )
    /// The routes to which an app transaction id is not acceptable, beside `info` and `setToken`.
    static let changing = [
        IdentifierRoute(.post, "/inApps/v1/transactions/{}/finish"),
        IdentifierRoute(.put, "/inApps/v2/transactions/consumption/{}", FieldTable.consumption.body()),
        IdentifierRoute(.put, "/inApps/v1/transactions/consumption/{}", FieldTable.oldConsumption.body()),
    ]
    static let all =
        [
            IdentifierRoute(.get, "/inApps/v2/history/{}"), IdentifierRoute(.get, "/inApps/v1/history/{}"), info,
            setToken, appTransaction, IdentifierRoute(.get, "/inApps/v1/subscriptions/{}"),
            IdentifierRoute(.get, "/inApps/v2/refund/lookup/{}"), oldRefunds,
            IdentifierRoute(
                .put,
                "/inApps/v1/subscriptions/extend/{}",
                #"{"extendByDays":3,"extendReasonCode":1,"requestIdentifier":"errors"}"#,
                malformed: 4_000_008,
                missing: 4_040_005
            ),
        ] + changing

    func send(_ id: String, to apple: AppleRoutes) async throws -> AppleRoutes.Answer {
        let encoded = try #require(id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
        return try await apple.send(method, path.replacing("{}", with: encoded), body)
    }
}

/// Sends ids of the wrong form, of nothing, and of something else to every route with an id in its path.
@Suite("Ids that a route does not accept")
struct IdentifierRefusalTests {
    private static let malformed = [
        "abc", "12x", "-5", "1.5", "0", "0123456789", " 12", "12 ", String(repeating: "1", count: 20),
        String(repeating: "9", count: 19), String(repeating: "1", count: 300), "１２", "MABCDEFGHI", "",
    ]

    @Test("An id that is malformed, unknown or of another place has its code", arguments: IdentifierRoute.all)
    func ids(_ route: IdentifierRoute) async throws {
        try await AppleRoutes.run { control in
            let sandbox = control.apple
            for id in Self.malformed {
                let answer = try await route.send(id, to: sandbox)
                let entry = try await sandbox.expectError(route.malformed, answer)
                #expect(entry.app == TestShop.bundleID, "\(id)")
            }
            let production = AppleRoutes(test: control.test, environment: .production)
            let unknown = [
                "2000000999999999", "180000999999999", "704999999999999999", "12", String(repeating: "9", count: 18),
            ]
            for apple in [sandbox, production] {
                for id in unknown {
                    try await apple.expectError(route.missing, try await route.send(id, to: apple), id)
                }
            }
            let here = try await control.buy("coins", by: "ann").transactionId
            let app = AppEnvironment(TestShop.bundleID, .production)
            let there = try await control.buy("coins", by: "ann", in: app).transactionId
            let answer = try await route.send(here, to: production)
            try await production.expectError(route.missing, answer, "Sandbox", here)
            try await sandbox.expectError(route.missing, try await route.send(there, to: sandbox), "Production", there)
            _ = try await control.addApp("com.neighbour", issuerID: control.test.app.issuerID)
            let foreign = try await control.buy("coins", by: "ann", in: AppEnvironment("com.neighbour"))
            let refused = try await route.send(foreign.transactionId, to: sandbox)
            try await sandbox.expectError(route.missing, refused, "com.neighbour")
            try await sandbox.expectError(route.missing, try await route.send(foreign.appTransactionId, to: sandbox))
        }
    }

    @Test(
        "An app transaction id is not accepted where a transaction id is needed",
        arguments: StoreEnvironment.allCases
    )
    func appTransactions(in environment: StoreEnvironment) async throws {
        try await AppleRoutes.run { control in
            let apple = AppleRoutes(test: control.test, environment: environment)
            let app = AppEnvironment(TestShop.bundleID, environment)
            let id = try await control.buy("coins", by: "ann", in: app).appTransactionId
            for route in IdentifierRoute.changing + [.info, .setToken] {
                try await apple.expectError(4_000_048, try await route.send(id, to: apple))
            }
            // A customer who never downloaded the app has no app transaction.
            _ = try await control.send(CreateCustomer(app: app, customer: "bob", downloadsApp: false))
            let bought = try await control.send(
                BuyProduct(app: app, customer: "bob", productId: "coins", include: [.device])
            ).transaction
            #expect(bought?.device != nil && bought?.device?.signedAppTransactionInfo == nil)
            for id in [bought?.transactionId, bought?.appTransactionId] {
                let answer = try await IdentifierRoute.appTransaction.send(try #require(id), to: apple)
                try await apple.expectError(4_040_019, answer)
            }
        }
    }

    @Test("Refund history V1 and Set App Account Token need the original transaction id, and no member's copy")
    func originals() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let first = try await control.buy("basic", by: "eve", offer: .noOffer)
            let second = try await control.buy("pro", by: "eve")
            let route = IdentifierRoute.oldRefunds
            try await apple.expectError(4_000_008, try await route.send(first.appTransactionId, to: apple))
            try await apple.expectError(4_040_005, try await route.send(second.transactionId, to: apple))
            let refused = try await IdentifierRoute.setToken.send(second.transactionId, to: apple)
            try await apple.expectError(4_000_187, refused, second.originalTransactionId)
            _ = try await control.send(CreateFamily(app: control.app, organizer: "ann", members: ["bob"]))
            for product in ["basic", "skin"] { try await control.buy(product, by: "ann") }
            let copies = try await control.history(of: "bob", in: control.app)
            #expect(copies.count == 2)
            for copy in copies {
                let id = try #require(copy["transactionId"]?.text)
                for route in [IdentifierRoute.setToken] + IdentifierRoute.changing.dropFirst() {
                    try await apple.expectError(4_000_185, try await route.send(id, to: apple))
                }
            }
        }
    }

    @Test("Set App Account Token needs a UUID in a JSON object")
    func appAccountToken() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let id = try await control.buy("coins", by: "ann").transactionId
            let path = IdentifierRoute.setToken.path.replacing("{}", with: id)
            let uuid = "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"
            let texts = [
                "", "nonsense", "123", String(repeating: "g", count: 36), "{\(uuid)}", uuid.replacing("-", with: ""),
                uuid + " ",
            ]
            let objects = ["{}", #"{"appAccountToken":5}"#, #"{"appAccountToken":null}"#, #"{"appAccountToken":[]}"#]
            let bodies = texts.map { #"{"appAccountToken":"\#($0)"}"# } + objects + [#"{"AppAccountToken":"\#(uuid)"}"#]
            for body in bodies { try await apple.expectError(4_000_183, try await apple.send(.put, path, body)) }
            for body in ["", "{", "[]", "null", #""text""#, "appAccountToken=1", #"{"a":1}x"#] {
                try await apple.expectEmpty(400, try await apple.send(.put, path, body))
            }
            try await apple.expectEmpty(400, try await apple.send(.put, path, bytes: [0xFF, 0xFE]))
        }
    }
}
