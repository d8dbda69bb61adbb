"""Payload profiles with Apple's client and verifier, for every profile, payload and route.

The test reads the optional keys, the version that added a key, and the listed keys from the tables of
docs/operating/payload-profiles.md.
"""

import re
import uuid
from pathlib import Path

import pytest
from appstoreserverlibrary.signed_data_verifier import VerificationException

import notification_checks
import payload_rules
from catalog_of_everything import BASIC, BASIC_YEAR, COINS, FOREVER, SEASON
from process_helpers import wait_until
from shop_helpers import APPLES_CALLS, ControlRefused, models

PAGE = (Path(__file__).resolve().parents[3] / "docs/operating/payload-profiles.md").read_text()
TOKEN = "7e3fb204-2f5c-4a4b-8a0e-2d3f6f1a9f10"
ADDED = {"tomorrowText": str, "tomorrowNumber": float, "tomorrowFlag": bool, "tomorrowList": list,
         "tomorrowObject": dict}
INNER = {
    ("transaction", "commitmentInfo"): "transactionCommitment",
    ("renewalInfo", "commitmentInfo"): "renewalCommitment",
    ("notification", "data"): "notificationData",
    ("notification", "appData"): "notificationAppData",
    ("notification", "summary"): "notificationSummary",
    ("notification", "externalPurchaseToken"): "externalPurchaseToken",
    ("subscriptionStatuses", "data"): "subscriptionGroup",
    ("subscriptionGroup", "lastTransactions"): "lastTransaction",
    ("notificationHistory", "notificationHistory"): "notificationStatus",
    ("notificationStatus", "sendAttempts"): "sendAttempt",
}
ROUTES = {"transactionHistory", "refundHistory", "refundHistoryV1", "transactionInfo", "appTransactionInfo",
          "subscriptionStatuses", "orderLookup", "renewalExtension", "massExtension", "massExtensionStatus",
          "testNotification", "notificationStatus", "notificationHistory"}

# The key of the payload profile among the environment settings.
PROFILE_KEY = "payloadProfile"
pytestmark = pytest.mark.own_app


class Row:
    """The documentation of one key."""

    def __init__(self, presence, since, change):
        self.presence = presence
        self.since = 0 if since == "–" else int(since.removeprefix("1."))
        self.is_listed = change == "listed"

    def is_present(self, profile, environment) -> bool:
        if profile == "sparse":
            return self.presence == "stays" or self.presence.endswith(environment.name)
        return self.since <= int(profile.removeprefix("version:1.")) if profile.startswith("version") else True


def tables() -> dict:
    found = {}
    for section in PAGE.split("\n### ")[1:]:
        name, _, rest = section.partition("\n")
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", rest, re.MULTILINE)
        found[name] = {key: Row(*cells) for key, *cells in rows}
    return found


TABLES = tables()


def set_profile(environment, profile):
    assert environment.control("updateSettings", {PROFILE_KEY: profile})[PROFILE_KEY] in (profile, f"{profile}:1")


