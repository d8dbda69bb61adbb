"""Notifications of version 1: plain JSON with a unified receipt, for developers' servers that still use version 1."""

import itertools
import json

import pytest
import requests
from appstoreserverlibrary.api_client import APIException

from catalog_of_everything import BASIC, BASIC_YEAR, CATALOG, COINS, FOREVER, PRO
from listening_post import ListeningPost
from notification_checks import advance, freeze, history, listen, until
from process_helpers import assert_healthy, doctor
from shop_helpers import App, ControlClient, ControlRefused

NO_OFFER = {"kind": "NONE"}
HOUR = 3_600_000
SECRET = "0123456789abcdef0123456789abcdef"
RENEWAL_KEYS = {"auto_renew_adam_id", "auto_renew_product_id", "auto_renew_status"}
COMMON_KEYS = {"notification_type", "environment", "password", "bid", "bvrs", "original_transaction_id", "deprecation",
               "unified_receipt"}
CHANGE_KEYS = {"auto_renew_status_change_date" + suffix for suffix in ("", "_ms", "_pst")}

_numbers = itertools.count(1)


@pytest.fixture(params=["sandbox", "production"])
def environment(server, control, team, request):
    """An environment of the test's own app."""
    number = next(_numbers)
    app = App(server, control, f"com.example.old{number}", 2_500_000_000 + number, team, CATALOG)
    control.call("setSharedSecret", {"sharedSecret": SECRET}, bundleId=app.bundle_id)
    return app.environment(request.param)


@pytest.fixture
def post():
    post = ListeningPost()
    yield post
    post.close()


def bodies(post, count):
    """The bodies of the first posts, in the order of arrival. There must be no further posts."""
    received = post.wait_for(count) if count else []
    assert len(post.received) == count, [json.loads(each.body)["notification_type"] for each in post.received]
    return [json.loads(each.body) for each in received]


def types(post, count):
    return [body["notification_type"] for body in bodies(post, count)]


def verify(environment, receipt):
    answer = requests.post(f"{environment.base}/verifyReceipt", json={"receipt-data": receipt, "password": SECRET})
    assert answer.status_code == 200
    return answer.json()


# The table of events --------------------------------------------------------------------------------------------------


def buy(environment, product):
    """Buys a product for ann, and returns the transaction id."""
    return environment.control("buyProduct", {"productId": product, "offer": NO_OFFER}, customer="ann")["transactionId"]


def expire(environment, bought):
    environment.control("cancelSubscription", {}, originalTransactionId=bought)
    advance(environment, "40d")


def resubscribe(product):
    def scenario(environment):
        bought = buy(environment, BASIC)
        expire(environment, bought)
        buy(environment, product)
    return scenario


def upgrade(environment):
    buy(environment, BASIC)
    buy(environment, PRO)


def downgrade(environment):
    bought = buy(environment, PRO)
    environment.control("changeSubscription", {"productId": BASIC}, originalTransactionId=bought)


def resume(environment):
    bought = buy(environment, BASIC)
    environment.control("cancelSubscription", {}, originalTransactionId=bought)
    environment.control("resumeSubscription", {}, originalTransactionId=bought)


def fail(days, then=None):
    def scenario(environment):
        environment.control("updateSettings", {"grace": {"days": 16}})
        buy(environment, BASIC)
        environment.control("updateCustomer", {"card": "declinedForRenewals"}, customer="ann")
        advance(environment, days)
        if then:
            environment.control("updateCustomer", {"card": then}, customer="ann")
    return scenario


def refund(product):
    def scenario(environment):
        environment.control("refundTransaction", {}, transactionId=buy(environment, product))
    return scenario


def ask_for_refund(environment):
    environment.control("requestRefund", {}, transactionId=buy(environment, COINS))


def leave_family(environment):
    environment.control("createFamily", {"organizer": "ann", "members": ["bob"]})
    bought = buy(environment, PRO)
    environment.control("setSharing", {"shared": False}, transactionId=bought)


def raise_price(environment):
    buy(environment, BASIC)
    environment.control("raisePrice", {"price": 99_990, "consent": "required"}, productId=BASIC)
    advance(environment, "27d")


