"""Fault rules: documented errors, bad connections, stale reads, rate limits and lost notifications."""

import itertools
import json
import re
import time

import pytest
import requests
from appstoreserverlibrary.api_client import APIError, APIException
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.RefundHistoryResponse import RefundHistoryResponse
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest

import notification_checks
from catalog_of_everything import BASIC, CATALOG, COINS
from error_codes import CHOSEN, NAMES
from listening_post import ListeningPost
from notification_checks import control_of, listen, until
from shop_helpers import V1, V2, App, ControlRefused

NO_OFFER = {"kind": "NONE"}
INFO = "/inApps/v1/transactions/"

_numbers = itertools.count(1)


@pytest.fixture(params=["sandbox", "production"])
def environment(server, control, team, request):
    """An environment of the test's own app; its fault rules are removed after the test."""
    number = next(_numbers)
    app = App(server, control, f"com.example.faulty{number}", 2_600_000_000 + number, team, CATALOG)
    yield app.environment(request.param)
    control.call("removeFaults")


@pytest.fixture
def post():
    post = ListeningPost()
    yield post
    post.close()


def fault(environment, kind, **options):
    """Adds a fault rule to the app."""
    return environment.app.control.call("addFault", {"kind": kind, "bundleId": environment.app.bundle_id, **options})


def hits(environment):
    return [rule["struck"] for rule in environment.app.control.call("listFaults")]


# Errors ---------------------------------------------------------------------------------------------------------------


def documented_codes():
    """The codes that a fault rule can return: those of the routes that Till serves."""
    retention = range(4_000_161, 4_000_183), range(4_000_211, 4_000_227), range(4_030_014, 4_030_027)
    later = {4_000_225, 4_040_014, 4_040_015, 4_040_018, 4_040_020, 4_040_021, 4_040_022, 4_090_000, 4_090_001}
    return [code for code in NAMES | CHOSEN if code not in later and not any(code in part for part in retention)]


TYPED = {int(error.value): error for error in APIError}

# Every route of the API by its name, with the method of Apple's client that calls it.
CALLS = {
    "getTransactionHistory": lambda client: client.get_transaction_history(
        "1", None, TransactionHistoryRequest(), V2),
    "getTransactionHistoryV1": lambda client: client.get_transaction_history(
        "1", None, TransactionHistoryRequest(), V1),
    "getTransactionInfo": lambda client: client.get_transaction_info("1"),
    "finishTransaction": lambda client: client.finish_transaction("1"),
    "setAppAccountToken": lambda client: client.set_app_account_token("1", UpdateAppAccountTokenRequest("x")),
    "getAppTransactionInfo": lambda client: client.get_app_transaction_info("1"),
    "getAllSubscriptionStatuses": lambda client: client.get_all_subscription_statuses("1"),
    "extendSubscriptionRenewalDate": lambda client: client.extend_subscription_renewal_date(
        "1", ExtendRenewalDateRequest()),
    "massExtendSubscriptionRenewalDate": lambda client: client.extend_renewal_date_for_all_active_subscribers(
        MassExtendRenewalDateRequest()),
    "getMassExtensionStatus": lambda client: client.get_status_of_subscription_renewal_date_extensions("1", "x"),
    "lookUpOrderId": lambda client: client.look_up_order_id("M1"),
    "getRefundHistory": lambda client: client.get_refund_history("1", None),
    # The official client has no call for this route, so its own request method is used.
    "getRefundHistoryV1": lambda client: client._make_request(
        "/inApps/v1/refund/lookup/1", "GET", {}, None, RefundHistoryResponse),
    "sendConsumptionInformation": lambda client: client.send_consumption_information(
        "1", ConsumptionRequest(True, False, DeliveryStatus.DELIVERED)),
    "sendConsumptionInformationV1": lambda client: client.send_consumption_data("1", ConsumptionRequestV1()),
    "getNotificationHistory": lambda client: client.get_notification_history(
        None, NotificationHistoryRequest(startDate=1, endDate=2)),
    "requestTestNotification": lambda client: client.request_test_notification(),
    "getTestNotificationStatus": lambda client: client.get_test_notification_status("x"),
}


