"""Fault rules: documented errors in Apple's client, bad connections and lost notifications. All other faults are tested
in Tests/TillServerTests/Control/Routes/FaultControlTests.swift."""

import re
import time

import pytest
import requests
from appstoreserverlibrary.api_client import APIError, APIException

import notification_checks
from catalog_of_everything import BASIC, COINS
from error_codes import CHOSEN, NAMES
from notification_checks import listen
from process_helpers import wait_until
from shop_helpers import APPLES_CALLS, NO_OFFER, ControlRefused, models

INFO = "/inApps/v1/transactions/"


@pytest.fixture(params=["sandbox", "production"])
def environment(new_app, request):
    """An environment of the test's own app; its fault rules are removed after the test."""
    yield new_app.environment(request.param)
    new_app.control.call("removeFaults")


def fault(environment, kind, **options):
    """Adds a fault rule to the app."""
    return environment.app.control.call("addFault", {"kind": kind, "bundleId": environment.app.bundle_id, **options})


def hits(environment):
    return [rule["struck"] for rule in environment.app.control.call("listFaults")]


def documented_codes():
    """The codes that a fault rule can return: those of the routes that Till serves."""
    retention = range(4_000_161, 4_000_183), range(4_000_211, 4_000_227), range(4_030_014, 4_030_027)
    later = {4_000_225, 4_040_014, 4_040_015, 4_040_018, 4_040_020, 4_040_021, 4_040_022, 4_090_000, 4_090_001}
    return [code for code in NAMES | CHOSEN if code not in later and not any(code in part for part in retention)]


TYPED = {int(error.value): error for error in APIError}

# The routes of the API that APPLES_CALLS does not have, because their calls have no id or a body.
FURTHER_CALLS = {
    "extendSubscriptionRenewalDate": lambda client, id_: client.extend_subscription_renewal_date(
        id_, models.ExtendRenewalDateRequest()),
    "massExtendSubscriptionRenewalDate": lambda client, _: client.extend_renewal_date_for_all_active_subscribers(
        models.MassExtendRenewalDateRequest()),
    "getMassExtensionStatus": lambda client, id_: client.get_status_of_subscription_renewal_date_extensions(id_, "x"),
    "lookUpOrderId": lambda client, _: client.look_up_order_id("M1"),
    # The official client has no call for this route, so its own request method is used.
    "getRefundHistoryV1": lambda client, id_: client._make_request(
        f"/inApps/v1/refund/lookup/{id_}", "GET", {}, None, models.RefundHistoryResponse),
    "sendConsumptionInformation": lambda client, id_: client.send_consumption_information(
        id_, models.ConsumptionRequest(True, False, models.DeliveryStatus.DELIVERED)),
    "sendConsumptionInformationV1": lambda client, id_: client.send_consumption_data(
        id_, models.ConsumptionRequestV1()),
    "getNotificationHistory": lambda client, _: client.get_notification_history(
        None, models.NotificationHistoryRequest(startDate=1, endDate=2)),
    "requestTestNotification": lambda client, _: client.request_test_notification(),
    "getTestNotificationStatus": lambda client, id_: client.get_test_notification_status(id_),
}
CALLS = APPLES_CALLS | FURTHER_CALLS


@pytest.mark.parametrize("code", documented_codes())
def test_each_documented_error_arrives_at_apples_client(control, app, code):
    sandbox = app.sandbox
    id_ = sandbox.buy("faulty", COINS).id
    rule = fault(sandbox, "error", code=code, route="getTransactionInfo", limit=1)
    try:
        with pytest.raises(APIException) as caught:
            sandbox.client.get_transaction_info(id_)
        assert caught.value.raw_api_error == code and caught.value.api_error is TYPED.get(code)
        assert caught.value.http_status_code == code // 10_000
        assert caught.value.error_message.endswith((".", ")"))
        # These calls use up the rate limit.
        assert sandbox.client.get_transaction_info(id_).signedTransactionInfo
    finally:
        control.call("removeFaults", query={"faultId": rule["id"]})


def test_the_calls_are_those_of_every_route(control):
    with pytest.raises(ControlRefused) as refused:
        control.call("addFault", {"kind": "cut", "route": "nothing"})
    named = set(refused.value.message.removesuffix(".").replace(",", " ").split())
    assert {"verifyReceipt", *CALLS} <= named
    routes = {word for word in named if re.fullmatch("(get|send|request|look|extend|mass|set|finish)[A-Z].*", word)}
    assert routes == {*CALLS}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("route", CALLS)