EVENTS = {
    "first purchase": (lambda environment: buy(environment, BASIC), ["INITIAL_BUY"]),
    "renewal": (lambda environment: (buy(environment, BASIC), advance(environment, "31d")),
                ["INITIAL_BUY", "DID_RENEW"]),
    "upgrade": (upgrade, ["INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL"]),
    "downgrade": (downgrade, ["INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF"]),
    "the same product after the end": (
        resubscribe(BASIC), ["INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS", "DID_CHANGE_RENEWAL_STATUS"]),
    "another product after the end": (
        resubscribe(BASIC_YEAR),
        ["INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL", "DID_CHANGE_RENEWAL_STATUS"]),
    "cancelled and turned on": (
        resume, ["INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS", "DID_CHANGE_RENEWAL_STATUS"]),
    "a card that fails": (fail("32d"), ["INITIAL_BUY", "DID_FAIL_TO_RENEW"]),
    "a card that recovers": (fail("32d", "accepted"), ["INITIAL_BUY", "DID_FAIL_TO_RENEW", "DID_RECOVER"]),
    "a card that never recovers": (fail("120d"), ["INITIAL_BUY", "DID_FAIL_TO_RENEW", "DID_CHANGE_RENEWAL_STATUS"]),
    "refund of a subscription": (refund(BASIC), ["INITIAL_BUY", "CANCEL", "DID_CHANGE_RENEWAL_STATUS"]),
    "refund of a consumable": (refund(COINS), ["REFUND"]),
    "refund of a non-consumable": (refund(FOREVER), ["REFUND"]),
    "a requested refund": (ask_for_refund, ["CONSUMPTION_REQUEST"]),
    "a family loses access": (leave_family, ["INITIAL_BUY", "REVOKE"]),
    "a price that needs consent": (raise_price, ["INITIAL_BUY", "PRICE_INCREASE_CONSENT"]),
    "a purchase that is no subscription": (lambda environment: buy(environment, COINS), []),
}


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_sends_its_types_in_order(environment, post, event):
    scenario, expected = EVENTS[event]
    freeze(environment)
    listen(environment, post, name="old", version=1)
    # Version 2 is sent separately, to another endpoint.
    signed = ListeningPost()
    listen(environment, signed)
    scenario(environment)
    # An advance that has settled has sent every pending delivery.
    advance(environment, "1s")
    found = bodies(post, len(expected))
    assert [body["notification_type"] for body in found] == expected
    assert signed.received, "version 2 was not sent"
    signed.close()
    for body in found:
        is_subscription = "auto_renew_status" in body
        keys = COMMON_KEYS | (RENEWAL_KEYS if is_subscription else set())
        if body["notification_type"] == "DID_CHANGE_RENEWAL_STATUS":
            keys |= CHANGE_KEYS
        assert set(body) - {"expiration_intent"} == keys
        assert body["environment"] == ("PROD" if environment.name == "production" else "Sandbox")
        assert body["password"] == SECRET and body["bid"] == environment.app.bundle_id and body["bvrs"] == "1.0"
        assert type(body["original_transaction_id"]) is int
        if is_subscription:
            assert body["auto_renew_status"] in ("true", "false")
            assert body["auto_renew_adam_id"].isdigit()
        check_unified_receipt(environment, body)


def check_unified_receipt(environment, body):
    """Checks that the receipt in the body is valid and has the same transactions, and that verifyReceipt accepts it for
    the customer."""
    unified = body["unified_receipt"]
    assert unified["environment"] == environment.wire_name and unified["status"] == 0
    answer = verify(environment, unified["latest_receipt"])
    assert answer["status"] == 0
    rows = {row["transaction_id"]: row for row in unified["latest_receipt_info"]}
    assert set(rows) == {row["transaction_id"] for row in answer["receipt"]["in_app"]}
    for row in answer["receipt"]["in_app"]:
        assert row.items() <= rows[row["transaction_id"]].items()
    dates = [int(row["purchase_date_ms"]) for row in unified["latest_receipt_info"]]
    assert dates == sorted(dates, reverse=True)


def test_the_last_unified_receipt_equals_the_answer_of_verify_receipt(environment, post):
    freeze(environment)
    listen(environment, post, name="old", version=1)
    bought = buy(environment, BASIC)
    buy(environment, FOREVER)
    advance(environment, "70d")
    environment.control("cancelSubscription", {}, originalTransactionId=bought)
    advance(environment, "1s")
    unified = bodies(post, 4)[-1]["unified_receipt"]
    answer = verify(environment, unified["latest_receipt"])
    assert unified["latest_receipt_info"] == answer["latest_receipt_info"]
    assert unified["pending_renewal_info"] == answer["pending_renewal_info"]
    assert [row["auto_renew_status"] for row in unified["pending_renewal_info"]] == ["0"]


