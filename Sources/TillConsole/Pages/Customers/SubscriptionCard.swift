import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillSigning

/// A subscription of a customer: its timeline, status, renewal info and actions.
struct SubscriptionCard: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger
    /// The stored subscription.
    private let subscription: any HeldSubscription
    /// The answer of the control API about the subscription.
    private let info: SubscriptionInfo
    /// The answer about the latest transaction.
    private let latest: TransactionInfo

    /// Each card needs timelines and a signature, so a page shows only a few cards.
    private static let maxCards = 12

    static func all(_ page: PageRequest, _ customer: CustomerInfo, _ ledger: CustomerLedger) async throws
        -> [PageValue]
    {
        var cards: [PageValue] = []
        for info in customer.subscriptions.prefix(maxCards) {
            let id = info.originalTransactionId
            guard let subscription = ledger.account.heldSubscriptions.first(where: { $0.originalID.wireForm == id })
            else { continue }
            let latest = try await page.send(
                GetSubscription(app: ledger.app, originalTransactionId: id, include: [.signed])
            )
            let card = SubscriptionCard(
                page: page,
                ledger: ledger,
                subscription: subscription,
                info: info,
                latest: latest
            )
            cards.append(card.value)
        }
        return cards
    }

    private var id: String { info.originalTransactionId }

    private var value: PageValue {
        [
            "id": .text(id), "name": .text(ledger.name(of: info.productId)), "product": .text(info.productId),
            "state": SubscriptionWords.status(info.status), "summary": .text(Words.datesInWords(info.summary)),
            "isShared": .flag(info.inAppOwnershipType == .familyShared),
            "pictures": .list(ledger.pictures(of: subscription).map { .text($0) }),
            "omittedBefore": Words.time(ledger.omittedBefore(of: subscription)),
            "all": PageValue(ledger.allNotifications),
            "actions": buttons.value(page), "facts": .list(facts),
            "renewalInfo": PageValue(renewalInfo),
            "change": change?.value(page) ?? .nothing, "extend": extend?.value(page) ?? .nothing,
        ]
    }

    // MARK: Actions

    private var status: SubscriptionStatus { info.status }

    /// The actions on the subscription; none on a page of older transactions.
    private var actions: [CustomerAction] { ledger.isPast ? [] : info.availableActions }

    private var buttons: ActionButtons {
        let ofSubscription = actions.compactMap {
            ActionButtons.Button($0, on: info, of: latest.customer, ledger.app)
        }
        // The list of transactions below has a button to finish a transaction.
        let ofTransaction = ledger.isPast ? [] : latest.availableActions.filter { $0 != .finish }
        return ActionButtons(
            id: "buttons-\(id)",
            buttons: ofSubscription
                + ofTransaction.compactMap {
                    ActionButtons.Button($0, onTransaction: latest.transactionId, ledger.app)
                }
        )
    }

    private var change: ActionForm? {
        // While a plan change is pending, the current plan is an option. Choosing it reverts the change.
        let others = ledger.products(ofGroup: subscription.groupID).filter {
            $0.isForSale && $0.id != subscription.preference.productID
        }
        guard actions.contains(.change), !others.isEmpty else { return nil }
        let choices = others.map { product in
            (value: product.id, name: "\(product.referenceName) (level \(product.plan?.level ?? 0))")
        }
        return ActionForm(
            ChangeSubscription(app: ledger.app, originalTransactionId: id, productId: ""),
            "Change plan",
            [.init("productId", "New plan", .choice(choices))]
                + BuyCard.offerFields(of: others, withSigned: false) + [
                    .init("billingPlan", "Billing plan"),
                    .init("at", "Time of this action (UTC, empty: now)", .instant),
                ],
            name: id
        )
    }

    /// The field for the reason of an extension.
    static let extensionReason = ActionForm.Field(
        "reasonCode",
        "Reason",
        .choice([("0", "Undeclared"), ("1", "Customer satisfaction"), ("2", "Other"), ("3", "Service issue or outage")])
    )

    private var extend: ActionForm? {
        guard actions.contains(.extend) else { return nil }
        return ActionForm(
            ExtendSubscription(app: ledger.app, originalTransactionId: id, days: 30),
            "Extend",
            [
                .init("days", "Days"), Self.extensionReason,
                .init("requestIdentifier", "Request identifier", hint: "generated"),
            ],
            name: id
        )
    }

    // MARK: Renewal info

    /// The renewal info and further details.
    private var facts: [PageValue] {
        var facts: [PageValue] = []
        func fact(_ name: String, _ words: String?) {
            if let words { facts.append(["name": .text(name), "words": .text(words), "time": .nothing]) }
        }
        func fact(_ name: String, at instant: Timestamp?) {
            guard let instant else { return }
            let time = Words.time(instant, from: ledger.now)
            facts.append(["name": .text(name), "words": .nothing, "time": time])
        }
        let renewal = ledger.renewal(of: subscription)
        fact("Original transaction ID", id)
        fact("Subscribed since", at: renewal.recentStart)
        let isOver = status == .expired || status == .revoked
        let revoked = status == .revoked ? subscription.latestTransaction.revocation?.date : nil
        fact(
            renewal.renewalDate <= ledger.now || isOver ? "Ended" : renewal.autoRenews ? "Renews" : "Ends",
            at: revoked ?? renewal.renewalDate
        )
        if renewal.autoRenews, !isOver {
            fact("Next plan", ledger.name(of: renewal.autoRenewProductID))
            fact("Next price", renewal.renewalPrice?.words)
            fact("Next offer", renewal.offer.map { "\($0.kind.words)\($0.id.map { " \($0)" } ?? "")" })
            fact("Next billing plan", renewal.billingPlan.map { Words.plain($0.rawValue) })
        }
        fact("Expiration reason", renewal.expirationIntent.map(Self.words))
        fact("Grace period ends", at: renewal.graceUntil)
        if status == .billingRetry || status == .gracePeriod {
            fact("Billing retry ends", at: subscription.state.failedPayment?.retryUntil)
        }
        let increase = renewal.autoRenews && !isOver ? subscription.bought?.expectedPriceIncrease : nil
        fact("Price increase", increase.map { "\($0.price.words), \(Words.plain($0.stage.rawValue))" })
        fact("Commitment", renewal.commitment.map { $0.autoRenews ? "renews" : "does not renew" })
        fact("Commitment ends", at: renewal.commitment?.renewalDate)
        let extensions = subscription.bought?.extensions.count ?? 0
        fact("Number of extensions", extensions == 0 ? nil : String(extensions))
        fact(
            "Eligible win-back offers",
            renewal.winBackOffers.isEmpty ? nil : renewal.winBackOffers.joined(separator: ", ")
        )
        fact("App account token", renewal.appAccountToken)
        return facts
    }

    private static func words(_ intent: ExpirationIntent) -> String {
        switch intent {
        case .customer: "the customer turned off auto-renew"
        case .billing: "billing failed"
        case .priceIncrease: "the customer did not accept a price increase"
        case .productUnavailable: "the product was not for sale"
        case .other: "other"
        }
    }

    /// The decoded payload without `signedDate`, which differs in every rendering.
    private var renewalInfo: String? {
        latest.signedRenewalInfo.flatMap(DecodedJWS.payload).map { payload in
            let kept = payload.members.filter { $0.key != "signedDate" }
            return String(decoding: JSONTree.object(kept).written(), as: UTF8.self)
        }
    }
}

/// Decodes a JWS without verifying it.
enum DecodedJWS {
    /// The payload; nil if the text is not a JWS with a JSON payload.
    static func payload(_ jws: String) -> JSONTree? {
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONTree.parse(bytes)
    }
}
