import Testing
import TillControl
import TillJSON
import TillTestSupport

/// Checks operations of customers and of the store: subscriptions, cards, pending purchases, refund requests, Family
/// Sharing, and products removed from sale.
@Suite("Subscriptions and purchases, through the control API")
struct SubscriptionControlTests {
    // MARK: Subscriptions

    @Test("A purchase returns its transaction, events and notifications")
    func purchase() async throws {
        try await TypedControl.run { control in
            let request = BuyProduct(app: control.app, customer: "ann", productId: "pro", include: [.signed])
            let bought = try await control.send(request)
            let transaction = try #require(bought.transaction)
            #expect(bought.customer == "ann" && transaction.customer == "ann")
            #expect(transaction.productId == "pro" && transaction.quantity == 1)
            #expect(transaction.price == 9_990 && transaction.currency == "USD")
            let payload = try control.payload(of: transaction.signedTransactionInfo)
            #expect(transaction.purchaseDate.milliseconds == payload["purchaseDate"]?.number)
            #expect(transaction.expiresDate != nil)
            #expect(transaction.expiresDate?.milliseconds == payload["expiresDate"]?.number)
            #expect(bought.events == [.subscribed] && bought.notifications == ["SUBSCRIBED/INITIAL_BUY"])
            let summary = try #require(transaction.subscription).summary
            #expect(summary.hasPrefix("Active until 20") && summary.contains("renews then for 9.99 USD"))
            let coins = try await control.send(BuyProduct(app: control.app, customer: "ann", productId: "coins"))
            #expect(coins.notifications == ["ONE_TIME_CHARGE"])
        }
    }

    @Test("Auto-renew is turned off and on again")
    func renewal() async throws {
        try await TypedControl.run { control in
            let id = try await control.buy("pro", by: "ann").transactionId
            let cancel = CancelSubscription(app: control.app, originalTransactionId: id)
            let off = try await control.send(cancel.including([.signed]))
            #expect(off.notifications == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
            let renewal = try control.payload(of: off.transaction.signedRenewalInfo)
            #expect(renewal["autoRenewStatus"]?.number == 0)
            let subscription = try await control.subscription(of: "ann")
            #expect(subscription.autoRenewStatus == 0 && subscription.summary.contains("does not renew"))
            #expect(subscription.renewalPrice == nil)
            try await control.expectRefusal(409, "auto_renew_is_off", of: cancel)
            let resume = ResumeSubscription(app: control.app, originalTransactionId: id)
            let on = try await control.send(resume)
            #expect(on.notifications == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
            try await control.expectRefusal(409, "auto_renew_is_on", of: resume)
            let shown = try await control.send(GetSubscription(app: control.app, originalTransactionId: id))
            let listed = try await control.subscription(of: "ann")
            #expect(try #require(shown.subscription).json == listed.json)
        }
    }

    @Test("A subscription can be named by any of its transactions")
    func names() async throws {
        try await TypedControl.run { control in
            let first = try await control.buy("basic", by: "ann", offer: .noOffer)
            let second = try await control.buy("pro", by: "ann")
            func get(_ id: String) -> GetSubscription { GetSubscription(app: control.app, originalTransactionId: id) }
            for id in [first.transactionId, second.transactionId] {
                #expect(try await control.send(get(id)).transactionId == second.transactionId)
            }
            let coins = try await control.buy("coins", by: "ann")
            try await control.expectRefusal(404, "unknown_subscription", of: get(coins.transactionId))
            for nothing in ["12", "x"] {
                try await control.expectRefusal(404, "unknown_transaction", of: get(nothing))
            }
        }
    }

    @Test("A change of the plan takes effect at once, or with the next period")
    func change() async throws {
        try await TypedControl.run { control in
            let bought = try await control.buy("basic", by: "ann", offer: .noOffer)
            func change(to product: String) -> ChangeSubscription {
                ChangeSubscription(
                    app: control.app,
                    originalTransactionId: bought.transactionId,
                    productId: product,
                    include: [.signed]
                )
            }
            let up = try await control.send(change(to: "pro"))
            let current = try #require(up.transaction).transactionId
            #expect(current != bought.transactionId)
            #expect(up.notifications == ["DID_CHANGE_RENEWAL_PREF/UPGRADE"])
            let down = try await control.send(change(to: "year"))
            #expect(down.transaction?.transactionId == current)
            #expect(down.notifications == ["DID_CHANGE_RENEWAL_PREF/DOWNGRADE"])
            let renewal = try control.payload(of: down.transaction?.signedRenewalInfo)
            #expect(renewal["autoRenewProductId"]?.text == "year")
            #expect(try await control.subscription(of: "ann").summary.contains("renews then as year"))
            let back = try await control.send(change(to: "pro"))
            #expect(back.notifications == ["DID_CHANGE_RENEWAL_PREF"])
            try await control.expectRefusal(409, "other_group", of: change(to: "extra"))
            try await control.expectRefusal(404, "unknown_product", of: change(to: "x"))
        }
    }

