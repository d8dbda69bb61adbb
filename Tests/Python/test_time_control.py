"""Clocks, rules, endpoints, jobs and notifications by control. Each test that moves a realm's clock has an app of its
own; the others put their customers on clocks of their own."""

import uuid
import itertools
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from catalog_of_everything import BASIC, CATALOG, COINS, PRO, SOLO
from shop_helpers import DAY, App, ControlRefused, now_ms

numbers = itertools.count()


def refused(call, *arguments, **options):
    with pytest.raises(ControlRefused) as caught:
        call(*arguments, **options)
    assert caught.value.message.endswith(".")
    return caught.value.status, caught.value.code


@pytest.fixture
def realm(server, control, team):
    """The sandbox of an app of the test's own."""
    number = next(numbers)
    return App(server, control, f"com.example.time-{number}", 3_000_000_000 + number, team, CATALOG).sandbox


@pytest.fixture
def post():
    """A developer's server that takes everything; what it got is in `bodies`."""
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


def delivered(realm, uuid):
    """The notification, once it has arrived."""
    shown = realm.control("getNotification", notificationUUID=uuid)
    return shown if shown["deliveries"][0]["isDelivered"] else None


# Clocks ---------------------------------------------------------------------------------------------------------------


def test_a_clock_is_real_until_it_is_set(realm):
    clock = realm.control("getClock")
    assert clock["mode"] == "real" and abs(clock["now"] - now_ms()) < 5_000 and "speed" not in clock
    frozen = realm.control("setClock", {"mode": "frozen"})
    assert frozen["mode"] == "frozen" and realm.control("getClock") == frozen
    running = realm.control("setClock", {"mode": "running", "speed": 1000})
    assert (running["mode"], running["speed"]) == ("running", 1000)
    time.sleep(0.05)
    assert realm.control("getClock")["now"] > running["now"] + 40_000
    assert refused(realm.control, "setClock", {"mode": "real"}) == (409, "clock_goes_forward")
    past = {"mode": "frozen", "at": now_ms() - DAY}
    assert refused(realm.control, "setClock", past) == (409, "clock_goes_forward")
    assert refused(realm.control, "setClock", {"mode": "real", "at": now_ms()}) == (400, "bad_clock")
    assert realm.control("getLeap") == {"isUnderWay": False}


def test_what_comes_next_is_listed_by_clock_the_earliest_first(realm):
    assert realm.control("listComing") == {"coming": []}
    realm.control("setClock", {"mode": "frozen"})
    bought = realm.buy("ann", PRO)
    realm.control("advanceClock", {"by": "1d"})
    late = realm.control("buy", {"productId": PRO}, customer="bob")
    realm.control("cancelSubscription", {}, originalTransactionId=late["transactionId"])
    first, second = realm.control("listComing")["coming"]
    assert (first["customer"], first["event"], first["transactionId"]) == ("ann", "RENEWAL", bought.id)
    assert (second["customer"], second["event"]) == ("bob", "END_OF_PERIOD")
    assert first["date"] < second["date"] == late["expiresDate"]
    assert realm.control("listComing", query={"limit": 1})["coming"] == [first]
    assert realm.control("advanceClock", {"toNextEvent": True})["to"] == first["date"]
    realm.control("createClock", {"name": "own"})
    assert realm.control("listComing", query={"clock": "own"}) == {"coming": []}
    assert refused(realm.control, "listComing", query={"clock": "nobody"}) == (404, "unknown_clock")
    assert refused(realm.control, "listComing", query={"limit": 0}) == (400, "bad_limit")


def test_a_leap_lets_happen_what_falls_due(realm):
    bought = realm.buy("ann", PRO)
    realm.control("setClock", {"mode": "frozen"})
    report = realm.control("advanceClock", {"by": "1y"})
    assert report["accounts"] == 1 and report["setAside"] == [] and "owed" not in report
    assert report["notifications"] == [{"notice": "DID_RENEW", "count": 12}]
    (entry,) = realm.control("listSubscriptions", customer="ann")["subscriptions"]
    assert entry["status"] == 1 and entry["expiresDate"] > report["to"]
    realm.control("cancelSubscription", {}, originalTransactionId=bought.id)
    report = realm.control("advanceClock", {"toNextEvent": True})
    assert report["notifications"] == [{"notice": "EXPIRED/VOLUNTARY", "count": 1}]
    assert report["to"] == entry["expiresDate"]
    assert realm.control("advanceClock", {"to": report["to"] + 1})["to"] == report["to"] + 1
    assert realm.control("advanceClock", {"by": "PT36H"})["to"] == report["to"] + 1 + 36 * 3_600_000
    for body, code in (({}, "bad_leap"), ({"by": "1mo", "to": now_ms()}, "bad_leap"), ({"by": "soon"}, "bad_duration"),
                       ({"by": "2026-01-01"}, "bad_duration")):
        assert refused(realm.control, "advanceClock", body) == (400, code)
    assert refused(realm.control, "advanceClock", {"to": now_ms() - DAY}) == (409, "clock_goes_forward")
    assert refused(realm.control, "advanceClock", {"toNextEvent": True}) == (409, "nothing_to_come")


