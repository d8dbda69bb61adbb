"""till apple: asks an App Store server, here Till, verifies signed data, and compares recordings."""

import base64
import http.server
import json
import os
import re
import threading
import time
from pathlib import Path

import pytest
import requests

from process_helpers import Server, free_port, payload, run_till, wait_until

BUNDLE = "com.example.till.demo"
APP = f"/v1/apps/{BUNDLE}/sandbox"


class Source:
    """A demo server, and the options with which till apple asks it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.server = Server(folder / "data", folder, "--demo")
        facts = self.facts = self.server.document
        self.options = {
            "HOME": str(folder), "TILL_APPLE_URL": facts["sandbox"], "TILL_APPLE_KEY": facts["keyFile"],
            "TILL_APPLE_ISSUER": facts["issuerId"], "TILL_APPLE_BUNDLE": BUNDLE,
        }
        self.ann = self.control("GET", "/customers/ann")["appTransactionId"]
        self.bob = self.control("GET", "/customers/bob")["appTransactionId"]

    def control(self, method, path, body=None):
        return requests.request(method, f"{self.facts['control']}{APP}{path}", json=body, timeout=60).json()

    def till(self, *arguments, code=0, data=None, **variables):
        """The output of a command of this server."""
        return run_till(*arguments, "--data", self.server.data, code=code, **variables).stdout

    def apple(self, *arguments, code=0, input=None, **variables):
        """The output of till apple, or its standard error if it is refused."""
        done = run_till("apple", *arguments, code=code, input=input, cwd=self.folder, **{**self.options, **variables})
        return done.stdout if code in (0, 3) else done.stderr

    def answers(self, *arguments):
        return json.loads(self.apple(*arguments, "--json"))

    def signed(self) -> dict:
        return self.answers("status", self.ann)[0]["data"][0]["lastTransactions"][0]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    source = Source(tmp_path_factory.mktemp("apple"))
    source.till("ca", "export", str(source.folder / "root.pem"))
    source.till("ca", "export", str(source.folder / "receipts.pem"), "--receipts")
    # Nobody listens there, so each notification has failed attempts.
    source.till("endpoint", "create", f"http://127.0.0.1:{free_port()}/apple")
    source.till("buy", "com.example.till.demo.balcony.month", "--customer", "nora", "--no-offer")
    source.nora = source.control("GET", "/customers/nora")["appTransactionId"]
    wait_until(lambda: source.answers("notifications")[0]["notificationHistory"])
    yield source
    source.server.kill()


# Lists and lookups -----------------------------------------------------------------------------------------------------


def test_the_history_is_that_of_till_history(source):
    pages = source.answers("history", source.ann)
    found = [payload(each) for page in pages for each in page["signedTransactions"]]
    theirs = source.control("GET", "/customers/ann/transactions?limit=100")["transactions"]
    assert sorted(each["transactionId"] for each in found) == sorted(each["transactionId"] for each in theirs) != []

    def shown(text):
        return [line for line in text.splitlines() if not line.startswith("signedDate")]

    text = source.apple("history", source.ann)
    assert text.startswith(f"Answer of {source.facts['sandbox']}\n")
    assert shown(text)[1:] == shown(source.till("history", source.ann))
    latest = source.answers("history", source.ann, "--descending", "--product-id", found[-1]["productId"])
    assert payload(latest[0]["signedTransactions"][0])["productId"] == found[-1]["productId"]
    assert source.answers("history", source.ann, "--revision", pages[-1]["revision"])[0]["signedTransactions"] == []


def test_the_tables_show_what_the_answers_say(source):
    subscription = source.signed()
    table = source.apple("status", source.ann)
    transaction = payload(subscription["signedTransactionInfo"])
    assert re.search(rf"{transaction['originalTransactionId']} +{transaction['productId']} +active ", table), table
    assert "productId" in source.apple("transaction", transaction["transactionId"])
    assert source.ann in source.apple("app-transaction", source.ann)
    (refund,) = [payload(each) for each in source.answers("refunds", source.ann)[0]["signedTransactions"]]
    row = rf"{refund['transactionId']} +{refund['productId']} .* REFUND_FULL$"
    assert re.search(row, source.apple("refunds", source.ann), re.MULTILINE)
    order = source.control("GET", f"/transactions/{transaction['transactionId']}")["orderId"]
    assert transaction["transactionId"] in source.apple("order", order)
    assert "No order M000000000" in source.apple("order", "M000000000")
    notifications = source.answers("notifications", "--customer", source.nora)
    signed = [payload(each["signedPayload"]) for page in notifications for each in page["notificationHistory"]]
    assert "SUBSCRIBED" in [each["notificationType"] for each in signed]
    listed = source.apple("notifications", "--type", "SUBSCRIBED/INITIAL_BUY")
    assert "SUBSCRIBED/INITIAL_BUY" in listed and re.search(r"^Since 20\d\d-[^ ,]+Z$", listed, re.MULTILINE)
    assert "No notifications." in source.apple("notifications", "--type", "EXPIRED")


def test_a_receipt_is_sent_to_verify_receipt(source):
    source.till("secret", "create", "--value", "abc123")
    receipt = source.till("receipt", "--customer", "ann")
    text = source.apple("receipt", "-", "--secret", "abc123", input=receipt)
    assert BUNDLE in text and payload(source.signed()["signedTransactionInfo"])["transactionId"] in text
    (answer,) = json.loads(source.apple("receipt", "-", "--json", input=receipt, TILL_APPLE_SECRET="abc123"))
    assert answer["status"] == 0
    refused = json.loads(source.apple("receipt", "-", "--json", input=receipt, code=1))
    assert refused["code"] == "receipt_21004" and "--secret" in refused["message"]


def test_saved_answers_can_be_imported(source, tmp_path):
    for command in "history", "status", "refunds", "app-transaction":
        (tmp_path / command).write_text(source.apple(command, source.ann, "--json"))
    files = [word for file in tmp_path.iterdir() for word in ("--from", str(file))]
    done = source.till("customer", "import", "zoe", *files, "--anonymize", "--json")
    report = json.loads(done)
    assert report["quarantined"] == [] and report["subscriptions"] == 1


# Options and errors ----------------------------------------------------------------------------------------------------


def test_a_profile_gives_the_options(source, tmp_path):
    profile = tmp_path / "profile.json"
    key = Path(source.facts["keyFile"])
    facts = {"key": os.path.relpath(key, tmp_path), "issuer": source.facts["issuerId"], "bundle": BUNDLE}
    profile.write_text(json.dumps({**facts, "url": source.facts["sandbox"]}))

    def status(code=0, **variables):
        options = {"HOME": str(tmp_path), **variables}
        done = run_till("apple", "status", source.ann, "--profile-file", profile, code=code, **options)
        return done.stdout + done.stderr

    assert "active" in status()
    # A variable has precedence.
    assert "App not found" in status(code=1, TILL_APPLE_BUNDLE="com.example.other")
    default = tmp_path / ".config/till/apple.json"
    default.parent.mkdir(parents=True)
    default.write_text(json.dumps({**facts, "key": str(key), "url": source.facts["sandbox"]}))
    assert "active" in run_till("apple", "status", source.ann, HOME=str(tmp_path), code=0).stdout
    for wrong in '{"privateKey": "x"}', '{"key": 1}', "[]", key.read_text():
        profile.write_text(wrong)
        said = status(code=1)
        assert str(profile) in said and key.read_text().splitlines()[1] not in said
    profile.chmod(0o666)
    assert f"chmod o-w {profile}" in status(code=1)


def test_refusals_say_what_to_do(source, tmp_path):
    unknown = json.loads(source.apple("history", "700000000000001", "--json", code=1))
    assert unknown["code"] == "apple_4040010"
    assert "4040010" in unknown["message"] and "--environment" in unknown["message"]
    assert "till apple order" in source.apple("transaction", "MK5TTTVWJH", code=1)
    assert "unauthenticated" in source.apple("status", source.ann, "--issuer", "nobody", "--json", code=1)
    missing = source.apple("status", source.ann, code=1, TILL_APPLE_ISSUER="")
    assert "--issuer is missing" in missing and "TILL_APPLE_ISSUER" in missing
    wrong = tmp_path / "wrong.p8"
    wrong.write_text("no key")
    assert "wrong.p8 is not a readable" in source.apple("status", source.ann, "--key", wrong, "--key-id", "A", code=1)
    closed = f"http://127.0.0.1:{free_port()}"
    assert "--url" in source.apple("status", source.ann, "--url", closed, code=2)
    source.apple("status", source.ann, "--url", closed, "--environment", "sandbox", code=64)
    source.apple("status", source.ann, "--url", "127.0.0.1", code=64)
    secret = source.apple("status", source.ann, "--url", "http://me:secret@127.0.0.1", code=64)
    assert "user name" in secret and ":secret" not in secret
    said = source.apple("status", source.ann, code=1, TILL_APPLE_ENVIRONMENT="staging", TILL_APPLE_URL="")
    assert "TILL_APPLE_ENVIRONMENT is staging" in said


# Verification ----------------------------------------------------------------------------------------------------------


def test_signed_data_is_verified(source):
    signed = source.signed()
    transaction, renewal = signed["signedTransactionInfo"], signed["signedRenewalInfo"]
    app = source.answers("app-transaction", source.ann)[0]["signedAppTransactionInfo"]
    note = source.answers("notifications", "--type", "SUBSCRIBED")[0]["notificationHistory"][0]["signedPayload"]
    body = json.dumps({"signedPayload": note})
    root = ["--root", "root.pem"]
    data = [
        ("transaction", transaction), ("renewal information", renewal), ("app transaction", app),
        ("notification", note), ("notification", body),
    ]
    for kind, text in data:
        said = source.apple("verify", "-", *root, input=text)
        assert said.startswith(f"Valid: {kind}\n"), said
    assert "signedTransactionInfo\n" in said and "productId" in said
    assert source.apple("verify", "-", *root, "--bundle", BUNDLE, input=transaction).count("compared") == 0
    report = json.loads(source.apple("verify", "-", *root, "--json", input=transaction))
    assert (report["valid"], report["problems"]) == (True, []) and report["payload"] == payload(transaction)


def test_every_problem_of_signed_data_is_printed(source):
    text = source.signed()["signedTransactionInfo"]
    head, body, signature = text.split(".")
    changed = f"{head}.{body}.{signature[:-8]}AAAAAAAA"

    def problems(data, *arguments, root="root.pem"):
        report = json.loads(source.apple("verify", "-", "--root", root, *arguments, "--json", input=data, code=3))
        assert not report["valid"] and report["payload"]["productId"]
        return report["problems"]

    assert any("changed after signing" in each for each in problems(changed))
    assert any("bundle id" in each for each in problems(text, "--bundle", "com.example.other"))
    assert any("environment" in each for each in problems(text, "--environment", "production"))
    untrusted = problems(text, root="receipts.pem")
    assert any("root of a Till" in each for each in untrusted), untrusted
    assert len(problems(changed, "--bundle", "com.example.other", root="receipts.pem")) >= 2
    assert "Not valid: transaction" in source.apple("verify", "-", "--root", "root.pem", input=changed, code=3)
    assert "neither" in source.apple("verify", "-", "--root", "root.pem", input="nothing", code=1)
    assert "not signed data" in source.apple("verify", "-", "--root", "root.pem", input="a.b.c", code=1)
    (source.folder / "empty.pem").write_text("")
    assert "empty.pem" in source.apple("verify", "-", "--root", "empty.pem", input=text, code=1)
    source.apple("verify", "-", input=text, code=64)
    assert "longer than 8 MB" in source.apple("verify", "/dev/zero", "--root", "root.pem", code=1)


def test_no_value_controls_the_terminal(source):
    head, _, signature = source.signed()["signedTransactionInfo"].split(".")
    hostile = "\x1b]0;x\x07\x1b[2J\x9b31m\u202e\r\nFAKE"
    changed = json.dumps({"productId": hostile, hostile: hostile, "bundleId": hostile, "transactionId": "1"})
    body = base64.urlsafe_b64encode(changed.encode()).decode().rstrip("=")
    said = source.apple("verify", "-", "--root", "root.pem", "--bundle", BUNDLE, code=3,
                        input=f"{head}.{body}.{signature}")
    assert said.count("FAKE") >= 2 and "\nFAKE" not in said, said
    assert not set(said) & set("\x1b\x07\x9b\u202e\r"), said


def test_a_receipt_is_verified(source):
    receipt = source.till("receipt", "--customer", "ann")
    said = source.apple("verify", "-", "--root", "receipts.pem", input=receipt)
    assert said.startswith("Valid: app receipt\n") and "productId" in said
    said = source.apple("verify", "-", "--root", "root.pem", "--bundle", "com.example.other", input=receipt, code=3)
    assert "not trusted" in said and "com.example.other" in said


# Recordings ------------------------------------------------------------------------------------------------------------


def strings(value):
    if isinstance(value, dict):
        return {text for each in value.values() for text in strings(each)}
    if isinstance(value, list):
        return {text for each in value for text in strings(each)}
    return {value} if isinstance(value, str) else set()


def test_a_recording_is_anonymous_and_replayed_without_differences(source, tmp_path):
    file = tmp_path / "ann.json"
    source.apple("record", source.ann, "--out", file)
    recording = json.loads(file.read_text())
    said = file.read_text()
    pages = source.answers("history", source.ann)
    real = [payload(each) for page in pages for each in page["signedTransactions"]]
    secrets = ("transactionId", "originalTransactionId", "appTransactionId", "webOrderLineItemId", "appAccountToken")
    secret = {each[key] for each in real for key in secrets if key in each}
    assert secret and not [each for each in secret if each in said]
    assert not [text for text in strings(recording) if text.count(".") == 2 and text.startswith("ey")]
    recorded = [each for page in recording["history"] for each in page["signedTransactions"]]
    kept = ("purchaseDate", "productId", "price", "storefront", "type", "expiresDate")
    assert [[each.get(key) for key in kept] for each in recorded] == [[each.get(key) for key in kept] for each in real]
    originals = [{each["originalTransactionId"] for each in life} for life in (recorded, real)]
    assert len(originals[0]) == len(originals[1])
    assert "No differences." in source.apple("compare", file)
    source.apple("record", source.nora, "--out", file)
    (notification,) = json.loads(file.read_text())["notifications"][0]["notificationHistory"]
    assert notification["signedPayload"]["data"]["signedTransactionInfo"]["productId"]
    assert "No differences." in source.apple("compare", file, file)
    assert "No differences." in source.apple("compare", file)


def test_an_id_in_a_number_or_a_longer_text_is_replaced(source, tmp_path):
    """Keys that Till does not know, in the answer of another server."""
    secret, token = "2000000987654321", "7E3FB20B-4CDB-47CC-936D-99D65F608138"
    head, body, signature = source.signed()["signedTransactionInfo"].split(".")
    facts = {**payload(f"{head}.{body}.{signature}"), "transactionId": secret, "originalTransactionId": secret,
             "note": f"Order {secret} of {token}.", "previousOriginalTransactionId": int(secret)}
    body = base64.urlsafe_b64encode(json.dumps(facts).encode()).decode().rstrip("=")
    page = {"revision": "r", "hasMore": False, "bundleId": BUNDLE, "environment": "Sandbox",
            "signedTransactions": [f"{head}.{body}.{signature}"]}
    answers = {"history": page, "subscriptions": {"bundleId": BUNDLE, "environment": "Sandbox", "data": []},
               "refund": {"revision": "r", "hasMore": False, "signedTransactions": []}}

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path.split("/")[3]
            said = json.dumps(answers.get(name, {"errorCode": 4040010, "errorMessage": "-"})).encode()
            self.send_response(200 if name in answers else 404)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        file = tmp_path / "other.json"
        source.apple("record", secret, "--out", file, "--no-notifications",
                     TILL_APPLE_URL=f"http://127.0.0.1:{other.server_port}")
        other.shutdown()
    said = file.read_text()
    assert secret not in said and token not in said, said
    (recorded,) = json.loads(said)["history"][0]["signedTransactions"]
    assert str(recorded["previousOriginalTransactionId"]) == recorded["transactionId"]
    assert recorded["note"].startswith(f"Order {recorded['transactionId']} of 00000000-"), recorded


def test_the_differences_of_two_recordings_are_listed_key_by_key(source, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    source.apple("record", source.bob, "--out", first, "--no-notifications")
    recording = json.loads(first.read_text())
    transactions = recording["history"][0]["signedTransactions"]
    transactions[0]["price"], transactions[0]["newKey"] = 1, "x"
    lost = transactions.pop()["transactionId"]
    second.write_text(json.dumps(recording))
    found = json.loads(source.apple("compare", first, second, "--json", code=3))["differences"]
    about = f"transaction {transactions[0]['transactionId']}"
    assert {(each["about"], each["key"], each.get("second")) for each in found} == {
        (about, "price", "1"), (about, "newKey", "x"), (f"transaction {lost}", "", None)
    }
    assert "3 differences" in source.apple("compare", first, second, code=3)
    (tmp_path / "other.json").write_text("{}")
    assert "till apple record" in source.apple("compare", tmp_path / "other.json", code=1)
    source.apple("compare", first, second, "--import", "a.storekit", code=64)


# An advanced clock -----------------------------------------------------------------------------------------------------


def test_notifications_of_an_advanced_clock_are_listed(source):
    """The last test of the file, because the clock cannot go back."""
    source.control("POST", "/clock/advance", {"by": "P40D"})
    now = source.control("GET", "/clock")["now"]
    wait_until(lambda: "DID_RENEW" in source.apple("notifications", "--customer", source.nora))
    day = time.strftime("%Y-%m-%d", time.gmtime(now / 1000 + 86_400))
    listed = source.apple("notifications", "--customer", source.nora, "--until", day, "--days", "60")
    assert "DID_RENEW" in listed and f", before {day}T00:00:00" in listed
    today = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    assert "DID_RENEW" not in source.apple("notifications", "--customer", source.nora, "--until", today)
