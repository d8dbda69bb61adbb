"""Checks verifyReceipt's answers with independent verifiers and parsers. Compares them, key by key, with the answers of
the App Store Server API for the same customer."""

import base64
import itertools
import json
import re
import ssl
import subprocess
import threading
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from apple_purchase_receipt_verifier import Config, Environment, Verifier
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from asn1crypto import cms, core, parser

import payload_rules
from process_helpers import own_session
from shop_helpers import V1, V2, LeafReader

PACIFIC = ZoneInfo("America/Los_Angeles")
SUBSCRIPTION, CONSUMABLE = payload_rules.SUBSCRIPTION, "Consumable"
REQUEST_DATES = {"request_date", "request_date_ms", "request_date_pst"}
LEAF_MARK, INTERMEDIATE_MARK = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"

# This is the DER encoding of the INTEGER 1721.
PROMOTIONAL_OFFER = b"\x02\x02\x06\xb9"


# Dates ----------------------------------------------------------------------------------------------------------------


def renderings(key, instant, whole=False) -> dict:
    """The three strings for an instant. In the receipt itself, dates are whole seconds."""
    seconds = instant // 1000
    gmt = datetime.fromtimestamp(seconds, timezone.utc)
    return {
        key: gmt.strftime("%Y-%m-%d %H:%M:%S Etc/GMT"),
        f"{key}_ms": str(seconds * 1000 if whole else instant),
        f"{key}_pst": gmt.astimezone(PACIFIC).strftime("%Y-%m-%d %H:%M:%S America/Los_Angeles"),
    }


# Mapping of signed payloads to the keys of receipts -------------------------------------------------------------------


def copied(key):
    return lambda value, payload: {key: value}


def as_text(key):
    return lambda value, payload: {key: str(value)}


def as_digit(key):
    return lambda value, payload: {key: "1" if value else "0"}


def dated(key):
    return lambda value, payload: renderings(key, value)


def of_subscriptions(rule):
    return lambda value, payload: rule(value, payload) if payload["type"] == SUBSCRIPTION else {}


def offer_name(value, payload):
    """The name of an offer in a receipt. A win-back offer has no key in receipts, and an introductory offer has no
    name."""
    key = {2: "promotional_offer_id", 3: "offer_code_ref_name"}.get(payload["offerType"])
    return {key: value} if key else {}


def periods(kind, payload):
    """The keys for introductory periods. A free period is a trial; a paid period has its own key."""
    mode = payload.get("offerDiscountType") if payload.get("offerType") == 1 else None
    flags = {"is_trial_period": "true" if mode == "FREE_TRIAL" else "false"}
    if kind == SUBSCRIPTION:
        flags["is_in_intro_offer_period"] = "true" if mode in ("PAY_AS_YOU_GO", "PAY_UP_FRONT") else "false"
    return flags


def nothing(value, payload):
    return {}


# This table maps a signed transaction to latest_receipt_info. A field that is in neither table fails the test.
TRANSACTION = {
    "transactionId": copied("transaction_id"),
    "originalTransactionId": copied("original_transaction_id"),
    "webOrderLineItemId": of_subscriptions(copied("web_order_line_item_id")),
    "productId": copied("product_id"),
    "subscriptionGroupIdentifier": copied("subscription_group_identifier"),
    "purchaseDate": dated("purchase_date"),
    "originalPurchaseDate": dated("original_purchase_date"),
    "expiresDate": of_subscriptions(dated("expires_date")),
    "quantity": as_text("quantity"),
    "type": periods,
    "appAccountToken": copied("app_account_token"),
    "inAppOwnershipType": copied("in_app_ownership_type"),
    "revocationDate": dated("cancellation_date"),
    "revocationReason": as_text("cancellation_reason"),
    "isUpgraded": copied("is_upgraded"),
    "offerIdentifier": offer_name,
}
TRANSACTION_ELSEWHERE = {
    "offerType", "offerDiscountType",  # mapped to the two flags and to the key of the offer's name
    "bundleId", "environment",  # once per answer
    "signedDate", "storefront", "storefrontId", "transactionReason", "price", "currency", "offerPeriod",
    "appTransactionId", "revocationType", "revocationPercentage", "billingPlanType", "commitmentInfo",
}
# This table maps signed renewal info to pending_renewal_info.
RENEWAL = {
    "originalTransactionId": copied("original_transaction_id"),
    "productId": copied("product_id"),
    "autoRenewProductId": copied("auto_renew_product_id"),
    "autoRenewStatus": as_text("auto_renew_status"),
    "expirationIntent": as_text("expiration_intent"),
    "isInBillingRetryPeriod": as_digit("is_in_billing_retry_period"),
    "gracePeriodExpiresDate": dated("grace_period_expires_date"),
    "priceIncreaseStatus": as_text("price_increase_status"),
    "offerIdentifier": offer_name,
}
RENEWAL_ELSEWHERE = {
    "offerType", "offerDiscountType", "offerPeriod", "environment", "signedDate", "recentSubscriptionStartDate",
    "renewalDate", "renewalPrice", "currency", "eligibleWinBackOfferIds", "appAccountToken", "appTransactionId",
    "renewalBillingPlanType", "commitmentInfo",
}
# These keys occur in latest_receipt_info and never in in_app.
NOT_IN_APP = {"in_app_ownership_type", "subscription_group_identifier", "is_upgraded", "offer_code_ref_name",
              "app_account_token"}

