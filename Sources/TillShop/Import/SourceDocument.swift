import TillCore
import TillJSON
import TillSigning
import TillStorage

/// Reads the answers of another App Store server about one customer (docs/client/import.md).
///
/// An answer is recognized by its keys. Signed values may be compact JWS, whose signatures are not verified, or the
/// decoded payloads.
struct SourceDocument {
    private(set) var customer: SourceCustomer
    private let scope: AccountScope
    private var signedDates: [Timestamp] = []
    private var statusDates: [Timestamp] = []
    private var hasEndOfHistory = false
    private var pages = 0
    /// Every `appTransactionId` of the app's environment, in the order of the answers.
    private var accounts: [Int64] = []

    /// Reads a document: an object with `answers`, and optionally `historyV1` and `orders`.
    ///
    /// - Throws: `ImportRefused` if the document is not readable, or if a part of the history is missing.
    static func customer(from bytes: [UInt8], of scope: AccountScope) throws(ImportRefused) -> SourceCustomer {
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(bytes)
        } catch {
            throw ImportRefused.badDocument(error.withoutExcerpt.description)
        }
        var document = SourceDocument(scope)
        for (place, answer) in try Self.list(tree["answers"], at: "$.answers").enumerated() {
            try document.read(answer, at: "$.answers[\(place)]")
        }
        if let pages = tree["historyV1"] {
            try document.read(versionOne: try Self.list(pages, at: "$.historyV1"))
        }
        for (place, order) in try Self.list(tree["orders"], at: "$.orders").enumerated() {
            try document.read(order: order, at: "$.orders[\(place)]")
        }
        return try document.finished()
    }

    private init(_ scope: AccountScope) {
        self.scope = scope
        customer = SourceCustomer(at: Timestamp(milliseconds: 0))
    }

    private func finished() throws(ImportRefused) -> SourceCustomer {
        guard pages > 0 || customer.appTransaction != nil else {
            throw .badDocument("$.answers: neither a transaction history nor an app transaction is among the answers")
        }
        guard pages == 0 || hasEndOfHistory else { throw .incompleteHistory }
        var customer = customer
        guard let instant = statusDates.max() ?? signedDates.max() else {
            throw .badDocument("$.answers: no signed value has a signedDate, so the time of the answers is not known")
        }
        customer.instant = instant
        customer.appTransactionID = try account()
        return customer
    }

    /// The `appTransactionId` of the customer; nil if no answer has it.
    ///
    /// - Throws: `ImportRefused` if the answers have several: each customer of an app has only one.
    private func account() throws(ImportRefused) -> Int64? {
        let known = accounts.filter { $0 != Self.placeholder }
        if let first = known.first, let other = known.first(where: { $0 != first }) {
            throw .severalCustomers(String(first), String(other))
        }
        return known.first ?? accounts.first
    }

    /// The `appTransactionId` that Apple's sandbox has where it knows none.
    private static let placeholder: Int64 = 700_000_000_000_000_000

    /// The elements of an array; none if the key is absent.
    private static func list(_ value: JSONTree?, at path: String) throws(ImportRefused) -> [JSONTree] {
        switch value {
        case nil, .null: return []
        case .array(let elements): return elements
        case let other?: throw .badDocument("\(path): expected an array, found \(other.summary)")
        }
    }

    // MARK: Answers

    private mutating func read(_ answer: JSONTree, at path: String) throws(ImportRefused) {
        if answer["data"] != nil {
            try readStatuses(answer, at: path)
        } else if let signed = answer["signedAppTransactionInfo"] {
            takeAppTransaction(try payload(signed, at: "\(path).signedAppTransactionInfo"))
        } else if answer["signedTransactions"] != nil, answer["bundleId"] != nil {
            pages += 1
            if !(answer["hasMore"]?.isTrue ?? false) { hasEndOfHistory = true }
            for payload in try payloads(answer["signedTransactions"], at: "\(path).signedTransactions") {
                takeTransaction(payload)
            }
        } else if answer["signedTransactions"] != nil, answer["revision"] != nil {
            for payload in try payloads(answer["signedTransactions"], at: "\(path).signedTransactions") {
                if let number = reference(payload, in: "refund history") { customer.refunds.append(number) }
            }
        } else if answer["signedTransactions"] != nil || answer["status"] != nil {
            throw .badDocument("\(path): an answer to an order lookup belongs to orders, with its order id")
        } else {
            throw .badDocument(
                "\(path): expected a transaction history, subscription statuses, a refund history or an app transaction"
            )
        }
    }

    private mutating func read(versionOne pages: [JSONTree]) throws(ImportRefused) {
        var unfinished: Set<Int64> = []
        for (place, page) in pages.enumerated() {
            let path = "$.historyV1[\(place)].signedTransactions"
            for payload in try payloads(page["signedTransactions"], at: path) {
                if let number = reference(payload, in: "history of version 1") { unfinished.insert(number) }
            }
        }
        customer.unfinished = unfinished
    }

    private mutating func read(order: JSONTree, at path: String) throws(ImportRefused) {
        guard let id = order["orderId"]?.text, id.isPlain(1...32) else {
            throw .badDocument("\(path).orderId: expected 1 to 32 letters and digits")
        }
        guard customer.orders[id] == nil else { throw .badDocument("\(path).orderId: the order \(id) occurs twice") }
        let place = "\(path).answer.signedTransactions"
        let found = try payloads(order["answer"]?["signedTransactions"] ?? .array([]), at: place)
        customer.orders[id] = found.compactMap { reference($0, in: "order \(id)") }
    }

    private mutating func readStatuses(_ answer: JSONTree, at path: String) throws(ImportRefused) {
        for (group, entry) in try Self.list(answer["data"], at: "\(path).data").enumerated() {
            let list = "\(path).data[\(group)].lastTransactions"
            for (place, item) in try Self.list(entry["lastTransactions"], at: list).enumerated() {
                let here = "\(list)[\(place)]"
                guard let signed = item["signedTransactionInfo"], let renewal = item["signedRenewalInfo"] else {
                    throw .badDocument("\(here): signedTransactionInfo and signedRenewalInfo are required")
                }
                let info = try payload(renewal, at: "\(here).signedRenewalInfo")
                if let date = info.date("signedDate") { statusDates.append(date) }
                takeSubscription(
                    item,
                    group: entry["subscriptionGroupIdentifier"]?.text ?? "",
                    try payload(signed, at: "\(here).signedTransactionInfo"),
                    info
                )
            }
        }
    }

    private mutating func payloads(_ list: JSONTree?, at path: String) throws(ImportRefused) -> [SourcePayload] {
        guard case .array(let elements)? = list else { throw .badDocument("\(path): expected an array") }
        var payloads: [SourcePayload] = []
        for (place, element) in elements.enumerated() {
            payloads.append(try payload(element, at: "\(path)[\(place)]"))
        }
        return payloads
    }

    private mutating func payload(_ value: JSONTree, at path: String) throws(ImportRefused) -> SourcePayload {
        let payload = try Self.payload(value, at: path)
        // A customer who never downloaded the app has the id, too.
        if let account = payload.account(in: scope) { accounts.append(account) }
        return payload
    }

    private static func payload(_ value: JSONTree, at path: String) throws(ImportRefused) -> SourcePayload {
        switch value {
        case .object(let members):
            return SourcePayload(Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first })
        case .string(let text):
            do {
                return SourcePayload(try CompactJWS(text).claims)
            } catch {
                throw .badDocument("\(path): \(error.explanation)")
            }
        default: throw .badDocument("\(path): expected a compact JWS or its payload, found \(value.summary)")
        }
    }

    // MARK: Values

    private mutating func takeTransaction(_ payload: SourcePayload) {
        if let date = payload.date("signedDate") { signedDates.append(date) }
        let name = payload.text("transactionId") ?? "without an id"
        do {
            customer.transactions.append(try payload.transaction(in: scope))
        } catch {
            customer.unreadable.append(ImportedAccount.Finding("transaction \(name.prefix(64))", error.words))
        }
    }

    /// The id of a transaction to which a list refers. One that cannot be read is reported.
    private mutating func reference(_ payload: SourcePayload, in list: String) -> Int64? {
        do {
            return try payload.reference()
        } catch {
            customer.unreadable.append(ImportedAccount.Finding(list, "one of its transactions: \(error.words)"))
            return nil
        }
    }

    private mutating func takeSubscription(
        _ item: JSONTree,
        group: String,
        _ latest: SourcePayload,
        _ info: SourcePayload
    ) {
        let original = item["originalTransactionId"]?.text ?? latest.text("originalTransactionId") ?? "without an id"
        do throws(SourcePayload.Unreadable) {
            guard
                let status = item["status"]?.number.flatMap({ SubscriptionStatus(rawValue: Int($0)) }),
                let number = Int64(original), let latestNumber = latest.id("transactionId")
            else { throw SourcePayload.Unreadable("has no known status, or no transaction id") }
            customer.subscriptions.append(
                SourceSubscription(
                    groupID: group,
                    original: number,
                    latest: latestNumber,
                    status: status,
                    renewal: try info.renewalInfo()
                )
            )
        } catch {
            customer.unreadable.append(ImportedAccount.Finding("subscription \(original.prefix(64))", error.words))
        }
    }

    private mutating func takeAppTransaction(_ payload: SourcePayload) {
        if let created = payload.date("receiptCreationDate") { signedDates.append(created) }
        do {
            let found = try payload.appTransaction(in: scope)
            if let earlier = customer.appTransaction, earlier != found {
                customer.unreadable.append(
                    ImportedAccount.Finding("app transaction", "the answers have two that differ; the second counts")
                )
            }
            customer.appTransaction = found
        } catch {
            customer.unreadable.append(ImportedAccount.Finding("app transaction", error.words))
        }
    }
}
