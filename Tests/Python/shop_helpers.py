"""An app on a running Till, as the tests use it: its control API, its two environments, and Apple's client and
verifier.

Every answer is checked here. Control answers are compared with the OpenAPI document. Answers of Apple's API are checked
for their content type and for nulls. Each JWS is verified by the official SignedDataVerifier and by payload_rules.
"""

import base64
import hashlib
import importlib
import itertools
import re
import ssl
import time
import uuid
from copy import copy
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.TransactionHistoryRequest import Order
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from jsonschema import Draft202012Validator

import error_codes
import payload_rules
from process_helpers import AppleKey, Server, flat, path_part
from remembering_verifier import RememberingVerifier

V1, V2 = GetTransactionHistoryVersion.V1, GetTransactionHistoryVersion.V2
JSON = "application/json"
LINES = "application/x-ndjson"
REQUEST_ID = re.compile(r"[A-Z2-7]{26}\.0\.0")
DAY = 86_400_000
NO_OFFER = {"kind": "NONE"}

# The error codes and operations of this run, for test_complete.py.
provoked_codes = set()
control_calls = {}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class AppleModels:
    """The models of Apple's library by name. In the library, each is in a module of its own."""

    def __getattr__(self, name):
        return getattr(importlib.import_module(f"appstoreserverlibrary.models.{name}"), name)


models = AppleModels()


class Till(Server):
    """A `till serve` process with its data in the given folder, or else in its own folder."""

    def __init__(self, folder, *arguments, data=None, **options):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        super().__init__(data or self.folder / "data", self.folder, *arguments, **options)

    @cached_property
    def client(self):
        """A client of the control API."""
        return ControlClient(self.address("control"))


# Control --------------------------------------------------------------------------------------------------------------


# Routes for load balancers and monitoring, which are in the OpenAPI document and take no parameters.
SERVER_ROUTES = {"getHealth", "getReadiness", "getMetrics"}


class ControlRefused(Exception):
    """A control call that was rejected."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.code, self.message = status, body.get("code"), body.get("message")


class ControlClient:
    """Calls operations by their operationId, and checks each answer against the server's OpenAPI document."""

    def __init__(self, address: str):
        self.address = address
        self.session = requests.Session()
        self.document = self.session.get(f"{address}/openapi.json", timeout=30).json()
        self.operations = {}
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                self.operations[operation["operationId"]] = (method.upper(), path, operation)
        self._components = _closed(self.document["components"])
        self._validators = {}

    def call(self, operation_id, body=None, query=None, **parameters):
        """Returns the JSON or the lines of the answer. Raises ControlRefused for a documented error. Bytes are sent as
        lines."""
        method, path, operation = self.operations[operation_id]
        for name in re.findall(r"{(\w+)}", path):
            path = path.replace("{" + name + "}", path_part(str(parameters.pop(name))))
        assert not parameters, f"{operation_id} has no parameters {sorted(parameters)}"
        if any(parameter["name"] == "include" for parameter in operation.get("parameters", [])):
            query = {"include": "signed,device", **(query or {})}
        sent = {"data": body, "headers": {"Content-Type": LINES}} if isinstance(body, bytes) else {"json": body}
        answer = self.session.request(method, self.address + path, params=query, timeout=60, **sent)
        return self.check_answer(operation_id, answer)

    def check_answer(self, operation_id, answer):
        """Checks an answer against the documented schema for its status."""
        responses = self.operations[operation_id][2]["responses"]
        key = str(answer.status_code)
        if answer.status_code >= 400:
            key = "default"
        undocumented = f"{operation_id} answered {answer.status_code}, which is not documented: {answer.text[:300]}"
        assert key in responses, undocumented
        control_calls.setdefault(operation_id, set()).add(key)
        if "content" not in responses[key]:
            assert answer.content == b"", f"{operation_id}: has a body, and none is documented"
            return None
        if LINES in responses[key]["content"]:
            assert answer.headers["Content-Type"] == LINES
            return answer.content
        assert answer.headers["Content-Type"] == JSON, f"{operation_id}: {answer.headers.get('Content-Type')}"
        value = answer.json()
        payload_rules.no_nulls(value)
        self._validator(operation_id, key).validate(value)
        if key == "default":
            raise ControlRefused(answer.status_code, value)
        return flat(value)

    def _validator(self, operation_id, key):
        if (operation_id, key) not in self._validators:
            schema = self.operations[operation_id][2]["responses"][key]["content"][JSON]["schema"]
            # The references of the schema lead into the components of the document.
            self._validators[operation_id, key] = Draft202012Validator({**_closed(schema), "components": self._components})
        return self._validators[operation_id, key]


