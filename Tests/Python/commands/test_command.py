"""The command line: output with and without --json, and exit codes."""

import json
import os
import re
import shlex
import stat

import pytest
import requests
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

import payload_rules
from catalog_of_everything import BASIC, BASIC_YEAR, COINS, FOREVER, PRO
from process_helpers import ROOT, assert_healthy, run_till
from shop_helpers import Till, models, server_root

FIXTURE = ROOT / "Tests/Fixtures/storekit/v5.0.storekit"
THREAD, PATTERNS = "com.example.loom.thread", "com.example.loom.patterns"
MONTH, YEAR = "com.example.loom.workshop.month", "com.example.loom.workshop.year"


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    """A server that is set up only with commands."""
    with Till(tmp_path_factory.mktemp("command")) as server:
        yield server


@pytest.fixture(scope="module")
def run(till):
    """Runs a command against the server; returns its standard output, or the JSON in it."""
    def run(*arguments, code=0, as_json=False):
        outcome = run_till(*arguments, "--data", till.data, *(["--json"] if as_json else []), code=code)
        if code:
            return outcome.stderr
        assert outcome.stderr == ""
        return json.loads(outcome.stdout) if as_json else outcome.stdout

    return run


@pytest.fixture(scope="module")
def shop(till, run, tmp_path_factory):
    """Creates an app, a key and a catalog with commands."""
    assert "There is no app yet" in run("customer", "list", code=1)
    text = run("app", "create", "com.example.loom", "--apple-id", "1122334455", "--name", "Loom")
    assert "com.example.loom" in text and "1122334455" in text
    folder = tmp_path_factory.mktemp("keys")
    key = run("key", "create", "--name", "first", "--out", folder, as_json=True)
    imported = run("import", FIXTURE, "--app", "com.example.loom", as_json=True)
    assert imported["products"] == 6
    return {**key, "folder": folder}


@pytest.mark.parametrize("arguments", [["--help"], ["help", "buy"], ["app", "--help"], ["ca", "--help"]])
def test_help_exits_with_zero(arguments):
    outcome = run_till(*arguments, code=0)
    assert "till" in outcome.stdout and outcome.stderr == ""


# Setting up -----------------------------------------------------------------------------------------------------------


def test_an_app_is_created_and_listed(shop, run):
    made = run("app", "create", "com.example.second", as_json=True)
    assert set(made) == {"bundleId", "appAppleId", "name", "issuerId"}
    listed = run("app", "list", as_json=True)
    assert [app["bundleId"] for app in listed] == ["com.example.loom", "com.example.second"]
    assert "com.example.second" in run("app", "list")
    assert "already" in run("app", "create", "com.example.second", code=1)


def test_a_key_file_is_written_once_and_readable_by_its_owner_only(till, shop, run, tmp_path):
    text = run("key", "create", "--out", tmp_path)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.name.startswith("AuthKey_") and file.suffix == ".p8"
    assert file.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert str(file) in text and "PRIVATE KEY" not in text and "only copy" in text
    # A missing folder is created.
    for folder in (tmp_path, tmp_path / "new/keys"):
        made = run("key", "create", "--out", folder, as_json=True)
        assert set(made) == {"keyId", "issuerId", "file"}
        assert stat.S_IMODE(os.stat(made["file"]).st_mode) == 0o600
        assert made["file"] == str(folder / f"AuthKey_{made['keyId']}.p8")
    listed = run("key", "list", as_json=True)
    assert {made["keyId"], shop["keyId"]} <= {key["keyId"] for key in listed}
    assert all("privateKey" not in key for key in listed)
    assert "revokedDate" in run("key", "delete", "--yes", made["keyId"], as_json=True)
    assert made["keyId"] in run("key", "delete", "--yes", made["keyId"])
    assert "NOSUCHKEY0" in run("key", "delete", "--yes", "NOSUCHKEY0", code=1)


def test_no_key_is_created_when_its_file_cannot_be_written(shop, run):
    before = run("key", "list", as_json=True)
    assert "/dev/null/keys" in run("key", "create", "--out", "/dev/null/keys", code=1)
    assert run("key", "list", as_json=True) == before


