"""Each way to a 401 and to a 404 that the documentation lists: the answer on the wire, and what Till says of it.

The tables of docs/api/authentication.md and docs/operating/explain.md are read here, so that neither they nor the
server can change alone.
"""

import base64
import json
import re
import time
import uuid

import jwt
import pytest
from appstoreserverlibrary.api_client import APIException
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from catalog_of_everything import BASIC, CATALOG, COINS, PRO
from listening_post import ListeningPost
from process_helpers import ROOT, AppleKey, b64url
from shop_helpers import V2, App, Till
from told import advance, control_of, freeze, listen

INFO = "/inApps/v1/transactions"
HISTORY = "/inApps/v2/history"
TEST = "/inApps/v1/notifications/test"


def rows(page, heading, columns):
    """The rows of a section's table, by their numbers."""
    section = (ROOT / "docs" / page).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()]
    return {int(cells[0]): cells for cells in found if len(cells) == columns and cells[0].isdigit()}


WAYS_401 = rows("api/authentication.md", "Every reason for a refusal, in the order of the checks", 3)
WAYS_404 = rows("operating/explain.md", "Every 404", 4)


def assert_begins(explanation, documented):
    """The explanation begins as the page says; … stands for what differs."""
    pattern = ".+?".join(map(re.escape, documented.split("…")))
    assert re.match(pattern, explanation, re.DOTALL), f"{explanation!r} does not begin with {documented!r}"


# 401 ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def desk(server, control):
    """An app of a team of its own."""
    team = control.call("createTeam", {"name": "Of refusals"})["issuerId"]
    return App(server, control, "com.example.refusals", 2_700_000_000, team, CATALOG)


@pytest.fixture(scope="module")
def known(desk):
    return {name: desk.environment(name).buy("tokens", COINS).id for name in ("sandbox", "production")}


@pytest.fixture(scope="module")
def signer(desk):
    return AppleKey(desk.key, desk.bundle_id)


def bearer(make):
    """The header of the token that is made."""
    return lambda desk, signer: {"Authorization": f"Bearer {make(desk, signer)}"}


def resigned(header=None, **claims):
    """A rightly signed token, with changes of its header and its claims; None takes one away."""
    def make(desk, signer):
        changed = {name: value for name, value in {**signer.header(), **(header or {})}.items() if value is not None}
        claimed = {name: value for name, value in {**desk.claims(), **claims}.items() if value is not None}
        return signer.raw_token(changed, claimed)

    return bearer(make)


def another_algorithm(desk, signer):
    key = rsa.generate_private_key(65537, 2048)
    return jwt.encode(desk.claims(), key, algorithm="RS256", headers={"kid": desk.key["keyId"]})


def signature_of(text):
    return lambda desk, signer: ".".join([*desk.token().split(".")[:2], b64url(text)])


def revoked(desk, signer):
    key = desk.control.call("createKey", {"name": "revoked", "issuerId": desk.issuer_id})
    desk.control.call("revokeKey", keyId=key["keyId"])
    return desk.token(key=key)


def offers_key(desk, signer):
    private = ec.generate_private_key(ec.SECP256R1())
    number = uuid.uuid4().hex[:8].upper()
    der = private.private_bytes(form.Encoding.DER, form.PrivateFormat.PKCS8, form.NoEncryption())
    app = desk.control.call("createApp", {"bundleId": f"com.example.offers{number}", "issuerId": desk.issuer_id})
    desk.control.call("importStoreKitFile", {
        "products": [], "subscriptionGroups": [], "settings": {}, "version": {"major": 4, "minor": 0},
        "subscriptionOffersKeyPair": {"id": number, "privateKey": base64.b64encode(der).decode()},
    }, bundleId=app["bundleId"])
    return jwt.encode(desk.claims(), private, algorithm="ES256", headers={"kid": number})


def ago(seconds):
    return int(time.time()) - seconds


# By the numbers of the table: what makes the header of a request.
TOKENS = {
    1: lambda desk, signer: {},
    2: lambda desk, signer: {"Authorization": "Basic dXNlcjpwYXNz"},
    3: lambda desk, signer: {"Authorization": "Bearer"},
    4: bearer(lambda desk, signer: "x" * 20_000),
    5: bearer(lambda desk, signer: "a.b"),
    6: bearer(lambda desk, signer: "!!!." + ".".join(desk.token().split(".")[1:])),
    7: bearer(lambda desk, signer: signer.raw_token(signer.header(), "[1]")),
    8: bearer(lambda desk, signer: b64url(json.dumps({**signer.header(), "alg": "none"}).encode()) + ".e30."),
    9: bearer(lambda desk, signer: jwt.encode(desk.claims(), "shared" * 8, headers={"kid": desk.key["keyId"]})),
    10: bearer(another_algorithm),
    11: resigned({"crit": ["exp"]}),
    12: bearer(signature_of(b"\x30" + b"\0" * 69)),
    13: resigned({"kid": None}),
    14: resigned(exp="tomorrow"),
    15: resigned({"kid": "2X9R4HXF34"}),
    16: bearer(revoked),
    17: bearer(signature_of(b"\0" * 63 + b"\1")),
    18: resigned(iss=str(uuid.UUID(int=7))),
    19: resigned(aud="appstoreconnect-v2"),
    20: resigned(exp=None),
    21: lambda desk, signer: resigned(iat=ago(1_000), exp=ago(500))(desk, signer),
    22: lambda desk, signer: resigned(iat=ago(-90), exp=ago(-390))(desk, signer),
    23: lambda desk, signer: resigned(iat=ago(0), exp=ago(-3_700))(desk, signer),
    24: resigned(bid=None),
    25: bearer(offers_key),
    26: resigned(bid="com.example.nobody"),
}


