"""Notifications of an app, their history, and the test notification, with Apple's client and verifier."""

import itertools
import re
import socket
import uuid

import pytest
from appstoreserverlibrary.api_client import APIException
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult

import notification_checks
from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, PRO, SEASON
from listening_post import ListeningPost
from notification_checks import (
    advance, body, freeze, history, listen, notification, pages, request, settled, until, words,
)
from shop_helpers import DAY, App, now_ms

HISTORY = "/inApps/v1/notifications/history"
TEST = "/inApps/v1/notifications/test"
NO_OFFER = {"kind": "NONE"}
HOUR = 3_600_000

_numbers = itertools.count(1)


@pytest.fixture
def new_app(server, control, team):
    """Creates a separate app for the test, because a history contains all notifications of an app."""
    number = next(_numbers)
    return App(server, control, f"com.example.notified{number}", 2_000_000_000 + number, team, CATALOG)


@pytest.fixture(params=["sandbox", "production"])
def environment(new_app, request):
    return new_app.environment(request.param)


@pytest.fixture
def sandbox(new_app):
    return new_app.sandbox


@pytest.fixture
def post():
    post = ListeningPost()
    yield post
    post.close()


# Sending notifications ------------------------------------------------------------------------------------------------


def test_actions_of_customers_are_posted_and_the_history_has_the_same_bytes(environment, post):
    listen(environment, post)
    first = environment.buy("ann", BASIC, offer=NO_OFFER)
    second = environment.buy("ann", PRO)
    coins = environment.buy("bob", COINS)
    environment.refund(coins.id)
    posted = [notification(environment, received.jws) for received in post.wait_for(4)]
    for received in post.received:
        assert received.headers["Content-Type"].startswith("application/json")
        assert received.path == "/notifications"
    assert sorted(notice.words for notice in posted) == sorted([
        "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE", "ONE_TIME_CHARGE", "REFUND",
    ])
    by_words = {notice.words: notice for notice in posted}
    assert by_words["SUBSCRIBED/INITIAL_BUY"].transaction.lasting == first.transaction.lasting
    assert by_words["DID_CHANGE_RENEWAL_PREF/UPGRADE"].transaction["transactionId"] == second.id
    assert by_words["ONE_TIME_CHARGE"].transaction.lasting == coins.transaction.lasting
    assert by_words["ONE_TIME_CHARGE"].renewal is None
    assert by_words["REFUND"].transaction["revocationType"] == "REFUND_FULL"
    items = settled(environment, 4)
    assert {item.notice.jws for item in items} == {notice.jws for notice in posted}
    for item in items:
        assert item.results == ["SUCCESS"] and abs(item.dates[0] - now_ms()) < 60_000
    assert len({notice["notificationUUID"] for notice in posted}) == 4


def test_the_history_is_empty_without_an_endpoint(environment, post):
    environment.buy("ann", COINS)
    assert history(environment) == []
    wire = environment.send("POST", HISTORY, json=body())
    assert wire.json() == {"hasMore": False, "notificationHistory": []}
    listen(environment, post)
    environment.buy("ann", COINS)
    assert words(settled(environment, 1)) == ["ONE_TIME_CHARGE"]


def test_an_item_has_exactly_the_documented_keys(environment, post):
    listen(environment, post)
    environment.buy("ann", COINS)
    settled(environment, 1)
    answer = environment.send("POST", HISTORY, json=body())
    assert answer.headers["Content-Type"] == "application/json"
    wire = answer.json()
    assert set(wire) == {"hasMore", "notificationHistory"}, "has a token although there is no more"
    (item,) = wire["notificationHistory"]
    assert set(item) == {"signedPayload", "sendAttempts", "firstSendAttemptResult"}
    (attempt,) = item["sendAttempts"]
    assert set(attempt) == {"attemptDate", "sendAttemptResult"} and type(attempt["attemptDate"]) is int
    assert item["firstSendAttemptResult"] == attempt["sendAttemptResult"] == "SUCCESS"


def test_deliveries_to_other_endpoints_are_not_in_the_history(sandbox, post):
    listen(sandbox, post, name="analytics")
    sandbox.buy("ann", COINS)
    post.wait_for(1)
    assert history(sandbox) == []


def test_notifications_without_attempts_are_listed_with_the_setting(serve, post):
    till = serve("--history-lists-all", "true")
    sandbox = App(till, notification_checks.control_of(till), "com.example.all", 79, None, CATALOG).sandbox
    sandbox.buy("ann", COINS)
    (item,) = history(sandbox)
    assert item.results == [] and history(sandbox, onlyFailures=True) == []
    (wire,) = sandbox.send("POST", HISTORY, json=body()).json()["notificationHistory"]
    assert set(wire) == {"signedPayload", "sendAttempts"} and wire["sendAttempts"] == []
    listen(sandbox, post)
    sandbox.buy("ann", COINS)
    post.wait_for(1)
    assert until(lambda: [item.results for item in history(sandbox)] == [[], ["SUCCESS"]])


