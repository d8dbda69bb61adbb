"""Every implemented route of the App Store Server API, called with Apple's client. Apple's verifier checks all JWS."""

import uuid

import pytest
from appstoreserverlibrary.models.TransactionHistoryRequest import ProductType

from catalog_of_everything import BASIC, COINS, EXTRA, ONE, PRICES, PRO, SEASON, SOLO, TWO
from payload_rules import SUBSCRIPTION
from shop_helpers import DAY, DESCENDING, NO_OFFER, V1, V2, ids, models, now_ms

Status = models.Status


def check_purchase(environment, bought, product_id, type_, quantity=1, **more) -> dict:
    """Checks the payload of a purchase, except its dates, which it returns."""
    payload = dict(bought.payload)
    dates = {key: payload.pop(key) for key in ("purchaseDate", "signedDate", "expiresDate") if key in payload}
    assert payload == {
        "transactionId": bought.id, "originalTransactionId": bought.id, "bundleId": "com.example.shop",
        "productId": product_id, "originalPurchaseDate": dates["purchaseDate"], "quantity": quantity, "type": type_,
        "inAppOwnershipType": "PURCHASED", "environment": environment.wire_name, "transactionReason": "PURCHASE",
        "storefront": "USA", "storefrontId": "143441", "price": PRICES[product_id] * quantity, "currency": "USD",
        "appTransactionId": bought.app_transaction_id, **more,
    }
    return dates


@pytest.mark.parametrize("product_id, type_, quantity", [
    (COINS, "Consumable", 3), (SEASON, "Non-Renewing Subscription", 1), (SOLO, "Non-Consumable", 1),
])
def test_the_payload_of_a_one_time_purchase(environment, customer, product_id, type_, quantity):
    before = now_ms() // 1000 * 1000
    token = str(uuid.uuid4())
    bought = environment.buy(customer, product_id, quantity=quantity, appAccountToken=token)
    dates = check_purchase(environment, bought, product_id, type_, quantity, appAccountToken=token)
    assert before <= dates["purchaseDate"] <= dates["signedDate"] <= now_ms() and len(dates) == 2
    assert bought.renewal is None


def test_the_payload_of_a_subscription(environment, customer):
    bought = environment.buy(customer, PRO)
    dates = check_purchase(
        environment, bought, PRO, SUBSCRIPTION, subscriptionGroupIdentifier=ONE,
        webOrderLineItemId=bought.answer["webOrderLineItemId"],
    )
    assert 27 * DAY < dates["expiresDate"] - dates["purchaseDate"] < 32 * DAY, "a calendar month"
    renewal = dict(bought.renewal.payload)
    assert abs(renewal.pop("signedDate") - dates["signedDate"]) < 5_000
    assert renewal == {
        "originalTransactionId": bought.id, "autoRenewProductId": PRO, "productId": PRO, "autoRenewStatus": 1,
        "renewalPrice": 9990, "currency": "USD", "environment": environment.wire_name,
        "recentSubscriptionStartDate": dates["purchaseDate"], "renewalDate": dates["expiresDate"],
        "appTransactionId": bought.app_transaction_id,
    }


@pytest.mark.parametrize("storefront, storefront_id, price, currency", [
    ("USA", "143441", 990, "USD"), ("DEU", "143443", 1090, "EUR"), ("JPN", "143462", 160_000, "JPY"),
    ("AUS", "143460", 990, "AUD"),
])
def test_the_price_is_that_of_the_storefront_in_thousandths(
    sandbox, customer, storefront, storefront_id, price, currency
):
    payload = sandbox.buy(customer, COINS, quantity=2, storefront=storefront).payload
    found = [payload[key] for key in ("storefront", "storefrontId", "price", "currency")]
    assert found == [storefront, storefront_id, price * 2, currency]


def test_a_custom_price_has_its_currency(sandbox, customer):
    payload = sandbox.buy(customer, COINS, price=12_340, currency="CHF", quantity=10).payload
    assert (payload["price"], payload["currency"], payload["quantity"]) == (123_400, "CHF", 10)


def test_the_device_receives_verifiable_data(environment, customer):
    device = str(uuid.uuid4()).upper()
    bought = environment.buy(customer, COINS, deviceId=device)
    assert bought.device_id == device.lower()
    app = bought.app_on_device.payload
    assert app["appTransactionId"] == bought.app_transaction_id
    assert app["originalApplicationVersion"] == app["applicationVersion"] == "1.0"
    assert app["originalPlatform"] == "iOS"
    assert app["deviceVerificationNonce"] != bought.on_device["deviceVerificationNonce"]
    again = environment.control("getTransaction", query={"deviceId": device}, transactionId=bought.id)
    handed = environment.transaction(again["device"]["signedTransactionInfo"], device=device.lower())
    assert handed.lasting == bought.transaction.lasting
    assert handed["deviceVerificationNonce"] != bought.on_device["deviceVerificationNonce"], "a nonce was reused"


