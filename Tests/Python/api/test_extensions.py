"""Extensions of renewal dates, for one subscription and for all subscribers of a product, with Apple's client."""

import itertools
import uuid
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.Status import Status

from catalog_of_everything import BASIC, BASIC_YEAR, CATALOG, COINS, PRO
from listening_post import ListeningPost
from notification_checks import control_of, freeze, history, listen, settled, until, words
from shop_helpers import DAY, App, now_ms

EXTEND = "/inApps/v1/subscriptions/extend/"
MASS = "/inApps/v1/subscriptions/extend/mass"
NO_OFFER = {"kind": "NONE"}
PACIFIC = ZoneInfo("America/Los_Angeles")

_numbers = itertools.count(1)


@pytest.fixture
def new_app(server, control, team):
    number = next(_numbers)
    return App(server, control, f"com.example.extended{number}", 2_100_000_000 + number, team, CATALOG)


@pytest.fixture(params=["sandbox", "production"])
def environment(new_app, request):
    return new_app.environment(request.param)


@pytest.fixture
def sandbox(new_app):
    return new_app.sandbox


@pytest.fixture
def post(environment):
    post = ListeningPost()
    listen(environment, post)
    yield post
    post.close()


def one(days=3, reason=ExtendReasonCode.CUSTOMER_SATISFACTION, request="request 1"):
    return ExtendRenewalDateRequest(extendByDays=days, extendReasonCode=reason, requestIdentifier=request)


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


# One subscription -----------------------------------------------------------------------------------------------------


def test_a_subscription_is_extended_and_its_developer_is_notified(environment, post):
    bought = environment.buy("ann", BASIC, offer=NO_OFFER)
    answer = environment.client.extend_subscription_renewal_date(bought.id, one(30))
    assert answer.success is True
    assert (answer.originalTransactionId, answer.webOrderLineItemId) == (
        bought.id, bought.payload["webOrderLineItemId"])
    assert answer.effectiveDate == later(bought.payload["expiresDate"], 30)
    transaction, renewal, status = latest(environment, bought)
    assert status is Status.ACTIVE
    assert transaction["transactionId"] == bought.id
    assert transaction["expiresDate"] == renewal["renewalDate"] == answer.effectiveDate
    notice = settled(environment, 2)[1].notice
    assert notice.words == "RENEWAL_EXTENDED"
    assert notice.transaction["expiresDate"] == notice.renewal["renewalDate"] == answer.effectiveDate
    assert notice["data"]["status"] == 1


def test_the_json_answer_has_exactly_the_documented_keys(sandbox):
    bought = sandbox.buy("ann", BASIC, offer=NO_OFFER)
    answer = sandbox.send("PUT", EXTEND + bought.id, json={
        "extendByDays": 1, "extendReasonCode": 0, "requestIdentifier": "x"})
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json"
    wire = answer.json()
    assert set(wire) == {"originalTransactionId", "webOrderLineItemId", "success", "effectiveDate"}
    assert wire["success"] is True and type(wire["effectiveDate"]) is int


@pytest.mark.parametrize("request_id", ["request 1", "Ünï ✓" * 16, "B1A1D2C3-0000-4000-8000-00000000000A"])
def test_a_repeated_request_gets_the_same_answer_and_extends_nothing(sandbox, request_id):
    bought = sandbox.buy("ann", BASIC, offer=NO_OFFER)
    first = sandbox.client.extend_subscription_renewal_date(bought.id, one(10, request=request_id))
    spelling = request_id.lower() if request_id.startswith("B1A1") else request_id
    for days in (10, 20):
        again = sandbox.client.extend_subscription_renewal_date(bought.id, one(days, request=spelling))
        assert again == first
    assert latest(sandbox, bought)[0]["expiresDate"] == first.effectiveDate
    second = sandbox.client.extend_subscription_renewal_date(bought.id, one(10, request=request_id + "!"))
    assert second.effectiveDate == later(first.effectiveDate, 10)