# Filters --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def busy(environment, post):
    """An environment whose app has sent notifications about several customers."""
    listen(environment, post)
    environment.ann = environment.buy("ann", BASIC, offer=NO_OFFER)
    environment.buy("ann", PRO)
    environment.bob = environment.buy("bob", COINS)
    environment.refund(environment.bob.id)
    environment.buy("bob", BASIC, offer=NO_OFFER)
    settled(environment, 5)
    return environment


def test_filters_by_type_and_subtype(busy):
    assert words(history(busy, notificationType="SUBSCRIBED")) == ["SUBSCRIBED/INITIAL_BUY"] * 2
    found = history(busy, notificationType="SUBSCRIBED", notificationSubtype="INITIAL_BUY")
    assert words(found) == ["SUBSCRIBED/INITIAL_BUY"] * 2
    assert history(busy, notificationType="SUBSCRIBED", notificationSubtype="RESUBSCRIBE") == []
    found = history(busy, notificationType="DID_CHANGE_RENEWAL_PREF", notificationSubtype="UPGRADE")
    assert words(found) == ["DID_CHANGE_RENEWAL_PREF/UPGRADE"]
    assert words(history(busy, notificationType="REFUND")) == ["REFUND"]
    assert history(busy, notificationType="EXPIRED") == []


def test_every_type_of_the_official_library_is_accepted_as_a_filter(busy):
    for type_ in NotificationTypeV2:
        history(busy, notificationType=type_.value)


def test_any_transaction_id_of_a_customer_finds_the_customers_notifications(busy):
    wanted = ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"]
    assert words(history(busy, transactionId=busy.ann.id)) == wanted
    assert words(history(busy, transactionId=busy.ann.app_transaction_id)) == wanted
    wire = busy.send("POST", HISTORY, json=body(originalTransactionId=busy.ann.original_id)).json()
    found = [notification(busy, item["signedPayload"]).words for item in wire["notificationHistory"]]
    assert found == wanted, "does not accept the old name of the key"
    assert len(history(busy, transactionId=busy.bob.id)) == 3


def test_date_filters_apply_to_the_signed_date(busy):
    dates = [item.notice["signedDate"] for item in history(busy)]
    assert len(history(busy, startDate=dates[2])) == len([date for date in dates if date >= dates[2]])
    assert len(history(busy, endDate=dates[2])) == len([date for date in dates if date <= dates[2]])
    assert len(history(busy, endDate=now_ms() + 400 * DAY)) == 5, "an end in the future must count as now"
    assert history(busy, startDate=now_ms() + HOUR, endDate=now_ms() + 2 * HOUR) == []


# Pages ----------------------------------------------------------------------------------------------------------------


def test_pages_of_twenty_contain_every_item_once(environment, post):
    listen(environment, post)
    bought = environment.buy_many("ann", COINS, 30) + environment.buy_many("bob", COINS, 15)
    settled(environment, 45)
    lengths = [len(page.notificationHistory) for page in pages(environment)]
    assert lengths == [20, 20, 5]
    found = [item.notice.transaction["transactionId"] for item in history(environment)]
    assert sorted(found) == sorted(bought)
    of_ann = [item.notice.transaction["transactionId"] for item in history(environment, transactionId=bought[0])]
    assert of_ann == bought[:30]
    by_type = [len(page.notificationHistory) for page in pages(environment, notificationType="ONE_TIME_CHARGE")]
    assert by_type == [20, 20, 5]


def test_an_exactly_full_page_is_the_last_one(sandbox, post):
    listen(sandbox, post)
    sandbox.buy_many("ann", COINS, 20)
    settled(sandbox, 20)
    (page,) = pages(sandbox)
    assert len(page.notificationHistory) == 20 and page.paginationToken is None


