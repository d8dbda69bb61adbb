"""Each documented reason for a 401 or a 404: the answer, and Till's explanation.

The test reads the tables of docs/api/authentication.md and docs/operating/explain.md, so it fails if only the
documentation or only the server changes.
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
from notification_checks import advance, control_of, freeze, listen
from process_helpers import ROOT, AppleKey, b64url
from shop_helpers import V2, App, Till

INFO = "/inApps/v1/transactions"
HISTORY = "/inApps/v2/history"
TEST = "/inApps/v1/notifications/test"


def rows(page, heading, columns):
    """The rows of the table in a section, by their numbers."""
    section = (ROOT / "docs" / page).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()]
    return {int(cells[0]): cells for cells in found if len(cells) == columns and cells[0].isdigit()}


WAYS_401 = rows("api/authentication.md", "Every reason for a refusal, in the order of the checks", 3)
WAYS_404 = rows("operating/explain.md", "Every 404", 4)


def assert_begins(explanation, documented):
    """Checks that the explanation starts with the documented text, in which … stands for any text."""
    pattern = ".+?".join(map(re.escape, documented.split("…")))
    assert re.match(pattern, explanation, re.DOTALL), f"{explanation!r} does not begin with {documented!r}"


# 401 ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def own_app(server, control):
    """Creates an app with its own team."""
    team = control.call("createTeam", {"name": "Of refusals"})["issuerId"]
    return App(server, control, "com.example.refusals", 2_700_000_000, team, CATALOG)


@pytest.fixture(scope="module")
def known(own_app):
    return {name: own_app.environment(name).buy("tokens", COINS).id for name in ("sandbox", "production")}


@pytest.fixture(scope="module")
def signer(own_app):
    return AppleKey(own_app.key, own_app.bundle_id)


def bearer(make):
    """The Authorization header with a created token."""
    return lambda own_app, signer: {"Authorization": f"Bearer {make(own_app, signer)}"}


def resigned(header=None, **claims):
    """A correctly signed token with changes of its header and claims. A change to None removes the key."""
    def make(own_app, signer):
        changed = {name: value for name, value in {**signer.header(), **(header or {})}.items() if value is not None}
        claimed = {name: value for name, value in {**own_app.claims(), **claims}.items() if value is not None}
        return signer.raw_token(changed, claimed)

    return bearer(make)


def another_algorithm(own_app, signer):
    key = rsa.generate_private_key(65537, 2048)
    return jwt.encode(own_app.claims(), key, algorithm="RS256", headers={"kid": own_app.key["keyId"]})


def signature_of(text):
    return lambda own_app, signer: ".".join([*own_app.token().split(".")[:2], b64url(text)])


def revoked(own_app, signer):
    key = own_app.control.call("createKey", {"name": "revoked", "issuerId": own_app.issuer_id})
    own_app.control.call("revokeKey", keyId=key["keyId"])
    return own_app.token(key=key)


def offers_key(own_app, signer):
    private = ec.generate_private_key(ec.SECP256R1())
    number = uuid.uuid4().hex[:8].upper()
    der = private.private_bytes(form.Encoding.DER, form.PrivateFormat.PKCS8, form.NoEncryption())
    settings = {"bundleId": f"com.example.offers{number}", "issuerId": own_app.issuer_id}
    other = own_app.control.call("createApp", settings)
    own_app.control.call("importStoreKitFile", {
        "products": [], "subscriptionGroups": [], "settings": {}, "version": {"major": 4, "minor": 0},
        "subscriptionOffersKeyPair": {"id": number, "privateKey": base64.b64encode(der).decode()},
    }, bundleId=other["bundleId"])
    return jwt.encode(own_app.claims(), private, algorithm="ES256", headers={"kid": number})


def ago(seconds):
    return int(time.time()) - seconds


# Each function has the number of its row in the table, and returns the headers of a request.
TOKENS = {
    1: lambda own_app, signer: {},
    2: lambda own_app, signer: {"Authorization": "Basic dXNlcjpwYXNz"},
    3: lambda own_app, signer: {"Authorization": "Bearer"},
    4: bearer(lambda own_app, signer: "x" * 20_000),
    5: bearer(lambda own_app, signer: "a.b"),
    6: bearer(lambda own_app, signer: "!!!." + ".".join(own_app.token().split(".")[1:])),
    7: bearer(lambda own_app, signer: signer.raw_token(signer.header(), "[1]")),
    8: bearer(lambda own_app, signer: b64url(json.dumps({**signer.header(), "alg": "none"}).encode()) + ".e30."),
    9: bearer(lambda own_app, signer: jwt.encode(
        own_app.claims(), "shared" * 8, headers={"kid": own_app.key["keyId"]})),
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
    21: lambda own_app, signer: resigned(iat=ago(1_000), exp=ago(500))(own_app, signer),
    22: lambda own_app, signer: resigned(iat=ago(-90), exp=ago(-390))(own_app, signer),
    23: lambda own_app, signer: resigned(iat=ago(0), exp=ago(-3_700))(own_app, signer),
    24: resigned(bid=None),
    25: bearer(offers_key),
    26: resigned(bid="com.example.unknown"),
}


def assert_bare_401(environment, answer, documented):
    assert answer.status_code == 401 and answer.headers["Content-Type"] == "text/plain"
    assert answer.text == f"Unauthenticated\n\nRequest ID: {answer.headers['X-Request-ID']}\n"
    entry = environment.explain(answer)
    assert entry["status"] == 401 and "errorCode" not in entry
    assert_begins(entry["explanation"], documented)


def test_every_documented_case_is_tested():
    assert list(WAYS_401) == list(range(1, len(WAYS_401) + 1)) and list(WAYS_404) == list(range(1, len(WAYS_404) + 1))
    assert len(WAYS_401) >= 20 and len(WAYS_404) >= 20
    assert set(WAYS_401) == {*TOKENS, 27, 28} and set(WAYS_404) == set(CASES)


@pytest.mark.parametrize("environment_name", ["sandbox", "production"])
@pytest.mark.parametrize("number", TOKENS)
def test_each_401_caused_by_a_token(own_app, signer, known, number, environment_name):
    environment = own_app.environment(environment_name)
    headers = TOKENS[number](own_app, signer)
    answer = environment.send("GET", f"{INFO}/{known[environment_name]}", token=None, headers=headers)
    assert_bare_401(environment, answer, WAYS_401[number][2])


@pytest.mark.parametrize("first, second", [
    (16, lambda own_app, signer: ".".join([*revoked(own_app, signer).split(".")[:2], b64url(b"\1" * 64)])),
    (17, lambda own_app, signer: ".".join([*own_app.token(iss="x", aud="y").split(".")[:2], b64url(b"\1" * 64)])),
    (18, lambda own_app, signer: own_app.token(iss=str(uuid.UUID(int=7)), aud="y", exp=1)),
    (19, lambda own_app, signer: own_app.token(aud="y", exp=1, bid=None)),
    (21, lambda own_app, signer: own_app.token(exp=1, iat=ago(-1_000), bid=None)),
    (22, lambda own_app, signer: own_app.token(iat=ago(-1_000), exp=ago(-9_000), bid=None)),
    (23, lambda own_app, signer: own_app.token(iat=ago(0), exp=ago(-9_000), bid=None)),
])
def test_the_first_of_several_reasons_is_reported(own_app, signer, known, first, second):
    headers = bearer(second)(own_app, signer)
    answer = own_app.sandbox.send("GET", f"{INFO}/{known['sandbox']}", token=None, headers=headers)
    assert_bare_401(own_app.sandbox, answer, WAYS_401[first][2])


def test_a_401_caused_by_an_unreleased_app_and_by_a_fault_rule(own_app, known):
    production = own_app.production
    production.control("updateSettings", {"released": False})
    try:
        answer = production.send("GET", f"{INFO}/{known['production']}")
        assert_bare_401(production, answer, WAYS_401[27][2])
        assert own_app.sandbox.send("GET", f"{INFO}/{known['sandbox']}").status_code == 200
    finally:
        production.control("updateSettings", {"released": True})
    for environment in (production, own_app.sandbox):
        own_app.control.call("addFault", {"kind": "unauthorized", "bundleId": own_app.bundle_id, "limit": 1})
        answer = environment.send("GET", f"{INFO}/{known[environment.name]}")
        assert_bare_401(environment, answer, WAYS_401[28][2])
    own_app.control.call("removeFaults")


def test_apples_client_raises_for_a_401_without_a_code(own_app, known):
    with pytest.raises(APIException) as raised:
        own_app.client("sandbox", key={**own_app.key, "keyId": "2X9R4HXF34"}).get_transaction_history(
            known["sandbox"], None, TransactionHistoryRequest(), V2)
    assert (raised.value.http_status_code, raised.value.raw_api_error) == (401, None)


# 404 ------------------------------------------------------------------------------------------------------------------


class Shop:
    """A server with Apple's profile. Its sandbox contains the data for all cases."""

    def __init__(self, till, post):
        self.control = control_of(till)
        team = self.control.call("createTeam", {"name": "One"})["issuerId"]
        self.app = App(till, self.control, "com.example.cases", 1, team, CATALOG)
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