class Scenario:
    """Customers with data for every route. The data is bought and read with one payload profile."""

    def __init__(self, environment, post, profile="fair"):
        self.environment = environment
        notification_checks.listen(environment, post)
        set_profile(environment, profile)
        self.buy("ann", BASIC, appAccountToken=TOKEN)
        self.coins = self.buy("ann", COINS, quantity=3, appAccountToken=TOKEN)
        for product in (SEASON, FOREVER):
            self.buy("ann", product)
        refunded = self.buy("ann", COINS)["transactionId"]
        environment.control("refundTransaction", {"share": "PART", "percentage": 50_000}, transactionId=refunded)
        self.year = self.buy("bob", BASIC_YEAR)["transactionId"]
        self.mass = str(uuid.uuid4())
        # There are six purchases and a refund. With the profile "tomorrow", an additional notification follows each
        # purchase.
        self.posted = post.wait_for(13 if profile.startswith("tomorrow") else 7)

    def buy(self, customer, product, **options) -> dict:
        return self.environment.control("buyProduct", {"productId": product, **options}, customer=customer)

    def calls(self) -> list:
        """For each route: its kind, the method of Apple's client (None if there is none), and the plain request."""
        client, id_, order = self.environment.client, self.coins["transactionId"], self.coins["orderId"]
        reason = models.ExtendReasonCode.CUSTOMER_SATISFACTION
        one = {"extendByDays": 1, "extendReasonCode": 1, "requestIdentifier": "one"}
        mass = {"extendByDays": 1, "extendReasonCode": 1, "requestIdentifier": self.mass, "productId": BASIC_YEAR}
        v1, v2 = "/inApps/v1", "/inApps/v2"
        by_id = [
            ("transactionHistory", "getTransactionHistory", f"{v2}/history"),
            ("transactionHistory", "getTransactionHistoryV1", f"{v1}/history"),
            ("transactionInfo", "getTransactionInfo", f"{v1}/transactions"),
            ("appTransactionInfo", "getAppTransactionInfo", f"{v1}/transactions/appTransactions"),
            ("subscriptionStatuses", "getAllSubscriptionStatuses", f"{v1}/subscriptions"),
            ("refundHistory", "getRefundHistory", f"{v2}/refund/lookup"),
        ]
        return [
            *((kind, lambda call=APPLES_CALLS[name]: call(client, id_), "GET", f"{path}/{id_}")
              for kind, name, path in by_id),
            ("orderLookup", lambda: client.look_up_order_id(order), "GET", f"{v1}/lookup/{order}"),
            ("refundHistoryV1", None, "GET", f"{v1}/refund/lookup/{id_}"),
            ("renewalExtension", lambda: client.extend_subscription_renewal_date(
                self.year, models.ExtendRenewalDateRequest(1, reason, "one")),
             "PUT", f"{v1}/subscriptions/extend/{self.year}", one),
            ("massExtension", lambda: client.extend_renewal_date_for_all_active_subscribers(
                models.MassExtendRenewalDateRequest(1, reason, self.mass, productId=BASIC_YEAR)),
             "POST", f"{v1}/subscriptions/extend/mass", mass),
            ("massExtensionStatus",
             lambda: client.get_status_of_subscription_renewal_date_extensions(self.mass, BASIC_YEAR),
             "GET", f"{v1}/subscriptions/extend/mass/{BASIC_YEAR}/{self.mass}"),
            ("testNotification", client.request_test_notification, "POST", f"{v1}/notifications/test"),
            ("notificationStatus", lambda: client.get_test_notification_status(self.test),
             "GET", f"{v1}/notifications/test/"),
            ("notificationHistory", lambda: client.get_notification_history(None, notification_checks.request()),
             "POST", f"{v1}/notifications/history", notification_checks.body()),
        ]

    def answers(self):
        """For each route: its kind, the body of the answer, and the object that Apple's client decoded."""
        for kind, ask, method, path, *body in self.calls():
            if kind == "massExtensionStatus":
                wait_until(lambda: self.environment.send(method, path).json()["complete"])
            if kind == "notificationStatus":
                path += self.test
                wait_until(lambda: self.environment.send(method, path).status_code == 200)
            decoded = ask() if ask else None
            answer = self.environment.send(method, path, **({"json": body[0]} if body else {}))
            assert answer.status_code == 200, answer.text
            assert answer.headers["Content-Type"] == "application/json"
            payload_rules.no_nulls(answer.json())
            if kind == "testNotification":
                self.test = answer.json()["testNotificationToken"]
            yield kind, answer.json(), decoded

    def everything(self):
        """The bodies of every route, all signed data in these bodies, and all received notifications."""
        seen = set()
        for kind, body, decoded in self.answers():
            seen.add(kind)
            yield kind, body, decoded
            yield from signed(self.environment, body)
        assert seen == ROUTES
        for received in self.posted:
            yield from signed(self.environment, {"signedPayload": received.jws})


READERS = {
    "signedPayload": ("notification", "notification"),
    "signedAppTransactionInfo": ("appTransaction", "app_transaction"),
    "signedRenewalInfo": ("renewalInfo", "renewal_info"),
    "signedTransactionInfo": ("transaction", "signed_transaction"),
    "signedTransactions": ("transaction", "signed_transaction"),
}


def signed(environment, value):
    """The signed data in a value, verified by Apple's verifier, with the signed data that this data contains."""
    for key, jws in strings(value):
        if key in READERS:
            kind, reader = READERS[key]
            payload = payload_rules.decode(jws)[1]
            yield kind, payload, getattr(environment.verifier, f"verify_and_decode_{reader}")(jws)
            yield from signed(environment, payload)


def strings(value, key=None):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, key)
    else:
        yield key, value


def objects(kind, payload, decoded):
    """An object and all objects in it: their kind, the raw value, and the object that the library decoded."""
    yield kind, payload, decoded
    for key, value in payload.items():
        inner = INNER.get((kind, key))
        if inner is None:
            continue
        read = getattr(decoded, key, None) if decoded is not None else None
        if isinstance(value, list):
            for place, element in enumerate(value):
                yield from objects(inner, element, read[place] if read else None)
        else:
            yield from objects(inner, value, read)


# The library has no field for these keys.
UNREAD = ("firstSendAttemptResult", "requestDate")
# Apple's client and the plain request send two requests, and these values differ between the answers.
FRESH = (*READERS, "revision", "testNotificationToken", "sendAttempts")