def _closed(schema):
    """The same schema, but without additional properties."""
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    if "properties" in schema:
        closed["properties"] = {name: _closed(inner) for name, inner in schema["properties"].items()}
        closed.setdefault("additionalProperties", False)
    return closed


# Apps -----------------------------------------------------------------------------------------------------------------


class App:
    """An app, an API key of its team, and its two environments."""

    def __init__(self, server, bundle_id, apple_id=None, issuer_id=None, catalog=None):
        self.server = server
        self.control = control = server.client
        self.bundle_id = bundle_id
        made = control.call("createApp", _present(bundleId=bundle_id, appAppleId=apple_id, issuerId=issuer_id))
        self.apple_id = made["appAppleId"]
        self.issuer_id = made["issuerId"]
        self.key = control.call("createKey", {"name": bundle_id, "issuerId": self.issuer_id})
        self.token = AppleKey(self.key, bundle_id).token
        if catalog:
            control.call("putCatalog", catalog, bundleId=bundle_id)
        self.root = server_root(server)
        self.sandbox = ShopEnvironment(self, "sandbox")
        self.production = ShopEnvironment(self, "production")

    def environment(self, name):
        return getattr(self, name)

    def on(self, server):
        """The same app on another server with the same data."""
        there = copy(self)
        there.server, there.control = server, server.client
        there.sandbox, there.production = ShopEnvironment(there, "sandbox"), ShopEnvironment(there, "production")
        return there

    def signer(self, creator):
        """One of the signature creators of Apple's library, with the key of this app."""
        return creator(self.key["privateKey"].encode(), self.key["keyId"], self.issuer_id, self.bundle_id)

    def client(self, environment, key=None, bundle_id=...) -> AppStoreServerAPIClient:
        """Apple's client with the address of this server."""
        key = key or self.key
        client = AppStoreServerAPIClient(
            key["privateKey"].encode(), key["keyId"], key["issuerId"],
            self.bundle_id if bundle_id is ... else bundle_id,
            models.Environment(environment.capitalize()),
        )
        client._base_url = self.server.address(environment)
        return client


def server_root(server) -> bytes:
    """The root certificate that the ready file names, as DER."""
    return ssl.PEM_cert_to_DER_cert(Path(server.document["rootCertificate"]).read_text())


def _present(**members):
    return {key: value for key, value in members.items() if value is not None}


class Signed(dict):
    """A verified JWS: the raw payload, and the object that the official library decoded."""

    def __init__(self, jws, payload, decoded):
        super().__init__(payload)
        self.jws, self.payload, self.decoded = jws, payload, decoded

    @property
    def lasting(self) -> dict:
        """The payload without the values that differ from answer to answer."""
        passing = ("signedDate", "deviceVerification", "deviceVerificationNonce")
        return {key: value for key, value in self.items() if key not in passing}


class Purchase:
    """The answer of the control API to a purchase, with all its JWS verified."""

    def __init__(self, environment, answer):
        self.answer = answer
        self.id = answer["transactionId"]
        self.original_id = answer["originalTransactionId"]
        self.app_transaction_id = answer["appTransactionId"]
        self.order_id = answer.get("orderId")
        self.events = answer["events"]
        self.transaction = environment.transaction(answer["signedTransactionInfo"])
        self.renewal = None
        if "signedRenewalInfo" in answer:
            self.renewal = environment.renewal_info(answer["signedRenewalInfo"])
        device = answer["device"]
        self.device_id = device["deviceId"]
        self.on_device = environment.transaction(device["signedTransactionInfo"], device=self.device_id)
        self.app_on_device = None
        if "signedAppTransactionInfo" in device:
            self.app_on_device = environment.app_transaction(device["signedAppTransactionInfo"], device=self.device_id)
        assert self.transaction["transactionId"] == self.id
        assert self.transaction["originalTransactionId"] == self.original_id
        assert self.transaction["appTransactionId"] == self.app_transaction_id
        assert self.transaction.get("webOrderLineItemId") == answer.get("webOrderLineItemId")
        assert self.on_device.lasting == self.transaction.lasting

    @property
    def payload(self):
        return self.transaction.payload


