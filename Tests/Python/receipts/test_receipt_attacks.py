"""The receipts of the attack pack: verifyReceipt and an independent verifier reject every case. The report finds a
backend that decodes receipts without verifying them."""

import base64
import hashlib
import json
import ssl
import uuid

import pytest
from apple_purchase_receipt_verifier import Config, Environment, Verifier
from asn1crypto import cms, core

from catalog_of_everything import COINS
from process_helpers import run_till
from receipt_checks import ask, attributes
from shop_helpers import ControlRefused

ALLOWED = {"control", "other-device", "other-apps-hash", "transaction-control"}
MALFORMED, NOT_AUTHENTICATED, NO_ACCOUNT = 21_002, 21_003, 21_010
STATUSES = {
    "control": 0, "wrong-root": NOT_AUTHENTICATED, "leaf-without-marker": NOT_AUTHENTICATED,
    "intermediate-without-marker": NOT_AUTHENTICATED, "expired-leaf": NOT_AUTHENTICATED,
    "leaf-not-yet-valid": NOT_AUTHENTICATED, "tampered-payload": NOT_AUTHENTICATED,
    "tampered-signature": NOT_AUTHENTICATED, "truncated": MALFORMED, "trailing-bytes": MALFORMED,
    "other-app": NO_ACCOUNT, "other-environment": None, "other-device": 0, "other-apps-hash": 0,
    "transaction-control": 0, "transaction-wrong-signer": NOT_AUTHENTICATED,
    "transaction-tampered-purchase": NOT_AUTHENTICATED, "transaction-tampered-signature": NOT_AUTHENTICATED,
}


def pack(environment, **query):
    return {case["case"]: case for case in environment.control("listAttacks", query={"receipts": "true", **query})}


@pytest.fixture
def strict(app):
    """Accepts an app receipt, or returns the reason for rejecting it. An independent verifier checks signature, chain
    and dates."""
    root = ssl.PEM_cert_to_DER_cert(app.control.call("getAuthority", query={"receipts": "true"})["rootCertificate"])
    verifier = Verifier(Config(roots=[root]))

    def judge(receipt, environment, device=None):
        found = verifier.verify_receipt(receipt)
        if found.payload is None:
            return found.failure.reason.name
        body = json.dumps({"receipt-data": receipt})
        status = json.loads(verifier.verify_receipt_endpoint(Environment(environment.wire_name), body))["status"]
        if status:
            return str(status)
        if device and hash_of(receipt, device) != found_hash(receipt):
            return "hash"
        return None if found.payload.bundle_id == environment.app.bundle_id else "bundle id"

    return judge


def payload_of(receipt) -> dict:
    """The attributes of a receipt by type, read without verification."""
    signed = cms.ContentInfo.load(base64.b64decode(receipt))["content"]
    return {type_: value for type_, _, value in attributes(signed["encap_content_info"]["content"].native)}


def found_hash(receipt) -> bytes:
    return payload_of(receipt)[5]


def hash_of(receipt, device) -> bytes:
    payload = payload_of(receipt)
    return hashlib.sha1(uuid.UUID(device).bytes + payload[4] + payload[2]).digest()


def expected(environment, name, known=True) -> int:
    if name == "other-environment":
        return 21_007 if environment.name == "production" else 21_008
    return STATUSES[name] if known or STATUSES[name] else NO_ACCOUNT


@pytest.mark.parametrize("known", [True, False], ids=["known", "made-up"])
def test_verify_receipt_returns_the_status_of_each_case(environment, customer, known):
    cases = pack(environment, **({"transactionId": environment.buy(customer, COINS).id} if known else {}))
    assert list(cases) == list(STATUSES)
    assert {name for name, case in cases.items() if not case["mustBeRefused"]} == ALLOWED
    for name, case in cases.items():
        answer = ask(environment, case["receipt"])
        assert answer["status"] == case["status"] == expected(environment, name, known), name
        assert case["status"] or not case["mustBeRefused"]


def test_a_strict_verifier_rejects_every_case(environment, customer, strict):
    cases = pack(environment, transactionId=environment.buy(customer, COINS).id)
    for name, case in cases.items():
        if name.startswith("transaction-"):
            continue
        verdict = strict(case["receipt"], environment)
        assert (verdict is None) != case["mustBeRefused"], f"{name}: {verdict}"
        if name not in ("truncated", "trailing-bytes"):
            verdict = strict(case["receipt"], environment, case["deviceId"])
            assert (verdict is None) == (name == "control"), f"{name}: {verdict}"
    assert strict(cases["other-device"]["receipt"], environment, cases["other-device"]["deviceId"]) == "hash"


