"""The Python library for tests, without pytest's plugin: apps, customers, clocks, endpoints, snapshots and errors."""

import datetime
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from process_helpers import ROOT, port_of, till_binary, wait_until
from suite_runs import LIBRARY, is_open, is_running, server_process

import generate
from till_testing import ControlError, Till, TillError

CATALOG = ROOT / "docs/testing/examples/Shop.storekit"
OFFERS = ROOT / "Tests/Fixtures/storekit/v5.0.storekit"
MONTH = "com.example.loom.workshop.month"


@pytest.fixture(scope="module")
def till():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILL_BIN", till_binary())
        patch.delenv("TILL_CONTROL", raising=False)
        till = Till.open()
    with till:
        data = till.control.get_status().dataDirectory
        yield till
    assert not is_running(server_process(data)) and not is_open(till.connection.address)


@pytest.fixture
def app(till):
    with till.app(CATALOG) as app:
        yield app


@pytest.fixture
def endpoint(app):
    with app.endpoint() as endpoint:
        yield endpoint


def test_the_generated_code_is_up_to_date(till):
    with urllib.request.urlopen(f"{till.connection.address}/openapi.json") as answer:
        files = generate.generate(json.load(answer))
    for name, text in files.items():
        is_current = (LIBRARY / "till_testing" / name).read_text() == text
        assert is_current, f"{name}: TILL_BIN=.build/debug/till python3 TestLibraries/python/generate.py"


def test_only_the_standard_library_is_needed_to_import():
    script = f"import sys; sys.path.insert(0, {str(LIBRARY)!r}); import till_testing"
    subprocess.run([sys.executable, "-I", "-S", "-B", "-c", script], check=True)


def test_a_failed_expectation_tells_what_arrived(app, endpoint):
    app.customer("ann").buy("pro.month")
    endpoint.expect("SUBSCRIBED", "INITIAL_BUY")
    app.customer("bob").buy("pro.month")
    with pytest.raises(AssertionError) as failure:
        endpoint.expect("SUBSCRIBED", "RESUBSCRIBE", timeout=0.1)
    lines = str(failure.value).splitlines()
    now = app.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert lines[:2] == ["SUBSCRIBED/RESUBSCRIBE did not arrive within 0.1 s.", "Arrived:"]
    assert lines[2] == f"  SUBSCRIBED/INITIAL_BUY of {now} (returned by an earlier expect)"
    assert lines[3:5] == [f"  SUBSCRIBED/INITIAL_BUY of {now}", f"The clock shows {now}."]
    assert lines[5].startswith("Next events: RENEWAL of ann at ") and "RENEWAL of bob at " in lines[5]
    assert [item.transaction.productId for item in endpoint.unexpected] == ["pro.month"]
    with pytest.raises(AssertionError, match="Nothing else was expected.\nArrived:\n  SUBSCRIBED/INITIAL_BUY of "):
        endpoint.expect_nothing_else()
    # The failed call has not taken a notification away.
    assert endpoint.expect("SUBSCRIBED").subtype == "INITIAL_BUY"
    endpoint.expect_nothing_else()


def test_an_expectation_without_any_notification(endpoint):
    with pytest.raises(AssertionError, match="TEST did not arrive within 0 s.\nNo notification arrived."):
        endpoint.expect("TEST", timeout=0)


def test_an_endpoint_that_fails(app, endpoint):
    endpoint.fail(503, times=2)
    app.customer("ann").buy("pro.month")
    with pytest.raises(AssertionError) as failure:
        endpoint.expect("SUBSCRIBED", timeout=0)
    assert "  answered with 503, as endpoint.fail demands: SUBSCRIBED/INITIAL_BUY\n" in str(failure.value)
    assert "Next attempt of a delivery: " in str(failure.value)
    app.clock.advance("1h")
    assert endpoint.received == []
    app.clock.advance("12h")
    bought = endpoint.expect("SUBSCRIBED")
    assert bought.transaction.productId == "pro.month" and endpoint.attempts(bought) == 3
    # A notification that is delivered again counts once, and uses up no failure.
    endpoint.fail()
    resent = app.control.resend_notifications(notificationUUID=bought.payload.notificationUUID)
    assert resent.settled.delivered == 1 and endpoint.attempts(bought) == 4
    app.customer("ann").buy("coins.10")
    assert endpoint.received == [bought]