def test_each_renewal_of_an_advance_has_the_rows_of_its_date(environment, post):
    freeze(environment)
    listen(environment, post, name="old", version=1)
    buy(environment, BASIC)
    advance(environment, "100d")
    found = bodies(post, 4)
    assert [len(body["unified_receipt"]["latest_receipt_info"]) for body in found] == [1, 2, 3, 4]


def test_a_unified_receipt_has_the_newest_hundred(environment, post):
    freeze(environment)
    environment.control("updateSettings", {"rate": "sandbox-5-minutes"})
    buy(environment, BASIC)
    advance(environment, "510m", settle=0)
    listen(environment, post, name="old", version=1)
    advance(environment, "6m")
    (last,) = bodies(post, 1)
    rows = last["unified_receipt"]["latest_receipt_info"]
    assert len(rows) == 100
    assert int(rows[0]["purchase_date_ms"]) - int(rows[-1]["purchase_date_ms"]) == 99 * 5 * 60_000
    check_unified_receipt(environment, last)


# Delivery -------------------------------------------------------------------------------------------------------------


def test_an_undeliverable_notification_is_tried_four_times(environment, post):
    freeze(environment)
    listen(environment, post, name="old", version=1)
    post.answer = 500
    buy(environment, BASIC_YEAR)
    advance(environment, "200h")
    assert len({received.body for received in post.wait_for(4)}) == 1 and len(post.received) == 4
    (entry,) = [each for each in notifications(environment) if each["version"] == 1]
    (delivery,) = entry["deliveries"]
    dates = [attempt["attemptDate"] for attempt in delivery["attempts"]]
    assert [(date - dates[0]) // HOUR for date in dates] == [0, 6, 30, 78]
    assert not delivery["isDelivered"] and "nextAttemptDate" not in delivery and delivery["endpoint"] == "old"


def notifications(environment):
    return environment.control("listNotifications", query={"limit": 100})["notifications"]


def test_a_version_one_endpoint_gets_version_two_test_notifications_and_has_no_other_history(environment, post):
    listen(environment, post, version=1)
    buy(environment, BASIC)
    (body,) = bodies(post, 1)
    assert history(environment) == []
    token = environment.client.request_test_notification().testNotificationToken
    (_, test) = post.wait_for(2)
    assert set(json.loads(test.body)) == {"signedPayload"}

    def status():
        try:
            return environment.client.get_test_notification_status(token)
        except APIException as refusal:
            assert refusal.raw_api_error == 4040008
    assert until(status).signedPayload == json.loads(test.body)["signedPayload"]
    (item,) = history(environment)
    assert item.notice.words == "TEST" and item.results == ["SUCCESS"]
    # The control API shows the plain body, without signed parts.
    (entry,) = [each for each in notifications(environment) if each["version"] == 1]
    whole = environment.control("getNotification", notificationUUID=entry["notificationUUID"])
    assert whole["payload"] == body and "signedPayload" not in whole
    # A resend sends the same body. After the endpoint has changed to version 2, nothing is resent.
    environment.control("resendNotifications", {"notificationUUID": entry["notificationUUID"]})
    assert post.wait_for(3)[2].body == post.received[0].body
    listen(environment, post)
    resent = environment.control("resendNotifications", {"notificationUUID": entry["notificationUUID"]})
    assert resent == {"pending": 0}


def test_an_endpoint_accepts_only_the_types_of_its_version(environment, post):
    listen(environment, post, name="old", version=1, types=["DID_RENEW"])
    listed = environment.control("listEndpoints")
    assert listed == [{"name": "old", "url": post.url, "types": ["DID_RENEW"], "version": 1}]
    wrong = {"url": post.url, "version": 1, "types": ["EXPIRED/VOLUNTARY"]}
    with pytest.raises(ControlRefused) as refused:
        environment.control("setEndpoint", wrong, endpoint="old")
    assert (refused.value.status, refused.value.code) == (400, "bad_type")
    freeze(environment)
    buy(environment, BASIC)
    advance(environment, "31d")
    assert types(post, 1) == ["DID_RENEW"]


def test_with_the_apple_profile_the_sandbox_omits_some_types(serve):
    till = serve("--profile", "apple")
    control = ControlClient(till.address("control"))
    app = App(till, control, "com.example.apple", 1, None, CATALOG)
    post = ListeningPost()
    for environment, expected in (
        (app.sandbox, ["INITIAL_BUY"]), (app.production, ["INITIAL_BUY", "DID_FAIL_TO_RENEW"]),
    ):
        post.received.clear()
        freeze(environment)
        listen(environment, post, name="old", version=1)
        buy(environment, BASIC)
        environment.control("updateCustomer", {"card": "declinedForRenewals"}, customer="ann")
        advance(environment, "32d" if environment is app.production else "6m")
        until(lambda: len(post.received) >= len(expected))
        assert types(post, len(expected)) == expected
    post.close()


def test_doctor_checks_version_one(serve):
    till = serve()
    app = App(till, ControlClient(till.address("control")), "com.example.doctor", 1, None, CATALOG)
    post = ListeningPost()
    listen(app.sandbox, post, name="old", version=1)
    buy(app.sandbox, BASIC)
    post.wait_for(1)
    post.close()
    till.kill()
    assert_healthy(till.data, "after notifications of version 1")


def test_a_refund_turns_off_renewal_and_an_expiration_has_its_intent(environment, post):
    freeze(environment)
    listen(environment, post, name="old", version=1)
    environment.control("updateSettings", {"grace": {"days": 16}})
    environment.control("refundTransaction", {}, transactionId=buy(environment, BASIC))
    after_refund = bodies(post, 3)[1:]
    assert [body["auto_renew_status"] for body in after_refund] == ["false", "false"]
    # A cancellation in the grace period ends the subscription. Its element is removed, but the list remains.
    again = buy(environment, BASIC)
    environment.control("updateCustomer", {"card": "declinedForRenewals"}, customer="ann")
    advance(environment, "32d")
    environment.control("cancelSubscription", {}, originalTransactionId=again)
    advance(environment, "1s")
    last = json.loads(post.wait_for(6)[-1].body)
    assert last["auto_renew_status"] == "false" and last["expiration_intent"] == 1
    assert last["unified_receipt"]["pending_renewal_info"] == []


def test_many_consumables_do_not_hide_a_subscription(environment, post):
    freeze(environment)
    bought = buy(environment, BASIC)
    expire(environment, bought)
    coins = {"productId": COINS, "finished": True}
    for _ in range(130):
        environment.control("buyProduct", coins, customer="ann")
    listen(environment, post, name="old", version=1)
    buy(environment, BASIC)
    (body,) = bodies(post, 1)
    assert body["notification_type"] == "DID_CHANGE_RENEWAL_STATUS", "the same product was bought again"
    rows = body["unified_receipt"]["latest_receipt_info"]
    assert bought in {row["transaction_id"] for row in rows} and {row["product_id"] for row in rows} == {BASIC}


def test_an_upgrade_after_the_early_charge_takes_precedence(environment, post):
    if environment.name == "sandbox":
        environment = environment.app.production
    freeze(environment)
    first = buy(environment, BASIC)
    # The next month has been charged, but it has not begun.
    advance(environment, "716h")
    listen(environment, post, name="old", version=1)
    bought = environment.control("changeSubscription", {"productId": PRO}, originalTransactionId=first)["transactionId"]
    assert types(post, 2) == ["DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL"]
    receipt = environment.control("getReceipt", customer="ann")["receipt"]
    body = {"receipt-data": receipt, "password": SECRET}
    whole = requests.post(f"{environment.base}/verifyReceipt", json=body).json()
    rows = whole["latest_receipt_info"]
    dates = [int(row["purchase_date_ms"]) for row in rows]
    assert dates == sorted(dates, reverse=True), "not sorted newest purchase_date first"
    assert [(row["product_id"], row.get("is_upgraded")) for row in rows] == [
        (BASIC, "true"), (PRO, None), (BASIC, "true"),
    ]
    body["exclude-old-transactions"] = True
    latest = requests.post(f"{environment.base}/verifyReceipt", json=body).json()
    assert [row["transaction_id"] for row in latest["latest_receipt_info"]] == [bought]
    environment.control("refundTransaction", {}, transactionId=bought)
    assert types(post, 4)[2:] == ["CANCEL", "DID_CHANGE_RENEWAL_STATUS"]


def test_doctor_reports_a_missing_receipt_certificate(serve):
    till = serve()
    app = App(till, ControlClient(till.address("control")), "com.example.doctor", 1, None, CATALOG)
    buy(app.sandbox, COINS)
    assert app.sandbox.control("getReceipt", customer="ann")["receipt"]
    till.kill()
    assert_healthy(till.data, "once receipts were made")
    (till.data / "ca/receipts/leaf.key").unlink()
    found = doctor(till.data)
    assert found.returncode == 3 and "The receipt keys cannot be used" in found.stdout
