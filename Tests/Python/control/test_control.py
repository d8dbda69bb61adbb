"""The control API: its OpenAPI document, metrics, tokens and data directory. Its answers and the errors of wrong calls
are tested in Tests/TillServerTests/Control, and requests of web pages in robustness/test_hostile.py."""

import hashlib
import json
import re
import stat
from pathlib import Path

import pytest
import requests
from jsonschema import ValidationError
from openapi_spec_validator import validate

import payload_rules
from catalog_of_everything import CATALOG, COINS
from process_helpers import assert_private, run_till
from shop_helpers import SERVER_ROUTES, App, ControlRefused, ids, server_root

METRICS_LINE = re.compile(r'# (TYPE|HELP) .*|[a-zA-Z_:][\w:]*(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+.\deE]+')


def test_the_document_is_valid_openapi_3_1_and_every_operation_has_a_name_of_its_own(control):
    validate(control.document)
    assert control.document["openapi"].startswith("3.1")
    operations = [operation for methods in control.document["paths"].values() for operation in methods.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations) > 25
    for operation in operations:
        assert operation["summary"].endswith((".", "?")) and operation["tags"]
        assert "default" in operation["responses"] or operation["operationId"] in SERVER_ROUTES


def test_the_document_names_the_version_that_runs(control):
    version = control.document["info"]["version"]
    assert control.call("getStatus")["version"] == version
    assert run_till("--version").stdout.strip() == version


def test_status_shows_the_addresses_and_the_root_certificate(server, control):
    status = control.call("getStatus")
    for face in ("production", "sandbox", "control"):
        assert server.address(face).endswith(f":{status['ports'][face]}")
    assert status["rootCertificate"] == server.document["rootCertificate"]
    assert status["dataDirectory"] == str(server.data)
    authority = control.call("getAuthority")
    assert authority["rootFingerprint"] == status["rootFingerprint"]
    assert hashlib.sha256(server_root(server)).hexdigest() == status["rootFingerprint"].replace(":", "").lower()
    assert authority["chain"].count("BEGIN CERTIFICATE") == 3
    assert authority["rootCertificate"].strip() in authority["chain"]


def test_health_and_readiness(server):
    for path, status in (("/healthz", "ok"), ("/readyz", "ready")):
        answer = requests.get(server.address("control") + path, timeout=10)
        assert (answer.status_code, answer.json()) == (200, {"status": status})
        assert answer.headers["Content-Type"] == "application/json"


def test_metrics_are_prometheus_text_and_count_requests(server, app):
    known = app.sandbox.buy("metrics", COINS).id

    def counted():
        answer = requests.get(server.address("control") + "/metrics", timeout=10)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        for line in answer.text.splitlines():
            assert METRICS_LINE.fullmatch(line), line
        lines = [
            line for line in answer.text.splitlines()
            if 'environment="sandbox"' in line and "/inApps/v2/history/" in line and 'status="200"' in line
        ]
        assert len(lines) <= 1 and known not in answer.text, "a label contains an id"
        return float(lines[0].rsplit(" ", 1)[1]) if lines else 0

    before = counted()
    for _ in range(3):
        app.sandbox.send("GET", f"/inApps/v2/history/{known}")
    assert counted() == before + 3


def test_control_beyond_loopback_requires_its_token(serve):
    """The token is in the data directory and readable only by its owner. The command finds it there."""
    till = serve("--control-address", "127.0.0.2")
    address = till.address("control")
    assert address.startswith("http://127.0.0.2:")
    token_file = till.data / "control-token"
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
    token = token_file.read_text().strip()
    assert len(token) >= 32
    for header in (None, "Bearer wrong", f"Basic {token}", token):
        for path in ("/v1/apps", "/metrics", "/openapi.json"):
            headers = {"Authorization": header} if header else {}
            assert requests.get(address + path, headers=headers, timeout=10).status_code == 401
    headers = {"Authorization": f"Bearer {token}"}
    assert requests.get(address + "/v1/apps", headers=headers, timeout=10).status_code == 200
    run_till("app", "list", "--data", till.data, code=0)
    run_till("app", "list", "--control", address, code=1)
    assert till.stop() == 0
    serve("--control-address", "127.0.0.2", data=till.data)
    assert token_file.read_text().strip() == token, "a restart keeps the token"