@pytest.mark.parametrize("environment", ["sandbox"], indirect=True)
def test_each_route_returns_each_documented_error(environment, route):
    """Each code has one rule for one call. The rules apply one after the other, whatever the request is."""
    codes = documented_codes()
    for code in codes:
        fault(environment, "error", code=code, route=route, limit=1)
    for code in codes:
        with pytest.raises(APIException) as caught:
            CALLS[route](environment.client, "1")
        assert (caught.value.http_status_code, caught.value.raw_api_error) == (code // 10_000, code)
        assert caught.value.api_error is TYPED.get(code) and caught.value.error_message
    assert hits(environment) == [1] * len(codes)


def test_an_answer_may_be_slow_truncated_or_missing(environment):
    id_ = environment.buy("ann", COINS).id
    rule = fault(environment, "latency", milliseconds=400, spread=200)
    begun = time.monotonic()
    assert environment.send("GET", INFO + id_).status_code == 200
    assert time.monotonic() - begun >= 0.4
    environment.app.control.call("removeFaults", query={"faultId": rule["id"]})
    for kind in ("cut", "half"):
        fault(environment, kind, limit=1)
        with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
            # Each request uses a new session, because a pooled connection would be retried.
            headers = {"Authorization": f"Bearer {environment.app.token()}"}
            requests.get(environment.base + INFO + id_, headers=headers, timeout=10)
        assert environment.send("GET", INFO + id_).status_code == 200, "more than one call was affected"
    entries = environment.app.control.call("listRequests", query={"limit": 20})["entries"]
    words = " ".join(entry["explanation"] for entry in entries)
    assert "latency 400 ms" in words and "cut" in words and "half" in words


def test_notifications_are_lost_delayed_and_duplicated(environment, post):
    listen(environment, post)
    fault(environment, "drop", route="ONE_TIME_CHARGE", limit=1)
    environment.buy("ann", COINS)
    (lost,) = wait_until(
        lambda: [each for each in environment.control("listNotifications")["notifications"]
                 if each["deliveries"][0]["attempts"]]
    )
    assert lost["deliveries"][0]["isDelivered"] and post.received == []
    rule = fault(environment, "duplicate")
    environment.buy("ann", COINS)
    twice = post.wait_for(2)
    assert twice[0].body == twice[1].body
    environment.app.control.call("removeFaults", query={"faultId": rule["id"]})
    fault(environment, "delay", milliseconds=700)
    begun = time.monotonic()
    environment.buy("ann", COINS)
    post.wait_for(3)
    assert time.monotonic() - begun >= 0.7


def test_one_notification_overtakes_another(environment, post):
    listen(environment, post)
    # The delay is long enough for a busy machine to send the second notification within it.
    fault(environment, "reorder", milliseconds=6_000, route="SUBSCRIBED", limit=1)
    bought = environment.buy("ann", BASIC, offer=NO_OFFER)
    environment.cancel(bought.id)
    found = [notification_checks.notification(environment, received.jws).words for received in post.wait_for(2)]
    assert found == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "SUBSCRIBED/INITIAL_BUY"]
    entries = environment.app.control.call("listRequests", query={"limit": 20})["entries"]
    assert any(entry["explanation"].endswith("reorder 6000 ms.") for entry in entries if entry["path"] == "SUBSCRIBED")


def test_a_limit_counts_notifications_and_a_rule_may_name_an_endpoint(environment, post):
    listen(environment, post)
    environment.control("setEndpoint", {"url": post.url}, endpoint="second")
    fault(environment, "drop", route="ONE_TIME_CHARGE", limit=1)
    fault(environment, "drop", route="ONE_TIME_CHARGE", endpoint="second", limit=3)
    counts = []
    for customer in ("ann", "bob"):
        environment.buy(customer, COINS)
        wait_until(lambda: all(
            each["attempts"] for item in environment.control("listNotifications")["notifications"]
            for each in item["deliveries"]))
        counts.append(len(post.received))
    # The first notification goes to neither endpoint, the second one only to the first endpoint.
    assert counts == [0, 1] and hits(environment) == [1, 2]
    with pytest.raises(ControlRefused, match="bad_fault"):
        fault(environment, "cut", endpoint="second")
    environment.app.control.call("removeFaults", query={"bundleId": "com.example.other"})
    assert len(hits(environment)) == 2
    environment.app.control.call("removeFaults", query={"bundleId": environment.app.bundle_id})
    assert hits(environment) == []


def test_rules_survive_a_restart(serve):
    till = serve()
    rule = till.client.call("addFault", {"kind": "error", "code": 5_000_001, "percent": 10})
    till.kill()
    (kept,) = serve(data=till.data).client.call("listFaults")
    assert {**kept, "seen": 0, "struck": 0} == {**rule, "seen": 0, "struck": 0}
