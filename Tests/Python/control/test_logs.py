"""The log of a real server: every line is JSON, leads to its cause, and contains no secret."""

import json
import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from listening_post import ListeningPost
from process_helpers import ROOT, Server, free_port, run_till, set_up_app, wait_until

BUNDLE = "com.example.logs"
SCOPE = f"/v1/apps/{BUNDLE}/sandbox"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
# Each of these texts is given to the server where it keeps or receives a secret.
SECRETS = {
    name: f"planted{name}0123456789abcdefghijklmnop"
    for name in ("token", "wrong", "user", "password", "path", "query", "shared", "unknown", "bearer", "key")
}


class Log:
    def __init__(self, server):
        self.server = server

    def lines(self) -> list[dict]:
        """Every complete line. A line that is not a JSON object fails the test."""
        text = self.server.stderr()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def find(self, message, **values) -> dict:
        """The first line with a message and values; waits for it."""
        return wait_until(lambda: next(iter(self.all(message, **values)), None))

    def all(self, message, **values) -> list[dict]:
        lines = [line for line in self.lines() if line["message"] == message]
        return [line for line in lines if all(line.get(key) == value for key, value in values.items())]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    with Server(
        folder / "data", folder, "--log-format", "json", "--access-log", "true", TILL_CONTROL_TOKEN=SECRETS["token"]
    ) as server:
        server.log = Log(server)
        server.key = set_up_app(server, BUNDLE)
        yield server


@pytest.fixture
def post():
    post = ListeningPost()
    yield post
    post.close()


def buy(server, customer, **headers) -> requests.Response:
    answer = requests.post(
        f"{server.address('control')}{SCOPE}/customers/{customer}/purchases",
        json={"productId": f"{BUNDLE}.coins"}, headers=headers, timeout=60,
    )
    assert answer.ok, answer.text
    return answer


def till(server, *arguments) -> str:
    return run_till(*arguments, "--data", server.data, code=0).stdout


def test_start_names_version_engine_and_ports(server):
    line = server.log.find("started")
    assert (line["level"], line["logger"], line["engine"], line["process"]) == ("notice", "till", "sqlite", server.pid)
    assert line["version"] in run_till("--version", code=0).stdout
    assert all(line[port] == server.ports[port] for port in ("production", "sandbox", "control"))
    # Standard output has no banner, because what collects JSON lines often reads both streams.
    assert server.stdout() == ""
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])


def test_a_hangup_does_not_end_the_server(server):
    server.process.send_signal(signal.SIGHUP)
    assert buy(server, "hangup").status_code == 201
    assert server.process.poll() is None


def test_a_reader_that_stalls_blocks_no_request(tmp_path):
    """The lines are longer than a pipe holds; they are all there when the reader reads again, and at the end."""
    read, write = os.pipe()
    arguments = ["--log-format", "json", "--access-log", "true"]
    with Server(tmp_path / "data", tmp_path, *arguments, stderr=write) as server, os.fdopen(read, "rb") as log:
        os.close(write)
        count = 500
        for _ in range(count):
            assert server.session.get(server.address("control") + "/v1/apps", timeout=60).status_code == 200
        with ThreadPoolExecutor(1) as pool:
            lines = pool.submit(log.readlines)
            assert server.stop() == 0
            found = [json.loads(line)["message"] for line in lines.result(60)]
    assert found.count("a request was answered") == count and found[-1] == "stopped"


def test_a_request_has_a_line_with_its_route_and_id(server):
    answer = buy(server, "reader")
    line = server.log.find("a request was answered", request=answer.headers["X-Request-ID"])
    route = "/v1/apps/{bundleId}/{environment}/customers/{customer}/purchases"
    assert (line["level"], line["method"], line["route"], line["status"]) == ("info", "POST", route, answer.status_code)
    assert line["path"] == f"{SCOPE}/customers/reader/purchases"
    assert (line["app"], line["environment"], line["by"]) == (BUNDLE, "Sandbox", "loopback")
    assert isinstance(line["milliseconds"], int) and "trace_id" not in line
    history = server.apple(server.key, "/inApps/v2/history/1?revision=hidden")
    line = server.log.find("a request was answered", request=history.headers["X-Request-ID"])
    assert (line["route"], line["status"], line["app"]) == ("/inApps/v2/history/{id}", 404, BUNDLE)
    assert line["environment"] == "Sandbox" and "hidden" not in json.dumps(line)


def test_a_refused_token_is_found_and_explained_by_its_request_id(server):
    answer = requests.get(server.address("sandbox") + "/inApps/v1/transactions/1", timeout=60)
    assert answer.status_code == 401
    line = server.log.find("refused a token of the App Store Server API", request=answer.headers["X-Request-ID"])
    assert (line["level"], line["address"], line["environment"]) == ("warning", "127.0.0.1", "Sandbox")
    assert line["reason"] in till(server, "explain", line["request"])


def test_refused_tokens_do_not_fill_the_log(server):
    for _ in range(30):
        requests.get(server.address("production") + "/inApps/v1/transactions/1", timeout=60)
    count = len(server.log.all("refused a token of the App Store Server API", environment="Production"))
    assert 1 <= count <= 11, count


