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

/// The fields of a request body: valid values, wrong values, and the error code of each field. All values are JSON.
struct FieldTable: Sendable, CustomTestStringConvertible {
    /// The wrong values of a field, all with the same code. Nil means that the field is missing.
    struct Wrong: Sendable {
        let code: Int
        let key: String
        let values: [String?]

        init(_ code: Int, _ key: String, _ values: [String?]) {
            self.code = code
            self.key = key
            self.values = values
        }
    }

    let method: HTTPRequest.Method
    /// The path, in which `{}` stands for a transaction id.
    let path: String
    let valid: [(key: String, value: String)]
    /// The fields in the order in which the server checks them.
    let wrong: [Wrong]
    var testDescription: String { path }

    /// The valid body with some changes. A change to nil removes a field.
    func body(_ changes: [String: String?] = [:]) -> String {
        let more = changes.keys.filter { key in !valid.contains { $0.key == key } }.sorted().map { ($0, "") }
        let members = (valid + more).compactMap { key, value -> String? in
            let changed = changes.keys.contains(key) ? changes[key] ?? nil : value
            return changed.map { #""\#(key)":\#($0)"# }
        }
        return "{\(members.joined(separator: ","))}"
    }

    static let consumption = FieldTable(
        method: .put,
        path: "/inApps/v2/transactions/consumption/{}",
        valid: [
            ("customerConsented", "true"), ("deliveryStatus", #""DELIVERED""#), ("sampleContentProvided", "false"),
        ],
        wrong: [
            Wrong(4_000_035, "customerConsented", [nil, "false", #""true""#, "1"]),
            Wrong(4_000_036, "deliveryStatus", [nil, "\"\"", #""delivered""#, #""SOMETHING""#, "0"]),
            Wrong(4_000_041, "sampleContentProvided", [nil, #""false""#, "0"]),
            Wrong(4_000_207, "consumptionPercentage", ["-1", "100001", #""5""#, "0.5", "true"]),
            Wrong(4_000_044, "refundPreference", ["\"\"", #""GRANT""#, #""grant_full""#, "1"]),
        ]
    )

    /// The wrong values of a field whose valid values are 0 to a limit.
    private static func codes(_ limit: Int) -> [String?] { [nil, "-1", "\(limit + 1)", #""0""#, "1.5", "true", "[]"] }

    static let oldConsumption = FieldTable(
        method: .put,
        path: "/inApps/v1/transactions/consumption/{}",
        valid: [
            ("customerConsented", "true"), ("appAccountToken", "\"\""), ("consumptionStatus", "0"), ("platform", "1"),
            ("sampleContentProvided", "false"), ("deliveryStatus", "0"), ("accountTenure", "0"), ("playTime", "0"),
            ("lifetimeDollarsRefunded", "0"), ("lifetimeDollarsPurchased", "0"), ("userStatus", "0"),
        ],
        wrong: [
            Wrong(4_000_035, "customerConsented", [nil, "false", #""true""#, "1"]),
            Wrong(4_000_033, "appAccountToken", [nil, #""x""#, "5", #""7f4c8f2e1d3a4b5c8d9e0f1a2b3c4d5e""#]),
            Wrong(4_000_034, "consumptionStatus", codes(3)), Wrong(4_000_039, "platform", codes(2)),
            Wrong(4_000_041, "sampleContentProvided", [nil, #""false""#, "0"]),
            Wrong(4_000_036, "deliveryStatus", codes(5)), Wrong(4_000_032, "accountTenure", codes(7)),
            Wrong(4_000_040, "playTime", codes(7)), Wrong(4_000_038, "lifetimeDollarsRefunded", codes(7)),
            Wrong(4_000_037, "lifetimeDollarsPurchased", codes(7)), Wrong(4_000_042, "userStatus", codes(4)),
            Wrong(4_000_044, "refundPreference", Array(codes(3).dropFirst())),
        ]
    )

    private static let huge = "1180591620717411303424"
    private static let terms = [
        Wrong(4_000_009, "extendByDays", [nil, "0", "91", "-1", #""3""#, "3.0", "true", huge]),
        Wrong(4_000_010, "extendReasonCode", [nil, "4", "-1", #""1""#, "false"]),
    ]

    private static func text(_ length: Int) -> String { "\"\(String(repeating: "x", count: length))\"" }

    static let oneExtension = FieldTable(
        method: .put,
        path: "/inApps/v1/subscriptions/extend/{}",
        valid: [("extendByDays", "90"), ("extendReasonCode", "3"), ("requestIdentifier", text(128))],
        wrong: terms + [Wrong(4_000_011, "requestIdentifier", [nil, "\"\"", text(129), "5", #"["x"]"#, "true"])]
    )

    static let massExtension = FieldTable(
        method: .post,
        path: "/inApps/v1/subscriptions/extend/mass",
        valid: [
            ("requestIdentifier", #""7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e""#), ("extendByDays", "3"),
            ("extendReasonCode", "1"), ("productId", #""basic""#),
        ],
        wrong: [Wrong(4_000_011, "requestIdentifier", [nil, "\"\"", #""request 1""#, text(129), "5"])] + terms + [
            Wrong(4_000_023, "productId", [nil, "\"\"", #""unknown""#, #""coins""#, "5", text(300)]),
            Wrong(4_000_027, "storefrontCountryCodes", ["[]"]),
            Wrong(
                4_000_028,
                "storefrontCountryCodes",
                [#"["XXX"]"#, #"["usa"]"#, #"["USA",""]"#, "[1]", #""USA""#, "{}"]
            ),
        ]
    )
    static let all = [consumption, oldConsumption, oneExtension, massExtension]
}

/// Sends request bodies with wrong fields.
@Suite("Fields of request bodies")
struct FieldRefusalTests {
    private static let never = "2000000999999999"
    private static let notObjects = ["", "[", "[]", "true", #"{"a": true, "a": true}"#]

    @Test(
        "Each wrong field is refused with its own code, and a body that is no object without a code",
        arguments: FieldTable.all
    )
    func wrong(_ table: FieldTable) async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let path = table.path.replacing("{}", with: try await control.buy("coins", by: "ann").transactionId)
            for wrong in table.wrong {
                for value in wrong.values {
                    let answer = try await apple.send(table.method, path, table.body([wrong.key: value]))
                    try await apple.expectError(wrong.code, answer)
                }
            }
            for body in Self.notObjects {
                try await apple.expectEmpty(400, try await apple.send(table.method, path, body))
            }
        }
    }

    @Test(
        "Fields are checked in a fixed order, before the id is looked up",
        arguments: [FieldTable.consumption, .oldConsumption, .oneExtension]
    )
    func order(_ table: FieldTable) async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            let path = table.path.replacing("{}", with: Self.never)
            var changes: [String: String?] = [:]
            for wrong in table.wrong { changes[wrong.key] = "[]" }
            for wrong in table.wrong {
                try await apple.expectError(wrong.code, try await apple.send(table.method, path, table.body(changes)))
                changes[wrong.key] = .some(table.valid.first { $0.key == wrong.key }?.value)
            }
            let route = try #require(IdentifierRoute.all.first { $0.path == table.path })
            let unknown = try await apple.send(table.method, path, table.body(changes))
            try await apple.expectError(route.missing, unknown)
            let malformed = table.path.replacing("{}", with: "nonsense")
            try await apple.expectError(route.malformed, try await apple.send(table.method, malformed, "{}"))
        }
    }

    @Test("Consumption information: unknown keys and null are ignored; the share depends on the type of product")
    func consumption() async throws {
        try await AppleRoutes.run { control in
            let apple = control.apple
            func send(_ table: FieldTable, _ id: String, _ changes: [String: String?] = [:]) async throws
                -> AppleRoutes.Answer
            { try await apple.send(.put, table.path.replacing("{}", with: id), table.body(changes)) }
            let coins = try await control.buy("coins", by: "ann").transactionId
            for table in [FieldTable.consumption, .oldConsumption] {
                try await apple.expectEmpty(202, try await send(table, coins))
                let more = ["refundPreference": "null", "more": #"{"a":[1]}"#]
                try await apple.expectEmpty(202, try await send(table, coins, more))
            }
            let undelivered = ["consumptionPercentage": "1", "deliveryStatus": #""UNDELIVERED_OTHER""#]
            try await apple.expectError(4_000_208, try await send(.consumption, coins, undelivered))
            let season = try await control.buy("season", by: "ann").transactionId
            let skin = try await control.buy("skin", by: "ann").transactionId
            let prorated: [String: String?] = ["refundPreference": #""GRANT_PRORATED""#]
            for id in [coins, season, skin] {
                for share in [nil, "0", "100000"] {
                    let changes = prorated.merging(["consumptionPercentage": share]) { $1 }
                    try await apple.expectError(4_000_044, try await send(.consumption, id, changes))
                }
                let half = prorated.merging(["consumptionPercentage": "50000"]) { $1 }
                try await apple.expectEmpty(202, try await send(.consumption, id, half))
                let none = ["consumptionPercentage": "0", "deliveryStatus": #""UNDELIVERED_WRONG_ITEM""#]
                try await apple.expectEmpty(202, try await send(.consumption, id, none))
            }
            let basic = try await control.buy("basic", by: "ann").transactionId
            for share in ["0", "50000"] {
                let answer = try await send(.consumption, basic, ["consumptionPercentage": share])
                try await apple.expectError(4_000_209, answer)
            }
            try await apple.expectEmpty(202, try await send(.consumption, basic, prorated))
            // The older route accepts consumables and subscriptions only.
            for id in [season, skin] { try await apple.expectError(4_000_047, try await send(.oldConsumption, id)) }
            try await apple.expectEmpty(202, try await send(.oldConsumption, basic))
        }
    }
}