def test_a_pagination_token_is_valid_only_with_its_own_body(new_app, post, other_app):
    sandbox = new_app.sandbox
    listen(sandbox, post)
    bought = sandbox.buy_many("ann", COINS, 21)
    settled(sandbox, 21)
    wanted = body()
    token = sandbox.send("POST", HISTORY, json=wanted).json()["paginationToken"]
    path = f"{HISTORY}?paginationToken={token}"
    rest = sandbox.send("POST", path, json=wanted).json()
    assert len(rest["notificationHistory"]) == 1 and rest["hasMore"] is False
    others = [
        {**wanted, "endDate": wanted["endDate"] + 1}, {**wanted, "startDate": wanted["startDate"] + 1},
        {**wanted, "onlyFailures": True}, {**wanted, "notificationType": "ONE_TIME_CHARGE"},
        {**wanted, "transactionId": bought[0]},
    ]
    for other in others:
        sandbox.check_error(sandbox.send("POST", path, json=other), 4000014)
    for elsewhere in (new_app.production, other_app.sandbox):
        elsewhere.check_error(elsewhere.send("POST", path, json=wanted), 4000014)
    for place in range(0, len(token), 5):
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1:]
        sandbox.refused(
            4000014, lambda client: client.get_notification_history(changed, request()),
            "POST", f"{HISTORY}?paginationToken={changed}", json=wanted,
        )
    revision = sandbox.whole_history(bought[0])[1]
    for wrong in ("", "nonsense", revision, token + "A"):
        sandbox.check_error(sandbox.send("POST", f"{HISTORY}?paginationToken={wrong}", json=wanted), 4000014)


# Failures -------------------------------------------------------------------------------------------------------------


def test_a_notification_counts_as_failed_until_it_is_delivered(environment, post):
    listen(environment, post)
    start = freeze(environment)
    post.answers = [500, 503]
    environment.buy("ann", COINS)
    (item,) = settled(environment, 1, onlyFailures=True)
    assert item.results == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"]
    advance(environment, "1h")
    (item,) = history(environment, endDate=start + 2 * HOUR, onlyFailures=True)
    assert item.results == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"] * 2
    advance(environment, "12h")
    end = start + DAY
    assert history(environment, endDate=end, onlyFailures=True) == []
    (item,) = history(environment, endDate=end)
    assert item.results == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"] * 2 + ["SUCCESS"]
    assert [date - item.dates[0] for date in item.dates] == [0, HOUR, 13 * HOUR]
    assert len({received.body for received in post.received}) == 1, "the body changed"


