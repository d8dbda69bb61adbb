import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillSigning
import TillStorage

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
    /// The family member who shares the subscription; nil for a purchaser who does not exist on this server.
    private var purchaser: String?

    /// Each card needs timelines and a signature, so a page shows only a few cards.
    private static let maxCards = 12

    static func all(_ page: PageRequest, _ customer: CustomerInfo, _ ledger: CustomerLedger) async throws
        -> [PageValue]
    {
        var cards: [PageValue] = []
        for info in customer.subscriptions.prefix(maxCards) {
            let id = info.originalTransactionId
            guard let subscription = ledger.account.heldSubscriptions.first(where: { $0.shownOriginalID == id })
            else { continue }
            let request = GetSubscription(app: ledger.app, originalTransactionId: id, include: [.signed])
            let latest = try await page.send(request)
            var card = Self(page: page, ledger: ledger, subscription: subscription, info: info, latest: latest)
            if let owner = (subscription as? SharedSubscription)?.owner {
                card.purchaser = try await page.shop.storage.account(owner)?.customer
            }
            cards.append(card.value)
        }
        return cards
    }

    private var id: String { info.originalTransactionId }

    private var value: PageValue {
        let facts = ledger.facts(of: subscription)
        return [
            "id": id, "name": ledger.name(of: info.productId), "product": info.productId,
            "state": Self.status(info.status), "summary": Words.datesInWords(info.summary),
            "isShared": info.inAppOwnershipType == .familyShared, "purchaser": purchaser,
            "purchaserLink": purchaser.map { page.link(toCustomer: $0) },
            "pictures": facts.map { facts in
                Timeline.widths.enumerated().map { index, width in
                    Timeline(facts, width: width).svg(id: "timeline-\(id)-\(index)")
                }
            },
            "omittedBefore": facts.flatMap(ledger.omittedBefore), "all": ledger.allNotifications,
            "actions": page.buttons("buttons-\(id)", buttons), "facts": details, "renewalInfo": renewalInfo,
            "change": change, "extend": extend,
        ]
    }

    /// A subscription's status with its style.
    static func status(_ status: SubscriptionStatus) -> PageValue {
        switch status {
        case .active: ["words": "active", "style": "good"]
        case .expired: ["words": "expired", "style": "over"]
        case .billingRetry: ["words": "billing retry", "style": "bad"]
        case .gracePeriod: ["words": "grace period", "style": "warn"]
        case .revoked: ["words": "revoked", "style": "over"]
        }
    }

    // MARK: Actions

    /// The actions on the subscription; none on a page of older transactions.
    private var actions: [CustomerAction] { ledger.isPast ? [] : info.availableActions }

    private var buttons: [ActionButton] {
        let ofSubscription = actions.compactMap { ActionButton($0, on: info, of: latest.customer, ledger.app) }
        // The list of transactions below has a button to finish a transaction.
        let ofTransaction = ledger.isPast ? [] : latest.availableActions.filter { $0 != .finish }
        return ofSubscription
            + ofTransaction.compactMap { ActionButton($0, onTransaction: latest.transactionId, ledger.app) }
    }

    private var change: PageValue? {
        // While a plan change is pending, the current plan is an option. Choosing it reverts the change.
        let others = ledger.products(ofGroup: subscription.groupID).filter {
            $0.isForSale && $0.id != subscription.preference.productID
        }
        guard actions.contains(.change), !others.isEmpty else { return nil }
        let choices = others.map { ($0.id, "\($0.referenceName) (level \($0.plan?.level ?? 0))") }
        return page.form(
            ChangeSubscription(app: ledger.app, originalTransactionId: id, productId: ""),
            "Change plan",
            [.init("productId", "New plan", .choice(choices))]
                + ledger.offerFields(of: others)
                + [.offerSignature, .init("billingPlan", "Billing plan"), .timeOfAction],
            name: id
        )
    }

    /// The field for the reason of an extension.
    static let extensionReason = FormField(
        "reasonCode",
        "Reason",
        .choice([("0", "Undeclared"), ("1", "Customer satisfaction"), ("2", "Other"), ("3", "Service issue or outage")])
    )

    private var extend: PageValue? {
        guard actions.contains(.extend) else { return nil }
        return page.form(
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
    private var details: PageValue {
        let renewal = ledger.renewal(of: subscription)
        let status = info.status
        let isOver = status == .expired || status == .revoked
        let revoked = status == .revoked ? subscription.latestTransaction.revocation?.date : nil
        let end = renewal.renewalDate <= ledger.now || isOver ? "Ended" : renewal.autoRenews ? "Renews" : "Ends"
        let next = renewal.autoRenews && !isOver ? renewal : nil
        let isRetrying = status == .billingRetry || status == .gracePeriod
        let increase = next == nil ? nil : subscription.bought?.expectedPriceIncrease
        let extensions = subscription.bought?.extensions.count ?? 0
        func time(_ instant: Timestamp?) -> PageValue? { instant.map { Words.time($0, from: ledger.now) } }
        return .facts([
            "Original transaction ID": id, "Subscribed since": time(renewal.recentStart),
            end: time(revoked ?? renewal.renewalDate),
            "Next plan": next.map { ledger.name(of: $0.autoRenewProductID) }, "Next price": next?.renewalPrice?.words,
            "Next offer": next?.offer.map { "\($0.kind.words)\($0.id.map { " \($0)" } ?? "")" },
            "Next billing plan": next?.billingPlan.map { Words.plain($0.rawValue) },
            "Expiration reason": renewal.expirationIntent.map(Self.words),
            "Grace period ends": time(renewal.graceUntil),
            "Billing retry ends": isRetrying ? time(subscription.state.failedPayment?.retryUntil) : nil,
            "Price increase": increase.map { "\($0.price.words), \(Words.plain($0.stage.rawValue))" },
            "Commitment": renewal.commitment.map { $0.autoRenews ? "renews" : "does not renew" },
            "Commitment ends": time(renewal.commitment?.renewalDate),
            "Number of extensions": extensions == 0 ? nil : extensions,
            "Eligible win-back offers": renewal.winBackOffers.isEmpty
                ? nil : renewal.winBackOffers.joined(separator: ", "),
            "App account token": renewal.appAccountToken,
        ])
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
            return JSONTree.object(kept).indented
        }
    }
}

/// Decodes a JWS without verifying it.
enum DecodedJWS {
    /// The payload; nil if the text is not a JWS with a JSON payload.
    static func payload(_ jws: String) -> JSONTree? {
        (try? CompactJWS(jws)).flatMap { try? JSONTree.parse($0.payload) }
    }
}
