"""The OCSP responder, used by the official verifier with online checks, by openssl, and with raw bytes."""

import base64
import json
import re
import socket
import subprocess
import time
from urllib.parse import quote

import pytest
import requests
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ocsp

from process_helpers import converse, free_port, request_bytes, run_till
from shop_helpers import Till, models, now_ms, server_root

BUNDLE = "com.example.revoked"
REQUEST, RESPONSE = "application/ocsp-request", "application/ocsp-response"
FAILED, RETRY = VerificationStatus.VERIFICATION_FAILURE, VerificationStatus.RETRYABLE_VERIFICATION_FAILURE


class Responder:
    """A Till whose certificates name its own OCSP address, and verifiers that use this address."""

    def __init__(self, serve, face="production"):
        self.serve = serve
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/ocsp"
        self.arguments = [f"--{face}-port", self.port, "--ocsp-url", self.url]
        self.start(*self.arguments)
        self.create_customer()

    def start(self, *arguments, data=None):
        self.till = self.serve(*arguments, data=data)
        self.root = server_root(self.till)

    def create_customer(self):
        self.call("createApp", {"bundleId": BUNDLE})
        self.call("createCustomer", {"customer": "ann"}, bundleId=BUNDLE, environment="sandbox")

    def call(self, *arguments, **parameters):
        return self.till.client.call(*arguments, **parameters)

    def set(self, certificate, state, **details):
        return self.call("setRevocation", {"state": state, **details}, certificate=certificate)

    def signed(self) -> str:
        """A notification that was signed with the present chain."""
        cases = self.call("listAttacks", query={"case": "control"}, bundleId=BUNDLE, environment="sandbox")
        return cases[0]["signedPayload"]

    def verify(self, signed=None, online=True):
        """The status with which a new verifier rejects the JWS, or None. A used verifier would cache valid chains."""
        verifier = SignedDataVerifier([self.root], online, models.Environment.SANDBOX, BUNDLE)
        try:
            verifier.verify_and_decode_notification(signed or self.signed())
        except VerificationException as refused:
            return refused.status

    def chain(self):
        pem = self.call("getAuthority")["chain"]
        return x509.load_pem_x509_certificates(pem.encode())

    def question(self, *certificates, algorithm=hashes.SHA256(), nonce=None) -> bytes:
        """An OCSP request about one certificate, which is given together with its issuer."""
        builder = ocsp.OCSPRequestBuilder().add_certificate(*certificates, algorithm)
        if nonce:
            builder = builder.add_extension(x509.OCSPNonce(nonce), critical=False)
        return builder.build().public_bytes(Encoding.DER)

    def post(self, body, content_type=REQUEST):
        return requests.post(self.url, data=body, headers={"Content-Type": content_type}, timeout=30)

    def get(self, path):
        """Requests the path unchanged, because the requests library would normalize it."""
        return converse(self.port, request_bytes("GET", path), 10).answers[0]


@pytest.fixture(scope="module")
def responder(tmp_path_factory):
    tills = []

    def serve(*arguments, data=None):
        tills.append(Till(tmp_path_factory.mktemp("ocsp"), *arguments, data=data))
        return tills[-1]

    yield Responder(serve)
    assert tills[0].stop() == 0


@pytest.fixture(autouse=True)
def good_again(request):
    yield
    if "responder" in request.fixturenames:
        request.getfixturevalue("responder").set("all", "good")


def test_the_official_verifier_accepts_with_online_checks(responder):
    assert responder.verify() is None


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
def test_the_official_verifier_sees_the_state(responder, certificate, state, details, status):
    set_ = responder.set(certificate, state, **details)
    assert [(entry["certificate"], entry["state"]) for entry in set_] == [(certificate, state)]
    began = time.monotonic()
    assert responder.verify() == status
    assert state != "slow" or time.monotonic() - began > 0.3
    assert responder.verify(online=False) is None
    responder.set(certificate, "good")
    assert responder.verify() is None


class MovedResponder(Responder):
    """A server whose data directory is started again on different ports or with other settings."""

    def __init__(self, serve, *arguments):
        self.serve = serve
        self.start(*arguments)
        self.create_customer()

    def move(self, *arguments):
        self.till.stop()
        self.start(*arguments, data=self.till.data)

    def address(self):
        (access,) = self.chain()[0].extensions.get_extension_for_class(x509.AuthorityInformationAccess).value
        return access.access_location.value

    def warnings(self):
        return [line for line in self.till.stderr().splitlines() if "does not answer at the OCSP URL" in line]