def test_token_and_device_id_are_case_insensitive_and_returned_in_lower_case(sandbox, customer):
    token = str(uuid.uuid4())
    assert sandbox.buy(customer, COINS, appAccountToken=token.upper()).payload["appAccountToken"] == token


def test_transaction_info_returns_the_transaction_with_the_id(environment, customer):
    first = environment.buy(customer, BASIC, offer=NO_OFFER)
    second = environment.buy(customer, PRO)
    assert second.original_id == first.id, "an upgrade keeps the original id"
    for bought, upgraded in ((first, True), (second, False)):
        answer = environment.client.get_transaction_info(bought.id)
        info = environment.transaction(answer.signedTransactionInfo)
        assert info["transactionId"] == bought.id
        assert ("isUpgraded" in info) == upgraded
        wire = environment.ask(f"/inApps/v1/transactions/{bought.id}", {"signedTransactionInfo"})
        assert environment.transaction(wire["signedTransactionInfo"]).lasting == info.lasting
    assert second.payload["transactionReason"] == "PURCHASE"
    assert second.payload["webOrderLineItemId"] != first.payload["webOrderLineItemId"]
    assert second.payload["originalPurchaseDate"] == first.payload["purchaseDate"]


def test_each_answer_is_signed_anew(sandbox, customer):
    bought = sandbox.buy(customer, COINS)
    dates = [
        sandbox.transaction(sandbox.client.get_transaction_info(bought.id).signedTransactionInfo)["signedDate"]
        for _ in range(3)
    ]
    assert bought.payload["signedDate"] <= dates[0] <= dates[1] <= dates[2]


def test_signed_dates_follow_the_customer_clock(environment, customer):
    """`ShopEnvironment` compares the signing date of everything that it verifies with that clock, to the
    millisecond."""
    with environment.on_clock(customer, at=now_ms() + 400 * DAY) as clock:
        bought = environment.buy(customer, COINS)
        clock.advance(by="P1M")
        environment.refund(bought.id)
        clock.advance(by="36h")
        environment.transaction(environment.client.get_transaction_info(bought.id).signedTransactionInfo)
        environment.app_transaction(environment.client.get_app_transaction_info(bought.id).signedAppTransactionInfo)
        environment.transaction(environment.client.look_up_order_id(bought.order_id).signedTransactions[0])
        assert ids(environment.whole_history(bought.id)[0]) == [bought.id]
        assert ids(environment.whole_refund_history(bought.id)[0]) == [bought.id]


def test_app_transaction_info_for_any_id_of_the_customer(environment, customer):
    made = environment.create(customer, platform="macOS", at=now_ms() - 100 * DAY)
    bought = environment.buy(customer, COINS)
    assert made["appTransactionId"] == bought.app_transaction_id
    for any_id in (bought.id, bought.app_transaction_id):
        answer = environment.client.get_app_transaction_info(any_id)
        app = environment.app_transaction(answer.signedAppTransactionInfo)
        assert app["appTransactionId"] == bought.app_transaction_id
        assert app["originalPlatform"] == "macOS"
        assert app["appAppleId"] == 1234567890
        assert abs(app["originalPurchaseDate"] - (now_ms() - 100 * DAY)) < 60_000
        assert "preorderDate" not in app
        environment.ask(f"/inApps/v1/transactions/appTransactions/{any_id}", {"signedAppTransactionInfo"})


def test_the_original_version_is_1_0_in_the_sandbox_and_real_in_production(app, customer):
    for environment, version in ((app.sandbox, "1.0"), (app.production, "2.3")):
        made = environment.create(customer, applicationVersion="2.3")
        answer = environment.client.get_app_transaction_info(made["appTransactionId"])
        assert environment.app_transaction(answer.signedAppTransactionInfo)["originalApplicationVersion"] == version


def test_finish_answers_200_without_a_body(environment, customer):
    bought = environment.buy(customer, COINS)
    answer = environment.send("POST", f"/inApps/v1/transactions/{bought.id}/finish")
    assert (answer.status_code, answer.content) == (200, b"")
    info = environment.client.get_transaction_info(bought.id).signedTransactionInfo
    assert environment.transaction(info).lasting == bought.transaction.lasting, "finishing changed a payload"


