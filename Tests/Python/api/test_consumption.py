"""The developer's answers to CONSUMPTION_REQUEST, sent with Apple's client."""

import itertools
import uuid
import warnings

import pytest
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.RefundPreferenceV1 import RefundPreferenceV1
from appstoreserverlibrary.models.UserStatus import UserStatus

from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, SEASON
from listening_post import ListeningPost
from notification_checks import advance, freeze, history, listen, settled, words
from shop_helpers import DAY, App

PATHS = {"v2": "/inApps/v2/transactions/consumption/", "v1": "/inApps/v1/transactions/consumption/"}
GOOD = {
    "v2": {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": False},
    "v1": {
        "customerConsented": True, "appAccountToken": "", "consumptionStatus": 0, "platform": 1,
        "sampleContentProvided": False, "deliveryStatus": 0, "accountTenure": 0, "playTime": 0,
        "lifetimeDollarsRefunded": 0, "lifetimeDollarsPurchased": 0, "userStatus": 0,
    },
}
NO_OFFER = {"kind": "NONE"}

_numbers = itertools.count(1)


@pytest.fixture
def new_app(server, control, team):
    number = next(_numbers)
    return App(server, control, f"com.example.consumed{number}", 2_200_000_000 + number, team, CATALOG)


@pytest.fixture(params=["sandbox", "production"])
def environment(new_app, request):
    return new_app.environment(request.param)


@pytest.fixture
def post(environment):
    post = ListeningPost()
    listen(environment, post)
    yield post
    post.close()


def v2(preference=None, percentage=None, delivery=DeliveryStatus.DELIVERED) -> ConsumptionRequest:
    return ConsumptionRequest(
        customerConsented=True, sampleContentProvided=True, deliveryStatus=delivery,
        consumptionPercentage=percentage, refundPreference=preference,
    )


def v1(preference=None, token="") -> ConsumptionRequestV1:
    return ConsumptionRequestV1(
        customerConsented=True, consumptionStatus=ConsumptionStatus.PARTIALLY_CONSUMED, platform=Platform.APPLE,
        sampleContentProvided=True, deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
        appAccountToken=token, accountTenure=AccountTenure.THIRTY_DAYS_TO_NINETY_DAYS,
        playTime=PlayTime.ONE_DAY_TO_FOUR_DAYS,
        lifetimeDollarsRefunded=LifetimeDollarsRefunded.ZERO_DOLLARS,
        lifetimeDollarsPurchased=LifetimeDollarsPurchased.ONE_CENT_TO_FORTY_NINE_DOLLARS_AND_NINETY_NINE_CENTS,
        userStatus=UserStatus.ACTIVE, refundPreference=preference,
    )


def send(environment, id_, request):
    """Sends the body with the method of Apple's client for its version."""
    if isinstance(request, ConsumptionRequest):
        environment.client.send_consumption_information(id_, request)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        environment.client.send_consumption_data(id_, request)


# Effects --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("product, request_, outcome", [
    (COINS, v2(RefundPreference.DECLINE), "REFUND_DECLINED"),
    (COINS, v2(RefundPreference.GRANT_FULL), 100_000),
    (COINS, v2(RefundPreference.GRANT_PRORATED, 40_000), 60_000),
    (COINS, v2(), 100_000),
    (BASIC, v2(RefundPreference.DECLINE), "REFUND_DECLINED"),
    (BASIC, v2(RefundPreference.GRANT_PRORATED), "part"),
    (COINS, v1(RefundPreferenceV1.PREFER_DECLINE), "REFUND_DECLINED"),
    (COINS, v1(RefundPreferenceV1.PREFER_GRANT), 100_000),
    (BASIC, v1(RefundPreferenceV1.NO_PREFERENCE, str(uuid.uuid4())), 100_000),
    (BASIC, v1(), 100_000),
])
def test_the_developers_preference_is_applied_after_twelve_hours(environment, post, product, request_, outcome):
    start = freeze(environment)
    bought = environment.buy("ann", product, offer=NO_OFFER)
    environment.control("requestRefund", {"reason": "LEGAL"}, transactionId=bought.id)
    advance(environment, "1h")
    end = start + DAY
    asked = history(environment, endDate=end, notificationType="CONSUMPTION_REQUEST")
    assert [item.notice["data"]["consumptionRequestReason"] for item in asked] == ["LEGAL"]
    assert asked[0].notice.transaction["transactionId"] == bought.id
    send(environment, bought.id, request_)
    advance(environment, "12h")
    if outcome == "REFUND_DECLINED":
        assert words(history(environment, endDate=end, notificationType="REFUND_DECLINED")) == ["REFUND_DECLINED"]
        assert history(environment, endDate=end, notificationType="REFUND") == []
        return
    (item,) = history(environment, endDate=end, notificationType="REFUND")
    percentage = item.notice.transaction["revocationPercentage"]
    if outcome == "part":
        assert 90_000 < percentage < 100_000, "half a day of a month is used"
    else:
        assert percentage == outcome
    if product == BASIC:
        assert item.notice.renewal["autoRenewStatus"] == 0


