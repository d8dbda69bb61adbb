"""Till in place of Apple: TLS under Apple's host names, the proxy for these names, and the output of `till hosts`."""

import asyncio
import contextlib
import datetime
import itertools
import json
import socket
import ssl
import struct
import subprocess
import sys
import time
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import httpx
import pytest
import requests
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID

from catalog_of_everything import CATALOG, COINS
from process_helpers import (
    Server, assert_healthy, clean_environment, parse_answers, port_of, request_bytes, run_till, wait_until,
)
from shop_helpers import App, Till
from test_exec import assert_found

HOSTS = {
    "api.storekit.apple.com": "Production",
    "api.storekit-sandbox.apple.com": "Sandbox",
    "api.storekit.itunes.apple.com": "Production",
    "api.storekit-sandbox.itunes.apple.com": "Sandbox",
    "buy.itunes.apple.com": "Production",
    "sandbox.itunes.apple.com": "Sandbox",
}
ADDED = ["till.test", "sandbox.till.test", "*.stores.test", "10.1.2.3"]
ADDED_FLAGS = list(itertools.chain.from_iterable(("--tls-name", name) for name in ADDED))
PATH = "/inApps/v1/transactions/1"


class Secure:
    """A Till with TLS and a proxy, and an app on this Till."""

    def __init__(self, till):
        self.till = till
        self.control = till.client
        self.app = App(till, "com.example.tls", 1234567890, catalog=CATALOG)
        self.port = port_of(till.address("tls"))
        self.proxy = till.address("proxy")
        self.root = till.document["tlsRootCertificate"]
        self.bundle = till.document["caBundle"]

    def environment_of(self, answer) -> str:
        """The environment whose request log contains the rejected request."""
        entry = self.control.call("explainRequest", requestId=answer.headers["X-Request-ID"])
        return entry["environment"]

    def httpx(self, http2):
        """A client that uses the proxy."""
        trust = ssl.create_default_context(cafile=self.bundle)
        return httpx.Client(http2=http2, verify=trust, proxy=self.proxy, trust_env=False)

    def connection(self, name="api.storekit.apple.com", alpn=None, limit=20):
        """Opens a TLS connection as a client does."""
        context = ssl.create_default_context(cafile=self.root)
        if alpn:
            context.set_alpn_protocols(alpn)
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=limit)
        return context.wrap_socket(raw, server_hostname=name)


def exchange(connection, raw):
    """Sends bytes and reads one complete answer. Returns None if the connection ends without an answer."""
    connection.sendall(raw)
    data = b""
    while not parse_answers(data)[0]:
        part = connection.recv(1 << 16)
        if not part:
            return None
        data += part
    return parse_answers(data)[0][0]


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    with Till(tmp_path_factory.mktemp("tls"), "--tls-port", "0", "--proxy-port", "0", *ADDED_FLAGS) as till:
        yield Secure(till)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A Till with a short deadline, so that a test can wait until the deadline has passed."""
    flags = ["--tls-port", "0", "--proxy-port", "0", "--request-timeout", "2"]
    with Till(tmp_path_factory.mktemp("hasty"), *flags) as till:
        yield Secure(till)


def curl(secure, *arguments):
    """Runs Debian's curl, which resolves every host to the TLS port and trusts Till's TLS root."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--cacert", secure.root, "--connect-to", f"::127.0.0.1:{secure.port}",
         *arguments],
        capture_output=True, text=True, timeout=60, env=clean_environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Unmodified clients ---------------------------------------------------------------------------------------------------


