"""Operations of customers and of the store through the control API: subscriptions, payment methods, Ask to Buy,
interrupted purchases, refund requests, Family Sharing, and products removed from sale."""

import uuid

import pytest

from catalog_of_everything import BASIC, BASIC_YEAR, CATALOG, COINS, EXTRA, FOREVER, PRO
from shop_helpers import DAY, App, ControlRefused, Purchase, now_ms


def refused(call, *arguments, **options):
    with pytest.raises(ControlRefused) as caught:
        call(*arguments, **options)
    assert caught.value.message.endswith(".")
    return caught.value.status, caught.value.code


def act(environment, operation, transaction, **body) -> Purchase:
    return Purchase(environment, environment.control(operation, body, originalTransactionId=transaction))


def only(environment, customer) -> dict:
    (entry,) = environment.control("listSubscriptions", customer=customer)["subscriptions"]
    return entry


# Subscriptions --------------------------------------------------------------------------------------------------------


def test_a_purchase_returns_its_events_and_notifications(sandbox, customer):
    bought = sandbox.buy(customer, PRO)
    answer = bought.answer
    assert answer["customer"] == customer and answer["productId"] == PRO and answer["quantity"] == 1
    assert (answer["price"], answer["currency"]) == (9990, "USD")
    assert answer["purchaseDate"] == bought.payload["purchaseDate"]
    assert answer["expiresDate"] == bought.payload["expiresDate"]
    assert (answer["events"], answer["notifications"]) == (["subscribed"], ["SUBSCRIBED/INITIAL_BUY"])
    assert answer["subscription"]["summary"].startswith("Active until 20")
    assert "renews then for 9.99 USD" in answer["subscription"]["summary"]
    assert sandbox.buy(customer, COINS).answer["notifications"] == ["ONE_TIME_CHARGE"]


def test_renewal_is_turned_off_and_on(sandbox, customer):
    bought = sandbox.buy(customer, PRO)
    off = act(sandbox, "cancelSubscription", bought.id)
    assert off.answer["notifications"] == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"]
    assert off.renewal["autoRenewStatus"] == 0
    entry = only(sandbox, customer)
    assert entry["autoRenewStatus"] == 0 and "does not renew" in entry["summary"] and "renewalPrice" not in entry
    cancel = {"originalTransactionId": bought.id}
    assert refused(sandbox.control, "cancelSubscription", {}, **cancel) == (409, "auto_renew_is_off")
    on = act(sandbox, "resumeSubscription", bought.id)
    assert on.answer["notifications"] == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"]
    assert refused(sandbox.control, "resumeSubscription", {}, **cancel) == (409, "auto_renew_is_on")
    shown = Purchase(sandbox, sandbox.control("getSubscription", **cancel))
    assert shown.answer["subscription"] == only(sandbox, customer) and shown.events == []


def test_a_subscription_may_be_named_by_any_of_its_transactions(sandbox, customer):
    first = sandbox.buy(customer, BASIC, offer={"kind": "NONE"})
    second = sandbox.buy(customer, PRO)
    for name in (first.id, second.id):
        assert sandbox.control("getSubscription", originalTransactionId=name)["transactionId"] == second.id
    coins = sandbox.buy(customer, COINS).id
    assert refused(sandbox.control, "getSubscription", originalTransactionId=coins) == (404, "unknown_subscription")
    for nothing in ("12", "x"):
        found = refused(sandbox.control, "getSubscription", originalTransactionId=nothing)
        assert found == (404, "unknown_transaction")


def test_a_change_of_plan_at_once_and_with_the_next_period(sandbox, customer):
    bought = sandbox.buy(customer, BASIC, offer={"kind": "NONE"})
    up = act(sandbox, "changeSubscription", bought.id, productId=PRO)
    assert up.id != bought.id and up.answer["notifications"] == ["DID_CHANGE_RENEWAL_PREF/UPGRADE"]
    down = act(sandbox, "changeSubscription", bought.id, productId=BASIC_YEAR)
    assert down.id == up.id and down.answer["notifications"] == ["DID_CHANGE_RENEWAL_PREF/DOWNGRADE"]
    assert down.renewal["autoRenewProductId"] == BASIC_YEAR
    assert BASIC_YEAR in only(sandbox, customer)["summary"]
    back = act(sandbox, "changeSubscription", bought.id, productId=PRO)
    assert back.answer["notifications"] == ["DID_CHANGE_RENEWAL_PREF"]
    change = {"originalTransactionId": bought.id}
    assert refused(sandbox.control, "changeSubscription", {"productId": EXTRA}, **change) == (409, "other_group")
    assert refused(sandbox.control, "changeSubscription", {"productId": "x"}, **change) == (404, "unknown_product")


