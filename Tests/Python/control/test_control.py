"""The control API: its OpenAPI document, access control, and the errors of wrong calls."""

import base64
import hashlib
import json
import re
import stat
import uuid
from pathlib import Path

import pytest
import requests
from jsonschema import ValidationError
from openapi_spec_validator import validate

import payload_rules
from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, PRICES, SOLO
from process_helpers import converse, request_bytes, run_till
from shop_helpers import NO_OFFER, SERVER_ROUTES, V1, App, ControlClient, ControlRefused, ids, server_root


METRICS_LINE = re.compile(r'# (TYPE|HELP) .*|[a-zA-Z_:][\w:]*(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+.\deE]+')


def status_and_code(refused):
    return refused.value.status, refused.value.code


# The document ---------------------------------------------------------------------------------------------------------


def test_the_document_is_valid_openapi_3_1_and_every_operation_has_a_name_of_its_own(control):
    validate(control.document)
    assert control.document["openapi"].startswith("3.1")
    operations = [
        operation for methods in control.document["paths"].values() for operation in methods.values()
    ]
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


# Health ---------------------------------------------------------------------------------------------------------------


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


# Access control -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example",
                                  "api.storekit.apple.com", "10.0.0.1", "", "[::2]"])
def test_an_unknown_host_is_rejected(server, control, host):
    answer = requests.get(server.address("control") + "/v1/apps", headers={"Host": host}, timeout=10)
    assert answer.status_code in (403, 400), answer.text
    assert "com.example" not in answer.text
    if host and answer.status_code == 403:
        with pytest.raises(ControlRefused) as refused:
            control.check_answer("listApps", answer)
        assert refused.value.code == "unknown_host"


def test_loopback_names_are_accepted(server):
    port = server.ports["control"]
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "LOCALHOST"):
        assert requests.get(f"http://127.0.0.1:{port}/v1/apps", headers={"Host": host}, timeout=10).status_code == 200


def test_a_missing_host_is_rejected(server):
    outcome = converse(server.ports["control"], request_bytes("GET", "/v1/apps", host=None), 10)
    assert outcome.status in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "https://localhost.evil.example", "null", "file://",
                                    "http://evil.example:80", "http://127.0.0.1.evil.example", "http://127.0.0.1:9",
                                    "http://127.0.0.1", "http://localhost:9"])
def test_a_request_from_another_origin_is_rejected(server, control, origin):
    address = server.address("control")
    for method, path, body in (
        ("GET", "/v1/apps", None), ("POST", "/v1/ca/rotate", None), ("POST", "/v1/teams", {"name": "x"}),
    ):
        answer = requests.request(method, address + path, json=body, headers={"Origin": origin}, timeout=10)
        assert answer.status_code == 403, answer.text
        assert answer.json()["code"] == "unknown_origin"
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_request_from_a_local_page_is_accepted(server):
    headers = {"Origin": server.address("control"), "Sec-Fetch-Site": "same-origin"}
    assert requests.get(server.address("control") + "/v1/apps", headers=headers, timeout=10).status_code == 200
    headers["Sec-Fetch-Site"] = "same-site"
    assert requests.get(server.address("control") + "/v1/apps", headers=headers, timeout=10).status_code == 403


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "text/json", None,
                                          "multipart/form-data; boundary=x", "application/jsonp"])
def test_a_body_that_is_not_json_is_rejected(server, control, content_type):
    """A web page can post such bodies to another site without a preflight request."""
    headers = {"Content-Type": content_type} if content_type else {}
    before = control.call("listTeams")
    answer = requests.post(
        server.address("control") + "/v1/teams", data=b'{"name":"sneaked in"}', headers=headers, timeout=10
    )
    with pytest.raises(ControlRefused) as refused:
        control.check_answer("createTeam", answer)
    assert status_and_code(refused) == (415, "not_json")
    assert control.call("listTeams") == before


