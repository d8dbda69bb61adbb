"""The attack pack: Apple's verifier rejects every case, and the report finds a backend that does not verify
signatures."""

import contextlib
import itertools
import json
import socket
import struct
import subprocess

import pytest
import requests
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

import payload_rules
from catalog_of_everything import BASIC, COINS
from listening_post import ListeningPost
from process_helpers import clean_environment, free_port, payload, run_till, till_binary, wait_until
from shop_helpers import DAY, models, now_ms

RIGHT = ["control", "replayed-notification"]


@pytest.fixture
def judged(environment):
    """The status with which Apple's verifier rejects a JWS, or None. It checks nothing online and has no cache."""
    app = environment.app
    sort = models.Environment(environment.wire_name)
    verifier = SignedDataVerifier([app.root], False, sort, app.bundle_id, app.apple_id)

    def judge(kind, jws):
        try:
            getattr(verifier, f"verify_and_decode_{kind}")(jws)
        except VerificationException as refused:
            return refused.status.name

    return judge


def pack(environment, **query):
    return {case["case"]: case for case in environment.control("listAttacks", query=query)}


def check(cases, judged):
    """Checks every case against its own description, for a notification and for a transaction."""
    assert len(cases) == 16 and {name for name, case in cases.items() if not case["mustBeRefused"]} == set(RIGHT)
    for name, case in cases.items():
        expected = case["refusal"] if case["mustBeRefused"] else None
        assert judged("signed_transaction", case["signedTransactionInfo"]) == expected, name
        if name == "renewal-info-as-transaction":
            # The notification is valid, but the transaction in it is not.
            assert judged("notification", case["signedPayload"]) is None
            inner = payload(case["signedPayload"])["data"]["signedTransactionInfo"]
            assert judged("signed_transaction", inner) == expected
            assert judged("renewal_info", inner) is None
        else:
            assert judged("notification", case["signedPayload"]) == expected, name


def test_apples_verifier_rejects_every_case(environment, judged):
    check(pack(environment), judged)


def test_apples_verifier_rejects_every_case_about_a_purchase(environment, customer, judged):
    bought = environment.buy(customer, COINS)
    cases = pack(environment, transactionId=bought.id)
    check(cases, judged)
    for name in RIGHT:
        assert payload(cases[name]["signedTransactionInfo"])["transactionId"] == bought.id


def test_apples_verifier_rejects_every_case_about_a_subscription_in_the_past(environment, customer, judged):
    with environment.on_clock(customer, now_ms() - 400 * DAY):
        bought = environment.buy(customer, BASIC)
        cases = pack(environment, transactionId=bought.id)
    check(cases, judged)
    notice = payload(cases["control"]["signedPayload"])
    assert notice["notificationType"] == "SUBSCRIBED" and notice["data"]["status"] == 1
    assert judged("renewal_info", notice["data"]["signedRenewalInfo"]) is None


# Backends -------------------------------------------------------------------------------------------------------------


class Backend(ListeningPost):
    """A developer's server. `accepts` decides whether it accepts a signedPayload. If it has `fails`, that function
    answers when `accepts` finds an invalid signature."""

    def __init__(self, accepts, status=None, fails=None):
        super().__init__(self.judge)
        self.accepts, self.status, self.fails = accepts, status, fails

    @property
    def seen(self):
        return [each.jws for each in self.received]

    def judge(self, handler):
        try:
            status = 200 if self.accepts(self.seen[-1]) else 401
        except Exception as error:
            if self.fails and isinstance(error, VerificationException):
                return self.fails(handler)
            status = 400
        self.reply(handler, self.status or status, Connection="close")


@pytest.fixture
def backend():
    with contextlib.ExitStack() as stack:
        yield lambda accepts, **options: stack.enter_context(contextlib.closing(Backend(accepts, **options)))


@pytest.fixture
def verifies(app):
    """Verifies a notification and the transaction in it."""
    verifier = SignedDataVerifier([app.root], False, models.Environment.SANDBOX, app.bundle_id)

    def accepts(jws):
        notice = verifier.verify_and_decode_notification(jws)
        verifier.verify_and_decode_signed_transaction(notice.data.signedTransactionInfo)
        return True

    return accepts


def attack(app, *arguments, code):
    where = ["--app", app.bundle_id, "--control", app.server.address("control")]
    return run_till("attack", *where, *arguments, timeout=120, code=code)


def test_a_backend_that_verifies_passes(app, backend, verifies):
    careful = backend(verifies)
    output = attack(app, "--post", careful.url, code=0).stdout
    assert "The backend accepted no attack." in output
    assert "accepted the second time too" in output
    # The backend gets one valid notification, thirteen attacks, and then another valid notification twice.
    assert len(careful.seen) == 17 and careful.seen[-1] == careful.seen[-2]


def test_a_backend_that_only_decodes_accepts_every_attack(app, backend):
    weak = backend(lambda jws: payload(jws)["notificationUUID"])
    done = attack(app, "--post", weak.url, "--json", code=3)
    report = json.loads(done.stdout)
    tried = [entry["case"] for entry in report["attacks"]]
    assert report["accepted"] == tried and len(tried) == 14
    assert report["control"]["accepted"] and report["replay"]["accepted"]
    assert "The backend accepted 14 of 14 attacks" in attack(app, "--post", weak.url, code=3).stdout