def test_the_official_client_and_requests_reach_both_environments_with_variables_alone(secure, tmp_path):
    environments = ("production", "sandbox")
    bought = {name: secure.app.environment(name).buy("unmodified", COINS).id for name in environments}
    arguments = [f"{environment}={id_}" for environment, id_ in bought.items()]
    for environment in environments:
        receipt = tmp_path / f"{environment}.receipt"
        receipt.write_text(secure.app.environment(environment).control("getReceipt", customer="unmodified")["receipt"])
        arguments.append(f"{environment}-receipt={receipt}")
    key, root = tmp_path / "key.p8", tmp_path / "root.der"
    key.write_text(secure.app.key["privateKey"])
    root.write_bytes(secure.app.root)
    environment = clean_environment() | {
        "HTTPS_PROXY": secure.proxy, "REQUESTS_CA_BUNDLE": secure.bundle,
        # These are the settings of the backend itself.
        "TILL_KEY": str(key), "TILL_KEY_ID": secure.app.key["keyId"], "TILL_ISSUER_ID": secure.app.issuer_id,
        "TILL_APP": secure.app.bundle_id, "TILL_APP_APPLE_ID": str(secure.app.apple_id), "TILL_ROOT_DER": str(root),
    }
    backend = Path(__file__).with_name("unchanged_backend.py")
    done = subprocess.run(
        [sys.executable, str(backend), *arguments], capture_output=True, text=True, timeout=60, env=environment
    )
    found = assert_found(done, COINS)
    assert {name: found[name]["transactionId"] for name in found} == bought


@pytest.mark.parametrize("host, environment", HOSTS.items())
def test_each_name_maps_to_its_environment(secure, host, environment):
    answer = requests.get(f"https://{host}{PATH}", proxies={"https": secure.proxy}, verify=secure.bundle, timeout=30)
    assert answer.status_code == 401 and answer.text.startswith("Unauthenticated")
    assert secure.environment_of(answer) == environment


@pytest.mark.parametrize("host, environment", [
    ("till.test", "Production"), ("sandbox.till.test", "Sandbox"), ("mine.stores.test", "Production"),
    ("API.StoreKit-Sandbox.Apple.com", "Sandbox"), ("10.1.2.3", "Production"),
])
def test_added_names_map_to_an_environment_and_are_case_insensitive(secure, host, environment):
    head = curl(secure, "--head", "--request", "GET", f"https://{host}{PATH}")
    request_id = next(line.split(": ")[1] for line in head.splitlines() if line.lower().startswith("x-request-id"))
    assert secure.control.call("explainRequest", requestId=request_id.strip())["environment"] == environment


@pytest.mark.parametrize("host", ["api.storekit.apple.com:443", "api.storekit.apple.com:65535",
                                  "api.storekit.apple.com.", "API.STOREKIT.APPLE.COM.:443"])
def test_a_port_and_a_trailing_dot_are_ignored(secure, host):
    with secure.connection() as connection:
        assert exchange(connection, request_bytes("GET", PATH, host=host)).status == 401


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:443", "apple.com", "api.storekit.apple.com.evil",
                                  "stores.test", "a.b.stores.test", "", ":"])
def test_any_other_name_is_rejected_with_the_list_of_names(secure, host):
    with secure.connection() as connection:
        answer = exchange(connection, request_bytes("GET", PATH, host=host))
    assert answer.status == 421
    assert all(name.encode() in answer.body for name in HOSTS) and b"--tls-name" in answer.body


@pytest.mark.parametrize("hosts", [
    ["api.storekit.apple.com:x"], ["api.storekit.apple.com@evil.example"], ["api.storekit.apple.com", "evil.example"],
    ["api.storekit.apple.com", "api.storekit.apple.com"], [],
])
@pytest.mark.parametrize("version", ["1.1", "2"])
def test_an_ambiguous_host_is_rejected_in_either_http_version(secure, version, hosts):
    if version == "1.1":
        lines = [f"GET {PATH} HTTP/1.1", *(f"Host: {host}" for host in hosts), "", ""]
        with secure.connection() as connection:
            answer = exchange(connection, "\r\n".join(lines).encode())
            assert answer.status == 400 and b"Host" in answer.body
            assert connection.recv(1) == b""
        return
    # A proxy that turns HTTP/1.1 into HTTP/2 may send both fields.
    wanted = 401 if hosts == ["api.storekit.apple.com"] * 2 else 400 if hosts else 421
    with secure.connection(alpn=["h2"]) as connection:
        assert ask_over_http2(connection, hosts[:1], hosts[1:]) == wanted


