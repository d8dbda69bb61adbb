import AppStoreServer
import Foundation
import TillControl
import TillJSON

/// The answers of an App Store server about one customer, with payloads in place of signed values.
struct AppleRecording {
    /// The endpoints, by the names of their keys in a file.
    enum Endpoint: String, CaseIterable {
        case history
        case historyV1
        case statuses
        case refunds
        case appTransaction
        case notifications
    }

    private static let format = "till-apple-recording-1"

    /// The answers of each endpoint, page by page. An endpoint that has no answer is missing.
    var answers: [Endpoint: [JSONTree]] = [:]

    // MARK: From a server

    /// Asks every endpoint about a customer.
    init(of id: String, from client: AppStoreServerClient, includesNotifications: Bool = true) async throws {
        let history = try await client.transactions(of: id).answers
        // All answers come from the environment that knows the customer.
        let client = history.first.map { client.at($0.server) } ?? client
        answers[.history] = history.map(\.tree)
        answers[.historyV1] = try await client.transactions(of: id, version: .v1).answers.map(\.tree)
        answers[.statuses] = [AppleAnswer(try await client.subscriptionStatuses(of: id)).tree]
        answers[.refunds] = try await client.refunds(of: id).answers.map(\.tree)
        do {
            answers[.appTransaction] = [AppleAnswer(try await client.appTransactionInfo(of: id)).tree]
        } catch let error as AppStoreServerError where error.status == 404 {
            // The customer never downloaded the app.
        }
        if includesNotifications { answers[.notifications] = try await notifications(of: id, from: client) }
        for (endpoint, pages) in answers { answers[endpoint] = pages.map(SignedAnswers.decoded) }
    }

    /// The notifications of as many days as the server permits.
    private func notifications(of id: String, from client: AppStoreServerClient) async throws -> [JSONTree] {
        // The clock of another server may differ from the local one.
        let signed = SignedAnswers.transactions(in: answers[.history] ?? []).compactMap { $0["signedDate"]?.number }
        let now = Timestamp(milliseconds: signed.max() ?? Int64(Date().timeIntervalSince1970 * 1_000))
        for days: Int64 in [179, 29] {
            do {
                let start = now.advanced(milliseconds: -days * 86_400_000)
                let end = now.advanced(milliseconds: 60_000)
                return try await client.notifications(from: start, to: end, filter: .transactionId(id)).answers
                    .map(\.tree)
            } catch let error as AppStoreServerError where error.code == .startDateTooFarInPast && days > 29 {
                // The sandbox keeps 30 days.
            }
        }
        return []
    }

    /// The recording with other ids, tokens and order ids.
    var anonymized: AppleRecording {
        var recording = self
        var anonymizer = Anonymizer()
        for endpoint in Endpoint.allCases {
            guard let pages = answers[endpoint] else { continue }
            var others: [JSONTree] = []
            for page in pages { others.append(anonymizer.replaced(page)) }
            recording.answers[endpoint] = others
        }
        return recording
    }

    // MARK: Files

    /// A recording in a file.
    init(file: String) throws {
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(try InputFile.read(file), limits: .depthOnly, keepsNull: true)
        } catch let error as JSONError {
            throw CommandRefused("\(file): \(error.withoutExcerpt.description)", code: "bad_document")
        }
        guard let recording = AppleRecording(tree) else {
            throw CommandRefused("\(file) is not a recording. Make one: till apple record", code: "bad_document")
        }
        self = recording
    }

    /// A recording; nil for any other document.
    init?(_ document: JSONTree) {
        guard document["format"]?.text == Self.format else { return nil }
        for endpoint in Endpoint.allCases { answers[endpoint] = document[endpoint.rawValue]?.elements }
    }

    /// The content of a file.
    var document: JSONTree {
        let parts = Endpoint.allCases.compactMap { endpoint in
            answers[endpoint].map { JSONTree.Member(endpoint.rawValue, .array($0)) }
        }
        return .object([.init("format", .string(Self.format))] + parts)
    }

    // MARK: Facts

    /// The document with which Till imports the customer.
    var importDocument: CustomerAnswers {
        let known: [Endpoint] = [.history, .statuses, .refunds, .appTransaction]
        return CustomerAnswers(
            answers: known.flatMap { answers[$0] ?? [] }.map { JSONObject($0) },
            historyV1: answers[.historyV1]?.map { JSONObject($0) }
        )
    }

    /// The first transaction, or the app transaction.
    private var sample: JSONTree? {
        let transaction = (answers[.history] ?? []).flatMap { $0["signedTransactions"]?.elements ?? [] }.first
        return transaction ?? answers[.appTransaction]?.first?["signedAppTransactionInfo"]
    }

    var bundleID: String? { sample?["bundleId"]?.text }

    var environment: StoreEnvironment? {
        switch (sample?["environment"] ?? sample?["receiptType"])?.text {
        case "Production": .production
        case "Sandbox": .sandbox
        default: nil
        }
    }

    var appAppleID: Int64? { answers[.history]?.first?["appAppleId"]?.number }

    /// Any id of the customer.
    var customerID: String? { (sample?["transactionId"] ?? sample?["appTransactionId"])?.text }
}
