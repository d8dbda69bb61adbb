"""Clocks, environment settings, endpoints, jobs and notifications through the control API. A test that advances an
environment's clock has its own app; the other tests use customer clocks."""

import itertools
import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from catalog_of_everything import BASIC, CATALOG, COINS, PRO, SOLO
from process_helpers import PROFILE_KEY, quarantined
from shop_helpers import DAY, App, ControlRefused, now_ms

numbers = itertools.count()


def refused(call, *arguments, **options):
    with pytest.raises(ControlRefused) as caught:
        call(*arguments, **options)
    assert caught.value.message.endswith(".")
    return caught.value.status, caught.value.code


@pytest.fixture
def environment(server, control, team):
    """The sandbox of the test's own app."""
    number = next(numbers)
    return App(server, control, f"com.example.time-{number}", 3_000_000_000 + number, team, CATALOG).sandbox


@pytest.fixture
def post():
    """A developer's server that accepts everything, and keeps the bodies of the posts in `bodies`."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.bodies = bodies
    server.url = f"http://127.0.0.1:{server.server_port}/apple"
    yield server
    server.shutdown()
    server.server_close()


def wait_for(condition):
    for _ in range(1_200):
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come about within a minute")


def delivered(environment, uuid):
    """Waits until the notification is delivered, and returns it."""
    shown = environment.control("getNotification", notificationUUID=uuid)
    return shown if shown["deliveries"][0]["isDelivered"] else None


# Clocks ---------------------------------------------------------------------------------------------------------------


def test_a_clock_is_real_until_it_is_set(environment):
    clock = environment.control("getClock")
    assert clock["mode"] == "real" and abs(clock["now"] - now_ms()) < 5_000 and "speed" not in clock
    frozen = environment.control("setClock", {"mode": "frozen"})
    assert frozen["mode"] == "frozen" and environment.control("getClock") == frozen
    running = environment.control("setClock", {"mode": "running", "speed": 1000})
    assert (running["mode"], running["speed"]) == ("running", 1000)
    time.sleep(0.05)
    assert environment.control("getClock")["now"] > running["now"] + 40_000
    assert refused(environment.control, "setClock", {"mode": "real"}) == (409, "clock_goes_forward")
    past = {"mode": "frozen", "at": now_ms() - DAY}
    assert refused(environment.control, "setClock", past) == (409, "clock_goes_forward")
    assert refused(environment.control, "setClock", {"mode": "real", "at": now_ms()}) == (400, "bad_clock")
    assert environment.control("getAdvance") == {"isUnderWay": False}


def test_upcoming_events_are_listed_by_clock_and_date(environment):
    assert environment.control("listUpcomingEvents") == {"events": []}
    environment.control("setClock", {"mode": "frozen"})
    bought = environment.buy("ann", PRO)
    environment.control("advanceClock", {"by": "1d"})
    late = environment.control("buyProduct", {"productId": PRO}, customer="bob")
    environment.control("cancelSubscription", {}, originalTransactionId=late["transactionId"])
    first, second = environment.control("listUpcomingEvents")["events"]
    assert (first["customer"], first["event"], first["transactionId"]) == ("ann", "RENEWAL", bought.id)
    assert (second["customer"], second["event"]) == ("bob", "END_OF_PERIOD")
    assert first["date"] < second["date"] == late["expiresDate"]
    assert environment.control("listUpcomingEvents", query={"limit": 1})["events"] == [first]
    assert environment.control("advanceClock", {"toNextEvent": True})["to"] == first["date"]
    environment.control("createClock", {"name": "own"})
    assert environment.control("listUpcomingEvents", query={"clock": "own"}) == {"events": []}
    assert refused(environment.control, "listUpcomingEvents", query={"clock": "unknown"}) == (404, "unknown_clock")
    assert refused(environment.control, "listUpcomingEvents", query={"limit": 0}) == (400, "bad_query")


def test_advancing_a_clock_processes_due_events(environment):
    bought = environment.buy("ann", PRO)
    environment.control("setClock", {"mode": "frozen"})
    report = environment.control("advanceClock", {"by": "1y"})
    assert report["accounts"] == 1 and quarantined(report) == [] and "pending" not in report
    assert report["notifications"] == [{"type": "DID_RENEW", "count": 12}]
    (entry,) = environment.control("listSubscriptions", customer="ann")["subscriptions"]
    assert entry["status"] == 1 and entry["expiresDate"] > report["to"]
    environment.control("cancelSubscription", {}, originalTransactionId=bought.id)
    report = environment.control("advanceClock", {"toNextEvent": True})
    assert report["notifications"] == [{"type": "EXPIRED", "subtype": "VOLUNTARY", "count": 1}]
    assert report["to"] == entry["expiresDate"]
    assert environment.control("advanceClock", {"to": report["to"] + 1})["to"] == report["to"] + 1
    assert environment.control("advanceClock", {"by": "PT36H"})["to"] == report["to"] + 1 + 36 * 3_600_000
    for body, code in (({}, "bad_leap"), ({"by": "1mo", "to": now_ms()}, "bad_leap"), ({"by": "soon"}, "bad_duration"),
                       ({"by": "2026-01-01"}, "bad_duration")):
        assert refused(environment.control, "advanceClock", body) == (400, code)
    assert refused(environment.control, "advanceClock", {"to": now_ms() - DAY}) == (409, "clock_goes_forward")
    assert refused(environment.control, "advanceClock", {"toNextEvent": True}) == (409, "nothing_to_come")


def test_customers_can_have_their_own_clock(environment):
    start = now_ms() - 300 * DAY
    made = environment.control("createClock", {"name": "trial", "at": start})
    assert made == {"name": "trial", "mode": "frozen", "now": start}
    assert refused(environment.control, "createClock", {"name": "trial"}) == (409, "clock_exists")
    assert refused(environment.control, "createClock", {"name": "a b"}) == (400, "bad_clock")
    assert environment.control("listClocks")["clocks"] == [made] == [environment.control("getCustomerClock", clock="trial")]
    environment.create("ann", at=start)
    assert environment.control("assignClock", {"clock": "trial"}, customer="ann")["clock"] == "trial"
    assert environment.control("buyProduct", {"productId": PRO}, customer="ann")["purchaseDate"] // 1000 == start // 1000
    report = environment.control("advanceCustomerClock", {"by": "P1M"}, clock="trial")
    assert report["notifications"] == [{"type": "DID_RENEW", "count": 1}]
    assert environment.control("getCustomerClockAdvance", clock="trial") == {"isUnderWay": False}
    assert environment.control("setCustomerClock", {"mode": "running"}, clock="trial")["mode"] == "running"
    assert environment.control("getClock")["mode"] == "real"
    assert "clock" not in environment.control("assignClock", {}, customer="ann")
    for operation, parameters in (("getCustomerClock", {"clock": "no"}), ("getCustomerClockAdvance", {"clock": "no"})):
        assert refused(environment.control, operation, **parameters) == (404, "unknown_clock")
    assert refused(environment.control, "assignClock", {"clock": "no"}, customer="ann") == (404, "unknown_clock")


# Settings and endpoints -----------------------------------------------------------------------------------------------


def test_settings_are_merged(environment):
    before = environment.control("getSettings")
    assert before == {"rate": "calendar", "refundRule": "followPreference", "released": True, PROFILE_KEY: "fair",
                      "missingPrice": "storefrontCurrency"}
    assert environment.control("updateSettings", {"rate": "sandbox-5-minutes"})["rate"] == "sandbox-5-minutes"
    bought = environment.buy("ann", PRO)
    assert bought.payload["expiresDate"] - bought.payload["purchaseDate"] == 300_000
    after = environment.control("updateSettings", {"grace": {"days": 16}, "refundRule": "byHand"})
    assert after == {"rate": "sandbox-5-minutes", "grace": {"days": 16, "coverage": "ALL_RENEWALS"},
                     "refundRule": "byHand", "released": True, PROFILE_KEY: "fair",
                     "missingPrice": "storefrontCurrency"} == environment.control("getSettings")
    asked = environment.control("requestRefund", {}, transactionId=environment.buy("ann", COINS).id)
    assert "decisionDate" not in asked["refundRequest"] and asked["refundRequest"]["decidedBy"] == "byHand"
    assert "grace" not in environment.control("updateSettings", {"grace": {"days": 0}, "rate": "default"})
    assert refused(environment.control, "updateSettings", {"grace": {"days": 5}}) == (400, "bad_grace")
    assert refused(environment.control, "updateSettings", {"rate": "fast"}) == (400, "bad_request")
    assert environment.app.production.control("getSettings") == before


def test_endpoints_are_set_and_removed(environment):
    assert environment.control("listEndpoints") == {"endpoints": []}
    body = {"url": "https://example.com/log", "types": ["EXPIRED/VOLUNTARY"]}
    log = environment.control("setEndpoint", body, endpoint="log")
    primary = environment.control("setEndpoint", {"url": "http://127.0.0.1:9/apple"}, endpoint="primary")
    assert environment.control("listEndpoints")["endpoints"] == [primary, log]
    assert primary == {"name": "primary", "url": "http://127.0.0.1:9/apple", "types": [], "version": 2}
    for body, name, code in (({"url": "ftp://x"}, "a", "bad_url"), ({"url": "http://"}, "a", "bad_url"),
                             ({"url": "http://x", "types": ["EXPIRED/UPGRADE"]}, "a", "bad_type"),
                             ({"url": "http://x", "types": ["FOO"]}, "a", "bad_type"),
                             ({"url": "http://x"}, "listen", "bad_endpoint"),
                             ({"url": "http://x"}, "a b", "bad_endpoint")):
        assert refused(environment.control, "setEndpoint", body, endpoint=name) == (400, code)
    environment.control("removeEndpoint", endpoint="log")
    assert environment.control("listEndpoints")["endpoints"] == [primary]
    assert refused(environment.control, "removeEndpoint", endpoint="log") == (404, "unknown_endpoint")


# Jobs -----------------------------------------------------------------------------------------------------------------


def test_a_price_increase_with_consent(environment):
    bought = environment.buy("ann", PRO)
    job = environment.control("raisePrice", {"price": 19_990, "consent": "required"}, productId=PRO)
    assert (job["kind"], job["state"], job["succeeded"]) == ("raisePrice", "done", 1)
    assert environment.buy("bob", PRO).answer["price"] == 19_990, "new customers must pay the new price at once"
    named = {"originalTransactionId": bought.id}
    assert environment.control("getSubscription", **named)["subscription"]["priceIncrease"]["stage"] == "scheduled"
    assert refused(environment.control, "acceptPriceIncrease", {}, **named) == (409, "no_price_increase")
    while environment.control("getSubscription", **named)["subscription"]["priceIncrease"]["stage"] == "scheduled":
        environment.control("advanceClock", {"toNextEvent": True})
    summary = environment.control("getSubscription", **named)["subscription"]["summary"]
    assert "waits for the customer's consent" in summary
    declined = environment.control("declinePriceIncrease", {}, **named)
    assert declined["notifications"] == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"]
    environment.control("resumeSubscription", {}, **named)
    accepted = environment.control("acceptPriceIncrease", {}, **named)
    assert accepted["notifications"] == ["PRICE_INCREASE/ACCEPTED"]
    assert accepted["subscription"]["priceIncrease"]["stage"] == "accepted"
    assert refused(environment.control, "raisePrice", {"price": 19_990}, productId=PRO) == (409, "not_higher")
    assert refused(environment.control, "raisePrice", {"price": 1}, productId=COINS) == (409, "wrong_type")
    found = refused(environment.control, "raisePrice", {"price": 29_990, "currency": "EUR"}, productId=PRO)
    assert found == (400, "bad_currency")


def test_all_subscribers_are_extended_and_a_product_is_shared(environment):
    for customer in ("ann", "bob"):
        environment.buy(customer, PRO)
    request = str(uuid.uuid4())
    job = environment.control("extendAll", {"productId": PRO, "days": 3, "reasonCode": 3, "requestIdentifier": request})
    assert (job["kind"], job["succeeded"], job["failed"]) == ("extend", 2, 0)
    again = {"productId": PRO, "days": 3, "requestIdentifier": request}
    assert environment.control("extendAll", again)["jobId"] == job["jobId"]
    body = {"productId": PRO, "days": 1, "at": now_ms() + DAY, "storefronts": ["USA"]}
    later = environment.control("extendAll", body)
    assert later["state"] == "waiting"
    assert refused(environment.control, "extendAll", {"productId": COINS, "days": 1}) == (409, "wrong_type")
    body = {"productId": PRO, "days": 1, "storefronts": ["XXX", "USA"]}
    assert refused(environment.control, "extendAll", body) == (400, "bad_request")
    environment.control("createFamily", {"organizer": "ann", "members": ["carl"]})
    environment.buy("ann", SOLO)
    assert environment.control("getCustomer", customer="carl")["owned"] == []
    shared = environment.control("shareProduct", {}, productId=SOLO)
    assert (shared["kind"], shared["succeeded"]) == ("shareProduct", 1)
    assert environment.control("getCustomer", customer="carl")["owned"] == [SOLO]
    assert [entry["jobId"] for entry in environment.control("listJobs")["jobs"]][:2] == [job["jobId"], shared["jobId"]]
    assert environment.control("getJob", jobId=shared["jobId"]) == shared
    assert refused(environment.control, "getJob", jobId="no") == (404, "unknown_job")


# Notifications --------------------------------------------------------------------------------------------------------


def test_notifications_are_listed_shown_and_resent(environment, post):
    environment.control("setEndpoint", {"url": post.url}, endpoint="primary")
    bought = environment.buy("ann", PRO)
    environment.buy("bob", COINS)
    wait_for(lambda: len(post.bodies) == 2)
    listed = environment.control("listNotifications", query={"customer": "ann"})["notifications"]
    assert [(entry["notificationType"], entry["subtype"]) for entry in listed] == [("SUBSCRIBED", "INITIAL_BUY")]
    uuid = listed[0]["notificationUUID"]
    shown = wait_for(lambda: delivered(environment, uuid))
    (attempt,) = shown["deliveries"][0]["attempts"]
    assert (attempt["sendAttemptResult"], attempt["status"]) == ("SUCCESS", 200)
    assert shown["signedPayload"].encode() in b"".join(post.bodies), "the bytes differ"
    environment.verifier.verify_and_decode_notification(shown["signedPayload"])
    assert shown["payload"]["notificationUUID"] == uuid
    assert shown["transactionInfo"]["transactionId"] == bought.id == shown["transactionId"]
    assert shown["renewalInfo"]["originalTransactionId"] == bought.id
    assert environment.control("resendNotification", {}, notificationUUID=uuid) == {"pending": 1}
    wait_for(lambda: len(post.bodies) == 3)
    assert post.bodies[2] in post.bodies[:2]
    everything = {"from": now_ms() - DAY, "to": now_ms() + DAY}
    assert environment.control("resendNotifications", everything) == {"pending": 2}
    wait_for(lambda: len(post.bodies) == 5)
    page = environment.control("listNotifications", query={"limit": 1})
    rest = environment.control("listNotifications", query={"limit": 1, "after": page["next"]})
    assert "next" not in rest and page["notifications"] != rest["notifications"]
    assert environment.control("listNotifications", query={"type": "SUBSCRIBED/RESUBSCRIBE"}) == {"notifications": []}
    assert environment.control("listNotifications", query={"failed": "true"}) == {"notifications": []}
    for query, code in (({"limit": 0}, "bad_query"), ({"limit": 101}, "bad_query"), ({"after": "x"}, "bad_page")):
        assert refused(environment.control, "listNotifications", query=query) == (400, code)
    assert refused(environment.control, "listNotifications", query={"customer": "no"}) == (404, "unknown_account")
    assert refused(environment.control, "getNotification", notificationUUID="x") == (404, "unknown_notification")
    wrong = {"endpoint": "no"}
    found = refused(environment.control, "resendNotification", wrong, notificationUUID=uuid)
    assert found == (404, "unknown_endpoint")


def test_any_notification_can_be_triggered(environment, post):
    bought = environment.buy("ann", BASIC)
    assert refused(environment.control, "requestTestNotification") == (409, "no_endpoint")
    uuid = environment.control("listNotifications")["notifications"][0]["notificationUUID"]
    assert refused(environment.control, "resendNotification", {}, notificationUUID=uuid) == (409, "no_endpoint")
    environment.control("setEndpoint", {"url": post.url}, endpoint="primary")
    body = {"type": "EXPIRED", "subtype": "VOLUNTARY", "transactionId": bought.id}
    sent = environment.control("triggerNotification", body)
    assert sent["isTriggered"] is True and sent["customer"] == "ann"
    wait_for(lambda: len(post.bodies) == 1)
    assert environment.control("requestTestNotification")["testNotificationToken"]
    wait_for(lambda: len(post.bodies) == 2)
    wrong = {**body, "subtype": "UPGRADE"}
    assert refused(environment.control, "triggerNotification", wrong) == (409, "not_triggered")
    unknown = {**body, "transactionId": "1"}
    assert refused(environment.control, "triggerNotification", unknown) == (404, "unknown_transaction")


def test_a_listener_replaces_a_missing_endpoint(environment):
    assert environment.control("listen", query={"wait": 0}) == {}
    environment.buy("ann", COINS)
    delivery = wait_for(lambda: environment.control("listen", query={"wait": 10}))
    assert delivery["notificationType"] == "ONE_TIME_CHARGE"
    environment.verifier.verify_and_decode_notification(json.loads(delivery["body"])["signedPayload"])
    answer = {"deliveryToken": delivery["deliveryToken"]}
    environment.control("answerDelivery", {"status": 200}, **answer)
    uuid = delivery["notificationUUID"]
    shown = wait_for(lambda: delivered(environment, uuid))
    assert shown["deliveries"][0]["attempts"][0]["status"] == 200
    assert refused(environment.control, "answerDelivery", {"status": 200}, **answer) == (404, "unknown_delivery")
    assert refused(environment.control, "listen", query={"wait": 51}) == (400, "bad_query")
