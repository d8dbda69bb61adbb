"""Makes the fixtures of version 0.1.0 in this folder. They were made once, with the binary of 0.1.0 (commit c817998):

    TILL_BIN=/path/to/till-0.1.0 PYTHONPATH=Tests/Python:Tests/Python/data \
        .venv/bin/python Tests/Fixtures/till-0.1.0/make.py

Never make them with another binary: the point of them is that 0.1.0 wrote every byte. The same life is lived on SQLite
and on PostgreSQL, in both environments of an app, on frozen clocks that are advanced over a hundred days. `README.md`
says what is in the archives; `Tests/Python/data/test_data_of_0_1_0.py` opens them.
"""

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import uuid
from pathlib import Path

from catalog_of_everything import (
    BASIC, BASIC_YEAR, CATALOG, COINS, EXTRA, FOREVER, ONE, PRO, SEASON, SOLO, TICKETS,
)
from fixture_server import FixtureServer
from listening_post import ListeningPost
from postgres_server import PostgresServer
from process_helpers import path_part, run_till
from recorded_answers import Asker, Recorder, decoded
from shop_helpers import NO_OFFER

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SHOP, LIVE, XCODE, FAST = "com.example.shop", "com.example.live", "com.example.xcode", "com.example.fast"
PREFIX = "com.example.shop"
PLAIN, RISING, STEEP, LEAVING, COMMITTED = (
    f"{PREFIX}.{name}" for name in ("plain.month", "rising.month", "steep.month", "leaving.month", "committed.year")
)
DAY = 86_400_000
# 2027-01-05 09:30:15.250 UTC, ahead of the day on which the fixtures were made: a clock never goes back.
START = 1_799_141_415_250
ZOE = "Zoë Łukasiewicz 🌱"
# A refused port of this machine: nothing is sent anywhere when the fixture is opened.
NOWHERE = "http://127.0.0.1:9"
# What the sandbox does differently from production concerns these.
SANDBOX_CAST = {"ann", "bob", "cat", "eve", "gil", "hal", "ida", "jon", "max", "nia", "oli", "pam"}
OLD_TYPES = ["CANCEL", "DID_FAIL_TO_RENEW", "INTERACTIVE_RENEWAL"]
DEVICE = "0b0e7a52-8b2b-4a6c-9d5e-2f6a3c1d4e5f"


def uuid_of(text) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, text))


def catalog() -> dict:
    """The catalogue of everything, and products whose price rises, that leave the sale, or that bind for a year."""
    def month(product_id, group, level, price):
        return {"productId": product_id, "type": "AUTO_RENEWABLE", "referenceName": product_id, "price": price,
                "currency": "USD", "subscription": {"groupId": group, "level": level, "period": "P1M"}}

    committed = {
        "productId": COMMITTED, "type": "AUTO_RENEWABLE", "price": "59.99", "currency": "USD",
        "subscription": {"groupId": "20450894", "level": 1, "period": "P1Y", "billingPlans": [
            {"kind": "BILLED_UPFRONT", "price": "59.99", "currency": "USD", "enabled": True},
            {"kind": "MONTHLY", "price": "5.99", "currency": "USD", "enabled": True},
        ]},
    }
    groups = [{"groupId": f"2045089{number}", "name": f"More {number}", "localizations": []} for number in range(1, 5)]
    return {
        "groups": CATALOG["groups"] + groups,
        "products": CATALOG["products"] + [
            month(PLAIN, ONE, 2, "4.49"), month(RISING, "20450891", 1, "2.99"), month(STEEP, "20450892", 1, "3.99"),
            month(LEAVING, "20450893", 1, "1.99"), committed,
        ],
        "settings": {"storefront": "USA", "locale": "en_US", "timeRate": 0, "billingGracePeriodEnabled": True,
                     "renewalBillingIssuesEnabled": False, "askToBuyEnabled": False},
    }


