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

/// Extends renewal dates of one subscription, and of all subscribers of a product.
@Suite("Extensions on the App Store Server API")
struct ExtensionRouteTests {
    private static let one = "/inApps/v1/subscriptions/extend/"
    private static let mass = "/inApps/v1/subscriptions/extend/mass"
    private static let day: Int64 = 86_400_000

    private static func extend(
        _ shop: AppServer,
        _ id: String,
        days: Int = 3,
        request: String = "one"
    ) async throws -> AppleRoutes.Answer {
        let body = #"{"extendByDays":\#(days),"extendReasonCode":1,"requestIdentifier":"\#(request)"}"#
        return try await shop.apple.send(.put, one + id, body)
    }

    /// The expiration date of a customer's latest transaction.
    private static func expires(_ shop: AppServer, _ customer: String) async throws -> Int64? {
        try await shop.control.statuses(of: customer, in: shop.app).first?.transaction["expiresDate"]?.number
    }

    @Test("An answer has exactly the documented keys; a repeated request gets the same answer and extends nothing")
    func repeated() async throws {
        try await AppServer.run { shop in
            for (index, request) in [
                "request 1", String(repeating: "Ünï ✓", count: 16), "B1A1D2C3-0000-4000-8000-00000000000A",
            ]
            .enumerated() {
                let bought = try await shop.buy("basic", by: "ann\(index)")
                let first = try await Self.extend(shop, bought.transactionId, days: 10, request: request)
                #expect(first.status == 200 && first.contentType == "application/json")
                let json = try first.json
                let keys = ["originalTransactionId", "webOrderLineItemId", "success", "effectiveDate"]
                #expect(Set(json.members.map(\.key)) == Set(keys) && json["success"] == .bool(true))
                let date = try #require(json["effectiveDate"]?.number)
                #expect(date == (bought.expiresDate?.milliseconds ?? 0) + 10 * Self.day)
                let spelling = request.hasPrefix("B1A1") ? request.lowercased() : request
                for days in [10, 20] {
                    let again = try await Self.extend(shop, bought.transactionId, days: days, request: spelling)
                    #expect(again.text == first.text)
                }
                #expect(try await Self.expires(shop, "ann\(index)") == date)
                let second = try await Self.extend(shop, bought.transactionId, days: 10, request: request + "!")
                #expect(try second.json["effectiveDate"]?.number == date + 10 * Self.day)
            }
        }
    }

    @Test("A customer gets two extensions within a year; trials, ended and other purchases get none")
    func ineligible() async throws {
        try await AppServer.run { shop in
            let apple = shop.apple
            let basic = try await shop.buy("basic", by: "ann").transactionId
            for number in 0..<2 {
                #expect(try await Self.extend(shop, basic, request: "\(number)").status == 200)
            }
            try await apple.expectError(4_030_005, try await Self.extend(shop, basic, request: "2"))
            #expect(try await Self.extend(shop, basic, request: "0").status == 200)
            let trial = try await shop.buy("basic", by: "bob", offer: nil).transactionId
            try await apple.expectError(4_030_004, try await Self.extend(shop, trial), "trial")
            let expired = try await shop.lapsed("basic", by: "cat").transactionId
            let refunded = try await shop.buy("basic", by: "dan").transactionId
            try await shop.refund(refunded)
            let coins = try await shop.buy("coins", by: "ann").transactionId
            for id in [expired, refunded, coins] {
                try await apple.expectError(4_030_004, try await Self.extend(shop, id))
            }
        }
    }

    @Test("Only the original transaction of the purchaser can be extended; members get the same date")
    func originals() async throws {
        try await AppServer.run { shop in
            let apple = shop.apple
            _ = try await shop.control.send(CreateFamily(app: shop.app, organizer: "ann", members: ["bob"]))
            let first = try await shop.buy("basic", by: "ann")
            let copies = try await shop.control.history(of: "bob", in: shop.app)
            let copy = try #require(copies.first?.text("transactionId"))
            try await apple.expectError(4_030_007, try await Self.extend(shop, copy))
            let second = try await shop.buy("pro", by: "ann")
            try await apple.expectError(4_040_005, try await Self.extend(shop, second.transactionId))
            try await apple.expectError(4_000_008, try await Self.extend(shop, first.appTransactionId))
            let answer = try await Self.extend(shop, first.transactionId).json
            #expect(answer.text("webOrderLineItemId") == second.webOrderLineItemId)
            #expect(try await Self.expires(shop, "bob") == answer["effectiveDate"]?.number)
        }
    }