def ask_over_http2(connection, authorities, hosts) -> int:
    """The status of a request with these fields. No library is used, because a library would correct the fields."""
    client = h2.connection.H2Connection(h2.config.H2Configuration(
        validate_outbound_headers=False, normalize_outbound_headers=False,
    ))
    client.initiate_connection()
    fields = [(":method", "GET"), (":scheme", "https"), (":path", PATH)]
    fields += [(":authority", authority) for authority in authorities] + [("host", host) for host in hosts]
    client.send_headers(1, fields, end_stream=True)
    connection.sendall(client.data_to_send())
    while True:
        data = connection.recv(1 << 16)
        assert data, "the connection ended without an answer"
        for event in client.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                return int(dict(event.headers)[b":status"])
        connection.sendall(client.data_to_send())


def test_an_invalid_added_name_is_rejected_at_the_start(tmp_path):
    done = run_till("serve", "--data", tmp_path / "d", "--tls-port", "0", "--tls-name", "no name", code=1)
    assert "--tls-name" in done.stderr


# HTTP -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag, version", [("--http2", "2"), ("--http1.1", "1.1")])
def test_curl_speaks_either_version_with_keep_alive_and_without(secure, flag, version):
    """curl sends two requests: over one connection, or over two if it closes the first."""
    shown = "%{http_version} %{http_code} %{num_connects}\n"
    url = f"https://api.storekit.apple.com{PATH}"
    kept = curl(secure, flag, "--output", "/dev/null", "--output", "/dev/null", "--write-out", shown, url, url)
    assert kept.splitlines() == [f"{version} 401 1", f"{version} 401 0"]
    if version == "1.1":
        closed = curl(secure, flag, "--header", "Connection: close", "--output", "/dev/null", "--output", "/dev/null",
                      "--write-out", shown, url, url)
        assert closed.splitlines() == [f"{version} 401 1", f"{version} 401 1"]
    else:
        for _ in range(2):
            assert curl(secure, flag, "--output", "/dev/null", "--write-out", shown, url) == f"{version} 401 1\n"


def test_httpx_reads_a_history_over_http2_and_http1(secure):
    bought = secure.app.sandbox.buy("httpx", COINS)
    url = f"https://api.storekit-sandbox.apple.com/inApps/v2/history/{bought.id}"
    answers = []
    for http2 in (True, False):
        with secure.httpx(http2) as client:
            for _ in range(3):
                answer = client.get(url, headers={"Authorization": f"Bearer {secure.app.token()}"})
                assert answer.http_version == ("HTTP/2" if http2 else "HTTP/1.1")
                assert answer.headers["Content-Type"] == "application/json"
                answers.append(answer.json())
    for answer in answers:
        found = [secure.app.sandbox.transaction(jws)["transactionId"] for jws in answer["signedTransactions"]]
        assert found == [bought.id]


def test_many_streams_at_once_are_answered(secure):
    """These are more than the hundred streams that a connection may open. The client queues the others."""
    async def ask():
        trust = ssl.create_default_context(cafile=secure.bundle)
        one = httpx.Limits(max_connections=1)
        async with httpx.AsyncClient(http2=True, verify=trust, trust_env=False, limits=one, timeout=60) as client:
            url, host = f"https://127.0.0.1:{secure.port}{PATH}", {"Host": "api.storekit.apple.com"}
            return await asyncio.gather(*(client.get(url, headers=host) for _ in range(300)))

    answers = asyncio.run(ask())
    assert {(answer.http_version, answer.status_code) for answer in answers} == {("HTTP/2", 401)}
    assert len({answer.headers["X-Request-ID"] for answer in answers}) == 300