def test_a_failed_delivery_is_found_and_explained_by_its_uuid(server):
    port = free_port()
    url = f"http://{SECRETS['user']}:{SECRETS['password']}@127.0.0.1:{port}/{SECRETS['path']}?key={SECRETS['query']}"
    server.control("PUT", f"{SCOPE}/endpoints/primary", {"url": url}, expect=(200, 201, 400))
    server.control(
        "PUT", f"{SCOPE}/endpoints/primary",
        {"url": f"http://127.0.0.1:{port}/{SECRETS['path']}?key={SECRETS['query']}"},
    )
    buy(server, "dead")
    line = server.log.find("a delivery failed", address=f"127.0.0.1:{port}")
    assert (line["level"], line["endpoint"], line["attempt"], line["app"]) == ("warning", "primary", 1, BUNDLE)
    assert line["result"] != "SUCCESS" and line["cause"] and line["next"] > line["time"][:19]
    shown = till(server, "notification", "show", line["notification"], "--app", BUNDLE)
    assert line["notification"] in shown and line["result"] in shown
    refused = run_till("explain", line["notification"], "--data", server.data, code=1)
    assert f"till notification show {line['notification']}" in refused.stderr
    server.control("DELETE", f"{SCOPE}/endpoints/primary", expect=(200, 204))


def test_an_advance_and_a_backup_name_their_caller(server, tmp_path):
    server.control("PUT", f"{SCOPE}/clock", {"mode": "frozen"})
    answer = requests.post(server.address("control") + f"{SCOPE}/clock/advance", json={"by": "2d"}, timeout=60)
    line = server.log.find("a clock was advanced", request=answer.headers["X-Request-ID"])
    assert (line["level"], line["by"], line["app"]) == ("notice", "loopback", BUNDLE)
    assert line["from"] < line["to"] and isinstance(line["notifications"], int)
    server.control("POST", "/v1/backup", {"to": str(tmp_path / "copy")})
    assert server.log.find("a backup was made", directory=str(tmp_path / "copy"))["by"] == "loopback"


def test_a_trace_is_carried_into_the_log_and_into_the_delivery(server, post):
    server.control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
    state = "vendor=1,other=2"
    answer = buy(server, "traced", traceparent=f"00-{TRACE}-{PARENT}-01", tracestate=state)
    line = server.log.find("a request was answered", request=answer.headers["X-Request-ID"])
    assert line["trace_id"] == TRACE and re.fullmatch("[0-9a-f]{16}", line["span_id"]) and line["span_id"] != PARENT
    received = wait_until(lambda: post.received and post.received[0])
    headers = {name.lower(): value for name, value in received.headers.items()}
    version, trace, span, flags = headers["traceparent"].split("-")
    assert (version, trace, flags, headers["tracestate"]) == ("00", TRACE, "01", state)
    assert span not in (PARENT, line["span_id"])
    # An invalid header is ignored, and a notification without a trace has no header.
    answer = buy(server, "traced", traceparent=f"00-{'0' * 32}-{PARENT}-01")
    received = wait_until(lambda: len(post.received) > 1 and post.received[1])
    assert "traceparent" not in {name.lower() for name in received.headers}
    line = server.log.find("a request was answered", request=answer.headers["X-Request-ID"])
    assert "trace_id" not in line
    server.control("DELETE", f"{SCOPE}/endpoints/primary", expect=(200, 204))


def test_no_line_contains_a_secret(server):
    control, sandbox = server.address("control"), server.address("sandbox")
    requests.get(f"{control}/v1/apps", headers={"Authorization": f"Bearer {SECRETS['token']}"}, timeout=60)
    wrong = requests.get(f"{control}/v1/apps", headers={"Authorization": f"Bearer {SECRETS['wrong']}"}, timeout=60)
    assert wrong.status_code == 401
    server.log.find("refused a control API token", request=wrong.headers["X-Request-ID"])
    bearer = server.key.token(bid="com.example.other")
    for path, token in [("/inApps/v1/transactions/1", SECRETS["bearer"]), ("/inApps/v1/transactions/1", bearer),
                        (f"/{SECRETS['unknown']}", bearer)]:
        requests.get(sandbox + path, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    requests.post(f"{control}{SCOPE}/listen/{SECRETS['key']}", json={"status": 200}, timeout=60)
    requests.get(f"{control}/{SECRETS['unknown']}?token={SECRETS['query']}", timeout=60)
    requests.post(f"{sandbox}/verifyReceipt", json={"receipt-data": "AAAA", "password": SECRETS["shared"]}, timeout=60)
    last = server.control("POST", "/v1/keys", {"name": "last"})
    wait_until(lambda: [line for line in server.log.lines() if line.get("path") == "/v1/keys"])
    text = server.stderr()
    found = [name for name, secret in SECRETS.items() if secret in text]
    assert not found and bearer not in text and server.key.token() not in text
    for private in (server.key.pem, last["privateKey"]):
        assert all(line not in text for line in private.splitlines()[1:-1])


def test_jq_reads_the_failed_deliveries(server):
    """The first command of docs/production/logs.md, in Python's words: it selects the keys that the lines have."""
    command = re.search(r"jq -r '(.*?)'", (ROOT / "docs/production/logs.md").read_text())[1]
    keys = re.findall(r"\.(\w+)", command.split("|", 1)[1])
    line = server.log.find("a delivery failed")
    assert len(keys) == 6 and all(key in line for key in keys)


def test_a_stop_names_its_signal_and_text_is_the_default(tmp_path):
    with Server(tmp_path / "data", tmp_path, "--drain", "0") as server:
        requests.get(server.address("control") + "/v1/apps", timeout=60)
    lines = server.stderr().splitlines()
    assert [re.search(r"\] (.*)$", line)[1] for line in lines] == ["started", "stopping", "stopped"]
    assert all("reason=SIGTERM" in line for line in lines[1:])
    wrong = run_till("serve", "--ephemeral", "--log-format", "xml", code=64)
    assert "Use text or json" in wrong.stderr

