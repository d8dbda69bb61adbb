import TillControl
import TillShop

/// Stories about failed payments, price increases, refunds, families and extensions.
extension FixtureShop {
    // MARK: Billing

    mutating func playGracePeriod() async throws {
        try await setGrace(days: 16)
        try await create("gina")
        let first = try await buy(FixtureCatalog.basic, by: "gina", OfferToApply(kind: .none))
        try await setCard(.declinedForRenewals, of: "gina")
        try await advance("gina", days: 33)
        try await addRenewalInfo("grace-period", first, "A subscription in the grace period after a failed payment.")
        try await advance("gina", days: 16)
        try await addRenewalInfo(
            "billing-retry.after-grace-period",
            first,
            "A subscription in billing retry after its grace period has ended."
        )
        try await setCard(.accepted, of: "gina")
        let paid = try await latest(of: first)
        try await addTransaction("subscription.billing-recovery", paid, "A renewal that was paid during billing retry.")
        try await setGrace(days: 0)
    }

    mutating func playBillingRetry() async throws {
        try await create("hugo")
        let first = try await buy(FixtureCatalog.basic, by: "hugo", OfferToApply(kind: .none))
        try await setCard(.declinedForRenewals, of: "hugo")
        try await advance("hugo", days: 33)
        try await addRenewalInfo("billing-retry", first, "A subscription in billing retry after a failed payment.")
        try await advance("hugo", days: 61)
        try await addRenewalInfo(
            "expired.billing-retry",
            first,
            "A subscription that expired because no payment succeeded (expiration intent 2)."
        )
    }

    mutating func playPriceIncrease() async throws {
        for customer in ["pia", "pete", "pam"] { try await create(customer) }
        let agreed = try await buy(FixtureCatalog.dear, by: "pia")
        let silent = try await buy(FixtureCatalog.dear, by: "pete")
        let notified = try await buy(FixtureCatalog.extra, by: "pam", OfferToApply(kind: .none))
        _ = try await client.send(
            RaisePrice(app: app, productId: id(FixtureCatalog.dear), price: 14_990, consent: .required)
        )
        _ = try await client.send(
            RaisePrice(app: app, productId: id(FixtureCatalog.extra), price: 1_990, consent: .notNeeded)
        )
        try await advance("pam", days: 3)
        try await addRenewalInfo(
            "price-increase.without-consent",
            notified,
            "A subscription with a price increase that needs no consent."
        )
        try await advance("pia", days: 26)
        try await addRenewalInfo("price-increase.pending", agreed, "A price increase to which the customer must agree.")
        _ = try await client.send(AcceptPriceIncrease(app: app, originalTransactionId: agreed))
        try await addRenewalInfo("price-increase.agreed", agreed, "A price increase to which the customer agreed.")
        try await advance("pia", days: 7)
        let renewal = try await latest(of: agreed)
        try await addTransaction("subscription.renewal-at-new-price", renewal, "A renewal at the increased price.")
        try await advance("pete", days: 33)
        try await addRenewalInfo(
            "expired.price-increase",
            silent,
            "A subscription that expired because the customer did not agree to a price increase (expiration intent 3)."
        )
    }

    mutating func playRemovedProduct() async throws {
        try await create("nora")
        let first = try await buy(FixtureCatalog.gone, by: "nora")
        let product = id(FixtureCatalog.gone)
        _ = try await client.send(SetForSale(bundleId: app.bundleId, productId: product, forSale: false))
        try await advance("nora", days: 33)
        try await addRenewalInfo(
            "expired.product-not-for-sale",
            first,
            "A subscription that expired because the product was removed from sale (expiration intent 4)."
        )
        _ = try await client.send(SetForSale(bundleId: app.bundleId, productId: product, forSale: true))
    }

    // MARK: Refunds and families

