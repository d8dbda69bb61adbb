"""Named control API tokens: each is shown once, is valid on all nodes, and can be revoked at once."""

import contextlib
import json
import signal
import socket

import requests

from process_helpers import Server, run_till, wait_until


def ask(address, token):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return requests.get(address + "/v1/apps", headers=headers, timeout=10)


def test_a_token_is_valid_until_it_is_revoked_and_is_not_stored(serve):
    till = serve("--control-address", "127.0.0.2", "--request-log-all", "true", "--log-level", "trace")
    address = till.address("control")
    here = ["--data", till.data]
    text = run_till("token", "create", "ci", "--scope", "administer", *here, code=0)
    secret = text.stdout.strip()
    second = json.loads(run_till("token", "create", "deploy", "--json", *here).stdout)["token"]
    assert ask(address, secret).status_code == ask(address, second).status_code == 200
    listed = run_till("token", "list", *here)
    assert "ci" in listed.stdout and "deploy" in listed.stdout and secret not in listed.stdout

    # The holder of a token may call every operation, even without access to the data directory.
    outcome = run_till("token", "list", "--control", address, "--json", TILL_CONTROL_TOKEN=secret)
    assert [token["name"] for token in json.loads(outcome.stdout)] == ["ci", "deploy"]

    run_till("token", "delete", "--yes", "ci", *here, code=0)
    revoked, unknown, none = ask(address, secret), ask(address, secret[:-1] + "_"), ask(address, None)
    assert revoked.status_code == 401 and revoked.text == unknown.text == none.text
    assert ask(address, second).status_code == 200
    assert "unknown" not in run_till("token", "delete", "--yes", "deploy", "--json", *here).stdout
    assert till.stop() == 0

    written = till.stdout() + till.stderr()
    assert written.count("refused a control API token") == 2, "a request without a token is not a guess"
    written += "".join(file.read_bytes().decode("latin-1") for file in till.data.rglob("*") if file.is_file())
    for token in (secret, second):
        assert token not in written


def test_a_token_permits_what_its_scope_permits_and_the_audit_log_has_each_call(serve):
    till = serve("--control-address", "127.0.0.2", "--demo")
    here, app = ["--data", till.data], "com.example.till.demo"

    def audit(*arguments):
        outcome = run_till("audit", "list", "--json", *arguments, *here, code=0)
        return [(one["caller"], one["operationId"], one["result"]) for one in json.loads(outcome.stdout)["records"]]

    reader = run_till("token", "create", "reader", "--scope", "read", "--app", app, *here).stdout.strip()
    theirs = {"TILL_CONTROL_TOKEN": reader}
    shown = run_till("customer", "show", "ann", "--app", app, *here, **theirs)
    assert "not permit" not in shown.stderr and "needs the scope" not in shown.stderr
    refused = run_till("buy", f"{app}.seeds.10", "--customer", "ann", "--app", app, *here, **theirs, code=1)
    assert "buyProduct needs the scope operate" in refused.stderr
    assert "needs the scope administer" in run_till("token", "list", *here, **theirs, code=1).stderr
    text = run_till("audit", "list", "--caller", "reader", *here).stdout
    assert "listTokens" in text and "insufficient_scope" in text and reader not in text
    assert audit("--caller", "reader", "--operation", "buyProduct", "--app", app, "--failed") == [
        ("reader", "buyProduct", "insufficient_scope")
    ]
    assert audit("--operation", "createToken") == [("administrator", "createToken", "ok")]
    assert audit("--from", "2100-01-01") == []


def test_a_weak_administrator_token_causes_a_warning(tmp_path):
    till = Server(None, tmp_path, "--ephemeral", "--control-address", "127.0.0.2", TILL_CONTROL_TOKEN="hunter2")
    assert till.stop() == 0
    (warning,) = [line for line in till.stderr().splitlines() if "fewer than 16 characters" in line]
    assert "hunter2" not in till.stderr() and warning


def test_a_token_survives_a_restart(serve):
    till = serve("--control-address", "127.0.0.2")
    secret = run_till("token", "create", "ci", "--data", till.data).stdout.strip()
    assert till.stop() == 0
    (till.data / "control-token").unlink()
    again = serve("--control-address", "127.0.0.2", data=till.data)
    assert ask(again.address("control"), secret).status_code == 200


def test_wrong_tokens_do_not_delay_the_shutdown(serve):
    """The test uses many requests on one connection whose client reads nothing, and many connections with one request
    each."""
    till = serve("--control-address", "127.0.0.2")
    address = ("127.0.0.2", int(till.address("control").rsplit(":", 1)[1]))
    guess = b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for count in [500] + [1] * 60:
            stack.enter_context(socket.create_connection(address)).sendall(guess * count)
        # After ten wrong tokens, the server delays its answers.
        wait_until(lambda: till.stderr().count("refused a control API token") >= 10, 60)
        till.process.send_signal(signal.SIGTERM)
        # The server would need more than two minutes to send all delayed answers.
        assert till.process.wait(60) == 0
