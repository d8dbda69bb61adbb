import TillCore
import TillTesting

/// The rules alone, in memory.
final class RulesStage: Stage {
    private var core: CoreStage
    private var jobs = 0

    init(_ settings: StageSettings) {
        core = CoreStage(
            in: settings.environment,
            selling: settings.products,
            policy: settings.policy,
            at: settings.start
        )
    }

    func open(_ customer: String, storefront: Storefront) { core.open(customer, storefront: storefront) }

    func perform(_ operation: StageOperation, by customer: String) throws {
        do {
            try core.perform(customer, operation.command { core.accounts[$0]?.id })
        } catch let refusal as Refusal {
            throw Refused(refusal)
        }
    }

    func perform(_ task: Job.Work) {
        jobs += 1
        core.perform(Job(id: "job-\(jobs)", task: task))
    }

    func put(_ product: Product) { core.catalog.put(product) }

    func advance(to instant: Timestamp) { core.advance(to: instant) }

    func received() -> [ReceivedNotification] {
        core.notifications.map { notification in
            ReceivedNotification(
                signedDate: notification.signedDate,
                customer: core.customer(notification.account) ?? "unknown",
                type: notification.type.rawValue,
                subtype: notification.subtype?.rawValue,
                status: notification.status?.rawValue,
                consumptionRequestReason: notification.consumptionRequestReason?.rawValue,
                transaction: ReceivedTransaction(notification.transaction),
                renewalInfo: notification.renewalInfo.map(ReceivedRenewalInfo.init)
            )
        }
    }

    func history(of customer: String) -> [ReceivedTransaction] { core.history(customer).map(ReceivedTransaction.init) }

    func subscriptions(of customer: String) -> [ReceivedSubscription] {
        guard let account = core.accounts[customer] else { return [] }
        return account.heldSubscriptions.sorted { $0.originalID < $1.originalID }.map { subscription in
            let info = RenewalInfo(
                of: subscription,
                held: account,
                at: core.now,
                catalog: core.catalog,
                policy: core.policy
            )
            return ReceivedSubscription(
                status: subscription.status.rawValue,
                transaction: ReceivedTransaction(subscription.latestTransaction),
                renewalInfo: ReceivedRenewalInfo(info)
            )
        }
    }
}

extension StageOperation {
    /// The operation as a command of the rules.
    ///
    /// - Parameter account: the account of a customer.
    func command(_ account: (String) -> AccountID?) throws -> Command {
        func id(_ text: String) throws -> TransactionID {
            guard let number = Int64(text) else { throw Refused(code: "unknown_transaction", explanation: text) }
            return TransactionID(number)
        }
        return switch self {
        case .purchase(let purchase): .purchase(purchase)
        case .turnAutoRenewOff(let original): .turnAutoRenewOff(try id(original))
        case .turnAutoRenewOn(let original): .turnAutoRenewOn(try id(original))
        case .useCard(let card): .useCard(card)
        case .acceptPriceIncrease(let original): .acceptPriceIncrease(try id(original))
        case .requestRefund(let transaction, let reason): .requestRefund(try id(transaction), reason)
        case .reportConsumption(let transaction, let report): .reportConsumption(try id(transaction), report)
        case .refund(let transaction, let share, let reason):
            .refund(Refund(transaction: try id(transaction), share: share, reason: reason))
        case .declineRefund(let transaction): .declineRefund(try id(transaction))
        case .reverseRefund(let transaction): .reverseRefund(try id(transaction))
        case .extend(let original, let days, let request):
            .extend(Extension(subscription: try id(original), days: days, reasonCode: 3, request: request))
        case .joinFamily(let host): .joinFamily(of: account(host) ?? AccountID(0), named: "family")
        case .leaveFamily: .leaveFamily
        case .shareWithFamily(let original, let shares): .shareWithFamily(try id(original), shares)
        case .setAskToBuy(let asks): .setAskToBuy(asks)
        case .decideHeldPurchase(let number, let approved): .decideHeldPurchase(number: number, approved: approved)
        }
    }
}

extension Refused {
    /// The name of a refusal in the control API.
    init(_ refusal: Refusal) {
        let name = String(describing: refusal).prefix { $0 != "(" }
        code = name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
        explanation = refusal.explanation
    }
}

extension ReceivedTransaction {
    init(_ row: Transaction) {
        self.init(
            transactionId: row.id.wireForm,
            originalTransactionId: row.originalID.wireForm,
            webOrderLineItemId: row.lineItem.map(String.init),
            productId: row.productID,
            purchaseDate: row.purchaseDate,
            originalPurchaseDate: row.originalPurchaseDate,
            expiresDate: row.expiresDate,
            quantity: row.quantity,
            type: row.type.wireName,
            appAccountToken: row.appAccountToken,
            inAppOwnershipType: row.ownership.rawValue,
            transactionReason: row.reason.rawValue,
            price: row.price?.milliunits,
            currency: row.price?.currency,
            offerType: row.offer?.kind.rawValue,
            offerIdentifier: row.offer?.id,
            offerDiscountType: row.offer?.mode.rawValue,
            offerPeriod: row.offer?.wholePeriod?.iso8601,
            isUpgraded: row.isUpgraded ? true : nil,
            revocationDate: row.revocation?.date,
            revocationReason: row.revocation?.reason.rawValue,
            revocationType: row.revocation?.kind.rawValue,
            revocationPercentage: row.revocation?.percentage,
            billingPlanType: row.billingPlan?.rawValue,
            commitmentInfo: row.commitment.map {
                ReceivedCommitment(
                    billingPeriodNumber: $0.period,
                    totalBillingPeriods: $0.periods,
                    commitmentExpiresDate: $0.expiresDate,
                    commitmentPrice: row.ownership == .purchased ? $0.price.milliunits : nil
                )
            }
        )
    }
}

extension ReceivedRenewalInfo {
    init(_ info: RenewalInfo) {
        self.init(
            originalTransactionId: info.originalID.wireForm,
            productId: info.productID,
            autoRenewProductId: info.autoRenewProductID,
            autoRenewStatus: info.autoRenews ? 1 : 0,
            renewalPrice: info.renewalPrice?.milliunits,
            currency: info.renewalPrice?.currency,
            expirationIntent: info.expirationIntent?.rawValue,
            isInBillingRetryPeriod: info.isInBillingRetry,
            gracePeriodExpiresDate: info.graceUntil,
            priceIncreaseStatus: info.priceIncreaseStatus,
            offerType: info.offer?.kind.rawValue,
            offerIdentifier: info.offer?.id,
            offerDiscountType: info.offer?.mode.rawValue,
            offerPeriod: info.offer?.wholePeriod?.iso8601,
            recentSubscriptionStartDate: info.recentStart,
            renewalDate: info.renewalDate,
            eligibleWinBackOfferIds: info.winBackOffers.isEmpty ? nil : info.winBackOffers,
            appAccountToken: info.appAccountToken,
            renewalBillingPlanType: info.billingPlan?.rawValue,
            commitmentInfo: info.commitment.map {
                ReceivedRenewalCommitment(
                    commitmentAutoRenewProductId: $0.productID,
                    commitmentAutoRenewStatus: $0.autoRenews ? 1 : 0,
                    commitmentRenewalBillingPlanType: $0.billingPlan.rawValue,
                    commitmentRenewalDate: $0.renewalDate,
                    commitmentRenewalPrice: $0.price?.milliunits
                )
            }
        )
    }
}
