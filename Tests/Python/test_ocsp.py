"""The OCSP responder: what the official verifier makes of it with online checks on, and what openssl and raw bytes do."""

import base64
import json
import socket
import subprocess
import time
from urllib.parse import quote

import pytest
import requests
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ocsp

from process_helpers import converse, free_port, request_bytes, run_till
from shop_helpers import ControlClient, ControlRefused, Till, now_ms, server_root

BUNDLE = "com.example.revoked"
REQUEST, RESPONSE = "application/ocsp-request", "application/ocsp-response"
FAILED, RETRY = VerificationStatus.VERIFICATION_FAILURE, VerificationStatus.RETRYABLE_VERIFICATION_FAILURE


class Desk:
    """A Till whose certificates name its own address, and verifiers that ask there."""

    def __init__(self, serve, face="production"):
        self.serve = serve
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/ocsp"
        self.arguments = [f"--{face}-port", self.port, "--ocsp-url", self.url]
        self.start()
        self.call("createApp", {"bundleId": BUNDLE})
        self.call("createCustomer", {"customer": "ann"}, bundleId=BUNDLE, environment="sandbox")

    def start(self, data=None):
        self.till = self.serve(*self.arguments, data=data)
        self.control = ControlClient(self.till.address("control"))
        self.root = server_root(self.till)

    def call(self, *arguments, **parameters):
        return self.control.call(*arguments, **parameters)

    def set(self, certificate, state, **details):
        return self.call("setRevocation", {"state": state, **details}, certificate=certificate)["certificates"]

    def signed(self) -> str:
        """A notification that the present chain signed."""
        cases = self.call("listAttacks", query={"case": "control"}, bundleId=BUNDLE, environment="sandbox")["cases"]
        return cases[0]["signedPayload"]

    def verify(self, signed=None, online=True):
        """None, or the status with which a new verifier refuses; a verifier keeps what it once found good."""
        verifier = SignedDataVerifier([self.root], online, Environment.SANDBOX, BUNDLE)
        try:
            verifier.verify_and_decode_notification(signed or self.signed())
        except VerificationException as refused:
            return refused.status

    def chain(self):
        pem = self.call("getAuthority")["chain"]
        return x509.load_pem_x509_certificates(pem.encode())

    def question(self, *certificates, algorithm=hashes.SHA256(), nonce=None) -> bytes:
        """A question for one certificate, a pair of it and its issuer."""
        builder = ocsp.OCSPRequestBuilder().add_certificate(*certificates, algorithm)
        if nonce:
            builder = builder.add_extension(x509.OCSPNonce(nonce), critical=False)
        return builder.build().public_bytes(Encoding.DER)

    def post(self, body, content_type=REQUEST):
        return requests.post(self.url, data=body, headers={"Content-Type": content_type}, timeout=30)

    def get(self, path):
        """The path as it is: requests would make another of it."""
        return converse(self.port, request_bytes("GET", path), 10).answers[0]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    tills = []

    def serve(*arguments, data=None):
        tills.append(Till(tmp_path_factory.mktemp("ocsp"), *arguments, data=data))
        return tills[-1]

    yield Desk(serve)
    assert tills[0].stop() == 0


@pytest.fixture(autouse=True)
def good_again(request):
    yield
    if "desk" in request.fixturenames:
        request.getfixturevalue("desk").set("all", "good")


# The official verifier ------------------------------------------------------------------------------------------------


def test_the_official_verifier_passes_with_online_checks(desk):
    assert desk.verify() is None


@pytest.mark.parametrize("certificate", ["leaf", "intermediate"])
@pytest.mark.parametrize(
    "state, details, status",
    [
        ("revoked", {}, FAILED), ("revoked", {"reason": "keyCompromise", "revocationDate": 0}, FAILED),
        ("unknown", {}, FAILED), ("stale", {}, FAILED), ("dead", {}, RETRY), ("error", {}, FAILED),
        ("error", {"error": "internalError"}, FAILED), ("error", {"error": "unauthorized"}, FAILED),
        ("error", {"error": "http500"}, RETRY), ("slow", {"delay": 300}, None),
    ],
)
def test_the_official_verifier_sees_the_state(desk, certificate, state, details, status):
    set_ = desk.set(certificate, state, **details)
    assert [(entry["certificate"], entry["state"]) for entry in set_] == [(certificate, state)]
    began = time.monotonic()
    assert desk.verify() == status
    assert state != "slow" or time.monotonic() - began > 0.3
    assert desk.verify(online=False) is None
    desk.set(certificate, "good")
    assert desk.verify() is None