def order_in_the_sandbox(shop):
    return shop.send("GET", "/inApps/v1/lookup/M123456789")


def not_yet_visible(shop):
    shop.fault("staleReads", milliseconds=600_000)
    try:
        return shop.send("GET", f"{INFO}/{shop.sandbox.buy('dan', COINS).id}")
    finally:
        shop.control.call("removeFaults")


def by_fault_rule(shop):
    shop.fault("error", code=4_040_002, limit=1)
    return shop.send("GET", f"{HISTORY}/{shop.first.id}")


def request_test(shop, environment):
    listen(environment, shop.post)
    return environment.send("POST", TEST).json()["testNotificationToken"]


def first_attempt_not_ended(shop):
    shop.fault("delay", milliseconds=60_000, route="TEST")
    try:
        return shop.send("GET", f"{TEST}/{request_test(shop, shop.sandbox)}")
    finally:
        shop.control.call("removeFaults")


def seven_months_ago(shop):
    """Uses a separate app, because its clock is advanced."""
    environment = shop.neighbour.sandbox
    freeze(environment)
    token = request_test(shop, environment)
    advance(environment, "P7M")
    return environment.send("GET", f"{TEST}/{token}")


EXTEND = {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": "refusals"}
NEVER = "2000000999999999"

# Each function has the number of its row in the table.
CASES = {
    1: lambda shop: shop.send("GET", "/inApps/v9/history/1"),
    2: lambda shop: shop.send("GET", f"/inapps/v2/history/{shop.first.id}"),
    3: order_in_the_sandbox,
    4: lambda shop: shop.send("GET", f"{INFO}/{NEVER}"),
    5: lambda shop: shop.send("GET", f"{INFO}/{shop.app.production.buy('ann', COINS).id}"),
    6: lambda shop: shop.send("GET", f"{HISTORY}/{shop.neighbour.sandbox.buy('ann', COINS).id}"),
    7: lambda shop: shop.send("GET", f"{INFO}/{shop.first.payload['webOrderLineItemId']}"),
    8: not_yet_visible,
    9: lambda shop: shop.send(
        "GET", f"{HISTORY}/{shop.first.id}", token=shop.app.token(bid=shop.foreign.bundle_id)),
    10: lambda shop: shop.send("GET", f"{HISTORY}/{shop.first.id}", token=shop.app.token(bid="com.example.unknown")),
    11: lambda shop: shop.send(
        "PUT", f"{INFO}/{NEVER}/appAccountToken", json={"appAccountToken": str(uuid.UUID(int=7))}),
    12: lambda shop: shop.send("GET", f"/inApps/v1/refund/lookup/{shop.second.id}"),
    13: lambda shop: shop.send("PUT", f"/inApps/v1/subscriptions/extend/{shop.second.id}", json=EXTEND),
    14: lambda shop: shop.send("GET", f"{INFO}/appTransactions/{shop.without_download()}"),
    15: lambda shop: shop.send("POST", TEST),
    16: lambda shop: shop.send("GET", f"{TEST}/{uuid.UUID(int=7)}"),
    17: first_attempt_not_ended,
    18: seven_months_ago,
    19: lambda shop: shop.send("GET", f"/inApps/v1/subscriptions/extend/mass/{BASIC}/{uuid.UUID(int=7)}"),
    20: by_fault_rule,
    21: lambda shop: shop.send("GET", "/inApps/v1/messaging/message/list"),
    22: lambda shop: shop.send("POST", f"/advancedCommerce/v1/subscription/cancel/{NEVER}", json={}),
    23: lambda shop: shop.send("PUT", "/externalPurchase/v1/reports", json={}),
    24: lambda shop: shop.send("GET", f"/groups/v1/currentGroups/{NEVER}"),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    till, post = Till(tmp_path_factory.mktemp("cases"), "--profile", "apple"), ListeningPost()
    yield Shop(till, post)
    assert till.stop() == 0
    post.close()


@pytest.mark.parametrize("number", CASES)
def test_each_404(shop, number):
    answer = CASES[number](shop)
    _, _, form, documented = WAYS_404[number]
    assert answer.status_code == 404, answer.text
    entry = shop.sandbox.explain(answer)
    assert entry["status"] == 404
    if form == "empty":
        assert answer.content == b"" and "errorCode" not in entry
    else:
        value = answer.json()
        assert set(value) == {"errorCode", "errorMessage"} and value["errorCode"] == int(form) == entry["errorCode"]
    assert_begins(entry["explanation"], documented)
