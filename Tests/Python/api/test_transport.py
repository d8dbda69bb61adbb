"""HTTP requests as real clients send them, which the server must accept."""

import re
import socket
import uuid

import pytest
from appstoreserverlibrary.api_client import APIError, APIException

from catalog_of_everything import BASIC, COINS, SEASON, SOLO
from process_helpers import ROOT, converse, request_bytes
from shop_helpers import ids

WRONG_CASE = ["/inapps/v2/history/{}", "/InApps/v2/history/{}", "/inApps/V2/history/{}", "/inApps/v2/History/{}",
              "/inApps/v1/transactions/apptransactions/{}", "/INAPPS/V1/LOOKUP/{}"]
NO_ROUTE = ["/", "/inApps", "/inApps/v3/history/{}", "/inApps/v2/transactions/{}", "/inApps/v2/history/{}/more",
            "/v1/apps", "/openapi.json", "/healthz", "/metrics", "/inApps/v1/lookup"]


@pytest.fixture(scope="module")
def known(app):
    return app.sandbox.buy("transport", COINS).id


def history(environment, id_, query=""):
    answer = environment.send("GET", f"/inApps/v2/history/{id_}{query}")
    assert answer.status_code == 200, answer.text
    return [environment.transaction(jws)["transactionId"] for jws in answer.json()["signedTransactions"]]


def port(environment):
    return int(environment.base.rsplit(":", 1)[1])


@pytest.mark.parametrize("path", ["/inApps/v2/history/{}", "/inApps/v1/history/{}", "/inApps/v1/transactions/{}",
                                  "/inApps/v1/transactions/appTransactions/{}", "/inApps/v1/subscriptions/{}",
                                  "/inApps/v1/lookup/M123456789", "/inApps/v2/refund/lookup/{}",
                                  "/inApps/v1/refund/lookup/{}"])
def test_a_url_may_end_in_a_question_mark(app, known, path):
    """Apple's Node library always appends a question mark."""
    raw = request_bytes("GET", path.format(known) + "?", token=app.token())
    outcome = converse(port(app.sandbox), raw, 20)
    assert outcome.status == 200 and outcome.answers[0].headers["content-type"] == "application/json"


def test_a_post_without_length_body_and_type_is_accepted(app, customer):
    """The request may also have a question mark, and the Content-Type that some clients send without a body."""
    bought = app.sandbox.buy(customer, COINS)
    path = f"/inApps/v1/transactions/{bought.id}/finish"
    for headers, length, target in (
        ({}, False, path), ({}, True, path), ({"Content-Type": "application/json"}, True, path + "?"),
        ({"Content-Type": "application/json; charset=utf-8"}, True, path),
    ):
        raw = request_bytes("POST", target, headers, token=app.token(), length=length)
        outcome = converse(port(app.sandbox), raw, 20)
        assert outcome.status == 200 and outcome.answers[0].body == b"", outcome


