"""A Swift package outside of the tree that uses the client of the App Store Server API together with the control API,
and verifies signed data."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from appstoreserverlibrary.signed_data_verifier import VerificationException

import notification_checks
import payload_rules
from catalog_of_everything import BASIC_YEAR, CATALOG, COINS, EXTRA
from shop_helpers import App

REPOSITORY = Path(__file__).parents[3]
FIXTURE = REPOSITORY / "Tests/Fixtures/outside-client"
PROFILES = ["fair", "sparse", "tomorrow", "tomorrow:7", "version:1.0", "version:1.8", "version:1.15", "version:1.22"]
WEEKS = 33


def swift(*arguments, package):
    outcome = subprocess.run(
        ["swift", *arguments[:1], "--package-path", package, "--scratch-path", REPOSITORY / ".build/outside-package",
         *arguments[1:]],
        capture_output=True, text=True, timeout=1_200, env={**os.environ, "TILL_REPOSITORY": str(REPOSITORY)},
    )
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    return outcome.stdout.splitlines()


@pytest.fixture
def package(tmp_path):
    return shutil.copytree(FIXTURE, tmp_path / "outside-client")


def test_a_package_uses_the_client_beside_an_older_swift_crypto(serve, package):
    """The package has swift-crypto 3.12.3, which the server cannot use, and none of the server's packages."""
    till = serve()
    addresses = [till.address(name) for name in ("control", "production", "sandbox")]
    lines = swift("run", "uses-app-store-server", *addresses, package=package)
    assert lines[-3:] == [
        "37 transactions of pro", "status 1 in the Sandbox", "1 request to sandbox: Transaction id not found.",
    ]
    resolved = (package / "Package.resolved").read_text()
    assert "swift-crypto" in resolved and "grdb" not in resolved and "hummingbird" not in resolved


# Apple's verifier -----------------------------------------------------------------------------------------------------


KINDS = {
    "signedPayload": "notification", "signedTransactionInfo": "transaction", "signedTransactions": "transaction",
    "signedRenewalInfo": "renewalInfo", "signedAppTransactionInfo": "appTransaction",
}
METHODS = {"notification": "notification", "transaction": "signed_transaction", "renewalInfo": "renewal_info",
           "appTransaction": "app_transaction"}
# The reasons of our verifier for each status of Apple's. Renewal info as a transaction is malformed for us, because it
# lacks keys of a transaction; Apple's verifier only misses the bundle id.
REASONS = {
    None: {"accepted"}, "INVALID_CHAIN_LENGTH": {"chainLength"}, "INVALID_ENVIRONMENT": {"environment"},
    "INVALID_APP_IDENTIFIER": {"app", "malformed"}, "VERIFICATION_FAILURE": {"algorithm", "chain", "signature"},
}


def signed_data(value, key=None):
    """All signed data in an answer, and in this data, each with its kind."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from signed_data(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from signed_data(inner, key)
    elif key in KINDS:
        yield KINDS[key], value
        yield from signed_data(payload_rules.decode(value)[1])


def apples_status(verifier, kind, jws):
    """The status with which Apple's verifier refuses the data, or None. In a notification it also verifies the data."""
    try:
        getattr(verifier, f"verify_and_decode_{METHODS[kind]}")(jws)
    except VerificationException as refused:
        return refused.status.name
    inner = signed_data(payload_rules.decode(jws)[1]) if kind == "notification" else ()
    return next((status for each in inner if (status := apples_status(verifier, *each))), None)


def history(environment, transaction):
    """The signed data of a history. Apple's client cannot read the pages of every profile."""
    revision = None
    while True:
        page = environment.send("GET", f"/inApps/v2/history/{transaction}", params={"revision": revision}).json()
        yield from signed_data(page)
        if not page["hasMore"]:
            return
        revision = page["revision"]


def lives(environment, post):
    """Signed data of every kind with every payload profile."""
    notification_checks.listen(environment, post)
    environment.control("setClock", {"mode": "frozen"})
    if environment.name == "sandbox":
        environment.control("updateSettings", {"rate": "calendar"})
    for number, profile in enumerate(PROFILES):
        environment.control("updateSettings", {"payloadProfile": profile})
        customer = f"customer-{number}"
        for product in (COINS, BASIC_YEAR, EXTRA):
            bought = environment.control("buyProduct", {"productId": product}, customer=customer)
            yield from signed_data(bought)
        notification_checks.advance(environment, f"P{WEEKS * 7}D")
        environment.control("cancelSubscription", {}, originalTransactionId=bought["originalTransactionId"])
        transaction = bought["transactionId"]
        yield from history(environment, transaction)
        for path in ("subscriptions", "transactions/appTransactions"):
            yield from signed_data(environment.send("GET", f"/inApps/v1/{path}/{transaction}").json())
    yield from signed_data([{"signedPayload": received.jws} for received in post.received])


def test_our_verifier_agrees_with_apples(serve, package, post, tmp_path):
    """Both accept and refuse the same data: everything that Till signs, and every case of the attack pack."""
    folder = swift("build", "--product", "verifies-signed-data", "--show-bin-path", package=package)[-1]
    swift("build", "--product", "verifies-signed-data", package=package)
    till = serve()
    app = App(till, "com.example.shop", 1_234_567_890, catalog=CATALOG)
    count, statuses = 0, set()
    for environment in (app.sandbox, app.production):
        data = list(dict.fromkeys(lives(environment, post)))
        count += len(data)
        for case in environment.control("listAttacks"):
            data += [("notification", case["signedPayload"]), ("transaction", case["signedTransactionInfo"])]
        expected = [apples_status(environment.verifier, *each) for each in data]
        identity = [app.bundle_id] + ([str(app.apple_id)] if environment.name == "production" else [])
        outcome = subprocess.run(
            [Path(folder) / "verifies-signed-data", till.document["rootCertificate"], *identity],
            input="".join(f"{kind} {jws}\n" for kind, jws in data), capture_output=True, text=True, timeout=600,
        )
        assert outcome.returncode == 0, outcome.stderr
        verdicts = outcome.stdout.splitlines()
        assert len(verdicts) == len(data)
        for (kind, jws), status, verdict in zip(data, expected, verdicts):
            assert verdict in REASONS[status], (kind, status, verdict, payload_rules.decode(jws))
        statuses.update(expected)
        post.received.clear()
    assert count >= 2_000 and statuses == set(REASONS)