def check(found, profile, environment) -> dict:
    """Checks that every object has only keys that the tables allow, and that Apple's library reads them.

    Returns the keys of each kind that occurred.
    """
    seen = {}
    for whole in found:
        for kind, value, read in objects(*whole):
            table = TABLES[kind]
            assert set(value) <= set(table), f"{kind}: {sorted(set(value) - set(table))}"
            for key, row in table.items():
                if not row.is_present(profile, environment):
                    assert key not in value, f"{kind} has {key} in {profile}"
                    assert getattr(read, key, None) is None
            if read is not None:
                inner = tuple(key for of, key in INNER if of == kind)
                fresh = FRESH if whole[0] in ROUTES else ()
                payload_rules.same_as_decoded(value, read, but=(*inner, *UNREAD, *fresh))
            seen.setdefault(kind, set()).update(value)
    return seen


ALWAYS = {
    "transaction": payload_rules.ALWAYS_IN_TRANSACTION | {"expiresDate", "webOrderLineItemId"},
    "renewalInfo": payload_rules.ALWAYS_IN_RENEWAL,
    "appTransaction": payload_rules.ALWAYS_IN_APP_TRANSACTION - {"appAppleId"},
    "notification": {"notificationType", "subtype", "notificationUUID", "version", "signedDate", "data", "summary"},
    "notificationData": {"bundleId", "environment", "signedTransactionInfo", "signedRenewalInfo", "status"},
}


@pytest.mark.parametrize("profile", ["sparse", "version:1.2", "version:1.7", "version:1.14", "version:1.22"])
def test_apples_library_reads_payloads_with_absent_keys(environment, post, profile):
    seen = check(Scenario(environment, post, profile).everything(), profile, environment)
    for kind, always in ALWAYS.items():
        left = {key for key in always if TABLES[kind][key].is_present(profile, environment)}
        assert seen[kind] >= left, f"{kind} lacks {sorted(left - seen[kind])}"
    if profile == "version:1.22":
        assert {"revocationType", "price", "appAccountToken", "offerPeriod"} <= seen["transaction"]
    assert ("sendAttempts" in seen["notificationStatus"]) == (profile not in ("version:1.2", "version:1.7"))
    if environment.name == "production":
        assert "appAppleId" in seen["notificationData"] & seen["transactionHistory"] & seen["appTransaction"]


def test_the_library_rejects_payloads_of_versions_without_an_environment(environment):
    set_profile(environment, "version:1.1")
    bought = environment.control("buyProduct", {"productId": COINS}, customer="ann")
    payload = payload_rules.decode(bought["signedTransactionInfo"])[1]
    assert "environment" not in payload and "price" not in payload and payload["productId"] == COINS
    with pytest.raises(VerificationException) as refused:
        environment.verifier.verify_and_decode_signed_transaction(bought["signedTransactionInfo"])
    assert refused.value.status.name == "INVALID_ENVIRONMENT"


def is_unknown(value) -> bool:
    return value == "TOMORROW" or (value == 99 and type(value) is int)


def examine(found) -> dict:
    """Checks that every object has the additional keys. Returns the listed keys of each kind that had an unknown
    value."""
    changed = {}
    for whole in found:
        for kind, value, read in objects(*whole):
            table = TABLES[kind]
            assert set(value) - set(table) == set(ADDED), f"{kind}: {sorted(set(value) - set(table))}"
            assert all(type(value[key]) is type_ for key, type_ in ADDED.items())
            assert list(value)[-5:] == list(ADDED)
            for key in set(value) & set(table):
                if not is_unknown(value[key]):
                    continue
                if (kind, key) != ("notification", "notificationType"):
                    assert table[key].is_listed, f"{kind}.{key}"
                    changed.setdefault(kind, set()).add(key)
                if read is not None and key != "firstSendAttemptResult":
                    raw = getattr(read, "raw" + key[0].upper() + key[1:])
                    assert raw == value[key] and getattr(read, key) is None, f"{kind}.{key}"
    return changed


def test_apples_library_accepts_forward_compatible_payloads(environment, post):
    scenario = Scenario(environment, post, "tomorrow:1")
    changed = examine(scenario.everything())
    wanted = {
        "transaction": {"type", "inAppOwnershipType", "transactionReason", "offerType", "offerDiscountType",
                        "revocationReason", "revocationType"},
        "renewalInfo": {"autoRenewStatus"},
        "appTransaction": {"originalPlatform"},
        "lastTransaction": {"status"},
        "orderLookup": {"status"},
    }
    for seed in range(2, 60):
        missing = {kind: keys - changed.get(kind, set()) for kind, keys in wanted.items()}
        if not any(missing.values()):
            break
        set_profile(environment, f"tomorrow:{seed}")
        for kind, ask, method, path, *_ in scenario.calls():
            if kind in ("transactionHistory", "appTransactionInfo", "subscriptionStatuses", "orderLookup"):
                body = environment.send(method, path).json()
                for of, keys in examine([(kind, body, ask()), *signed(environment, body)]).items():
                    changed.setdefault(of, set()).update(keys)
    else:
        pytest.fail(f"never unknown: {missing}")


