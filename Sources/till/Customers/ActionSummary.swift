import TillControl
import TillCore
import TillShop

/// An answer with the effects of an operation.
protocol ActionAnswer: Encodable {
    /// The events, in chronological order.
    var events: [EventName] { get }
    /// The types of the notifications, with their subtypes after a slash.
    var notifications: [String] { get }
    /// Names and values of the state after the operation.
    var state: [(String, String?)] { get }
}

/// Writes the result of an operation as text: the state after the operation, its events, and its notifications.
enum ActionSummary {
    /// The lines of the result under a heading. Signed data is printed only with `--json`.
    ///
    /// - Parameter state: the names and values to print instead of the answer's.
    static func text(_ heading: String, _ answer: some ActionAnswer, state: [(String, String?)]? = nil) -> String {
        let effects = [
            ("events", words(answer.events.map(\.rawValue))), ("notifications", words(answer.notifications)),
        ]
        return "\(heading.bold)\n\(Table.values((state ?? answer.state) + effects))"
    }

    /// A date in ISO 8601 and in milliseconds.
    static func date(_ date: Timestamp) -> String { "\(date.iso8601)  (\(date.milliseconds))" }

    /// The refunded part of the price: as a percentage, and as an amount in whole milliunits.
    static func share(_ transaction: TransactionInfo) -> String? {
        guard let percentage = transaction.revocationPercentage else { return nil }
        let (whole, rest) = percentage.quotientAndRemainder(dividingBy: 1_000)
        var digits = String(1_000 + rest).dropFirst()
        while digits.hasSuffix("0") { digits = digits.dropLast() }
        let percent = "\(whole)\(digits.isEmpty ? "" : ".\(digits)") %"
        guard let price = transaction.price else { return percent }
        let amount = Int64((Double(price) * Double(percentage) / 100_000).rounded())
        return "\(percent), \(Money(milliunits: amount, currency: transaction.currency ?? "").words)"
    }

    private static func words(_ list: [String]) -> String { list.isEmpty ? "none" : list.joined(separator: ", ") }
}

extension ActionInfo: ActionAnswer {
    var state: [(String, String?)] { transaction.lines(withPurchase: true) }
}

extension PurchaseInfo: ActionAnswer {
    var state: [(String, String?)] {
        guard let transaction else { return [("customer", customer)] }
        // Without a new transaction, this is an earlier one, whose price would look like a new charge. If the customer
        // already owns the product, the heading announces the original purchase.
        return transaction.lines(withPurchase: result?.hasTransaction ?? true || result == .alreadyOwned)
    }
}

extension CustomerChange: ActionAnswer {
    var state: [(String, String?)] {
        [("customer", customer.customer), ("card", customer.card.rawValue), ("asksToBuy", "\(customer.asksToBuy)")]
            + customer.subscriptions.flatMap {
                [("subscription", "\($0.productId). \($0.summary)"), ("transactionId", $0.transactionId)]
            }
    }
}

extension TransactionInfo {
    /// Names and values, without the signed data.
    ///
    /// - Parameter withPurchase: whether to show the product, the price and the dates.
    fileprivate func lines(withPurchase: Bool) -> [(String, String?)] {
        let purchase: [(String, String?)] = [
            ("productId", quantity == 1 ? productId : "\(productId), \(quantity) of them"),
            ("transactionId", transactionId), ("originalTransactionId", originalTransactionId), ("orderId", orderId),
            ("price", price.map { Money(milliunits: $0, currency: currency ?? "").words }),
            ("purchaseDate", ActionSummary.date(purchaseDate)), ("expiresDate", expiresDate.map(ActionSummary.date)),
            ("revocationDate", revocationDate.map(ActionSummary.date)), ("refunded", ActionSummary.share(self)),
        ]
        return [("customer", customer)]
            + (withPurchase ? purchase : [("originalTransactionId", originalTransactionId)])
            + [("subscription", subscription?.summary), ("refundRequest", refundRequest?.words)]
    }
}

extension RefundRequestInfo {
    /// The reason, and who decides when.
    fileprivate var words: String {
        guard let decisionDate else {
            return "\(reason.rawValue); you decide, with till refund grant or till refund decline"
        }
        return "\(reason.rawValue); decided by \(decidedBy.rawValue) at \(ActionSummary.date(decisionDate))"
    }
}

extension PurchaseInfo {
    /// The first line that a command prints about a purchase. It depends on `result`.
    ///
    /// - Parameter requested: the requested product; nil for the product in the answer.
    func summary(of requested: String?) -> String {
        let subscription = transaction?.subscription
        let present = transaction?.productId ?? ""
        let product = requested ?? scheduledProduct ?? present
        let kept = "Nothing was charged: \(customer) keeps"
        switch result {
        case .purchased, .subscribed, nil: return "\(customer) bought \(product)."
        case .resubscribed: return "\(customer) subscribed to \(product) again."
        case .recovered: return "\(customer) paid for the failed renewal of \(product) (billing recovery)."
        case .upgraded: return "\(customer) upgraded to \(product), effective immediately."
        case .crossgraded: return "\(customer) crossgraded to \(product), effective immediately."
        case .downgradeScheduled: return "\(kept) \(present) and downgrades to \(product) \(nextRenewal)."
        case .crossgradeScheduled: return "\(kept) \(present) and crossgrades to \(product) \(nextRenewal)."
        case .billingPlanScheduled:
            let plan = subscription?.renewalBillingPlanType.map { " as \($0.rawValue)" } ?? ""
            return "\(kept) \(product), which will be billed\(plan) \(nextRenewal)."
        case .offerScheduled:
            let offer = subscription?.offerIdentifier.map { " \($0)" } ?? ""
            return "Nothing was charged: \(customer) is subscribed to \(product); "
                + "the offer\(offer) applies \(nextRenewal)."
        case .changeWithdrawn: return "\(kept) \(product); the scheduled change is canceled."
        case .alreadyOwned:
            return "Nothing was charged: \(customer) already owns \(product). The original purchase:"
        case .held:
            let number = held.map { String($0) } ?? ""
            return "The purchase is pending. Run till purchase approve \(customer) \(number), "
                + "or till purchase decline \(customer) \(number)."
        }
    }

    /// The product to which a scheduled change leads.
    private var scheduledProduct: String? {
        guard result == .downgradeScheduled || result == .crossgradeScheduled else { return nil }
        return transaction?.subscription?.autoRenewProductId
    }

    /// When a scheduled change takes effect. With a commitment, this can be later than the end of the current period.
    private var nextRenewal: String {
        guard let subscription = transaction?.subscription, subscription.commitment == nil else {
            return "at the next renewal"
        }
        return "at the next renewal, \(subscription.expiresDate.iso8601)"
    }
}