def test_an_expired_subscription_cannot_be_changed_or_cancelled(sandbox, customer):
    bought = sandbox.buy(customer, PRO)
    sandbox.refund(bought.id)
    named = {"originalTransactionId": bought.id}
    for operation, body in (("cancelSubscription", {}), ("resumeSubscription", {}),
                            ("changeSubscription", {"productId": BASIC})):
        assert refused(sandbox.control, operation, body, **named) == (409, "not_subscribed")
    assert only(sandbox, customer)["summary"].endswith("it was refunded.")


def test_an_extension_moves_the_end(sandbox, customer):
    bought = sandbox.buy(customer, PRO)
    name = str(uuid.uuid4())
    longer = act(sandbox, "extendSubscription", bought.id, days=10, reasonCode=1, requestIdentifier=name)
    moved = longer.payload["expiresDate"] - bought.payload["expiresDate"]
    assert abs(moved - 10 * DAY) <= DAY // 24, "not ten calendar days (an hour more or less across a DST change)"
    assert longer.answer["notifications"] == ["RENEWAL_EXTENDED"]
    again = act(sandbox, "extendSubscription", bought.id, days=10, requestIdentifier=name)
    assert again.events == [] and again.payload["expiresDate"] == longer.payload["expiresDate"]
    act(sandbox, "extendSubscription", bought.id, days=1)
    named = {"originalTransactionId": bought.id}
    assert refused(sandbox.control, "extendSubscription", {"days": 1}, **named) == (409, "extension_limit")
    for days in (0, 91):
        assert refused(sandbox.control, "extendSubscription", {"days": days}, **named) == (400, "bad_request")
    wrong = {"days": 1, "requestIdentifier": "x" * 129}
    assert refused(sandbox.control, "extendSubscription", wrong, **named) == (400, "bad_request_identifier")


# Cards and pending purchases ------------------------------------------------------------------------------------------


def test_a_declined_card(sandbox, customer):
    sandbox.create(customer)
    answer = sandbox.control("setCard", {"card": "declined"}, customer=customer)
    assert (answer["card"], answer["events"], answer["notifications"]) == ("declined", ["cardChanged"], [])
    assert refused(sandbox.buy, customer, COINS) == (409, "card_declined")
    sandbox.control("setCard", {"card": "declinedForRenewals"}, customer=customer)
    sandbox.buy(customer, COINS)
    assert sandbox.control("setCard", {"card": "accepted"}, customer=customer)["card"] == "accepted"
    assert refused(sandbox.control, "setCard", {"card": "stolen"}, customer=customer) == (400, "bad_request")
    assert refused(sandbox.control, "setCard", {"card": "accepted"}, customer="unknown") == (404, "unknown_account")


def test_a_card_that_is_accepted_again_is_charged_at_once(sandbox, customer):
    sandbox.create(customer, at=now_ms() - 60 * DAY)
    sandbox.control("setCard", {"card": "declinedForRenewals", "at": now_ms() - 50 * DAY}, customer=customer)
    sandbox.buy(customer, PRO, at=now_ms() - 40 * DAY)
    entry = only(sandbox, customer)
    assert entry["status"] == 3 and "failed" in entry["summary"] and entry["billingRetryUntil"] > now_ms()
    answer = sandbox.control("setCard", {"card": "accepted"}, customer=customer)
    assert answer["notifications"] == ["DID_RENEW/BILLING_RECOVERY"]
    assert only(sandbox, customer)["status"] == 1


def test_a_purchase_waits_for_a_parent(sandbox, customer):
    sandbox.create(customer)
    assert sandbox.control("setAskToBuy", {"asksToBuy": True}, customer=customer)["asksToBuy"] is True
    held = [sandbox.control("buyProduct", {"productId": product}, customer=customer) for product in (COINS, FOREVER)]
    assert [answer["held"] for answer in held] == [1, 2]
    assert held[0]["events"] == ["purchaseHeld"] and held[0]["notifications"] == []
    assert "transactionId" not in held[0]
    waiting = sandbox.control("listHeldPurchases", customer=customer)["heldPurchases"]
    assert [(entry["number"], entry["productId"], entry["reason"]) for entry in waiting] == [
        (1, COINS, "askToBuy"), (2, FOREVER, "askToBuy"),
    ]
    assert sandbox.control("getCustomer", customer=customer)["heldPurchases"] == 2
    bought = Purchase(sandbox, sandbox.control("approvePurchase", {}, customer=customer, number=1))
    assert bought.payload["productId"] == COINS and bought.events == ["charged"]
    assert sandbox.control("declinePurchase", {}, customer=customer, number=2)["events"] == ["purchaseDeclined"]
    for operation in ("approvePurchase", "declinePurchase"):
        for number in (1, "x"):
            found = refused(sandbox.control, operation, {}, customer=customer, number=number)
            assert found == (404, "unknown_held_purchase")
    sandbox.control("setAskToBuy", {"asksToBuy": False}, customer=customer)
    sandbox.buy(customer, FOREVER)


