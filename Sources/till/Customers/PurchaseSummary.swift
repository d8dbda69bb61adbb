import TillControl
import TillCore

/// The first line that a command prints about a purchase. It depends on `result` in the answer.
enum PurchaseSummary {
    /// - Parameter product: the requested product; nil for the product in the answer.
    static func text(_ answer: PurchaseInfo, product: String?) -> String {
        let customer = answer.customer
        let subscription = answer.transaction?.subscription
        let present = answer.transaction?.productId ?? ""
        let product = product ?? scheduledProduct(answer) ?? present
        let renewal = renewal(of: subscription)
        switch answer.result {
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
            let plan = subscription?.renewalBillingPlanType.map { " as \($0.rawValue)" } ?? ""
            return "Nothing was charged: \(customer) keeps \(product), which will be billed\(plan) \(renewal)."
        case .offerScheduled:
            let offer = subscription?.offerIdentifier.map { " \($0)" } ?? ""
            return "Nothing was charged: \(customer) is subscribed to \(product); the offer\(offer) applies \(renewal)."
        case .changeWithdrawn:
            return "Nothing was charged: \(customer) keeps \(product); the scheduled change is canceled."
        case .alreadyOwned:
            return "Nothing was charged: \(customer) already owns \(product). The original purchase:"
        case .held:
            let number = answer.held.map { String($0) } ?? ""
            return "The purchase is pending. Run till purchase approve \(customer) \(number), "
                + "or till purchase decline \(customer) \(number)."
        }
    }

    /// The product to which a scheduled change leads.
    private static func scheduledProduct(_ answer: PurchaseInfo) -> String? {
        switch answer.result {
        case .downgradeScheduled, .crossgradeScheduled: answer.transaction?.subscription?.autoRenewProductId
        default: nil
        }
    }

    /// When a scheduled change takes effect. With a commitment, this can be later than the end of the current period.
    private static func renewal(of subscription: SubscriptionInfo?) -> String {
        guard let subscription, subscription.commitment == nil else { return "at the next renewal" }
        return "at the next renewal, \(subscription.expiresDate.iso8601)"
    }
}