@pytest.mark.parametrize("code", documented_codes())
def test_each_documented_error_arrives_at_apples_client(server, control, team, app, code):
    sandbox = app.sandbox
    id_ = sandbox.buy("faulty", COINS).id
    rule = control.call("addFault", {
        "kind": "error", "code": code, "route": "getTransactionInfo", "bundleId": app.bundle_id, "limit": 1,
    })
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
            CALLS[route](environment.client)
        assert (caught.value.http_status_code, caught.value.raw_api_error) == (code // 10_000, code)
        assert caught.value.api_error is TYPED.get(code) and caught.value.error_message
    assert hits(environment) == [1] * len(codes)


def test_an_error_may_have_a_retry_after_header(environment):
    id_ = environment.buy("ann", COINS).id
    fault(environment, "error", code=4_290_000, retryAfter=7)
    answer = environment.send("GET", INFO + id_)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    entry = environment.app.control.call("explainRequest", requestId=answer.headers["X-Request-ID"])
    assert entry["errorCode"] == 4_290_000 and "Fault f" in entry["explanation"]


def test_a_bare_status_and_a_401(environment):
    id_ = environment.buy("ann", COINS).id
    rule = fault(environment, "status", code=503)
    answer = environment.send("GET", INFO + id_)
    assert (answer.status_code, answer.content) == (503, b"")
    environment.app.control.call("removeFaults", query={"faultId": rule["id"]})
    fault(environment, "unauthorized")
    answer = environment.send("GET", INFO + id_)
    assert answer.status_code == 401 and answer.text.startswith("Unauthenticated\n\nRequest ID: ")


def test_a_rule_applies_only_to_the_customers_it_names(environment):
    mine, others = environment.buy("ann", COINS), environment.buy("bob", COINS)
    fault(environment, "error", code=5_000_001, customer="ann", route="getTransactionInfo")
    assert environment.send("GET", INFO + mine.id).status_code == 500
    assert environment.send("GET", INFO + others.id).status_code == 200
    assert environment.send("GET", "/inApps/v2/history/" + mine.id).status_code == 200
    other = environment.app.environment("sandbox" if environment.name == "production" else "production")
    assert other.send("GET", INFO + other.buy("ann", COINS).id).status_code == 500
    assert hits(environment) == [2]


def test_a_share_is_random_and_repeatable_by_its_seed(environment):
    id_ = environment.buy("ann", COINS).id

    def run():
        rule = fault(environment, "status", code=500, percent=30, seed=4711)
        found = [environment.send("GET", INFO + id_).status_code for _ in range(60)]
        environment.app.control.call("removeFaults", query={"faultId": rule["id"]})
        return found

    first = run()
    assert first == run() and 6 <= first.count(500) <= 32


def test_a_rule_ends_at_its_time(environment):
    id_ = environment.buy("ann", COINS).id
    fault(environment, "status", code=500, until=int(time.time() * 1_000) + 1_500)
    assert environment.send("GET", INFO + id_).status_code == 500
    until(lambda: environment.send("GET", INFO + id_).status_code == 200)


# Bad connections ------------------------------------------------------------------------------------------------------


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


# Stale reads and limits -----------------------------------------------------------------------------------------------


def test_a_recent_purchase_is_not_found_yet(environment):
    first = environment.buy("ann", BASIC, offer=NO_OFFER)
    page = environment.send("GET", "/inApps/v2/history/" + first.id).json()
    rule = fault(environment, "staleReads", milliseconds=600_000)
    second = environment.buy("ann", COINS)
    refused = environment.send("GET", INFO + second.id)
    assert (refused.status_code, refused.json()["errorCode"]) == (404, 4_040_010)
    # The customer bought both transactions within the staleness window, so the history shows neither of them. The
    # returned revision is older than both.
    hidden = environment.send("GET", "/inApps/v2/history/" + first.id)
    assert hidden.json()["signedTransactions"] == [] and hidden.json()["hasMore"] is False
    environment.app.control.call("removeFaults", query={"faultId": rule["id"]})
    more = environment.send("GET", "/inApps/v2/history/" + first.id, params={"revision": page["revision"]}).json()
    assert len(more["signedTransactions"]) == 1
    # The window is long enough for a busy machine to read twice within it.
    fault(environment, "staleReads", milliseconds=6_000)
    third = environment.buy("ann", COINS)
    revision = more["revision"]
    gap = environment.send("GET", "/inApps/v2/history/" + second.id, params={"revision": revision})
    assert gap.json()["signedTransactions"] == [] and gap.json()["hasMore"] is False
    revision = gap.json()["revision"]
    until(lambda: environment.send("GET", INFO + third.id).status_code == 200)
    late = environment.send("GET", "/inApps/v2/history/" + third.id, params={"revision": revision}).json()
    assert len(late["signedTransactions"]) == 1, "not found after the window has passed"


def test_apples_hourly_limits(environment):
    fault(environment, "rateLimit", perHour=3, route="getTransactionInfo")
    id_ = environment.buy("ann", COINS).id
    answers = [environment.send("GET", INFO + id_) for _ in range(5)]
    # A new hour may begin between the two requests.
    assert [answer.status_code for answer in answers].count(429) in (1, 2)
    limited = [answer for answer in answers if answer.status_code == 429][-1]
    assert limited.json() == {"errorCode": 4_290_000, "errorMessage": "Rate limit exceeded."}
    wait = int(limited.headers["Retry-After"]) - time.time() * 1_000
    assert 0 < wait <= 3_600_000 and int(limited.headers["Retry-After"]) % 3_600_000 == 0


def test_each_status_of_verify_receipt_arrives(environment):
    environment.buy("ann", COINS)
    question = {"receipt-data": environment.control("getReceipt", customer="ann")["receipt"]}
    retryable = {21_010: False} | dict.fromkeys([21_100, 21_150, 21_199], True)
    statuses = [*range(21_000, 21_010), *retryable]
    for status in statuses:
        fault(environment, "receiptStatus", code=status, limit=1)
    for status in [*statuses, 0]:
        answer = requests.post(f"{environment.base}/verifyReceipt", json=question, timeout=30).json()
        assert (answer["status"], answer.get("is_retryable")) == (status, retryable.get(status))


def test_verify_receipt_fails_on_demand(environment):
    environment.buy("ann", COINS)
    receipt = environment.control("getReceipt", customer="ann")["receipt"]

    def status():
        return requests.post(f"{environment.base}/verifyReceipt", json={"receipt-data": receipt}).json()

    assert status()["status"] == 0
    fault(environment, "receiptStatus", code=21_104, route="verifyReceipt", limit=1)
    assert status() == {"status": 21_104, "environment": environment.wire_name, "is_retryable": True}
    assert status()["status"] == 0
    # Rules apply one after the other: a call that one rule has answered does not use up the next rule.
    fault(environment, "receiptStatus", code=21_005, limit=2)
    fault(environment, "receiptStatus", code=21_199, limit=1)
    assert [status()["status"] for _ in range(4)] == [21_005, 21_005, 21_199, 0]
    # A rule that cannot apply to the route of a call is not used up by that call.
    fault(environment, "error", code=5_000_001, limit=1)
    fault(environment, "status", code=503, limit=1, customer="unknown")
    fault(environment, "status", code=503, limit=1, customer="ann")
    answers = [requests.post(f"{environment.base}/verifyReceipt", json={"receipt-data": receipt}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [503, 200] and answers[0].content == b""
    assert hits(environment)[-3:] == [0, 0, 1]


# Notifications --------------------------------------------------------------------------------------------------------


def test_notifications_are_lost_delayed_and_duplicated(environment, post):
    listen(environment, post)
    fault(environment, "drop", route="ONE_TIME_CHARGE", limit=1)
    environment.buy("ann", COINS)
    (lost,) = until(
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


# App release ----------------------------------------------------------------------------------------------------------


def test_production_rejects_an_app_before_its_release(environment):
    id_ = environment.buy("ann", COINS).id
    assert environment.control("updateSettings", {"released": False})["released"] is False
    answer = environment.send("GET", INFO + id_)
    assert answer.status_code == (401 if environment.name == "production" else 200)
    if environment.name == "production":
        entry = environment.app.control.call("explainRequest", requestId=answer.headers["X-Request-ID"])
        assert "not released" in entry["explanation"]
    assert environment.control("updateSettings", {"released": True})["released"] is True
    assert environment.send("GET", INFO + id_).status_code == 200


# Rules ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong, code", [
    ({"kind": "error"}, "bad_code"), ({"kind": "error", "code": 4_999_999}, "bad_code"),
    ({"kind": "status", "code": 404}, "bad_code"), ({"kind": "receiptStatus", "code": 500}, "bad_code"),
    ({"kind": "error", "code": 5_000_001, "route": "verifyReceipt"}, "bad_route"),
    ({"kind": "receiptStatus", "code": 21_005, "route": "getTransactionInfo"}, "bad_route"),
    ({"kind": "latency"}, "bad_fault"), ({"kind": "cut", "route": "nothing"}, "bad_route"),
    ({"kind": "drop", "route": "getTransactionInfo"}, "bad_route"), ({"kind": "drop", "customer": "ann"}, "bad_fault"),
    ({"kind": "cut", "bundleId": "com.example.unknown"}, "unknown_app"), ({"kind": "sleep"}, "bad_request"),
])
def test_a_wrong_rule_is_rejected(control, wrong, code):
    with pytest.raises(ControlRefused) as refused:
        control.call("addFault", wrong)
    assert refused.value.code == code and refused.value.message.endswith(".")


def test_rules_survive_a_restart(serve):
    till = serve()
    rule = control_of(till).call("addFault", {"kind": "error", "code": 5_000_001, "percent": 10})
    till.kill()
    again = serve(data=till.data)
    (kept,) = control_of(again).call("listFaults")
    assert {**kept, "seen": 0, "struck": 0} == {**rule, "seen": 0, "struck": 0}


# The request log of all requests --------------------------------------------------------------------------------------


def test_the_request_log_stores_all_requests_and_bodies_on_demand(serve, tmp_path):
    till = serve("--request-log-all", "true", "--request-log-bodies", "true")
    control = control_of(till)
    app = App(till, control, "com.example.watched", 1, None, CATALOG)
    sandbox = app.sandbox
    bought = sandbox.buy("ann", COINS)
    body = {"appAccountToken": "x", "password": "hush"}
    answer = sandbox.send("PUT", f"{INFO}{bought.id}/appAccountToken", json=body)
    assert answer.status_code == 400
    refused = control.call("explainRequest", requestId=answer.headers["X-Request-ID"])
    assert json.loads(refused["requestBody"]) == {"appAccountToken": "x", "password": "struck out"}
    assert refused["responseBody"] == answer.text and refused["milliseconds"] >= 0
    answer = sandbox.send("GET", INFO + bought.id)
    seen = control.call("explainRequest", requestId=answer.headers["X-Request-ID"])
    assert (seen["status"], seen["explanation"]) == (200, "Answered.")
    assert seen["responseBody"].startswith('{"signedTransactionInfo":"') and len(seen["responseBody"]) <= 4_097
    assert bought.transaction.jws not in seen["responseBody"], "not cut to 4 KiB"
    # The route can still read a body that was logged. A long body is not logged.
    token = "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e"
    assert sandbox.send("PUT", f"{INFO}{bought.id}/appAccountToken", json={"appAccountToken": token}).status_code == 200
    receipt = requests.post(f"{sandbox.base}/verifyReceipt", json={"receipt-data": "A" * 100_000, "password": "hush"})
    assert receipt.json() == {"status": 21_002}
    entry = control.call("explainRequest", requestId=receipt.headers["X-Request-ID"])
    assert entry["errorCode"] == 21_002 and "requestBody" not in entry
    assert b"hush" not in (tmp_path / "till-0" / "data" / "till.sqlite").read_bytes()