def test_a_backend_with_one_hole_is_reported_with_that_case(app, backend, verifies):
    holed = backend(lambda jws: payload_rules.decode(jws)[0]["alg"] == "none" or verifies(jws))
    output = attack(app, "--post", holed.url, code=3).stdout
    assert "alg-none" in output and "ACCEPTED" in output and "accepted 1 of 14 attacks" in output
    assert "accepted 1 of 1 attacks" in attack(app, "--post", holed.url, "--case", "alg-none", code=3).stdout
    assert "The backend accepted no attack" in attack(app, "--post", holed.url, "--case", "wrong-root", code=0).stdout


def closes(request):
    request.close_connection = True


def resets(request):
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()
    request.close_connection = True


@pytest.mark.parametrize("fails, verdict, words", [
    (lambda request: Backend.reply(request, 500, Connection="close"), "crashed", "HTTP 500  CRASHED"),
    (closes, "unanswered", "NO ANSWER"), (resets, "unanswered", "NO ANSWER"),
])
def test_a_backend_error_does_not_count_as_a_rejection(app, backend, verifies, fails, verdict, words):
    address = backend(verifies, fails=fails).url
    report = json.loads(attack(app, "--post", address, "--json", code=4).stdout)
    assert report["control"]["verdict"] == "accepted" and report["accepted"] == []
    assert report["errors"] == [entry["case"] for entry in report["attacks"]] and len(report["errors"]) == 14
    for entry in report["attacks"]:
        assert entry["verdict"] == verdict and entry["accepted"] is False, entry
        assert entry.get("status") == (500 if verdict == "crashed" else None)
        assert ("failure" in entry) == (verdict == "unanswered")
    output = attack(app, "--post", address, "--case", "alg-none", code=4).stdout
    assert words in output and "The backend failed on 1 instead of refusing or accepting: alg-none." in output


def test_an_accepted_attack_outranks_a_backend_error(app, backend, verifies):
    statuses = itertools.cycle([200, 500])
    every_other = backend(verifies, fails=lambda request: Backend.reply(request, next(statuses), Connection="close"))
    report = json.loads(attack(app, "--post", every_other.url, "--json", code=3).stdout)
    assert len(report["accepted"]) == len(report["errors"]) == 7


def test_a_backend_that_fails_on_the_valid_notification_ends_the_attack(app, backend):
    done = attack(app, "--post", backend(lambda jws: None, status=503).url, code=1)
    assert "failed on a valid notification (HTTP 503)" in done.stderr and "refuse" not in done.stderr
    done = attack(app, "--post", backend(lambda jws: None, status=503).url, "--json", code=1)
    report, refusal = json.loads(done.stdout), json.loads(done.stderr)
    assert report["control"]["verdict"] == "crashed" and report["errors"] == ["control"]
    assert (report["attacks"], refusal["code"]) == ([], "attack_crashed")


def test_a_backend_that_accepts_replays_is_reported(app, backend):
    known = set()

    def accepts(jws):
        uuid = payload(jws)["notificationUUID"]
        if uuid in known:
            return False
        known.add(uuid)
        return True

    output = attack(app, "--post", backend(accepts).url, "--case", "replayed-notification", code=0).stdout
    assert "refused the second time; the App Store would keep resending it" in output


def test_a_backend_that_rejects_everything_proves_nothing(app, backend):
    shut = backend(lambda jws: False)
    done = attack(app, "--post", shut.url, code=1)
    assert "it refuses everything" in done.stderr and "HTTP 401" in done.stderr
    assert len(shut.seen) == 1
    unreachable = attack(app, "--post", f"http://127.0.0.1:{free_port()}/apple", code=1)
    assert "No answer from" in unreachable.stderr


def test_the_command_lists_prints_and_serves(app, sandbox):
    listed = attack(app, code=0).stdout
    for name, case in pack(sandbox).items():
        assert name in listed and case["wrong"] in listed and case["refusal"] in listed
    printed = attack(app, "--case", "hs256-public-key", code=0).stdout
    assert "hs256-public-key" in printed
    printed = json.loads(attack(app, "--case", "hs256-public-key", "--json", code=0).stdout)
    assert len(printed) == 1 and printed[0]["signedPayload"].count(".") == 2
    assert "case must be one of control, wrong-root" in attack(app, "--case", "lost", code=64).stderr
    assert attack(app, "--post", "here", code=64).stderr


def test_the_command_serves_until_it_is_stopped(app):
    port = free_port()
    process = subprocess.Popen(
        [till_binary(), "attack", "--app", app.bundle_id, "--control", app.server.address("control")]
        + ["--serve", str(port)], stdout=subprocess.DEVNULL, env=clean_environment(),
    )
    try:
        def fetch(path):
            return requests.get(f"http://127.0.0.1:{port}{path}", timeout=10)

        def listed():
            assert process.poll() is None
            with contextlib.suppress(requests.ConnectionError):
                return fetch("/").text

        assert "wrong-root" in wait_until(listed, 10)
        assert payload(fetch("/wrong-root").text)["data"]["bundleId"] == app.bundle_id
        assert payload(fetch("/wrong-root/transaction").text)["bundleId"] == app.bundle_id
        assert fetch("/lost").status_code == 404
    finally:
        process.terminate()
        assert process.wait(10) == 0
