import TillCore
import TillJSON
import TillShop
import TillStorage

/// A subscription in the control API: the keys of signed renewal info, and a summary sentence.
extension ControlAPI {
    static let subscriptionSchema = Schema.object(
        "A subscription.",
        [
            Schema.required("subscriptionGroupIdentifier", .string("The group.")),
            Schema.required(
                "originalTransactionId",
                .string("The original transaction, which identifies the subscription.")
            ),
            Schema.required("transactionId", .string("The latest transaction.")),
            Schema.required("productId", .string("The current product.")),
            Schema.required("inAppOwnershipType", .string("PURCHASED or FAMILY_SHARED.")),
            Schema.required("status", .integer("1 active, 2 expired, 3 retry, 4 grace, 5 revoked.")),
            Schema.required("summary", .string("The status and the next events, in words.")),
            Schema.required("expiresDate", .integer("The end of the latest period, in milliseconds since 1970.")),
            Schema.required("autoRenewStatus", .integer("1 if it renews, 0 if not.")),
            Schema.required("autoRenewProductId", .string("The product of the next period.")),
            Schema.optional("renewalPrice", .integer("The price of the next period in milliunits.")),
            Schema.optional("currency", .string("The currency of that price.")),
            Schema.optional("offerIdentifier", .string("The offer of the next period.")),
            Schema.optional("renewalBillingPlanType", .string("Present if the product has several billing plans.")),
            Schema.optional("expirationIntent", .integer("Why it ended or will end: 1 to 5.")),
            Schema.optional("gracePeriodExpiresDate", .integer("The end of the grace period.")),
            Schema.optional("billingRetryUntil", .integer("The end of billing retry.")),
            Schema.optional(
                "priceIncrease",
                .object(
                    "A pending price increase.",
                    [
                        Schema.required("price", .integer("The price of a full period in milliunits.")),
                        Schema.required("currency", .string("ISO 4217.")),
                        Schema.required(
                            "needsConsent",
                            .boolean("Whether the subscription ends without the customer's consent.")
                        ),
                        Schema.required(
                            "stage",
                            .string("The stage.", oneOf: ["scheduled", "pending", "accepted"])
                        ),
                        Schema.optional("effectiveDate", .integer("The date from which renewals have this price.")),
                    ]
                )
            ),
            Schema.optional(
                "commitment",
                .object(
                    "A year with monthly payments.",
                    [
                        Schema.required("period", .integer("The current month.")),
                        Schema.required("periods", .integer("The number of months.")),
                        Schema.required("expiresDate", .integer("The end of the commitment.")),
                        Schema.required("renews", .boolean("Whether another commitment follows.")),
                    ]
                )
            ),
            Schema.optional(
                "eligibleWinBackOfferIds",
                .array("Win-back offers for which the customer is eligible now.", of: .string("An offer."))
            ),
            Schema.required(
                "isShared",
                .boolean("Whether it is shared with the family, if the product can be shared.")
            ),
        ]
    )

    /// The subscription's state at the customer's time (`Shop.instantOfState`).
    func json(_ subscription: some HeldSubscription, _ account: Account) -> [UInt8] {
        let now = shop.instantOfState(of: account, family: [])
        let info = RenewalInfo(
            of: subscription,
            held: account,
            at: now,
            catalog: shop.registry.catalog(of: account.app),
            policy: shop.policy(of: AccountScope(environment: account.environment, app: account.app))
        )
        let status = subscription.status
        let bought = subscription.bought
        var json = JSONWriter()
        json.put("subscriptionGroupIdentifier", subscription.groupID)
        json.put("originalTransactionId", subscription.originalID.wireForm)
        json.put("transactionId", subscription.latestTransaction.id.wireForm)
        json.put("productId", subscription.latestTransaction.productID)
        json.put("inAppOwnershipType", subscription.ownership.rawValue)
        json.put("status", status.rawValue)
        json.put("summary", Self.summary(of: subscription, info, status))
        json.put("expiresDate", subscription.renewalDate)
        json.put("autoRenewStatus", info.autoRenews ? 1 : 0)
        json.put("autoRenewProductId", info.autoRenewProductID)
        json.put("renewalPrice", info.renewalPrice?.milliunits)
        json.put("currency", info.renewalPrice?.currency)
        json.put("offerIdentifier", info.offer?.id)
        json.put("renewalBillingPlanType", info.billingPlan?.rawValue)
        json.put("expirationIntent", info.expirationIntent?.rawValue)
        json.put("gracePeriodExpiresDate", info.graceUntil)
        json.put("billingRetryUntil", status == .expired ? nil : subscription.state.failedPayment?.retryUntil)
        json.put("priceIncrease", written: bought?.priceIncrease.map(Self.json))
        json.put("commitment", written: subscription.latestTransaction.commitment.map { Self.json($0, subscription) })
        if !info.winBackOffers.isEmpty { json.put("eligibleWinBackOfferIds", info.winBackOffers) }
        json.put("isShared", bought?.isShared ?? true)
        return json.finish()
    }