class Clock:
    """A customer clock, which is frozen until it is advanced.

    Within a `with` block, the signing date of everything must match the clock to the millisecond. After the block, the
    customers use the environment's clock again.
    """

    def __init__(self, environment, at):
        self.environment = environment
        self.name = str(uuid.uuid4())
        self.now = at
        self.customers = []
        made = environment.control("createClock", {"name": self.name, "mode": "frozen", "at": at})
        assert made == {"name": self.name, "mode": "frozen", "now": at}

    def take(self, customer, **options):
        """Assigns a customer to this clock. If the clock is in the past, a new customer is created with a date in the
        past."""
        self.environment.create(customer, **_present(at=self.now if self.now <= now_ms() else None), **options)
        assert self.environment.control("updateCustomer", {"clock": self.name}, customer=customer)["clock"] == self.name
        self.customers.append(customer)

    def advance(self, **target) -> dict:
        """Advances the clock by `to`, `by` or `toNextEvent`, and returns the number of notifications of each type."""
        before = self.now
        report = self.environment.control("advanceClock", {"clock": self.name, **target})
        assert report["from"] == before and report["quarantined"] == []
        assert report["to"] == target.get("to", report["to"])
        self.now = report["to"]
        return {"/".join([entry["type"], *_present(subtype=entry.get("subtype")).values()]): entry["count"]
                for entry in report["notifications"]}

    def __enter__(self):
        assert self.environment.clock is None, "one clock at a time"
        self.environment.clock = self
        return self

    def __exit__(self, kind, *_):
        self.environment.clock = None
        if kind is None:
            for customer in self.customers:
                changed = self.environment.control("updateCustomer", {"clock": ""}, customer=customer)
                assert "clock" not in changed