# The two APIs differ in these points, each with the reason. Each difference must occur in the simulation.
DIFFERENCES = {
    "finished consumable": "receipts lose it when it is finished; version 2 of the history keeps it",
    "refunded consumable": "receipts have no refunds of consumables; both histories have it",
    "no subscription": "a customer who never subscribed gets no latest_receipt_info",
    "left in grace": "a customer who cancels within a grace period has no element in pending_renewal_info",
    "consent": "price_consent_status says whether consent was requested; the newer API gives only the state",
    "win-back": "a win-back offer has no key in receipts",
}


def mapped(payload, table, elsewhere) -> dict:
    """The values of a payload under the keys of receipts."""
    unknown = set(payload) - set(table) - elsewhere
    assert not unknown, f"the mapping has no rule for {sorted(unknown)}"
    found = {}
    for field, rule in table.items():
        if field in payload:
            found.update(rule(payload[field], payload))
    if "is_upgraded" in found:
        assert found["is_upgraded"] is True
        found["is_upgraded"] = "true"
    return found


def transaction_of(payload) -> dict:
    return mapped(payload, TRANSACTION, TRANSACTION_ELSEWHERE)


def renewal_of(payload, needs_consent) -> dict:
    found = mapped(payload, RENEWAL, RENEWAL_ELSEWHERE)
    if needs_consent and "price_increase_status" in found:
        found["price_consent_status"] = found["price_increase_status"]
    return found


def in_app_of(payload) -> dict:
    """The same transaction as in_app of a receipt: it has fewer keys, and its dates are whole seconds."""
    found = {key: value for key, value in transaction_of(payload).items() if key not in NOT_IN_APP}
    for key in [key.removesuffix("_ms") for key in found if key.endswith("_ms")]:
        found.update(renderings(key, int(found[f"{key}_ms"]), whole=True))
    return found


# Independent parsers --------------------------------------------------------------------------------------------------