def test_an_undeliverable_notification_is_tried_six_times_and_stays_failed(sandbox, post):
    listen(sandbox, post)
    start = freeze(sandbox)
    post.answer = 500
    sandbox.buy("ann", COINS)
    advance(sandbox, "400h")
    (item,) = history(sandbox, endDate=start + 30 * DAY, onlyFailures=True)
    assert [(date - item.dates[0]) // HOUR for date in item.dates] == [0, 1, 13, 37, 85, 157]
    assert len(post.received) == 6


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


FAILURES = {
    "UNSUCCESSFUL_HTTP_RESPONSE_CODE": 404,
    "NO_RESPONSE": ListeningPost.raw(b""),
    "INVALID_RESPONSE": ListeningPost.raw(b"hello\r\n\r\n"),
    "PREMATURE_CLOSE": ListeningPost.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel"),
    "UNSUPPORTED_CHARSET": ListeningPost.raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=klingon\r\nContent-Length: 0\r\n\r\n"),
}


@pytest.mark.parametrize("result", [*FAILURES, "CIRCULAR_REDIRECT", "SOCKET_ISSUE", "TLS_ISSUE", "SUCCESS"])
def test_each_outcome_of_an_attempt_has_its_documented_value(sandbox, post, result):
    post.answer = FAILURES.get(result, post.redirect if result == "CIRCULAR_REDIRECT" else 206)
    url = post.url
    if result == "SOCKET_ISSUE":
        url = f"http://127.0.0.1:{closed_port()}/"
    if result == "TLS_ISSUE":
        url = url.replace("http:", "https:")
    sandbox.control("setEndpoint", {"url": url}, endpoint="primary")
    sandbox.buy("ann", COINS)
    (item,) = settled(sandbox, 1)
    assert item.results == [result]
    assert result in {known.value for known in SendAttemptResult}
    assert len(history(sandbox, onlyFailures=True)) == (0 if result == "SUCCESS" else 1)


def test_an_update_of_an_endpoint_changes_only_what_it_names(sandbox, post):
    listen(sandbox, post, types=["REFUND"])
    sandbox.buy("ann", COINS)
    updated = sandbox.control("updateEndpoint", {"types": []}, endpoint="primary")
    assert updated["url"] == post.url and updated["types"] == []
    sandbox.buy("ann", COINS)
    assert words(settled(sandbox, 1)) == ["ONE_TIME_CHARGE"]
    assert len(post.received) == 1


def test_a_receiver_that_never_answers_times_out(serve, post):
    till = serve("--delivery-timeout", "1")
    control = notification_checks.control_of(till)
    app = App(till, control, "com.example.slow", 77, None, CATALOG)
    listen(app.sandbox, post)
    post.answer = post.hang
    app.sandbox.buy("ann", COINS)
    (item,) = settled(app.sandbox, 1)
    assert item.results == ["TIMED_OUT"]


# Errors of the history ------------------------------------------------------------------------------------------------


WRONG = [
    (4000015, {"startDate": None}), (4000015, {"startDate": "yesterday"}), (4000015, {"startDate": 1.5}),
    (4000015, {"startDate": True}), (4000015, {"startDate": str(now_ms())}), (4000015, {"startDate": 10 ** 30}),
    (4000016, {"endDate": None}), (4000016, {"endDate": "2026-01-01"}), (4000016, {"endDate": []}),
    (4000012, {"startDate": 0}), (4000012, {"startDate": -1}), (4000012, {"startDate": now_ms() - 182 * DAY}),
    (4000013, {"startDate": 5_000_000_000_000, "endDate": 4_999_999_999_999}),
    (4000013, {"startDate": 5_000_000_000_000, "endDate": 5_000_000_000_000}),
    (4000018, {"notificationType": "SOMETHING"}), (4000018, {"notificationType": "subscribed"}),
    (4000018, {"notificationType": ""}), (4000018, {"notificationType": 1}),
    (4000018, {"notificationType": "DID_RENEW", "notificationSubtype": "INITIAL_BUY"}),
    (4000018, {"notificationType": "TEST", "notificationSubtype": "SUMMARY"}),
    (4000018, {"notificationType": "SUBSCRIBED", "notificationSubtype": ""}),
    (4000018, {"notificationSubtype": "INITIAL_BUY"}),
    (4000018, {"notificationSubtype": "INITIAL_BUY", "transactionId": "2000000000000000"}),
    (4000019, {"notificationType": "SUBSCRIBED", "transactionId": "2000000000000000"}),
    (4000019, {"notificationType": "SUBSCRIBED", "originalTransactionId": "2000000000000000"}),
    (4000006, {"transactionId": "nonsense"}), (4000006, {"transactionId": "0"}), (4000006, {"transactionId": ""}),
    (4000006, {"transactionId": 2000000000000000}),
    (4040010, {"transactionId": "2000000999999999"}), (4040010, {"transactionId": "704999999999999999"}),
]


@pytest.mark.parametrize("code, changes", WRONG, ids=[f"{code}-{number}" for number, (code, _) in enumerate(WRONG)])
def test_a_wrong_filter_is_rejected_with_its_own_code(app, code, changes):
    wanted = body(**changes)
    app.production.refused(
        code, lambda client: client._make_request(HISTORY, "POST", {}, wanted, None), "POST", HISTORY, json=wanted,
    )


def test_the_start_date_may_be_a_day_before_the_documented_limit(app):
    for environment, days in ((app.sandbox, 30), (app.production, 180)):
        # Clients often request exactly the documented limit, and the request always arrives a moment later.
        environment.client.get_notification_history(None, request(startDate=now_ms() - days * DAY))
        environment.client.get_notification_history(None, request(startDate=now_ms() - (days + 1) * DAY + 60_000))
        too_early = now_ms() - (days + 1) * DAY - 60_000
        environment.refused(
            4000012,
            lambda client: client.get_notification_history(None, request(startDate=too_early)),
            "POST", HISTORY, json=body(startDate=too_early),
        )


def test_an_advanced_environment_keeps_its_earlier_notifications(sandbox, post):
    listen(sandbox, post)
    start = freeze(sandbox)
    sandbox.buy("ann", COINS)
    advance(sandbox, "P1Y")
    sandbox.buy_many("ann", COINS, 1)
    far = start + 2 * 366 * DAY
    assert len(settled(sandbox, 2, endDate=far)) == 2
    assert len(history(sandbox)) == 1, "within the last week of real time, only the first"
    sandbox.check_error(sandbox.send("POST", HISTORY, json=body(startDate=start - 32 * DAY)), 4000012)


def test_a_customer_clock_may_be_ahead_of_the_end_date(sandbox, post):
    listen(sandbox, post)
    sandbox.control("createClock", {"name": "later", "at": now_ms() + 100 * DAY})
    sandbox.create("ann")
    sandbox.control("updateCustomer", {"clock": "later"}, customer="ann")
    sandbox.buy_many("ann", COINS, 1)
    (item,) = settled(sandbox, 1, endDate=now_ms() + 300 * DAY)
    assert item.notice["signedDate"] > now_ms() + 99 * DAY


@pytest.mark.parametrize("text", ["", "[", "[]", "1", "null", '{"startDate": 1, "startDate": 2}'])
def test_a_body_that_is_no_object_has_no_code(app, text):
    answer = app.sandbox.send("POST", HISTORY, data=text, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.content) == (400, b"")


@pytest.mark.parametrize("value", ["true", 1, 0, []])
def test_only_failures_is_a_boolean(app, value):
    answer = app.sandbox.send("POST", HISTORY, json=body(onlyFailures=value))
    assert (answer.status_code, answer.content) == (400, b"")


def test_an_id_of_another_app_or_environment_is_not_found(app, other_app, customer):
    bought = app.sandbox.buy(customer, SEASON)
    for elsewhere in (app.production, other_app.sandbox):
        entry = elsewhere.refused(
            4040010, lambda client: client.get_notification_history(None, request(transactionId=bought.id)),
            "POST", HISTORY, json=body(transactionId=bought.id),
        )
        assert bought.id in entry["explanation"]


# Test notification ----------------------------------------------------------------------------------------------------


def test_a_test_notification_goes_to_the_primary_endpoint_and_has_a_status(environment, post):
    listen(environment, post, types=["REFUND"])
    token = environment.client.request_test_notification().testNotificationToken
    shape = r"[0-9a-f-]{36}" + (r"_\d{13}" if environment.name == "production" else "")
    assert re.fullmatch(shape, token), token
    (received,) = post.wait_for(1)

    def ended():
        try:
            return environment.client.get_test_notification_status(token)
        except APIException as refusal:
            assert refusal.raw_api_error == 4040008
    status = until(ended)
    assert status.signedPayload == received.jws
    assert [attempt.rawSendAttemptResult for attempt in status.sendAttempts] == ["SUCCESS"]
    notice = notification(environment, status.signedPayload)
    assert notice.words == "TEST" and token.startswith(notice["notificationUUID"])
    assert set(notice["data"]) == {"appAppleId", "bundleId", "environment"}
    wire = environment.ask(f"{TEST}/{token}", {"signedPayload", "sendAttempts", "firstSendAttemptResult"})
    assert wire["firstSendAttemptResult"] == "SUCCESS"
    assert words(history(environment, notificationType="TEST")) == ["TEST"]
    environment.ask(f"{TEST}/{token.upper()}", {"signedPayload", "sendAttempts", "firstSendAttemptResult"})


def test_a_test_notification_needs_an_endpoint(environment):
    environment.refused(4040007, lambda client: client.request_test_notification(), "POST", TEST)


def test_a_test_notification_needs_no_body_and_no_content_type(sandbox, post):
    listen(sandbox, post)
    assert sandbox.send("POST", TEST, data=b"").status_code == 200


def test_a_test_notification_is_not_found_before_its_first_attempt_has_ended(sandbox, post):
    listen(sandbox, post)
    post.answer = post.hang
    token = sandbox.client.request_test_notification().testNotificationToken
    post.wait_for(1)
    sandbox.refused(
        4040008, lambda client: client.get_test_notification_status(token), "GET", f"{TEST}/{token}",
    )


def test_the_status_of_a_test_notification_is_kept_for_six_months(sandbox, post):
    listen(sandbox, post)
    freeze(sandbox)
    token = sandbox.client.request_test_notification().testNotificationToken
    advance(sandbox, "P5M")
    assert sandbox.client.get_test_notification_status(token).sendAttempts
    advance(sandbox, "P2M")
    sandbox.check_error(sandbox.send("GET", f"{TEST}/{token}"), 4040008)


@pytest.mark.parametrize("token", ["nonsense", "", "1" * 36, "_", "{}_", "{}_x", "{}_1.5", "{}-1", "{}_1_2", "x{}"])
def test_a_malformed_token_is_rejected(app, token):
    token = token.format(uuid.uuid4())
    app.sandbox.refused(
        4000020, lambda client: client.get_test_notification_status(token), "GET", f"{TEST}/{token}",
    )


def test_a_token_of_another_app_or_environment_or_of_another_notification_is_unknown(new_app, other_app, post):
    listen(new_app.sandbox, post)
    token = new_app.sandbox.client.request_test_notification().testNotificationToken
    new_app.sandbox.buy("ann", FOREVER)
    items = settled(new_app.sandbox, 2)
    other = next(item.notice["notificationUUID"] for item in items if item.notice.words != "TEST")
    for environment, unknown in (
        (new_app.production, token), (other_app.sandbox, token), (new_app.sandbox, other),
        (new_app.sandbox, f"{token}_1767225600000"), (new_app.sandbox, str(uuid.uuid4())),
    ):
        environment.check_error(environment.send("GET", f"{TEST}/{unknown}"), 4040008)