class Moving:
    """A data directory that is served on one port after another, without --ocsp-url."""

    def __init__(self, serve, data):
        self.serve, self.data = serve, data

    def start(self, port):
        self.till = self.serve("--production-port", port, data=self.data)
        self.port = int(self.till.address("production").rsplit(":", 1)[1])
        self.call = ControlClient(self.till.address("control")).call

    def address(self):
        (leaf, *_) = x509.load_pem_x509_certificates(self.call("getAuthority")["chain"].encode())
        (access,) = leaf.extensions.get_extension_for_class(x509.AuthorityInformationAccess).value
        return access.access_location.value

    def warnings(self):
        return [line for line in self.till.stderr().splitlines() if "another OCSP address" in line]

    def verify(self):
        cases = self.call("listAttacks", query={"case": "control"}, bundleId=BUNDLE, environment="sandbox")["cases"]
        verifier = SignedDataVerifier([server_root(self.till)], True, Environment.SANDBOX, BUNDLE)
        verifier.verify_and_decode_notification(cases[0]["signedPayload"])


def test_the_address_follows_the_production_port(serve, tmp_path):
    moving = Moving(serve, tmp_path / "data")
    moving.start(free_port())
    assert moving.address() == f"http://localhost:{moving.port}/ocsp" and not moving.warnings()
    moving.call("createApp", {"bundleId": BUNDLE})
    moving.call("createCustomer", {"customer": "ann"}, bundleId=BUNDLE, environment="sandbox")
    moving.verify()
    first = moving.address()
    moving.till.stop()

    # On another port: the chain is kept, and the log says that it leads nowhere, until it is rotated.
    moving.start(0)
    assert moving.address() == first
    (warning,) = moving.warnings()
    assert first in warning and f"http://localhost:{moving.port}/ocsp" in warning and "till ca rotate" in warning
    with pytest.raises(VerificationException):
        moving.verify()
    moving.call("rotateChain")
    assert moving.address() == f"http://localhost:{moving.port}/ocsp"
    moving.verify()


def test_an_address_that_was_chosen_is_taken_as_served(serve, tmp_path):
    moving = Moving(lambda *arguments, data: serve(*arguments, "--ocsp-url", "http://till.test/ocsp", data=data),
                    tmp_path / "data")
    moving.start(0)
    assert moving.address() == "http://till.test/ocsp" and not moving.warnings()
    moving.till.stop()
    moving = Moving(lambda *arguments, data: serve(*arguments, "--ocsp-url", "http://till.test/other/ocsp", data=data),
                    tmp_path / "data")
    moving.start(0)
    (warning,) = moving.warnings()
    assert "http://till.test/ocsp" in warning and "http://till.test/other/ocsp" in warning


def test_the_address_follows_the_host(serve, tmp_path):
    moving = Moving(lambda *arguments, data: serve(*arguments, "--host", "127.0.0.2", data=data), tmp_path / "data")
    moving.start(free_port())
    assert moving.address() == f"http://127.0.0.2:{moving.port}/ocsp" and not moving.warnings()


def test_either_environment_answers(serve):
    desk = Desk(serve, face="sandbox")
    assert desk.verify() is None
    desk.set("leaf", "revoked")
    assert desk.verify() == FAILED


def test_old_and_new_chains_verify_after_a_rotation_and_a_restart(serve):
    desk = Desk(serve)
    old = desk.signed()
    desk.call("rotateChain")
    new = desk.signed()
    assert desk.verify(old) is None and desk.verify(new) is None
    desk.set("leaf", "revoked")
    assert desk.verify(old) is None and desk.verify(new) == FAILED
    certificates = desk.call("getRevocation")["certificates"]
    assert [entry["isCurrent"] for entry in certificates].count(True) == 2
    was = [entry for entry in certificates if not entry["isCurrent"]]
    desk.set("intermediate", "unknown", chainId=was[0]["chainId"])
    assert desk.verify(old) == FAILED
    assert desk.till.stop() == 0
    desk.start(data=desk.till.data)
    assert desk.verify(old) == FAILED and desk.verify(new) == FAILED
    assert {entry["state"] for entry in desk.call("getRevocation")["certificates"]} == {"good", "revoked", "unknown"}
    desk.set("all", "good")
    assert desk.verify(old) is None and desk.verify(new) is None


