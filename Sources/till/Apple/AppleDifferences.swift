import TillJSON

/// Where two recordings of the same customer differ, key by key.
struct AppleDifferences {
    /// Keys that differ in every two answers, and those that only describe a page.
    private static let ignored: Set<String> = [
        "signedDate", "receiptCreationDate", "revision", "hasMore", "paginationToken", "notificationUUID",
        "signedTransactions", "data", "signedAppTransactionInfo", "notificationHistory",
    ]

    private(set) var rows: [AppleDifference] = []

    init(_ first: AppleRecording, _ second: AppleRecording, skipping skipped: Set<AppleRecording.Endpoint> = []) {
        for endpoint in AppleRecording.Endpoint.allCases where !skipped.contains(endpoint) {
            compare(endpoint, first.answers[endpoint] ?? [], second.answers[endpoint] ?? [])
        }
    }

    private mutating func compare(_ endpoint: AppleRecording.Endpoint, _ first: [JSONTree], _ second: [JSONTree]) {
        compareMembers(first.first ?? .null, second.first ?? .null, endpoint, "answer", "")
        let (left, right) = (Self.items(endpoint, first), Self.items(endpoint, second))
        let values = (Self.byName(left), Self.byName(right))
        for name in left.map(\.name) + right.map(\.name).filter({ values.0[$0] == nil }) {
            switch (values.0[name], values.1[name]) {
            case (let one?, let other?): compareMembers(one, other, endpoint, name, "")
            case (_?, nil): rows.append(AppleDifference(endpoint, name, "", "present", nil))
            case (nil, _): rows.append(AppleDifference(endpoint, name, "", nil, "present"))
            }
        }
        let orders = (
            left.map(\.name).filter { values.1[$0] != nil }, right.map(\.name).filter { values.0[$0] != nil }
        )
        if orders.0 != orders.1 {
            let texts = (orders.0.joined(separator: ", "), orders.1.joined(separator: ", "))
            rows.append(AppleDifference(endpoint, "list", "order", texts.0, texts.1))
        }
    }

    private static func byName(_ items: [(name: String, value: JSONTree)]) -> [String: JSONTree] {
        Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
    }

    // MARK: Items

    /// What the answers of an endpoint are about, in their order. A transaction that appears twice has two items.
    private static func items(_ endpoint: AppleRecording.Endpoint, _ pages: [JSONTree]) -> [(
        name: String, value: JSONTree
    )] {
        var counts: [String: Int] = [:]
        func named(_ kind: String, _ id: String, _ value: JSONTree) -> (name: String, value: JSONTree) {
            counts[id, default: 0] += 1
            let count = counts[id, default: 1]
            return (count == 1 ? "\(kind) \(id)" : "\(kind) \(id) (\(count))", value)
        }
        switch endpoint {
        case .history, .historyV1, .refunds:
            return pages.flatMap { $0["signedTransactions"]?.elements ?? [] }.map {
                named("transaction", $0.cell("transactionId"), $0)
            }
        case .statuses:
            return pages.flatMap { $0["data"]?.elements ?? [] }.flatMap { group in
                (group["lastTransactions"]?.elements ?? []).map { item in
                    let place = JSONTree.Member(
                        "subscriptionGroupIdentifier",
                        group["subscriptionGroupIdentifier"] ?? .null
                    )
                    return named("subscription", item.cell("originalTransactionId"), .object([place] + item.members))
                }
            }
        case .appTransaction:
            return pages.compactMap { $0["signedAppTransactionInfo"] }.map { ("app transaction", $0) }
        case .notifications:
            // Their ids say nothing about the customer, so they are compared by their places among those of their type.
            return pages.flatMap { $0["notificationHistory"]?.elements ?? [] }.map { item in
                let payload = item["signedPayload"] ?? .null
                let type = [payload["notificationType"]?.text ?? "?", payload["subtype"]?.text].compactMap(\.self)
                return named("notification", type.joined(separator: "/"), payload)
            }
        }
    }

    // MARK: Values

    private mutating func compareMembers(
        _ first: JSONTree,
        _ second: JSONTree,
        _ endpoint: AppleRecording.Endpoint,
        _ name: String,
        _ path: String
    ) {
        let keys = first.members.map(\.key) + second.members.map(\.key).filter { first[$0] == nil }
        for key in keys {
            // `data` of a notification is compared; `data` of the statuses has its own items.
            if Self.ignored.contains(key), !(key == "data" && name.hasPrefix("notification")) { continue }
            compare(first[key], second[key], endpoint, name, path.isEmpty ? key : "\(path).\(key)")
        }
    }

    private mutating func compare(
        _ first: JSONTree?,
        _ second: JSONTree?,
        _ endpoint: AppleRecording.Endpoint,
        _ name: String,
        _ path: String
    ) {
        switch (first, second) {
        case (.object?, .object?):
            compareMembers(first ?? .null, second ?? .null, endpoint, name, path)
        case _ where first != second:
            rows.append(AppleDifference(endpoint, name, path, first.map(Self.text), second.map(Self.text)))
        default: break
        }
    }

    private static func text(_ tree: JSONTree) -> String { tree.text ?? String(decoding: tree.compact, as: UTF8.self) }
}

/// A difference between two recordings.
struct AppleDifference: TableRow {
    static let headings = ["ANSWER", "ABOUT", "KEY", "FIRST", "SECOND"]
    static let empty = "No differences."

    let endpoint: String
    let about: String
    /// Empty for something that only one recording has.
    let key: String
    /// Nil if the first recording does not have it.
    let first: String?
    /// Nil if the second recording does not have it.
    let second: String?

    init(_ endpoint: AppleRecording.Endpoint, _ about: String, _ key: String, _ first: String?, _ second: String?) {
        (self.endpoint, self.about, self.key) = (endpoint.rawValue, about, key)
        (self.first, self.second) = (first, second)
    }

    var cells: [String?] {
        func short(_ text: String?) -> String { text.map { $0.count > 60 ? $0.prefix(59) + "…" : $0 } ?? "-" }
        return [endpoint, about, key.isEmpty ? "-" : key, short(first), short(second)]
    }
}
