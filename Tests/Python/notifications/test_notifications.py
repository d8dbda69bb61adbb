"""Notifications of an app, their history, and the test notification, with Apple's client and verifier.

Tests/TillServerTests/API checks the pages, the filters and the errors of the history.
"""

import re

import pytest
from appstoreserverlibrary.api_client import APIException

from catalog_of_everything import BASIC, CATALOG, COINS, PRO
from listening_post import ListeningPost
from notification_checks import history, listen, notification, settled, words
from process_helpers import free_port, wait_until
from shop_helpers import NO_OFFER, App, models, now_ms

TEST = "/inApps/v1/notifications/test"

pytestmark = pytest.mark.own_app


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
    for type_ in models.NotificationTypeV2:
        found = [item.notice["notificationType"] for item in history(environment, notificationType=type_.value)]
        assert found == [notice["notificationType"] for notice in posted if notice["notificationType"] == type_.value]


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
        url = f"http://127.0.0.1:{free_port()}/"
    if result == "TLS_ISSUE":
        url = url.replace("http:", "https:")
    sandbox.control("setEndpoint", {"url": url}, endpoint="primary")
    sandbox.buy("ann", COINS)
    (item,) = settled(sandbox, 1)
    assert item.results == [result]
    assert result in {known.value for known in models.SendAttemptResult}
    assert len(history(sandbox, onlyFailures=True)) == (0 if result == "SUCCESS" else 1)


def test_a_receiver_that_never_answers_times_out(serve, post):
    app = App(serve("--delivery-timeout", "1"), "com.example.slow", 77, None, CATALOG)
    listen(app.sandbox, post)
    post.answer = post.hang
    app.sandbox.buy("ann", COINS)
    (item,) = settled(app.sandbox, 1)
    assert item.results == ["TIMED_OUT"]


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
    status = wait_until(ended)
    assert status.signedPayload == received.jws
    assert [attempt.rawSendAttemptResult for attempt in status.sendAttempts] == ["SUCCESS"]
    notice = notification(environment, status.signedPayload)
    assert notice.words == "TEST" and token.startswith(notice["notificationUUID"])
    assert set(notice["data"]) == {"appAppleId", "bundleId", "environment"}
    wire = environment.ask(f"{TEST}/{token}", {"signedPayload", "sendAttempts", "firstSendAttemptResult"})
    assert wire["firstSendAttemptResult"] == "SUCCESS"
    assert words(history(environment, notificationType="TEST")) == ["TEST"]
    environment.ask(f"{TEST}/{token.upper()}", {"signedPayload", "sendAttempts", "firstSendAttemptResult"})