def test_the_page_names_the_routes_that_read_their_body(app, customer):
    """Each of these routes rejects a body that is not JSON, with any Content-Type. The other routes ignore the body."""
    source = (ROOT / "Sources/TillServer/API/RouteName.swift").read_text()
    routes = {name: route for route, name in re.findall(r'"((?:POST|PUT) [^"]+)": "(\w+)"', source)}
    coins, subscribed = app.sandbox.buy(customer, COINS), app.sandbox.buy(customer, BASIC)
    reading = set()
    for name, route in routes.items():
        method, path = route.split(" ")
        id_ = subscribed.id if "subscriptions" in path else coins.id
        answer = app.sandbox.send(
            method, path.replace("{id}", id_), headers={"Content-Type": "text/plain"}, data="no JSON"
        )
        if answer.status_code == 400:
            assert answer.content == b"" and "not JSON" in app.sandbox.explain(answer)["explanation"], name
            reading.add(name)
    page = (ROOT / "docs/api/transport.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith("| `Content-Type` | anything")]
    assert set(re.findall(r"`(\w+)`", row)) == reading and len(reading) == 6


def test_a_get_may_have_a_content_length_of_zero(app, known):
    raw = request_bytes("GET", f"/inApps/v2/history/{known}", {"Content-Length": "0"}, token=app.token())
    assert converse(port(app.sandbox), raw, 20).status == 200


def test_no_user_agent_and_no_accept_are_needed(app, known):
    raw = request_bytes("GET", f"/inApps/v2/history/{known}", token=app.token())
    assert b"User-Agent" not in raw
    outcome = converse(port(app.sandbox), raw, 20)
    assert outcome.status == 200


def test_the_status_line_has_its_reason_phrase(app, known):
    with socket.create_connection(("127.0.0.1", port(app.sandbox)), timeout=20) as connection:
        connection.sendall(request_bytes("GET", f"/inApps/v2/history/{known}", token=app.token()))
        assert connection.recv(20).startswith(b"HTTP/1.1 200 OK\r\n")


def test_several_requests_use_one_connection(app, known):
    one = request_bytes("GET", f"/inApps/v1/transactions/{known}", token=app.token())
    outcome = converse(port(app.sandbox), one * 5, 20, wanted=5)
    assert outcome.statuses == [200] * 5 and not outcome.closed


@pytest.mark.parametrize("revoked", ["True", "true", "TRUE", "False", "false", "FALSE"])
def test_booleans_are_read_in_any_case(sandbox, customer, revoked):
    kept, refunded = sandbox.buy(customer, COINS).id, sandbox.buy(customer, COINS).id
    sandbox.refund(refunded)
    wanted = [refunded] if revoked.lower() == "true" else [kept]
    assert history(sandbox, kept, f"?revoked={revoked}") == wanted
    if revoked.lower() == "true":
        assert history(sandbox, kept, f"?excludeRevoked={revoked}") == [kept]
    else:
        assert history(sandbox, kept, f"?excludeRevoked={revoked}") == [kept, refunded]


def test_repeated_parameters_are_a_list_and_a_comma_is_not(sandbox, customer):
    coins, season, solo = (sandbox.buy(customer, product).id for product in (COINS, SEASON, SOLO))
    assert history(sandbox, coins, f"?productId={COINS}&productId={SOLO}") == [coins, solo]
    assert history(sandbox, coins, f"?productId={SOLO}&sort=ASCENDING&productId={COINS}") == [coins, solo]
    assert history(sandbox, coins, f"?productId={COINS}&productId={COINS}") == [coins]
    assert history(sandbox, coins, f"?productId={COINS},{SOLO}") == []
    assert history(sandbox, coins, "?productType=CONSUMABLE&productType=NON_RENEWABLE") == [coins, season]


def test_unknown_query_parameters_are_ignored(sandbox, known):
    for query in ("?limit=1", "?foo", "?foo=bar&foo=baz&=", "?&&&", "?SORT=DESCENDING", "?productid=none",
                  "?%C3%A4=%F0%9F%8D%8E"):
        assert history(sandbox, known, query) == history(sandbox, known)


def test_unknown_keys_of_a_body_are_ignored(sandbox, customer):
    bought = sandbox.buy(customer, COINS)
    token = str(uuid.uuid4())
    answer = sandbox.send("PUT", f"/inApps/v1/transactions/{bought.id}/appAccountToken",
                          json={"later": {"than": [1, 22]}, "appAccountToken": token, "nothing": None})
    assert (answer.status_code, answer.content) == (200, b"")
    info = sandbox.transaction(sandbox.client.get_transaction_info(bought.id).signedTransactionInfo)
    assert info["appAccountToken"] == token


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8",
                                          "application/json;charset=UTF-8", "Application/JSON"])
def test_uuids_are_case_insensitive(sandbox, customer, content_type):
    """Swift writes UUIDs in upper case. Java adds a charset to the Content-Type."""
    bought = sandbox.buy(customer, COINS)
    token = str(uuid.uuid4())
    answer = sandbox.send(
        "PUT", f"/inApps/v1/transactions/{bought.id}/appAccountToken", headers={"Content-Type": content_type},
        data=f'{{"appAccountToken":"{token.upper()}"}}',
    )
    assert (answer.status_code, answer.content) == (200, b"")
    info = sandbox.transaction(sandbox.client.get_transaction_info(bought.id).signedTransactionInfo)
    assert info["appAccountToken"] == token


@pytest.mark.parametrize("path", WRONG_CASE + NO_ROUTE)
def test_an_unknown_path_is_404_without_a_body(app, known, path):
    """Paths are case-sensitive. The request needs no token. The control API is not on this port."""
    for token in (..., None):
        answer = app.sandbox.send("GET", path.format(known), token=token)
        assert (answer.status_code, answer.content) == (404, b""), answer.text
    entry = app.sandbox.explain(answer)
    assert "errorCode" not in entry
    if path in WRONG_CASE:
        assert "case" in entry["explanation"]


@pytest.mark.parametrize("method, path, right", [
    ("POST", "/inApps/v2/history/{}", "GET"), ("DELETE", "/inApps/v1/transactions/{}", "GET"),
    ("GET", "/inApps/v1/transactions/{}/finish", "POST"), ("PUT", "/inApps/v1/transactions/{}/finish", "POST"),
    ("GET", "/inApps/v1/transactions/{}/appAccountToken", "PUT"), ("PATCH", "/inApps/v1/subscriptions/{}", "GET"),
    ("POST", "/inApps/v1/transactions/{}/appAccountToken", "PUT"), ("PUT", "/inApps/v1/lookup/{}", "GET"),
    ("POST", "/inApps/v2/refund/lookup/{}", "GET"), ("DELETE", "/inApps/v1/refund/lookup/{}", "GET"),
    ("POST", "/inApps/v1/transactions/appTransactions/{}", "GET"),
])
def test_a_wrong_method_is_405_without_a_body(app, known, method, path, right):
    answer = app.sandbox.send(method, path.format(known))
    assert (answer.status_code, answer.content) == (405, b""), answer.text
    entry = app.sandbox.explain(answer)
    assert right in entry["explanation"] and "errorCode" not in entry


