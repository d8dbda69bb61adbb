"""Runs `till serve` processes and sends raw bytes to them. Several test files share these functions."""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import jwt
import pytest
import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from catalog_of_everything import plan, product

ROOT = Path(__file__).resolve().parents[2]
# If the server does not answer for so long, it hangs: a busy machine needs ten times as long as an idle one.
START_LIMIT = 120.0
STOP_LIMIT = 60.0
CALL_LIMIT = 300.0
# Every system has this account without rights.
UNPRIVILEGED = "nobody"


def till_binary() -> str:
    """The program under test. If it is missing, the test fails and is not skipped."""
    path = Path(os.environ.get("TILL_BIN") or ROOT / ".build/debug/till")
    if not (path.is_file() and os.access(path, os.X_OK)):
        pytest.fail(f"{path} does not exist. Build it and run all tests with: make test", pytrace=False)
    return str(path)


def installed(program, packages, part="test") -> str:
    """The path of a program. If it is missing, the test fails and is not skipped."""
    path = shutil.which(program)
    if not path:
        pytest.fail(f"{program} is missing: apt-get install {packages}, or scripts/install {part}", pytrace=False)
    return path


def run_till(*arguments, code=None, timeout=60, cwd=None, input=None, **environment) -> subprocess.CompletedProcess:
    """Runs a till command to its end, and checks its exit code if one is given. Additional keyword arguments are
    environment variables."""
    outcome = subprocess.run(
        [till_binary(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, cwd=cwd, input=input,
        env={**clean_environment(), **environment},
    )
    shown = f"till {' '.join(map(str, arguments))}: {outcome.returncode}\n{outcome.stdout}{outcome.stderr}"
    assert code is None or outcome.returncode == code, shown
    return outcome


def free_port() -> int:
    """A local port that is free at present."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def clean_environment() -> dict:
    """The environment without Till's own variables, because they would change the server's settings."""
    return {key: value for key, value in os.environ.items() if not key.upper().startswith("TILL_")}


def doctor(data) -> subprocess.CompletedProcess:
    return run_till("doctor", "--data", data)


_sessions = threading.local()


def own_session() -> requests.Session:
    """The connection of the present thread."""
    if not hasattr(_sessions, "session"):
        _sessions.session = requests.Session()
    return _sessions.session


def wait_until(condition, seconds=120):
    """Calls a function until it returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"it did not happen within {seconds} s"
        time.sleep(0.01)
    return found


def assert_healthy(data, when: str):
    """Asserts that `till doctor` reports no problem."""
    outcome = doctor(data)
    assert outcome.returncode == 0 and "No problems" in outcome.stdout, (
        f"till doctor {when}: exit {outcome.returncode}\n{outcome.stdout}\n{outcome.stderr}"
    )


def assert_private(folder):
    """Asserts that only the owner can read a folder and its files."""
    for path in [Path(folder), *Path(folder).rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def open_to_everybody(folder):
    """Gives every user access to a temporary folder, through its parent folders."""
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.getuid() and str(path).startswith(tempfile.gettempdir()):
            path.chmod(path.stat().st_mode | 0o055)


PORTS = ["--production-port", "0", "--sandbox-port", "0", "--control-port", "0"]


def port_of(address) -> int:
    return int(address.rsplit(":", 1)[1])


class Server:
    """A `till serve` process with its files in the folder `work`. Without `data`, the arguments name the store.
    `prefix` is a command that runs the program. `stderr` is a file descriptor instead of a file in `work`."""

    def __init__(self, data, work, *arguments, wait=True, prefix=(), stderr=None, **environment):
        self.data = Path(data) if data else None
        work = Path(work)
        number = sum(1 for _ in work.glob("ready-*")) + sum(1 for _ in work.glob("stderr-*"))
        self.ready_file = work / f"ready-{number}"
        self.stdout_file = work / f"stdout-{number}"
        self.stderr_file = work / f"stderr-{number}"
        with open(self.stdout_file, "wb") as out, open(self.stderr_file, "wb") as err:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                [
                    *prefix, till_binary(), "serve", *(["--data", str(data)] if data else []), *PORTS,
                    "--ready-file", str(self.ready_file), *map(str, arguments),
                ],
                stdin=subprocess.DEVNULL, stdout=out, stderr=stderr or err, env={**clean_environment(), **environment},
            )
        self.pid = self.process.pid
        self.session = requests.Session()
        self.ports = {}
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self):
        """Waits for the ready file and reads it. Till moves the complete file into place, so it is never read
        half-written."""
        while not self.ready_file.exists():
            if self.process.poll() is not None:
                raise AssertionError(f"till serve ended with {self.process.returncode}:\n{self.stderr()}")
            if time.monotonic() - self.started > START_LIMIT:
                self.kill()
                raise AssertionError(f"till serve was not ready after {START_LIMIT} s:\n{self.stderr()}")
            time.sleep(0.005)
        self.start_seconds = time.monotonic() - self.started
        self.document = json.loads(self.ready_file.read_text())
        assert self.document["process"] == self.pid
        self.data = self.data or Path(self.document["dataDirectory"])
        self.ports = {face: port_of(self.address(face)) for face in ("production", "sandbox", "control")}
        return self

    def address(self, face) -> str:
        """The address of a port: production, sandbox, control, tls or proxy."""
        return self.document[face]

    def stderr(self) -> str:
        return self.stderr_file.read_bytes().decode("utf-8", "replace")

    def stdout(self) -> str:
        return self.stdout_file.read_bytes().decode("utf-8", "replace")

    def kill(self):
        """Sends SIGKILL and waits until the process has ended."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(STOP_LIMIT)

    def stop(self, limit=STOP_LIMIT) -> int:
        """Sends SIGTERM and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"till serve did not stop within {limit} s of SIGTERM") from None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Stops the server, which must end in order unless the test has failed."""
        assert kind or self.stop() == 0, self.stderr()[-3_000:]
        self.kill()

    def memory(self) -> dict:
        """The resident memory (VmRSS) and its peak (VmHWM), in bytes."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return {
            name: int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M).group(1)) * 1024 for name in ("VmRSS", "VmHWM")
        }

    def control(self, method, path, body=None, expect=(200, 201)):
        """Sends a JSON request to the control API, and returns the answer."""
        url = f"http://127.0.0.1:{self.ports['control']}{path}"
        answer = self.session.request(method, url, json=body, timeout=CALL_LIMIT)
        assert answer.status_code in expect, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return flat(answer.json()) if answer.content else None

    def all_pages(self, path, key, limit=100):
        """Yields all elements of a list of the control API, page by page."""
        after = ""
        while True:
            page = self.control("GET", f"{path}?limit={limit}{after}")
            yield from page[key]
            if "next" not in page:
                return
            after = f"&after={page['next']}"

    def apple(self, key, path, face="sandbox", client=None) -> requests.Response:
        """The answer of Apple's API to a GET request with a token of the key."""
        headers = {"Authorization": f"Bearer {key.token()}"}
        return (client or self.session).get(self.address(face) + path, headers=headers, timeout=CALL_LIMIT)