class ShopEnvironment:
    """One environment of an app: purchases through the control API, and requests through Apple's API."""

    def __init__(self, app, name):
        self.app = app
        self.name = name
        self.wire_name = "Sandbox" if name == "sandbox" else "Production"
        self.client = app.client(name)
        # The clock of the customers whose data is requested; None for real time.
        self.clock = None
        self._session = requests.Session()
        self.verifier = RememberingVerifier(
            [app.root], False, models.Environment(self.wire_name), app.bundle_id,
            app.apple_id if name == "production" else None,
        )

    @property
    def base(self):
        return self.app.server.address(self.name)

    # Control

    def control(self, operation_id, body=None, query=None, **parameters):
        return self.app.control.call(
            operation_id, body, query, bundleId=self.app.bundle_id, environment=self.name, **parameters
        )

    def buy(self, customer, product_id, **options) -> Purchase:
        return Purchase(self, self.control("buyProduct", {"productId": product_id, **options}, customer=customer))

    def buy_many(self, customer, product_id, count, **options) -> list:
        """Makes purchases one after the other and returns their transaction ids. The signed data is not verified."""
        body = {"productId": product_id, **options}
        return [self.control("buyProduct", body, customer=customer)["transactionId"] for _ in range(count)]

    def refund(self, transaction_id, **options) -> Purchase:
        return Purchase(self, self.control("refundTransaction", options, transactionId=transaction_id))

    def reverse(self, transaction_id, **options) -> Purchase:
        return Purchase(self, self.control("reverseRefund", options, transactionId=transaction_id))

    def create(self, customer, **options) -> dict:
        return self.control("createCustomer", {"customer": customer, **options})

    def cancel(self, original_id, **options) -> Purchase:
        answer = self.control("cancelSubscription", options, originalTransactionId=original_id)
        cancelled = Purchase(self, answer)
        assert cancelled.events == ["autoRenewDisabled"]
        assert cancelled.renewal["autoRenewStatus"] == 0
        return cancelled

    def on_clock(self, customer, at, **options) -> Clock:
        """Creates a clock that is frozen at an instant, for this customer only."""
        clock = Clock(self, at)
        clock.take(customer, **options)
        return clock

    def lapsed(self, customer, product_id, days=60, offer=NO_OFFER, **options) -> Purchase:
        """A subscription that was bought this number of days ago, cancelled at once, and has expired.

        If the offer is None, the customer gets the introductory offer, if eligible.
        """
        with self.on_clock(customer, now_ms() - days * DAY) as clock:
            bought = self.buy(customer, product_id, **_present(offer=offer), **options)
            self.cancel(bought.original_id)
            assert clock.advance(to=now_ms()) == {"EXPIRED/VOLUNTARY": 1}
        assert bought.payload["expiresDate"] < now_ms()
        return bought

    # Verified data

    def transaction(self, jws, device=None) -> Signed:
        """Verifies a transaction with Apple's verifier, and checks it against the payload rules."""
        signed = self._signed(jws, "signed_transaction", ("deviceVerification", "deviceVerificationNonce"))
        payload_rules.check_transaction(signed.payload, self.wire_name, on_device=device is not None)
        assert signed["bundleId"] == self.app.bundle_id
        self._check_device(signed, device)
        return signed

    def renewal_info(self, jws) -> Signed:
        signed = self._signed(jws, "renewal_info")
        payload_rules.check_renewal_info(signed.payload, self.wire_name)
        return signed

    def app_transaction(self, jws, device=None) -> Signed:
        signed = self._signed(jws, "app_transaction", ("requestDate",), dated="receiptCreationDate")
        payload_rules.check_app_transaction(signed.payload, self.wire_name, on_device=device is not None)
        assert signed["bundleId"] == self.app.bundle_id and signed["appAppleId"] == self.app.apple_id
        self._check_device(signed, device)
        return signed

    def _signed(self, jws, kind, unread=(), dated="signedDate") -> Signed:
        """Verifies a JWS with Apple's verifier, and checks that it was signed now. The verifier does not read the keys
        in `unread`."""
        decoded = getattr(self.verifier, f"verify_and_decode_{kind}")(jws)
        header, payload = payload_rules.decode(jws)
        payload_rules.check_header(header)
        payload_rules.same_as_decoded(payload, decoded, but=unread)
        if self.clock:
            assert payload[dated] == self.clock.now, f"signed at {payload[dated]}, but the clock shows {self.clock.now}"
        else:
            assert abs(now_ms() - payload[dated]) < 60_000, f"signed at {payload[dated]}, but it is {now_ms()}"
        return Signed(jws, payload, decoded)

    @staticmethod
    def _check_device(payload, device):
        """Checks that deviceVerification is the Base64 of SHA-384 over the nonce and the device id, both in lower
        case."""
        if device is None:
            return
        assert device == str(uuid.UUID(device)), "a device id is a lower-case UUID"
        nonce = payload["deviceVerificationNonce"]
        assert payload_rules.UUID.fullmatch(nonce)
        digest = hashlib.sha384((nonce.lower() + device.lower()).encode()).digest()
        assert payload["deviceVerification"] == base64.b64encode(digest).decode()

    # Apple's API

    def send(self, method, path, token=..., **options) -> requests.Response:
        """Sends a plain request with the app's token, another token or none."""
        token = self.app.token() if token is ... else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._session.request(method, self.base + path, headers=headers, timeout=60, **options)

    def ask(self, path, keys, **options) -> dict:
        """Sends a GET request. The answer must be 200 with exactly these keys."""
        answer = self.send("GET", path, **options)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == JSON
        value = answer.json()
        payload_rules.no_nulls(value)
        assert set(value) == set(keys), sorted(value)
        return value

    def check_error(self, answer, code):
        """Checks the format of a documented error, and its entry in the request log."""
        assert answer.status_code == code // 10_000, f"{answer.status_code} {answer.text}"
        assert answer.headers["Content-Type"] == JSON
        value = answer.json()
        assert set(value) == {"errorCode", "errorMessage"}, value
        assert type(value["errorCode"]) is int and value["errorCode"] == code, value
        assert value["errorMessage"] == error_codes.MESSAGES[code]
        entry = self.explain(answer)
        assert entry["status"] == answer.status_code and entry["errorCode"] == code
        provoked_codes.add(code)
        return entry

    def explain(self, answer) -> dict:
        """The request log entry of an answer."""
        request_id = answer.headers["X-Request-ID"]
        assert REQUEST_ID.fullmatch(request_id), request_id
        entry = self.app.control.call("explainRequest", requestId=request_id)
        assert entry["requestId"] == request_id
        assert entry["environment"] == self.wire_name
        assert len(entry["explanation"]) > 10
        return entry

    def refused(self, code, call, method, path, **options):
        """Checks that Apple's client and a plain request get the same documented error.

        `call` gets the official client. Returns the entry of the request log.
        """
        with pytest.raises(APIException) as raised:
            call(self.client)
        assert raised.value.http_status_code == code // 10_000
        assert raised.value.raw_api_error == code
        assert raised.value.error_message == error_codes.MESSAGES[code]
        return self.check_error(self.send(method, path, **options), code)

    # History

    def history(self, any_id, version=V2, client=None, revision=None, verify=True, **filters):
        """Reads a history with Apple's client, checks each page, and yields the transactions."""
        request = models.TransactionHistoryRequest(**filters)
        client = client or self.client
        for number in itertools.count():
            page = client.get_transaction_history(any_id, revision, request, version)
            assert page.rawEnvironment == self.wire_name
            assert page.bundleId == self.app.bundle_id
            assert page.appAppleId == self.app.apple_id
            assert page.revision and isinstance(page.hasMore, bool)
            assert len(page.signedTransactions) <= 20
            if page.hasMore:
                assert len(page.signedTransactions) == 20, "only the last page is short"
            revision = page.revision
            found = [self.transaction(jws) for jws in page.signedTransactions] if verify else page.signedTransactions
            yield SimpleNamespace(transactions=found, revision=revision)
            if not page.hasMore:
                return
            assert number < 5_000, "the history does not end"

    def whole_history(self, any_id, version=V2, **filters):
        """All transactions of a history, with the revision at its end."""
        pages = list(self.history(any_id, version, **filters))
        return [signed for page in pages for signed in page.transactions], pages[-1].revision

    def whole_refund_history(self, any_id, revision=None):
        found = []
        while True:
            page = self.client.get_refund_history(any_id, revision)
            assert len(page.signedTransactions) <= 20
            found += [self.transaction(jws) for jws in page.signedTransactions]
            revision = page.revision
            assert revision
            if not page.hasMore:
                return found, revision
            assert len(page.signedTransactions) == 20