def test_a_json_content_type_may_have_a_charset(server, control):
    answer = requests.post(
        server.address("control") + "/v1/apps", data=b'{"bundleId":"x y"}',
        headers={"Content-Type": "application/json; charset=utf-8"}, timeout=10,
    )
    assert answer.status_code == 400 and answer.json()["code"] in ("bad_bundle_id", "bad_request")


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
    assert run_till("app", "list", "--data", till.data).returncode == 0
    assert run_till("app", "list", "--control", address).returncode == 1
    assert till.stop() == 0
    serve("--control-address", "127.0.0.2", data=till.data)
    assert token_file.read_text().strip() == token, "a restart keeps the token"


# Wrong calls ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation, parameters, body, paths", [
    ("createApp", {}, {"bundleId": "a.b", "bundelId": 1}, ["$.bundelId"]),
    ("createApp", {}, {"bundleId": 5}, ["$.bundleId"]),
    ("createApp", {}, {}, ["$.bundleId"]),
    ("createApp", {}, {"bundleId": "a.b", "appAppleId": "12"}, ["$.appAppleId"]),
    ("createApp", {}, {"bundleId": "a.b", "appAppleId": 0}, ["$.appAppleId"]),
    ("createApp", {}, {"bundleId": "a.b", "appAppleId": 1.5}, ["$.appAppleId"]),
    ("createApp", {}, {"bundleId": None}, ["$.bundleId"]),
    ("createApp", {}, [], ["$"]),
    ("createTeam", {}, {"name": "x", "issuerId": "no-uuid"}, ["$.issuerId"]),
    ("createTeam", {}, {"nam": "x", "colour": "red"}, ["$.name", "$.nam", "$.colour"]),
    ("createCustomer", {"environment": "sandbox"}, {"customer": "x", "platform": "Windows"}, ["$.platform"]),
    ("createCustomer", {"environment": "sandbox"}, {"customer": "x", "at": 5}, ["$.at"]),
    ("createCustomer", {"environment": "sandbox"}, {"customer": ""}, ["$.customer"]),
    ("createCustomer", {"environment": "sandbox"}, {"customer": "a\nb"}, ["$.customer"]),
    ("createCustomer", {"environment": "sandbox"}, {"customer": "x" * 129}, ["$.customer"]),
    ("createFamily", {"environment": "sandbox"}, {"organizer": "x", "members": ["y", 5]}, ["$.members[1]"]),
    ("buyProduct", {"environment": "sandbox", "customer": "x"}, {"productId": COINS, "quantity": "3"}, ["$.quantity"]),
    ("buyProduct", {"environment": "sandbox", "customer": "x"}, {"productId": COINS, "offer": {"kind": "FREE"}},
     ["$.offer.kind"]),
    ("buyProduct", {"environment": "sandbox", "customer": "x"}, {"productId": COINS, "offer": {"kind": "CODE", "ident": "x"}},
     ["$.offer.ident"]),
    ("buyProduct", {"environment": "sandbox", "customer": "x"}, {"productId": COINS, "deviceId": "phone"}, ["$.deviceId"]),
    ("buyProduct", {"environment": "sandbox", "customer": "x"}, {"productId": COINS, "price": 1, "currency": "usd"},
     ["$.currency"]),
    ("createBackup", {}, {"to": 5, "too": 6}, ["$.to", "$.too"]),
])
def test_errors_in_a_body_are_reported_with_their_json_path(control, app, operation, parameters, body, paths):
    _, path, _ = control.operations[operation]
    if "{bundleId}" in path:
        parameters = {**parameters, "bundleId": app.bundle_id}
    with pytest.raises(ControlRefused) as refused:
        control.call(operation, body, **parameters)
    assert refused.value.status == 400
    assert {fault["path"] for fault in refused.value.faults} == set(paths)
    assert refused.value.message


@pytest.mark.parametrize("body", [b"{", b"", b"null", b"[]", b'{"name":"a","name":"b"}', b"\xff", b'{"name":"\xff"}',
                                  b'{"name":"x"} y'])
def test_a_body_that_is_no_json_object_is_rejected(server, control, body):
    headers = {"Content-Type": "application/json"}
    answer = requests.post(server.address("control") + "/v1/teams", data=body, headers=headers, timeout=10)
    with pytest.raises(ControlRefused) as refused:
        control.check_answer("createTeam", answer)
    assert refused.value.status == 400 and refused.value.faults


