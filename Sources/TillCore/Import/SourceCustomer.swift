/// What an App Store server answers about one customer, in the types of the ledger (docs/client/import.md).
package struct SourceCustomer: Sendable {
    /// The transactions of the history, oldest change first.
    package var transactions: [SourceTransaction] = []
    /// The ids of the transactions in the history of version 1, which leaves out finished consumables; nil if it is not
    /// known.
    package var unfinished: Set<Int64>?
    /// The subscriptions of the status answer.
    package var subscriptions: [SourceSubscription] = []
    /// The ids of the refunded transactions, oldest refund first.
    package var refunds: [Int64] = []
    /// The customer's download of the app; nil if the source has none.
    package var appTransaction: AppTransaction?
    /// `appTransactionId`; nil if no answer has it.
    package var appTransactionID: Int64?
    /// The ids of the transactions of each order that was looked up.
    package var orders: [String: [Int64]] = [:]
    /// Parts of the answers that the ledger cannot contain, such as a transaction of an unknown type.
    package var unreadable: [ImportedAccount.Finding] = []
    /// The time of the answers, at which the customer's clock begins.
    package var instant: Timestamp

    /// A customer without purchases at the time of the answers.
    package init(at instant: Timestamp) { self.instant = instant }

    /// Replaces the app account tokens. The same token is replaced by the same other token.
    package mutating func replaceTokens(_ other: (String) -> String) {
        for place in transactions.indices {
            transactions[place].row.appAccountToken = transactions[place].row.appAccountToken.map(other)
        }
        for place in subscriptions.indices {
            subscriptions[place].renewal.appAccountToken = subscriptions[place].renewal.appAccountToken.map(other)
        }
    }
}

/// A transaction of another server.
package struct SourceTransaction: Sendable {
    /// `transactionId`.
    package var number: Int64
    /// `originalTransactionId`.
    package var original: Int64
    /// All other values. The ids, the account and the change number are set by the import.
    package var row: Transaction
    /// Whether the source has `storefront`. Without it, the row has that of the USA.
    package var hasStorefront = true

    /// A transaction of another server.
    package init(number: Int64, original: Int64, row: Transaction) {
        self.number = number
        self.original = original
        self.row = row
    }
}

/// A subscription in a status answer.
package struct SourceSubscription: Sendable {
    /// `subscriptionGroupIdentifier`.
    package var groupID: String
    /// `originalTransactionId`.
    package var original: Int64
    /// The `transactionId` of the latest transaction.
    package var latest: Int64
    /// `status`.
    package var status: SubscriptionStatus
    /// The payload of `signedRenewalInfo`.
    package var renewal: SourceRenewalInfo

    /// A subscription in a status answer.
    package init(
        groupID: String,
        original: Int64,
        latest: Int64,
        status: SubscriptionStatus,
        renewal: SourceRenewalInfo
    ) {
        self.groupID = groupID
        self.original = original
        self.latest = latest
        self.status = status
        self.renewal = renewal
    }
}

/// The renewal info of another server, with the keys that determine a state.
package struct SourceRenewalInfo: Sendable {
    /// `autoRenewProductId`.
    package var autoRenewProductID: String
    /// `autoRenewStatus`.
    package var autoRenews: Bool
    /// `expirationIntent`; nil while the subscription is active.
    package var expirationIntent: ExpirationIntent?
    /// `gracePeriodExpiresDate`.
    package var graceUntil: Timestamp?
    /// `priceIncreaseStatus`: 0 or 1.
    package var priceIncreaseStatus: Int?
    /// `renewalPrice` and `currency`.
    package var renewalPrice: Money?
    /// `recentSubscriptionStartDate`.
    package var recentStart: Timestamp?
    /// The offer of the next period.
    package var offer: AppliedOffer?
    /// The app account token of future renewals.
    package var appAccountToken: String?
    /// `renewalBillingPlanType`.
    package var billingPlan: BillingPlanType?
    /// `commitmentInfo`.
    package var commitment: Commitment?

    /// `commitmentInfo` of renewal info.
    package struct Commitment: Sendable {
        /// `commitmentAutoRenewProductId`.
        package var productID: String
        /// `commitmentAutoRenewStatus`.
        package var autoRenews: Bool
        /// `commitmentRenewalBillingPlanType`.
        package var billingPlan: BillingPlanType?

        /// What follows the commitment.
        package init(productID: String, autoRenews: Bool, billingPlan: BillingPlanType?) {
            self.productID = productID
            self.autoRenews = autoRenews
            self.billingPlan = billingPlan
        }
    }

    /// Renewal info without optional keys.
    package init(autoRenewProductID: String, autoRenews: Bool) {
        self.autoRenewProductID = autoRenewProductID
        self.autoRenews = autoRenews
    }
}
