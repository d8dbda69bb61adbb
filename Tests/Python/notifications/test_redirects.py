"""A delivery never runs an operation on a Till, whatever the URL of its endpoint and the redirects of its receivers.

`redirect_network.py` makes the deliveries in network namespaces without a route to the Internet; this file checks the
results.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from postgres_server import PostgresServer
from process_helpers import clean_environment, installed, run_till, till_binary
from redirect_network import SOURCES, STATUSES

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    for program, package in (
        ("ip", "iproute2"), ("unshare", "util-linux"), ("nsenter", "util-linux"), ("mount", "mount"),
    ):
        installed(program, package)
    database = PostgresServer()
    try:
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        done = subprocess.run(
            ["unshare", "--net", "--mount", *user, sys.executable, HERE / "redirect_network.py", database.url,
             tmp_path_factory.mktemp("redirects")],
            capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(HERE.parent)},
        )
        assert done.returncode == 0, done.stderr[-8_000:]
        return json.loads(done.stdout)
    finally:
        database.stop()


def test_no_redirect_runs_an_operation_on_this_or_another_node(found):
    """The test combines every status, network, kind of address and operation, including the routes of Apple's API."""
    assert {"rotateChain", "restoreSnapshot", "finishTransaction", "reset", "revokeKey"} <= set(
        found["operations"]
    )
    ends = found["ends"]
    public = here = 0
    for status in STATUSES:
        for source in SOURCES:
            refused = f"UNSUCCESSFUL_HTTP_RESPONSE_CODE {status} port of this Till"
            for way in ("address", "name"):
                assert ends.pop(f"till-{status}-{source}-{way} {refused}") == found["targets"]
            # While the name has a public address, a receiver outside of Till gets the delivery.
            moved = ends.pop(f"till-{status}-{source}-moving SUCCESS 200 False", 0)
            stayed = ends.pop(f"till-{status}-{source}-moving {refused}", 0)
            assert moved + stayed == found["targets"]
            public, here = public + moved, here + stayed
    assert public > 0 and here > 0, "the name did not change its address"
    moved = ends.pop("moved SUCCESS 200 False", 0)
    assert moved + ends.pop("moved OTHER None port of this Till", 0) == found["targets"]
    assert not [end for end in ends if end.startswith(("till-", "moved"))], ends
    assert found["isUnchanged"] and found["bought"]
    assert found["refusals"] == 0, "a redirect was followed; only the header prevented the operation"
    assert found["logged"]


def test_a_redirect_from_a_public_address_may_only_target_public_addresses(found):
    ends = found["ends"]
    for status in STATUSES:
        assert ends[f"outward-{status} SUCCESS 200 False"] == found["targets"]
        for source in ("loopback", "private"):
            refused = f"inward-{status}-{source} UNSUCCESSFUL_HTTP_RESPONSE_CODE {status} may not redirect"
            assert ends[refused] == found["targets"]
    assert found["arrived"] == len(STATUSES) * found["targets"]
    assert found["reached"] == 0


def test_every_delivery_is_marked_and_no_node_acts_on_a_marked_request(found):
    assert found["marked"] > 0 and found["unmarked"] == 0
    statuses = found["directStatuses"]
    assert statuses.pop("marked 403") == found["targets"]
    # An operation without a body rejects an unmarked request that has one.
    assert statuses == {"body 400 unexpected_body": 2 * len(found["operations"])}
    assert found["isStillUnchanged"] and found["laterRefusals"] == found["targets"] and found["loggedAtControl"]
    assert found["rotated"] == 200, "the operation would have failed anyway"


def test_an_endpoint_cannot_be_a_port_of_till_or_a_metadata_address(found):
    assert len(found["refusedEndpoints"]) == 6
    for address, answer in found["refusedEndpoints"].items():
        assert answer["code"] == "bad_url", address
        word = "link-local" if "169.254" in address else "port of this Till"
        assert word in answer["message"], answer


@pytest.mark.parametrize("words", ["everywhere", "10.0.0.1/8", "default,public-https", "10.0.0.0/33"])
def test_an_invalid_network_setting_is_rejected_at_the_start(tmp_path, words):
    done = run_till("serve", "--data", tmp_path / "d", TILL_ENDPOINT_NETWORKS=words)
    assert done.returncode == 1 and "endpointNetworks" in done.stderr and "public-https" in done.stderr


def test_public_https_allows_public_addresses_with_https_only(serve):
    till = serve("--endpoint-networks", "public-https", "--endpoint-networks", "10.0.0.0/8", "--demo")
    for url, reason in (
        ("http://127.0.0.1:9/", "loopback"), ("https://192.168.0.1/", "private"),
        ("http://198.51.100.7/", "https only"),
        ("http://[fe80::1]/", "link-local"), ("https://198.51.100.7/", None), ("http://10.1.2.3/", None),
    ):
        path = "/v1/apps/com.example.till.demo/sandbox/endpoints/primary"
        answer = till.control("PUT", path, {"url": url}, expect=(200, 400))
        assert re.search(reason, answer["message"]) if reason else answer["url"] == url


@contextlib.contextmanager
def listening(till, url):
    """`till listen`, which gets a test notification and forwards it."""
    process = subprocess.Popen(
        [till_binary(), "listen", "--control", till.address("control"), "--forward-to", url, "--count", "1"],
        stdout=subprocess.PIPE, text=True, env=clean_environment(),
    )
    try:
        assert process.stdout.readline().startswith("Listening")
        till.control("POST", "/v1/apps/com.example.till.demo/sandbox/notifications", {"type": "TEST"})
        yield process
    finally:
        process.kill()
        process.wait()


def test_listen_and_attack_mark_their_posts(serve, post):
    till = serve("--demo")
    attack = ["attack", "--control", till.address("control"), "--app", "com.example.till.demo", "--case", "alg-none"]
    run_till(*attack, "--post", post.url, code=3)
    count = len(post.received)
    with listening(till, post.url) as process:
        received = post.wait_for(count + 1)
        assert process.wait(30) == 0
    assert count > 0 and all(one.headers.get("Till-Delivery") == "1" for one in received)
    chains = till.control("GET", "/v1/ca")
    run_till(*attack, "--post", f"{till.address('control')}/v1/ca/rotate")
    assert till.control("GET", "/v1/ca") == chains and "the control API refused a notification" in till.stderr()


def test_a_receiver_that_never_ends_its_answer_does_not_stop_listen(serve):
    """The time limit applies to the whole answer. The receiver sends the head at once, and then one byte at a time."""
    till = serve("--demo")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def send_slowly():
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
                while True:
                    connection.sendall(b"x")
                    time.sleep(0.2)

        threading.Thread(target=send_slowly, daemon=True).start()
        with listening(till, f"http://127.0.0.1:{listener.getsockname()[1]}/") as process:
            output, _ = process.communicate(timeout=120)
            assert process.returncode == 0 and "TIMED_OUT" in output