def test_an_unknown_name_is_404_and_lists_the_known_ones(control, app):
    for operation, parameters, word in (
        ("getApp", {"bundleId": "com.example.unknown"}, app.bundle_id),
        ("getCatalog", {"bundleId": "com.example.unknown"}, app.bundle_id),
        ("getCustomer", {"bundleId": app.bundle_id, "environment": "sandbox", "customer": "unknown"}, "unknown"),
        ("getCustomer", {"bundleId": app.bundle_id, "environment": "moon", "customer": "unknown"}, "sandbox"),
        ("getTransaction", {"bundleId": app.bundle_id, "environment": "sandbox", "transactionId": "12"}, "12"),
        ("getTransaction", {"bundleId": app.bundle_id, "environment": "sandbox", "transactionId": "x"}, "x"),
        ("revokeKey", {"keyId": "NOSUCHKEY1"}, "NOSUCHKEY1"),
        ("explainRequest", {"requestId": "NOSUCHREQUEST"}, "NOSUCHREQUEST"),
    ):
        with pytest.raises(ControlRefused) as refused:
            control.call(operation, **parameters)
        assert refused.value.status == 404 and word in refused.value.message


def test_a_transaction_of_another_environment_or_app_is_not_found(control, app, other_app, customer):
    bought = app.sandbox.buy(customer, COINS)
    for other in (app.production, other_app.sandbox):
        for operation in ("getTransaction", "refundTransaction", "reverseRefund", "finishTransaction"):
            with pytest.raises(ControlRefused) as refused:
                other.control(operation, transactionId=bought.id)
            assert status_and_code(refused) == (404, "unknown_transaction")


def test_an_unknown_path_and_a_wrong_method_are_answered_with_json(server):
    for method, path, statuses in (("GET", "/v1/nothing", (404,)), ("GET", "/V1/apps", (404,)),
                                   ("DELETE", "/v1/apps", (404, 405)), ("POST", "/healthz", (404, 405))):
        answer = requests.request(method, server.address("control") + path, timeout=10)
        assert answer.status_code in statuses
        assert set(answer.json()) == {"code", "message"}


# Setting up -----------------------------------------------------------------------------------------------------------


def test_teams_apps_and_keys(control):
    own = str(uuid.uuid4())
    team = control.call("createTeam", {"name": "Mine", "issuerId": own.upper()})
    assert team == {"issuerId": own, "name": "Mine"}
    assert team in control.call("listTeams")
    with pytest.raises(ControlRefused) as refused:
        control.call("createTeam", {"name": "Again", "issuerId": own})
    assert status_and_code(refused) == (409, "team_exists")
    bundle_id = f"com.example.app-{own[:8]}"
    made = control.call("createApp", {"bundleId": bundle_id, "issuerId": own})
    assert made["appAppleId"] >= 1_000_000_000 and made["issuerId"] == own
    assert control.call("getApp", bundleId=bundle_id) == made and made in control.call("listApps")
    with pytest.raises(ControlRefused) as refused:
        control.call("createApp", {"bundleId": bundle_id, "issuerId": own})
    assert status_and_code(refused) == (409, "app_exists")
    with pytest.raises(ControlRefused) as refused:
        control.call("createApp", {"bundleId": bundle_id + ".b", "issuerId": own, "appAppleId": made["appAppleId"]})
    assert status_and_code(refused) == (409, "apple_id_taken")
    with pytest.raises(ControlRefused) as refused:
        control.call("createApp", {"bundleId": bundle_id + ".b"})
    assert status_and_code(refused) == (400, "which_team")
    with pytest.raises(ControlRefused) as refused:
        control.call("createApp", {"bundleId": bundle_id + ".b", "issuerId": str(uuid.uuid4())})
    assert refused.value.status in (400, 404)