    private static func json(_ increase: PriceIncrease) -> [UInt8] {
        var json = JSONWriter()
        json.put("price", increase.price.milliunits)
        json.put("currency", increase.price.currency)
        json.put("needsConsent", increase.needsConsent)
        json.put("stage", increase.stage.rawValue)
        json.put("effectiveDate", increase.effectiveFrom)
        return json.finish()
    }

    private static func json(_ commitment: Commitment, _ subscription: some HeldSubscription) -> [UInt8] {
        var json = JSONWriter()
        json.put("period", commitment.period)
        json.put("periods", commitment.periods)
        json.put("expiresDate", commitment.expiresDate)
        json.put("renews", subscription.preference.commitmentRenews)
        return json.finish()
    }

    // MARK: In words

    private static func summary(
        of subscription: some HeldSubscription,
        _ info: RenewalInfo,
        _ status: SubscriptionStatus
    ) -> String {
        let sentences = [
            standing(of: subscription, info, status),
            subscription.ownership == .familyShared && status != .revoked ? "A family member shares it." : nil,
            status == .active ? next(after: subscription, info) : nil,
            subscription.latestTransaction.commitment.map { commitment in
                let renews = subscription.preference.commitmentRenews
                let follows = renews ? "another year follows" : "no other year follows"
                return "Month \(commitment.period) of \(commitment.periods), committed until "
                    + "\(commitment.expiresDate.iso8601); \(follows)."
            },
            status == .active && info.autoRenews ? subscription.bought?.expectedPriceIncrease.map(words) : nil,
        ]
        return sentences.compactMap(\.self).joined(separator: " ")
    }

    private static func standing(
        of subscription: some HeldSubscription,
        _ info: RenewalInfo,
        _ status: SubscriptionStatus
    ) -> String {
        let end = subscription.renewalDate.iso8601
        let last = subscription.state.failedPayment.map { " It is tried until \($0.retryUntil.iso8601)." } ?? ""
        switch status {
        case .active: return "Active until \(end)."
        case .gracePeriod:
            let grace = info.graceUntil.map { " until \($0.iso8601)" } ?? ""
            return "Access goes on by grace\(grace): the payment that was due at \(end) failed.\(last)"
        case .billingRetry: return "No access: the payment that was due at \(end) failed.\(last)"
        case .expired: return "Expired at \(end)\(reason(of: info.expirationIntent))."
        case .revoked:
            guard let revocation = subscription.latestTransaction.revocation else { return "Revoked." }
            let cause = revocation.kind == .familyRevoke ? "it is no longer shared" : "it was refunded"
            return "Revoked at \(revocation.date.iso8601): \(cause)."
        }
    }

    private static func reason(of intent: ExpirationIntent?) -> String {
        switch intent {
        case .customer: ": the customer turned renewal off"
        case .billing: ": it could not be charged"
        case .priceIncrease: ": the customer did not agree to a higher price"
        case .productUnavailable: ": the product was not for sale"
        case .other, nil: ""
        }
    }

    private static func next(after subscription: some HeldSubscription, _ info: RenewalInfo) -> String {
        guard info.autoRenews else { return "It does not renew." }
        let product = info.autoRenewProductID == info.productID ? "" : " as \(info.autoRenewProductID)"
        let price = info.renewalPrice.map { " for \($0.words)" } ?? ""
        let offer = info.offer.map { " with the \($0.kind.words) offer\($0.id.map { " \($0)" } ?? "")" } ?? ""
        return "It renews then\(product)\(price)\(offer)."
    }

    private static func words(_ increase: PriceIncrease) -> String {
        let start = increase.effectiveFrom.map { " from \($0.iso8601)" } ?? ""
        return switch increase.stage {
        case .scheduled: "The price rises to \(increase.price.words); the customer has not been notified yet."
        case .pending:
            "A price of \(increase.price.words)\(start) waits for the customer's consent; without it the subscription "
                + "expires."
        case .accepted: "The price will be \(increase.price.words)\(start)."
        }
    }
}