def test_customers_live_by_a_clock_of_their_own(realm):
    start = now_ms() - 300 * DAY
    made = realm.control("createClock", {"name": "trial", "at": start})
    assert made == {"name": "trial", "mode": "frozen", "now": start}
    assert refused(realm.control, "createClock", {"name": "trial"}) == (409, "clock_exists")
    assert refused(realm.control, "createClock", {"name": "a b"}) == (400, "bad_clock")
    assert realm.control("listClocks")["clocks"] == [made] == [realm.control("getOwnClock", clock="trial")]
    realm.create("ann", at=start)
    assert realm.control("useClock", {"clock": "trial"}, customer="ann")["clock"] == "trial"
    assert realm.control("buy", {"productId": PRO}, customer="ann")["purchaseDate"] // 1000 == start // 1000
    report = realm.control("advanceOwnClock", {"by": "P1M"}, clock="trial")
    assert report["notifications"] == [{"notice": "DID_RENEW", "count": 1}]
    assert realm.control("getOwnLeap", clock="trial") == {"isUnderWay": False}
    assert realm.control("setOwnClock", {"mode": "running"}, clock="trial")["mode"] == "running"
    assert realm.control("getClock")["mode"] == "real"
    assert "clock" not in realm.control("useClock", {}, customer="ann")
    for operation, parameters in (("getOwnClock", {"clock": "no"}), ("getOwnLeap", {"clock": "no"})):
        assert refused(realm.control, operation, **parameters) == (404, "unknown_clock")
    assert refused(realm.control, "useClock", {"clock": "no"}, customer="ann") == (404, "unknown_clock")


# Rules and endpoints --------------------------------------------------------------------------------------------------


def test_rules_are_merged(realm):
    before = realm.control("getRules")
    assert before == {"rate": "calendar", "refundRule": "followPreference", "released": True, "weather": "fair",
                      "missingPrice": "storefrontCurrency"}
    assert realm.control("setRules", {"rate": "sandbox-5-minutes"})["rate"] == "sandbox-5-minutes"
    bought = realm.buy("ann", PRO)
    assert bought.payload["expiresDate"] - bought.payload["purchaseDate"] == 300_000
    after = realm.control("setRules", {"grace": {"days": 16}, "refundRule": "byHand"})
    assert after == {"rate": "sandbox-5-minutes", "grace": {"days": 16, "coverage": "ALL_RENEWALS"},
                     "refundRule": "byHand", "released": True, "weather": "fair",
                     "missingPrice": "storefrontCurrency"} == realm.control("getRules")
    asked = realm.control("requestRefund", {}, transactionId=realm.buy("ann", COINS).id)
    assert "decisionDate" not in asked["refundRequest"] and asked["refundRequest"]["decidedBy"] == "byHand"
    assert "grace" not in realm.control("setRules", {"grace": {"days": 0}, "rate": "default"})
    assert refused(realm.control, "setRules", {"grace": {"days": 5}}) == (400, "bad_grace")
    assert refused(realm.control, "setRules", {"rate": "fast"}) == (400, "bad_request")
    assert realm.app.production.control("getRules") == before