    @Test("A refunded subscription can be neither changed nor cancelled")
    func refunded() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let id = try await control.buy("pro", by: "ann").transactionId
            _ = try await control.send(RefundTransaction(app: app, transactionId: id))
            let cancel = CancelSubscription(app: app, originalTransactionId: id)
            try await control.expectRefusal(409, "not_subscribed", of: cancel)
            let resume = ResumeSubscription(app: app, originalTransactionId: id)
            try await control.expectRefusal(409, "not_subscribed", of: resume)
            let change = ChangeSubscription(app: app, originalTransactionId: id, productId: "basic")
            try await control.expectRefusal(409, "not_subscribed", of: change)
            #expect(try await control.subscription(of: "ann").summary.hasSuffix("it was refunded."))
        }
    }

    @Test("An extension moves the end of the period")
    func extend() async throws {
        try await TypedControl.run { control in
            let bought = try await control.buy("pro", by: "ann")
            let id = bought.transactionId
            func extend(days: Int, reason: Int? = nil, request: String? = nil) -> ExtendSubscription {
                ExtendSubscription(
                    app: control.app,
                    originalTransactionId: id,
                    days: days,
                    reasonCode: reason,
                    requestIdentifier: request
                )
            }
            let name = "7c0e6c1a-0d52-4c8c-8a57-0f1f5d5c7a01"
            let longer = try await control.send(extend(days: 10, reason: 1, request: name))
            let before = try #require(bought.expiresDate)
            let after = try #require(longer.transaction.expiresDate)
            let hours = (after.milliseconds - before.milliseconds) / 3_600_000
            #expect(
                (239...241).contains(hours),
                "ten days, and an hour more or less across a change of daylight saving"
            )
            #expect(longer.notifications == ["RENEWAL_EXTENDED"])
            let again = try await control.send(extend(days: 10, request: name))
            #expect(again.events.isEmpty && again.transaction.expiresDate == after)
            _ = try await control.send(extend(days: 1))
            try await control.expectRefusal(409, "extension_limit", of: extend(days: 1))
            for days in [0, 91] { try await control.expectRefusal(400, "bad_request", of: extend(days: days)) }
            let long = String(repeating: "x", count: 129)
            try await control.expectRefusal(400, "bad_request_identifier", of: extend(days: 1, request: long))
        }
    }

    // MARK: Cards and pending purchases

    @Test("A declined card refuses purchases, or renewals only")
    func declinedCard() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateCustomer(app: app, customer: "ann"))
            let declined = try await control.send(UpdateCustomer(app: app, customer: "ann", card: .declined))
            #expect(declined.customer.card == .declined)
            #expect(declined.events == [.cardChanged] && declined.notifications.isEmpty)
            let coins = BuyProduct(app: app, customer: "ann", productId: "coins")
            try await control.expectRefusal(409, "card_declined", of: coins)
            _ = try await control.send(UpdateCustomer(app: app, customer: "ann", card: .declinedForRenewals))
            _ = try await control.send(coins)
            let accept = UpdateCustomer(app: app, customer: "ann", card: .accepted)
            #expect(try await control.send(accept).customer.card == .accepted)
            let stolen = try InvalidRequest(accept, ["card": .string("stolen")])
            try await control.expectRefusal(400, "bad_request", of: stolen)
            let unknown = UpdateCustomer(app: app, customer: "unknown", card: .accepted)
            try await control.expectRefusal(404, "unknown_account", of: unknown)
        }
    }

    @Test("A card that is accepted again is charged at once")
    func acceptedAgain() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateCustomer(app: app, customer: "ann", at: control.inDays(-60)))
            _ = try await control.send(
                UpdateCustomer(app: app, customer: "ann", card: .declinedForRenewals, at: control.inDays(-50))
            )
            try await control.buy("pro", by: "ann", at: control.inDays(-40))
            let failed = try await control.subscription(of: "ann")
            #expect(failed.status == .billingRetry && failed.summary.contains("failed"))
            #expect(try #require(failed.billingRetryUntil) > control.test.now)
            let accepted = try await control.send(UpdateCustomer(app: app, customer: "ann", card: .accepted))
            #expect(accepted.notifications == ["DID_RENEW/BILLING_RECOVERY"])
            #expect(try await control.subscription(of: "ann").status == .active)
        }
    }

    @Test("One request changes the card, Ask to Buy and the clock, or nothing")
    func update() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let past = control.inDays(-10)
            _ = try await control.send(CreateClock(app: app, name: "past", at: past))
            _ = try await control.send(CreateCustomer(app: app, customer: "ann"))
            let all = UpdateCustomer(app: app, customer: "ann", card: .declined, asksToBuy: true, clock: "past")
            let changed = try await control.send(all)
            #expect(changed.customer.card == .declined && changed.customer.asksToBuy)
            #expect(changed.customer.clock == "past" && changed.events == [.cardChanged])
            let accepted = try await control.send(UpdateCustomer(app: app, customer: "ann", card: .accepted))
            #expect(accepted.customer.asksToBuy && accepted.customer.clock == "past")
            let unknown = UpdateCustomer(app: app, customer: "ann", card: .declined, asksToBuy: false, clock: "no")
            try await control.expectRefusal(404, "unknown_clock", of: unknown)
            let late = UpdateCustomer(app: app, customer: "ann", card: .declined, clock: "", at: control.test.now)
            try await control.expectRefusal(409, "later_than_clock", of: late)
            #expect(try await control.send(GetCustomer(app: app, customer: "ann")).json == accepted.customer.json)
            let empty = UpdateCustomer(app: app, customer: "ann", at: past)
            try await control.expectRefusal(400, "bad_update", of: empty)
        }
    }

    @Test("With Ask to Buy, a purchase waits for a parent")
    func askToBuy() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateCustomer(app: app, customer: "ann"))
            let asking = try await control.send(UpdateCustomer(app: app, customer: "ann", asksToBuy: true))
            #expect(asking.customer.asksToBuy)
            let coins = try await control.send(BuyProduct(app: app, customer: "ann", productId: "coins"))
            let skin = try await control.send(BuyProduct(app: app, customer: "ann", productId: "skin"))
            #expect([coins.held, skin.held] == [1, 2])
            #expect(coins.events == [.purchaseHeld] && coins.notifications.isEmpty && coins.transaction == nil)
            let waiting = try await control.send(ListHeldPurchases(app: app, customer: "ann"))
            #expect(waiting.map(\.number) == [1, 2] && waiting.map(\.productId) == ["coins", "skin"])
            #expect(waiting.map(\.reason) == [.askToBuy, .askToBuy])
            #expect(try await control.send(GetCustomer(app: app, customer: "ann")).heldPurchases == 2)
            let approve = ApprovePurchase(app: app, customer: "ann", number: 1)
            let approved = try await control.send(approve)
            #expect(approved.transaction?.productId == "coins" && approved.events == [.charged])
            let second = DeclinePurchase(app: app, customer: "ann", number: 2)
            #expect(try await control.send(second).events == [.purchaseDeclined])
            let decline = DeclinePurchase(app: app, customer: "ann", number: 1)
            try await control.expectRefusal(404, "unknown_held_purchase", of: approve)
            try await control.expectRefusal(404, "unknown_held_purchase", of: decline)
            let wrongApproval = try InvalidRequest(approve, ["number": .string("x")])
            try await control.expectRefusal(404, "unknown_number", of: wrongApproval)
            let wrongDecline = try InvalidRequest(decline, ["number": .string("x")])
            try await control.expectRefusal(404, "unknown_number", of: wrongDecline)
            _ = try await control.send(UpdateCustomer(app: app, customer: "ann", asksToBuy: false))
            try await control.buy("skin", by: "ann")
        }
    }

    @Test("An interrupted purchase waits for the customer")
    func interrupted() async throws {
        try await TypedControl.run { control in
            let held = try await control.send(
                BuyProduct(app: control.app, customer: "ann", productId: "pro", interrupted: true)
            )
            #expect(held.held == 1)
            let completed = try await control.send(ApprovePurchase(app: control.app, customer: "ann", number: 1))
            #expect(completed.notifications == ["SUBSCRIBED/INITIAL_BUY"])
        }
    }

    @Test("A billing plan that the product lacks is refused")
    func billingPlan() async throws {
        try await TypedControl.run { control in
            var request = BuyProduct(app: control.app, customer: "ann", productId: "pro", billingPlan: .monthly)
            try await control.expectRefusal(409, "no_monthly_plan", of: request)
            request.billingPlan = .billedUpfront
            _ = try await control.send(request)
        }
    }

    // MARK: Requested refunds

    @Test("A refund request is listed until it is declined")
    func declinedRefund() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let id = try await control.buy("coins", by: "ann").transactionId
            let asked = try await control.send(RequestRefund(app: app, transactionId: id, reason: .legal))
            #expect(asked.events == [.refundRequested] && asked.notifications == ["CONSUMPTION_REQUEST"])
            let request = try #require(asked.transaction.refundRequest)
            #expect(request.transactionId == id && request.reason == .legal && request.customer == "ann")
            #expect(try #require(request.decisionDate) > request.requestedDate)
            let ofCustomer = try await control.send(ListRefundRequests(app: app, customer: "ann"))
            #expect(try ofCustomer.refundRequests.json == [request].json)
            let all = try await control.send(ListRefundRequests(app: app)).refundRequests
            #expect(try all.map { try $0.json }.contains(try request.json))
            let repeated = RequestRefund(app: app, transactionId: id)
            try await control.expectRefusal(409, "refund_already_requested", of: repeated)
            let decline = DeclineRefund(app: app, transactionId: id)
            let declined = try await control.send(decline)
            #expect(declined.notifications == ["REFUND_DECLINED"] && declined.transaction.refundRequest == nil)
            try await control.expectRefusal(409, "refund_not_requested", of: decline)
            try await control.expectRefusal(400, "bad_page", of: ListRefundRequests(app: app, after: "x"))
            let unknown = ListRefundRequests(app: app, customer: "unknown")
            try await control.expectRefusal(404, "unknown_account", of: unknown)
            let page = ListRefundRequests(app: app, customer: "ann", after: "1")
            try await control.expectRefusal(400, "bad_page", of: page)
        }
    }

    @Test("A refund request for a subscription turns off auto-renew first")
    func refundOfSubscription() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let id = try await control.buy("pro", by: "ann").transactionId
            let asked = try await control.send(RequestRefund(app: app, transactionId: id))
            #expect(
                asked.notifications == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "CONSUMPTION_REQUEST"]
            )
            let granted = try await control.send(RefundTransaction(app: app, transactionId: id))
            #expect(granted.notifications == ["REFUND"] && granted.transaction.revocationDate != nil)
            let rest = try await control.send(ListRefundRequests(app: app, customer: "ann"))
            #expect(rest.refundRequests.isEmpty)
            let reversed = try await control.send(ReverseRefund(app: app, transactionId: id))
            #expect(reversed.notifications == ["REFUND_REVERSED"])
        }
    }

    // MARK: Families and products

    @Test("Sharing of one purchase is turned off and on")
    func sharing() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let other = "ann's other"
            _ = try await control.send(CreateFamily(app: app, organizer: "ann", members: [other]))
            let bought = try await control.send(BuyProduct(app: app, customer: "ann", productId: "pro"))
            let notifications = Array(repeating: "SUBSCRIBED/INITIAL_BUY", count: 2)
            #expect(bought.notifications == notifications, "one for the purchaser, and one for the copy")
            let id = try #require(bought.transaction).transactionId
            let stopped = try await control.send(SetSharing(app: app, transactionId: id, shared: false))
            #expect(stopped.notifications == ["REVOKE"] && stopped.transaction.subscription?.isShared == false)
            #expect(try await control.subscription(of: other).status == .revoked)
            _ = try await control.send(SetSharing(app: app, transactionId: id, shared: true))
            let copy = try await control.subscription(of: other)
            #expect(copy.status == .active && copy.summary.contains("family member"))
            let cancel = CancelSubscription(app: app, originalTransactionId: copy.originalTransactionId)
            try await control.expectRefusal(409, "family_shared", of: cancel)
            let coins = try await control.buy("coins", by: "ann").transactionId
            let share = SetSharing(app: app, transactionId: coins, shared: true)
            try await control.expectRefusal(409, "not_shareable", of: share)
        }
    }

    @Test("A product is removed from sale and restored")
    func sale() async throws {
        try await TypedControl.run { control in
            var request = SetForSale(bundleId: TestShop.bundleID, productId: "coins", forSale: false)
            #expect(try await control.send(request).forSale == false)
            let coins = BuyProduct(app: control.app, customer: "ann", productId: "coins")
            try await control.expectRefusal(409, "product_not_for_sale", of: coins)
            request.forSale = true
            #expect(try await control.send(request).forSale == true)
            _ = try await control.send(coins)
            request.productId = "nothing"
            try await control.expectRefusal(404, "unknown_product", of: request)
        }
    }
}