def flat(answer):
    """An answer of the control API in which the transaction, customer or family is not an object of its own."""
    if not isinstance(answer, dict):
        return answer
    inner = [answer[key] for key in ("transaction", "customer", "family") if isinstance(answer.get(key), dict)]
    return {**answer, **{key: value for part in inner for key, value in part.items()}}


class AppleKey:
    """An API key, and the tokens that are signed with it."""

    def __init__(self, created: dict, bundle_id: str):
        self.key_id = created["keyId"]
        self.issuer_id = created["issuerId"]
        self.pem = created["privateKey"]
        self.bundle_id = bundle_id
        self.private = load_pem_private_key(self.pem.encode(), None)
        self._kept = None

    def claims(self, **changes) -> dict:
        """The claims that Apple's documentation lists. A change to None removes a claim."""
        now = int(time.time())
        claims = {
            "iss": self.issuer_id, "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": self.bundle_id,
        }
        return {key: value for key, value in (claims | changes).items() if value is not None}

    def token(self, **changes) -> str:
        """A token as Apple's libraries create it. A token without changes is reused for two minutes."""
        if not changes and self._kept and time.monotonic() - self._kept[0] <= 120:
            return self._kept[1]
        token = jwt.encode(self.claims(**changes), self.private, algorithm="ES256", headers={"kid": self.key_id})
        if not changes:
            self._kept = (time.monotonic(), token)
        return token

    def header(self) -> dict:
        return {"alg": "ES256", "kid": self.key_id, "typ": "JWT"}

    def raw_token(self, header, claims) -> str:
        """A correctly signed token of any two strings, also of strings that no library would produce."""
        def segment(part):
            if isinstance(part, dict):
                part = json.dumps(part)
            return b64url(part if isinstance(part, bytes) else part.encode())

        signed = f"{segment(header)}.{segment(claims)}"
        r, s = decode_dss_signature(self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{b64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def payload(jws: str) -> dict:
    """The payload of a JWS, without verifying the signature; other tests verify signatures."""
    return json.loads(base64.urlsafe_b64decode(jws.split(".")[1] + "=="))


def path_part(text: str) -> str:
    return quote(text, safe="")


# Catalog --------------------------------------------------------------------------------------------------------------


def catalog(prefix: str) -> dict:
    """A catalog with every product type."""
    sold = [
        ("coins", "CONSUMABLE", "0.99", None), ("season", "NON_RENEWABLE", "4.99", None),
        ("forever", "NON_CONSUMABLE", "9.99", None), ("basic", "AUTO_RENEWABLE", "1.99", plan("20000001", 2, "P1M")),
        ("better", "AUTO_RENEWABLE", "2.99", plan("20000001", 1, "P1M")),
        ("other", "AUTO_RENEWABLE", "3.99", plan("20000002", 1, "P1Y")),
    ]
    products = [
        product(f"{prefix}.{name}", type_, price, **({"subscription": period} if period else {}))
        for name, type_, price, period in sold
    ]
    groups = [{"groupId": "20000001", "name": "One"}, {"groupId": "20000002", "name": "Two"}]
    return {"groups": groups, "products": products}


def set_up_app(server: Server, bundle_id: str, team=None) -> AppleKey:
    """Creates an app with a product of every type, and an API key of the app."""
    body = {"bundleId": bundle_id}
    key = {"name": "tests"}
    if team:
        body["issuerId"] = key["issuerId"] = team
    server.control("POST", "/v1/apps", body)
    server.control("PUT", f"/v1/apps/{bundle_id}/catalog", catalog(bundle_id))
    return AppleKey(server.control("POST", "/v1/keys", key), bundle_id)


# Raw HTTP -------------------------------------------------------------------------------------------------------------


@dataclass
class Answer:
    """A received HTTP response."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:200]!r}>"


@dataclass
class Outcome:
    """The result of a connection: the answers in order, whether the server closed the connection, and the duration."""

    answers: list
    closed: bool
    seconds: float
    rest: bytes

    @property
    def statuses(self):
        return [answer.status for answer in self.answers]

    @property
    def status(self):
        """The status of the first answer; None if the connection was closed without an answer."""
        return self.answers[0].status if self.answers else None

    @property
    def code(self):
        """The errorCode of the first answer."""
        try:
            return self.answers[0].json().get("errorCode")
        except (IndexError, ValueError, AttributeError):
            return None

    def __repr__(self):
        return f"<{self.answers} {'closed' if self.closed else 'open'} after {self.seconds:.1f} s>"


def missing_until(received: bytearray) -> int:
    """The number of bytes after which the first answer is complete; 0 if the received header fields do not show it."""
    end = received.find(b"\r\n\r\n", 0, 65_536)
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", received[:end]) if end > 0 else None
    return end + 4 + int(length.group(1)) if length and not received.startswith(b"HTTP/1.1 1") else 0


def parse_answers(data: bytes, heads=(), before=0) -> tuple:
    """Parses complete answers from the start of the received data, and returns them with the remaining bytes. `heads`
    has the indexes of the answers without a body. They are counted from the first answer on the connection;
    `before` is the number of answers that were parsed earlier."""
    answers = []
    while (end := data.find(b"\r\n\r\n")) >= 0:
        lines = data[:end].split(b"\r\n")
        words = lines[0].split(b" ", 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
            raise AssertionError(f"not an HTTP answer: {data[:200]!r}")
        fields = (line.decode("latin-1").partition(":") for line in lines[1:])
        headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        status, body, rest = int(words[1]), b"", data[end + 4 :]
        is_chunked = status >= 200 and headers.get("transfer-encoding") == "chunked"
        length = int(headers.get("content-length", "0"))
        if is_chunked or status < 200 or before + len(answers) in heads:
            length = 0
        while is_chunked:
            size, found, rest = rest.partition(b"\r\n")
            part = int(size.split(b";")[0], 16) if found else 0
            if not found or len(rest) < part + 2:
                return answers, data
            body, rest = body + rest[:part], rest[part + 2 :]
            is_chunked = part > 0
        if len(rest) < length:
            return answers, data
        answers.append(Answer(status, headers, body + rest[:length]))
        data = rest[length:]
    return answers, data


def converse(port, chunks, limit, wanted=1, pause=0.0, half_close=False, heads=()) -> Outcome:
    """Sends bytes, or several pieces one after the other. Reads until `wanted` final answers have arrived, the server
    has closed the connection, or the time limit has passed. Sending and reading run concurrently, so neither blocks the
    other."""
    if isinstance(chunks, (bytes, bytearray)):
        chunks = [bytes(chunks)]
    begun = time.monotonic()
    received, answers = bytearray(), []
    closed = False
    stop = threading.Event()
    with socket.create_connection(("127.0.0.1", port), timeout=limit) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def send():
            with contextlib.suppress(OSError):
                for chunk in chunks:
                    if stop.is_set():
                        return
                    connection.sendall(chunk)
                    if pause:
                        stop.wait(pause)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        while (left := limit - (time.monotonic() - begun)) > 0:
            connection.settimeout(left)
            try:
                data = connection.recv(1 << 18)
            except TimeoutError:
                break
            except OSError:
                data = b""
            if not data:
                closed = True
                break
            received += data
            if not heads and len(received) < missing_until(received):
                continue
            found, rest = parse_answers(bytes(received), heads, len(answers))
            answers += found
            received = bytearray(rest)
            if sum(1 for answer in answers if answer.status >= 200) >= wanted:
                break
        seconds = time.monotonic() - begun
        stop.set()
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        sender.join(5)
    return Outcome(answers, closed, seconds, bytes(received))


def request_bytes(method, target, headers=None, body=b"", token=None, host="127.0.0.1", length=True) -> bytes:
    """The bytes of a request, which need not be valid."""
    def raw(part):
        return part if isinstance(part, bytes) else part.encode("latin-1")

    lines = [raw(method) + b" " + raw(target) + b" HTTP/1.1"]
    if host is not None:
        lines.append(b"Host: " + raw(host))
    if token is not None:
        lines.append(b"Authorization: Bearer " + raw(token))
    lines += [raw(name) + b": " + raw(value) for name, value in (headers or {}).items()]
    if length and (body or raw(method) in (b"POST", b"PUT")):
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