@pytest.mark.parametrize("version, taken", [("-tls1", False), ("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)])
def test_tls_before_1_2_is_rejected(secure, version, taken):
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{secure.port}", "-servername", "api.storekit.apple.com",
         "-CAfile", secure.root, "-verify_return_error", "-verify_hostname", "api.storekit.apple.com", version,
         "-cipher", "DEFAULT@SECLEVEL=0"],
        input="", capture_output=True, text=True, timeout=30,
    )
    text = done.stdout + done.stderr
    assert (done.returncode == 0) == taken, text
    assert ("Verify return code: 0 (ok)" if taken else "alert protocol version") in text


def test_plain_http_on_the_tls_port_does_no_harm(secure):
    with socket.create_connection(("127.0.0.1", secure.port), timeout=20) as connection:
        connection.sendall(request_bytes("GET", PATH, host="api.storekit.apple.com"))
        assert b"HTTP" not in connection.recv(1 << 16)
    assert curl(secure, f"https://api.storekit.apple.com{PATH}").startswith("Unauthenticated")


# Certificates ---------------------------------------------------------------------------------------------------------


def certificates(path) -> list:
    return x509.load_pem_x509_certificates(Path(path).read_bytes())


def test_the_certificate_meets_the_requirements_of_clients(secure):
    folder = Path(secure.root).parent
    server, root = certificates(folder / "server.pem")
    assert root == certificates(secure.root)[0]
    assert root.fingerprint(root.signature_hash_algorithm) != secure.app.root
    names = server.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
    dns = set(names.get_values_for_type(x509.DNSName))
    addresses = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    assert dns == {*HOSTS, "localhost", "till.test", "sandbox.till.test", "*.stores.test"}
    assert addresses == {"127.0.0.1", "::1", "10.1.2.3"}
    assert server.not_valid_after_utc - server.not_valid_before_utc <= datetime.timedelta(days=398)
    now = datetime.datetime.now(datetime.timezone.utc)
    assert server.not_valid_before_utc < now < now + datetime.timedelta(days=300) < server.not_valid_after_utc
    usage = server.extensions.get_extension_for_oid(ExtensionOID.EXTENDED_KEY_USAGE).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]
    server.verify_directly_issued_by(root)
    for file in folder.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file
    assert folder.stat().st_mode & 0o777 == 0o700
    assert_healthy(secure.till.data, "with TLS")


def test_the_bundle_contains_the_systems_certificates_and_the_root(secure):
    bundle = Path(secure.bundle).read_text()
    assert bundle.endswith(Path(secure.root).read_text())
    system = Path("/etc/ssl/certs/ca-certificates.crt")
    assert bundle.startswith(system.read_text())


def test_control_and_the_commands_export_the_root(secure, tmp_path):
    tls = secure.control.call("getStatus")["tls"]
    assert tls["rootCertificate"] == Path(secure.root).read_text()
    assert (tls["port"], tls["proxyPort"]) == (secure.port, port_of(secure.proxy))
    assert tls["names"][:6] == list(HOSTS)
    assert secure.control.call("getStatus")["ports"].keys() == {"production", "sandbox", "control", "tls", "proxy"}
    for name, load in (("root.pem", x509.load_pem_x509_certificate), ("root.der", x509.load_der_x509_certificate)):
        run_till("ca", "export", "--tls", tmp_path / name, "--data", secure.till.data, code=0)
        assert load((tmp_path / name).read_bytes()) == certificates(secure.root)[0]


def test_root_and_certificate_survive_a_restart_and_a_new_name_changes_the_certificate_only(serve, tmp_path):
    data = tmp_path / "data"
    seen = []
    for names in ([], [], ["--tls-name", "new.test"], ["--tls-name", "new.test"]):
        till = serve("--tls-port", "0", *names, data=data)
        seen.append([certificate.serial_number for certificate in certificates(data / "tls/server.pem")])
        assert till.stop() == 0
    assert seen[0] == seen[1] and seen[2] == seen[3]
    assert seen[1][0] != seen[2][0] and seen[1][1] == seen[2][1]


def test_a_crash_between_key_and_certificate_is_repaired(serve, tmp_path):
    data = tmp_path / "data"
    serve("--tls-port", "0", data=data).kill()
    root = (data / "tls/root.pem").read_text()
    (data / "tls/server.key").write_text((data / "tls/root.key").read_text())
    till = serve("--tls-port", "0", data=data)
    assert (data / "tls/root.pem").read_text() == root
    context = ssl.create_default_context(cafile=str(data / "tls/root.pem"))
    with socket.create_connection(("127.0.0.1", port_of(till.address("tls"))), timeout=20) as raw:
        with context.wrap_socket(raw, server_hostname="api.storekit.apple.com") as connection:
            assert connection.version() == "TLSv1.3"