def test_forged_receipts_differ_only_in_the_forged_part(sandbox, customer):
    cases = pack(sandbox, transactionId=sandbox.buy(customer, COINS).id)
    right = payload_of(cases["control"]["receipt"])
    for name in ("wrong-root", "leaf-without-marker", "expired-leaf", "tampered-signature"):
        assert payload_of(cases[name]["receipt"]) == right, name
    tampered = payload_of(cases["tampered-payload"]["receipt"])
    assert {key for key in right if right[key] != tampered[key]} == {17}
    assert core.load(payload_of(cases["other-app"]["receipt"])[2]).native == sandbox.app.bundle_id + ".other"


def test_the_control_api_validates_case_names(sandbox):
    assert list(pack(sandbox, case="expired-leaf")) == ["expired-leaf"]
    for query, error in [
        ({"case": "alg-none"}, (400, "bad_query")), ({"transactionId": "1"}, (404, "unknown_transaction")),
    ]:
        with pytest.raises(ControlRefused) as refused:
            pack(sandbox, **query)
        assert (refused.value.status, refused.value.code) == error


# Backends -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def backend(post):
    """A developer's server. Its `judge` gets the JSON of a post and returns a status and an answer."""
    def make(judge):
        def answer(handler):
            try:
                status, found = judge(json.loads(post.received[-1].body))
            except Exception:
                status, found = 400, {}
            post.reply(handler, status, json.dumps(found).encode(), Connection="close")

        post.answer = answer
        return post

    return make


def attack(app, *arguments, code):
    done = run_till(
        "attack", "--receipts", "--app", app.bundle_id, "--control", app.server.address("control"), *arguments,
        timeout=120,
    )
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}{done.stderr}"
    return done


def is_single(body) -> bool:
    return base64.b64decode(body["receipt-data"])[:1] == b"{"


def test_a_backend_that_verifies_passes(sandbox, strict, backend):
    def judge(body):
        good = not is_single(body) and strict(body["receipt-data"], sandbox, body["deviceId"]) is None
        return (200 if good else 401), {}

    careful = backend(judge)
    output = attack(sandbox.app, "--post", careful.url, code=0).stdout
    assert "The backend accepted no attack." in output
    assert len(careful.received) == len(STATUSES)
    assert all(set(json.loads(each.body)) == {"receipt-data", "deviceId"} for each in careful.received)


def test_a_backend_that_only_decodes_receipts_is_reported(sandbox, backend):
    def judge(body):
        if is_single(body):
            return 200, {"ok": b"purchase-info" in base64.b64decode(body["receipt-data"])}
        return 200, {"bundle": core.load(payload_of(body["receipt-data"])[2]).native}

    weak = backend(judge)
    report = json.loads(attack(sandbox.app, "--post", weak.url, "--json", code=3).stdout)
    wanted = set(STATUSES) - ALLOWED
    assert {entry["case"] for entry in report["attacks"]} == wanted
    # A truncated receipt cannot be decoded. A lenient parser ignores bytes after the end.
    assert set(report["accepted"]) >= wanted - {"truncated", "trailing-bytes"}
    assert {entry["case"] for entry in report["others"]} == ALLOWED - {"control"}
    output = attack(sandbox.app, "--post", weak.url, "--case", "wrong-root", code=3).stdout
    assert "The backend accepted 1 of 1 attacks." in output and "ends at a different root" in output


def test_a_status_in_the_answer_counts_as_a_rejection(sandbox, customer, backend):
    asking = backend(lambda body: (200, ask(sandbox, body["receipt-data"])))
    about = sandbox.buy(customer, COINS).id
    report = json.loads(attack(sandbox.app, "--post", asking.url, "--about", about, "--json", code=0).stdout)
    assert report["accepted"] == [] and all(entry["status"] == 200 for entry in report["attacks"])
    assert all(entry["accepted"] for entry in report["others"])
    # verifyReceipt does not know an invented purchase.
    refused = attack(sandbox.app, "--post", asking.url, code=1).stderr
    assert "refused a valid receipt" in refused and "--about" in refused


def test_verify_receipt_itself_passes(environment, customer):
    about = environment.buy(customer, COINS).id
    output = attack(
        environment.app, "--environment", environment.name, "--about", about,
        "--post", f"{environment.base}/verifyReceipt", code=0
    ).stdout
    assert "The backend accepted no attack." in output


def test_the_command_lists_and_prints(app, sandbox):
    listed = attack(app, code=0).stdout
    for name, case in pack(sandbox).items():
        assert name in listed and case["wrong"] in listed and f"status: {case['status']}" in listed
    printed = json.loads(attack(app, "--case", "truncated", "--json", code=0).stdout)
    assert base64.b64decode(printed[0]["receipt"])[:1] == b"\x30"
    assert "case must be one of control, wrong-root" in attack(app, "--case", "lost", code=64).stderr