class LeafReader:
    """Decodes many signed transactions fast. Apple's verifier checks each new chain, and the key of the leaf
    certificate checks each signature."""

    def __init__(self, environment):
        self.environment = environment
        self.chain = None

    def open(self, jws) -> dict:
        header, payload = payload_rules.decode(jws)
        if header["x5c"] != self.chain:
            self.environment.transaction(jws)
            self.chain = header["x5c"]
        verify_with_leaf(jws, header["x5c"][0])
        payload_rules.check_transaction(payload, self.environment.wire_name)
        return payload


@cache
def key_of(certificate):
    """The public key of a certificate in Base64."""
    return x509.load_der_x509_certificate(base64.b64decode(certificate)).public_key()


def verify_with_leaf(jws, leaf):
    """Verifies the signature of a JWS with the key of a leaf certificate, without the chain."""
    signed, _, signature = jws.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    assert len(raw) == 64
    der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key_of(leaf).verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))


DESCENDING = Order.DESCENDING

# The routes of Apple's API that take only an id, each with the method of Apple's client that calls it.
APPLES_CALLS = {
    "getTransactionHistory": lambda client, id_: client.get_transaction_history(
        id_, None, models.TransactionHistoryRequest(), V2),
    "getTransactionHistoryV1": lambda client, id_: client.get_transaction_history(
        id_, None, models.TransactionHistoryRequest(), V1),
    "getTransactionInfo": lambda client, id_: client.get_transaction_info(id_),
    "finishTransaction": lambda client, id_: client.finish_transaction(id_),
    "setAppAccountToken": lambda client, id_: client.set_app_account_token(
        id_, models.UpdateAppAccountTokenRequest(str(uuid.UUID(int=7)))),
    "getAppTransactionInfo": lambda client, id_: client.get_app_transaction_info(id_),
    "getAllSubscriptionStatuses": lambda client, id_: client.get_all_subscription_statuses(id_),
    "getRefundHistory": lambda client, id_: client.get_refund_history(id_, None),
}


def ids(transactions):
    return [signed["transactionId"] for signed in transactions]
