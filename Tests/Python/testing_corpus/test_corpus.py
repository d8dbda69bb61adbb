"""The signed examples of `till fixtures`: Apple's verifier accepts and refuses each file as the manifest says, and the
files are complete."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from apple_purchase_receipt_verifier import Config, Verifier
from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509

import error_codes
from process_helpers import ROOT, payload, run_till
from shop_helpers import models

ENVIRONMENTS = ["Production", "Sandbox"]
JUDGES = {
    "notification": "notification", "transaction": "signed_transaction", "renewalInfo": "renewal_info",
    "appTransaction": "app_transaction",
}
KINDS = [*JUDGES, "receipt", "verifyReceipt", "apiError"]
TIME = {"type": "integer", "minimum": 1_199_145_600_000, "maximum": 4_102_444_800_000}
TEXT = {"type": "string", "minLength": 1}
ENTRY = {
    "type": "object",
    "additionalProperties": False,
    "required": ["file", "kind", "environment", "bundleId", "appAppleId", "shows"],
    "properties": {
        "file": {"type": "string", "pattern": r"^(production|sandbox)/[\w./-]+\.(jws|base64|json|txt)$"},
        "kind": {"enum": KINDS},
        "environment": {"enum": ENVIRONMENTS},
        "bundleId": TEXT, "appAppleId": {"type": "integer"}, "shows": {"type": "string", "pattern": r"\.$"},
        "isAccepted": {"type": "boolean"},
        "refusal": {"enum": [
            "VERIFICATION_FAILURE", "INVALID_CHAIN_LENGTH", "INVALID_APP_IDENTIFIER", "INVALID_ENVIRONMENT",
        ]},
        "attack": TEXT, "notificationType": TEXT, "subtype": TEXT, "isTriggered": {"type": "boolean"},
        "verifyAt": TIME, "status": {"type": "integer"}, "errorCode": {"type": "integer"}, "retryAfter": TEXT,
    },
    "allOf": [
        {"if": {"properties": {"kind": {"enum": list(JUDGES)}}}, "then": {"required": ["isAccepted", "verifyAt"]}},
        {"if": {"properties": {"kind": {"const": "notification"}}}, "then": {"required": ["notificationType"]},
         "else": {"not": {"required": ["notificationType"]}}},
        {"if": {"properties": {"kind": {"const": "receipt"}}}, "then": {"required": ["isAccepted", "status"]}},
        {"if": {"properties": {"kind": {"enum": ["verifyReceipt", "apiError"]}}}, "then": {"required": ["status"]}},
        {
            "if": {"properties": {"kind": {"enum": list(JUDGES)}, "isAccepted": {"const": False}}},
            "then": {"required": ["refusal", "attack"]},
            "else": {"not": {"required": ["refusal"]}},
        },
    ],
}
MANIFEST = {
    "type": "object",
    "additionalProperties": False,
    "required": ["format", "till", "bundleId", "appAppleId", "rootCertificate", "receiptRootCertificate",
                 "sharedSecret", "validFrom", "validUntil", "onlineChecks", "files"],
    "properties": {
        "format": {"const": 1}, "till": TEXT, "bundleId": TEXT, "appAppleId": {"type": "integer"},
        "rootCertificate": {"const": "root.cer"}, "receiptRootCertificate": {"const": "receipt-root.cer"},
        "sharedSecret": TEXT, "validFrom": TIME, "validUntil": TIME, "onlineChecks": {"const": False},
        "files": {"type": "array", "items": ENTRY, "minItems": 1},
    },
}


class Corpus:
    def __init__(self, folder):
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.files = self.manifest["files"]
        root = (folder / "root.cer").read_bytes()
        self.verifiers = {
            name: SignedDataVerifier(
                [root], False, models.Environment(name), self.manifest["bundleId"], self.manifest["appAppleId"])
            for name in ENVIRONMENTS
        }

    def of(self, kind, environment=None, attacks=False):
        return [
            entry for entry in self.files
            if entry["kind"] == kind and environment in (None, entry["environment"])
            and attacks == ("attack" in entry)
        ]

    def text(self, entry):
        return (self.folder / entry["file"]).read_text()

    def judge(self, entry, kind=None, jws=None):
        """The status with which Apple's verifier refuses the data; None if it accepts them."""
        try:
            verify = getattr(self.verifiers[entry["environment"]], f"verify_and_decode_{JUDGES[kind or entry['kind']]}")
            verify(jws or self.text(entry))
        except VerificationException as refused:
            return refused.status.name
        return None

    def decoded(self, kind, environment):
        """The decoded payloads of valid data, by the name of the file."""
        return {Path(entry["file"]).stem: payload(self.text(entry)) for entry in self.of(kind, environment)}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus") / "fixtures"
    done = run_till("fixtures", "--output", folder, "--json", code=0)
    corpus = Corpus(folder)
    assert json.loads(done.stdout) == {
        "folder": str(folder), "files": len(corpus.files), "bundleId": "com.example.app",
        "validUntil": corpus.manifest["validUntil"],
    }
    return corpus