class Environment:
    """One environment of an app: customers act, time passes."""

    def __init__(self, world, app, name, cast=None):
        self.world, self.app, self.name = world, app, name
        self.base = f"/v1/apps/{app}/{name}"
        self.originals = {}
        # Only these customers live here; None is all. What the others would do is left out.
        self.cast = cast

    def has(self, name):
        return self.cast is None or name in self.cast

    def call(self, method, path, body=None):
        return self.world.call(method, self.base + path, body)

    def post(self, path, body=None):
        return self.call("POST", path, body if body is not None else {})

    def person(self, name, verb, **options):
        return self.post(f"/customers/{path_part(name)}/{verb}", options)

    def create(self, name, **options):
        return self.post("/customers", {"customer": name, **options})

    def buy(self, name, product, **options):
        if not self.has(name):
            return {}
        bought = self.person(name, "purchases", productId=product, **options)
        if "originalTransactionId" in bought:
            self.originals[name, product] = bought["originalTransactionId"]
        return bought

    def subscribe(self, name, product, **options):
        return self.buy(name, product, **{"offer": NO_OFFER, **options})

    def act(self, name, product, verb, **options):
        if not self.has(name):
            return {}
        return self.post(f"/subscriptions/{self.originals[name, product]}/{verb}", options)

    def latest(self, name, product):
        return self.call("GET", f"/subscriptions/{self.originals[name, product]}")["transactionId"]

    def transaction(self, id_, verb, **options):
        return self.post(f"/transactions/{id_}/{verb}", options)

    def card(self, name, card):
        if self.has(name):
            self.person(name, "card", card=card)

    def refund(self, name, product, verb="refund", **options):
        """Does something about a refund of the latest transaction of a product."""
        if self.has(name):
            self.transaction(self.latest(name, product), verb, **options)

    def advance_to(self, days):
        report = self.post("/clock/advance", {"to": START + int(days * DAY), "settle": True})
        assert report["setAside"] == [], report


