"""Malicious receipts: verifyReceipt answers each with its documented status in time and accepts none of them. Memory
stays bounded, and the log contains neither receipts nor secrets."""

import base64
import json
import random
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from asn1crypto import parser

from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, PRO
from process_helpers import assert_healthy, converse, request_bytes
from receipt_checks import ask, contents_of, elements_of
from shop_helpers import NO_OFFER, App, Till

SEED = 20_310_121
FLIPS = 2_000
THREADS = 6
# A rejection takes milliseconds, but a busy machine may need more time.
LIMIT = 15
MEMORY_GROWTH = 96 << 20
SPENT = 10 << 20
MALFORMED, NOT_AUTHENTICATED = 21_002, 21_003


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    """A server that logs at debug level."""
    with Till(tmp_path_factory.mktemp("hostile"), "--log-level", "debug") as till:
        yield till
    assert_healthy(till.data, "after hostile receipts")


@pytest.fixture(scope="module")
def shop(till):
    """An app with ann in each environment. The memory and the log of the server are checked after all tests of the
    file."""
    app = App(till, "com.example.hostile", 91, None, CATALOG)
    secret = app.control.call("setSharedSecret", {}, bundleId=app.bundle_id)["sharedSecret"]
    found = SimpleNamespace(till=till, app=app, secret=secret, sandbox=app.sandbox, production=app.production)
    for environment in (app.sandbox, app.production):
        environment.buy("ann", BASIC, offer=NO_OFFER)
        for product in (PRO, COINS, FOREVER):
            environment.buy("ann", product)
    found.receipt = receipt_of(app.sandbox)
    found.raw = base64.b64decode(found.receipt)
    found.coins = app.sandbox.buy("ann", COINS).id
    found.single = receipt_of(app.sandbox, query={"transactionId": found.coins})
    assert status(found, found.raw) == 0
    before = till.memory()["VmRSS"]
    yield found
    assert status(found, found.raw) == 0, "the server does not accept the valid receipt any more"
    grown = till.memory()["VmHWM"] - before
    assert grown < MEMORY_GROWTH + 8 * SPENT, f"memory grew by {grown >> 20} MB"
    log = till.stderr() + till.stdout()
    assert secret not in log
    for start in range(0, len(found.receipt) - 48, 1_000):
        assert found.receipt[start:start + 48] not in log


def receipt_of(environment, customer="ann", query=None) -> str:
    return environment.control("getReceipt", query=query, customer=customer)["receipt"]


def encoded(raw) -> str:
    return base64.b64encode(bytes(raw)).decode()


def answer(shop, raw, environment=None) -> dict:
    """Sends bytes as a receipt with the correct secret. Checks the duration and the form of the answer, and returns
    it."""
    begun = time.monotonic()
    answered = ask(environment or shop.sandbox, encoded(raw), shop.secret)
    seconds = time.monotonic() - begun
    assert seconds < LIMIT, f"{seconds:.1f} s"
    if answered["status"] == MALFORMED:
        assert answered == {"status": MALFORMED}
    elif answered["status"] == NOT_AUTHENTICATED:
        assert answered == {"status": NOT_AUTHENTICATED, "environment": (environment or shop.sandbox).wire_name}
    return answered


def status(shop, raw, environment=None) -> int:
    return answer(shop, raw, environment)["status"]


def statuses(shop, receipts) -> dict:
    """The number of times that each status was returned for these receipts."""
    with ThreadPoolExecutor(THREADS) as pool:
        return Counter(pool.map(lambda raw: status(shop, raw), receipts))


