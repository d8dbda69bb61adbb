"""Bytes of HTTP requests as real clients send them, which the server must accept, and the host of a request."""

import socket

import pytest

from catalog_of_everything import COINS
from process_helpers import converse, request_bytes


@pytest.fixture(scope="module")
def known(app):
    return app.sandbox.buy("transport", COINS).id


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


@pytest.mark.parametrize("headers", [{}, {"Content-Length": "0"}])
def test_a_get_needs_no_user_agent_and_no_accept_and_may_have_a_content_length_of_zero(app, known, headers):
    raw = request_bytes("GET", f"/inApps/v2/history/{known}", headers, token=app.token())
    assert b"User-Agent" not in raw and b"Accept" not in raw
    assert converse(port(app.sandbox), raw, 20).status == 200


def test_the_status_line_has_its_reason_phrase(app, known):
    with socket.create_connection(("127.0.0.1", port(app.sandbox)), timeout=20) as connection:
        connection.sendall(request_bytes("GET", f"/inApps/v2/history/{known}", token=app.token()))
        assert connection.recv(20).startswith(b"HTTP/1.1 200 OK\r\n")


def test_several_requests_use_one_connection(app, known):
    one = request_bytes("GET", f"/inApps/v1/transactions/{known}", token=app.token())
    outcome = converse(port(app.sandbox), one * 5, 20, wanted=5)
    assert outcome.statuses == [200] * 5 and not outcome.closed


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