def test_an_import_prints_what_it_imported_and_all_errors(shop, run, tmp_path):
    text = run("import", FIXTURE, "--app", "com.example.loom")
    assert "com.example.loom" in text and "6" in text
    wrong = tmp_path / "wrong.storekit"
    wrong.write_text('{"products": [{"productID": 5}]}')
    assert "$.products[0]" in run("import", wrong, "--app", "com.example.loom", code=1)
    assert "nowhere.storekit" in run("import", "nowhere.storekit", "--app", "com.example.loom", code=1)
    assert run("import", FIXTURE, "--app", "com.example.third", as_json=True)["version"] == "5.0"
    assert "com.example.third" in run("app", "list"), "an app that does not exist is created"


# Customers and purchases ----------------------------------------------------------------------------------------------

APP = ["--app", "com.example.loom"]


def test_customers_are_created_shown_and_listed(shop, run):
    made = run("customer", "create", "eva", "--storefront", "DEU", *APP, as_json=True)
    assert (made["customer"], made["storefront"]) == ("eva", "DEU")
    assert made.pop("created") is True
    assert "exists already" in run("customer", "create", "eva", *APP)
    assert run("customer", "show", "eva", *APP, as_json=True) == made
    assert made["appTransactionId"] in run("customer", "show", "eva", *APP)
    run("customer", "create", "finn", "--without-app", *APP)
    assert run("customer", "show", "finn", *APP, as_json=True)["hasAppTransaction"] is False
    names = [entry["customer"] for entry in run("customer", "list", *APP, as_json=True)["customers"]]
    assert names[:2] == ["eva", "finn"]
    assert "eva" in run("customer", "list", *APP)
    more = run("customer", "list", "--limit", "1", *APP).splitlines()[-1]
    assert more.startswith("More: till customer list --limit 1 ") and " ".join(APP) in more and " --after " in more
    after = run(*shlex.split(more.removeprefix("More: till ")))
    assert "finn" in after and "eva" not in after and "More:" not in after
    assert "unknown" in run("customer", "show", "unknown", *APP, code=1)


def test_with_several_apps_one_must_be_named(till, shop, run):
    assert "--app" in run("customer", "list", code=1)
    run_till("customer", "list", TILL_APP="com.example.loom", TILL_CONTROL=till.address("control"), code=0)


def test_a_family_is_created_shown_joined_and_left(shop, run):
    made = run("family", "create", "gus", "hal", "ida", *APP, as_json=True)
    effects = {"events": ["joinedFamily", "joinedFamily"], "notifications": []}
    shown = {"name": "gus", "organizer": "gus", "members": ["gus", "hal", "ida"]}
    assert made == {"family": shown, **effects}
    assert "hal" in run("family", "show", "gus", *APP)
    assert run("family", "show", "ida", *APP, as_json=True) == shown
    assert run("family", "join", "joe", "--with", "gus", *APP, as_json=True)["family"]["members"][-1] == "joe"
    assert "kim" in run("family", "join", "kim", "--with", "gus", *APP)
    assert "hal" in run("family", "leave", "hal", *APP)
    left = run("family", "leave", "ida", *APP, as_json=True)
    assert left["customer"]["customer"] == "ida" and "family" not in left["customer"]
    assert (left["events"], left["notifications"]) == (["leftFamily"], [])
    assert run("family", "show", "gus", *APP, as_json=True)["members"] == ["gus", "joe", "kim"]
    assert "not in a family" in run("family", "show", "hal", *APP, code=1)
    assert "lou" in run("family", "create", "lou", "max", *APP)