    mutating func playRefundedSubscriptions() async throws {
        for customer in ["rita", "rolf", "rory"] { try await create(customer) }
        let none = OfferToApply(kind: .none)
        let full = try await buy(FixtureCatalog.basic, by: "rita", none)
        _ = try await client.send(RequestRefund(app: app, transactionId: full, reason: .unsatisfiedWithPurchase))
        try await refund(full)
        try await addTransaction("subscription.refunded", full, "A subscription period that was refunded in full.")
        try await addRenewalInfo("revoked", full, "A subscription that was refunded and ended.")
        let unused = try await buy(FixtureCatalog.basic, by: "rolf", none)
        try await advance("rolf", days: 10)
        try await refund(unused, .unused)
        try await addTransaction(
            "subscription.refunded-unused-part",
            unused,
            "A subscription whose unused part was refunded."
        )
        let reversed = try await buy(FixtureCatalog.basic, by: "rory", none)
        try await refund(reversed)
        try await advance("rory", days: 40)
        _ = try await client.send(ReverseRefund(app: app, transactionId: reversed))
        try await addRenewalInfo(
            "expired.other",
            reversed,
            "A subscription whose refund was reversed after its period had ended (expiration intent 5)."
        )
        try await trigger(.expired, nil, transaction: reversed)
    }

    mutating func playFamily() async throws {
        _ = try await client.send(
            CreateFamily(app: app, organizer: "fay", members: ["fred"], newClock: FixtureServer.start)
        )
        let plan = try await buy(FixtureCatalog.pro, by: "fay")
        let product = try await buy(FixtureCatalog.forever, by: "fay")
        let copies = try await client.send(ListTransactions(app: app, customer: "fred")).transactions
        for copy in copies {
            let type = copy.type == .autoRenewable ? "subscription" : "non-consumable"
            try await addTransaction(
                "\(type).family-shared",
                copy.transactionId,
                "A family member's copy of a \(type)."
            )
        }
        try await refund(product)
        guard let copy = copies.first(where: { $0.type == .autoRenewable }) else {
            throw CommandRefused("The family member has no copy of the subscription.")
        }
        try await addRenewalInfo("family-shared", copy.transactionId, "A family member's copy of a subscription.")
        try await refund(plan)
        try await addTransaction(
            "subscription.family-shared-revoked",
            copy.transactionId,
            "A family member's copy of a subscription whose purchase was refunded."
        )
    }

    // MARK: Commitments and extensions

    mutating func playCommitment() async throws {
        try await create("cora")
        var request = request(FixtureCatalog.committed, by: "cora")
        request.billingPlan = .monthly
        let first = try await buy(request)
        try await addTransaction(
            "subscription.monthly-payment",
            first,
            "The first monthly payment of a commitment of twelve months."
        )
        try await create("carl")
        let year = try await buy(FixtureCatalog.committed, by: "carl")
        try await addTransaction("subscription.billed-upfront", year, "A year that was billed upfront.")
        try await addRenewalInfo("commitment", first, "A commitment of twelve months with monthly payments.")
        try await advance("cora", days: 40)
        try await cancel(first)
        try await addRenewalInfo(
            "commitment-will-not-renew",
            first,
            "A commitment that ends after its twelve months, and whose monthly payments continue until then."
        )
    }

    mutating func playExtensions() async throws {
        for customer in ["ella", "eric"] { try await create(customer) }
        let first = try await buy(FixtureCatalog.extended, by: "ella", OfferToApply(kind: .none))
        _ = try await buy(FixtureCatalog.extended, by: "eric")
        let request = ExtendSubscription(
            app: app,
            originalTransactionId: first,
            days: 5,
            requestIdentifier: "5f0b3c1e-8d2a-4c6f-9a41-2b7d6e8f0a13"
        )
        _ = try await client.send(request)
        try await addTransaction("subscription.extended", first, "A subscription whose renewal date was extended.")
        _ = try await client.send(
            ExtendAll(
                app: app,
                productId: id(FixtureCatalog.extended),
                days: 3,
                requestIdentifier: "a3c6f1d2-4b7e-4f90-8c15-6d2e9b0a7f34"
            )
        )
    }
}