@pytest.mark.parametrize("chosen_by_the_system", [False, True])
def test_the_address_follows_the_production_port(serve, chosen_by_the_system):
    moved = MovedResponder(serve, "--production-port", 0 if chosen_by_the_system else free_port())
    first = moved.address()
    assert first == f"http://localhost:{moved.till.ports['production']}/ocsp" and not moved.warnings()
    assert moved.verify() is None

    # On another port, Till keeps the chain. The log warns about the old address until the chain is rotated.
    moved.move("--production-port", free_port())
    assert moved.address() == first
    (warning,) = moved.warnings()
    now = f"http://localhost:{moved.till.ports['production']}/ocsp"
    assert first in warning and now in warning and "till ca rotate" in warning
    assert moved.verify() is not None
    moved.call("rotateChain")
    assert moved.address() == now
    assert moved.verify() is None


def test_a_configured_address_is_used_unchanged(serve):
    moved = MovedResponder(serve, "--ocsp-url", "http://till.test/ocsp")
    assert moved.address() == "http://till.test/ocsp" and not moved.warnings()
    moved.move("--ocsp-url", "http://till.test/other/ocsp")
    (warning,) = moved.warnings()
    assert "http://till.test/ocsp" in warning and "http://till.test/other/ocsp" in warning


def test_the_address_follows_the_host(serve):
    moved = MovedResponder(serve, "--host", "127.0.0.2", "--production-port", free_port())
    assert moved.address() == f"http://127.0.0.2:{moved.till.ports['production']}/ocsp" and not moved.warnings()


def test_either_environment_answers(serve):
    responder = Responder(serve, face="sandbox")
    assert responder.verify() is None
    responder.set("leaf", "revoked")
    assert responder.verify() == FAILED


def test_old_and_new_chains_verify_after_a_rotation_and_a_restart(serve):
    responder = Responder(serve)
    old = responder.signed()
    responder.call("rotateChain")
    new = responder.signed()
    assert responder.verify(old) is None and responder.verify(new) is None
    responder.set("leaf", "revoked")
    assert responder.verify(old) is None and responder.verify(new) == FAILED
    certificates = responder.call("getRevocation")
    assert [entry["isCurrent"] for entry in certificates].count(True) == 2
    was = [entry for entry in certificates if not entry["isCurrent"]]
    responder.set("intermediate", "unknown", chainId=was[0]["chainId"])
    assert responder.verify(old) == FAILED
    assert responder.till.stop() == 0
    responder.start(*responder.arguments, data=responder.till.data)
    assert responder.verify(old) == FAILED and responder.verify(new) == FAILED
    states = {entry["state"] for entry in responder.call("getRevocation")}
    assert states == {"good", "revoked", "unknown"}
    responder.set("all", "good")
    assert responder.verify(old) is None and responder.verify(new) is None


def test_a_server_stops_while_a_client_waits_for_a_slow_answer(serve):
    responder = Responder(serve)
    leaf, intermediate, _ = responder.chain()
    responder.set("leaf", "slow", delay=60_000)
    body = responder.question(leaf, intermediate)
    with socket.create_connection(("127.0.0.1", responder.port)) as waiting:
        waiting.sendall(request_bytes("POST", "/ocsp", {"Content-Type": REQUEST}, body))
        time.sleep(0.5)
        assert responder.till.stop(limit=15) == 0


@pytest.mark.parametrize("algorithm", [hashes.SHA1(), hashes.SHA256(), hashes.SHA384(), hashes.SHA512()])
def test_an_answer_matches_its_request(responder, algorithm):
    leaf, intermediate, root = responder.chain()
    for pair in [(leaf, intermediate), (intermediate, root)]:
        body = responder.question(*pair, algorithm=algorithm, nonce=b"n" * 32)
        answer = responder.post(body)
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
        assert abs(response.this_update_utc.timestamp() - now) < 5
        assert abs(response.produced_at_utc.timestamp() - now) < 5
        assert response.next_update_utc.timestamp() > now + 600


def test_an_answer_has_no_unrequested_nonce(responder):
    leaf, intermediate, _ = responder.chain()
    response = ocsp.load_der_ocsp_response(responder.post(responder.question(leaf, intermediate)).content)
    assert not list(response.extensions)


