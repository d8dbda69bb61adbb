"""The developer's answers to CONSUMPTION_REQUEST, sent with Apple's client.

Tests/TillServerTests/API checks every field and every effect, through the router.
"""

import itertools
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

from catalog_of_everything import BASIC, CATALOG, COINS
from listening_post import ListeningPost
from notification_checks import advance, freeze, history, listen, words
from shop_helpers import DAY, NO_OFFER, App

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


@pytest.mark.parametrize("product, request_, outcome", [
    (COINS, v2(RefundPreference.DECLINE), "REFUND_DECLINED"),
    (COINS, v2(RefundPreference.GRANT_PRORATED, 40_000), 60_000),
    (COINS, v1(RefundPreferenceV1.PREFER_DECLINE), "REFUND_DECLINED"),
    (BASIC, v1(RefundPreferenceV1.PREFER_GRANT), 100_000),
])
def test_the_developers_preference_is_applied_after_twelve_hours(environment, post, product, request_, outcome):
    start = freeze(environment)
    bought = environment.buy("ann", product, offer=NO_OFFER)
    environment.control("requestRefund", {"reason": "LEGAL"}, transactionId=bought.id)
    advance(environment, "1h")
    end = start + DAY
    (asked,) = history(environment, endDate=end, notificationType="CONSUMPTION_REQUEST")
    assert asked.notice["data"]["consumptionRequestReason"] == "LEGAL"
    assert asked.notice.transaction["transactionId"] == bought.id
    send(environment, bought.id, request_)
    advance(environment, "12h")
    if outcome == "REFUND_DECLINED":
        assert words(history(environment, endDate=end, notificationType="REFUND_DECLINED")) == ["REFUND_DECLINED"]
        return
    (item,) = history(environment, endDate=end, notificationType="REFUND")
    assert item.notice.transaction["revocationPercentage"] == outcome
    assert product != BASIC or item.notice.renewal["autoRenewStatus"] == 0