def test_the_manifest_lists_every_file(corpus):
    jsonschema.validate(corpus.manifest, MANIFEST)
    written = {str(path.relative_to(corpus.folder)) for path in corpus.folder.rglob("*") if path.is_file()}
    others = {"manifest.json", "README.md", "root.cer", "root.pem", "receipt-root.cer", "receipt-root.pem"}
    assert written == {entry["file"] for entry in corpus.files} | others
    assert len({entry["file"] for entry in corpus.files}) == len(corpus.files)
    for kind in KINDS:
        names = [{entry["file"].split("/", 1)[1] for entry in corpus.of(kind, name)} for name in ENVIRONMENTS]
        if kind != "verifyReceipt":  # Each environment has a status of its own for receipts of the other.
            assert names[0] == names[1] != set(), kind


def test_the_certificates_are_tills_and_valid_as_long_as_the_manifest_says(corpus):
    for name in ("root", "receipt-root"):
        root = x509.load_der_x509_certificate((corpus.folder / f"{name}.cer").read_bytes())
        assert root == x509.load_pem_x509_certificate((corpus.folder / f"{name}.pem").read_bytes())
        assert "Till" in root.subject.rfc4514_string() and "Apple" not in root.subject.rfc4514_string()
        for date, limit in (("validFrom", root.not_valid_before_utc), ("validUntil", root.not_valid_after_utc)):
            assert limit.timestamp() * 1000 == corpus.manifest[date]
    readme = (corpus.folder / "README.md").read_text()
    assert "The root certificate is Till's, not Apple's" in readme and "2100-01-01" in readme


@pytest.mark.parametrize("kind", JUDGES)
def test_apples_verifier_judges_every_file_as_the_manifest_says(corpus, kind):
    for attacks in (False, True):
        for entry in corpus.of(kind, attacks=attacks):
            assert corpus.judge(entry) == entry.get("refusal"), entry["file"]
            assert entry["isAccepted"] == ("refusal" not in entry)
    for entry in corpus.of(kind):
        claims = payload(corpus.text(entry))
        assert entry["verifyAt"] == claims.get("signedDate", claims.get("receiptCreationDate"))


def test_the_signed_data_in_every_valid_notification_is_valid(corpus):
    keys = {"signedTransactionInfo": "transaction", "signedRenewalInfo": "renewalInfo",
            "signedAppTransactionInfo": "appTransaction"}
    seen = set()
    for entry in corpus.of("notification"):
        notice = payload(corpus.text(entry))
        assert (notice["notificationType"], notice.get("subtype")) == (entry["notificationType"], entry.get("subtype"))
        for key, jws in {**notice.get("data", {}), **notice.get("appData", {})}.items():
            if key in keys:
                assert corpus.judge(entry, keys[key], jws) is None, entry["file"]
                seen.add(key)
    assert seen == set(keys)


# Completeness ---------------------------------------------------------------------------------------------------------


def documented_notifications():
    """The pairs of a type and a subtype in docs/api/notifications.md, and those that no event causes."""
    table = (ROOT / "docs/api/notifications.md").read_text().split("## Types")[1].split("##")[0]
    rows = re.findall(r"^\|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$", table, re.MULTILINE)[2:]
    pairs, only_by_hand, types = set(), set(), []
    for left, middle, when in rows:
        types = re.findall(r"`(\w+)`", left) or types
        for kind in types:
            for subtype in re.findall(r"`(\w+)`", middle) or [None]:
                pairs.add((kind, subtype))
                if "only when the operator sends it" in when or "requested a test" in when:
                    only_by_hand.add((kind, subtype))
    return pairs, only_by_hand


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_type_and_subtype_of_notification_is_there(corpus, environment):
    entries = corpus.of("notification", environment)
    pairs, only_by_hand = documented_notifications()
    assert {(entry["notificationType"], entry.get("subtype")) for entry in entries} == pairs and len(pairs) > 35
    types = {kind for kind, _ in pairs}
    assert {kind.value for kind in models.NotificationTypeV2} <= types
    triggered = {(entry["notificationType"], entry.get("subtype")) for entry in entries if entry["isTriggered"]}
    # A subscription expires for another reason only when its refund is reversed later, which is another notification.
    assert triggered == only_by_hand | {("EXPIRED", None)}