def test_a_server_stops_while_somebody_waits_for_a_slow_answer(serve):
    desk = Desk(serve)
    leaf, intermediate, _ = desk.chain()
    desk.set("leaf", "slow", delay=60_000)
    body = desk.question(leaf, intermediate)
    with socket.create_connection(("127.0.0.1", desk.port)) as waiting:
        waiting.sendall(request_bytes("POST", "/ocsp", {"Content-Type": REQUEST}, body))
        time.sleep(0.5)
        assert desk.till.stop(limit=15) == 0


# The wire -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [hashes.SHA1(), hashes.SHA256(), hashes.SHA384(), hashes.SHA512()])
def test_an_answer_repeats_the_question(desk, algorithm):
    leaf, intermediate, root = desk.chain()
    for pair in [(leaf, intermediate), (intermediate, root)]:
        body = desk.question(*pair, algorithm=algorithm, nonce=b"n" * 32)
        answer = desk.post(body)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, RESPONSE)
        question, response = ocsp.load_der_ocsp_request(body), ocsp.load_der_ocsp_response(answer.content)
        assert response.response_status == ocsp.OCSPResponseStatus.SUCCESSFUL
        assert response.serial_number == pair[0].serial_number == question.serial_number
        assert response.issuer_key_hash == question.issuer_key_hash
        assert response.issuer_name_hash == question.issuer_name_hash
        assert response.hash_algorithm.name == algorithm.name
        assert response.responder_name is None and len(response.responder_key_hash) == 20
        assert response.extensions.get_extension_for_class(x509.OCSPNonce).value.nonce == b"n" * 32
        delegate, = response.certificates
        delegate.verify_directly_issued_by(pair[1])
        usage = delegate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert list(usage) == [x509.oid.ExtendedKeyUsageOID.OCSP_SIGNING]
        now = now_ms() / 1000
        assert abs(response.this_update_utc.timestamp() - now) < 5 and abs(response.produced_at_utc.timestamp() - now) < 5
        assert response.next_update_utc.timestamp() > now + 600


def test_an_answer_has_no_nonce_that_nobody_asked_for(desk):
    leaf, intermediate, _ = desk.chain()
    response = ocsp.load_der_ocsp_response(desk.post(desk.question(leaf, intermediate)).content)
    assert not list(response.extensions)


def test_questions_come_in_addresses_too(desk):
    leaf, intermediate, _ = desk.chain()
    spellings = set()
    # Nonces until the Base64 has had slashes, two in a row, and plus signs.
    for number in range(200):
        body = desk.question(leaf, intermediate, nonce=bytes([number, 255, 255, 255 - number] * 4))
        text = base64.b64encode(body).decode()
        spellings |= {mark for mark in ("/", "//", "+") if mark in text}
        for path in {quote(text, safe=""), text, quote(text, safe="/+").rstrip("="), text.replace("+", "-")}:
            answer = desk.get(f"/ocsp/{path}")
            assert (answer.status, answer.headers["content-type"]) == (200, RESPONSE)
            response = ocsp.load_der_ocsp_response(answer.body)
            assert response.certificate_status == ocsp.OCSPCertStatus.GOOD, path
        if len(spellings) == 3 and number > 10:
            return
    raise AssertionError(f"only {spellings}")


def test_openssl_is_a_client(desk, tmp_path):
    names = ["leaf", "intermediate", "root"]
    for name, certificate in zip(names, desk.chain()):
        (tmp_path / name).write_bytes(certificate.public_bytes(Encoding.PEM))
    desk.set("leaf", "revoked", reason="superseded", revocationDate=1_767_268_800_000)

    def ask(*arguments):
        command = ["openssl", "ocsp", "-CAfile", "root", "-verify_other", "intermediate", "-url", desk.url]
        done = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "Response verify OK" in done.stderr, done.stdout + done.stderr
        return done.stdout

    revoked = ask("-issuer", "intermediate", "-cert", "leaf")
    assert "leaf: revoked" in revoked and "Reason: superseded" in revoked and "Jan  1 12:00:00 2026" in revoked
    assert "intermediate: good" in ask("-sha256", "-issuer", "root", "-cert", "intermediate")
    both = ask("-issuer", "intermediate", "-cert", "leaf", "-serial", "77")
    assert "leaf: revoked" in both and "77: unknown" in both