def test_a_backup_keeps_the_root_that_clients_trust(secure, serve, tmp_path):
    copy = tmp_path / "copy"
    secure.control.call("createBackup", {"to": str(copy)})
    till = serve("--tls-port", "0", data=copy)
    assert Path(till.document["tlsRootCertificate"]).read_text() == Path(secure.root).read_text()


def test_without_the_flags_there_is_no_tls(server, control):
    assert "tls" not in server.document and not (server.data / "tls").exists()
    status = control.call("getStatus")
    assert "tls" not in status and "tls" not in status["ports"]
    assert "--tls-port" in run_till("hosts", "--data", server.data, code=1).stderr


def test_tls_can_be_enabled_by_variables_and_by_the_configuration_file(tmp_path):
    config = tmp_path / "till.json"
    config.write_text(json.dumps({"tlsPort": 0, "tlsName": ["file.test"]}))
    environment = {"TILL_PROXY_PORT": "0", "TILL_TLS_HOST": "127.0.0.3"}
    with Server(tmp_path / "data", tmp_path, "--config", config, **environment) as till:
        assert till.address("tls").startswith("https://127.0.0.3:")
        assert till.address("proxy").startswith("http://127.0.0.3:")
        assert "file.test" in till.control("GET", "/v1/status")["tls"]["names"]


# Limits ---------------------------------------------------------------------------------------------------------------


def closed_after(connection, begun) -> float:
    """The number of seconds until the server ended the connection."""
    connection.settimeout(20)
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while connection.recv(1 << 16):
            pass
    return time.monotonic() - begun


def open_to(secure, port):
    """Opens a connection: with TLS, or with TCP only to the port for TLS or for the proxy."""
    if port == "secure":
        return secure.connection()
    return socket.create_connection(("127.0.0.1", port_of(secure.till.address(port))), timeout=20)


@pytest.mark.parametrize("port, sent", [
    ("tls", b""), ("tls", b"\x16\x03\x01\x02\x00\x01"), ("proxy", b"CONNECT api.store"),
    ("secure", b""), ("secure", b"GET / HTTP/1.1\r\nHost: api.storekit.apple.com\r\nX: "),
    ("secure", b"POST /x HTTP/1.1\r\nHost: api.storekit.apple.com\r\nContent-Length: 9\r\n\r\nabc"),
], ids=["no handshake", "half a handshake", "half a head for the proxy", "no request", "half a head", "half a body"])
def test_an_incomplete_handshake_or_request_times_out(hasty, port, sent):
    begun = time.monotonic()
    with open_to(hasty, port) as connection:
        connection.sendall(sent)
        seconds = closed_after(connection, begun)
    assert 1 < seconds < 6, f"closed after {seconds:.1f} s, the deadline is 2 s"


def test_an_http2_connection_without_a_request_times_out(hasty):
    begun = time.monotonic()
    with hasty.connection(alpn=["h2"]) as connection:
        assert connection.selected_alpn_protocol() == "h2"
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"))
        assert 1 < closed_after(connection, begun) < 12


def test_an_incomplete_http2_request_times_out(hasty):
    client = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    client.initiate_connection()
    client.send_headers(1, [
        (":method", "POST"), (":path", "/inApps/v1/transactions/1/finish"), (":scheme", "https"),
        (":authority", "api.storekit.apple.com"), ("content-length", "9"),
    ])
    client.send_data(1, b"abc")
    ends = (h2.events.StreamReset, h2.events.StreamEnded, h2.events.ConnectionTerminated)
    begun = time.monotonic()
    with hasty.connection(alpn=["h2"]) as connection:
        connection.sendall(client.data_to_send())
        while data := connection.recv(1 << 16):
            if any(isinstance(event, ends) for event in client.receive_data(data)):
                break
    assert time.monotonic() - begun < 6


