"""A Swift package outside of the tree that uses the client of the App Store Server API together with the control API."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from listening_post import ListeningPost
from process_helpers import payload

REPOSITORY = Path(__file__).parents[3]
FIXTURE = REPOSITORY / "Tests/Fixtures/outside-client"
APP = "com.example.reconciled"
SCOPE = f"/v1/apps/{APP}/sandbox"
WEEK = 7 * 86_400_000
CUSTOMERS = 12
# Rounds, each with some kills; the rest of the runs are in `make soak`.
ROUNDS, KILLS = (40, 5) if os.environ.get("TILL_SOAK") else (5, 3)


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
        "37 transactions of pro", "status 1 in the Sandbox", "1 request to sandbox: Transaction id not found.",
    ]
    resolved = (folder / "Package.resolved").read_text()
    assert "swift-crypto" in resolved and "grdb" not in resolved and "hummingbird" not in resolved


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
             *self.ids[:3]],
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