def test_nonsense_is_malformed_and_never_a_refusal_of_the_api(desk):
    malformed = bytes([0x30, 3, 0x0A, 1, 1])
    for body in [b"", b"x", b"\x30\x80", b"\x30\x00", bytes(16_384), b"\x30" * 16_000]:
        answer = desk.post(body)
        assert (answer.status_code, answer.content) == (200, malformed), body[:10]
    for path in ["/ocsp", "/ocsp/", "/ocsp/%", "/ocsp/!!!!", "/ocsp/////", "/ocsp/MAA=", "/ocsp/a", "/ocsp/%FF"]:
        answer = desk.get(path)
        assert (answer.status, answer.body) == (200, malformed), path
    assert desk.post(bytes(16_385)).status_code == 413
    assert desk.post(b"\x30\x00", content_type="application/json").status_code == 415
    assert desk.call("listJournal")["entries"] == []
    assert desk.verify() is None


def test_a_dead_responder_sends_not_one_byte(desk):
    leaf, intermediate, root = desk.chain()
    desk.set("leaf", "dead")
    body = desk.question(leaf, intermediate)
    outcome = converse(desk.port, request_bytes("POST", "/ocsp", {"Content-Type": REQUEST}, body), 10)
    assert outcome.closed and not outcome.answers and not outcome.rest
    # Whoever asks for the other one is answered.
    assert ocsp.load_der_ocsp_response(desk.post(desk.question(intermediate, root)).content).certificate_status
    assert "Error" not in desk.till.stderr() and "error" not in desk.till.stderr()


# Control and command --------------------------------------------------------------------------------------------------


def test_control_tells_what_is_wrong(desk):
    def refused(certificate="leaf", **body):
        with pytest.raises(ControlRefused) as refusal:
            desk.call("setRevocation", body, certificate=certificate)
        return refusal.value.status, refusal.value.code

    assert refused(state="lost") == (400, "bad_request")
    assert refused(state="slow", delay=120_001) == (400, "bad_request")
    assert refused(state="good", reason="superseded") == (400, "bad_state")
    assert refused(state="revoked", delay=1) == (400, "bad_state")
    assert refused(state="slow", error="tryLater") == (400, "bad_state")
    assert refused("root", state="good") == (404, "unknown_certificate")
    assert refused(state="good", chainId="0123") == (404, "unknown_chain")
    assert {entry["state"] for entry in desk.call("getRevocation")["certificates"]} == {"good"}


def test_a_serial_number_names_a_certificate_however_it_is_written(desk):
    leaf = desk.chain()[0]
    digits = f"{leaf.serial_number:040X}"
    for name in [digits, digits.lower(), ":".join(digits[at : at + 2] for at in range(0, 40, 2))]:
        entry, = desk.set(name, "slow", delay=1)
        assert int(entry["serialNumber"], 16) == leaf.serial_number
        assert (entry["certificate"], entry["delay"]) == ("leaf", 1)


def test_the_command_sets_and_shows(desk):
    def run(*arguments, code=0):
        done = run_till("ca", "ocsp", *arguments, "--data", desk.till.data)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    said = run("set", "leaf", "revoked", "--reason", "keyCompromise", "--at", "2026-01-31")
    assert "leaf" in said and "revoked (since 2026-01-31T00:00:00Z, keyCompromise)" in said
    assert desk.verify() == FAILED
    assert "slow (1 ms)" in run("set", "intermediate", "slow", "--delay", "1")
    assert "error (tryLater)" in run("set", "intermediate", "error")
    shown = run("show")
    assert "intermediate  error" in shown and "leaf          revoked" in shown and "(signs)" in shown
    states = [entry["state"] for entry in json.loads(run("show", "--json"))["certificates"]]
    assert states == ["error", "revoked"]
    assert run("set", "all", "good").count("good") == 2
    assert "one of good, revoked" in run("set", "leaf", "lost", code=1)
    assert "name leaf, intermediate" in run("set", "trunk", "good", code=1)
    assert desk.verify() is None