def test_endpoints_are_set_and_removed(realm):
    assert realm.control("listEndpoints") == {"endpoints": []}
    body = {"url": "https://example.com/log", "types": ["EXPIRED/VOLUNTARY"]}
    log = realm.control("setEndpoint", body, endpoint="log")
    primary = realm.control("setEndpoint", {"url": "http://127.0.0.1:9/apple"}, endpoint="primary")
    assert realm.control("listEndpoints")["endpoints"] == [primary, log]
    assert primary == {"name": "primary", "url": "http://127.0.0.1:9/apple", "types": [], "version": 2}
    for body, name, code in (({"url": "ftp://x"}, "a", "bad_url"), ({"url": "http://"}, "a", "bad_url"),
                             ({"url": "http://x", "types": ["EXPIRED/UPGRADE"]}, "a", "bad_type"),
                             ({"url": "http://x", "types": ["FOO"]}, "a", "bad_type"),
                             ({"url": "http://x"}, "listen", "bad_endpoint"),
                             ({"url": "http://x"}, "a b", "bad_endpoint")):
        assert refused(realm.control, "setEndpoint", body, endpoint=name) == (400, code)
    realm.control("removeEndpoint", endpoint="log")
    assert realm.control("listEndpoints")["endpoints"] == [primary]
    assert refused(realm.control, "removeEndpoint", endpoint="log") == (404, "unknown_endpoint")


# Jobs -----------------------------------------------------------------------------------------------------------------


def test_a_price_rises_with_consent(realm):
    bought = realm.buy("ann", PRO)
    job = realm.control("raisePrice", {"price": 19_990, "consent": "required"}, productId=PRO)
    assert (job["kind"], job["state"], job["succeeded"]) == ("raisePrice", "done", 1)
    assert realm.buy("bob", PRO).answer["price"] == 19_990, "new customers pay it at once"
    named = {"originalTransactionId": bought.id}
    assert realm.control("getSubscription", **named)["subscription"]["priceIncrease"]["stage"] == "scheduled"
    assert refused(realm.control, "acceptPriceIncrease", {}, **named) == (409, "no_price_increase")
    while realm.control("getSubscription", **named)["subscription"]["priceIncrease"]["stage"] == "scheduled":
        realm.control("advanceClock", {"toNextEvent": True})
    assert "waits for the customer's consent" in realm.control("getSubscription", **named)["subscription"]["summary"]
    declined = realm.control("declinePriceIncrease", {}, **named)
    assert declined["notifications"] == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"]
    realm.control("resumeSubscription", {}, **named)
    accepted = realm.control("acceptPriceIncrease", {}, **named)
    assert accepted["notifications"] == ["PRICE_INCREASE/ACCEPTED"]
    assert accepted["subscription"]["priceIncrease"]["stage"] == "accepted"
    assert refused(realm.control, "raisePrice", {"price": 19_990}, productId=PRO) == (409, "not_higher")
    assert refused(realm.control, "raisePrice", {"price": 1}, productId=COINS) == (409, "wrong_type")
    found = refused(realm.control, "raisePrice", {"price": 29_990, "currency": "EUR"}, productId=PRO)
    assert found == (400, "bad_currency")


def test_everybody_is_extended_and_a_product_is_shared(realm):
    for customer in ("ann", "bob"):
        realm.buy(customer, PRO)
    request = str(uuid.uuid4())
    job = realm.control("extendAll", {"productId": PRO, "days": 3, "reasonCode": 3, "requestIdentifier": request})
    assert (job["kind"], job["succeeded"], job["failed"]) == ("extend", 2, 0)
    again = {"productId": PRO, "days": 3, "requestIdentifier": request}
    assert realm.control("extendAll", again)["jobId"] == job["jobId"]
    later = realm.control("extendAll", {"productId": PRO, "days": 1, "at": now_ms() + DAY, "storefronts": ["USA"]})
    assert later["state"] == "waiting"
    assert refused(realm.control, "extendAll", {"productId": COINS, "days": 1}) == (409, "wrong_type")
    body = {"productId": PRO, "days": 1, "storefronts": ["XXX", "USA"]}
    assert refused(realm.control, "extendAll", body) == (400, "bad_storefront")
    realm.control("createFamily", {"organizer": "ann", "members": ["carl"]})
    realm.buy("ann", SOLO)
    assert realm.control("getCustomer", customer="carl")["owned"] == []
    shared = realm.control("shareProduct", {}, productId=SOLO)
    assert (shared["kind"], shared["succeeded"]) == ("shareProduct", 1)
    assert realm.control("getCustomer", customer="carl")["owned"] == [SOLO]
    assert [entry["jobId"] for entry in realm.control("listJobs")["jobs"]][:2] == [job["jobId"], shared["jobId"]]
    assert realm.control("getJob", jobId=shared["jobId"]) == shared
    assert refused(realm.control, "getJob", jobId="no") == (404, "unknown_job")


# Notifications --------------------------------------------------------------------------------------------------------


