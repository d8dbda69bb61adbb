import Foundation
import HTTPTypes
import Synchronization
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// The notification history of a shop that sends notifications to a webhook receiver on a socket.
struct NotificationHistory: Sendable {
    static let path = "/inApps/v1/notifications/history"
    static let day: Int64 = 86_400_000

    /// A notification in a history.
    struct Item: Sendable {
        /// The type and the subtype, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`.
        let words: String
        let signedPayload: String
        let payload: JSONTree
        let results: [String]
        let dates: [Int64]
        let transaction: JSONTree?
        var transactionId: String? { transaction?["transactionId"]?.text }
    }

    let control: TypedControl
    let receiver: WebhookReceiver
    let environment: StoreEnvironment
    fileprivate let answers: Answers
    var app: AppEnvironment { AppEnvironment(TestShop.bundleID, environment) }
    var apple: AppleRoutes { AppleRoutes(test: control.test, environment: environment) }
    var now: Int64 { control.test.now.milliseconds }

    /// The answers to the next requests; afterwards, the receiver always gives the last one.
    fileprivate final class Answers: Sendable {
        let next = Mutex<[WebhookReceiver.Answer]>([.status(200)])

        func take() -> WebhookReceiver.Answer {
            next.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .status(200) }
        }
    }

    /// Runs a test with a delivery worker and a receiver, in an environment.
    static func run(
        in environment: StoreEnvironment = .sandbox,
        settings: Settings = Settings(),
        endpoint: String? = "primary",
        _ body: @escaping @Sendable (NotificationHistory) async throws -> Void
    ) async throws {
        var settings = settings
        // Even on a busy machine, the receiver answers within this time, so that nothing is sent twice.
        settings.deliveryTimeout = 120
        let answers = Answers()
        let receiver = try await WebhookReceiver.start { _ in answers.take() }
        try await AppleRoutes.run(settings: settings) { control in
            let deliveryWorker = try control.test.startSending()
            let history = NotificationHistory(
                control: control,
                receiver: receiver,
                environment: environment,
                answers: answers
            )
            if let endpoint { try await history.listen(endpoint) }
            try await body(history)
            await control.test.stopSending(deliveryWorker)
        }
        try await receiver.stop()
    }

    /// Sets the answers to the next requests; afterwards, the receiver always gives the last one.
    func answer(_ next: WebhookReceiver.Answer...) { answers.next.withLock { $0 = next } }

    /// Makes the receiver an endpoint.
    func listen(
        _ name: String = "primary",
        types: [String]? = nil,
        version: NotificationVersion? = nil
    ) async throws {
        let endpoint = SetEndpoint(app: app, endpoint: name, url: receiver.url, types: types, version: version)
        _ = try await control.send(endpoint)
    }

    @discardableResult
    func buy(_ product: String, by customer: String) async throws -> TransactionInfo {
        try await control.buy(product, by: customer, in: app, offer: product == "basic" ? .noOffer : nil)
    }

    /// Freezes the environment's clock.
    func freeze() async throws { _ = try await control.send(SetClock(app: app, mode: .frozen)) }

    /// Advances the environment's clock and waits for the deliveries that are due on the way.
    func advance(_ duration: String) async throws {
        var advance = AdvanceClock(app: app, by: duration)
        advance.settle = 60
        _ = try await control.send(advance)
    }

    /// The body of a request for everything since last week. Values are JSON; a change to nil removes a key.
    func body(_ changes: [String: String?] = [:]) -> String {
        let whole: [String: String?] = ["startDate": "\(now - 7 * Self.day)", "endDate": "\(now + 60_000)"]
        let members = whole.merging(changes) { $1 }.sorted { $0.key < $1.key }
        return "{\(members.compactMap { key, value in value.map { #""\#(key)":\#($0)"# } }.joined(separator: ","))}"
    }

    /// The pages of the history.
    func pages(_ changes: [String: String?] = [:]) async throws -> [JSONTree] {
        let body = self.body(changes)
        var pages: [JSONTree] = []
        var query = ""
        repeat {
            let page = try await apple.json(.post, Self.path + query, body)
            pages.append(page)
            let token = page["paginationToken"]?.text
            #expect(page["hasMore"] == .bool(token != nil))
            if let token {
                #expect(token.utf8.count == 56 && page["notificationHistory"]?.elements.count == 20)
                query = "?paginationToken=\(token)"
            }
        } while pages.last?["hasMore"] == .bool(true) && pages.count < 100
        return pages
    }

    /// All notifications of the history, in the order of their signing dates.
    func items(_ changes: [String: String?] = [:]) async throws -> [Item] {
        let entries = try await pages(changes).flatMap { $0["notificationHistory"]?.elements ?? [] }
        let items = try entries.map(item)
        let dates = items.map { $0.payload["signedDate"]?.number ?? 0 }
        #expect(dates == dates.sorted())
        return items
    }

    func item(_ entry: JSONTree) throws -> Item {
        let signed = try #require(entry["signedPayload"]?.text)
        let payload = try control.payload(of: signed)
        let attempts = entry["sendAttempts"]?.elements ?? []
        return Item(
            words: [payload["notificationType"], payload["subtype"]].compactMap { $0?.text }.joined(separator: "/"),
            signedPayload: signed,
            payload: payload,
            results: attempts.compactMap { $0["sendAttemptResult"]?.text },
            dates: attempts.compactMap { $0["attemptDate"]?.number },
            transaction: try payload["data"]?["signedTransactionInfo"].map { try control.payload(of: $0.text) }
        )
    }

    /// Waits until the history has a number of notifications, and returns them.
    func settled(_ count: Int, _ changes: [String: String?] = [:]) async throws -> [Item] {
        try await control.waitFor {
            let items = try await items(changes)
            #expect(items.count <= count, "\(items.map(\.words))")
            return items.count >= count ? items : nil
        }
    }

    /// Requests a test notification and returns its token.
    func requestTest() async throws -> String {
        let answer = try await apple.json(.post, "/inApps/v1/notifications/test")
        #expect(answer.members.map(\.key) == ["testNotificationToken"])
        return try #require(answer["testNotificationToken"]?.text)
    }
}