def test_requests_may_be_sent_with_get(responder):
    leaf, intermediate, _ = responder.chain()
    spellings = set()
    # The nonce varies until the Base64 has contained "/", "//" and "+".
    for number in range(200):
        body = responder.question(leaf, intermediate, nonce=bytes([number, 255, 255, 255 - number] * 4))
        text = base64.b64encode(body).decode()
        spellings |= {mark for mark in ("/", "//", "+") if mark in text}
        for path in {quote(text, safe=""), text, quote(text, safe="/+").rstrip("="), text.replace("+", "-")}:
            answer = responder.get(f"/ocsp/{path}")
            assert (answer.status, answer.headers["content-type"]) == (200, RESPONSE)
            response = ocsp.load_der_ocsp_response(answer.body)
            assert response.certificate_status == ocsp.OCSPCertStatus.GOOD, path
        if len(spellings) == 3 and number > 10:
            return
    raise AssertionError(f"only {spellings}")


def test_openssl_accepts_the_answers(responder, tmp_path):
    names = ["leaf", "intermediate", "root"]
    for name, certificate in zip(names, responder.chain()):
        (tmp_path / name).write_bytes(certificate.public_bytes(Encoding.PEM))
    responder.set("leaf", "revoked", reason="superseded", revocationDate=1_767_268_800_000)

    def ask(*arguments):
        command = ["openssl", "ocsp", "-CAfile", "root", "-verify_other", "intermediate", "-url", responder.url]
        done = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "Response verify OK" in done.stderr, done.stdout + done.stderr
        return done.stdout

    revoked = ask("-issuer", "intermediate", "-cert", "leaf")
    assert "leaf: revoked" in revoked and "Reason: superseded" in revoked and "Jan  1 12:00:00 2026" in revoked
    assert "intermediate: good" in ask("-sha256", "-issuer", "root", "-cert", "intermediate")
    both = ask("-issuer", "intermediate", "-cert", "leaf", "-serial", "77")
    assert "leaf: revoked" in both and "77: unknown" in both


def test_garbage_is_answered_as_malformed_and_not_logged_as_an_api_error(responder):
    malformed = bytes([0x30, 3, 0x0A, 1, 1])
    for body in [b"", b"x", b"\x30\x80", b"\x30\x00", bytes(16_384), b"\x30" * 16_000]:
        answer = responder.post(body)
        assert (answer.status_code, answer.content) == (200, malformed), body[:10]
    for path in ["/ocsp", "/ocsp/", "/ocsp/%", "/ocsp/!!!!", "/ocsp/////", "/ocsp/MAA=", "/ocsp/a", "/ocsp/%FF"]:
        answer = responder.get(path)
        assert (answer.status, answer.body) == (200, malformed), path
    assert responder.post(bytes(16_385)).status_code == 413
    assert responder.post(b"\x30\x00", content_type="application/json").status_code == 415
    assert responder.call("listRequests")["entries"] == []
    assert responder.verify() is None


def test_a_dead_responder_sends_no_byte(responder):
    leaf, intermediate, root = responder.chain()
    responder.set("leaf", "dead")
    body = responder.question(leaf, intermediate)
    outcome = converse(responder.port, request_bytes("POST", "/ocsp", {"Content-Type": REQUEST}, body), 10)
    assert outcome.closed and not outcome.answers and not outcome.rest
    # A request about the other certificate is answered.
    answer = responder.post(responder.question(intermediate, root))
    assert ocsp.load_der_ocsp_response(answer.content).certificate_status
    assert "Error" not in responder.till.stderr() and "error" not in responder.till.stderr()


def test_the_command_sets_and_shows(responder):
    def run(*arguments, code=0):
        done = run_till("ca", "ocsp", *arguments, "--data", responder.till.data, code=code)
        return done.stdout if code == 0 else done.stderr

    output = run("update", "leaf", "revoked", "--reason", "keyCompromise", "--at", "2026-01-31")
    assert re.search("leaf +revoked +since 2026-01-31T00:00:00Z, keyCompromise", output)
    assert responder.verify() == FAILED
    assert re.search("intermediate +slow +1 ms", run("update", "intermediate", "slow", "--delay", "1"))
    assert re.search("intermediate +error +tryLater", run("update", "intermediate", "error"))
    shown = run("show")
    assert re.search("intermediate +error", shown) and re.search("leaf +revoked", shown) and "(signs)" in shown
    states = [entry["state"] for entry in json.loads(run("show", "--json"))]
    assert states == ["error", "revoked"]
    assert run("update", "all", "good").count("good") == 2
    assert "revoked" in run("update", "leaf", "lost", code=64)
    assert "Give leaf, intermediate" in run("update", "trunk", "good", code=1)
    assert responder.verify() is None