def test_notifications_are_listed_shown_and_sent_again(realm, post):
    realm.control("setEndpoint", {"url": post.url}, endpoint="primary")
    bought = realm.buy("ann", PRO)
    realm.buy("bob", COINS)
    wait_for(lambda: len(post.bodies) == 2)
    listed = realm.control("listNotifications", query={"customer": "ann"})["notifications"]
    assert [(entry["notificationType"], entry["subtype"]) for entry in listed] == [("SUBSCRIBED", "INITIAL_BUY")]
    uuid = listed[0]["notificationUUID"]
    shown = wait_for(lambda: delivered(realm, uuid))
    (attempt,) = shown["deliveries"][0]["attempts"]
    assert (attempt["sendAttemptResult"], attempt["status"]) == ("SUCCESS", 200)
    assert shown["signedPayload"].encode() in b"".join(post.bodies), "byte for byte"
    realm.verifier.verify_and_decode_notification(shown["signedPayload"])
    assert shown["payload"]["notificationUUID"] == uuid
    assert shown["transactionInfo"]["transactionId"] == bought.id == shown["transactionId"]
    assert shown["renewalInfo"]["originalTransactionId"] == bought.id
    assert realm.control("resendNotification", {}, notificationUUID=uuid) == {"owed": 1}
    wait_for(lambda: len(post.bodies) == 3)
    assert post.bodies[2] in post.bodies[:2]
    everything = {"from": now_ms() - DAY, "to": now_ms() + DAY}
    assert realm.control("resendNotifications", everything) == {"owed": 2}
    wait_for(lambda: len(post.bodies) == 5)
    page = realm.control("listNotifications", query={"limit": 1})
    rest = realm.control("listNotifications", query={"limit": 1, "after": page["next"]})
    assert "next" not in rest and page["notifications"] != rest["notifications"]
    assert realm.control("listNotifications", query={"type": "SUBSCRIBED/RESUBSCRIBE"}) == {"notifications": []}
    assert realm.control("listNotifications", query={"failed": "true"}) == {"notifications": []}
    for query in ({"limit": 0}, {"limit": 101}, {"after": "x"}):
        assert refused(realm.control, "listNotifications", query=query) == (400, "bad_page")
    assert refused(realm.control, "listNotifications", query={"customer": "no"}) == (404, "unknown_account")
    assert refused(realm.control, "getNotification", notificationUUID="x") == (404, "unknown_notification")
    wrong = {"endpoint": "no"}
    found = refused(realm.control, "resendNotification", wrong, notificationUUID=uuid)
    assert found == (404, "unknown_endpoint")


def test_any_notification_can_be_sent_by_hand(realm, post):
    bought = realm.buy("ann", BASIC)
    assert refused(realm.control, "requestTestNotification") == (409, "no_endpoint")
    uuid = realm.control("listNotifications")["notifications"][0]["notificationUUID"]
    assert refused(realm.control, "resendNotification", {}, notificationUUID=uuid) == (409, "no_endpoint")
    realm.control("setEndpoint", {"url": post.url}, endpoint="primary")
    body = {"type": "EXPIRED", "subtype": "VOLUNTARY", "transactionId": bought.id}
    sent = realm.control("triggerNotification", body)
    assert sent["isTriggered"] is True and sent["customer"] == "ann"
    wait_for(lambda: len(post.bodies) == 1)
    assert realm.control("requestTestNotification")["testNotificationToken"]
    wait_for(lambda: len(post.bodies) == 2)
    wrong = {**body, "subtype": "UPGRADE"}
    assert refused(realm.control, "triggerNotification", wrong) == (409, "not_triggered")
    assert refused(realm.control, "triggerNotification", {**body, "transactionId": "1"}) == (404, "unknown_transaction")


def test_who_listens_stands_in_for_an_endpoint(realm):
    assert realm.control("listen", query={"wait": 0}) == {}
    realm.buy("ann", COINS)
    delivery = wait_for(lambda: realm.control("listen", query={"wait": 10}))
    assert delivery["notificationType"] == "ONE_TIME_CHARGE"
    realm.verifier.verify_and_decode_notification(delivery["body"]["signedPayload"])
    answer = {"deliveryToken": delivery["deliveryToken"]}
    realm.control("answerDelivery", {"status": 200}, **answer)
    uuid = delivery["notificationUUID"]
    shown = wait_for(lambda: delivered(realm, uuid))
    assert shown["deliveries"][0]["attempts"][0]["status"] == 200
    assert refused(realm.control, "answerDelivery", {"status": 200}, **answer) == (404, "unknown_delivery")
    assert refused(realm.control, "listen", query={"wait": 51}) == (400, "bad_wait")