def flipped(raw, rng, count) -> list:
    """Copies of the data, each with one flipped bit at another position."""
    for place in rng.sample(range(len(raw) * 8), count):
        changed = bytearray(raw)
        changed[place // 8] ^= 1 << place % 8
        yield bytes(changed)


def test_a_flipped_bit(shop):
    counts = statuses(shop, flipped(shop.raw, random.Random(SEED), FLIPS))
    assert set(counts) <= {MALFORMED, NOT_AUTHENTICATED} and sum(counts.values()) == FLIPS
    assert min(counts.values()) > 20, "both kinds of errors must occur often"


def test_a_flipped_bit_of_a_single_receipt(shop):
    raw = base64.b64decode(shop.single)
    counts = statuses(shop, flipped(raw, random.Random(SEED), 300))
    assert set(counts) <= {MALFORMED, NOT_AUTHENTICATED, 21_008} and sum(counts.values()) == 300


def test_a_flipped_bit_of_the_base64(shop):
    text, rng = shop.receipt.encode(), random.Random(SEED)
    for changed in flipped(text, rng, 100):
        code = ask(shop.sandbox, changed.decode("latin-1"), shop.secret)["status"]
        # White space may be inserted without changing the receipt. Every other change must be rejected.
        assert code in (MALFORMED, NOT_AUTHENTICATED) or base64.b64decode(changed) == shop.raw


def test_truncations(shop):
    ends = sorted(set(range(0, 64)) | set(random.Random(SEED).sample(range(len(shop.raw)), 200)))
    counts = statuses(shop, [shop.raw[:end] for end in ends])
    assert set(counts) == {MALFORMED}
    counts = statuses(shop, [shop.raw[start:] for start in (1, 2, 4, 100, len(shop.raw) - 1)])
    assert set(counts) == {MALFORMED}


@pytest.mark.parametrize("more", [b"\x00", b"\x00\x00", b"0", b"\x05\x00", b"\xff" * 1000])
def test_bytes_after_the_end(shop, more):
    assert status(shop, shop.raw + more) == MALFORMED


def test_two_receipts_in_one(shop):
    assert status(shop, shop.raw + shop.raw) == MALFORMED
    assert ask(shop.sandbox, shop.receipt + shop.receipt, shop.secret)["status"] == MALFORMED


def constructed(raw) -> list:
    """The offsets of the lengths of the container and of its elements."""
    places, open_ = [], [(0, len(raw))]
    while open_ and len(places) < 120:
        start, end = open_.pop()
        while start < end:
            _, _, _, header, contents, _ = parser.parse(raw[start:end])
            head, length = len(header), len(contents)
            places.append((start, head, length))
            if raw[start] & 0x20 and length:
                open_.append((start + head, start + head + length))
            start += head + length
    return places


LIES = [b"\x00", b"\x7f", b"\x80", b"\x81\xff", b"\x82\xff\xff", b"\x83\xff\xff\xff", b"\x84\xff\xff\xff\xff",
        b"\x84\x7f\xff\xff\xff", b"\x85\x01\x00\x00\x00\x00", b"\x88" + b"\xff" * 8, b"\xff"]


def test_wrong_lengths(shop):
    receipts = []
    for start, head, length in constructed(shop.raw):
        for lie in LIES:
            receipts.append(shop.raw[:start + 1] + lie + shop.raw[start + head:])
        for other in (length - 1, length + 1):
            if other >= 0 and head > 2:
                receipts.append(shop.raw[:start + 2] + other.to_bytes(head - 2) + shop.raw[start + head:])
    receipts = [raw for raw in receipts if raw != shop.raw]
    counts = statuses(shop, random.Random(SEED).sample(receipts, min(len(receipts), 900)))
    assert set(counts) <= {MALFORMED, NOT_AUTHENTICATED}


def test_a_length_that_is_longer_than_it_needs_to_be(shop):
    """The receipt has the same content, but is BER that is not DER, so it is not what the store wrote."""
    body = contents_of(shop.raw)
    for length in (b"\x83" + len(body).to_bytes(3), b"\x84" + len(body).to_bytes(4)):
        assert status(shop, shop.raw[:1] + length + body) == NOT_AUTHENTICATED


def indefinite(raw) -> bytes:
    """An element whose constructed elements have an indefinite length, down to some depth."""
    def rewrite(element, depth):
        if not element[0] & 0x20 or depth == 0 or element[0] == 0x31:
            return element
        inner = b"".join(rewrite(part, depth - 1) for part in elements_of(element, element[0]))
        return element[:1] + b"\x80" + inner + b"\x00\x00"
    return rewrite(raw, 3)


def test_indefinite_lengths(shop):
    whole = indefinite(shop.raw)
    assert whole != shop.raw and status(shop, whole) == NOT_AUTHENTICATED
    assert status(shop, b"\x30\x80" + contents_of(shop.raw) + b"\x00\x00") == NOT_AUTHENTICATED
    assert status(shop, b"\x30\x80" + contents_of(shop.raw)) == MALFORMED
    for depth in (31, 32, 33, 1_000, 500_000):
        assert status(shop, b"\x30\x80" * depth) == MALFORMED
        assert status(shop, b"\x30\x80" * depth + b"\x00\x00" * depth) == MALFORMED
        assert status(shop, b"\x24\x80" * depth + b"\x04\x01A" + b"\x00\x00" * depth) == MALFORMED


def element(tag, content) -> bytes:
    return parser.emit(tag >> 6, tag >> 5 & 1, tag & 0x1F, content)


def with_payload(raw, payload) -> bytes:
    """The receipt with another payload and its old signature."""
    (kind, content) = elements_of(raw, 0x30)
    (signed,) = elements_of(content, 0xA0)
    version, digests, (encapsulated), *rest = elements_of(signed, 0x30)
    (data, _) = elements_of(encapsulated, 0x30)
    inner = element(0x30, data + element(0xA0, element(0x04, payload)))
    return element(0x30, kind + element(0xA0, element(0x30, version + digests + inner + b"".join(rest))))


def payload_of(raw) -> bytes:
    (_, content) = elements_of(raw, 0x30)
    (signed,) = elements_of(content, 0xA0)
    (_, wrapped) = elements_of(elements_of(signed, 0x30)[2], 0x30)
    (octets,) = elements_of(wrapped, 0xA0)
    return contents_of(octets)


def attribute(number, value, version=1) -> bytes:
    def integer(value):
        return element(0x02, value.to_bytes(value.bit_length() // 8 + 1))
    return element(0x30, integer(number) + integer(version) + element(0x04, value))


def purchase() -> bytes:
    """A purchase as an attribute of a receipt: quantity, product, transaction and date."""
    values = {1701: b"\x02\x01\x01", 1702: b"\x0c\x01a", 1703: b"\x0c\x011", 1704: b"\x16\x142026-01-01T00:00:00Z"}
    return attribute(17, element(0x31, b"".join(attribute(*value) for value in values.items())))


def test_a_replaced_payload(shop):
    payload = payload_of(shop.raw)
    assert with_payload(shop.raw, payload) == shop.raw, "reassembling the receipt changes it"
    parts = elements_of(payload, 0x31)
    changes = {
        "one purchase more": parts + [purchase()],
        "one attribute less": parts[1:],
        "an unknown attribute": parts + [attribute(4711, b"\x0c\x00")],
        "an unknown attribute of a huge number": parts + [attribute(1 << 200, b"\x0c\x00")],
        "another order": parts[::-1],
        "everything twice": parts + parts,
    }
    for name, changed in changes.items():
        code = status(shop, with_payload(shop.raw, element(0x31, b"".join(changed))))
        assert code in (MALFORMED, NOT_AUTHENTICATED), name
    for nothing in (b"", b"\x31\x00", b"\x30\x00", b"\x04\x00", b"\x31\x80\x00\x00", payload[:-1], payload + b"\x00"):
        assert status(shop, with_payload(shop.raw, nothing)) in (MALFORMED, NOT_AUTHENTICATED)


def nested(depth) -> bytes:
    """Nested SETs with correct lengths."""
    heads, size = [], 0
    for _ in range(depth):
        length = size.to_bytes((size.bit_length() + 7) // 8 or 1)
        heads.append(b"\x31" + (bytes([size]) if size < 0x80 else bytes([0x80 | len(length)]) + length))
        size += len(heads[-1])
    return b"".join(reversed(heads))


@pytest.mark.parametrize("depth", [1, 2, 100, 10_000, 300_000])
def test_nested_sets(shop, depth):
    assert status(shop, nested(depth)) == MALFORMED
    assert status(shop, with_payload(shop.raw, nested(depth))) == MALFORMED
    parts = elements_of(payload_of(shop.raw), 0x31)
    bomb = element(0x31, b"".join(parts + [attribute(17, nested(depth))]))
    assert status(shop, with_payload(shop.raw, bomb)) == MALFORMED


def test_very_many_purchases(shop):
    parts = elements_of(payload_of(shop.raw), 0x31)
    for count in (19_000, 30_000):
        payload = element(0x31, b"".join(parts) + purchase() * count)
        assert status(shop, with_payload(shop.raw, payload)) in (MALFORMED, NOT_AUTHENTICATED)


def send(shop, body):
    begun = time.monotonic()
    outcome = converse(shop.till.ports["sandbox"], request_bytes("POST", "/verifyReceipt", body=body), LIMIT)
    assert time.monotonic() - begun < LIMIT
    assert outcome.status == 200, outcome
    return outcome


def test_ten_megabytes_of_zeros(shop):
    zeros = bytes(10 << 20)
    for body in (zeros, json.dumps({"receipt-data": "A" * len(zeros)}).encode(),
                 b'{"receipt-data":"' + zeros + b'"}'):
        assert send(shop, body).answers[0].body == b'{"status":21002}'
    allowed = 5 << 20
    assert ask(shop.sandbox, "A" * allowed, shop.secret) == {"status": MALFORMED}
    for filling in (" ", "=", "\n="):
        assert ask(shop.sandbox, filling * (1 << 19), shop.secret) == {"status": MALFORMED}
    assert status(shop, b"{" + b"\n" * (3 << 20)) == MALFORMED


@pytest.mark.parametrize("body", [
    b'{"receipt-data":' * 50_000, b"[" * 200_000, b'{"receipt-data":"' + b"\\u0041" * 100_000 + b'"}',
    b'{"receipt-data":"AAAA","password":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"receipt-data":"AAAA","password":1e999999}', b'{"receipt-data":"AAAA","exclude-old-transactions":1e999999}',
    b'{"receipt-data":"\\ud800"}',
])
def test_malicious_json(shop, body):
    assert send(shop, body).answers[0].body == b'{"status":21002}'


def test_a_long_password(shop):
    for password in ("x" * (1 << 20), "\x00", "é" * 1000, shop.secret + "\x00", shop.secret.upper() + " "):
        assert ask(shop.sandbox, shop.receipt, password)["status"] == 21_004


def test_a_receipt_of_another_app_environment_or_root(shop, tmp_path_factory):
    other = App(shop.till, "com.example.other", 92, shop.app.issuer_id, CATALOG)
    theirs = shop.app.control.call("setSharedSecret", {}, bundleId=other.bundle_id)["sharedSecret"]
    other.sandbox.buy("ann", PRO)
    receipt = receipt_of(other.sandbox)
    assert ask(shop.sandbox, receipt, shop.secret)["status"] == 21_004, "the secret must be that of the receipt's app"
    answered = ask(shop.sandbox, receipt, theirs)
    assert answered["status"] == 0 and answered["receipt"]["bundle_id"] == other.bundle_id
    assert ask(shop.production, shop.receipt, shop.secret) == {"status": 21_007}
    assert ask(shop.sandbox, receipt_of(shop.production), shop.secret) == {"status": 21_008}
    with Till(tmp_path_factory.mktemp("foreign")) as foreign:
        twin = App(foreign, shop.app.bundle_id, 91, None, CATALOG)
        twin.sandbox.buy("ann", PRO)
        stranger = base64.b64decode(receipt_of(twin.sandbox))
        assert status(shop, stranger) == NOT_AUTHENTICATED
        assert status(shop, with_payload(shop.raw, payload_of(stranger))) == NOT_AUTHENTICATED
        assert status(shop, with_payload(stranger, payload_of(shop.raw))) == NOT_AUTHENTICATED


def test_the_payload_of_another_receipt(shop):
    """Each receipt is valid alone, but the signature of one does not match the payload of the other."""
    shop.sandbox.buy("bob", COINS)
    bobs = base64.b64decode(receipt_of(shop.sandbox, "bob"))
    assert status(shop, bobs) == 0
    assert status(shop, with_payload(shop.raw, payload_of(bobs))) == NOT_AUTHENTICATED


def test_other_signed_data_is_no_receipt(shop):
    jws = shop.sandbox.control("getTransaction", transactionId=shop.coins)["signedTransactionInfo"]
    for text in (jws, jws.split(".")[1], encoded(jws.encode()), encoded(shop.app.root)):
        assert ask(shop.sandbox, text, shop.secret) == {"status": MALFORMED}


def test_a_slow_and_a_broken_request(shop):
    whole = request_bytes("POST", "/verifyReceipt", body=json.dumps({"receipt-data": shop.receipt}).encode())
    outcome = converse(shop.till.ports["sandbox"], [whole[:200], whole[200:]], LIMIT, pause=0.3)
    assert outcome.status == 200 and re.match(rb'\{"status":21004', outcome.answers[0].body)
    broken = converse(shop.till.ports["sandbox"], whole[:300], LIMIT, half_close=True)
    assert broken.status in (None, 400, 200)
