import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from appstoreserverlibrary.api_client import APIException
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.signed_data_verifier import VerificationException

pytestmark = pytest.mark.till(catalog="Shop.storekit")


# Payments that fail


def test_grace_period(app, endpoint, clock):
    app.control.update_settings(grace={"days": 16})
    ann = app.customer("ann")
    ann.buy("pro.month", offer="NONE")
    ann.decline_card()
    clock.advance("1mo")
    failed = endpoint.expect("DID_FAIL_TO_RENEW", "GRACE_PERIOD")
    assert failed.renewal.gracePeriodExpiresDate > clock.milliseconds  # she keeps access until then
    clock.advance("16d")
    endpoint.expect("GRACE_PERIOD_EXPIRED")


def test_billing_retry(app, endpoint, clock):
    ann = app.customer("ann")
    ann.buy("pro.month", offer="NONE")
    ann.decline_card()
    clock.advance("1mo")
    assert endpoint.expect("DID_FAIL_TO_RENEW").renewal.isInBillingRetryPeriod
    clock.advance("10d")
    ann.accept_card()
    assert endpoint.expect("DID_RENEW", "BILLING_RECOVERY").transaction.expiresDate > clock.milliseconds


def test_refund_of_a_part(app, endpoint):
    ann = app.customer("ann")
    ann.buy("coins.10")
    ann.refund(percentage=50)
    refund = endpoint.expect("REFUND").transaction
    assert refund.revocationPercentage == 50_000  # Apple counts in thousandths of a percent


# Faults. A rule that app.control adds concerns this app only.


def test_an_error_of_the_app_store(app):
    purchase = app.customer("ann").buy("coins.10")
    app.control.add_fault("error", code=5000001, limit=1)
    with pytest.raises(APIException) as error:
        app.api_client().get_transaction_info(purchase.transactionId)
    assert error.value.http_status_code == 500
    assert app.api_client().get_transaction_info(purchase.transactionId).signedTransactionInfo


def test_a_notification_that_arrives_twice(app, endpoint):
    app.control.add_fault("duplicate", limit=1)
    app.customer("ann").buy("coins.10")
    assert endpoint.attempts(endpoint.expect("ONE_TIME_CHARGE")) == 2


def test_notifications_out_of_order(app, endpoint):
    app.control.add_fault("reorder", route="SUBSCRIBED", limit=1)
    ann = app.customer("ann")
    ann.buy("pro.month")
    assert endpoint.received == []  # held back until the next notification of the subscription was delivered
    ann.cancel()
    assert [item.type for item in endpoint.received] == ["DID_CHANGE_RENEWAL_STATUS", "SUBSCRIBED"]


def test_a_lost_notification_is_sent_again(app, endpoint):
    app.control.add_fault("drop", route="ONE_TIME_CHARGE", limit=1)
    app.customer("ann").buy("coins.10")
    assert endpoint.received == []
    (lost,) = app.control.list_notifications().notifications
    app.control.resend_notifications(notificationUUID=lost.notificationUUID)
    endpoint.expect("ONE_TIME_CHARGE")


# Security


def test_forgeries_are_refused(app):
    verifier = app.verifier()
    app.customer("ann").buy("coins.10")
    for attack in app.control.list_attacks():
        if attack.mustBeRefused:
            with pytest.raises(VerificationException):
                data = verifier.verify_and_decode_notification(attack.signedPayload).data
                verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo)


def test_a_wrong_key(app):
    app.private_key = app.control.create_key().privateKey  # does not belong to app.key_id
    with pytest.raises(APIException) as error:
        app.api_client().request_test_notification()
    assert error.value.http_status_code == 401


# Your server


@pytest.fixture
def server():
    """A server under test. It is down at first."""

    class Server(BaseHTTPRequestHandler):
        is_down, received = True, []

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if not Server.is_down:
                Server.received.append(body)
            self.send_response(503 if Server.is_down else 200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Server) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        Server.url = f"http://127.0.0.1:{listening.server_port}/apple"
        yield Server
        listening.shutdown()


def test_a_server_that_was_down(app, endpoint, clock, server):
    app.send_notifications_to(server.url)
    app.customer("ann").buy("coins.10")
    endpoint.expect("ONE_TIME_CHARGE")  # the receiver of the test gets it, too
    assert server.received == []

    # Apple's notification history is about the deliveries to the server. It has to begin before the clock's time.
    query = NotificationHistoryRequest(
        startDate=clock.milliseconds - 3_600_000, endDate=clock.milliseconds, onlyFailures=True
    )
    (missed,) = app.api_client().get_notification_history(None, query).notificationHistory
    assert app.verifier().verify_and_decode_notification(missed.signedPayload).rawNotificationType == "ONE_TIME_CHARGE"

    # The App Store tries again after an hour.
    server.is_down = False
    clock.advance("1h")
    assert len(server.received) == 1


MONTH_AGO = datetime.now(timezone.utc) - timedelta(days=33)


@pytest.mark.till(start=MONTH_AGO)
def test_a_server_that_uses_the_time_of_its_machine(app, endpoint, clock):
    app.customer("ann").buy("pro.month", offer="NONE")
    clock.advance_to(datetime.now(timezone.utc))
    renewal = endpoint.expect("DID_RENEW").transaction
    assert renewal.expiresDate > datetime.now(timezone.utc).timestamp() * 1_000