@pytest.mark.parametrize("http2", [True, False])
def test_header_fields_are_limited_in_number_and_size(secure, http2):
    def get(headers):
        with secure.httpx(http2) as client:
            return client.get(f"https://api.storekit.apple.com{PATH}", headers=headers).status_code

    assert get({f"x-{number}": "1" for number in range(80)}) == 401
    assert get({f"x-{number}": "1" for number in range(130)}) == 400
    try:
        assert get({"x": "y" * 70_000}) == 400
    except (httpx.RemoteProtocolError, httpx.WriteError, httpx.ReadError):
        assert http2, "with HTTP/1.1 a header that is too long must be 400"
    assert get({}) == 401


@pytest.mark.parametrize("http2", [True, False])
def test_a_body_is_limited(secure, http2):
    bought = secure.app.sandbox.buy("body", COINS)
    with secure.httpx(http2) as client:
        answer = client.put(
            f"https://api.storekit-sandbox.apple.com/inApps/v1/transactions/{bought.id}/appAccountToken",
            content=b" " * 70_000,
            headers={"Authorization": f"Bearer {secure.app.token()}", "Content-Type": "application/json"},
        )
    assert (answer.status_code, answer.content) == (413, b"")


# The proxy ------------------------------------------------------------------------------------------------------------


def ask_proxy(secure, raw):
    """Sends these bytes to the proxy, and returns its answer; empty if the proxy closes the connection without one."""
    with open_to(secure, "proxy") as connection:
        return exchange(connection, raw)


@pytest.mark.parametrize("raw, status, word", [
    (b"CONNECT example.com:443 HTTP/1.1\r\n\r\n", 403, b"api.storekit.apple.com"),
    (b"CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n", 403, b"127.0.0.1"),
    (b"CONNECT api.storekit.apple.com:80 HTTP/1.1\r\n\r\n", 403, b"443"),
    (b"CONNECT api.storekit.apple.com.evil:443 HTTP/1.1\r\n\r\n", 403, b"evil"),
    (b"GET http://api.storekit.apple.com/ HTTP/1.1\r\nHost: x\r\n\r\n", 403, b"CONNECT"),
    (b"CONNECT api.storekit.apple.com HTTP/1.1\r\n\r\n", 400, b"port"),
    (b"CONNECT evil@api.storekit.apple.com:443 HTTP/1.1\r\n\r\n", 400, b"host"),
    (b"CONNECT api.storekit.apple.com:443 HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400, b"Host"),
    (b"CONNECT api.storekit.apple.com:99999999999999999999 HTTP/1.1\r\n\r\n", 400, b"port"),
    (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400, b"HTTP"),
    (b"\r\n\r\n", 400, b"HTTP"),
    (b"CONNECT api.storekit.apple.com:443 HTTP/1.1\r\nX: " + b"y" * 20_000, 431, b"16384"),
])
def test_the_proxy_rejects_everything_else_with_a_message(secure, raw, status, word):
    answer = ask_proxy(secure, raw)
    assert answer.status == status and word in answer.body and answer.body.endswith(b".\n")


def test_the_proxy_forwards_bytes_sent_with_the_head_and_before_a_half_close(secure):
    """A client may send its first bytes at once, and close its side before the answer arrives."""
    context = ssl.create_default_context(cafile=secure.root)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="api.storekit.apple.com")
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    with open_to(secure, "proxy") as connection:
        connection.sendall(b"CONNECT api.storekit.apple.com:443 HTTP/1.1\r\nHost: x\r\n\r\n" + outgoing.read())
        data = connection.recv(1 << 16)
        head, _, rest = data.partition(b"\r\n\r\n")
        assert head == b"HTTP/1.1 200 Connection established"
        incoming.write(rest)

        def with_input(step):
            """Repeats a step until the connection has delivered the bytes that it needs."""
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    received = connection.recv(1 << 16)
                    if not received:
                        return b""
                    incoming.write(received)

        with_input(tls.do_handshake)
        tls.write(request_bytes("GET", PATH, {"Connection": "close"}, host="api.storekit.apple.com"))
        connection.sendall(outgoing.read())
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ssl.SSLError):
            while part := with_input(lambda: tls.read(1 << 16)):
                answer += part
    assert answer.startswith(b"HTTP/1.1 401 ") and b"Request ID" in answer