def test_buying_prints_the_transaction_that_the_device_receives(till, shop, run):
    bought = run("buy", THREAD, "--customer", "nina", "--quantity", "3", "--storefront", "USA",
                 "--app-account-token", "C0FFEE00-0000-4000-8000-000000000001", *APP, as_json=True)
    verifier = SignedDataVerifier([server_root(till)], False, models.Environment.SANDBOX, "com.example.loom")
    decoded = verifier.verify_and_decode_signed_transaction(bought["transaction"]["device"]["signedTransactionInfo"])
    assert (decoded.productId, decoded.quantity) == (THREAD, 3)
    assert decoded.appAccountToken == "c0ffee00-0000-4000-8000-000000000001"
    text = run("buy", THREAD, "--customer", "nina", *APP)
    assert "transactionId" in text and bought["transaction"]["transactionId"] not in text
    owned = run("buy", PATTERNS, "--customer", "nina", *APP, as_json=True)["transaction"]["transactionId"]
    first, *lines = run("buy", PATTERNS, "--customer", "nina", *APP).splitlines()
    assert first.startswith(f"Nothing was charged: nina already owns {PATTERNS}.") and owned in "".join(lines)
    later = run("buy", THREAD, "--customer", "nina", "--at", "2099-01-01", *APP, code=1)
    assert "later than the customer's clock" in later and "till clock advance" in later
    assert "10" in run("buy", THREAD, "--customer", "nina", "--quantity", "11", *APP, code=1)
    assert "com.example.nothing" in run("buy", "com.example.nothing", "--customer", "nina", *APP, code=1)
    assert "nowhere" in run("buy", THREAD, "--customer", "nina", "--app", "com.example.nowhere", code=1)


def test_buying_with_and_without_offers(shop, run):
    def offer_type(answer):
        return payload_rules.decode(answer["transaction"]["signedTransactionInfo"])[1].get("offerType")

    assert offer_type(run("buy", MONTH, "--customer", "otto", *APP, as_json=True)) == 1
    assert offer_type(run("buy", MONTH, "--customer", "olga", "--introductory", *APP, as_json=True)) == 1
    # Two customers on a clock in the past subscribe, turn off auto-renew, and return to the present.
    run("clock", "create", "past", "--at", "2025-11-14", *APP)
    for customer in ("oleg", "orla"):
        run("customer", "create", customer, "--at", "2025-11-14", *APP)
        run("customer", "update", customer, "--clock", "past", *APP)
        assert offer_type(run("buy", MONTH, "--customer", customer, "--no-offer", *APP, as_json=True)) is None
        run("subscription", "cancel", customer, *APP)
    report = run("clock", "advance", "1y", "--clock", "past", *APP, as_json=True)
    assert report["notifications"] == [{"type": "EXPIRED", "subtype": "VOLUNTARY", "count": 2}]
    for customer in ("oleg", "orla"):
        run("customer", "update", customer, "--no-clock", *APP)
    assert offer_type(run("buy", MONTH, "--customer", "oleg", "--win-back", "rethread", *APP, as_json=True)) == 4
    assert offer_type(run("buy", MONTH, "--customer", "orla", "--code", "WEFT", *APP, as_json=True)) == 3
    assert "signature" in run("buy", MONTH, "--customer", "orla", "--promotional", "warp", *APP, code=1)
    run("buy", MONTH, "--customer", "orla", "--code", "WEFT", "--no-offer", *APP, code=64)


@pytest.mark.parametrize("arguments, word", [
    (["--token", "eyJ.e.s"], "--promotional"), (["--token", "eyJ.e.s", "--no-offer"], "--introductory"),
    (["--token", "eyJ.e.s", "--code", "WEFT"], "--promotional"),
    (["--token", "eyJ.e.s", "--win-back", "rethread"], "--promotional"),
    (["--signature", "MEUC"], "--promotional"), (["--key-id", "A", "--introductory"], "--key-id"),
    (["--promotional", "warp", "--token", "eyJ.e.s", "--nonce", "x"], "--nonce"),
])
def test_a_signature_without_a_promotional_offer_is_wrong_usage(shop, run, arguments, word):
    assert word in run("buy", MONTH, "--customer", "tokens", *arguments, *APP, code=64)
    assert "tokens" in run("customer", "show", "tokens", *APP, code=1), "nothing was bought"


