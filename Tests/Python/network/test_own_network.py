"""A network namespace in which Till replaces Apple, as in a container. Unchanged clients need only one environment
variable. They reach Till under Apple's host names, with TLS on port 443.

The network has no route to the Internet, so a client that contacted Apple would reach no server.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from process_helpers import Server, installed, till_binary
from test_exec import SEEDS, assert_found
from test_tls import HOSTS

HERE = Path(__file__).resolve().parent
# Prepares the namespace: starts loopback, mounts the hosts file over the real file, and waits.
NAMESPACE_SCRIPT = 'ip link set lo up; mount --bind "$0" /etc/hosts; echo ready; exec sleep infinity'


class Network:
    """A network namespace with Till on Apple's port under Apple's host names."""

    def __init__(self, folder: Path):
        self.folder = folder
        hosts = folder / "hosts"
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in ["localhost", *HOSTS]))
        self.user = [] if os.geteuid() == 0 else ["--map-root-user"]
        self.namespace = subprocess.Popen(
            ["unshare", "--net", "--mount", *self.user, "sh", "-ec", NAMESPACE_SCRIPT, hosts],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.server = None
        try:
            assert self.namespace.stdout.readline() == "ready\n", self.namespace.stderr.read()
            self.serve()
        except BaseException:
            self.close()
            raise

    def inside(self, *command) -> list:
        flags = ["--user", "--preserve-credentials"] if self.user else []
        return ["nsenter", "--target", str(self.namespace.pid), *flags, "--net", "--mount", "--", *map(str, command)]

    def serve(self):
        """Starts a server on Apple's port, and on the port that the certificates name for OCSP."""
        data = self.folder / "data"
        self.server = Server(data, self.folder, "--demo", "--tls-port", "443", prefix=self.inside())
        self.facts = self.server.document

    def till(self, *arguments) -> str:
        command = self.inside(till_binary(), *arguments, "--data", self.server.data)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=bare())
        assert done.returncode == 0, done.stderr
        return done.stdout

    def client(self, name, *arguments, **variables):
        """Runs an unchanged program with only these environment variables."""
        return subprocess.run(
            self.inside(sys.executable, HERE / name, *arguments), capture_output=True, text=True, timeout=90,
            env=bare() | variables,
        )

    def close(self):
        if self.server:
            self.server.stop()
        self.namespace.kill()
        self.namespace.communicate(timeout=30)


def bare() -> dict:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


class Shop:
    """The data of a backend: a settings file, and transactions and receipts of both environments."""

    def __init__(self, network: Network):
        self.network = network
        folder = network.folder
        facts = network.facts
        root = folder / "root.der"
        network.till("ca", "export", str(root))
        self.settings = {
            "TILL_KEY": facts["keyFile"], "TILL_KEY_ID": facts["keyId"], "TILL_ISSUER_ID": facts["issuerId"],
            "TILL_APP": "com.example.till.demo", "TILL_ROOT_DER": str(root), "ONLINE_CHECKS": "1",
        }
        app = json.loads(network.till("app", "list", "--json"))
        self.settings["TILL_APP_APPLE_ID"] = str(app[0]["appAppleId"])
        self.ids, self.receipts = {}, {}
        for environment in ("production", "sandbox"):
            network.till("customer", "create", "net", "--environment", environment)
            bought = json.loads(network.till("buy", SEEDS, "--customer", "net", "--environment", environment, "--json"))
            self.ids[environment] = bought["transaction"]["transactionId"]
            self.receipts[environment] = folder / f"{environment}.receipt"
            self.receipts[environment].write_text(network.till("receipt", "--customer", "net", "--environment", environment))

    def look_up(self, **variables) -> subprocess.CompletedProcess:
        """Asks for each environment with the official client, its verifier, and the receipt check."""
        file = self.network.folder / "settings.json"
        file.write_text(json.dumps(self.settings))
        arguments = [f"{environment}={id_}" for environment, id_ in self.ids.items()]
        arguments += [f"{environment}-receipt={path}" for environment, path in self.receipts.items()]
        return self.network.client("unchanged_backend.py", file, *arguments, **variables)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    for program, package in (("unshare", "util-linux"), ("nsenter", "util-linux"), ("ip", "iproute2")):
        installed(program, package)
    network = Network(tmp_path_factory.mktemp("network"))
    try:
        yield Shop(network)
    finally:
        network.close()


@pytest.fixture
def bundle(shop):
    return shop.network.facts["caBundle"]


def test_the_official_client_and_a_receipt_client_reach_both_environments_with_one_variable(shop, bundle):
    found = assert_found(shop.look_up(REQUESTS_CA_BUNDLE=bundle))
    assert {name: found[name]["transactionId"] for name in found} == shop.ids


def test_the_receipt_client_alone(shop, bundle):
    done = shop.network.client("unchanged_receipts.py", *shop.receipts.values(), REQUESTS_CA_BUNDLE=bundle)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["statuses"] for answer in answers] == [[0], [21007, 0]]
    assert [answer["answer"]["environment"] for answer in answers] == ["Production", "Sandbox"]


def test_without_the_variable_till_is_not_trusted(shop):
    """The clients check certificates, and trust Till only because of this variable."""
    done = shop.network.client("unchanged_receipts.py", shop.receipts["sandbox"])
    assert done.returncode == 1 and "CERTIFICATE_VERIFY_FAILED" in done.stderr


def test_the_network_has_no_route_out(shop):
    done = shop.network.client("unchanged_receipts.py", "/dev/null", HTTPS_PROXY="http://192.0.2.1:80")
    assert done.returncode == 1 and "Network is unreachable" in done.stderr


@pytest.mark.parametrize("certificate", ["leaf", "intermediate"])
@pytest.mark.parametrize("state, refusal", [
    (["good"], None), (["revoked", "--reason", "keyCompromise"], "VERIFICATION_FAILURE"),
    (["dead"], "RETRYABLE_VERIFICATION_FAILURE"), (["slow", "--delay", "1500"], None),
    (["error"], "VERIFICATION_FAILURE"), (["error", "--error", "http500"], "RETRYABLE_VERIFICATION_FAILURE"),
    (["stale"], "VERIFICATION_FAILURE"), (["unknown"], "VERIFICATION_FAILURE"),
], ids=lambda value: "-".join(value) if isinstance(value, list) else str(value))
def test_online_checks_work_with_tills_root_and_see_the_revocation_state(shop, bundle, certificate, state, refusal):
    shop.network.till("ca", "ocsp", "update", certificate, *state)
    try:
        began = time.monotonic()
        done = shop.look_up(REQUESTS_CA_BUNDLE=bundle)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        # The verifier of each environment checks separately.
        assert state[0] != "slow" or time.monotonic() - began > 3
        for environment in ("production", "sandbox"):
            assert found[environment].get("refusal") == refusal
            assert found[environment].get("transactionId") == (None if refusal else shop.ids[environment])
    finally:
        shop.network.till("ca", "ocsp", "update", "all", "good")