class World:
    """A server with everything in it that 0.1.0 could keep."""

    def __init__(self, work, *arguments):
        self.work = Path(work)
        self.work.mkdir(parents=True)
        self.post_office = ListeningPost()
        self.server = FixtureServer(self.work, *arguments)
        self.asker = Asker(self.server.addresses, {}, self.server.admin_token)
        self.saved_receipts = []
        self.signed = []
        self.keys = {}

    def call(self, method, path, body=None):
        answer = self.asker.send(method, "control", path, body)
        assert answer.ok, f"{method} {path} {body}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def apple(self, method, environment, path, body=None, app=SHOP):
        return self.asker.send(method, environment, path, body, app)

    def set_up(self):
        team = self.call("POST", "/v1/teams", {"name": "The team"})["issuerId"]
        other = self.call("POST", "/v1/teams", {"name": "Another team"})["issuerId"]
        apps = [(SHOP, 1_234_567_890, team), (LIVE, 1_234_567_891, team), (FAST, 1_234_567_892, team),
                (XCODE, 1_234_567_893, other)]
        for app, number, issuer in apps:
            self.call("POST", "/v1/apps", {"bundleId": app, "appAppleId": number, "issuerId": issuer, "name": app})
            self.keys[app] = self.call("POST", "/v1/keys", {"name": app, "issuerId": issuer})
        revoked = self.call("POST", "/v1/keys", {"name": "revoked", "issuerId": team})["keyId"]
        self.call("POST", f"/v1/keys/{revoked}/revoke")
        self.asker.keys = self.keys
        for app in (SHOP, LIVE, FAST):
            self.call("PUT", f"/v1/apps/{app}/catalog", catalog())
        storekit = json.loads((ROOT / "Tests/Fixtures/storekit/v5.0.storekit").read_text())
        self.call("PUT", f"/v1/apps/{XCODE}/catalog/storekit", storekit)
        self.call("PUT", f"/v1/teams/{team}/shared-secret", {"sharedSecret": "0123456789abcdef0123456789abcdef"})
        self.secret = "fedcba9876543210fedcba9876543210"
        self.call("PUT", f"/v1/apps/{SHOP}/shared-secret", {"sharedSecret": self.secret})
        self.token = self.call("POST", "/v1/tokens", {"name": "recorder"})["token"]
        revoked = self.call("POST", "/v1/tokens", {"name": "revoked"})
        self.call("DELETE", f"/v1/tokens/{revoked['name']}")
        self.call("POST", "/v1/faults", {"kind": "delay", "bundleId": XCODE, "milliseconds": 1, "percent": 50,
                                         "environment": "sandbox", "seed": 7})
        self.sandbox = Environment(self, SHOP, "sandbox", SANDBOX_CAST)
        self.production = Environment(self, SHOP, "production")
        self.both = [self.sandbox, self.production]
        self.sandbox.call("PUT", "/rules", {"grace": {"days": 28, "coverage": "PAID_TO_PAID_ONLY"},
                                            "refundRule": "followPreference"})
        self.production.call("PUT", "/rules", {"grace": {"days": 16}, "refundRule": "byHand"})
        self.call("PUT", f"/v1/apps/{XCODE}/sandbox/rules", {"weather": "sparse", "released": False})
        self.call("PUT", f"/v1/apps/{FAST}/sandbox/rules", {"rate": "sandbox-5-minutes"})
        for environment in self.both:
            environment.call("PUT", "/clock", {"mode": "frozen", "at": START})
            environment.call("PUT", "/endpoints/primary", {"url": self.post_office.url + "/apple"})
            environment.call("PUT", "/endpoints/log", {"url": self.post_office.url + "/log",
                                                       "types": ["EXPIRED/VOLUNTARY", "REFUND"]})
        self.production.call("PUT", "/endpoints/old", {"url": self.post_office.url + "/old", "version": 1,
                                                          "types": OLD_TYPES})

    # The life in days -------------------------------------------------------------------------------------------------

    def live(self):
        for environment in self.both:
            self._first_day(environment)
        self._fast()
        self._live_clocks()
        self._refused_requests()
        self._advance(5)
        for environment, price in zip(self.both, (5_990, 6_990)):
            environment.act("nia", BASIC, "cancel")
            environment.post(f"/products/{RISING}/price", {"price": price, "consent": "required"})
        self._advance(10)
        for environment in self.both:
            environment.card("bea", "declinedForRenewals")
            environment.act("ron", BASIC, "change", productId=PRO)
            environment.refund("kim", PRO, reason=1)
        self._advance(33)
        for environment in self.both:
            environment.act("dex", RISING, "price-increase/accept")
            environment.act("doc", RISING, "price-increase/decline")
            environment.refund("kim", PRO, "refund/reverse")
            environment.act("ron", BASIC, "change", productId=BASIC)
        self.sandbox.buy("pam", BASIC, offer={"kind": "CODE", "id": "STAYING"})
        self.call("POST", f"/v1/apps/{SHOP}/products/{LEAVING}/sale", {"forSale": False})
        self._sign_some("of the first chain")
        self.call("POST", "/v1/ca/rotate")
        self._advance(45)
        for environment in self.both:
            environment.card("bob", "declinedForRenewals")
            environment.call("DELETE", "/customers/ida/family")
            environment.act("sue", PRO, "extend", days=9, reasonCode=2, requestIdentifier=uuid_of("sue"))
            environment.post("/extensions", {
                "productId": BASIC, "days": 3, "reasonCode": 1, "requestIdentifier": uuid_of("everybody")})
            environment.post(f"/products/{SOLO}/sharing")
        self.call("PUT", "/v1/snapshots/midway", {})
        self.call("PUT", "/v1/snapshots/of-one-app", {"bundleId": SHOP})
        self.midway = self.record_midway()
        self._advance(70)
        for environment in self.both:
            for name in ("quy", "quin", "quo"):
                environment.subscribe(name, BASIC)
            environment.subscribe("quay", PRO)
        # From here on the receiver refuses notifications; later there is no receiver.
        self.post_office.answer = 500
        self._advance(80)
        for environment in self.both:
            environment.card("cat", "declinedForRenewals")
            environment.refund("jon", PRO, share="UNUSED")
            environment.transaction(self.season[environment], "refund",
                                    share="PART", percentage=30_000)
            environment.call("PUT", "/endpoints/primary", {"url": NOWHERE + "/apple"})
            environment.call("PUT", "/endpoints/log", {"url": NOWHERE + "/log", "types": ["EXPIRED/VOLUNTARY", "REFUND"]})
        self.production.call("PUT", "/endpoints/old", {
            "url": NOWHERE + "/old", "version": 1, "types": OLD_TYPES})
        self._advance(91)
        for environment, price in zip(self.both, (9_990, 10_990)):
            environment.post(f"/products/{STEEP}/price", {"price": price, "consent": "required"})
        self.sandbox.buy("nia", BASIC, offer={"kind": "WIN_BACK", "id": "return"})
        self._advance(94)
        for environment in self.both:
            environment.subscribe("vic", EXTRA)
        # 2027-04-15 16:00 UTC: in production what ends tomorrow morning is charged already.
        self._advance(100 + 6.5 / 24)
        for environment in self.both:
            self._last_day(environment)
        self.post_office.close()

    def _advance(self, days):
        for environment in self.both:
            environment.advance_to(days)

    def _first_day(self, e):
        e.create("ann", platform="macOS", applicationVersion="3.2")
        e.create("idle", storefront="JPN")
        e.create("gone")
        e.buy("gone", COINS)
        e.buy("ann", BASIC, appAccountToken=uuid_of("ann"))
        for name in ("bob", "cat", "bea", "jon", "kim", "sue"):
            e.subscribe(name, PRO)
        for name in ("nia", "ron", "pam"):
            e.subscribe(name, BASIC)
        e.subscribe("dan", STEEP)
        for name in ("dee", "dex", "doc"):
            e.subscribe(name, RISING)
        e.subscribe("lou", LEAVING)
        e.subscribe("yew", BASIC_YEAR)
        e.subscribe("eve", COMMITTED, billingPlan="MONTHLY")
        e.subscribe("fred", COMMITTED, billingPlan="MONTHLY")
        e.act("fred", COMMITTED, "cancel")
        e.post("/families", {"organizer": "gil", "members": ["hal", "ida", "ivo"], "name": "home"})
        e.subscribe("gil", PRO)
        e.buy("gil", FOREVER)
        e.buy("hal", SOLO)
        e.buy("pam", TICKETS, offer={"kind": "CODE", "id": "GIFT"}, quantity=2)
        self._promotional(e)
        if e.has(ZOE):
            first = e.buy(ZOE, COINS, quantity=3, appAccountToken=uuid_of("zoe"), storefront="DEU", finished=True)
            e.buy(ZOE, SOLO, orderId=first["orderId"])
        season = e.buy("oli", SEASON)
        self.season = getattr(self, "season", {})
        self.season[e] = season["transactionId"]
        # More than a page of history.
        for number in range(23 if e.cast is None else 3):
            bought = e.buy("oli", COINS, quantity=1 + number % 3, finished=number % 2 == 0)["transactionId"]
        e.transaction(bought, "finish")
        e.buy("oli", FOREVER, price=7_770, currency="EUR", storefront="DEU")
        e.create("lea")
        e.person("lea", "ask-to-buy", asksToBuy=True)
        e.person("lea", "purchases", productId=COINS)
        e.person("lea", "purchases", productId=PRO)
        e.person("lew", "purchases", productId=TICKETS, interrupted=True)
        held = e.call("GET", "/customers/lea/held-purchases")["heldPurchases"]
        e.post(f"/customers/lea/held-purchases/{held[0]['number']}/approve")
        e.person("lea", "purchases", productId=FOREVER)
        declined = e.person("lew", "purchases", productId=COINS, interrupted=True)
        e.post(f"/customers/lew/held-purchases/{declined['held']}/decline")
        for name, at in (("slow", START - 40 * DAY), ("ahead", START + 150 * DAY)):
            e.post("/clocks", {"name": name, "mode": "frozen", "at": at})
            if not e.has(f"on {name}"):
                continue
            e.create(f"on {name}", at=at)
            e.call("PUT", f"/customers/{path_part('on ' + name)}/clock", {"clock": name})
            e.subscribe(f"on {name}", PRO)
        e.post("/clocks/slow/advance", {"by": "P33D", "settle": True})
        e.person("gone", "erase", removeSnapshots=True)

    def _promotional(self, e):
        """A promotional offer, granted with the newer form of the signature."""
        from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator

        key = self.keys[SHOP]
        signer = PromotionalOfferV2SignatureCreator(
            key["privateKey"].encode(), key["keyId"], key["issuerId"], SHOP)
        if not e.has("pia"):
            return
        e.subscribe("pia", BASIC)
        token = signer.create_signature(BASIC, "stay3", e.originals["pia", BASIC])
        e.buy("pia", BASIC, offer={"kind": "PROMOTIONAL", "id": "stay3", "token": token})

    def _fast(self):
        e = Environment(self, FAST, "sandbox")
        e.call("PUT", "/clock", {"mode": "frozen", "at": START})
        e.subscribe("fay", PRO)
        e.post("/clock/advance", {"by": "PT17M"})

    def _live_clocks(self):
        """Customers on a clock that runs and on the real one, who have nothing that falls due."""
        running, real = Environment(self, LIVE, "sandbox"), Environment(self, LIVE, "production")
        running.call("PUT", "/clock", {"mode": "running", "speed": 2})
        for e in (running, real):
            e.buy("ron", COINS, finished=True)
            e.buy("ron", FOREVER)
            e.buy("rob", SEASON)

    def _refused_requests(self):
        """What the journal of refused requests keeps."""
        self.apple("GET", "sandbox", "/inApps/v1/transactions/12345")
        self.apple("GET", "production", "/inApps/v1/subscriptions/abc")
        self.apple("GET", "production", "/inApps/v2/history/999", app=None)
        self.asker.send("POST", "sandbox", "/verifyReceipt", {"receipt-data": "nothing"})

    def _sign_some(self, words):
        """Data as devices and backends hold it: it must be verifiable for ever."""
        for e in self.both:
            bought = e.call("GET", f"/transactions/{e.originals['ann', BASIC]}?deviceId={DEVICE}")
            self.signed.append({
                "environment": e.name, "what": f"{words}, a transaction", "jws": bought["signedTransactionInfo"]})
            self.signed.append({
                "environment": e.name, "what": f"{words}, of a device",
                "jws": bought["device"]["signedTransactionInfo"]})

    def _last_day(self, e):
        e.act("quin", BASIC, "cancel")
        if e.has("quo"):
            e.transaction(e.originals["quo", BASIC], "refund")
        e.act("quay", PRO, "change", productId=BASIC)
        coins = [row["transactionId"] for row in e.call("GET", "/customers/oli/transactions?limit=100")["transactions"]
                 if row["productId"] == COINS]
        e.buy("max", COINS)
        e.subscribe("max", EXTRA)
        e.transaction(e.originals["max", COINS], "refund/request", reason="UNSATISFIED_WITH_PURCHASE")
        e.transaction(e.originals["max", EXTRA], "refund/request", reason="OTHER")
        body = {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": False,
                "consumptionPercentage": 25_000, "refundPreference": "GRANT_PRORATED"}
        answer = self.apple("PUT", e.name, f"/inApps/v2/transactions/consumption/{e.originals['max', COINS]}", body)
        assert answer.status_code == 202, answer.text
        e.transaction(coins[0], "refund/request", reason="UNINTENDED_PURCHASE")
        e.transaction(coins[0], "refund/decline")
        e.transaction(coins[1], "refund")
        moved = self.apple("PUT", e.name, f"/inApps/v1/transactions/{e.originals['eve', COMMITTED]}/appAccountToken",
                           {"appAccountToken": uuid_of("eve")})
        assert moved.status_code == 200, moved.text
        e.post("/notifications", {"type": "EXPIRED", "subtype": "VOLUNTARY",
                                  "transactionId": e.originals["ann", BASIC]})
        self.tests = getattr(self, "tests", {})
        self.tests[e.name] = e.post("/notifications/test")["testNotificationToken"]
        e.post("/clock/advance", {"by": "PT10M", "settle": True})
        self._sign_some("of the second chain")

    # Records ----------------------------------------------------------------------------------------------------------

    def recorder(self):
        return Recorder(Asker(self.server.addresses, self.keys, self.token))

    def record_midway(self):
        """What the snapshots hold; restored, it is answered again."""
        r = self.recorder()
        for e in self.both:
            r.get(f"{e.base}/customers?limit=100")
            r.get(f"{e.base}/clock")
            r.get(f"{e.base}/jobs")
            r.get(f"{e.base}/coming?limit=100")
            r.get(f"{e.base}/notifications?limit=100")
            for name, product in (("bob", PRO), ("gil", PRO), ("jon", PRO), ("pam", BASIC), ("eve", COMMITTED)):
                r.ask("GET", e.name, f"/inApps/v1/subscriptions/{e.originals[name, product]}", app=SHOP)
                r.ask("GET", e.name, f"/inApps/v2/history/{e.originals[name, product]}", app=SHOP)
        return r.entries

    def save_receipts(self):
        for e in self.both:
            for name in ("ann", "gil", "hal", "oli", "nia", "idle"):
                receipt = e.call("GET", f"/customers/{name}/receipt?deviceId={DEVICE}")["receipt"]
                self.saved_receipts.append((e.name, receipt))
            for name, product in (("ann", BASIC), ("nia", BASIC), ("bob", PRO)):
                receipt = e.call("GET", f"/transactions/{e.latest(name, product)}/receipt?deviceId={DEVICE}")["receipt"]
                self.saved_receipts.append((e.name, receipt))

    def record(self):
        """The answers of every route that reads."""
        r = self.recorder()
        self._record_server(r)
        for app in (SHOP, LIVE, XCODE, FAST):
            self._record_app(r, app)
        for e in self.both:
            self._record_environment(r, e)
            self._record_apple(r, e)
        self._record_receipts(r)
        for name in ("sandbox", "production"):
            e = Environment(self, LIVE, name)
            self._record_live(r, e)
        e = Environment(self, FAST, "sandbox")
        r.get(f"{e.base}/customers/fay")
        r.get(f"{e.base}/coming")
        # The requests above that were refused are in the journal, too. It is asked first when it is asked again.
        journal = self.recorder()
        self._record_journal(journal)
        entries = journal.entries + r.entries
        self._require_complete(entries)
        return entries

    def _require_complete(self, entries):
        """Every operation of control that reads is recorded, or named here with the reason why not."""
        exempt = {
            "listen": "waits for a delivery to forward", "getTLS": "TLS is on only when the fixture is opened",
            "listAttacks": "is made up at the request, of no stored data", "listReceiptAttacks": "the same",
        }
        document = self.asker.send("GET", "control", "/openapi.json").json()
        missing = set()
        for path, methods in document["paths"].items():
            pattern = re.compile(re.sub(r"{\w+}", "[^/]+", path))
            asked = any(e["face"] == "control" and pattern.fullmatch(e["path"].split("?")[0]) for e in entries)
            if path.startswith("/v1/") and "get" in methods and not asked:
                missing.add(methods["get"]["operationId"])
        assert missing <= set(exempt), f"not recorded: {missing - set(exempt)}"

    def _record_journal(self, r):
        # It is written behind the requests.
        time.sleep(2)
        listed = r.get("/v1/journal?limit=100", needs="journal")
        for entry in listed["entries"]:
            r.get(f"/v1/journal/{entry['requestId']}", needs="journal")

    def _record_server(self, r):
        ports = ("version", "production", "sandbox", "control", "tls", "proxy", "dataDirectory", "ports",
                 "rootCertificate")
        r.get("/v1/status", drop=ports, needs="keys")
        r.get("/v1/ca", needs="keys")
        r.get("/v1/ca/receipts", needs="keys")
        r.get("/v1/ca/ocsp", needs="keys")
        r.get("/v1/tokens", needs="tokens")
        r.get("/v1/snapshots", needs="snapshots")
        r.get("/v1/teams")
        r.get("/v1/apps")
        r.get("/v1/keys")
        r.get("/v1/faults", drop=("seen", "struck"))
        r.get("/v1/state", needs="journal")
        r.get(f"/v1/state?bundleId={SHOP}")

    def _record_app(self, r, app):
        r.get(f"/v1/apps/{app}")
        r.get(f"/v1/apps/{app}/catalog")
        r.get(f"/v1/apps/{app}/shared-secret")
        for name in ("sandbox", "production"):
            base = f"/v1/apps/{app}/{name}"
            moving = ("now",) if app in (LIVE, XCODE) or (app, name) == (FAST, "production") else ()
            for path in ("rules", "endpoints", "jobs"):
                r.get(f"{base}/{path}")
            for path in ("clock", "clock/leap", "clocks"):
                r.get(f"{base}/{path}", drop=moving)

    def _record_environment(self, r, e):
        base = e.base
        listed = r.get(f"{base}/customers?limit=7")
        while "next" in listed:
            listed = r.get(f"{base}/customers?limit=7&after={listed['next']}")
        r.get(f"{base}/coming?limit=100")
        r.get(f"{base}/refund-requests")
        for job in e.call("GET", "/jobs")["jobs"]:
            r.get(f"{base}/jobs/{job['jobId']}")
        for clock in ("slow", "ahead"):
            r.get(f"{base}/clocks/{clock}")
            r.get(f"{base}/clocks/{clock}/leap")
            r.get(f"{base}/coming?clock={clock}")
        for name in self._customers(e):
            person = f"{base}/customers/{path_part(name)}"
            answer = r.get(person)
            r.get(f"{person}/transactions?limit=100")
            r.get(f"{person}/subscriptions")
            if "family" in answer:
                r.get(f"{person}/family")
            for path in ("held-purchases", "refund-requests"):
                if name in ("lea", "lew", "max", "ann"):
                    r.get(f"{person}/{path}")
        for (name, product), original in e.originals.items():
            if "month" in product or "week" in product or "year" in product:
                r.get(f"{base}/subscriptions/{original}", drop=("deviceId",))
        r.get(f"{base}/transactions/{e.originals['gil', FOREVER]}?deviceId={DEVICE}")
        r.get(f"{base}/transactions/{e.latest('jon', PRO)}?deviceId={DEVICE}")
        self._record_notifications(r, e)

    def _customers(self, e):
        found, after = [], ""
        while True:
            page = e.call("GET", f"/customers?limit=100{after}")
            found += [customer["customer"] for customer in page["customers"]]
            if "next" not in page:
                return [name for name in found if name != "gone"]
            after = f"&after={page['next']}"

    def _record_notifications(self, r, e):
        path = f"{e.base}/notifications?limit=100"
        listed = r.get(path)
        found = list(listed["notifications"])
        while "next" in listed:
            listed = r.get(f"{path}&after={listed['next']}")
            found += listed["notifications"]
        r.get(f"{path}&failed=true")
        r.get(f"{path}&type=DID_RENEW&customer=ann")
        seen = set()
        for notice in found:
            kind = (notice["notificationType"], notice.get("subtype"), notice["version"])
            if kind not in seen:
                seen.add(kind)
                r.get(f"{e.base}/notifications/{notice['notificationUUID']}")

    def _record_apple(self, r, e):
        def get(path, **options):
            return r.ask("GET", e.name, path, app=SHOP, **options)

        def pages(path):
            page = get(path)
            while page.get("hasMore"):
                page = get(f"{path}{'&' if '?' in path else '?'}revision={page['revision']}")
            get(f"{path}{'&' if '?' in path else '?'}revision={page['revision']}")

        for name in self._customers(e):
            rows = e.call("GET", f"/customers/{path_part(name)}/transactions?limit=100")["transactions"]
            if not rows:
                continue
            latest = rows[0]["transactionId"]
            pages(f"/inApps/v2/history/{latest}")
            get(f"/inApps/v1/subscriptions/{latest}")
            get(f"/inApps/v1/transactions/{latest}")
        oli, gil, jon = e.originals["oli", FOREVER], e.originals["gil", FOREVER], e.originals["jon", PRO]
        for filters in ("sort=DESCENDING", "productType=CONSUMABLE&sort=DESCENDING", "revoked=true",
                        f"startDate={START}&endDate={START + DAY}", f"productId={FOREVER}"):
            pages(f"/inApps/v2/history/{oli}?{filters}")
        pages(f"/inApps/v2/history/{e.originals['hal', SOLO]}?inAppOwnershipType=FAMILY_SHARED")
        for id_ in (oli, gil, jon):
            pages(f"/inApps/v1/history/{id_}")
            pages(f"/inApps/v2/refund/lookup/{id_}")
            get(f"/inApps/v1/refund/lookup/{id_}")
        for status in range(1, 6):
            get(f"/inApps/v1/subscriptions/{e.originals['gil', PRO]}?status={status}")
        for name in filter(e.has, ("ann", "oli", ZOE, "hal", "nia")):
            person = e.call("GET", f"/customers/{path_part(name)}")
            get(f"/inApps/v1/transactions/appTransactions/{person['appTransactionId']}")
            rows = e.call("GET", f"/customers/{path_part(name)}/transactions?limit=100")["transactions"]
            for order in sorted({row["orderId"] for row in rows if "orderId" in row})[:4]:
                get(f"/inApps/v1/lookup/{order}")
        get(f"/inApps/v1/notifications/test/{self.tests[e.name]}")
        # 0.1.0 finds it by a number that depends on the store; where the state was imported it answers 404.
        get(f"/inApps/v1/subscriptions/extend/mass/{BASIC}/{uuid_of('everybody')}", needs="keys")
        now = e.call("GET", "/clock")["now"]
        window = {"startDate": now - (179 if e.name == "production" else 29) * DAY, "endDate": now - 1}
        for body in (window, {**window, "onlyFailures": True}, {**window, "notificationType": "DID_RENEW"},
                     {**window, "transactionId": e.originals["cat", PRO]}):
            path = "/inApps/v1/notifications/history"
            page = r.ask("POST", e.name, path, body, app=SHOP)
            while page["hasMore"]:
                page = r.ask("POST", e.name, f"{path}?paginationToken={page['paginationToken']}", body, app=SHOP)

    def _record_receipts(self, r):
        for e in self.both:
            for name in filter(e.has, ("ann", "bob", "cat", "hal", "ida", "jon", "kim", "nia", "oli", "quy", "ron")):
                r.get(f"{e.base}/customers/{name}/receipt?deviceId={DEVICE}",
                      verify={"face": e.name, "password": self.secret})
            for name, product in (("ann", BASIC), ("nia", BASIC), ("bob", PRO)):
                r.get(f"{e.base}/transactions/{e.latest(name, product)}/receipt?deviceId={DEVICE}",
                      verify={"face": e.name, "password": self.secret})
        for environment, receipt in self.saved_receipts:
            body = {"receipt-data": receipt, "password": self.secret}
            r.ask("POST", environment, "/verifyReceipt", body, needs="keys")
        environment, receipt = self.saved_receipts[0]
        body = {"receipt-data": receipt, "password": self.secret}
        r.ask("POST", environment, "/verifyReceipt", {**body, "exclude-old-transactions": True}, needs="keys")
        r.ask("POST", environment, "/verifyReceipt", {**body, "password": "wrong"}, needs="keys")
        r.ask("POST", "production", "/verifyReceipt", body, needs="keys")

    def _record_live(self, r, e):
        moving = ("now", "signedDate", "receiptCreationDate")
        r.get(f"{e.base}/customers")
        r.get(f"{e.base}/coming")
        for name in ("ron", "rob"):
            rows = r.get(f"{e.base}/customers/{name}/transactions", drop=moving)["transactions"]
            r.ask("GET", e.name, f"/inApps/v2/history/{rows[0]['transactionId']}", app=LIVE, drop=moving)