def values(kind):
    """The values of an enumeration of the official library."""
    return {each.value for each in kind}


def found(payloads, key):
    return {each[key] for each in payloads if key in each}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_state_of_a_transaction_is_there(corpus, environment):
    rows = corpus.decoded("transaction", environment).values()
    for key, kind in (
        ("type", models.Type), ("transactionReason", models.TransactionReason),
        ("inAppOwnershipType", models.InAppOwnershipType), ("revocationType", models.RevocationType),
        ("offerType", models.OfferType), ("offerDiscountType", models.OfferDiscountType),
        ("billingPlanType", models.BillingPlanType),
    ):
        assert found(rows, key) == values(kind), key
        assert any(key not in row for row in rows) or key in ("type", "transactionReason", "inAppOwnershipType")
    assert {(row["type"], row["inAppOwnershipType"]) for row in rows} >= {
        ("Auto-Renewable Subscription", "FAMILY_SHARED"), ("Non-Consumable", "FAMILY_SHARED")}
    assert {row["type"] for row in rows if "revocationDate" in row} == values(models.Type) - {
        "Non-Renewing Subscription"}
    offers = {(row["offerType"], row.get("offerDiscountType")) for row in rows if "offerType" in row}
    assert offers == {
        *((kind, mode) for kind in (1, 2) for mode in ("FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT")),
        (3, "FREE_TRIAL"), (3, "ONE_TIME"), (4, "PAY_UP_FRONT")}
    for key in ("isUpgraded", "deviceVerification", "appAccountToken", "revocationPercentage"):
        assert found(rows, key), key


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_state_of_renewal_info_is_there(corpus, environment):
    infos = corpus.decoded("renewalInfo", environment)
    for key, kind in (
        ("expirationIntent", models.ExpirationIntent), ("priceIncreaseStatus", models.PriceIncreaseStatus),
        ("autoRenewStatus", models.AutoRenewStatus),
    ):
        assert found(infos.values(), key) == values(kind), key
    assert infos["active"]["autoRenewStatus"] == 1 and "expirationIntent" not in infos["active"]
    assert infos["will-not-renew"]["autoRenewStatus"] == 0 and "expirationIntent" not in infos["will-not-renew"]
    grace, retry = infos["grace-period"], infos["billing-retry"]
    assert grace["isInBillingRetryPeriod"] and grace["gracePeriodExpiresDate"] > grace["signedDate"]
    assert retry["isInBillingRetryPeriod"] and "gracePeriodExpiresDate" not in retry
    assert infos["billing-retry.after-grace-period"]["isInBillingRetryPeriod"]
    assert infos["price-increase.pending"]["priceIncreaseStatus"] == 0
    assert infos["price-increase.agreed"]["priceIncreaseStatus"] == 1
    assert infos["downgrade"]["autoRenewProductId"] != infos["downgrade"]["productId"]
    assert infos["offer-at-renewal"]["offerType"] == 3
    reasons = ["voluntary", "billing-retry", "price-increase", "product-not-for-sale", "other"]
    assert [infos[f"expired.{reason}"]["expirationIntent"] for reason in reasons] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_notifications_have_every_status_and_every_reason_for_a_refund_request(corpus, environment):
    data = [notice["data"] for notice in corpus.decoded("notification", environment).values() if "data" in notice]
    assert found(data, "status") == values(models.Status)
    assert found(data, "consumptionRequestReason") == values(models.ConsumptionRequestReason)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_error_is_there(corpus, environment):
    entries = corpus.of("apiError", environment)
    coded = {entry["errorCode"]: entry for entry in entries if "errorCode" in entry}
    assert set(error_codes.MESSAGES) <= set(coded)
    # The official library also knows errors of routes that Till does not serve.
    assert {int(error) for error in APIError} - set(coded) <= set(error_codes.LISTED)
    for code, entry in coded.items():
        assert json.loads(corpus.text(entry)) == {"errorCode": code, "errorMessage": entry["shows"]}
        assert entry["status"] == code // 10_000
    assert coded[4290000]["retryAfter"]
    assert {entry["status"] for entry in entries if "errorCode" not in entry} == {401, 404, 503}