def test_a_private_key_is_shown_once_and_not_stored(server, control, team):
    key = control.call("createKey", {"name": "secret", "issuerId": team})
    assert re.fullmatch(r"[A-Z0-9]{10}", key["keyId"])
    assert key["privateKey"].startswith("-----BEGIN PRIVATE KEY-----")
    (listed,) = [entry for entry in control.call("listKeys") if entry["keyId"] == key["keyId"]]
    assert listed == {name: value for name, value in key.items() if name != "privateKey"}
    body = "".join(key["privateKey"].split("\n")[1:-2])
    der = base64.b64decode(body)
    secret = der[36:68]
    for path in Path(server.data).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert body[48:90].encode() not in data and secret not in data, f"the private key is in {path}"
    assert body[48:90] not in server.stderr() + server.stdout()


def test_all_files_in_the_data_directory_are_readable_by_their_owner_only(server):
    for path in [Path(server.data), *Path(server.data).rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


# Catalog --------------------------------------------------------------------------------------------------------------


def test_a_catalog_reads_back_as_it_was_written(control, app):
    shown = control.call("getCatalog", bundleId=app.bundle_id)
    assert {product["productId"] for product in shown["products"]} == set(PRICES)
    assert control.call("putCatalog", shown, bundleId=app.bundle_id) == shown
    assert control.call("getCatalog", bundleId=app.bundle_id) == shown


def test_products_and_groups_can_be_added_one_by_one(server, control, team):
    app = App(server, control, "com.example.piecemeal", None, team)
    assert control.call("getCatalog", bundleId=app.bundle_id)["products"] == []
    control.call("putGroup", CATALOG["groups"][0], bundleId=app.bundle_id)
    for product in CATALOG["products"]:
        if product["productId"] in (COINS, BASIC):
            made = control.call("putProduct", product, bundleId=app.bundle_id)
            assert made["productId"] == product["productId"]
    shown = control.call("getCatalog", bundleId=app.bundle_id)
    assert [group["groupId"] for group in shown["groups"]] == [CATALOG["groups"][0]["groupId"]]
    assert {product["productId"] for product in shown["products"]} == {COINS, BASIC}
    assert app.sandbox.buy("ann", BASIC).payload["offerType"] == 1
    with pytest.raises(ControlRefused) as refused:
        control.call("putProduct", {"productId": "x", "type": "CONSUMABLE", "prise": "1"}, bundleId=app.bundle_id)
    assert {"$.prise", "$.price"} <= {fault["path"] for fault in refused.value.faults}


# Customers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ann bob", "ann/bob", "größe", "a?b=c&d#e", "100%", "...", "日本", "😀", "x" * 128,
                                  "'; DROP TABLE accounts; --"])
def test_a_customer_may_have_any_name(sandbox, name):
    made = sandbox.create(name)
    assert made["customer"] == name and made.pop("created") is True
    assert sandbox.control("getCustomer", customer=name) == made
    bought = sandbox.buy(name, COINS)
    assert bought.app_transaction_id == made["appTransactionId"]


def test_creating_an_existing_customer_changes_nothing(server, sandbox, customer):
    path = f"{server.address('control')}/v1/apps/{sandbox.app.bundle_id}/sandbox/customers"
    statuses = [requests.post(path, json={"customer": customer + "-b"}, timeout=30).status_code for _ in range(2)]
    assert statuses == [201, 200]
    made = sandbox.create(customer, storefront="DEU")
    assert made["storefront"] == "DEU" and made["hasAppTransaction"] is True and made.pop("created") is True
    assert sandbox.create(customer, storefront="JPN", downloadsApp=False) == made


def test_a_customer_is_shown_with_their_purchases(sandbox, customer):
    sandbox.buy(customer, SOLO)
    sandbox.buy(customer, FOREVER)
    bought = sandbox.buy(customer, BASIC)
    shown = sandbox.control("getCustomer", customer=customer)
    assert shown["owned"] == sorted([SOLO, FOREVER]) and shown["transactions"] == 3
    (entry,) = shown["subscriptions"]
    assert (entry["transactionId"], entry["status"], entry["autoRenewStatus"]) == (bought.id, 1, 1)
    assert entry["expiresDate"] == bought.payload["expiresDate"]
    assert "family" not in shown