class Examiner:
    """Independent verifiers and parsers. They know nothing of Till except its root certificate."""

    def __init__(self, control, folder):
        self.pem = control.call("getAuthority", query={"receipts": "true"})["rootCertificate"]
        self.root_file = folder / "receipts-root.pem"
        self.root_file.write_text(self.pem)
        self.root = ssl.PEM_cert_to_DER_cert(self.pem)
        self.verifier = Verifier(Config(roots=[self.root]))
        self.utility = ReceiptUtility()

    def rendered(self, environment, receipt) -> dict:
        """A receipt as parsed by apple-purchase-receipt-verifier."""
        body = json.dumps({"receipt-data": receipt})
        answer = json.loads(self.verifier.verify_receipt_endpoint(Environment(environment.wire_name), body))
        # The verifier has no name for the attribute of promotional offers, so it returns the attribute undecoded.
        if answer["status"] == 0 and PROMOTIONAL_OFFER in base64.b64decode(receipt):
            for item, raw in zip(answer["receipt"]["in_app"], self.verifier.verify_receipt(receipt).payload.in_app):
                if 1721 in raw.unknown_attributes:
                    (value,) = raw.unknown_attributes[1721]
                    item["promotional_offer_id"] = core.load(value).native
        return answer

    def verified_by_openssl(self, receipt, at) -> bytes:
        """Verifies the signature and the chain with openssl at an instant in seconds, and returns the payload."""
        done = subprocess.run(
            ["openssl", "cms", "-verify", "-inform", "DER", "-CAfile", str(self.root_file), "-purpose", "any",
             "-attime", str(at)], input=base64.b64decode(receipt), capture_output=True, timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def taken_apart(self, receipt) -> bytes:
        """Checks the container and the order of its elements, and returns the payload."""
        raw = base64.b64decode(receipt, validate=True)
        container = cms.ContentInfo.load(raw, strict=True)
        assert container["content_type"].native == "signed_data"
        signed = container["content"]
        assert signed["version"].native == "v1"
        assert [one["algorithm"].native for one in signed["digest_algorithms"]] == ["sha256"]
        assert isinstance(signed["digest_algorithms"][0]["parameters"], core.Null)
        leaf, intermediate, root = [one.chosen for one in signed["certificates"]]
        assert root.dump() == self.root and root.issuer == root.subject
        assert intermediate.issuer == root.subject and leaf.issuer == intermediate.subject
        for certificate, mark in ((leaf, LEAF_MARK), (intermediate, INTERMEDIATE_MARK)):
            (extension,) = [one for one in certificate["tbs_certificate"]["extensions"]
                            if one["extn_id"].dotted == mark]
            assert not extension["critical"].native and extension["extn_value"].native == b"\x05\x00"
        (signer,) = signed["signer_infos"]
        assert signer["version"].native == "v1"
        assert len(signer["signed_attrs"]) == 0 and len(signer["unsigned_attrs"]) == 0
        assert signer["signature_algorithm"]["algorithm"].native == "rsassa_pkcs1v15"
        assert len(signer["signature"].native) == 256
        assert signer["sid"].chosen["serial_number"].native == leaf.serial_number
        assert leaf["signature_algorithm"]["algorithm"].native == "sha256_rsa"
        payload = signed["encap_content_info"]["content"].native
        for type_, version, value in attributes(payload):
            assert version == (2 if type_ == 4 else 1), type_
            if type_ == 17:
                inner = [number for number, _, _ in attributes(value)]
                assert len(inner) == len(set(inner))
        return payload


def attributes(encoded) -> list:
    """The type, version and value of every attribute of a SET, whose elements must be sorted by their bytes."""
    elements = elements_of(encoded, 0x31)
    assert elements == sorted(elements), "a SET in DER is sorted"
    return [tuple(core.load(part).native for part in elements_of(element, 0x30)) for element in elements]


def elements_of(encoded, tag) -> list:
    """The children of an element with this tag. The element must span all of the bytes."""
    assert encoded[0] == tag
    elements, inner = [], contents_of(encoded)
    while inner:
        length = parser.peek(inner)
        elements.append(inner[:length])
        inner = inner[length:]
    return elements


def contents_of(encoded) -> bytes:
    """The contents of an element, which must span all of the bytes."""
    return parser.parse(encoded, strict=True)[4]


# Requests -------------------------------------------------------------------------------------------------------------

def ask(environment, receipt, password=None, **members) -> dict:
    """Sends a request to verifyReceipt, and returns the JSON answer. The HTTP status is always 200."""
    body = {"receipt-data": receipt, **members}
    if password is not None:
        body["password"] = password
    answer = own_session().post(f"{environment.base}/verifyReceipt", data=json.dumps(body), timeout=60)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json"
    payload_rules.no_nulls(answer.json())
    return answer.json()


class Records:
    """A customer's history and subscription statuses, as Apple's client receives them."""

    def __init__(self, environment, some_id, reader):
        def history(version):
            pages = environment.history(some_id, version, verify=False)
            rows = [reader.open(jws) for page in pages for jws in page.transactions]
            assert all(row["signedDate"] == environment.clock.now for row in rows)
            return {row["transactionId"]: row for row in rows}

        self.version_1, self.rows = history(V1), history(V2)
        groups = environment.client.get_all_subscription_statuses(some_id).data
        self.subscriptions = []
        for item in itertools.chain.from_iterable(group.lastTransactions for group in groups):
            renewal = payload_rules.decode(item.signedRenewalInfo)[1]
            self.subscriptions.append((item.rawStatus, renewal))


class ReceiptChecker:
    """Compares all answers about a customer with each other, and records the values and differences that occurred."""

    def __init__(self, simulation, examiner, secret):
        self.simulation = simulation
        self.examiner = examiner
        self.secret = secret
        self.readers = {environment.name: LeafReader(environment) for environment in simulation.environments}
        self.seen = {name: {} for name in ("receipt", "in_app", "latest_receipt_info", "pending_renewal_info")}
        self.differences = dict.fromkeys(DIFFERENCES, 0)
        self.renewals = []
        self.checks = 0
        self._lock = threading.Lock()

    def note(self, place, element):
        """Records the values of each key."""
        with self._lock:
            for key, value in element.items():
                if not isinstance(value, list):
                    self.seen[place].setdefault(key, set()).add(value)

    def differs(self, name, count=1):
        with self._lock:
            self.differences[name] += count

    def check(self, customer):
        try:
            self._check(customer)
        except AssertionError as fault:
            raise AssertionError(f"{customer} in round {self.simulation.round}: {fault}") from fault

    def _check(self, customer):
        environment = customer.environment
        receipt = customer.call("GET", f"/customers/{customer.name}/receipt")["receipt"]
        answer = ask(environment, receipt, self.secret)
        assert (answer["status"], answer["environment"]) == (0, environment.wire_name), answer
        self._agrees_with_the_verifier(environment, receipt, answer)
        id_ = self.examiner.utility.extract_transaction_id_from_app_receipt(receipt)
        assert (id_ is not None) == bool(answer["receipt"]["in_app"])
        known = id_ or customer.some_id
        if known is None:
            assert set(answer) == {"status", "environment", "receipt"}
            return
        records = Records(environment, known, self.readers[environment.name])
        shown = self._shown(customer, records)
        assert id_ is None or id_ in shown or id_ in {row["originalTransactionId"] for row in shown.values()}
        wanted = [in_app_of(row) for row in shown.values()]
        assert by_id(answer["receipt"]["in_app"]) == by_id(wanted)
        subscribed = any(row["type"] == SUBSCRIPTION for row in records.rows.values())
        if not subscribed:
            assert set(answer) == {"status", "environment", "receipt"}
            assert not records.subscriptions
            self.differs("no subscription")
        else:
            assert set(answer) == {"status", "environment", "receipt", "latest_receipt_info", "latest_receipt",
                                   "pending_renewal_info"}
            self._agrees_with_the_history(answer["latest_receipt_info"], shown)
            self._agrees_with_the_statuses(customer, answer["pending_renewal_info"], records)
            self._latest_receipt(environment, answer)
        with self._lock:
            self.checks += 1

    def _agrees_with_the_verifier(self, environment, receipt, answer):
        rendered = self.examiner.rendered(environment, receipt)
        assert (rendered["status"], rendered["environment"]) == (0, environment.wire_name), rendered
        theirs, ours = rendered["receipt"], answer["receipt"]
        assert set(theirs) == set(ours)
        for key in set(ours) - REQUEST_DATES:
            assert ours[key] == theirs[key] and type(ours[key]) is type(theirs[key]), key
        assert [list(map(type, item.values())) for item in ours["in_app"]] == [
            [str] * len(item) for item in theirs["in_app"]]
        now = environment.clock.now
        for key, value in {**renderings("request_date", now),
                           **renderings("receipt_creation_date", now, whole=True)}.items():
            assert ours[key] == value, key
        self.note("receipt", ours)
        for item in ours["in_app"]:
            self.note("in_app", item)

    def _shown(self, customer, records) -> dict:
        """The transactions that receipts contain. Consumables that the customer finished or that were refunded are left
        out."""
        consumables = {id_ for id_, row in records.rows.items() if row["type"] == CONSUMABLE}
        assert customer.finished | customer.refunded <= consumables
        assert {id_ for id_ in consumables if "revocationDate" in records.rows[id_]} == customer.refunded
        assert set(records.version_1) == set(records.rows) - (customer.finished - customer.refunded)
        self.differs("finished consumable", len(customer.finished))
        self.differs("refunded consumable", len(customer.refunded))
        self.differs("win-back", sum(1 for row in records.rows.values() if row.get("offerType") == 4))
        hidden = customer.finished | customer.refunded
        return {id_: row for id_, row in records.rows.items() if id_ not in hidden}

    def _agrees_with_the_history(self, elements, shown):
        wanted = {id_: transaction_of(row) for id_, row in shown.items()}
        assert len(elements) == len(wanted)
        for element in elements:
            assert element == wanted[element["transaction_id"]]
            self.note("latest_receipt_info", element)
        dates = [int(element["purchase_date_ms"]) for element in elements]
        assert dates == sorted(dates, reverse=True), "not sorted newest first"

    def _agrees_with_the_statuses(self, customer, elements, records):
        wanted = []
        for status, renewal in records.subscriptions:
            original = renewal["originalTransactionId"]
            if status == 2 and original in customer.left_in_grace:
                self.differs("left in grace")
                continue
            is_asked = original in customer.needs_consent
            wanted.append(renewal_of(renewal, is_asked))
            if "price_consent_status" in wanted[-1]:
                self.differs("consent")
            with self._lock:
                self.renewals.append((customer.environment.clock.now, status, wanted[-1]))
        by_original = {element["original_transaction_id"]: element for element in elements}
        assert by_original == {element["original_transaction_id"]: element for element in wanted}
        assert len(by_original) == len(elements)
        for element in elements:
            self.note("pending_renewal_info", element)

    def _latest_receipt(self, environment, answer):
        """Checks the latest receipt: it was created now, has the transactions of latest_receipt_info, and the same app
        and device."""
        latest = answer["latest_receipt"]
        assert re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", latest)
        rendered = self.examiner.rendered(environment, latest)
        assert rendered["status"] == 0
        assert by_id(rendered["receipt"]["in_app"]) == by_id(answer["receipt"]["in_app"])
        for key, value in answer["receipt"].items():
            if key not in REQUEST_DATES and key != "in_app":
                assert rendered["receipt"][key] == value, key


def by_id(elements) -> dict:
    found = {element["transaction_id"]: element for element in elements}
    assert len(found) == len(elements)
    return found


def states(renewals) -> dict:
    """The number of times that each subscription state that pending_renewal_info distinguishes has occurred."""
    def count(condition):
        return sum(1 for now, status, element in renewals if condition(now, status, element.get))

    def grace(now, get):
        until = get("grace_period_expires_date_ms")
        return None if until is None else int(until) > now

    def matches(renews, intent, retries, in_grace=...):
        return lambda now, status, get: (
            (get("auto_renew_status"), get("expiration_intent"), get("is_in_billing_retry_period"))
            == (renews, intent, retries) and (in_grace is ... or grace(now, get) is in_grace))

    conditions = {
        "active, renews": matches("1", None, None, None),
        "active, turned off": matches("0", None, None, None),
        "in grace": matches("1", "2", "1", True),
        "in retry without grace": matches("1", "2", "1", None),
        "in retry after grace": matches("1", "2", "1", False),
        "retry period over": matches("0", "2", "0"),
        "cancelled": matches("0", "1", "0", None),
        "ended without consent": matches("0", "3", "0"),
        "product removed from sale": matches("0", "4", "0"),
        "revoked": lambda now, status, get: status == 5,
        "another product next": lambda now, status, get: get("auto_renew_product_id") != get("product_id"),
        "consent pending": lambda now, status, get: get("price_consent_status") == "0",
        "consent given": lambda now, status, get: get("price_consent_status") == "1",
        "price increase without consent": lambda now, status, get: (
            get("price_increase_status") == "1" and get("price_consent_status") is None),
        "promotional offer next": lambda now, status, get: get("promotional_offer_id") is not None,
        "code offer next": lambda now, status, get: get("offer_code_ref_name") is not None,
    }
    return {name: count(condition) for name, condition in conditions.items()}