def assert_bare_401(environment, answer, documented):
    assert answer.status_code == 401 and answer.headers["Content-Type"] == "text/plain"
    assert answer.text == f"Unauthenticated\n\nRequest ID: {answer.headers['X-Request-ID']}\n"
    entry = environment.explain(answer)
    assert entry["status"] == 401 and "errorCode" not in entry
    assert_begins(entry["explanation"], documented)


def test_there_are_enough_ways_and_each_is_gone():
    assert list(WAYS_401) == list(range(1, len(WAYS_401) + 1)) and list(WAYS_404) == list(range(1, len(WAYS_404) + 1))
    assert len(WAYS_401) >= 20 and len(WAYS_404) >= 20
    assert set(WAYS_401) == {*TOKENS, 27, 28} and set(WAYS_404) == set(PLACES)


@pytest.mark.parametrize("environment_name", ["sandbox", "production"])
@pytest.mark.parametrize("number", TOKENS)
def test_each_way_to_a_401_by_a_token(desk, signer, known, number, environment_name):
    environment = desk.environment(environment_name)
    headers = TOKENS[number](desk, signer)
    answer = environment.send("GET", f"{INFO}/{known[environment_name]}", token=None, headers=headers)
    assert_bare_401(environment, answer, WAYS_401[number][2])


@pytest.mark.parametrize("first, second", [
    (16, lambda desk, signer: ".".join([*revoked(desk, signer).split(".")[:2], b64url(b"\1" * 64)])),
    (17, lambda desk, signer: ".".join([*desk.token(iss="x", aud="y").split(".")[:2], b64url(b"\1" * 64)])),
    (18, lambda desk, signer: desk.token(iss=str(uuid.UUID(int=7)), aud="y", exp=1)),
    (19, lambda desk, signer: desk.token(aud="y", exp=1, bid=None)),
    (21, lambda desk, signer: desk.token(exp=1, iat=ago(-1_000), bid=None)),
    (22, lambda desk, signer: desk.token(iat=ago(-1_000), exp=ago(-9_000), bid=None)),
    (23, lambda desk, signer: desk.token(iat=ago(0), exp=ago(-9_000), bid=None)),
])
def test_of_several_reasons_the_first_is_told(desk, signer, known, first, second):
    headers = bearer(second)(desk, signer)
    answer = desk.sandbox.send("GET", f"{INFO}/{known['sandbox']}", token=None, headers=headers)
    assert_bare_401(desk.sandbox, answer, WAYS_401[first][2])


def test_an_app_before_its_release_and_a_fault_are_ways_to_a_401_too(desk, known):
    production = desk.production
    production.control("setRules", {"released": False})
    try:
        answer = production.send("GET", f"{INFO}/{known['production']}")
        assert_bare_401(production, answer, WAYS_401[27][2])
        assert desk.sandbox.send("GET", f"{INFO}/{known['sandbox']}").status_code == 200
    finally:
        production.control("setRules", {"released": True})
    for environment in (production, desk.sandbox):
        desk.control.call("addFault", {"kind": "unauthorized", "bundleId": desk.bundle_id, "limit": 1})
        answer = environment.send("GET", f"{INFO}/{known[environment.name]}")
        assert_bare_401(environment, answer, WAYS_401[28][2])
    desk.control.call("removeFaults")


def test_apples_client_sees_a_401_as_it_sees_apples(desk, known):
    with pytest.raises(APIException) as raised:
        desk.client("sandbox", key={**desk.key, "keyId": "2X9R4HXF34"}).get_transaction_history(
            known["sandbox"], None, TransactionHistoryRequest(), V2)
    assert (raised.value.http_status_code, raised.value.raw_api_error) == (401, None)


# 404 ------------------------------------------------------------------------------------------------------------------