def test_clients_that_disconnect_and_too_many_tunnels_do_no_harm(secure):
    """The test resets connections after half a head, after CONNECT and after an error; then it opens too many
    tunnels."""
    connect = b"CONNECT api.storekit.apple.com:443 HTTP/1.1\r\n\r\n"
    for number in range(60):
        with open_to(secure, "proxy") as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall((connect, connect[:20], b"GET / HTTP/1.1\r\n\r\n", b"")[number % 4])
    answers = set()
    with contextlib.ExitStack() as open_ones:
        for _ in range(1_030):
            connection = open_ones.enter_context(open_to(secure, "proxy"))
            connection.sendall(b"CONNECT ")
        while answers != {b"HTTP/1.1 503"} and (data := connection.recv(1_000)):
            answers.add(data[:12])
    assert answers == {b"HTTP/1.1 503"}
    wait_until(lambda: ask_proxy(secure, b"GET / HTTP/1.1\r\n\r\n").status != 503, 20)
    assert secure.till.process.poll() is None


def test_open_connections_do_not_delay_the_shutdown(serve):
    till = serve("--tls-port", "0", "--proxy-port", "0")
    context = ssl.create_default_context(cafile=till.document["tlsRootCertificate"])
    tls, proxy = (("127.0.0.1", port_of(till.address(face))) for face in ("tls", "proxy"))
    silent = socket.create_connection(tls)
    idle = context.wrap_socket(socket.create_connection(tls), server_hostname="api.storekit.apple.com")
    context.set_alpn_protocols(["h2"])
    idle2 = context.wrap_socket(socket.create_connection(tls), server_hostname="api.storekit.apple.com")
    idle2.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"))
    tunnel = socket.create_connection(proxy)
    tunnel.sendall(b"CONNECT api.storekit.apple.com:443 HTTP/1.1\r\n\r\n")
    assert b"200" in tunnel.recv(1000)
    begun = time.monotonic()
    assert till.stop(limit=15) == 0
    assert time.monotonic() - begun < 12
    for connection in (silent, idle, idle2, tunnel):
        connection.close()


# till hosts -----------------------------------------------------------------------------------------------------------


def test_hosts_prints_each_format(secure):
    def hosts(*arguments):
        return run_till("hosts", "--data", secure.till.data, *arguments, code=0).stdout

    assert hosts("--format", "hosts").split("\n") == [f"127.0.0.1 {name}" for name in HOSTS] + [""]
    compose = hosts("--format", "compose", "--address", "172.17.0.1").splitlines()
    assert compose == ["extra_hosts:"] + [f'  - "{name}:172.17.0.1"' for name in HOSTS]
    kubernetes = hosts("--format", "kubernetes", "--address", "10.0.0.7").splitlines()
    assert kubernetes[:3] == ["hostAliases:", '  - ip: "10.0.0.7"', "    hostnames:"]
    assert kubernetes[3:] == [f'      - "{name}"' for name in HOSTS]
    variables = dict(line.split("=", 1) for line in hosts("--format", "environment").splitlines())
    assert variables["REQUESTS_CA_BUNDLE"] == variables["SSL_CERT_FILE"] == secure.bundle
    assert variables["NODE_EXTRA_CA_CERTS"] == secure.root and variables["HTTPS_PROXY"] == secure.proxy
    assert variables["JAVA_TOOL_OPTIONS"] == f"-Djavax.net.ssl.trustStore={secure.till.data}/tls/truststore.jks"
    assert (secure.till.data / "tls/truststore.jks").read_bytes().startswith(b"\xfe\xed\xfe\xed\0\0\0\2")
    everything = hosts()
    assert "cacerts" not in everything, "the recipe changes the JDK's own file"
    for word in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "JAVA_TOOL_OPTIONS", "php.ini", "Go",
                 "hostAliases", "extra_hosts", f"this server has {secure.port}"):
        assert word in everything
    assert json.loads(hosts("--json"))["port"] == secure.port


def test_the_proxy_closes_connections_that_end_before_a_request(secure):
    """The connection may end before the server has accepted it."""
    connections = []
    for _ in range(300):
        connections.append(open_to(secure, "proxy"))
        connections[-1].shutdown(socket.SHUT_WR)
    for connection in connections:
        assert connection.recv(1) == b""
        connection.close()
