"""A Swift package outside of the tree that uses the client of the App Store Server API together with the control API,
verifies signed data, and reconciles."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from appstoreserverlibrary.signed_data_verifier import VerificationException

import notification_checks
import payload_rules
from catalog_of_everything import BASIC_YEAR, CATALOG, COINS, EXTRA
from listening_post import ListeningPost
from process_helpers import payload
from shop_helpers import App

REPOSITORY = Path(__file__).parents[3]
FIXTURE = REPOSITORY / "Tests/Fixtures/outside-client"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package, which is built, and the folder of its programs."""
    folder = shutil.copytree(FIXTURE, tmp_path_factory.mktemp("package") / "outside-client")
    scratch = REPOSITORY / ".build/outside-package"
    outcome = subprocess.run(
        ["swift", "build", "--package-path", folder, "--scratch-path", scratch],
        capture_output=True, text=True, timeout=2_400, env={**os.environ, "TILL_REPOSITORY": str(REPOSITORY)},
    )
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    return folder, scratch / "debug"


def test_a_package_uses_the_client_beside_an_older_swift_crypto(serve, package):
    """The package has swift-crypto 3.12.3, which the server cannot use, and none of the server's packages."""
    folder, programs = package
    till = serve()
    addresses = [till.address(name) for name in ("control", "production", "sandbox")]
    command = [programs / "uses-app-store-server", *addresses]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    assert outcome.stdout.splitlines()[-3:] == [
        "37 transactions of pro", "status active (1) in the Sandbox", "1 request to sandbox: Transaction id not found.",
    ]
    resolved = (folder / "Package.resolved").read_text()
    assert "swift-crypto" in resolved and "grdb" not in resolved and "hummingbird" not in resolved


# Apple's verifier -----------------------------------------------------------------------------------------------------

PROFILES = ["fair", "sparse", "tomorrow", "tomorrow:7", "version:1.0", "version:1.8", "version:1.15", "version:1.22"]
WEEKS = 33
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


def test_our_verifier_agrees_with_apples(serve, package, post):
    """Both accept and refuse the same data: everything that Till signs, and every case of the attack pack."""
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
            [package[1] / "verifies-signed-data", till.document["rootCertificate"], *identity],
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


# The reconciler -------------------------------------------------------------------------------------------------------

APP = "com.example.reconciled"
SCOPE = f"/v1/apps/{APP}/sandbox"
WEEK = 7 * 86_400_000
CUSTOMERS = 12
# Rounds, each with some kills; the rest of the runs are in `make soak`.
ROUNDS, KILLS = (40, 5) if os.environ.get("TILL_SOAK") else (5, 3)


class LossyBackend:
    """A backend whose webhook loses one in ten notifications, and whose reconciler is killed."""

    def __init__(self, till, programs, folder, seed):
        self.till, self.programs, self.folder = till, programs, folder
        self.random = random.Random(seed)
        self.post = ListeningPost()
        till.control("POST", "/v1/apps", {"bundleId": APP})
        self.key = till.control("POST", "/v1/keys", {"name": "backend"})
        (folder / "key.p8").write_text(self.key["privateKey"])
        for name in ("received.txt", "effects.txt"):
            (folder / name).touch()
        till.control("PUT", f"/v1/apps/{APP}/catalog", {
            "groups": [{"groupId": "21", "name": "Pro"}],
            "products": [{"productId": "pro", "type": "AUTO_RENEWABLE", "price": "4.99",
                          "subscription": {"groupId": "21", "level": 1, "period": "P1W"}}],
        })
        clock = till.control("PUT", f"{SCOPE}/clock", {"mode": "frozen"})
        self.begin = self.now = clock["now"]
        till.control("PUT", f"{SCOPE}/endpoints/primary", {"url": self.post.url})
        names = [f"customer{number}" for number in range(CUSTOMERS)]
        buy = f"{SCOPE}/customers/{{}}/purchases?settle=60"
        bought = [till.control("POST", buy.format(name), {"productId": "pro"}) for name in names]
        self.ids = [answer["transactionId"] for answer in bought]
        self.posts = self.kills = 0

    def live(self, weeks):
        """Lets weeks pass, and receives the notifications: the webhook records all but one in ten."""
        self.now += weeks * WEEK
        answer = self.till.control("POST", f"{SCOPE}/clock/advance?settle=60", {"to": self.now})
        assert answer["settled"]["pending"] == 0
        known = {*self.lines("received.txt"), *self.lines("effects.txt")}
        posts = [payload(post.jws)["notificationUUID"] for post in self.post.received[self.posts:]]
        self.posts += len(posts)
        with (self.folder / "received.txt").open("a") as file:
            kept = [uuid for uuid in dict.fromkeys(posts) if uuid not in known and self.random.random() >= 0.1]
            file.writelines(f"{uuid}\n" for uuid in kept)

    def reconcile(self, effects_before_kill=0, kill_after=None):
        """Runs the reconciler; it kills itself after a number of effects, or is killed after some seconds."""
        process = subprocess.Popen(
            [self.programs / "reconciles", self.till.address("sandbox"), self.folder / "key.p8", self.key["keyId"],
             self.key["issuerId"], APP, self.folder, str(self.begin), str(self.now), str(effects_before_kill),
             self.till.document["rootCertificate"], *self.ids[:3]],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        _, errors = process.communicate(timeout=300)
        self.kills += process.returncode == -signal.SIGKILL
        return process.returncode, errors

    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def happened(self):
        """The notifications of the server, and the transactions of the customers that are reconciled."""
        ids, after = [], ""
        while after is not None:
            page = self.till.control("GET", f"{SCOPE}/notifications?limit=100{after}")
            ids += [item["notificationUUID"] for item in page["notifications"]]
            after = f"&after={page['next']}" if page.get("next") else None
        for number in range(3):
            page = self.till.control("GET", f"{SCOPE}/customers/customer{number}/transactions?limit=100")
            assert "next" not in page
            ids += [item["transactionId"] for item in page["transactions"]]
        return ids


def test_a_reconciler_that_is_killed_at_random_places_has_each_effect_once(serve, package, tmp_path):
    """The store on a file hands a page over again after a kill. The backend writes the id together with the effect, so
    each effect occurs once."""
    backend = LossyBackend(serve(), package[1], tmp_path, seed=4711)
    try:
        for _ in range(ROUNDS):
            backend.live(weeks=2)
            # Each round has at least six new transactions, so the first run of a round is always killed.
            for run in range(KILLS):
                if run == 0 or backend.random.random() < 0.5:
                    backend.reconcile(effects_before_kill=backend.random.randint(1, 6))
                else:
                    backend.reconcile(kill_after=backend.random.uniform(0.0, 0.6))
        code, errors = backend.reconcile()
        assert code == 0, errors
    finally:
        backend.post.close()
    happened, effects, received = backend.happened(), backend.lines("effects.txt"), backend.lines("received.txt")
    assert len(happened) > CUSTOMERS * 2 * ROUNDS
    assert sorted(effects + received) == sorted(happened)
    # The webhook lost notifications, and the kills led to repetitions that the backend recognized.
    assert any("-" in line for line in effects) and backend.kills >= ROUNDS
    handed = backend.lines("handed.txt")
    assert set(handed) == set(happened) and len(handed) > len(set(handed))