@pytest.mark.parametrize("product_id", [COINS, SEASON, SOLO, PRO])
def test_the_token_can_be_set_and_set_again_on_every_type_of_product(environment, customer, product_id):
    bought = environment.buy(customer, product_id)
    assert "appAccountToken" not in bought.transaction
    for _ in range(2):
        token = str(uuid.uuid4())
        body = models.UpdateAppAccountTokenRequest(appAccountToken=token)
        assert environment.client.set_app_account_token(bought.id, body) is None
        info = environment.transaction(environment.client.get_transaction_info(bought.id).signedTransactionInfo)
        assert info["appAccountToken"] == token
        assert {**info.lasting, "appAccountToken": None} == {**bought.transaction.lasting, "appAccountToken": None}


def test_setting_the_token_answers_200_without_a_body(sandbox, customer):
    path = f"/inApps/v1/transactions/{sandbox.buy(customer, COINS).id}/appAccountToken"
    answer = sandbox.send("PUT", path, json={"appAccountToken": str(uuid.uuid4())})
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_subscriptions_token_is_set_on_the_current_transaction_only(sandbox, customer):
    old = str(uuid.uuid4())
    first = sandbox.buy(customer, BASIC, offer=NO_OFFER, appAccountToken=old)
    second = sandbox.buy(customer, PRO)
    assert second.payload["appAccountToken"] == old, "a token survives the upgrade"
    token = str(uuid.uuid4())
    sandbox.client.set_app_account_token(first.id, models.UpdateAppAccountTokenRequest(appAccountToken=token))
    found = {signed["transactionId"]: signed for signed in sandbox.whole_history(first.id)[0]}
    assert found[first.id]["appAccountToken"] == old
    assert found[second.id]["appAccountToken"] == token
    status = sandbox.client.get_all_subscription_statuses(first.id).data[0].lastTransactions[0]
    assert sandbox.renewal_info(status.signedRenewalInfo)["appAccountToken"] == token


def test_statuses_show_every_group_with_its_latest_transaction(environment, customer):
    basic = environment.buy(customer, BASIC, offer=NO_OFFER)
    pro = environment.buy(customer, PRO)
    extra = environment.buy(customer, EXTRA)
    coins = environment.buy(customer, COINS)
    for any_id in (basic.id, pro.id, extra.id, coins.id, pro.app_transaction_id):
        answer = environment.client.get_all_subscription_statuses(any_id)
        assert (answer.rawEnvironment, answer.bundleId, answer.appAppleId) == (
            environment.wire_name, "com.example.shop", 1234567890,
        )
        assert {item.subscriptionGroupIdentifier for item in answer.data} == {ONE, TWO}
        items = {item.subscriptionGroupIdentifier: item.lastTransactions for item in answer.data}
        for group, bought in ((ONE, pro), (TWO, extra)):
            (last,) = items[group]
            assert last.originalTransactionId == bought.original_id
            assert last.status is Status.ACTIVE
            latest = environment.transaction(last.signedTransactionInfo)
            assert latest.lasting == bought.transaction.lasting
            renewal = environment.renewal_info(last.signedRenewalInfo)
            assert renewal["originalTransactionId"] == bought.original_id
            assert renewal["renewalDate"] == bought.payload["expiresDate"]


def test_statuses_have_exactly_the_documented_keys(environment, customer):
    bought = environment.buy(customer, PRO)
    wire = environment.ask(f"/inApps/v1/subscriptions/{bought.id}", {"environment", "bundleId", "appAppleId", "data"})
    (group,) = wire["data"]
    assert set(group) == {"subscriptionGroupIdentifier", "lastTransactions"}
    (last,) = group["lastTransactions"]
    assert set(last) == {"originalTransactionId", "status", "signedTransactionInfo", "signedRenewalInfo"}
    assert type(last["status"]) is int and type(last["originalTransactionId"]) is str
    assert type(wire["appAppleId"]) is int


def test_statuses_distinguish_and_filter_active_expired_and_revoked(environment, customer):
    """A filter with several values matches any of them. Groups without a match are left out."""
    expired = environment.lapsed(customer, BASIC)
    extra = environment.buy(customer, EXTRA)
    environment.refund(extra.id, reason=1)

    def found(*wanted):
        answer = environment.client.get_all_subscription_statuses(expired.id, list(wanted) or None)
        return {
            last.originalTransactionId: last.status for item in answer.data for last in item.lastTransactions
        }

    both = {expired.id: Status.EXPIRED, extra.id: Status.REVOKED}
    assert found() == both
    assert found(Status.EXPIRED, Status.REVOKED, Status.ACTIVE) == both
    assert found(Status.EXPIRED) == {expired.id: Status.EXPIRED}
    assert found(Status.REVOKED) == {extra.id: Status.REVOKED}
    assert found(Status.ACTIVE) == found(Status.BILLING_RETRY, Status.BILLING_GRACE_PERIOD) == {}
    keys = {"environment", "bundleId", "appAppleId", "data"}
    empty = environment.ask(f"/inApps/v1/subscriptions/{expired.id}?status=3", keys)
    assert empty["data"] == []


