"""Extensions of renewal dates, for one subscription and for all subscribers of a product, with Apple's client.

Tests/TillServerTests/API checks which subscriptions can be extended, and every field.
"""

import uuid
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from catalog_of_everything import BASIC, BASIC_YEAR, CATALOG
from notification_checks import history, listen, settled, words
from process_helpers import wait_until
from shop_helpers import DAY, NO_OFFER, App, models, now_ms

PACIFIC = ZoneInfo("America/Los_Angeles")
pytestmark = pytest.mark.own_app


def later(date, days) -> int:
    """The same time of day in Pacific time, this number of days later."""
    instant = datetime.fromtimestamp(date / 1000, PACIFIC)
    return round((instant + timedelta(days=days)).timestamp() * 1000)


def latest(environment, bought):
    (last,) = environment.client.get_all_subscription_statuses(bought.id).data[0].lastTransactions
    transaction, renewal = last.signedTransactionInfo, last.signedRenewalInfo
    return environment.transaction(transaction), environment.renewal_info(renewal), last.status


def expired_on_own_clock(environment, customer) -> str:
    """The original transaction id of an expired subscription, whose customer is on a customer clock."""
    environment.control("createClock", {"name": customer})
    environment.create(customer)
    environment.control("updateCustomer", {"clock": customer}, customer=customer)
    (bought,) = environment.buy_many(customer, BASIC, 1, offer=NO_OFFER)
    environment.control("cancelSubscription", {}, originalTransactionId=bought)
    environment.control("advanceClock", {"clock": customer, "by": "P2M"}, query={"settle": 60})
    return bought


def test_a_subscription_is_extended_and_its_developer_is_notified(environment, post):
    listen(environment, post)
    bought = environment.buy("ann", BASIC, offer=NO_OFFER)
    wish = models.ExtendRenewalDateRequest(
        extendByDays=30, extendReasonCode=models.ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier="request 1")
    answer = environment.client.extend_subscription_renewal_date(bought.id, wish)
    assert answer.success is True
    assert (answer.originalTransactionId, answer.webOrderLineItemId) == (
        bought.id, bought.payload["webOrderLineItemId"])
    assert answer.effectiveDate == later(bought.payload["expiresDate"], 30)
    transaction, renewal, status = latest(environment, bought)
    assert status is models.Status.ACTIVE
    assert transaction["transactionId"] == bought.id
    assert transaction["expiresDate"] == renewal["renewalDate"] == answer.effectiveDate
    notice = settled(environment, 2)[1].notice
    assert notice.words == "RENEWAL_EXTENDED"
    assert notice.transaction["expiresDate"] == notice.renewal["renewalDate"] == answer.effectiveDate
    assert notice["data"]["status"] == 1


def extend_all(environment, request):
    """Extends all subscriptions to one product by a week."""
    answer = environment.client.extend_renewal_date_for_all_active_subscribers(models.MassExtendRenewalDateRequest(
        extendByDays=7, extendReasonCode=models.ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, productId=BASIC,
        requestIdentifier=request,
    ))
    assert answer.requestIdentifier == request


def finished(environment, request):
    def status():
        answer = environment.client.get_status_of_subscription_renewal_date_extensions(request, BASIC)
        assert answer.requestIdentifier == request
        if answer.complete:
            return answer
        assert answer.completeDate is answer.succeededCount is answer.failedCount is None
    return wait_until(status)


def test_all_active_subscribers_of_a_product_are_extended(environment, post):
    listen(environment, post)
    paid = [environment.buy(f"paid-{number}", BASIC, offer=NO_OFFER) for number in range(3)]
    trial = environment.buy("trial", BASIC)
    expired_on_own_clock(environment, "expired")
    other = environment.buy("other", BASIC_YEAR)
    far = now_ms() + 200 * DAY
    told_before = words(settled(environment, 8, endDate=far))
    assert told_before[-1] == "EXPIRED/VOLUNTARY"
    request = str(uuid.uuid4())
    extend_all(environment, request)
    done = finished(environment, request)
    assert (done.succeededCount, done.failedCount) == (3, 1)
    assert abs(done.completeDate - now_ms()) < 60_000
    for bought in paid:
        assert latest(environment, bought)[0]["expiresDate"] == later(bought.payload["expiresDate"], 7)
    for bought in (trial, other):
        assert latest(environment, bought)[0]["expiresDate"] == bought.payload["expiresDate"]

    def summary():
        return history(environment, notificationType="RENEWAL_EXTENSION", notificationSubtype="SUMMARY")
    (item,) = wait_until(summary)
    assert item.notice["summary"] == {
        "requestIdentifier": request, "environment": environment.wire_name, "appAppleId": environment.app.apple_id,
        "bundleId": environment.app.bundle_id, "productId": BASIC, "succeededCount": 3, "failedCount": 1,
    }
    items = settled(environment, 8 + 5, endDate=far)
    assert sorted(words(items)) == sorted(
        told_before + ["RENEWAL_EXTENDED"] * 3 + ["RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY"])
    (failure,) = [item.notice for item in items if item.notice.words == "RENEWAL_EXTENSION/FAILURE"]
    assert failure.transaction["originalTransactionId"] == trial.id


def test_an_interrupted_mass_extension_finishes_after_the_next_start(serve):
    till = serve()
    app = App(till, "com.example.cut", 78, None, CATALOG)
    sandbox = app.sandbox
    for number in range(40):
        sandbox.buy_many(f"ann-{number}", BASIC, 1, offer=NO_OFFER)
    request = str(uuid.uuid4())
    extend_all(sandbox, request)
    till.kill()
    app.server = serve(data=till.data)
    sandbox.client = app.client("sandbox")
    done = finished(sandbox, request)
    assert (done.succeededCount, done.failedCount) == (40, 0)