def test_notifications_to_a_server_of_your_own(app, endpoint):
    with app.till.app(CATALOG) as other, other.endpoint() as receiver:
        app.send_notifications_to(receiver.url)
        app.customer("ann").buy("pro.month")
        endpoint.expect("SUBSCRIBED")
        # The receiver of another app refuses the bundle id, so it has got the notification.
        with pytest.raises(AssertionError, match="not valid .*SUBSCRIBED/INITIAL_BUY"):
            receiver.expect("SUBSCRIBED", timeout=0)


def test_forged_notifications_are_not_collected(app, endpoint):
    app.customer("ann").buy("pro.month")
    endpoint.expect("SUBSCRIBED")
    attacks = [case for case in app.control.list_attacks() if case.mustBeRefused and case.signedPayload]
    assert len(attacks) > 10
    for attack in attacks:
        body = json.dumps({"signedPayload": attack.signedPayload}).encode()
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(urllib.request.Request(endpoint.url, body))
        assert refusal.value.code == 400, attack.case
    assert len(endpoint.received) == 1
    with pytest.raises(AssertionError, match="Not accepted:\n  not valid .*VerificationException"):
        endpoint.expect("DID_RENEW", timeout=0)


def test_an_app_is_deleted_with_all_that_belongs_to_it(till):
    with till.app(CATALOG) as app, app.endpoint() as endpoint, app.snapshot():
        app.customer("ann").buy("pro.month")
        assert [item.bundleId for item in till.control.list_apps()] == [app.bundle_id]
        assert len(till.control.list_snapshots()) == 1
    assert (till.apps, till.control.list_apps(), till.control.list_snapshots()) == ([], [], [])
    assert app.private_key.startswith("-----BEGIN PRIVATE KEY-----")
    assert till.control.list_keys() == []
    assert not is_open(f"http://127.0.0.1:{port_of(endpoint.url.rpartition('/')[0])}")
    app.delete()


def test_a_snapshot_restores_its_app_also_after_a_failure(till, app):
    ann = app.customer("ann")
    before = app.clock.milliseconds
    with till.app(CATALOG) as other:
        with pytest.raises(ZeroDivisionError), app.snapshot():
            ann.buy("pro.month")
            app.clock.advance("1mo")
            other.customer("bob").buy("pro.month")
            _ = 1 / 0
        assert (ann.transactions, app.clock.milliseconds) == ([], before)
        assert len(other.customer("bob").transactions) == 1
        with till.snapshot():
            ann.buy("pro.month")
            other.customer("bob").cancel()
        assert ann.transactions == [] and other.customer("bob").subscription.autoRenewStatus == 1