def facts_of(world) -> dict:
    return {
        "keys": world.keys, "controlToken": world.token, "secret": world.secret, "signed": world.signed,
        "start": START, "bundleId": SHOP,
    }


def pack(folder, archive, names):
    """One archive, the same bytes for the same files: no owner's name, no times."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = 0
        return info

    with tarfile.open(archive, "w:xz", preset=9 | lzma.PRESET_EXTREME) as tar:
        for name in names:
            tar.add(Path(folder) / name, name, filter=plain)


def tidy(data):
    """Leaves out what a start writes anew: addresses, the lock, what this machine trusts."""
    for name in ("ports.json", "till.lock", "tls/bundle.pem"):
        (data / name).unlink(missing_ok=True)
    for folder in (data, data.parent / "backup"):
        log = folder / "till.sqlite-wal"
        if log.exists():
            assert log.stat().st_size == 0, "the server ended in order"
            log.unlink()
            (folder / "till.sqlite-shm").unlink()


def dump(database) -> str:
    """The database as SQL. Lines that only some versions of psql and of the server know are left out."""
    text = subprocess.run(
        [database.programs / "pg_dump", "-h", database.folder, "-U", "till", "--no-owner", "--no-privileges", "till"],
        check=True, capture_output=True, text=True, timeout=120,
    ).stdout
    lines = [line for line in text.splitlines() if not re.match(r"\\(un)?restrict |SET transaction_timeout", line)]
    return "\n".join(lines) + "\n"


def make(work, name, *arguments):
    """Lives a life and writes down everything but the database."""
    folder = work / name
    world = World(folder, *arguments)
    try:
        return write(world, folder, arguments)
    finally:
        world.server.kill()


def write(world, folder, arguments):
    world.set_up()
    world.live()
    world.save_receipts()
    # What is recorded is what a server says that was started on the data.
    assert world.server.stop() == 0
    world.server = FixtureServer(folder, *arguments, data=world.server.data)
    world.asker.addresses = world.server.addresses
    records = {"answers": world.record(), "midway": world.midway, "facts": facts_of(world)}
    address = ["--control", world.server.addresses["control"]]
    token = {"TILL_CONTROL_TOKEN": world.token}
    commands = [] if arguments else [["export-state", folder / "shop.state"], ["backup", folder / "backup"]]
    for command in commands:
        done = run_till(*command, *address, **token)
        assert done.returncode == 0, done.stdout + done.stderr
    assert world.server.stop() == 0
    if not arguments:
        # A backup holds the whole TLS folder, and with it what this machine trusts; so TLS comes after it.
        secure = FixtureServer(folder, "--tls-port", "0", data=world.server.data)
        assert secure.stop() == 0
    tidy(world.server.data)
    for part, value in records.items():
        (folder / f"{part}.json").write_text(json.dumps(value, indent=0, sort_keys=True, ensure_ascii=False))
    return folder


def main():
    version = run_till("--version").stdout.strip()
    assert version == "0.1.0", f"this is {version}; the fixtures are made with 0.1.0 alone"
    # A path without anybody's name, because a data directory may hold it.
    work = Path(tempfile.mkdtemp(prefix="till-0.1.0-", dir="/tmp"))
    try:
        records = ["answers.json", "midway.json", "facts.json"]
        folder = make(work, "sqlite")
        pack(folder, HERE / "sqlite.tar.xz", ["data", "backup", "shop.state", *records])
        database = PostgresServer()
        try:
            folder = make(work, "postgresql", "--database", database.url)
            (folder / "dump.sql").write_text(dump(database))
        finally:
            database.stop()
        pack(folder, HERE / "postgresql.tar.xz", ["data", "dump.sql", *records])
    finally:
        if "TILL_KEEP" not in os.environ:
            shutil.rmtree(work, ignore_errors=True)
    for archive in sorted(HERE.glob("*.xz")):
        print(archive.name, archive.stat().st_size)


if __name__ == "__main__":
    sys.exit(main())