def test_literal_path_segments_are_not_treated_as_ids(app, customer):
    """`appTransactions` is a sibling of `{transactionId}`."""
    bought = app.sandbox.buy(customer, COINS)
    answer = app.sandbox.send("GET", "/inApps/v1/transactions/appTransactions")
    # The segment is not an id, so the route or the id is unknown; the method exists.
    assert (answer.status_code, answer.content) == (404, b"") or answer.json()["errorCode"] == 4000006
    assert app.sandbox.client.get_app_transaction_info(bought.id).signedAppTransactionInfo


def test_the_environments_are_disjoint_and_the_documented_fallback_of_clients_works(app, customer):
    """Clients ask production first and, after 4040010, the sandbox. A second 4040010 means that neither has the id."""
    def fallback(id_):
        for environment in (app.production, app.sandbox):
            try:
                info = environment.client.get_transaction_info(id_)
                return environment.name, environment.transaction(info.signedTransactionInfo)
            except APIException as refused:
                assert refused.api_error is APIError.TRANSACTION_ID_NOT_FOUND
        return None, None

    for environment in (app.production, app.sandbox):
        bought = environment.buy(customer, COINS)
        name, found = fallback(bought.id)
        assert name == environment.name and found["transactionId"] == bought.id
    assert fallback("2000000999999999") == (None, None)


def test_the_same_customer_has_another_account_in_the_other_environment(app, customer):
    here, there = app.sandbox.buy(customer, COINS), app.production.buy(customer, SOLO)
    assert here.app_transaction_id != there.app_transaction_id
    assert ids(app.sandbox.whole_history(here.id)[0]) == [here.id]
    assert ids(app.production.whole_history(there.id)[0]) == [there.id]


def test_json_answers_have_exactly_the_content_type_that_clients_compare_with(sandbox, known):
    for id_, status in ((known, 200), ("x", 400), ("12", 404)):
        answer = sandbox.send("GET", f"/inApps/v2/history/{id_}")
        assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")


def test_every_answer_has_a_unique_request_id(sandbox, known):
    seen = {sandbox.send("GET", f"/inApps/v1/transactions/{known}").headers["X-Request-ID"] for _ in range(20)}
    assert len(seen) == 20


def test_a_page_is_smaller_than_the_mebibyte_that_swift_reads(sandbox, customer):
    bought = sandbox.buy_many(customer, COINS, 25, appAccountToken=str(uuid.uuid4()))
    answer = sandbox.send("GET", f"/inApps/v2/history/{bought[0]}")
    assert len(answer.json()["signedTransactions"]) == 20 and len(answer.content) < 1 << 20


# The host of a request ------------------------------------------------------------------------------------------------


def raw(target, *hosts, version="1.1", method="GET"):
    lines = [f"{method} {target} HTTP/{version}", *(f"Host: {host}" for host in hosts), "Content-Length: 0", "", ""]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("face", ["control", "sandbox", "production"])
def test_a_request_for_two_hosts_or_none_is_400_on_every_port(server, face):
    place = server.ports[face]
    here = f"127.0.0.1:{place}"
    path = "/v1/apps" if face == "control" else "/inApps/v1/transactions/1"
    answered = 200 if face == "control" else 401
    for request, status in (
        (raw(path, here), answered), (raw(f"http://{here}{path}", here), answered),
        (raw(path, f"{here}@evil.com"), 400), (raw(path, "evil.com", here), 400), (raw(path, here, "evil.com"), 400),
        (raw(path, here, here), 400), (raw(path), 400), (raw(f"http://evil.com{path}", here), 400),
        (raw(f"http://{here}@evil.com{path}", here), 400), (raw(f"http://127.0.0.1:1{path}", here), 400),
        (raw(f"http://evil.com{path}", "evil.com"), 403 if face == "control" else answered),
        (raw(f"ftp://{here}{path}", here), 400),
    ):
        outcome = converse(place, request, 20)
        assert outcome.status == status, (request, outcome)
        if status == 400:
            answer = outcome.answers[0]
            words = answer.json()["message"] if face == "control" else answer.body.decode()
            assert any(word in words for word in ("Host field", "authority", "target")), request
            assert face != "control" or answer.json()["code"] == "bad_host"


def test_a_rejected_request_does_not_change_the_order_of_earlier_answers(server):
    place = server.ports["control"]
    here = f"127.0.0.1:{place}"
    outcome = converse(place, raw("/healthz", here) + raw("/v1/apps", here, here) + raw("/healthz", here), 20, wanted=3)
    assert outcome.statuses == [200, 400] and outcome.closed
    assert outcome.answers[1].headers["connection"] == "close"


def test_an_http_1_0_probe_without_a_host_is_answered(server):
    assert converse(server.ports["control"], raw("/readyz", version="1.0"), 20).status == 200


def test_a_page_of_the_console_needs_a_host_too(server):
    place = server.ports["control"]
    for host, status in ((f"127.0.0.1:{place}", 200), (f"127.0.0.1:{place}@evil.com", 400), ("evil.com", 403)):
        assert converse(place, raw("/console/", host), 20).status == status
