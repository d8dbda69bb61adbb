"""The developer's answers to CONSUMPTION_REQUEST, sent with Apple's client.

Tests/TillServerTests/API checks every field and every effect, through the router.
"""

import pytest

from catalog_of_everything import BASIC, COINS
from notification_checks import advance, freeze, history, listen, words
from shop_helpers import DAY, NO_OFFER, models

pytestmark = pytest.mark.own_app


def v2(preference, percentage=None):
    return models.ConsumptionRequest(
        customerConsented=True, sampleContentProvided=True, deliveryStatus=models.DeliveryStatus.DELIVERED,
        consumptionPercentage=percentage, refundPreference=models.RefundPreference[preference],
    )


def v1(preference):
    dollars = models.LifetimeDollarsPurchased.ONE_CENT_TO_FORTY_NINE_DOLLARS_AND_NINETY_NINE_CENTS
    return models.ConsumptionRequestV1(
        customerConsented=True, consumptionStatus=models.ConsumptionStatus.PARTIALLY_CONSUMED,
        platform=models.Platform.APPLE, sampleContentProvided=True,
        deliveryStatus=models.DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY, appAccountToken="",
        accountTenure=models.AccountTenure.THIRTY_DAYS_TO_NINETY_DAYS, playTime=models.PlayTime.ONE_DAY_TO_FOUR_DAYS,
        lifetimeDollarsRefunded=models.LifetimeDollarsRefunded.ZERO_DOLLARS, lifetimeDollarsPurchased=dollars,
        userStatus=models.UserStatus.ACTIVE, refundPreference=models.RefundPreferenceV1[preference],
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("product, method, request_, outcome", [
    (COINS, "send_consumption_information", v2("DECLINE"), "REFUND_DECLINED"),
    (COINS, "send_consumption_information", v2("GRANT_PRORATED", 40_000), 60_000),
    (COINS, "send_consumption_data", v1("PREFER_DECLINE"), "REFUND_DECLINED"),
    (BASIC, "send_consumption_data", v1("PREFER_GRANT"), 100_000),
])
def test_the_developers_preference_is_applied_after_twelve_hours(
    environment, post, product, method, request_, outcome
):
    listen(environment, post)
    start = freeze(environment)
    bought = environment.buy("ann", product, offer=NO_OFFER)
    environment.control("requestRefund", {"reason": "LEGAL"}, transactionId=bought.id)
    advance(environment, "1h")
    end = start + DAY
    (asked,) = history(environment, endDate=end, notificationType="CONSUMPTION_REQUEST")
    assert asked.notice["data"]["consumptionRequestReason"] == "LEGAL"
    assert asked.notice.transaction["transactionId"] == bought.id
    getattr(environment.client, method)(bought.id, request_)
    advance(environment, "12h")
    if outcome == "REFUND_DECLINED":
        assert words(history(environment, endDate=end, notificationType="REFUND_DECLINED")) == ["REFUND_DECLINED"]
        return
    (item,) = history(environment, endDate=end, notificationType="REFUND")
    assert item.notice.transaction["revocationPercentage"] == outcome
    assert product != BASIC or item.notice.renewal["autoRenewStatus"] == 0
