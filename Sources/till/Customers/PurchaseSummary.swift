import TillCore
import TillJSON
import TillShop

/// The first line that a command prints about a purchase. It depends on `result` in the answer.
enum PurchaseSummary {
    /// - Parameters:
    ///   - answer: the control API's answer to the purchase.
    ///   - customer: the customer who buys.
    ///   - product: the requested product; nil for the product in the answer.
    static func text(_ answer: JSONTree, customer: String, product: String?) -> String {
        let present = answer["productId"]?.text ?? ""
        let product = product ?? scheduledProduct(answer) ?? present
        let renewal = renewal(answer)
        switch answer["result"]?.text.flatMap(PurchaseResult.init(rawValue:)) {
        case .purchased, .subscribed, nil: return "\(customer) bought \(product)."
        case .resubscribed: return "\(customer) subscribed to \(product) again."
        case .recovered: return "\(customer) paid for the failed renewal of \(product) (billing recovery)."
        case .upgraded: return "\(customer) upgraded to \(product), effective immediately."
        case .crossgraded: return "\(customer) crossgraded to \(product), effective immediately."
        case .downgradeScheduled:
            return "Nothing was charged: \(customer) keeps \(present) and downgrades to \(product) \(renewal)."
        case .crossgradeScheduled:
            return "Nothing was charged: \(customer) keeps \(present) and crossgrades to \(product) \(renewal)."
        case .billingPlanScheduled:
            let plan = answer["subscription"]?["renewalBillingPlanType"]?.text.map { " as \($0)" } ?? ""
            return "Nothing was charged: \(customer) keeps \(product), which will be billed\(plan) \(renewal)."
        case .offerScheduled:
            let offer = answer["subscription"]?["offerIdentifier"]?.text.map { " \($0)" } ?? ""
            return "Nothing was charged: \(customer) is subscribed to \(product); the offer\(offer) applies \(renewal)."
        case .changeWithdrawn:
            return "Nothing was charged: \(customer) keeps \(product); the scheduled change is canceled."
        case .alreadyOwned:
            return "Nothing was charged: \(customer) already owns \(product). The original purchase:"
        case .held:
            let number = answer["held"]?.text ?? ""
            return "The purchase is pending. Run till purchase approve \(customer) \(number), "
                + "or till purchase decline \(customer) \(number)."
        }
    }

    /// The product to which a scheduled change leads.
    private static func scheduledProduct(_ answer: JSONTree) -> String? {
        switch answer["result"]?.text.flatMap(PurchaseResult.init(rawValue:)) {
        case .downgradeScheduled, .crossgradeScheduled: answer["subscription"]?["autoRenewProductId"]?.text
        default: nil
        }
    }

    /// When a scheduled change takes effect. With a commitment, this can be later than the end of the current period.
    private static func renewal(_ answer: JSONTree) -> String {
        guard let subscription = answer["subscription"], subscription["commitment"] == nil,
            let end = subscription["expiresDate"]?.text.flatMap({ Int64($0) })
        else { return "at the next renewal" }
        return "at the next renewal, \(Timestamp(milliseconds: end).iso8601)"
    }
}