def test_forward_compatible_payloads_are_repeatable_by_seed(environment, post):
    scenario = Scenario(environment, post, "tomorrow:7")

    def asked():
        for kind, _, method, path, *_ in scenario.calls()[:8]:
            for of, payload, _ in signed(environment, environment.send(method, path).json()):
                yield of, {key: value for key, value in payload.items() if key not in
                           ("signedDate", "receiptCreationDate")}

    first = list(asked())
    assert first == list(asked())
    set_profile(environment, "tomorrow:8")
    assert first != list(asked())


def test_an_unknown_notification_follows_every_purchase(environment, post):
    Scenario(environment, post, "tomorrow")
    seen = [environment.verifier.verify_and_decode_notification(received.jws) for received in post.received]
    unknown = [notice for notice in seen if notice.notificationType is None]
    assert {(one.rawNotificationType, one.rawSubtype, one.subtype) for one in unknown} == {
        ("TOMORROW", "UNHEARD_OF", None)
    }
    purchases = [one for one in seen if one.rawNotificationType in ("SUBSCRIBED", "ONE_TIME_CHARGE")]
    assert len(unknown) == len(purchases) == 6

    def about(notice):
        inner = notice.data.signedTransactionInfo
        return environment.verifier.verify_and_decode_signed_transaction(inner).transactionId

    assert sorted(map(about, unknown)) == sorted(map(about, purchases))
    listed = environment.control("listNotifications", query={"type": "TOMORROW"})["notifications"]
    assert len(listed) == 6 and all(one["isTriggered"] for one in listed)


def test_default_answers_do_not_change(environment, post):
    notification_checks.freeze(environment)
    scenario = Scenario(environment, post)

    def asked():
        for _, _, method, path, *_ in scenario.calls()[:8]:
            text = environment.send(method, path).text
            # Signatures, and the seal of a revision, differ from answer to answer.
            yield re.sub(r'"revision":"[^"]*"', "", re.sub(r"\.[\w-]{86}\"", '"', text))

    default = list(asked())
    for profile in ("sparse", "tomorrow", "version:1.5"):
        set_profile(environment, profile)
        assert list(asked()) != default
    set_profile(environment, "fair")
    assert list(asked()) == default


@pytest.mark.parametrize("profile", ["sparse", "tomorrow", "version:1.0"])
def test_errors_and_empty_answers_have_no_profile(environment, profile):
    set_profile(environment, profile)
    bought = environment.control("buyProduct", {"productId": COINS}, customer="ann")["transactionId"]
    environment.check_error(environment.send("GET", "/inApps/v1/transactions/430000000001024"), 4_040_010)
    finished = environment.send("POST", f"/inApps/v1/transactions/{bought}/finish")
    assert (finished.status_code, finished.content) == (200, b"")
    body = {"appAccountToken": TOKEN}
    token = environment.send("PUT", f"/inApps/v1/transactions/{bought}/appAccountToken", json=body)
    assert (token.status_code, token.content) == (200, b"")
    consumed = {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": False}
    sent = environment.send("PUT", f"/inApps/v2/transactions/consumption/{bought}", json=consumed)
    assert (sent.status_code, sent.content) == (202, b"")


def test_receipts_have_no_profile(environment):
    set_profile(environment, "sparse")
    environment.control("buyProduct", {"productId": FOREVER}, customer="ann")
    receipt = environment.control("getReceipt", customer="ann")["receipt"]
    answer = environment.send("POST", "/verifyReceipt", token=None, json={"receipt-data": receipt}).json()
    assert answer["status"] == 0 and answer["receipt"]["in_app"][0]["product_id"] == FOREVER


def test_the_profile_is_a_setting_of_one_environment(new_app):
    assert new_app.sandbox.control("getSettings")[PROFILE_KEY] == "fair"
    for profile in ("sparse", "tomorrow:18446744073709551615", "version:1.0", "version:1.22"):
        assert new_app.sandbox.control("updateSettings", {PROFILE_KEY: profile})[PROFILE_KEY] == profile
        assert new_app.production.control("getSettings")[PROFILE_KEY] == "fair"
    for wrong in ("", "rain", "version:1.23", "version:2", "tomorrow:x"):
        with pytest.raises(ControlRefused) as refused:
            new_app.sandbox.control("updateSettings", {PROFILE_KEY: wrong})
        assert (refused.value.status, refused.value.code) == (400, "bad_payload_profile")
    assert new_app.sandbox.control("getSettings")[PROFILE_KEY] == "version:1.22"