def refused(environment, code, id_, request=None):
    request = request or {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": str(uuid.uuid4())}
    return environment.refused(
        code, lambda client: client._make_request(EXTEND + id_, "PUT", {}, request, None), "PUT", EXTEND + id_,
        json=request,
    )


def test_a_customer_gets_two_extensions_within_a_year(environment):
    basic = environment.buy("ann", BASIC, offer=NO_OFFER)
    for number in range(2):
        environment.client.extend_subscription_renewal_date(basic.id, one(request=f"request {number}"))
    refused(environment, 4030005, basic.id)
    assert environment.client.extend_subscription_renewal_date(basic.id, one(request="request 0")).success


def test_an_inactive_or_never_paid_subscription_is_not_extended(sandbox):
    assert "trial" in refused(sandbox, 4030004, sandbox.buy("trial", BASIC).id)["explanation"]
    expired = expired_on_own_clock(sandbox, "expired")
    refused(sandbox, 4030004, expired)
    refunded = sandbox.buy("refunded", BASIC, offer=NO_OFFER)
    sandbox.refund(refunded.id)
    refused(sandbox, 4030004, refunded.id)
    refused(sandbox, 4030004, sandbox.buy("coins", COINS).id)


def test_a_family_member_gets_the_purchasers_extension_only(sandbox):
    sandbox.control("createFamily", {"organizer": "ann", "members": ["bob"]})
    bought = sandbox.buy("ann", BASIC, offer=NO_OFFER)
    member = sandbox.control("getCustomer", customer="bob")["appTransactionId"]
    (copy,) = sandbox.whole_history(member)[0]
    refused(sandbox, 4030007, copy["transactionId"])
    answer = sandbox.client.extend_subscription_renewal_date(bought.id, one())
    (copy,) = sandbox.whole_history(member)[0]
    assert copy["expiresDate"] == answer.effectiveDate


def test_only_the_original_transaction_can_be_extended(sandbox):
    first = sandbox.buy("ann", BASIC, offer=NO_OFFER)
    second = sandbox.buy("ann", PRO)
    refused(sandbox, 4040005, second.id)
    refused(sandbox, 4000008, first.app_transaction_id)
    answer = sandbox.client.extend_subscription_renewal_date(first.id, one())
    assert answer.webOrderLineItemId == second.payload["webOrderLineItemId"]


WRONG_TERMS = [
    (4000009, {"extendByDays": None}), (4000009, {"extendByDays": 0}), (4000009, {"extendByDays": 91}),
    (4000009, {"extendByDays": -1}), (4000009, {"extendByDays": "3"}), (4000009, {"extendByDays": 3.0}),
    (4000009, {"extendByDays": True}), (4000009, {"extendByDays": 2 ** 70}),
    (4000010, {"extendReasonCode": None}), (4000010, {"extendReasonCode": 4}), (4000010, {"extendReasonCode": -1}),
    (4000010, {"extendReasonCode": "1"}), (4000010, {"extendReasonCode": False}),
]
WRONG_IDENTIFIERS = [(4000011, {"requestIdentifier": value}) for value in (None, "", "x" * 129, 5, ["x"], True)]


def changed(terms, changes) -> dict:
    return {key: value for key, value in {**terms, **changes}.items() if value is not None}


@pytest.mark.parametrize("code, changes", WRONG_TERMS + WRONG_IDENTIFIERS)
def test_each_wrong_field_is_rejected_with_its_code(app, code, changes):
    terms = {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": "x"}
    refused(app.sandbox, code, "2000000999999999", changed(terms, changes))


def test_fields_are_validated_in_order_and_before_the_id_is_looked_up(app):
    sandbox = app.sandbox
    refused(sandbox, 4000008, "nonsense", {})
    terms = {}
    for code, key, value in (
        (4000009, "extendByDays", 90), (4000010, "extendReasonCode", 3), (4000011, "requestIdentifier", "x" * 128),
    ):
        refused(sandbox, code, "2000000999999999", dict(terms) or {"x": 1})
        terms[key] = value
    refused(sandbox, 4040005, "2000000999999999", terms)
    answer = sandbox.send("PUT", EXTEND + "2000000999999999", data="[")
    assert (answer.status_code, answer.content) == (400, b"")


# All subscribers ------------------------------------------------------------------------------------------------------


def many(product=BASIC, request=None, days=7, storefronts=None):
    return MassExtendRenewalDateRequest(
        extendByDays=days, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, productId=product,
        requestIdentifier=request or str(uuid.uuid4()), storefrontCountryCodes=storefronts,
    )


def finished(environment, request, product=BASIC):
    def status():
        answer = environment.client.get_status_of_subscription_renewal_date_extensions(request, product)
        assert answer.requestIdentifier == request
        if answer.complete:
            return answer
        assert answer.completeDate is answer.succeededCount is answer.failedCount is None
    return until(status)


def test_all_active_subscribers_of_a_product_are_extended(environment, post):
    paid = [environment.buy(f"paid-{number}", BASIC, offer=NO_OFFER) for number in range(3)]
    trial = environment.buy("trial", BASIC)
    expired_on_own_clock(environment, "expired")
    other = environment.buy("other", BASIC_YEAR)
    far = now_ms() + 200 * DAY
    told_before = words(settled(environment, 8, endDate=far))
    assert told_before[-1] == "EXPIRED/VOLUNTARY"
    request = str(uuid.uuid4())
    answer = environment.client.extend_renewal_date_for_all_active_subscribers(many(request=request))
    assert answer.requestIdentifier == request
    done = finished(environment, request)
    assert (done.succeededCount, done.failedCount) == (3, 1)
    assert abs(done.completeDate - now_ms()) < 60_000
    for bought in paid:
        assert latest(environment, bought)[0]["expiresDate"] == later(bought.payload["expiresDate"], 7)
    for bought in (trial, other):
        assert latest(environment, bought)[0]["expiresDate"] == bought.payload["expiresDate"]

    def summary():
        return history(environment, notificationType="RENEWAL_EXTENSION", notificationSubtype="SUMMARY")
    (item,) = until(summary)
    assert item.notice["summary"] == {
        "requestIdentifier": request, "environment": environment.wire_name, "appAppleId": environment.app.apple_id,
        "bundleId": environment.app.bundle_id, "productId": BASIC, "succeededCount": 3, "failedCount": 1,
    }
    items = settled(environment, 8 + 5, endDate=far)
    assert sorted(words(items)) == sorted(
        told_before + ["RENEWAL_EXTENDED"] * 3 + ["RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY"])
    (failure,) = [item.notice for item in items if item.notice.words == "RENEWAL_EXTENSION/FAILURE"]
    assert failure.transaction["originalTransactionId"] == trial.id


def test_a_mass_extension_runs_once_per_request_identifier(sandbox):
    bought = sandbox.buy("ann", BASIC, offer=NO_OFFER)
    request = str(uuid.uuid4())
    for spelling in (request, request, request.upper()):
        answer = sandbox.client.extend_renewal_date_for_all_active_subscribers(many(request=spelling))
        assert answer.requestIdentifier == spelling
        finished(sandbox, spelling)
    assert latest(sandbox, bought)[0]["expiresDate"] == later(bought.payload["expiresDate"], 7)


def test_a_mass_extension_may_be_limited_to_storefronts(sandbox):
    german = sandbox.buy("german", BASIC, offer=NO_OFFER, storefront="DEU")
    american = sandbox.buy("american", BASIC, offer=NO_OFFER)
    request = str(uuid.uuid4())
    sandbox.client.extend_renewal_date_for_all_active_subscribers(many(request=request, storefronts=["DEU", "FRA"]))
    assert finished(sandbox, request).succeededCount == 1
    assert latest(sandbox, german)[0]["expiresDate"] == later(german.payload["expiresDate"], 7)
    assert latest(sandbox, american)[0]["expiresDate"] == american.payload["expiresDate"]


def test_a_mass_extension_runs_while_the_clock_is_frozen(sandbox):
    bought = sandbox.buy("ann", BASIC, offer=NO_OFFER)
    freeze(sandbox)
    request = str(uuid.uuid4())
    sandbox.client.extend_renewal_date_for_all_active_subscribers(many(request=request))
    assert finished(sandbox, request).succeededCount == 1
    assert latest(sandbox, bought)[0]["expiresDate"] > bought.payload["expiresDate"]


def test_an_interrupted_mass_extension_finishes_after_the_next_start(serve):
    till = serve()
    app = App(till, control_of(till), "com.example.cut", 78, None, CATALOG)
    sandbox = app.sandbox
    for number in range(40):
        sandbox.buy_many(f"ann-{number}", BASIC, 1, offer=NO_OFFER)
    request = str(uuid.uuid4())
    sandbox.client.extend_renewal_date_for_all_active_subscribers(many(request=request))
    till.kill()
    app.server = serve(data=till.data)
    sandbox.client = app.client("sandbox")
    done = finished(sandbox, request)
    assert (done.succeededCount, done.failedCount) == (40, 0)


def test_the_json_answers_have_exactly_the_documented_keys(sandbox):
    request = str(uuid.uuid4())
    terms = {"extendByDays": 1, "extendReasonCode": 0, "requestIdentifier": request, "productId": BASIC}
    for path in (MASS, MASS + "/"):
        answer = sandbox.send("POST", path, json=terms)
        assert (answer.status_code, answer.json()) == (200, {"requestIdentifier": request})
    finished(sandbox, request)
    wire = sandbox.ask(f"{MASS}/{BASIC}/{request}", {
        "requestIdentifier", "complete", "completeDate", "succeededCount", "failedCount"})
    assert wire["complete"] is True and (wire["succeededCount"], wire["failedCount"]) == (0, 0)


@pytest.mark.parametrize("code, changes", [
    *((4000011, {"requestIdentifier": value}) for value in (None, "", "request 1", "x" * 129, 5)),
    *WRONG_TERMS,
    *((4000023, {"productId": value}) for value in (None, "", "unknown", COINS, 5, "x" * 300)),
    (4000027, {"storefrontCountryCodes": []}),
    *((4000028, {"storefrontCountryCodes": value}) for value in (["XXX"], ["usa"], ["USA", ""], [1], "USA", {})),
])
def test_each_wrong_field_of_a_mass_extension_is_rejected_with_its_code(app, code, changes):
    terms = {"requestIdentifier": str(uuid.uuid4()), "extendByDays": 3, "extendReasonCode": 1, "productId": BASIC}
    terms = changed(terms, changes)
    app.sandbox.refused(code, lambda client: client._make_request(MASS, "POST", {}, terms, None), "POST", MASS,
                        json=terms)


@pytest.mark.parametrize("product, request_id, code", [
    (BASIC, "{}", 4040009), ("unknown", "{}", 4040009), (BASIC, "nonsense", 4000011), (BASIC, "", 4000011),
    (BASIC, "{}x", 4000011), ("", "{}", 4000023), ("x" * 300, "{}", 4000023), ("x" * 300, "nonsense", 4000023),
    ("", "", 4000023),
])
def test_the_status_of_an_unknown_mass_extension_is_an_error(app, product, request_id, code):
    request_id = request_id.format(uuid.uuid4())
    app.sandbox.refused(
        code, lambda client: client.get_status_of_subscription_renewal_date_extensions(request_id, product),
        "GET", f"{MASS}/{product}/{request_id}",
    )


def test_the_status_belongs_to_one_app_environment_and_product(new_app, other_app):
    request = str(uuid.uuid4())
    new_app.sandbox.client.extend_renewal_date_for_all_active_subscribers(many(request=request))
    for environment, product in ((new_app.production, BASIC), (other_app.sandbox, BASIC), (new_app.sandbox, PRO)):
        environment.check_error(environment.send("GET", f"{MASS}/{product}/{request}"), 4040009)