def test_customers_are_listed_page_by_page_in_order_of_creation(server, control, team):
    app = App(server, control, "com.example.crowd", None, team)
    names = [f"customer {number}" for number in range(23)]
    for name in names:
        app.sandbox.create(name)
    seen, query = [], {"limit": 10}
    while True:
        page = app.sandbox.control("listCustomers", query=query)
        seen += [entry["customer"] for entry in page["customers"]]
        if "next" not in page:
            break
        assert len(page["customers"]) == 10
        query["after"] = page["next"]
    assert seen == names
    assert app.production.control("listCustomers") == {"customers": []}
    for wrong in ({"limit": 0}, {"limit": 101}, {"limit": "x"}, {"after": "x"}):
        with pytest.raises(ControlRefused) as refused:
            app.sandbox.control("listCustomers", query=wrong)
        assert refused.value.status == 400


def test_a_customers_transactions_are_listed_unsigned_with_the_last_change_first(sandbox, customer):
    assert sandbox.create(customer)["transactions"] == 0
    assert sandbox.control("listTransactions", customer=customer) == {"transactions": []}
    coins, basic = sandbox.buy(customer, COINS, quantity=3), sandbox.buy(customer, BASIC, offer=NO_OFFER)
    rows = sandbox.control("listTransactions", customer=customer)["transactions"]
    assert [row["transactionId"] for row in rows] == [basic.id, coins.id]
    for row, bought in zip(rows, (basic, coins)):
        same = row.keys() & bought.payload.keys() - {"type"}
        assert same >= {"productId", "purchaseDate", "price", "currency", "storefront", "inAppOwnershipType"}
        assert {key: row[key] for key in same} == {key: bought.payload[key] for key in same}
    assert rows[0]["expiresDate"] > rows[0]["purchaseDate"] and rows[1]["quantity"] == 3
    sandbox.refund(coins.id)
    first = sandbox.control("listTransactions", customer=customer, query={"limit": 1})
    (row,) = first["transactions"]
    assert row["transactionId"] == coins.id and row["revocationType"] == "REFUND_FULL" and "revocationDate" in row
    rest = sandbox.control("listTransactions", customer=customer, query={"limit": 1, "after": first["next"]})
    assert [row["transactionId"] for row in rest["transactions"]] == [basic.id] and "next" not in rest
    for wrong in ({"limit": 0}, {"limit": "x"}, {"after": "x"}, {"after": 0}):
        with pytest.raises(ControlRefused) as refused:
            sandbox.control("listTransactions", customer=customer, query=wrong)
        assert (refused.value.status, refused.value.code) == (400, "bad_query" if "limit" in wrong else "bad_page")


def test_the_device_can_finish_too(sandbox, customer):
    bought = sandbox.buy(customer, COINS)
    assert sandbox.control("finishTransaction", transactionId=bought.id)["events"] == ["finished"]
    assert sandbox.control("finishTransaction", transactionId=bought.id)["events"] == []
    assert sandbox.whole_history(bought.id, V1)[0] == []


# The request log ------------------------------------------------------------------------------------------------------


def test_the_request_log_lists_the_newest_errors_first(control, app):
    wanted = [app.sandbox.send("GET", f"/inApps/v2/history/x{number}").headers["X-Request-ID"] for number in range(5)]
    listed = [entry["requestId"] for entry in control.call("listRequests", query={"limit": 5})["entries"]]
    assert listed == wanted[::-1]
    for limit in (0, 101, "x"):
        with pytest.raises(ControlRefused) as refused:
            control.call("listRequests", query={"limit": limit})
        assert refused.value.status == 400


def test_successful_requests_are_not_in_the_request_log(control, app, customer):
    answer = app.sandbox.send("GET", f"/inApps/v2/history/{app.sandbox.buy(customer, COINS).id}")
    with pytest.raises(ControlRefused) as refused:
        control.call("explainRequest", requestId=answer.headers["X-Request-ID"])
    assert status_and_code(refused) == (404, "unknown_request")


# Certificates ---------------------------------------------------------------------------------------------------------


def test_after_a_rotation_old_and_new_signatures_verify_with_the_same_root(serve):
    till = serve()
    control = ControlClient(till.address("control"))
    app = App(till, control, "com.example.rotation", catalog=CATALOG)
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
    control = ControlClient(again.address("control"))
    assert control.call("getAuthority") == after
    assert run_till("doctor", "--data", till.data).returncode == 0


