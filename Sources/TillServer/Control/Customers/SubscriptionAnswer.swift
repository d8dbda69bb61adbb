import TillCore
import TillJSON
import TillShop
import TillStorage

/// Describes a subscription: with the keys of signed renewal info, and with a summary in sentences.
extension ControlAPI {
    static let subscriptionSchema = Schema.object(
        "A subscription.",
        [
            Schema.required("subscriptionGroupIdentifier", .string("The subscription group identifier.")),
            Schema.required(
                "originalTransactionId",
                .string("The original transaction id, which identifies the subscription.")
            ),
            Schema.required("transactionId", .string("The id of the latest transaction.")),
            Schema.required("productId", .string("The product of the current period.")),
            Schema.required("inAppOwnershipType", .string("The ownership: PURCHASED or FAMILY_SHARED.")),
            Schema.required(
                "status",
                .integer("The status: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.")
            ),
            Schema.required("summary", .string("The status and the next events, in sentences.")),
            Schema.required("expiresDate", .integer("The end of the latest period, in milliseconds since 1970.")),
            Schema.required("autoRenewStatus", .integer("1 if auto-renew is on, 0 if off.")),
            Schema.required("autoRenewProductId", .string("The product of the next period.")),
            Schema.optional("renewalPrice", .integer("The price of the next period in milliunits.")),
            Schema.optional("currency", .string("The currency of renewalPrice.")),
            Schema.optional("offerIdentifier", .string("The offer identifier of the next period.")),
            Schema.optional(
                "renewalBillingPlanType",
                .string("The billing plan of the next period; present if the product has several plans.")
            ),
            Schema.optional("expirationIntent", .integer("The reason why the subscription ended or will end: 1 to 5.")),
            Schema.optional(
                "gracePeriodExpiresDate",
                .integer("The end of the grace period, in milliseconds since 1970.")
            ),
            Schema.optional("billingRetryUntil", .integer("The end of billing retry, in milliseconds since 1970.")),
            Schema.optional(
                "priceIncrease",
                .object(
                    "A pending price increase.",
                    [
                        Schema.required("price", .integer("The price of a full period in milliunits.")),
                        Schema.required("currency", .string("The currency of the price, as an ISO 4217 code.")),
                        Schema.required(
                            "needsConsent",
                            .boolean("Whether the price increase needs consent. Without consent the subscription ends.")
                        ),
                        Schema.required(
                            "stage",
                            .string("The stage of the price increase.", oneOf: ["scheduled", "pending", "accepted"])
                        ),
                        Schema.optional(
                            "effectiveDate",
                            .integer("The date from which renewals have this price, in milliseconds since 1970.")
                        ),
                    ]
                )
            ),
            Schema.optional(
                "commitment",
                .object(
                    "A commitment of a year with monthly payments.",
                    [
                        Schema.required(
                            "period",
                            .integer("The number of the current month in the commitment, from 1.")
                        ),
                        Schema.required("periods", .integer("The number of months in the commitment.")),
                        Schema.required(
                            "expiresDate",
                            .integer("The end of the commitment, in milliseconds since 1970.")
                        ),
                        Schema.required("renews", .boolean("Whether another commitment follows this one.")),
                    ]
                )
            ),
            Schema.optional(
                "eligibleWinBackOfferIds",
                .array("Win-back offers for which the customer is eligible now.", of: .string("An offer identifier."))
            ),
            Schema.required(
                "isShared",
                .boolean("Whether the subscription is shared with the family; only if the product can be shared.")
            ),
        ]
    )

    /// Writes the state of a subscription at the time on the customer's clock (`Shop.instantOfState`).
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

    // MARK: The summary

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
