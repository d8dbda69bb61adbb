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

/// Reads the notification history, and requests test notifications.
@Suite("Notification history and test notifications")
struct NotificationHistoryTests {
    private static let tests = "/inApps/v1/notifications/test"
    private static let hour: Int64 = 3_600_000
    private static let far = "4102444800000"

    @Test(
        "The history lists notifications with an attempt to the primary endpoint",
        arguments: StoreEnvironment.allCases
    )
    func listed(in environment: StoreEnvironment) async throws {
        try await NotificationHistory.run(in: environment, endpoint: nil) { history in
            try await history.buy("coins", by: "ann")
            let none = try await history.apple.json(.post, NotificationHistory.path, history.body())
            #expect(none.members.map(\.key) == ["hasMore", "notificationHistory"] && none["hasMore"] == .bool(false))
            #expect(none["notificationHistory"]?.elements == [])
            try await history.listen("analytics")
            try await history.buy("coins", by: "ann")
            #expect(try await history.receiver.requests(atLeast: 1).count == 1)
            #expect(try await history.items().isEmpty)
            _ = try await history.control.send(RemoveEndpoint(app: history.app, endpoint: "analytics"))
            try await history.listen()
            try await history.buy("coins", by: "ann")
            #expect(try await history.settled(1).map(\.words) == ["ONE_TIME_CHARGE"])
            let entry = try #require(try await history.pages()[0]["notificationHistory"]?.elements.first)
            #expect(Set(entry.members.map(\.key)) == ["signedPayload", "sendAttempts", "firstSendAttemptResult"])
            let attempt = try #require(entry["sendAttempts"]?.elements.first)
            #expect(Set(attempt.members.map(\.key)) == ["attemptDate", "sendAttemptResult"])
            #expect(attempt["attemptDate"]?.number == history.now)
            #expect(
                entry["firstSendAttemptResult"]?.text == "SUCCESS" && attempt["sendAttemptResult"]?.text == "SUCCESS"
            )
        }
    }

    @Test("With historyListsAll, the history also lists notifications without an attempt")
    func allListed() async throws {
        var settings = Settings()
        settings.historyListsAll = true
        try await NotificationHistory.run(settings: settings, endpoint: nil) { history in
            try await history.buy("coins", by: "ann")
            #expect(try await history.items().map(\.results) == [[]])
            #expect(try await history.items(["onlyFailures": "true"]).isEmpty)
            let entry = try #require(try await history.pages()[0]["notificationHistory"]?.elements.first)
            #expect(Set(entry.members.map(\.key)) == ["signedPayload", "sendAttempts"])
            try await history.listen()
            try await history.buy("coins", by: "ann")
            let results = try await history.control.waitFor {
                let found = try await history.items().map(\.results)
                return found.last?.isEmpty == false ? found : nil
            }
            #expect(results == [[], ["SUCCESS"]])
        }
    }

    @Test("The history is filtered by type, subtype, customer and signing date", arguments: StoreEnvironment.allCases)
    func filters(in environment: StoreEnvironment) async throws {
        try await NotificationHistory.run(in: environment) { history in
            let ann = try await history.buy("basic", by: "ann")
            history.control.test.advance(1_000)
            try await history.buy("pro", by: "ann")
            history.control.test.advance(1_000)
            let bob = try await history.buy("coins", by: "bob")
            history.control.test.advance(1_000)
            _ = try await history.control.send(RefundTransaction(app: history.app, transactionId: bob.transactionId))
            history.control.test.advance(1_000)
            try await history.buy("basic", by: "bob")
            history.control.test.advance(1_000)
            let all = try await history.settled(5)
            func words(_ changes: [String: String?]) async throws -> [String] {
                try await history.items(changes).map(\.words)
            }
            let subscribed = ["SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY"]
            #expect(try await words(["notificationType": #""SUBSCRIBED""#]) == subscribed)
            for (type, subtype, found) in [
                ("SUBSCRIBED", "INITIAL_BUY", subscribed), ("SUBSCRIBED", "RESUBSCRIBE", []),
                ("DID_CHANGE_RENEWAL_PREF", "UPGRADE", ["DID_CHANGE_RENEWAL_PREF/UPGRADE"]),
            ] as [(String, String, [String])] {
                let filter = ["notificationType": "\"\(type)\"", "notificationSubtype": "\"\(subtype)\""]
                #expect(try await words(filter) == found)
            }
            #expect(try await words(["notificationType": #""REFUND""#]) == ["REFUND"])
            #expect(try await words(["notificationType": #""EXPIRED""#]) == [])
            for type in NotificationType.allCases { _ = try await words(["notificationType": "\"\(type.rawValue)\""]) }
            let wanted = ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"]
            for (key, id) in [
                ("transactionId", ann.transactionId), ("transactionId", ann.appTransactionId),
                ("originalTransactionId", ann.originalTransactionId),
            ] {
                #expect(try await words([key: "\"\(id)\""]) == wanted, "\(key)")
            }
            #expect(try await words(["transactionId": "\"\(bob.transactionId)\""]).count == 3)
            let dates = all.compactMap { $0.payload["signedDate"]?.number }
            #expect(
                try await history.items(["startDate": "\(dates[2])"]).count == dates.filter { $0 >= dates[2] }.count
            )
            #expect(try await history.items(["endDate": "\(dates[2])"]).count == dates.filter { $0 <= dates[2] }.count)
            #expect(try await history.items(["endDate": Self.far]).count == 5, "an end in the future must count as now")
            let later = ["startDate": "\(history.now + Self.hour)", "endDate": "\(history.now + 2 * Self.hour)"]
            #expect(try await history.items(later).isEmpty)
        }
    }

    @Test("With a frozen clock, an end at its time finds everything, however much real time has passed")
    func frozen() async throws {
        try await NotificationHistory.run { history in
            try await history.freeze()
            let now = history.now
            for _ in 0..<3 { try await history.buy("coins", by: "ann") }
            history.control.test.advance(60_000)
            let items = try await history.settled(3, ["endDate": "\(now)"])
            let dates = items.compactMap { $0.payload["signedDate"]?.number }
            #expect(dates.contains { $0 > now }, "each event of a customer has a date of its own")
        }
    }

    @Test("Pages of twenty contain every notification once")
    func pages() async throws {
        try await NotificationHistory.run { history in
            var bought: [String] = []
            for number in 0..<45 {
                bought.append(try await history.buy("coins", by: number < 30 ? "ann" : "bob").transactionId)
            }
            let items = try await history.settled(45)
            #expect(items.compactMap(\.transactionId).sorted() == bought.sorted())
            for filter in [[:], ["notificationType": #""ONE_TIME_CHARGE""#]] as [[String: String?]] {
                let lengths = try await history.pages(filter).map { $0["notificationHistory"]?.elements.count }
                #expect(lengths == [20, 20, 5])
            }
            let ofAnn = try await history.items(["transactionId": "\"\(bought[0])\""])
            #expect(ofAnn.compactMap(\.transactionId) == Array(bought[..<30]))
            // A page that is exactly full is the last one.
            for _ in 0..<5 { try await history.buy("coins", by: "bob") }
            _ = try await history.settled(50)
            let ofBob = try await history.pages(["transactionId": "\"\(bought[30])\""])
            #expect(ofBob.map { $0["notificationHistory"]?.elements.count } == [20])
        }
    }

    @Test("A pagination token is valid only with its own body, app and environment")
    func tokens() async throws {
        try await NotificationHistory.run { history in
            var id = ""
            for _ in 0..<21 { id = try await history.buy("coins", by: "ann").transactionId }
            _ = try await history.settled(21)
            let body = history.body()
            let first = try await history.apple.json(.post, NotificationHistory.path, body)
            let token = try #require(first["paginationToken"]?.text)
            let path = "\(NotificationHistory.path)?paginationToken="
            let rest = try await history.apple.json(.post, path + token, body)
            #expect(rest["notificationHistory"]?.elements.count == 1 && rest["hasMore"] == .bool(false))
            let apple = history.apple
            let others: [[String: String?]] = [
                ["endDate": "\(history.now + 60_001)"],
                ["startDate": "\(history.now - 7 * NotificationHistory.day + 1)"],
                ["onlyFailures": "true"], ["notificationType": #""ONE_TIME_CHARGE""#], ["transactionId": "\"\(id)\""],
            ]
            for other in others {
                try await apple.expectError(4_000_014, try await apple.send(.post, path + token, history.body(other)))
            }
            let revision = try #require(try await apple.json("/inApps/v2/history/\(id)")["revision"]?.text)
            for wrong in QueryRefusalTests.changes(of: token, every: 5) + ["", "nonsense", revision] {
                try await apple.expectError(4_000_014, try await apple.send(.post, path + wrong, body))
            }
            let production = AppleRoutes(test: history.control.test, environment: .production)
            try await production.expectError(4_000_014, try await production.send(.post, path + token, body))
            let neighbour = try await history.control.addNeighbour()
            let foreign = try await apple.send(.post, path + token, body, headers: neighbour)
            try await apple.expectError(4_000_014, foreign)
        }
    }

    @Test("A notification counts as failed until it is delivered", arguments: StoreEnvironment.allCases)
    func failures(in environment: StoreEnvironment) async throws {
        try await NotificationHistory.run(in: environment) { history in
            try await history.freeze()
            history.answer(.status(500), .status(503), .status(200))
            try await history.buy("coins", by: "ann")
            let failing: [String: String?] = ["onlyFailures": "true", "endDate": Self.far]
            let failed = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
            #expect(try await history.settled(1, failing).map(\.results) == [[failed]])
            try await history.advance("1h")
            #expect(try await history.items(failing).map(\.results) == [[failed, failed]])
            try await history.advance("12h")
            #expect(try await history.items(failing).isEmpty)
            let item = try #require(try await history.items(["endDate": Self.far]).first)
            #expect(item.results == [failed, failed, "SUCCESS"])
            #expect(item.dates.map { ($0 - item.dates[0]) / Self.hour } == [0, 1, 13])
            #expect(Set(history.receiver.requests.map(\.body)).count == 1, "the body changed")
            history.answer(.status(500))
            try await history.buy("coins", by: "bob")
            try await history.advance("400h")
            let lost = try #require(try await history.items(failing).first)
            #expect(lost.dates.map { ($0 - lost.dates[0]) / Self.hour } == [0, 1, 13, 37, 85, 157])
            #expect(history.receiver.requests.count == 9)
        }
    }

    @Test("An update of an endpoint changes only what it names")
    func endpoint() async throws {
        try await NotificationHistory.run(endpoint: nil) { history in
            try await history.listen(types: ["REFUND"])
            try await history.buy("coins", by: "ann")
            let update = UpdateEndpoint(app: history.app, endpoint: "primary", types: [])
            let updated = try await history.control.send(update)
            #expect(updated.url == history.receiver.url && updated.types.isEmpty)
            try await history.buy("coins", by: "ann")
            #expect(try await history.settled(1).map(\.words) == ["ONE_TIME_CHARGE"])
            #expect(history.receiver.requests.count == 1)
        }
    }

    @Test("Notifications of an advanced environment and of a customer clock have their dates")
    func clocks() async throws {
        try await NotificationHistory.run { history in
            try await history.freeze()
            try await history.buy("coins", by: "ann")
            try await history.advance("P1Y")
            try await history.buy("coins", by: "ann")
            #expect(try await history.settled(2, ["endDate": Self.far]).count == 2)
            #expect(try await history.items().count == 1, "within the last week of real time, only the first")
            let early = ["startDate": "\(history.now - 32 * NotificationHistory.day)"] as [String: String?]
            let answer = try await history.apple.send(.post, NotificationHistory.path, history.body(early))
            try await history.apple.expectError(4_000_012, answer)
        }
        try await NotificationHistory.run { history in
            let later = CreateClock(app: history.app, name: "later", at: history.control.inDays(100))
            _ = try await history.control.send(later)
            _ = try await history.control.send(CreateCustomer(app: history.app, customer: "ann"))
            _ = try await history.control.send(UpdateCustomer(app: history.app, customer: "ann", clock: "later"))
            try await history.buy("coins", by: "ann")
            let item = try #require(try await history.settled(1, ["endDate": Self.far]).first)
            #expect((item.payload["signedDate"]?.number ?? 0) > history.now + 99 * NotificationHistory.day)
        }
    }

    // MARK: Refusals

    private static let wrongValues: [FieldTable.Wrong] = [
        .init(
            4_000_015,
            "startDate",
            [nil, #""yesterday""#, "1.5", "true", #""1767225600000""#, "1" + String(repeating: "0", count: 30)]
        ),
        .init(4_000_016, "endDate", [nil, #""2026-01-01""#, "[]"]),
        .init(4_000_012, "startDate", ["0", "-1", "1751500800000"]),
        .init(4_000_018, "notificationType", [#""SOMETHING""#, #""subscribed""#, "\"\"", "1"]),
        .init(4_000_018, "notificationSubtype", [#""INITIAL_BUY""#]),
        .init(4_000_006, "transactionId", [#""nonsense""#, #""0""#, "\"\"", "2000000000000000"]),
        .init(4_040_010, "transactionId", [#""2000000999999999""#, #""704999999999999999""#]),
    ]
    private static let id = #""2000000000000000""#
    private static let wrongPairs: [(Int, [String: String])] = [
        (4_000_013, ["startDate": "5000000000000", "endDate": "4999999999999"]),
        (4_000_013, ["startDate": "5000000000000", "endDate": "5000000000000"]),
        (4_000_018, ["notificationType": #""DID_RENEW""#, "notificationSubtype": #""INITIAL_BUY""#]),
        (4_000_018, ["notificationType": #""TEST""#, "notificationSubtype": #""SUMMARY""#]),
        (4_000_018, ["notificationType": #""SUBSCRIBED""#, "notificationSubtype": "\"\""]),
        (4_000_018, ["notificationSubtype": #""INITIAL_BUY""#, "transactionId": id]),
        (4_000_019, ["notificationType": #""SUBSCRIBED""#, "transactionId": id]),
        (4_000_019, ["notificationType": #""SUBSCRIBED""#, "originalTransactionId": id]),
    ]

    @Test("A wrong filter has its own code, and a body that is no object has none")
    func refusals() async throws {
        try await NotificationHistory.run(in: .production, endpoint: nil) { history in
            let apple = history.apple
            func expect(_ code: Int, _ changes: [String: String?]) async throws {
                let answer = try await apple.send(.post, NotificationHistory.path, history.body(changes))
                try await apple.expectError(code, answer)
            }
            for wrong in Self.wrongValues {
                for value in wrong.values { try await expect(wrong.code, [wrong.key: value]) }
            }
            for (code, changes) in Self.wrongPairs { try await expect(code, changes.mapValues { $0 }) }
            let flags = [#""true""#, "1", "0", "[]"].map { history.body(["onlyFailures": $0]) }
            for body in ["", "[", "[]", "1", "null", #"{"startDate": 1, "startDate": 2}"#] + flags {
                try await apple.expectEmpty(400, try await apple.send(.post, NotificationHistory.path, body))
            }
            let bought = try await history.control.buy("season", by: "ann").transactionId
            let body = history.body(["transactionId": "\"\(bought)\""])
            try await apple.expectError(4_040_010, try await apple.send(.post, NotificationHistory.path, body), bought)
            let neighbour = try await history.control.addNeighbour()
            let sandbox = history.control.apple
            let answer = try await sandbox.send(.post, NotificationHistory.path, body, headers: neighbour)
            try await sandbox.expectError(4_040_010, answer, bought)
        }
    }

    // MARK: Test notifications

    @Test("A test notification goes to the primary endpoint, whatever its types", arguments: StoreEnvironment.allCases)
    func testNotification(in environment: StoreEnvironment) async throws {
        try await NotificationHistory.run(in: environment, endpoint: nil) { history in
            let apple = history.apple
            try await apple.expectError(4_040_007, try await apple.send(.post, Self.tests))
            try await history.listen(types: ["REFUND"])
            let token = try await history.requestTest()
            let parts = token.split(separator: "_")
            #expect(UUID(uuidString: String(parts[0])) != nil && token == token.lowercased())
            #expect(
                parts.count == (environment == .production ? 2 : 1) && parts.dropFirst().allSatisfy { $0.count == 13 }
            )
            let received = try await history.receiver.requests(atLeast: 1)[0].body
            let status = try await history.control.waitFor {
                let answer = try await apple.get("\(Self.tests)/\(token)")
                if answer.status == 200 { return try answer.json }
                try await apple.expectError(4_040_008, answer)
                return nil
            }
            #expect(Set(status.members.map(\.key)) == ["signedPayload", "sendAttempts", "firstSendAttemptResult"])
            #expect(status["signedPayload"]?.text == (try JSONTree.parse(received))["signedPayload"]?.text)
            #expect(status["firstSendAttemptResult"]?.text == "SUCCESS")
            let item = try history.item(status)
            #expect(item.words == "TEST" && item.results == ["SUCCESS"])
            #expect(item.payload["notificationUUID"]?.text == parts.first.map(String.init))
            let data = item.payload["data"]?.members.map(\.key) ?? []
            #expect(Set(data) == ["appAppleId", "bundleId", "environment"])
            #expect(try await history.items(["notificationType": #""TEST""#]).map(\.words) == ["TEST"])
            #expect(try await apple.json("\(Self.tests)/\(token.uppercased())") == status)
        }
    }

    @Test("A test notification is found after its first attempt, by its own app and environment, for six months")
    func testStatus() async throws {
        try await NotificationHistory.run { history in
            let apple = history.apple
            history.answer(.hang)
            let pending = try await history.requestTest()
            _ = try await history.receiver.requests(atLeast: 1)
            try await apple.expectError(4_040_008, try await apple.get("\(Self.tests)/\(pending)"))
        }
        try await NotificationHistory.run { history in
            let apple = history.apple
            try await history.freeze()
            let token = try await history.requestTest()
            try await history.buy("skin", by: "ann")
            let items = try await history.settled(2)
            let other = items.first { $0.words != "TEST" }?.payload["notificationUUID"]?.text
            let uuid = UUID().uuidString.lowercased()
            for unknown in [try #require(other), "\(token)_1767225600000", uuid] {
                try await apple.expectError(4_040_008, try await apple.get("\(Self.tests)/\(unknown)"))
            }
            let production = AppleRoutes(test: history.control.test, environment: .production)
            try await production.expectError(4_040_008, try await production.get("\(Self.tests)/\(token)"))
            let neighbour = try await history.control.addNeighbour()
            let foreign = try await apple.get("\(Self.tests)/\(token)", headers: neighbour)
            try await apple.expectError(4_040_008, foreign)
            for wrong in ["nonsense", "", String(repeating: "1", count: 36), "_", "\(uuid)_", "\(uuid)_x"]
                + ["\(uuid)_1.5", "\(uuid)-1", "\(uuid)_1_2", "x\(uuid)"]
            {
                try await apple.expectError(4_000_020, try await apple.get("\(Self.tests)/\(wrong)"))
            }
            try await history.advance("P5M")
            #expect(try await apple.json("\(Self.tests)/\(token)")["sendAttempts"]?.elements.isEmpty == false)
            try await history.advance("P2M")
            try await apple.expectError(4_040_008, try await apple.get("\(Self.tests)/\(token)"))
        }
    }
}
