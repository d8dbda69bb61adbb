import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TillCore
import TillJSON
import TillServer
import TillShop
import TillSigning
import TillTestSupport

/// Everything that the App Store Server API answers about one customer.
struct APIAnswers {
    private var lists: [String: [JSONTree]] = [:]
    private var statuses: JSONTree?
    private var appTransaction: JSONTree?
    private var orders: [(id: String, answer: JSONTree)] = []

    private static let paged = [
        "historyV1": "/inApps/v1/history/", "historyV2": "/inApps/v2/history/", "refunds": "/inApps/v2/refund/lookup/",
    ]

    /// Asks the routes of a shop.
    ///
    /// - Parameters:
    ///   - id: any id of the customer.
    ///   - orderIDs: the orders to look up, which only production does.
    ///   - shop: another shop on the same store; nil for the shop of the test.
    init(
        of id: String,
        orders orderIDs: [String] = [],
        from test: TestShop,
        in environment: StoreEnvironment,
        of shop: Shop? = nil
    ) async throws {
        let token = try test.token()
        let router = test.appleAPI(in: environment, of: shop).router()
        let answers = try await Application(router: router, logger: test.shop.logger).test(.router) { client in
            func get(_ path: String) async throws -> JSONTree? {
                let headers: HTTPFields = [.authorization: "Bearer \(token)"]
                let answer = try await client.execute(uri: path, method: .get, headers: headers) { $0 }
                guard answer.status == .ok else { return nil }
                return try JSONTree.parse(Array(buffer: answer.body))
            }
            var answers = Self()
            for (name, path) in Self.paged {
                var revision = ""
                while let page = try await get(path + id + revision) {
                    answers.lists[name, default: []].append(page)
                    guard page["hasMore"]?.isTrue == true, let next = page["revision"]?.text else { break }
                    revision = "?revision=\(next)"
                }
            }
            answers.statuses = try await get("/inApps/v1/subscriptions/\(id)")
            answers.appTransaction = try await get("/inApps/v1/transactions/appTransactions/\(id)")
            for order in environment == .production ? orderIDs : [] {
                if let answer = try await get("/inApps/v1/lookup/\(order)") { answers.orders.append((order, answer)) }
            }
            return answers
        }
        self = answers
    }

    private init() {}

    /// The document that an import takes.
    func document() throws -> [UInt8] {
        let answers =
            (lists["historyV2"] ?? []) + (lists["refunds"] ?? []) + [statuses, appTransaction].compactMap(\.self)
        let looked = orders.map { JSONTree.members(["orderId": .string($0.id), "answer": $0.answer]) }
        return JSONTree.members([
            "answers": .array(answers), "historyV1": .array(lists["historyV1"] ?? []), "orders": .array(looked),
        ]).compact
    }

    // MARK: Comparable lines

    /// One line for each signed value, without its signature and its signing date.
    ///
    /// - Parameters:
    ///   - known: the ids at the time of the import. Other ids are replaced by their position.
    ///   - leavesOutCopies: whether to leave out what family members share.
    func lines(known: Set<String>? = nil, leavesOutCopies: Bool = false) throws -> [String] {
        try lines(known.map { try names(of: $0) } ?? [:], leavesOutCopies: leavesOutCopies)
    }

    /// The lines of any customer with the same purchases: every id is replaced by its position.
    func linesWithoutIDs() throws -> [String] {
        var names = try names(of: [], leavesOutCopies: false)
        for payload in try payloads("historyV2") { names[payload["appTransactionId"]?.text ?? ""] = "customer" }
        if let signed = appTransaction?["signedAppTransactionInfo"] {
            names[try Self.payload(signed)["appTransactionId"]?.text ?? ""] = "customer"
        }
        for (place, order) in orders.enumerated() { names[order.id] = "order-\(place)" }
        return try lines(names, leavesOutCopies: false)
    }

    private func lines(_ names: [String: String], leavesOutCopies: Bool) throws -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ payload: [String: JSONTree], _ more: String = "") {
            if leavesOutCopies, payload["inAppOwnershipType"] == .string("FAMILY_SHARED") { return }
            let parts = payload.filter { !["signedDate", "receiptCreationDate"].contains($0.key) }.map { key, value in
                let text = value.text ?? String(decoding: value.compact, as: UTF8.self)
                return "\(key)=\(key.hasSuffix("Id") ? names[text] ?? text : text)"
            }
            lines.append("\(name)\(more): \(parts.sorted().joined(separator: " "))")
        }
        for name in ["historyV2", "historyV1", "refunds"] {
            for payload in try payloads(name) { add(name, payload) }
        }
        for group in (statuses?["data"] ?? .null).elements {
            for item in (group["lastTransactions"] ?? .null).elements {
                let transaction = try Self.payload(item["signedTransactionInfo"])
                if leavesOutCopies, transaction["inAppOwnershipType"] == .string("FAMILY_SHARED") { continue }
                add("status", transaction, " \(item["status"]?.text ?? "")")
                add("renewal info", try Self.payload(item["signedRenewalInfo"]))
            }
        }
        if let signed = appTransaction?["signedAppTransactionInfo"] { add("app transaction", try Self.payload(signed)) }
        for (id, answer) in orders {
            for element in (answer["signedTransactions"] ?? .null).elements {
                add("order \(names[id] ?? id)", try Self.payload(element))
            }
        }
        return lines
    }

    /// Every id of a transaction, an original transaction or a line item.
    func ids() throws -> Set<String> {
        Set(try payloads("historyV2").flatMap { payload in Self.idKeys.compactMap { payload[$0]?.text } })
    }

    private static let idKeys = ["transactionId", "originalTransactionId", "webOrderLineItemId"]

    /// The positions of the ids that are not known.
    private func names(of known: Set<String>, leavesOutCopies: Bool = true) throws -> [String: String] {
        var names: [String: String] = [:]
        for key in ["transactionId", "webOrderLineItemId"] {
            // Copies of a family member have ids, too, in only one of two shops.
            let all = try payloads("historyV2").filter {
                !leavesOutCopies || $0["inAppOwnershipType"] != .string("FAMILY_SHARED")
            }
            let new = Set(all.compactMap { $0[key]?.text }).subtracting(known)
            for (place, id) in new.sorted(by: { (Int64($0) ?? 0) < (Int64($1) ?? 0) }).enumerated() {
                names[id] = "new-\(key)-\(place)"
            }
        }
        return names
    }

    private func payloads(_ name: String) throws -> [[String: JSONTree]] {
        try (lists[name] ?? []).flatMap { ($0["signedTransactions"] ?? .null).elements }.map { try Self.payload($0) }
    }

    private static func payload(_ signed: JSONTree?) throws -> [String: JSONTree] {
        try CompactJWS(signed?.text ?? "").claims
    }
}