def test_the_life_of_a_subscription(app, endpoint):
    ann = app.customer("ann")
    purchase = ann.buy("pro.month", offer="NONE")
    assert purchase.result == "subscribed" and ann.transactions[0].price == 4990
    decoded = app.verifier().verify_and_decode_signed_transaction(purchase.signedTransaction)
    assert (decoded.transactionId, decoded.originalTransactionId) == (purchase.transactionId,) * 2
    endpoint.expect("SUBSCRIBED")
    assert ann.cancel().transaction.subscription.autoRenewStatus == 0
    endpoint.expect("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
    ann.resume(purchase)
    endpoint.expect("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED")
    ann.decline_card()
    assert [(item.type, item.count) for item in app.clock.advance("1mo").notifications] == [("DID_FAIL_TO_RENEW", 1)]
    endpoint.expect("DID_FAIL_TO_RENEW")
    assert ann.subscription.status == 3
    ann.accept_card()
    assert endpoint.expect("DID_RENEW", "BILLING_RECOVERY").renewal.autoRenewProductId == "pro.month"
    ann.request_refund()
    endpoint.expect("CONSUMPTION_REQUEST")
    # A request for a refund turns auto-renew off.
    endpoint.expect("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
    ann.decline_refund()
    endpoint.expect("REFUND_DECLINED")
    ann.refund()
    endpoint.expect("REFUND")
    assert ann.subscription.status == 5
    ann.reverse_refund()
    endpoint.expect("REFUND_REVERSED")
    app.clock.advance_to_next_event()
    endpoint.expect("EXPIRED", "VOLUNTARY")
    endpoint.expect_nothing_else()


def test_ask_to_buy(app):
    ann = app.customer("ann", storefront="DEU")
    ann.ask_to_buy()
    purchase = ann.buy("coins.10", quantity=2)
    assert purchase.result == "held" and [item.number for item in ann.held_purchases] == [purchase.held]
    with pytest.raises(TillError, match=r"customer.approve\(1\)"):
        _ = purchase.transactionId
    assert ann.approve(purchase.held).transactionId == ann.transactions[0].transactionId
    assert (ann.transactions[0].quantity, ann.transactions[0].storefront) == (2, "DEU")
    ann.decline(ann.buy("coins.10").held)
    assert len(ann.transactions) == 1 and len(ann.receipt) > 1_000


def test_offers(till):
    with till.app(json.loads(OFFERS.read_text())) as app:
        ann = app.customer("ann")
        ann.buy(MONTH, offer="NONE")
        ann.cancel()
        app.clock.advance("1y")
        ann.buy(MONTH, code="WEFT")
        assert ann.transactions[0].offerIdentifier == "WEFT"
        ann.cancel()
        app.clock.advance("1y")
        ann.buy(MONTH, win_back="rethread")
        assert ann.transactions[0].offerIdentifier == "rethread"
        assert ann.buy(MONTH, promotional="warp").result == "offerScheduled"
        with pytest.raises(TillError, match="at most one offer"):
            ann.buy(MONTH, code="WEFT", win_back="rethread")


def test_a_clock_that_begins_in_the_past(till):
    with till.app(CATALOG, start="2025-01-31T12:00:00Z") as app, app.endpoint() as endpoint:
        ann = app.customer("ann")
        ann.buy("pro.month", offer="NONE")
        app.clock.advance_to("2025-02-28T12:00:00+00:00")
        renewal = endpoint.expect("DID_RENEW").transaction
        assert renewal.purchaseDate == app.clock.milliseconds == 1_740_744_000_000


def test_refusals_have_a_code(app):
    ann = app.customer("ann")
    with pytest.raises(ControlError) as refusal:
        ann.buy("pro.year")
    assert (refusal.value.status, refusal.value.code) == (404, "unknown_product")
    with pytest.raises(TillError, match="ann has not exactly one subscription: none"):
        ann.cancel()
    with pytest.raises(TillError, match="ann has no transaction"):
        ann.refund()


def test_a_catalog_that_is_missing_or_wrong(till, tmp_path):
    with pytest.raises(TillError, match=r"There is no catalog .*Missing\.storekit"):
        till.app(tmp_path / "Missing.storekit")
    (tmp_path / "Wrong.storekit").write_text("{")
    with pytest.raises(TillError, match="is not JSON"):
        till.app(tmp_path / "Wrong.storekit")
    with pytest.raises(TillError, match='no environment "Sandbox"'):
        till.app(CATALOG, environment="Sandbox")
    with pytest.raises(ControlError, match="catalog"):
        till.app({"products": [{"productID": 1}]})
    assert till.control.list_apps() == []


def test_the_program_is_missing(monkeypatch, tmp_path):
    monkeypatch.delenv("TILL_CONTROL", raising=False)
    monkeypatch.setenv("TILL_BIN", str(tmp_path / "till"))
    with pytest.raises(TillError, match="TILL_BIN is .* which is not a program"):
        Till.open()
    monkeypatch.delenv("TILL_BIN")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TillError, match="set TILL_BIN to its path, or set TILL_CONTROL"):
        Till.open()
    (tmp_path / "till").write_text("#!/bin/sh\necho no space left >&2\nexit 7\n")
    (tmp_path / "till").chmod(0o755)
    with pytest.raises(TillError, match="serve ended at once:\nno space left"):
        Till.open()


def test_a_running_server_that_refuses_or_is_missing(monkeypatch, till):
    monkeypatch.setenv("TILL_CONTROL", till.connection.address)
    monkeypatch.setenv("TILL_CONTROL_TOKEN", "wrong")
    with pytest.raises(ControlError, match="401 unauthorized"):
        Till.open()
    made = till.connection.send("POST", "/v1/tokens", {"name": "tests", "scope": "administer"})
    monkeypatch.setenv("TILL_CONTROL_TOKEN", made["token"])
    with Till.open() as running, running.app(CATALOG) as app:
        assert app.customer("ann").buy("coins.10").result == "purchased"
    monkeypatch.setenv("TILL_CONTROL", till.sandbox)
    with pytest.raises(ControlError, match="no_control_api"):
        Till.open()
    monkeypatch.setenv("TILL_CONTROL", "http://127.0.0.1:9")
    with pytest.raises(TillError, match="No answer from the control API at http://127.0.0.1:9.* TILL_CONTROL names"):
        Till.open()
    monkeypatch.setenv("TILL_CONTROL", "127.0.0.1:9")
    with pytest.raises(TillError, match="TILL_CONTROL is '127.0.0.1:9', which is not a URL"):
        Till.open()


def test_a_program_that_cannot_be_executed(monkeypatch, tmp_path):
    monkeypatch.delenv("TILL_CONTROL", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "till").write_text("")
    (tmp_path / "till").chmod(0o755)
    monkeypatch.setenv("TILL_BIN", str(tmp_path / "till"))
    with pytest.raises(TillError, match="serve ended at once:\n.*Exec format error"):
        Till.open()
    assert list((tmp_path / "tmp").iterdir()) == []
    monkeypatch.setenv("TILL_BIN", str(tmp_path))
    with pytest.raises(TillError, match="which is not a program"):
        Till.open()


def test_a_forked_child_that_lives_on_does_not_keep_the_server(monkeypatch):
    monkeypatch.delenv("TILL_CONTROL", raising=False)
    monkeypatch.setenv("TILL_BIN", till_binary())
    script = (
        f"import os, sys, time; sys.path.insert(0, {str(LIBRARY)!r})\n"
        "from till_testing import Till\n"
        "till = Till.open()\n"
        "child = os.fork() or (time.sleep(300) or os._exit(0))\n"
        "print(till.control.get_status().dataDirectory, child, flush=True)\n"
        "sys.argv[1] == 'close' and till.close()\n"
    )
    for end in ("close", "exit"):
        with subprocess.Popen([sys.executable, "-B", "-c", script, end], stdout=subprocess.PIPE, text=True) as owner:
            data, child = owner.stdout.readline().rsplit(" ", 1)
            try:
                wait_until(lambda: not is_running(server_process(data)))
                assert owner.wait(120) == 0
            finally:
                os.kill(int(child), signal.SIGKILL)


def test_apples_library_is_missing(monkeypatch, app):
    monkeypatch.setitem(sys.modules, "appstoreserverlibrary.signed_data_verifier", None)
    with pytest.raises(TillError, match="app.verifier.* needs Apple's library: pip install app-store-server-library"):
        app.endpoint()
    assert app.control.list_endpoints() == []


def test_a_server_of_the_test_is_the_primary_endpoint(app):
    def names():
        return {item.name: item.url for item in app.control.list_endpoints()}

    with app.endpoint() as first, app.endpoint() as second:
        assert names() == {"primary": first.url, "test": second.url}
        # Nothing listens on this port.
        app.send_notifications_to("http://127.0.0.1:9/apple")
        assert names() == {"primary": "http://127.0.0.1:9/apple", "test": second.url, "test-2": first.url}
        app.customer("ann").buy("coins.10")
        for endpoint in (first, second):
            endpoint.expect("ONE_TIME_CHARGE")
    with app.endpoint() as third:
        assert names() == {"primary": "http://127.0.0.1:9/apple", "test": third.url}


def test_a_fault_is_named_and_concerns_one_app(till, app, endpoint):
    rule = app.control.add_fault("drop", limit=1)
    assert (rule.bundleId, rule.environment) == (app.bundle_id, "sandbox")
    with till.app(CATALOG) as other, other.endpoint() as received:
        other.customer("ann").buy("coins.10")
        received.expect("ONE_TIME_CHARGE")
    app.customer("ann").buy("coins.10")
    with pytest.raises(AssertionError, match="A fault rule hit ONE_TIME_CHARGE: Fault f.*: drop"):
        endpoint.expect("ONE_TIME_CHARGE", timeout=0)
    with pytest.raises(AssertionError, match="no notification type SUBSCRIBE. Did you mean SUBSCRIBED"):
        endpoint.expect("SUBSCRIBE")
    app.control.remove_faults()
    assert till.control.list_faults() == []


def test_a_notification_that_is_held_back_stops_no_advance(app, endpoint):
    ann = app.customer("ann")
    ann.buy("pro.month", offer="NONE")
    endpoint.expect("SUBSCRIBED")
    app.control.add_fault("reorder", route="DID_RENEW", limit=1)
    begun = time.monotonic()
    app.clock.advance("3mo")
    # Without a next notification, it would be held back for a minute.
    assert time.monotonic() - begun < 50
    dates = [endpoint.expect("DID_RENEW").transaction.purchaseDate for _ in range(3)]
    assert sorted(dates) == [dates[1], dates[0], dates[2]]
    app.control.remove_faults()
    app.control.add_fault("reorder", limit=1, milliseconds=200)
    assert ann.cancel().settled.pending == 1
    endpoint.expect("DID_CHANGE_RENEWAL_STATUS")


def test_subtypes_parts_and_times(app, endpoint):
    assert app.clock.milliseconds % 1_000 == 0 and app.control.get_settings().rate == "calendar"
    ann = app.customer("ann")
    ann.buy("pro.month", offer="NONE")
    with pytest.raises(AssertionError):
        endpoint.expect("SUBSCRIBED", "", timeout=0)
    endpoint.expect("SUBSCRIBED/INITIAL_BUY")
    ann.refund(percentage=12.5)
    assert endpoint.expect("REFUND", "").transaction.revocationPercentage == 12_500
    for percentage in (0, 100):
        with pytest.raises(TillError, match=f"percentage is {percentage}"):
            ann.refund(percentage=percentage)
    before = app.clock.now
    app.clock.advance(datetime.timedelta(hours=2))
    assert app.clock.now - before == datetime.timedelta(hours=2)
    with pytest.raises(TillError, match="by is 5, which is not a duration"):
        app.clock.advance(5)
    with pytest.raises(TillError, match='start is .*2025-13-01.*, which is not a time'):
        app.till.app(CATALOG, start="2025-13-01")


def test_the_calls_that_the_page_lists_under_everything_else(till, app):
    """docs/testing/python.md"""
    assert app.control.update_settings(grace={"days": 16}).grace.days == 16
    assert app.control.raise_price("pro.month", 5_990).state == "done"
    rule = app.control.add_fault("rateLimit")
    assert [item.id for item in till.control.list_faults()] == [rule.id]
    till.control.remove_faults(faultId=rule.id)