def test_all_files_in_the_data_directory_are_readable_by_their_owner_only(server):
    assert_private(server.data)


def test_after_a_rotation_old_and_new_signatures_verify_with_the_same_root(serve):
    till = serve()
    control = till.client
    app = App(till, "com.example.rotation", catalog=CATALOG)
    old = app.sandbox.buy("ann", COINS)
    before = control.call("getAuthority")
    after = control.call("rotateChain")
    assert after["chainId"] != before["chainId"]
    assert after["rootCertificate"] == before["rootCertificate"]
    assert control.call("getAuthority") == after
    new = app.sandbox.transaction(app.sandbox.client.get_transaction_info(old.id).signedTransactionInfo)
    assert new.lasting == old.transaction.lasting
    chains = [payload_rules.decode(signed.jws)[0]["x5c"] for signed in (old.transaction, new)]
    assert chains[0][0] != chains[1][0] and chains[0][1] != chains[1][1] and chains[0][2] == chains[1][2]
    app.sandbox.verifier.verify_and_decode_signed_transaction(old.transaction.jws)
    assert till.stop() == 0
    again = serve(data=till.data)
    assert again.client.call("getAuthority") == after
    run_till("doctor", "--data", till.data, code=0)


def test_a_restarted_server_keeps_its_data(serve):
    till = serve()
    app = App(till, "com.example.carries-on", catalog=CATALOG)
    bought = app.sandbox.buy_many("ann", COINS, 3)
    app.sandbox.refund(bought[1])
    before, _ = app.sandbox.whole_history(bought[0])
    shown = app.sandbox.control("getCustomer", customer="ann")
    refusal = app.sandbox.send("GET", "/inApps/v2/history/x").headers["X-Request-ID"]
    catalog = app.control.call("getCatalog", bundleId=app.bundle_id)
    assert till.stop() == 0
    app = app.on(serve(data=till.data))
    environment = app.sandbox
    after = environment.whole_history(bought[0])[0]
    assert [signed.lasting for signed in after] == [signed.lasting for signed in before]
    assert environment.control("getCustomer", customer="ann") == shown
    assert app.control.call("getCatalog", bundleId=app.bundle_id) == catalog
    assert app.control.call("explainRequest", requestId=refusal)["status"] == 400, "the request log survives, too"
    more = environment.buy("ann", COINS)
    assert more.id not in bought and more.app_transaction_id == shown["appTransactionId"]


def test_a_restored_backup_has_the_same_history(serve, tmp_path):
    """The backup is created while the server runs. It contains the root, the keys and the revisions."""
    till = serve()
    app = App(till, "com.example.backup", catalog=CATALOG)
    bought = app.sandbox.buy_many("ann", COINS, 25)
    app.sandbox.refund(bought[3])
    before, revision = app.sandbox.whole_history(bought[0])
    target = tmp_path / "copies" / "monday"
    assert app.control.call("createBackup", {"to": str(target)})["directory"] == str(target)
    for wrong in (str(target), "relative/path", ""):
        with pytest.raises(ControlRefused) as refused:
            app.control.call("createBackup", {"to": wrong})
        assert (refused.value.status, refused.value.code) == (409, "backup_refused")
    later = app.sandbox.buy("ann", COINS)
    assert_private(target)
    run_till("doctor", "--data", target, code=0)
    copy = serve(data=target)
    assert Path(copy.document["rootCertificate"]).read_bytes() == Path(till.document["rootCertificate"]).read_bytes()
    environment = app.on(copy).sandbox
    after, _ = environment.whole_history(bought[0])
    assert [signed.lasting for signed in after] == [signed.lasting for signed in before]
    assert later.id not in ids(after)
    assert environment.whole_history(bought[0], revision=revision)[0] == []
    assert environment.buy("ann", COINS).id not in bought


def test_a_control_answer_is_json_without_undocumented_keys(control):
    """The client of this suite checks every answer. This test shows that the check can fail."""
    answer = requests.Response()
    answer.status_code = 200
    answer.headers["Content-Type"] = "application/json"
    for team in ({"issuerId": "x", "name": "y", "colour": "red"}, {"issuerId": "x"}, {"issuerId": "x", "name": 5}):
        answer._content = json.dumps([team]).encode()
        with pytest.raises(ValidationError):
            control.check_answer("listTeams", answer)
