import TillCore
import TillServer
import TillShop
import TillSigning

/// A subscription of a customer's: its picture, how it stands in words and as renewal info, and what can be done.
struct SubscriptionCard: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger
    /// As the store has it.
    private let subscription: any HeldSubscription
    /// As control says it.
    private let said: JSONTree

    /// Each costs pictures and a signature, so that a page has not too many.
    private static let most = 12

    static func all(_ page: PageRequest, _ customer: JSONTree, _ ledger: CustomerLedger) async throws -> [PageValue] {
        var cards: [PageValue] = []
        for said in (customer["subscriptions"]?.elements ?? []).prefix(most) {
            let original = said["originalTransactionId"]?.text ?? ""
            guard
                let subscription = ledger.account.heldSubscriptions.first(where: { $0.originalID.wireForm == original })
            else { continue }
            let card = SubscriptionCard(page: page, ledger: ledger, subscription: subscription, said: said)
            cards.append(try await card.value())
        }
        return cards
    }

    private var id: String { subscription.originalID.wireForm }

    private func value() async throws -> PageValue {
        let name = ledger.name(of: subscription.latestTransaction.productID)
        return [
            "id": .text(id), "name": .text(name), "product": .text(subscription.latestTransaction.productID),
            "state": SubscriptionWords.status(said),
            "summary": PageValue(said["summary"]?.text.map(Words.datesInWords)),
            "isShared": .flag(subscription.ownership == .familyShared),
            "pictures": .list(ledger.pictures(of: subscription).map { .text($0) }),
            "toldSince": Words.time(ledger.toldSince(of: subscription)?.milliseconds),
            "all": PageValue(ledger.allNotices),
            "acts": acts.value(page), "facts": .list(facts),
            "renewalInfo": PageValue(try await renewalInfo()),
            "isOwn": .flag(subscription.ownership == .purchased && !ledger.isPast),
            "change": change?.value(page) ?? .nothing, "extend": status == .active ? extend.value(page) : .nothing,
        ]
    }

    // MARK: Acts

    private var status: SubscriptionStatus { subscription.status }

    private var acts: ActButtons {
        guard subscription.ownership == .purchased, !ledger.isPast else {
            return ActButtons(id: "acts-\(id)", buttons: [])
        }
        var buttons: [ActButtons.Button] = []
        let isOver = status == .expired || status == .revoked
        let renews = ledger.renewal(of: subscription).commitment?.autoRenews ?? subscription.preference.autoRenews
        if isOver {
            buttons.append(.init("buy", "Subscribe again", "productId", subscription.preference.productID))
        } else if renews {
            buttons.append(.init("cancelSubscription", "Cancel"))
        } else {
            buttons.append(.init("resumeSubscription", "Resume"))
        }
        if subscription.bought?.expectedPriceIncrease?.stage == .pending, !isOver {
            buttons.append(.init("acceptPriceIncrease", "Accept the price"))
            buttons.append(.init("declinePriceIncrease", "Decline the price"))
        }
        buttons += RowsCard.refunds(of: subscription.latestTransaction, ledger)
        if ledger.product(subscription.latestTransaction.productID)?.isFamilyShareable == true,
            ledger.account.family != nil
        {
            let shares = subscription.bought?.isShared != false
            buttons.append(
                .init("setSharing", shares ? "Stop sharing" : "Share again", "shared", shares ? "false" : "true")
            )
        }
        return ActButtons(
            id: "acts-\(id)",
            buttons: buttons,
            parameters: ["originalTransactionId": id, "transactionId": subscription.latestTransaction.id.wireForm]
        )
    }

    private var change: ActForm? {
        // Back to the present one is a change while another is chosen.
        let others = ledger.products(ofGroup: subscription.groupID).filter {
            $0.isForSale && $0.id != subscription.preference.productID
        }
        guard status != .expired, status != .revoked, !others.isEmpty else { return nil }
        let choices = others.map { product in
            (value: product.id, name: "\(product.referenceName) (level \(product.plan?.level ?? 0))")
        }
        return ActForm(
            "changeSubscription",
            "Change",
            [.init("productId", "To", .choice(choices))]
                + BuyCard.offerFields(of: others, withSigned: false) + [
                    .init("billingPlan", "Paid"), .init("at", "When (UTC)", .instant),
                ],
            parameters: ["originalTransactionId": id],
            name: id
        )
    }

    /// Why a period is extended, of one customer or of everybody.
    static let extensionReason = ActForm.Field(
        "reasonCode",
        "Reason",
        .choice([("0", "Undeclared"), ("1", "Satisfaction"), ("2", "Other"), ("3", "Outage")])
    )

    private var extend: ActForm {
        ActForm(
            "extendSubscription",
            "Extend",
            [
                .init("days", "Days", value: "30"),
                Self.extensionReason,
                .init("requestIdentifier", "Request identifier", hint: "a new one"),
            ],
            parameters: ["originalTransactionId": id],
            name: id
        )
    }

    // MARK: Renewal info

    /// What renewal info says, and what it does not say, in words.
    private var facts: [PageValue] {
        var facts: [PageValue] = []
        func fact(_ name: String, _ words: String?) {
            if let words { facts.append(["name": .text(name), "words": .text(words), "time": .nothing]) }
        }
        func fact(_ name: String, at instant: Timestamp?) {
            guard let instant else { return }
            let time = Words.time(instant.milliseconds, from: ledger.now.milliseconds)
            facts.append(["name": .text(name), "words": .nothing, "time": time])
        }
        let renewal = ledger.renewal(of: subscription)
        fact("Original transaction", id)
        fact("Run began", at: renewal.recentStart)
        let isOver = status == .expired || status == .revoked
        let revoked = status == .revoked ? subscription.latestTransaction.revocation?.date : nil
        fact(
            renewal.renewalDate <= ledger.now || isOver ? "Ended" : renewal.autoRenews ? "Renews" : "Ends",
            at: revoked ?? renewal.renewalDate
        )
        if renewal.autoRenews, !isOver {
            fact("Next as", ledger.name(of: renewal.autoRenewProductID))
            fact("Next price", renewal.renewalPrice?.words)
            fact("Next offer", renewal.offer.map { "\($0.kind.words)\($0.id.map { " \($0)" } ?? "")" })
            fact("Next paid", renewal.billingPlan.map { Words.plain($0.rawValue) })
        }
        fact("Why it ended", renewal.expirationIntent.map(Self.words))
        fact("Grace until", at: renewal.graceUntil)
        if status == .billingRetry || status == .gracePeriod {
            fact("Tried until", at: subscription.state.failedPayment?.retryUntil)
        }
        let increase = renewal.autoRenews && !isOver ? subscription.bought?.expectedPriceIncrease : nil
        fact("Price increase", increase.map { "\($0.price.words), \(Words.plain($0.stage.rawValue))" })
        fact("Commitment", renewal.commitment.map { $0.autoRenews ? "renews" : "does not renew" })
        fact("Committed until", at: renewal.commitment?.renewalDate)
        let extensions = subscription.bought?.extensions.count ?? 0
        fact("Extensions", extensions == 0 ? nil : String(extensions))
        fact("Win-back offers", renewal.winBackOffers.isEmpty ? nil : renewal.winBackOffers.joined(separator: ", "))
        fact("App account token", renewal.appAccountToken)
        return facts
    }

    private static func words(_ intent: ExpirationIntent) -> String {
        switch intent {
        case .customer: "the customer turned renewal off"
        case .billing: "it could not be charged"
        case .priceIncrease: "the customer did not agree to a higher price"
        case .productUnavailable: "the product was not for sale"
        case .other: "some other reason"
        }
    }

    /// Decoded, but for the date of the signature, which would be another one each time.
    private func renewalInfo() async throws -> String? {
        let answer = try await page.ask("getSubscription", ["originalTransactionId": id])
        return answer["signedRenewalInfo"]?.text.flatMap(DecodedJWS.payload).map { payload in
            let kept = payload.members.filter { $0.key != "signedDate" }
            return String(decoding: JSONTree.object(kept).written(), as: UTF8.self)
        }
    }
}

/// What is inside a signed text.
enum DecodedJWS {
    /// The payload; nil for what is not a JWS of JSON.
    static func payload(_ jws: String) -> JSONTree? {
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONTree.parse(bytes)
    }
}