    // MARK: All subscribers

    /// Requests a mass extension and waits until it is complete.
    private static func extendAll(_ shop: AppServer, _ request: String, _ storefronts: String = "") async throws
        -> JSONTree
    {
        let body = """
            {"extendByDays":7,"extendReasonCode":3,"productId":"basic","requestIdentifier":"\(request)"\(storefronts)}
            """
        let answer = try await shop.apple.json(.post, mass, body)
        #expect(answer == .object([.init("requestIdentifier", .string(request))]))
        return try await shop.control.waitFor {
            let status = try await shop.apple.json("\(mass)/basic/\(request)")
            #expect(status.text("requestIdentifier") == request)
            return status["complete"] == .bool(true) ? status : nil
        }
    }

    @Test("A mass extension runs once per request identifier, also while the clock is frozen, and has these keys")
    func massExtension() async throws {
        try await AppServer.run { shop in
            let bought = try await shop.buy("basic", by: "ann")
            let extended = (bought.expiresDate?.milliseconds ?? 0) + 7 * Self.day
            let request = "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"
            for spelling in [request, request, request.uppercased()] {
                let status = try await Self.extendAll(shop, spelling)
                let keys = ["requestIdentifier", "complete", "completeDate", "succeededCount", "failedCount"]
                #expect(Set(status.members.map(\.key)) == Set(keys))
                #expect(status["completeDate"]?.number == shop.control.test.now.milliseconds)
                #expect(status["succeededCount"]?.number == 1 && status["failedCount"]?.number == 0)
            }
            #expect(try await Self.expires(shop, "ann") == extended)
            #expect(try await shop.apple.send(.post, Self.mass + "/", FieldTable.massExtension.body()).status == 200)
            let german = BuyProduct(
                app: shop.app,
                customer: "bob",
                productId: "basic",
                storefront: Storefront(code: "DEU"),
                offer: .noOffer
            )
            let before = try #require(try await shop.control.send(german).transaction?.expiresDate).milliseconds
            _ = try await shop.control.send(SetClock(app: shop.app, mode: .frozen))
            let abroad = try await Self.extendAll(shop, UUID().uuidString, #","storefrontCountryCodes":["DEU","FRA"]"#)
            #expect(abroad["succeededCount"]?.number == 1)
            #expect(try await Self.expires(shop, "bob") == before + 7 * Self.day)
            #expect(try await Self.expires(shop, "ann") == extended)
        }
    }

    @Test("The status of a mass extension belongs to one app, environment and product")
    func status() async throws {
        try await AppServer.run { shop in
            let apple = shop.apple
            let request = "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"
            _ = try await Self.extendAll(shop, request)
            let production = AppleRoutes(test: shop.control.test, environment: .production)
            let path = "\(Self.mass)/basic/\(request)"
            try await production.expectError(4_040_009, try await production.get(path))
            try await apple.expectError(4_040_009, try await apple.get("\(Self.mass)/pro/\(request)"))
            let neighbour = try await shop.control.addNeighbour()
            try await apple.expectError(4_040_009, try await apple.get(path, headers: neighbour))
            let unknown = UUID().uuidString
            let long = String(repeating: "x", count: 300)
            for (product, request, code) in [
                ("basic", unknown, 4_040_009), ("unknown", unknown, 4_040_009), ("basic", "nonsense", 4_000_011),
                ("basic", "", 4_000_011), ("basic", unknown + "x", 4_000_011), ("", unknown, 4_000_023),
                (long, unknown, 4_000_023), (long, "nonsense", 4_000_023), ("", "", 4_000_023),
            ] {
                try await apple.expectError(code, try await apple.get("\(Self.mass)/\(product)/\(request)"))
            }
        }
    }

    // MARK: Consumption information

    private static let declined = "REFUND_DECLINED"

    @Test(
        "The developer's preference is applied twelve hours after the refund request",
        arguments: [
            ("coins", FieldTable.consumption, ["refundPreference": #""DECLINE""#], Int64?.none),
            ("coins", .consumption, ["refundPreference": #""GRANT_FULL""#], 100_000),
            (
                "coins", .consumption, ["refundPreference": #""GRANT_PRORATED""#, "consumptionPercentage": "40000"],
                60_000
            ),
            ("coins", .consumption, [:], 100_000), ("basic", .consumption, ["refundPreference": #""DECLINE""#], nil),
            ("basic", .consumption, ["refundPreference": #""GRANT_PRORATED""#], -1),
            ("coins", .oldConsumption, ["refundPreference": "2"], nil),
            ("coins", .oldConsumption, ["refundPreference": "1"], 100_000),
            ("basic", .oldConsumption, ["refundPreference": "3"], 100_000), ("basic", .oldConsumption, [:], 100_000),
        ] as [(String, FieldTable, [String: String], Int64?)]
    )
    func preference(
        _ product: String,
        _ table: FieldTable,
        _ changes: [String: String],
        _ percentage: Int64?
    ) async throws {
        for environment in StoreEnvironment.allCases {
            try await NotificationHistory.run(in: environment) { history in
                try await history.freeze()
                let id = try await history.buy(product, by: "ann").transactionId
                let request = RequestRefund(app: history.app, transactionId: id, reason: .legal)
                _ = try await history.control.send(request)
                try await history.advance("1h")
                let far: [String: String?] = ["endDate": "4102444800000"]
                let items = try await history.items(far)
                let asked = items.filter { $0.words == "CONSUMPTION_REQUEST" }
                #expect(asked.map { $0.payload["data"]?.text("consumptionRequestReason") } == ["LEGAL"])
                #expect(asked.first?.transactionId == id)
                let path = table.path.replacing("{}", with: id)
                let answer = try await history.apple.send(.put, path, table.body(changes.mapValues { $0 }))
                try await history.apple.expectEmpty(202, answer)
                try await history.advance("12h")
                let after = try await history.items(far).filter { $0.words.hasPrefix("REFUND") }
                #expect(after.map(\.words) == [percentage == nil ? Self.declined : "REFUND"])
                guard let percentage else { return }
                let refunded = after.first?.transaction?["revocationPercentage"]?.number ?? 0
                let isExpected = percentage < 0 ? (90_001..<100_000).contains(refunded) : refunded == percentage
                #expect(isExpected, "\(refunded)")
                let renewal = try after.first?.payload["data"]?["signedRenewalInfo"].map {
                    try history.control.payload(of: $0.text)
                }
                #expect(renewal?["autoRenewStatus"]?.number == (product == "basic" ? 0 : nil))
            }
        }
    }

    @Test("The last consumption information within twelve hours counts; other information is accepted and ignored")
    func last() async throws {
        try await NotificationHistory.run { history in
            try await history.freeze()
            let id = try await history.buy("coins", by: "ann").transactionId
            func send(_ table: FieldTable, _ preference: String) async throws {
                let body = table.body(["refundPreference": preference])
                let path = table.path.replacing("{}", with: id)
                try await history.apple.expectEmpty(202, try await history.apple.send(.put, path, body))
            }
            try await send(.consumption, #""GRANT_FULL""#)
            _ = try await history.control.send(RequestRefund(app: history.app, transactionId: id, reason: .other))
            try await send(.consumption, #""GRANT_FULL""#)
            try await send(.oldConsumption, "2")
            try await history.advance("13h")
            let far: [String: String?] = ["endDate": "4102444800000"]
            let words = try await history.settled(3, far).map(\.words)
            #expect(words == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", Self.declined])
            try await send(.consumption, #""GRANT_FULL""#)
            try await history.advance("13h")
            #expect(try await history.items(far).map(\.words) == words)
        }
    }
}