def test_the_first_line_summarizes_a_purchase(app):
    offers = app.signer(PromotionalOfferV2SignatureCreator)

    def output(*arguments):
        where = ["--customer", "zed", "--app", app.bundle_id, "--control", app.server.address("control")]
        return run_till(*arguments, *where, code=0).stdout

    def first(*arguments):
        return output(*arguments).splitlines()[0]

    assert first("buy", COINS) == f"zed bought {COINS}."
    assert first("buy", BASIC, "--no-offer") == f"zed bought {BASIC}."
    scheduled = output("buy", BASIC, "--promotional", "stay3", "--token", offers.create_signature(BASIC, "stay3", None))
    assert re.match(rf"Nothing was charged: zed is subscribed to {re.escape(BASIC)}; the offer stay3 applies at the "
                    r"next renewal, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n", scheduled), scheduled
    for name in ("transactionId", "price", "purchaseDate", "orderId", "productId"):
        assert not re.search(rf"^{name} ", scheduled, re.MULTILINE), "shows an earlier transaction as the new one"
    assert re.search(r"^notifications +OFFER_REDEEMED$", scheduled, re.MULTILINE)
    assert first("buy", PRO) == f"zed upgraded to {PRO}, effective immediately."
    downgrades = f"Nothing was charged: zed keeps {PRO} and downgrades to"
    assert first("buy", BASIC).startswith(f"{downgrades} {BASIC} at the next renewal, 20")
    assert first("buy", PRO) == f"Nothing was charged: zed keeps {PRO}; the scheduled change is canceled."
    assert first("buy", BASIC_YEAR).startswith(f"{downgrades} {BASIC_YEAR} at the next renewal, 20")
    once, again = output("buy", FOREVER), output("buy", FOREVER)
    assert again.startswith(f"Nothing was charged: zed already owns {FOREVER}. The original purchase:\n"), again
    for name in ("productId", "transactionId", "price", "purchaseDate"):
        line = re.search(rf"^{name} .+$", once, re.MULTILINE)[0]
        assert line in again.splitlines(), f"{line} is not in {again}"
    held = first("buy", COINS, "--interrupted")
    assert held == "The purchase is pending. Run till purchase approve zed 1, or till purchase decline zed 1."


def test_a_change_and_an_approval_print_a_summary(app):
    def first(*arguments):
        where = ["--app", app.bundle_id, "--control", app.server.address("control")]
        return run_till(*arguments, *where, code=0).stdout.splitlines()[0]

    first("buy", BASIC, "--customer", "yan")
    year, kept = first("subscription", "change", "yan", BASIC_YEAR), f"Nothing was charged: yan keeps {BASIC} and"
    assert year.startswith(f"{kept} crossgrades to {BASIC_YEAR} at the next renewal, 20")
    assert first("subscription", "change", "yan", PRO) == f"yan upgraded to {PRO}, effective immediately."
    first("customer", "update", "yan", "--ask-to-buy", "on")
    first("buy", BASIC, "--customer", "yan")
    approved, kept = first("purchase", "approve", "yan"), f"Nothing was charged: yan keeps {PRO} and"
    assert approved.startswith(f"{kept} downgrades to {BASIC} at the next renewal, 20")


def test_full_and_partial_refunds_and_their_reversal(shop, run):
    id_ = run("buy", THREAD, "--customer", "paul", *APP, as_json=True)["transaction"]["transactionId"]
    assert run("refund", id_, "--issue-in-app", *APP, as_json=True)["transaction"]["transactionId"] == id_
    assert "already" in run("refund", id_, *APP, code=1)
    assert id_ in run("refund", "reverse", id_, *APP)
    part = run("refund", id_, "--percentage", "12.5", *APP)
    assert re.match(r"Refunded in part: 12\.5 %, 0\.124 CAD of the price\.\n", part) and id_ in part, part
    run("refund", "reverse", id_, *APP)
    whole = run("refund", id_, *APP)
    assert whole.startswith("Refunded in full.\n") and re.search(r"^refunded +100 %, ", whole, re.MULTILINE), whole
    run("refund", "reverse", id_, *APP)
    month = run("buy", YEAR, "--customer", "paul", *APP, as_json=True)["transaction"]["transactionId"]
    run("refund", month, "--unused", *APP)
    run("refund", id_, "--percentage", "100", *APP, code=64)
    run("refund", id_, "--percentage", "5", "--unused", *APP, code=64)