def test_a_late_or_unrequested_answer_is_accepted_and_ignored(environment, post):
    freeze(environment)
    bought = environment.buy("ann", COINS)
    send(environment, bought.id, v2(RefundPreference.GRANT_FULL))
    environment.control("requestRefund", {"reason": "OTHER"}, transactionId=bought.id)
    advance(environment, "13h")
    before = len(settled(environment, 3, endDate=None or freeze(environment) + DAY))
    send(environment, bought.id, v2(RefundPreference.DECLINE))
    advance(environment, "13h")
    assert len(history(environment, endDate=freeze(environment) + DAY)) == before


def test_the_last_answer_within_the_twelve_hours_counts(environment, post):
    start = freeze(environment)
    bought = environment.buy("ann", COINS)
    environment.control("requestRefund", {"reason": "OTHER"}, transactionId=bought.id)
    send(environment, bought.id, v2(RefundPreference.GRANT_FULL))
    send(environment, bought.id, v1(RefundPreferenceV1.PREFER_DECLINE))
    advance(environment, "12h")
    assert words(history(environment, endDate=start + DAY, notificationType="REFUND_DECLINED")) == ["REFUND_DECLINED"]


@pytest.mark.parametrize("version", PATHS)
def test_the_answer_is_202_with_an_empty_body(app, customer, version):
    bought = app.sandbox.buy(customer, COINS)
    answer = app.sandbox.send("PUT", PATHS[version] + bought.id, json=GOOD[version])
    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize("version", PATHS)
def test_unknown_keys_are_ignored_and_null_counts_as_absent(app, customer, version):
    bought = app.sandbox.buy(customer, COINS)
    more = {**GOOD[version], "refundPreference": None, "more": {"a": [1]}}
    assert app.sandbox.send("PUT", PATHS[version] + bought.id, json=more).status_code == 202


# Errors ---------------------------------------------------------------------------------------------------------------


def codes(limit):
    """The invalid values of a key whose valid codes are 0 to a limit."""
    return (None, -1, limit + 1, "0", 1.5, True, [])


WRONG_V2 = [
    *((4000035, {"customerConsented": value}) for value in (None, False, "true", 1)),
    *((4000036, {"deliveryStatus": value}) for value in (None, "", "delivered", "SOMETHING", 0)),
    *((4000041, {"sampleContentProvided": value}) for value in (None, "false", 0)),
    *((4000207, {"consumptionPercentage": value}) for value in (-1, 100_001, "5", 0.5, True)),
    (4000208, {"consumptionPercentage": 1, "deliveryStatus": "UNDELIVERED_OTHER"}),
    *((4000044, {"refundPreference": value}) for value in ("", "GRANT", "grant_full", 1)),
]
WRONG_V1 = [
    *((4000035, {"customerConsented": value}) for value in (None, False, "true", 1)),
    *((4000033, {"appAccountToken": value}) for value in (None, "x", 5, uuid.uuid4().hex)),
    *((4000034, {"consumptionStatus": value}) for value in codes(3)),
    *((4000039, {"platform": value}) for value in codes(2)),
    *((4000041, {"sampleContentProvided": value}) for value in (None, "false", 0)),
    *((4000036, {"deliveryStatus": value}) for value in codes(5)),
    *((4000032, {"accountTenure": value}) for value in codes(7)),
    *((4000040, {"playTime": value}) for value in codes(7)),
    *((4000038, {"lifetimeDollarsRefunded": value}) for value in codes(7)),
    *((4000037, {"lifetimeDollarsPurchased": value}) for value in codes(7)),
    *((4000042, {"userStatus": value}) for value in codes(4)),
    *((4000044, {"refundPreference": value}) for value in codes(3)[1:]),
]


