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
import TillTesting

/// A shop behind its API: requests go to the router of Apple's routes, and notifications to an endpoint on a socket.
/// Other tests use a socket for the routes: the test client gives up after twenty seconds, too few on a busy machine.
/// Everything it signed is kept in a folder of the build, where Apple's own library verifies it afterwards.
final class HTTPStage: Stage {
    private let inner: ShopStage
    private let post: ListeningPost
    private let deliveryWorker: DeliveryWorker
    init(_ settings: StageSettings) async throws {
        let post = try await ListeningPost.start { _ in .status(200) }
        self.post = post
        inner = try await ShopStage(settings, on: .sqlite)
        try await inner.test.shop.updateRules(of: inner.scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
        deliveryWorker = try inner.test.startSending()
    }

    func open(_ customer: String, storefront: Storefront) async throws {
        try await inner.open(customer, storefront: storefront)
    }

    func perform(_ operation: StageOperation, by customer: String) async throws {
        try await inner.perform(operation, by: customer)
    }

    func perform(_ task: Job.Work) async throws { try await inner.perform(task) }

    func put(_ product: Product) async throws { try await inner.put(product) }

    func advance(to instant: Timestamp) async throws {
        _ = try await inner.test.shop.advance(inner.clock, .to(instant), settling: true)
    }

    func received() async throws -> [ReceivedNotification] {
        let report = try await inner.test.shop.advance(inner.clock, .by(milliseconds: 0), settling: true)
        #expect(report.pending == 0)
        let bodies = post.requests.map { String(decoding: $0.body, as: UTF8.self) }
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
        guard let id = try await inner.known(customer)?.id.wireForm else { return [] }
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
        guard let id = try await inner.known(customer)?.id.wireForm else { return [] }
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

    // MARK: Parts

    private func get<Answer: Decodable & Sendable>(_ type: Answer.Type, _ uri: String) async throws -> Answer {
        let api = AppleAPI(
            shop: inner.test.shop,
            environment: inner.environment,
            meter: RequestMeter(factory: PrometheusFigures())
        )
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

    /// Keeps the signed data, with the root that verifies it.
    private func keep(_ payloads: [String]) throws {
        let folder = URL(fileURLWithPath: "\(Self.keptFolder)/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let root = try #require(inner.test.shop.signingChain.certificatesDER.last)
        try Data(root).write(to: folder.appendingPathComponent("root.der"))
        let lines = "\(inner.environment.wireName)\n" + payloads.joined(separator: "\n") + "\n"
        try Data(lines.utf8).write(to: folder.appendingPathComponent("payloads.txt"))
    }

    /// Where Apple's library looks for the collected data of the scenarios (Tests/Python/test_scenarios.py).
    static let keptFolder = ".build/test-logs/scenarios"

    deinit {
        let (deliveryWorker, post) = (deliveryWorker, post)
        Task {
            await deliveryWorker.stop()
            try? await post.stop()
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