# Receipts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_independent_verifier_judges_receipts_as_the_manifest_says(corpus, environment):
    verifier = Verifier(Config(roots=[(corpus.folder / "receipt-root.cer").read_bytes()]))
    refused = 0
    for attacks in (False, True):
        for entry in corpus.of("receipt", environment, attacks):
            name = Path(entry["file"]).name
            if name.startswith(("single.", "transaction-")):
                continue
            assert entry["isAccepted"] == (entry["status"] == 0)
            assert (verifier.verify_receipt(corpus.text(entry)).payload is None) == (
                entry["status"] in (21_002, 21_003)), name
            refused += not entry["isAccepted"]
    assert refused > 5
    utility = ReceiptUtility()
    texts = {Path(entry["file"]).stem: corpus.text(entry) for entry in corpus.of("receipt", environment)}
    rows = corpus.decoded("transaction", environment).values()
    assert utility.extract_transaction_id_from_app_receipt(texts["no-purchases"]) is None
    assert utility.extract_transaction_id_from_app_receipt(texts["one-time-purchases"]) in {
        row["transactionId"] for row in rows}
    assert utility.extract_transaction_id_from_transaction_receipt(texts["single.one-time-purchase"])


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_status_of_verify_receipt_is_there(corpus, environment):
    statuses = set()
    for entry in corpus.of("verifyReceipt", environment):
        exchange = json.loads(corpus.text(entry))
        assert exchange["answer"]["status"] == entry["status"]
        assert set(exchange) == ({"request", "answer"} if entry["status"] != 21_000 else {"answer"})
        statuses.add(entry["status"])
    other = 21_007 if environment == "Production" else 21_008
    assert statuses == {0, other, *range(21_000, 21_007), 21_009, 21_010, 21_100, 21_199}


# The command ----------------------------------------------------------------------------------------------------------


def test_one_environment_of_an_own_app_in_an_existing_folder(corpus, tmp_path):
    folder = tmp_path / "fixtures"
    shutil.copytree(corpus.folder, folder)
    (folder / "own.txt").write_text("own")
    arguments = ["fixtures", "--output", folder, "--app", "com.example.other", "--apple-id", 77,
                 "--environment", "sandbox"]
    refused = run_till(*arguments, "--json", code=1)
    assert "not empty" in json.loads(refused.stderr)["message"] and "--force" in refused.stderr
    assert (folder / "manifest.json").read_text() == (corpus.folder / "manifest.json").read_text()
    assert "Trust their root certificate in tests only" in run_till(*arguments, "--force", code=0).stdout
    other = Corpus(folder)
    jsonschema.validate(other.manifest, MANIFEST)
    assert {(each["environment"], each["bundleId"], each["appAppleId"]) for each in other.files} == {
        ("Sandbox", "com.example.other", 77)}
    assert (folder / "own.txt").read_text() == "own" and not list(folder.glob("production/*/*.*"))
    for entry in other.of("notification") + other.of("notification", attacks=True):
        assert other.judge(entry) == entry.get("refusal"), entry["file"]
    # The dates and the products do not depend on the run.
    ours, theirs = (each.decoded("transaction", "Sandbox")["subscription.renewal"] for each in (corpus, other))
    for key in ("purchaseDate", "expiresDate", "signedDate", "price"):
        assert ours[key] == theirs[key]


def test_force_overwrites_no_files_of_others(tmp_path):
    folder, outside = tmp_path / "own", tmp_path / "outside"
    folder.mkdir()
    outside.write_text("own")
    (folder / "README.md").write_text("own")
    refused = run_till("fixtures", "--output", folder, "--force", code=1).stderr
    assert "README.md that is not of till fixtures" in refused
    # Neither a list of files in another format, nor a link, leads to a deletion.
    (folder / "manifest.json").write_text('{"files": [{"file": "notes"}]}')
    (folder / "notes").mkdir()
    run_till("fixtures", "--output", folder, "--force", code=1)
    assert {file.name for file in folder.iterdir()} == {"README.md", "manifest.json", "notes"}
    (folder / "link").symlink_to(tmp_path)
    listed = [{"file": "link/outside"}, {"file": "notes"}]
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "till": "0", "files": listed}))
    run_till("fixtures", "--output", folder, "--environment", "sandbox", "--force", code=0)
    assert outside.read_text() == "own" and (folder / "notes").is_dir()


def test_wrong_usage_creates_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    assert "is a file" in run_till("fixtures", "--output", tmp_path / "file", code=1).stderr
    for wrong in (["--apple-id", "0"], ["--environment", "xcode"]):
        run_till("fixtures", "--output", tmp_path / "none", *wrong, code=64)
    run_till("fixtures", "--output", tmp_path / "none", "--app", "not a bundle id", code=1)
    assert not (tmp_path / "none").exists()


def test_the_example_of_the_guide_passes(corpus, tmp_path):
    example = ROOT / "docs/testing/examples/test_fixtures.py"
    shutil.copy(example, tmp_path)
    shutil.copytree(corpus.folder, tmp_path / "fixtures")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "test_fixtures.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d{3} passed", done.stdout), done.stdout