def refused(environment, code, version, id_, body):
    return environment.refused(
        code, lambda client: client._make_request(PATHS[version] + id_, "PUT", {}, body, None),
        "PUT", PATHS[version] + id_, json=body,
    )


def changed(version, changes) -> dict:
    return {key: value for key, value in {**GOOD[version], **changes}.items() if value is not None}


@pytest.fixture(scope="module")
def coins(app):
    return app.sandbox.buy("consumer", COINS).id


@pytest.mark.parametrize("version, code, changes", [("v2", *wrong) for wrong in WRONG_V2]
                         + [("v1", *wrong) for wrong in WRONG_V1])
def test_a_wrong_field_is_rejected_with_its_own_code(app, coins, version, code, changes):
    refused(app.sandbox, code, version, coins, changed(version, changes))


@pytest.mark.parametrize("version, order", [
    ("v2", [4000035, 4000036, 4000041, 4000207, 4000044]),
    ("v1", [4000035, 4000033, 4000034, 4000039, 4000041, 4000036, 4000032, 4000040, 4000038, 4000037, 4000042,
            4000044]),
])
def test_fields_are_validated_in_order_and_before_the_id_is_looked_up(app, version, order):
    """The test starts with every field wrong, and corrects one field after the other."""
    keys = [*GOOD["v2"], "consumptionPercentage", "refundPreference"]
    if version == "v1":
        keys = [*GOOD["v1"], "refundPreference"]
    body = {key: [] for key in keys}
    for code, key in zip(order, keys):
        refused(app.sandbox, code, version, "2000000999999999", body)
        body[key] = GOOD[version].get(key, 0)
    del body["refundPreference"]
    refused(app.sandbox, 4040010, version, "2000000999999999", body)


def test_a_consumed_share_applies_to_one_time_products_only(app, customer):
    """A prorated refund of a one-time product requires the consumed share. An undelivered product has no such share."""
    sandbox = app.sandbox
    for product in (COINS, SEASON, FOREVER):
        bought = sandbox.buy(f"{customer}-{product[-5:]}", product)
        for percentage in (None, 0, 100_000):
            wrong = changed("v2", {"refundPreference": "GRANT_PRORATED", "consumptionPercentage": percentage})
            refused(sandbox, 4000044, "v2", bought.id, wrong)
        send(sandbox, bought.id, v2(RefundPreference.GRANT_PRORATED, 50_000))
        send(sandbox, bought.id, v2(percentage=0, delivery=DeliveryStatus.UNDELIVERED_WRONG_ITEM))
    subscribed = sandbox.buy(customer, BASIC)
    for percentage in (0, 50_000):
        refused(sandbox, 4000209, "v2", subscribed.id, changed("v2", {"consumptionPercentage": percentage}))
    send(sandbox, subscribed.id, v2(RefundPreference.GRANT_PRORATED))


def test_the_older_route_accepts_consumables_and_subscriptions_only(app, customer):
    for product in (SEASON, FOREVER):
        refused(app.sandbox, 4000047, "v1", app.sandbox.buy(customer, product).id, GOOD["v1"])
    for product in (COINS, BASIC):
        send(app.sandbox, app.sandbox.buy(customer, product).id, v1())


@pytest.mark.parametrize("version", PATHS)
def test_a_family_members_copy_is_rejected(app, customer, version):
    sandbox = app.sandbox
    sandbox.control("createFamily", {"organizer": customer, "members": [customer + "-b"]})
    sandbox.buy(customer, BASIC)
    member = sandbox.control("getCustomer", customer=customer + "-b")["appTransactionId"]
    (copy,) = sandbox.whole_history(member)[0]
    refused(sandbox, 4000185, version, copy["transactionId"], GOOD[version])


@pytest.mark.parametrize("version", PATHS)
@pytest.mark.parametrize("text", ["", "[", "[]", "true", '{"customerConsented": true, "customerConsented": true}'])
def test_a_body_that_is_no_object_has_no_code(app, coins, version, text):
    answer = app.sandbox.send("PUT", PATHS[version] + coins, data=text)
    assert (answer.status_code, answer.content) == (400, b"")