def test_history_asks_apples_route_and_prints_it_decoded(shop, run):
    """The command needs a key file and reads page after page. With --json, it prints the unchanged answers of the
    API."""
    bought = [run("buy", THREAD, "--customer", "rita", *APP, as_json=True) for _ in range(3)]
    ids = [answer["transaction"]["transactionId"] for answer in bought]
    run("refund", ids[0], *APP)
    key = ["--key", shop["file"]]
    text = run("history", ids[0], *key, *APP)
    assert all(id_ in text for id_ in ids) and "revision" in text and "REFUND_FULL" in text
    pages = run("history", ids[0], *key, *APP, as_json=True)
    assert len(pages) == 1 and len(pages[0]["signedTransactions"]) == 3 and pages[0]["hasMore"] is False
    assert len(run("history", ids[0], "--revoked", "true", *key, *APP, as_json=True)[0]["signedTransactions"]) == 1
    assert run("history", ids[0], "--product-type", "NON_CONSUMABLE", "--descending", "--product-id", THREAD, *key,
               *APP, as_json=True)[0]["signedTransactions"] == []
    again = run("history", ids[0], "--revision", pages[0]["revision"], *key, *APP, as_json=True)
    assert again[0]["signedTransactions"] == []
    refused = run("history", "12", *key, *APP, code=1)
    assert "4040010" in refused and "till explain --last" in refused
    assert "--key" in run("history", ids[0], *APP, code=1)
    assert "No refused" not in run("explain", "--last")


def test_a_rejected_request_is_explained(till, shop, run):
    answer = requests.get(till.address("sandbox") + "/inApps/v1/transactions/12", timeout=10)
    request_id = answer.text.split("Request ID: ")[1].strip()
    assert "Authorization" in run("explain", request_id)
    entry = run("explain", request_id, as_json=True)
    assert entry["requestId"] == request_id and entry["status"] == 401
    ids = [request_id]
    for id_ in (11, 13):
        answer = requests.get(f"{till.address('sandbox')}/inApps/v1/transactions/{id_}", timeout=10)
        ids.append(answer.headers["X-Request-ID"])
    text = run("explain", "--last")
    assert text.count("requestId") == 1 and ids[-1] in text
    for more, wanted in ([], ids[-1:]), (["--limit", "3"], ids[::-1]):
        found = run("explain", "--last", *more, as_json=True)["entries"]
        assert [entry["requestId"] for entry in found] == wanted
    run("explain", request_id, "--limit", "2", code=64)
    assert "NOSUCHID" in run("explain", "NOSUCHID", code=1)
    run("explain", code=64)
    run("explain", "x", "--last", code=64)


# Certificates, backup, doctor -----------------------------------------------------------------------------------------


def test_the_root_is_shown_and_exported_and_survives_a_rotation(till, shop, run, tmp_path):
    shown = run("ca", "show", as_json=True)
    assert "BEGIN CERTIFICATE" in run("ca", "show") and shown["rootFingerprint"] in run("ca", "show")
    run("ca", "export", tmp_path / "root.pem")
    assert (tmp_path / "root.pem").read_text().strip() == shown["rootCertificate"].strip()
    der = x509.load_pem_x509_certificate(shown["rootCertificate"].encode()).public_bytes(Encoding.DER)
    for name in ("root.der", "root.cer"):
        exported = run("ca", "export", tmp_path / name, as_json=True)
        assert isinstance(exported, dict)
        assert (tmp_path / name).read_bytes() == der
    assert "/nowhere/root.pem" in run("ca", "export", "/nowhere/root.pem", code=1)
    rotated = run("ca", "rotate", as_json=True)
    assert rotated["chainId"] != shown["chainId"] and rotated["rootFingerprint"] == shown["rootFingerprint"]
    assert run("ca", "show", as_json=True) == rotated
    assert "chain" in run("ca", "rotate")


def test_the_doctor_finds_nothing_and_then_a_file_that_others_may_read(till, run):
    assert "No problems" in run("doctor")
    assert run("doctor", as_json=True) == {"findings": []}
    file = till.data / "ca" / "root.key"
    file.chmod(0o644)
    try:
        assert "root.key" in run_till("doctor", "--data", till.data, code=3).stdout
        outcome = run_till("doctor", "--data", till.data, "--json", code=3)
        (finding,) = json.loads(outcome.stdout)["findings"]
        assert "root.key" in finding
    finally:
        file.chmod(0o600)
    assert "contains no Till data" in run_till("doctor", "--data", "/nowhere").stderr