def test_an_interrupted_purchase_waits_for_the_customer(sandbox, customer):
    held = sandbox.control("buyProduct", {"productId": PRO, "interrupted": True}, customer=customer)
    assert held["held"] == 1
    bought = Purchase(sandbox, sandbox.control("approvePurchase", {}, customer=customer, number=1))
    assert bought.answer["notifications"] == ["SUBSCRIBED/INITIAL_BUY"]


def test_a_plan_that_the_product_does_not_have(sandbox, customer):
    body = {"productId": PRO, "billingPlan": "MONTHLY"}
    assert refused(sandbox.control, "buyProduct", body, customer=customer) == (409, "no_monthly_plan")
    sandbox.buy(customer, PRO, billingPlan="BILLED_UPFRONT")


# Requested refunds ----------------------------------------------------------------------------------------------------


def test_a_refund_request_is_declined(sandbox, customer):
    id_ = sandbox.buy(customer, COINS).id
    asked = Purchase(sandbox, sandbox.control("requestRefund", {"reason": "LEGAL"}, transactionId=id_))
    assert (asked.events, asked.answer["notifications"]) == (["refundRequested"], ["CONSUMPTION_REQUEST"])
    request = asked.answer["refundRequest"]
    assert (request["transactionId"], request["reason"], request["customer"]) == (id_, "LEGAL", customer)
    assert request["decisionDate"] > request["requestedDate"]
    assert sandbox.control("listRefundRequestsOfCustomer", customer=customer)["refundRequests"] == [request]
    assert request in sandbox.control("listRefundRequests")["refundRequests"]
    found = refused(sandbox.control, "requestRefund", {}, transactionId=id_)
    assert found == (409, "refund_already_requested")
    declined = sandbox.control("declineRefund", {}, transactionId=id_)
    assert declined["notifications"] == ["REFUND_DECLINED"] and "refundRequest" not in declined
    assert refused(sandbox.control, "declineRefund", {}, transactionId=id_) == (409, "refund_not_requested")
    assert refused(sandbox.control, "listRefundRequests", query={"after": "x"}) == (400, "bad_page")


def test_a_refund_of_a_subscription_turns_off_renewal_first(sandbox, customer):
    id_ = sandbox.buy(customer, PRO).id
    asked = sandbox.control("requestRefund", {}, transactionId=id_)
    assert asked["notifications"] == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "CONSUMPTION_REQUEST"]
    granted = sandbox.refund(id_)
    assert granted.answer["notifications"] == ["REFUND"] and granted.answer["revocationDate"]
    assert sandbox.control("listRefundRequestsOfCustomer", customer=customer)["refundRequests"] == []
    assert sandbox.reverse(id_).answer["notifications"] == ["REFUND_REVERSED"]


# Families and products ------------------------------------------------------------------------------------------------


def test_sharing_of_one_purchase_is_turned_off_and_on(sandbox, customer):
    other = f"{customer}'s other"
    sandbox.control("createFamily", {"organizer": customer, "members": [other]})
    bought = sandbox.buy(customer, PRO)
    assert bought.answer["notifications"] == ["SUBSCRIBED/INITIAL_BUY"] * 2, "no notification for the copy"
    taken = sandbox.control("setSharing", {"shared": False}, transactionId=bought.id)
    assert taken["notifications"] == ["REVOKE"] and taken["subscription"]["isShared"] is False
    assert only(sandbox, other)["status"] == 5
    sandbox.control("setSharing", {"shared": True}, transactionId=bought.id)
    copy = only(sandbox, other)
    assert copy["status"] == 1 and "family member" in copy["summary"]
    named = {"originalTransactionId": copy["originalTransactionId"]}
    assert refused(sandbox.control, "cancelSubscription", {}, **named) == (409, "family_shared")
    coins = sandbox.buy(customer, COINS).id
    assert refused(sandbox.control, "setSharing", {"shared": True}, transactionId=coins) == (409, "not_shareable")


def test_a_product_is_removed_from_sale_and_restored(server, control, team):
    app = App(server, control, "com.example.sale", 2_900_000_000, team, CATALOG)
    sale = {"bundleId": app.bundle_id, "productId": COINS}
    assert control.call("setForSale", {"forSale": False}, **sale)["forSale"] is False
    assert refused(app.sandbox.buy, "ann", COINS) == (409, "product_not_for_sale")
    assert control.call("setForSale", {"forSale": True}, **sale)["forSale"] is True
    app.sandbox.buy("ann", COINS)
    sale["productId"] = "nothing"
    assert refused(control.call, "setForSale", {"forSale": True}, **sale) == (404, "unknown_product")
