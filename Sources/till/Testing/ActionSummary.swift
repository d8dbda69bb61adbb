import TillCore
import TillJSON
import TillShop

/// Writes the result of an operation as text: the state after the operation, its events, and its notifications.
enum ActionSummary {
    /// The lines of the result under a heading. Signed data is printed only with `--json`.
    static func text(_ heading: String, _ answer: JSONTree) -> String {
        let lines: [(String, String?)] = [
            ("customer", answer["customer"]?.text), ("productId", product(answer)),
            ("transactionId", answer["transactionId"]?.text),
            ("originalTransactionId", answer["originalTransactionId"]?.text),
            ("orderId", answer["orderId"]?.text), ("price", amount(answer, "price")),
            ("purchaseDate", date(answer["purchaseDate"])), ("expiresDate", date(answer["expiresDate"])),
            ("revocationDate", date(answer["revocationDate"])), ("refunded", share(answer)),
            ("card", answer["card"]?.text),
            ("asksToBuy", answer["asksToBuy"]?.text), ("subscription", answer["subscription"]?["summary"]?.text),
            ("refundRequest", answer["refundRequest"].map(refundRequest)), ("events", words(answer["events"])),
            ("notifications", words(answer["notifications"])),
        ]
        let result = answer["result"]?.text.flatMap(PurchaseResult.init(rawValue:))
        // If the customer already owns the product, the heading announces the original purchase, so its lines are
        // shown.
        guard result?.hasTransaction == false, result != .alreadyOwned else { return "\(heading)\n\(table(lines))" }
        // The transaction is an earlier one. Its lines are left out, because its price would look like a new charge.
        return "\(heading)\n\(table(lines.filter { !ofTransaction.contains($0.0) }))"
    }

    private static let ofTransaction: Set = [
        "productId", "transactionId", "orderId", "price", "purchaseDate", "expiresDate", "revocationDate",
        "refunded",
    ]

    /// A subscription in two lines.
    static func subscription(_ subscription: JSONTree) -> String {
        "\(subscription["originalTransactionId"]?.text ?? "")  \(subscription["productId"]?.text ?? "")\n"
            + "  \(subscription["summary"]?.text ?? "")"
    }

    /// Names and values in two columns, without the missing values.
    static func table(_ lines: [(String, String?)]) -> String {
        let present = lines.compactMap { name, value in value.map { (name, $0) } }
        let width = present.map(\.0.count).max() ?? 0
        return present.map { name, value in
            name + String(repeating: " ", count: width - name.count) + "  " + value
        }.joined(separator: "\n")
    }

    /// An amount of money with its currency.
    static func amount(_ tree: JSONTree, _ key: String) -> String? {
        guard let milliunits = tree[key]?.text.flatMap({ Int64($0) }) else { return nil }
        return Money(milliunits: milliunits, currency: tree["currency"]?.text ?? "").words
    }

    /// A date of the answer: in ISO 8601 and in milliseconds.
    static func date(_ tree: JSONTree?) -> String? {
        guard let text = tree?.text, let milliseconds = Int64(text) else { return nil }
        return "\(Timestamp(milliseconds: milliseconds).iso8601)  (\(text))"
    }

    /// The refunded part of the price: as a percentage, and as an amount in whole milliunits.
    static func share(_ answer: JSONTree) -> String? {
        guard let percentage = answer["revocationPercentage"]?.text.flatMap({ Int64($0) }) else { return nil }
        let (whole, rest) = percentage.quotientAndRemainder(dividingBy: 1_000)
        var digits = String(1_000 + rest).dropFirst()
        while digits.hasSuffix("0") { digits = digits.dropLast() }
        let percent = "\(whole)\(digits.isEmpty ? "" : ".\(digits)") %"
        guard let price = answer["price"]?.text.flatMap({ Int64($0) }) else { return percent }
        let amount = (Double(price) * Double(percentage) / 100_000).rounded()
        return "\(percent), \(Money(milliunits: Int64(amount), currency: answer["currency"]?.text ?? "").words)"
    }

    private static func product(_ answer: JSONTree) -> String? {
        guard let product = answer["productId"]?.text else { return nil }
        let quantity = answer["quantity"]?.text ?? "1"
        return quantity == "1" ? product : "\(product), \(quantity) of them"
    }

    private static func refundRequest(_ request: JSONTree) -> String {
        let rule = request["decidedBy"]?.text ?? ""
        let reason = request["reason"]?.text ?? ""
        guard let date = date(request["decisionDate"]) else {
            return "\(reason); you decide, with till refund grant or till refund decline"
        }
        return "\(reason); decided by \(rule) at \(date)"
    }

    private static func words(_ list: JSONTree?) -> String? {
        guard let list else { return nil }
        let words = list.elements.compactMap(\.text)
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }
}