def test_renewal_info_of_an_expired_subscription_has_the_reason_and_the_date(sandbox, customer):
    bought = sandbox.lapsed(customer, BASIC)
    (last,) = sandbox.client.get_all_subscription_statuses(bought.id).data[0].lastTransactions
    renewal = sandbox.renewal_info(last.signedRenewalInfo)
    assert renewal["renewalDate"] == bought.payload["expiresDate"] < now_ms()
    assert renewal["autoRenewStatus"] == 0
    assert renewal["expirationIntent"] == 1 and renewal["isInBillingRetryPeriod"] is False
    assert renewal["eligibleWinBackOfferIds"] == ["return"]
    assert sandbox.transaction(last.signedTransactionInfo).lasting == bought.transaction.lasting


def test_renewal_info_of_an_active_subscription_has_no_expiration_keys(sandbox, customer):
    renewal = sandbox.buy(customer, BASIC).renewal
    assert not {"expirationIntent", "isInBillingRetryPeriod", "gracePeriodExpiresDate", "eligibleWinBackOfferIds",
                "priceIncreaseStatus"} & set(renewal.payload)


def test_an_unknown_order_is_status_1_without_a_list(app, other_app, customer):
    bought = app.sandbox.buy(customer, COINS)
    for environment, order in (
        (app.sandbox, "MZZZZZZZZZ"), (app.sandbox, "M1"), (app.sandbox, bought.id),
        (app.production, bought.order_id), (other_app.sandbox, bought.order_id),
    ):
        answer = environment.client.look_up_order_id(order)
        assert answer.status is models.OrderLookupStatus.INVALID and answer.signedTransactions is None
        assert environment.ask(f"/inApps/v1/lookup/{order}", {"status"}) == {"status": 1}


def test_a_full_refund_is_in_every_answer_until_it_is_reversed(environment, customer):
    bought = environment.buy(customer, COINS, quantity=2)
    refunded = environment.refund(bought.id, reason=1)
    assert refunded.payload["revocationReason"] == 1
    assert refunded.payload["revocationType"] == "REFUND_FULL"
    assert refunded.payload["revocationPercentage"] == 100_000
    assert abs(refunded.payload["revocationDate"] - now_ms()) < 60_000

    def everywhere():
        yield environment.transaction(environment.client.get_transaction_info(bought.id).signedTransactionInfo)
        yield from environment.whole_history(bought.id)[0]
        order = environment.client.look_up_order_id(bought.order_id)
        assert order.status is models.OrderLookupStatus.VALID and len(order.signedTransactions) == 1
        yield environment.transaction(order.signedTransactions[0])

    assert [signed.lasting for signed in everywhere()] == [refunded.transaction.lasting] * 3
    refunds = environment.whole_refund_history(bought.id)[0]
    assert [signed.lasting for signed in refunds] == [refunded.transaction.lasting]
    restored = environment.reverse(bought.id)
    assert restored.transaction.lasting == bought.transaction.lasting, "a revocation key is left"
    assert [signed.lasting for signed in everywhere()] == [bought.transaction.lasting] * 3
    assert environment.whole_refund_history(bought.id)[0] == []


@pytest.mark.parametrize("version", [V2, V1])
def test_history_pages_by_twenty_in_both_orders(environment, customer, version):
    bought = environment.buy_many(customer, COINS, 41)
    pages = list(environment.history(bought[7], version))
    assert [len(page.transactions) for page in pages] == [20, 20, 1]
    assert [signed["transactionId"] for page in pages for signed in page.transactions] == bought
    found, _ = environment.whole_history(bought[7], version, sort=DESCENDING)
    assert ids(found) == bought[::-1]


def test_every_filter_of_apples_client_is_understood(sandbox, customer):
    date = now_ms() // 1000 * 1000
    coins, pro, season = (sandbox.buy(customer, product, at=date - days * DAY).id
                            for product, days in ((COINS, 20), (PRO, 10), (SEASON, 0)))
    sandbox.refund(season)
    for filters, found in (
        ({"productIds": [COINS, SEASON]}, [coins, season]), ({"productTypes": [ProductType.AUTO_RENEWABLE]}, [pro]),
        ({"subscriptionGroupIdentifiers": [ONE]}, [pro]), ({"startDate": date - 10 * DAY}, [pro, season]),
        ({"endDate": date - 10 * DAY}, [coins]), ({"revoked": True}, [season]), ({"revoked": False}, [coins, pro]),
        ({"inAppOwnershipType": models.InAppOwnershipType.FAMILY_SHARED}, []),
        ({"sort": DESCENDING}, [season, pro, coins]),
    ):
        assert ids(sandbox.whole_history(coins, **filters)[0]) == found, filters