class Place:
    """A Till under Apple's profile, whose sandbox has what the ways need."""

    def __init__(self, till, post):
        self.control = control_of(till)
        team = self.control.call("createTeam", {"name": "One"})["issuerId"]
        self.app = App(till, self.control, "com.example.places", 1, team, CATALOG)
        self.sandbox = self.app.sandbox
        self.neighbour = App(till, self.control, "com.example.neighbour", 2, team, CATALOG)
        other = self.control.call("createTeam", {"name": "Two"})["issuerId"]
        self.foreign = App(till, self.control, "org.example.foreign", 3, other, CATALOG)
        self.post = post
        self.first = self.sandbox.buy("ann", BASIC, offer={"kind": "NONE"})
        self.second = self.sandbox.buy("ann", PRO)

    def send(self, method, path, **options):
        return self.sandbox.send(method, path, **options)

    def fault(self, kind, **options):
        self.control.call("addFault", {"kind": kind, "bundleId": self.app.bundle_id, **options})

    def without_download(self):
        self.sandbox.create("cara", downloadsApp=False)
        return self.sandbox.buy("cara", COINS).id


def order_in_the_sandbox(place):
    return place.send("GET", f"/inApps/v1/lookup/M123456789")


def hidden(place):
    place.fault("staleReads", milliseconds=600_000)
    try:
        return place.send("GET", f"{INFO}/{place.sandbox.buy('dan', COINS).id}")
    finally:
        place.control.call("removeFaults")


def on_demand(place):
    place.fault("error", code=4_040_002, limit=1)
    return place.send("GET", f"{HISTORY}/{place.first.id}")


def asked_for_a_test(place, environment):
    listen(environment, place.post)
    return environment.send("POST", TEST).json()["testNotificationToken"]


def first_attempt_not_ended(place):
    place.fault("delay", milliseconds=60_000, route="TEST")
    try:
        return place.send("GET", f"{TEST}/{asked_for_a_test(place, place.sandbox)}")
    finally:
        place.control.call("removeFaults")


def seven_months_ago(place):
    """In another app, whose clock may go where it wants."""
    environment = place.neighbour.sandbox
    freeze(environment)
    token = asked_for_a_test(place, environment)
    advance(environment, "P7M")
    return environment.send("GET", f"{TEST}/{token}")


EXTEND = {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": "refusals"}
NEVER = "2000000999999999"

# By the numbers of the table.
PLACES = {
    1: lambda place: place.send("GET", "/inApps/v9/history/1"),
    2: lambda place: place.send("GET", f"/inapps/v2/history/{place.first.id}"),
    3: order_in_the_sandbox,
    4: lambda place: place.send("GET", f"{INFO}/{NEVER}"),
    5: lambda place: place.send("GET", f"{INFO}/{place.app.production.buy('ann', COINS).id}"),
    6: lambda place: place.send("GET", f"{HISTORY}/{place.neighbour.sandbox.buy('ann', COINS).id}"),
    7: lambda place: place.send("GET", f"{INFO}/{place.first.payload['webOrderLineItemId']}"),
    8: hidden,
    9: lambda place: place.send(
        "GET", f"{HISTORY}/{place.first.id}", token=place.app.token(bid=place.foreign.bundle_id)),
    10: lambda place: place.send("GET", f"{HISTORY}/{place.first.id}", token=place.app.token(bid="com.example.nobody")),
    11: lambda place: place.send(
        "PUT", f"{INFO}/{NEVER}/appAccountToken", json={"appAccountToken": str(uuid.UUID(int=7))}),
    12: lambda place: place.send("GET", f"/inApps/v1/refund/lookup/{place.second.id}"),
    13: lambda place: place.send("PUT", f"/inApps/v1/subscriptions/extend/{place.second.id}", json=EXTEND),
    14: lambda place: place.send("GET", f"{INFO}/appTransactions/{place.without_download()}"),
    15: lambda place: place.send("POST", TEST),
    16: lambda place: place.send("GET", f"{TEST}/{uuid.UUID(int=7)}"),
    17: first_attempt_not_ended,
    18: seven_months_ago,
    19: lambda place: place.send("GET", f"/inApps/v1/subscriptions/extend/mass/{BASIC}/{uuid.UUID(int=7)}"),
    20: on_demand,
    21: lambda place: place.send("GET", "/inApps/v1/messaging/message/list"),
    22: lambda place: place.send("POST", f"/advancedCommerce/v1/subscription/cancel/{NEVER}", json={}),
    23: lambda place: place.send("PUT", "/externalPurchase/v1/reports", json={}),
    24: lambda place: place.send("GET", f"/groups/v1/currentGroups/{NEVER}"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    till, post = Till(tmp_path_factory.mktemp("places"), "--profile", "apple"), ListeningPost()
    yield Place(till, post)
    assert till.stop() == 0
    post.close()


@pytest.mark.parametrize("number", PLACES)
def test_each_way_to_a_404(place, number):
    answer = PLACES[number](place)
    _, _, form, documented = WAYS_404[number]
    assert answer.status_code == 404, answer.text
    entry = place.sandbox.explain(answer)
    assert entry["status"] == 404
    if form == "empty":
        assert answer.content == b"" and "errorCode" not in entry
    else:
        value = answer.json()
        assert set(value) == {"errorCode", "errorMessage"} and value["errorCode"] == int(form) == entry["errorCode"]
    assert_begins(entry["explanation"], documented)
