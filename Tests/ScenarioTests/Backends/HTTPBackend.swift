import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillCore
import TillServer
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// A shop behind its API. The router of the App Store Server API answers requests in the process, and notifications go
/// to an endpoint on a socket.
/// The routes use no socket here, because the HTTP test client gives up after twenty seconds, too soon on a busy
/// machine. Other tests send requests through a socket.
/// The signed data are kept in a folder of the build, where Apple's own library verifies them afterwards.
final class HTTPBackend: WireBackend {
    private let inner: ShopBackend
    private let receiver: WebhookReceiver
    private let deliveryWorker: DeliveryWorker
    init(_ settings: BackendSettings) async throws {
        let receiver = try await WebhookReceiver.start { _ in .status(200) }
        self.receiver = receiver
        inner = try await ShopBackend(settings, on: .sqlite)
        try await inner.test.shop.setup.updateRules(of: inner.scope) {
            $0.endpoints = [EndpointRecord(url: receiver.url)]
        }
        deliveryWorker = try inner.test.startSending()
    }

    func open(_ customer: String, storefront: Storefront) async throws {
        try await inner.open(customer, storefront: storefront)
    }

    func perform(_ command: Command, by customer: String) async throws -> Transaction? {
        try await inner.perform(command, by: customer)
    }

    func perform(_ work: Job.Work) async throws { try await inner.perform(work) }

    func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws {
        try await inner.change(product, change)
    }

    func account(of customer: String) async throws -> Account? { try await inner.account(of: customer) }

    func transactions(of customer: String) async throws -> [Transaction] {
        try await inner.transactions(of: customer)
    }

    func advance(to instant: Timestamp) async throws {
        try await inner.test.advanceAndSettle(inner.clock, .to(instant))
    }

    func received() async throws -> [ReceivedNotification] {
        let (_, deliveries) = try await inner.test.advanceAndSettle(inner.clock, .by(milliseconds: 0))
        #expect(deliveries.pending.allSatisfy { $0.due == nil })
        let bodies = receiver.requests.map { String(decoding: $0.body, as: UTF8.self) }
        var received: [ReceivedNotification] = []
        var payloads: [String] = []
        for body in bodies {
            let payload = try JSONDecoder().decode(Posted.self, from: Data(body.utf8)).signedPayload
            // An endpoint may receive a notification twice, with the same bytes, and ignores the duplicate.
            guard !payloads.contains(payload) else { continue }
            payloads.append(payload)
            received += try await inner.received(payload)
        }
        try keep(payloads)
        return received
    }

    func history(of customer: String) async throws -> [ReceivedTransaction] {
        guard let id = try await inner.account(of: customer)?.id.wireForm else { return [] }
        var rows: [ReceivedTransaction] = []
        var revision = ""
        while true {
            let page = try await get(
                HistoryAnswer.self,
                "/inApps/v2/history/\(id)?sort=ASCENDING" + (revision.isEmpty ? "" : "&revision=\(revision)")
            )
            rows += try page.signedTransactions.map { try SignedText.decode(ReceivedTransaction.self, $0) }
            guard page.hasMore else { return rows }
            revision = page.revision
        }
    }

    func subscriptions(of customer: String) async throws -> [ReceivedSubscription] {
        guard let id = try await inner.account(of: customer)?.id.wireForm else { return [] }
        let answer = try await get(StatusAnswer.self, "/inApps/v1/subscriptions/\(id)")
        return try answer.data.flatMap(\.lastTransactions).map { item in
            ReceivedSubscription(
                status: item.status,
                transaction: try SignedText.decode(ReceivedTransaction.self, item.signedTransactionInfo),
                renewalInfo: try SignedText.decode(ReceivedRenewalInfo.self, item.signedRenewalInfo)
            )
        }.sorted {
            (Int64($0.transaction.originalTransactionId) ?? 0) < (Int64($1.transaction.originalTransactionId) ?? 0)
        }
    }

    // MARK: Parsing and storing signed data

    private func get<Answer: Decodable & Sendable>(_ type: Answer.Type, _ uri: String) async throws -> Answer {
        let api = inner.test.appleAPI(in: inner.environment)
        let token = try inner.test.token()
        return try await Application(router: api.router(), logger: inner.test.shop.logger).test(.router) { client in
            let answer = try await client.execute(
                uri: uri,
                method: .get,
                headers: [.authorization: "Bearer \(token)"]
            ) { $0 }
            #expect(answer.status == .ok)
            return try JSONDecoder().decode(type, from: Data(Array(buffer: answer.body)))
        }
    }

    /// Stores the signed data, with the root certificate that verifies them.
    private func keep(_ payloads: [String]) throws {
        let folder = URL(fileURLWithPath: "\(Self.keptFolder)/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let root = try #require(inner.test.shop.signingChain.certificatesDER.last)
        try Data(root).write(to: folder.appendingPathComponent("root.der"))
        let lines = "\(inner.environment.wireName)\n" + payloads.joined(separator: "\n") + "\n"
        try Data(lines.utf8).write(to: folder.appendingPathComponent("payloads.txt"))
    }

    /// The folder in which Apple's library looks for the signed data (Tests/Python/api/test_scenarios.py).
    static let keptFolder = ".build/test-logs/scenarios"

    deinit {
        let (deliveryWorker, receiver) = (deliveryWorker, receiver)
        Task {
            await deliveryWorker.stop()
            try? await receiver.stop()
        }
    }
}

private struct Posted: Decodable {
    var signedPayload: String
}

private struct HistoryAnswer: Decodable, Sendable {
    var revision: String
    var hasMore: Bool
    var signedTransactions: [String]
}

private struct StatusAnswer: Decodable, Sendable {
    struct Group: Decodable, Sendable {
        var lastTransactions: [Item]
    }

    struct Item: Decodable, Sendable {
        var status: Int
        var signedTransactionInfo: String
        var signedRenewalInfo: String
    }

    var data: [Group]
}