def test_the_command_creates_a_backup(run, shop, tmp_path):
    target = tmp_path / "monday"
    assert str(target) in run("backup", target)
    assert "exists" in run("backup", target, code=1)
    made = run("backup", tmp_path / "tuesday", as_json=True)
    assert made["directory"] == str(tmp_path / "tuesday")
    rows = {part["table"]: part["rows"] for part in made["tables"]}
    assert {"accounts", "ledger", "outbox"} <= set(rows) and rows["documents"] > 0
    run_till("doctor", "--data", target, code=0)


def test_a_mass_extension_is_listed_with_its_request_its_days_and_its_storefronts(shop, run):
    request = "0b6f2f5e-58b4-4e0c-9d0a-5a4b7a0c1d11"
    run("buy", MONTH, "--customer", "jobber", *APP)
    run("product", "extend", MONTH, "--days", "4", "--request", request, "--storefront", "USA",
        "--storefront", "DEU", *APP)
    run("product", "extend", MONTH, "--days", "2", *APP)
    jobs = run("job", "list", *APP, as_json=True)
    by_days = {job["days"]: job for job in jobs if job["kind"] == "extend"}
    assert by_days[4]["requestIdentifier"] == request and by_days[4]["storefronts"] == ["USA", "DEU"]
    assert "storefronts" not in by_days[2]
    listed = run("job", "list", *APP)
    assert by_days[4]["jobId"] in listed and by_days[2]["jobId"] in listed
    for days, words in (4, rf"^requestIdentifier +{request}\ndays +4\nstorefronts +USA, DEU$"), (
        2, r"^days +2\nstorefronts +all$"
    ):
        text = run("job", "show", by_days[days]["jobId"], *APP)
        assert re.search(words, text, re.MULTILINE), text


def test_a_job_with_a_date_is_scheduled_and_a_past_date_is_rejected(new_app):
    """The test moves the clocks of its app far into the future, so no other test uses the app."""
    def run(*arguments, code=0):
        where = ["--app", new_app.bundle_id, "--control", new_app.control.address]
        outcome = run_till(*arguments, *where, code=code)
        return outcome.stderr if code else outcome.stdout

    run("clock", "create", "behind", "--at", "2026-01-31")
    run("customer", "create", "slow", "--at", "2026-01-31")
    run("customer", "update", "slow", "--clock", "behind")
    extend = ["product", "extend", BASIC, "--days", "5"]
    when = "is scheduled for 2090-01-02T00:00:00Z on each customer's clock.\n"
    later = run(*extend, "--at", "2090-01-02")
    assert later.startswith(f"The extension, days: 5, {when}"), later
    assert re.search(r"^pendingClocks +.*\bbehind\b", later, re.MULTILINE), later
    price = run("product", "raise-price", BASIC, "--to", "98.99", "--at", "2090-01-02")
    assert price.startswith(f"The price increase {when}")
    assert "is past: the clock shows 20" in run(*extend, "--at", "2020-01-01", code=1)
    assert len(json.loads(run("job", "list", "--json"))) == 2
    run("clock", "freeze")
    run("clock", "advance", "2090-01-03")
    heading, *rows = run("job", "list").splitlines()
    assert heading.startswith("JOB ") and len(rows) == 2
    assert all(re.search(r" done .*\bbehind$", row) for row in rows), rows


# Errors and exit codes ------------------------------------------------------------------------------------------------


def test_with_json_an_error_is_json_with_a_code(till, shop, run, tmp_path):
    def refusal(*arguments, code=1, **environment):
        outcome = run_till(*arguments, "--json", **environment)
        assert (outcome.returncode, outcome.stdout) == (code, ""), outcome
        return json.loads(outcome.stderr)

    here = ["--data", till.data]
    faults = refusal("buy", THREAD, "--customer", "x", "--quantity", "11", *APP, *here)
    assert faults["code"] and faults["faults"][0]["path"] == "$.quantity"
    for exit_code, code, words, arguments in (
        (1, "unknown_product", "com.example.nothing", ["buy", "com.example.nothing", "--customer", "x", *APP, *here]),
        (1, "several_apps", "", ["customer", "list", *here]), (64, "wrong_usage", "", ["buy"]),
        (1, "cannot_write", "/dev/null/keys", ["key", "create", "--out", "/dev/null/keys", *here]),
        (2, "server_not_reached", "127.0.0.1:9", ["app", "list", "--control", "http://127.0.0.1:9"]),
        (64, "wrong_usage", "--token", ["buy", MONTH, "--customer", "x", "--token", "e.y.J"]),
        (64, "wrong_usage", "Germany", ["customer", "create", "bad", "--storefront", "Germany"]),
        (64, "wrong_usage", "production", ["customer", "list", "--environment", "staging"]),
        (1, "refused", "", ["serve", "--config", tmp_path / "none.json"]),
    ):
        found = refusal(*arguments, code=exit_code)
        assert found["code"] == code and words in found["message"], found
    assert "staging" in refusal("customer", "list", *APP, *here, TILL_ENVIRONMENT="staging")["message"]
    helped = run_till("buy", "--help", "--json", code=0)
    assert "USAGE" in helped.stdout and helped.stderr == ""


