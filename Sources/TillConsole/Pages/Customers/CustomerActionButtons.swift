import TillControl

/// The buttons of available actions.
extension ActionButton {
    /// The button of an action on a transaction; nil for an action on a subscription.
    init?(_ action: CustomerAction, onTransaction id: String, _ app: AppEnvironment) {
        switch action {
        case .refund:
            let refund = RefundTransaction(app: app, transactionId: id, share: .full)
            self.init("Refund", refund, isDestructive: true)
        case .refundUnusedPart:
            let refund = RefundTransaction(app: app, transactionId: id, share: .unused)
            self.init("Refund unused part", refund, isDestructive: true)
        case .reverseRefund: self.init("Reverse refund", ReverseRefund(app: app, transactionId: id))
        case .requestRefund:
            self.init("Request refund", RequestRefund(app: app, transactionId: id, reason: .unintendedPurchase))
        case .declineRefund: self.init("Decline refund request", DeclineRefund(app: app, transactionId: id))
        case .finish: self.init("Finish transaction", FinishTransaction(app: app, transactionId: id))
        case .share, .stopSharing: self.init(sharing: action == .share, id, app)
        case .cancel, .resume, .resubscribe, .change, .extend, .acceptPriceIncrease, .declinePriceIncrease: return nil
        }
    }

    /// The button of an action on a subscription; nil for an action on a transaction, and for one that needs a form.
    init?(_ action: CustomerAction, on subscription: SubscriptionInfo, of customer: String, _ app: AppEnvironment) {
        let id = subscription.originalTransactionId
        switch action {
        case .cancel: self.init("Cancel", CancelSubscription(app: app, originalTransactionId: id))
        case .resume: self.init("Resume", ResumeSubscription(app: app, originalTransactionId: id))
        case .resubscribe:
            let product = subscription.autoRenewProductId
            self.init("Subscribe again", BuyProduct(app: app, customer: customer, productId: product))
        case .acceptPriceIncrease:
            self.init("Accept price increase", AcceptPriceIncrease(app: app, originalTransactionId: id))
        case .declinePriceIncrease:
            self.init("Decline price increase", DeclinePriceIncrease(app: app, originalTransactionId: id))
        // The same identifier as for the actions on the latest transaction, which are in the same row.
        case .share, .stopSharing: self.init(sharing: action == .share, subscription.transactionId, app)
        case .finish, .refund, .refundUnusedPart, .reverseRefund, .requestRefund, .declineRefund, .change, .extend:
            return nil
        }
    }

    private init(sharing isShared: Bool, _ id: String, _ app: AppEnvironment) {
        self.init(
            isShared ? "Resume Family Sharing" : "Stop Family Sharing",
            SetSharing(app: app, transactionId: id, shared: isShared)
        )
    }
}