# The data directory ---------------------------------------------------------------------------------------------------


def test_a_second_server_on_the_same_directory_fails_with_a_clear_message(server):
    outcome = run_till("serve", "--data", server.data, "--production-port", 0, "--sandbox-port", 0, "--control-port", 0)
    assert outcome.returncode == 1
    assert str(server.pid) in outcome.stderr and str(server.data) in outcome.stderr and "--data" in outcome.stderr
    assert outcome.stdout == ""
    assert requests.get(server.address("control") + "/readyz", timeout=10).status_code == 200


def test_a_port_in_use_fails_with_a_clear_message(server, tmp_path):
    outcome = run_till("serve", "--data", tmp_path / "data", "--production-port", 0, "--sandbox-port", 0,
                       "--control-port", server.ports["control"])
    assert outcome.returncode == 1
    assert f"port {server.ports['control']}" in outcome.stderr.lower() and "--control-port" in outcome.stderr


def test_a_restarted_server_keeps_its_data(serve):
    till = serve()
    app = App(till, ControlClient(till.address("control")), "com.example.carries-on", catalog=CATALOG)
    bought = app.sandbox.buy_many("ann", COINS, 3)
    app.sandbox.refund(bought[1])
    before, _ = app.sandbox.whole_history(bought[0])
    shown = app.sandbox.control("getCustomer", customer="ann")
    refusal = app.sandbox.send("GET", "/inApps/v2/history/x").headers["X-Request-ID"]
    catalog = app.control.call("getCatalog", bundleId=app.bundle_id)
    assert till.stop() == 0
    again = serve(data=till.data)
    app.server, app.control = again, ControlClient(again.address("control"))
    environment = type(app.sandbox)(app, "sandbox")
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
    app = App(till, ControlClient(till.address("control")), "com.example.backup", catalog=CATALOG)
    bought = app.sandbox.buy_many("ann", COINS, 25)
    app.sandbox.refund(bought[3])
    before, revision = app.sandbox.whole_history(bought[0])
    target = tmp_path / "copies" / "monday"
    assert app.control.call("createBackup", {"to": str(target)})["directory"] == str(target)
    for wrong in (str(target), "relative/path", ""):
        with pytest.raises(ControlRefused) as refused:
            app.control.call("createBackup", {"to": wrong})
        assert status_and_code(refused) == (409, "backup_refused")
    later = app.sandbox.buy("ann", COINS)
    for path in [target, *target.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert run_till("doctor", "--data", target).returncode == 0
    copy = serve(data=target)
    assert Path(copy.document["rootCertificate"]).read_bytes() == Path(till.document["rootCertificate"]).read_bytes()
    app.server, app.control = copy, ControlClient(copy.address("control"))
    environment = type(app.sandbox)(app, "sandbox")
    after, _ = environment.whole_history(bought[0])
    assert [signed.lasting for signed in after] == [signed.lasting for signed in before]
    assert later.id not in ids(after)
    assert environment.whole_history(bought[0], revision=revision)[0] == []
    assert environment.buy("ann", COINS).id not in bought


def test_with_the_apple_profile_order_lookup_is_not_available_in_the_sandbox(serve):
    till = serve("--profile", "apple")
    app = App(till, ControlClient(till.address("control")), "com.example.faithful", catalog=CATALOG)
    here, there = app.sandbox.buy("ann", COINS), app.production.buy("ann", COINS)
    answer = app.sandbox.send("GET", f"/inApps/v1/lookup/{here.order_id}")
    assert (answer.status_code, answer.content) == (404, b"")
    assert "orderLookupInSandbox" in app.sandbox.explain(answer)["explanation"]
    assert app.production.client.look_up_order_id(there.order_id).rawStatus == 0


def test_a_control_answer_is_json_without_undocumented_keys(control):
    """The client of this suite checks every answer. This test shows that the check can fail."""
    answer = requests.Response()
    answer.status_code = 200
    answer.headers["Content-Type"] = "application/json"
    for team in ({"issuerId": "x", "name": "y", "colour": "red"}, {"issuerId": "x"}, {"issuerId": "x", "name": 5}):
        answer._content = json.dumps([team]).encode()
        with pytest.raises(ValidationError):
            control.check_answer("listTeams", answer)


def test_an_unknown_query_parameter_is_refused(server, app, customer, sandbox):
    """A misspelled parameter must not erase the data of all apps."""
    sandbox.create(customer)
    control = server.address("control")
    for method, path in [("DELETE", f"/v1/state?bundleID={app.bundle_id}"), ("GET", "/v1/status?verbose=1"),
                         ("POST", f"/v1/apps/{app.bundle_id}/sandbox/customers/{customer}/purchases?includes=signed")]:
        answer = requests.request(method, control + path, json={} if method == "POST" else None, timeout=30)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_query" if method != "POST" else "bad_request")
    purchase = requests.post(control + path, json={"productId": COINS}, timeout=30)
    assert (purchase.status_code, purchase.json()["code"]) == (400, "bad_query")
    assert purchase.json()["faults"][0]["path"] == "includes" and "include" in purchase.json()["message"]
    moved = requests.put(f"{control}/v1/apps/{app.bundle_id}/sandbox/clock?clock=slow", json={"mode": "frozen"}, timeout=30)
    assert moved.status_code == 400 and "in the body" in moved.json()["message"]
    assert sandbox.control("getClock")["mode"] == "real"
    assert sandbox.control("getCustomer", customer=customer)["transactions"] == 0


def test_a_query_parameter_with_two_values_is_refused(server, sandbox, customer):
    sandbox.create(customer)
    path = f"/v1/apps/{sandbox.app.bundle_id}/sandbox/customers/{customer}?dryRun=true&dryRun=false"
    answer = requests.delete(server.address("control") + path, timeout=30)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_query")
    sandbox.control("getCustomer", customer=customer)


@pytest.mark.parametrize("path", ["/v1/faults/", "/v1//faults", "//v1/faults"])
def test_a_path_with_an_empty_segment_is_refused(server, control, path):
    """Without its identifier, a request to delete one fault rule must not delete all."""
    made = control.call("addFault", {"kind": "latency", "milliseconds": 1, "customer": "nobody"})["id"]
    answer = requests.delete(server.address("control") + path, timeout=30)
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_route")
    assert made in [rule["id"] for rule in control.call("listFaults")]
    control.call("removeFaults", query={"faultId": made})
    with pytest.raises(ControlRefused) as refused:
        control.call("removeFaults", query={"faultId": made})
    assert (refused.value.status, refused.value.code) == (404, "unknown_fault")


def test_a_refused_job_does_not_change_the_catalog(control, app):
    before = control.call("getCatalog", bundleId=app.bundle_id)
    shared = next(product["productId"] for product in before["products"]
                  if product["type"] == "AUTO_RENEWABLE" and not product.get("familyShareable"))
    for operation, body in [("raisePrice", {"price": 99_990, "at": 1_200_000_000_000}),
                            ("shareProduct", {"at": 1_200_000_000_000})]:
        with pytest.raises(ControlRefused) as refused:
            control.call(operation, body, bundleId=app.bundle_id, environment="sandbox", productId=shared)
        assert refused.value.code == "earlier_than_clock"
    assert control.call("getCatalog", bundleId=app.bundle_id) == before


def test_a_family_is_created_with_all_members_or_not_at_all(sandbox, customer):
    sandbox.control("createClock", {"name": customer})
    sandbox.create(customer)
    sandbox.control("updateCustomer", {"clock": customer}, customer=customer)
    for member, code in [(customer, "family_on_another_clock"), ("\ufeffzed", "bad_customer")]:
        with pytest.raises(ControlRefused) as refused:
            sandbox.control("createFamily", {"organizer": customer + "-o", "members": [customer + "-n", member]})
        assert refused.value.code == code
        for name in (customer + "-o", customer + "-n"):
            with pytest.raises(ControlRefused) as refused:
                sandbox.control("getCustomer", customer=name)
            assert refused.value.code == "unknown_account"


def test_a_duration_that_no_clock_can_reach_is_refused(server, sandbox):
    path = f"{server.address('control')}/v1/apps/{sandbox.app.bundle_id}/sandbox/clock/advance"
    for by in ("999999999h" * 5_000, "999999999h" * 28):
        answer = requests.post(path, json={"by": by}, timeout=30)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_duration")


def test_an_error_of_an_operation_shows_the_value_that_it_refuses(server, app):
    path = f"{server.address('control')}/v1/apps/{app.bundle_id}/sandbox/customers"
    for body, place, found in [({"customer": "zoe", "storefront": "ZZZ"}, "$.storefront", "ZZZ"),
                               ({"customer": "a\u0007b"}, "$.customer", "a")]:
        answer = requests.post(path, json=body, timeout=30)
        (fault,) = answer.json()["faults"]
        assert answer.status_code == 400 and fault["path"] == place and found in fault["found"], fault


@pytest.mark.parametrize("path, new", [
    ("/v1/journal", "/v1/requests"), ("/v1/journal/abc", "/v1/requests/"),
    ("/v1/apps/com.example.shop/sandbox/rules", "/settings"), ("/v1/apps/com.example.shop/sandbox/coming", "/upcoming-events"),
    ("/v1/apps/com.example.shop/sandbox/clock/leap", "/clock/advance"),
    ("/v1/apps/com.example.shop/sandbox/clocks/slow", "/clock, with clock"),
    ("/v1/apps/com.example.shop/sandbox/clocks/slow/leap", "/clock/advance, with clock"),
    ("/v1/apps/com.example.shop/sandbox/attacks/receipts", "/attacks?receipts=true"),
    ("/v1/ca/receipts", "/v1/ca?receipts=true"), ("/v1/tls", "/v1/status, in tls"),
    ("/v1/prune", "DELETE /v1/notifications, with days"), ("/v1/faults/f1", "DELETE /v1/faults?faultId={faultId}"),
    ("/v1/apps/com.example.shop/sandbox/customers/ann/subscriptions", "/customers/{customer}, in subscriptions"),
    ("/v1/apps/com.example.shop/sandbox/transactions/1/receipt", "/customers/{customer}/receipt?transactionId={transactionId}"),
    ("/v1/apps/com.example.shop/sandbox/notifications/test", "/{environment}/notifications with"),
    ("/v1/apps/com.example.shop/sandbox/notifications/31f2b8a4/resend", "POST /v1/apps/{bundleId}/{environment}/notifications/resend, with"),
    ("/v1/apps/com.example.shop/sandbox/customers/ann/card", "PATCH /v1/apps/{bundleId}/{environment}/customers/{customer}, with card"),
    ("/v1/apps/com.example.shop/sandbox/customers/ann/family/members", "/family/members/{member} now"),
    ("/v1/reset", "DELETE /v1/state"), ("/v1/keys/ABC/revoke", "DELETE /v1/keys/{keyId}"),
])
def test_a_retired_path_is_answered_with_the_new_one(server, path, new):
    # DELETE of this path deletes a clock today.
    for method in {"GET", "PUT", "POST", "DELETE"} - ({"DELETE"} if path.endswith("/clocks/slow") else set()):
        answer = requests.request(method, server.address("control") + path, timeout=30)
        assert answer.status_code == 404 and answer.json()["code"] == "renamed", answer.text
        assert new in answer.json()["message"]


@pytest.mark.parametrize("owner", ["/v1/apps/com.example.shop", "/v1/teams/57246542-96fe-1a63-e053-0824d011072a"])
def test_the_retired_removal_of_a_secret_is_answered_with_the_new_one(server, owner):
    answer = requests.delete(f"{server.address('control')}{owner}/shared-secret", timeout=30)
    assert answer.status_code == 404 and answer.json()["code"] == "renamed", answer.text
    assert 'PUT, with {"remove": true}' in answer.json()["message"]


def test_a_retired_key_is_refused_with_the_new_one(app, control):
    with pytest.raises(ControlRefused) as refused:
        control.call("updateSettings", {"weather": "sparse"}, bundleId=app.bundle_id, environment="sandbox")
    assert "payloadProfile" in refused.value.faults[0]["found"]