def test_an_empty_variable_counts_as_unset(till, shop, tmp_path):
    names = ["CONTROL", "CONTROL_TOKEN", "REALM", "KEY"]
    empty = {f"TILL_{name}": "" for name in names}
    listed = run_till("customer", "list", "--json", TILL_DATA=str(till.data), TILL_APP="com.example.loom", **empty, code=0)
    assert json.loads(listed.stdout)["customers"], listed.stderr
    several = run_till("customer", "list", "--data", till.data, TILL_APP="", **empty, code=1)
    assert "Name one with --app" in several.stderr
    run_till("app", "list", "--control", till.address("control"), TILL_DATA="", code=0)
    # An empty server setting means the same as no setting, and the server accepts it.
    names = ("CONFIG", "PRODUCTION_PORT", "DEMO", "PROFILE", "LOG_LEVEL", "DATABASE")
    settings = {f"TILL_{name}": "" for name in names}
    doctor = run_till("doctor", "--data", till.data, **settings, code=0)
    config = tmp_path / "till.json"
    config.write_text('{"productionPort": 70000}')
    refused = run_till("serve", "--config", config, "--data", tmp_path / "data", **settings, code=1)
    assert "productionPort is 70000" in refused.stderr


def test_exit_codes(run, shop, tmp_path):
    """0: done, 1: rejected, 2: server not reached, 3: doctor found a problem, 64: wrong usage."""
    unreachable = ["--control", "http://127.0.0.1:9"]
    for arguments in (["app", "list"], ["customer", "show", "x", *APP], ["buy", THREAD, "--customer", "x", *APP],
                      ["ca", "rotate"], ["backup", str(tmp_path / "x")], ["explain", "--last"],
                      ["history", "12", *APP]):
        outcome = run_till(*arguments, *unreachable, timeout=10, code=2)
        assert "127.0.0.1:9" in outcome.stderr and "till serve" in outcome.stderr and outcome.stdout == ""
    for arguments in (["nonsense"], ["buy"], ["buy", THREAD], ["app", "create"], ["app", "list", "--nonsense"],
                      ["buy", THREAD, "--customer", "x", "--quantity", "many"]):
        outcome = run_till(*arguments, code=64)
        assert outcome.stdout == "" and "Usage" in outcome.stderr
    assert run("customer", "show", "unknown", *APP, code=1).startswith("till: ")


def test_a_directory_without_a_running_server_is_an_error(tmp_path):
    control = ["--control", "http://127.0.0.1:9"]
    assert "till serve" in run_till("app", "list", "--data", tmp_path / "empty", *control, timeout=10, code=2).stderr


def test_serve_with_demo_continues_with_the_same_data(serve):
    """The demo prints the path of its key, and the history command finds the key."""
    till = serve("--demo", "--json")
    document = json.loads(till.stdout())
    assert document == till.document
    assert stat.S_IMODE(os.stat(document["keyFile"]).st_mode) == 0o600
    app = ["--app", document["bundleId"]]
    shown = json.loads(run_till("customer", "show", "ann", *app, "--data", till.data, "--json").stdout)
    assert shown["transactions"] >= 4
    history = run_till("history", shown["appTransactionId"], "--data", till.data, "--json", code=0)
    first = json.loads(history.stdout)
    assert len(first[0]["signedTransactions"]) == shown["transactions"]
    scopes = [{"bundleId": document["bundleId"], "environment": name} for name in ("sandbox", "production")]
    customers = till.client.call("listCustomers", **scopes[0])["customers"]
    assert {"ann", "bob", "carla", "dora"} == {entry["customer"] for entry in customers}
    for scope in scopes:
        page = till.client.call("listNotifications", query={"limit": "100"}, **scope)["notifications"]
        words = {(entry["customer"], entry["notificationType"], entry.get("subtype")) for entry in page}
        assert words >= {
            ("ann", "ONE_TIME_CHARGE", None), ("ann", "REFUND", None), ("ann", "SUBSCRIBED", "INITIAL_BUY"),
            ("bob", "SUBSCRIBED", "INITIAL_BUY"), ("bob", "DID_FAIL_TO_RENEW", None),
            ("bob", "EXPIRED", "BILLING_RETRY"), ("carla", "ONE_TIME_CHARGE", None),
        }, words
    assert till.stop() == 0
    assert_healthy(till.data, "after the demo")
    again = serve("--demo", data=till.data)
    for key in ("keyId", "issuerId", "bundleId", "keyFile"):
        assert again.document[key] == document[key]
    assert again.client.call("listCustomers", **scopes[0])["customers"] == customers
    text = again.stdout()
    for face in ("production", "sandbox", "control"):
        assert again.address(face) in text
    assert document["keyFile"] in text and text.count("\n  ") >= 6


def test_every_serve_flag_is_a_configuration_key_and_is_documented(tmp_path):
    flags = set(re.findall(r"^  --([a-z0-9-]+)", run_till("serve", "--help").stdout, re.MULTILINE))
    flags -= {"config", "ready-file", "json", "help", "version"}
    config = tmp_path / "till.json"
    config.write_text('{"noSuchSetting": 1}')
    refused = run_till("serve", "--config", config, code=1)
    assert "noSuchSetting, which is not a setting" in refused.stderr
    keys = set(refused.stderr.split("Settings: ")[1].strip().rstrip(".").split(", "))
    camel = {re.sub(r"-(\w)", lambda match: match[1].upper(), flag) for flag in flags}
    assert len(camel) > 20 and camel == keys
    page = (ROOT / "docs/operating/settings.md").read_text()
    for flag in flags:
        assert f"| `--{flag}` | `TILL_{flag.upper().replace('-', '_')}` |" in page, flag


def test_a_rejected_import_leaves_no_app_behind(serve, tmp_path):
    till = serve()
    wrong = tmp_path / "wrong.storekit"
    wrong.write_text('{"products": 5}')
    control = ("--control", till.address("control"))
    assert "$.products" in run_till("import", wrong, "--app", "com.example.stray", *control, code=1).stderr
    assert json.loads(run_till("app", "list", "--json", *control).stdout) == []


def test_a_secret_is_read_from_standard_input_and_an_empty_one_is_an_error(serve, tmp_path):
    till = serve()
    control = ("--control", till.address("control"))
    run_till("app", "create", "com.example.secret", *control)
    none = run_till("secret", "show", *control)
    assert (none.returncode, none.stdout) == (1, "") and "till secret create" in none.stderr
    assert run_till("secret", "create", "--value", "-", *control, input="hush\n", code=0).stdout == "hush\n"
    assert run_till("secret", "show", *control).stdout == "hush\n"


@pytest.mark.parametrize("arguments, variables, message", [
    (["customer", "list", "--realm", "sandbox"], {}, "--realm is --environment now"),
    (["settings", "update", "--weather=sparse"], {}, "--weather is --payload-profile now"),
    (["serve", "--journal-all", "true"], {}, "--journal-all is --request-log-all now"),
    (["app", "list"], {"TILL_REALM": "sandbox"}, "TILL_REALM is TILL_ENVIRONMENT now"),
    (["serve"], {"TILL_JOURNAL_LENGTH": "5"}, "TILL_JOURNAL_LENGTH is TILL_REQUEST_LOG_LENGTH now"),
])
def test_a_retired_flag_or_variable_is_refused_with_the_new_name(tmp_path, arguments, variables, message):
    assert message in run_till(*arguments, cwd=tmp_path, code=64, **variables).stderr
