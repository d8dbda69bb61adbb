"""Each documented error as Apple's client receives it: its status, code and message, and its entry in the request log.

Tests/TillServerTests/API checks every way to cause these errors, through the router.
"""

import uuid

import pytest
from appstoreserverlibrary.api_client import APIError, APIException

import error_codes
from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, PRO
from shop_helpers import APPLES_CALLS, NO_OFFER, App, now_ms

NEVER = "2000000999999999"
HISTORY, INFO, MASS = "v2/history/", "v1/transactions/", "v1/subscriptions/extend/mass"
EXTEND, NOTIFIED, TEST = "v1/subscriptions/extend/", "v1/notifications/history", "v1/notifications/test"
CONSUMED, CONSUMED_V1 = "v2/transactions/consumption/", "v1/transactions/consumption/"
TOKEN = {"appAccountToken": str(uuid.UUID(int=7))}
TERMS = {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": str(uuid.UUID(int=7)), "productId": BASIC}
CONSUMPTION = {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": False}
CONSUMPTION_V1 = {
    "customerConsented": True, "appAccountToken": "", "consumptionStatus": 0, "platform": 1,
    "sampleContentProvided": False, "deliveryStatus": 0, "accountTenure": 0, "playTime": 0,
    "lifetimeDollarsRefunded": 0, "lifetimeDollarsPurchased": 0, "userStatus": 0,
}
DATES = {"startDate": now_ms() - 86_400_000, "endDate": now_ms()}

# For each code: the method, the path, and the body of a request that causes it. The names in braces are ids.
CASES = [
    (4000000, "GET", "v1/lookup/M-1"),
    (4000005, "GET", HISTORY + "{coins}?revision=nonsense"),
    (4000006, "GET", HISTORY + "nonsense"),
    (4000008, "PUT", EXTEND + "nonsense", TERMS),
    (4000009, "PUT", EXTEND + "{basic}", {**TERMS, "extendByDays": 91}),
    (4000010, "PUT", EXTEND + "{basic}", {**TERMS, "extendReasonCode": 4}),
    (4000011, "POST", MASS, {**TERMS, "requestIdentifier": "nonsense"}),
    (4000012, "POST", NOTIFIED, {**DATES, "startDate": 0}),
    (4000013, "POST", NOTIFIED, {**DATES, "endDate": DATES["startDate"]}),
    (4000014, "POST", NOTIFIED + "?paginationToken=nonsense", DATES),
    (4000015, "GET", HISTORY + "{coins}?startDate=yesterday"),
    (4000016, "GET", HISTORY + "{coins}?endDate=tomorrow"),
    (4000018, "POST", NOTIFIED, {**DATES, "notificationType": "SOMETHING"}),
    (4000019, "POST", NOTIFIED, {**DATES, "notificationType": "TEST", "transactionId": NEVER}),
    (4000020, "GET", TEST + "/nonsense"),
    (4000021, "GET", HISTORY + "{coins}?sort=NEWEST"),
    (4000022, "GET", HISTORY + "{coins}?productType=Consumable"),
    (4000023, "GET", HISTORY + "{coins}?productId="),
    (4000024, "GET", HISTORY + "{coins}?subscriptionGroupIdentifier="),
    (4000026, "GET", HISTORY + "{coins}?inAppOwnershipType=MINE"),
    (4000027, "POST", MASS, {**TERMS, "storefrontCountryCodes": []}),
    (4000028, "POST", MASS, {**TERMS, "storefrontCountryCodes": ["XXX"]}),
    (4000030, "GET", HISTORY + "{coins}?revoked=maybe"),
    (4000031, "GET", "v1/subscriptions/{coins}?status=9"),
    (4000032, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "accountTenure": 8}),
    (4000033, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "appAccountToken": "x"}),
    (4000034, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "consumptionStatus": 4}),
    (4000035, "PUT", CONSUMED + "{coins}", {**CONSUMPTION, "customerConsented": False}),
    (4000036, "PUT", CONSUMED + "{coins}", {**CONSUMPTION, "deliveryStatus": "SOMETHING"}),
    (4000037, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "lifetimeDollarsPurchased": 8}),
    (4000038, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "lifetimeDollarsRefunded": 8}),
    (4000039, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "platform": 3}),
    (4000040, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "playTime": 8}),
    (4000041, "PUT", CONSUMED + "{coins}", {**CONSUMPTION, "sampleContentProvided": 0}),
    (4000042, "PUT", CONSUMED_V1 + "{coins}", {**CONSUMPTION_V1, "userStatus": 5}),
    (4000044, "PUT", CONSUMED + "{coins}", {**CONSUMPTION, "refundPreference": "GRANT"}),
    (4000047, "PUT", CONSUMED_V1 + "{forever}", CONSUMPTION_V1),
    (4000048, "GET", INFO + "{customer}"),
    (4000183, "PUT", INFO + "{coins}/appAccountToken", {"appAccountToken": "nonsense"}),
    (4000185, "PUT", INFO + "{copy}/appAccountToken", TOKEN),
    (4000187, "PUT", INFO + "{pro}/appAccountToken", TOKEN),
    (4000207, "PUT", CONSUMED + "{coins}", {**CONSUMPTION, "consumptionPercentage": -1}),
    (4000208, "PUT", CONSUMED + "{coins}", {
        **CONSUMPTION, "consumptionPercentage": 1, "deliveryStatus": "UNDELIVERED_OTHER"}),
    (4000209, "PUT", CONSUMED + "{basic}", {**CONSUMPTION, "consumptionPercentage": 5}),
    (4030004, "PUT", EXTEND + "{trial}", TERMS),
    (4030005, "PUT", EXTEND + "{extended}", TERMS),
    (4030007, "PUT", EXTEND + "{copy}", TERMS),
    (4040005, "PUT", EXTEND + NEVER, TERMS),
    (4040007, "POST", TEST),
    (4040008, "GET", f"{TEST}/{uuid.UUID(int=7)}"),
    (4040009, "GET", f"{MASS}/{BASIC}/{uuid.UUID(int=7)}"),
    (4040010, "GET", HISTORY + NEVER),
    (4040019, "GET", INFO + "appTransactions/{undownloaded}"),
]
# These errors depend on the token.
OF_TOKENS = {4000002, 4040003}
# Only faults cause these errors (control/test_faults.py).
OF_FAULTS = {4290000, 5000000, 5000001}


@pytest.fixture(scope="module")
def own_app(server, team):
    return App(server, "com.example.errors", 2_700_000_001, team, CATALOG)


@pytest.fixture(scope="module")
def ids(own_app):
    """The ids of a transaction of each kind."""
    sandbox = own_app.sandbox
    sandbox.control("createFamily", {"organizer": "ann", "members": ["bob"]})
    coins, basic = sandbox.buy("ann", COINS), sandbox.buy("ann", BASIC, offer=NO_OFFER)
    sandbox.create("cara", downloadsApp=False)
    extended = sandbox.buy("dan", BASIC, offer=NO_OFFER).id
    for number in range(2):
        sandbox.control("extendSubscription", {"days": 3, "requestIdentifier": f"{number}"},
                        originalTransactionId=extended)
    return {
        "coins": coins.id, "customer": coins.app_transaction_id, "basic": basic.id, "extended": extended,
        "forever": sandbox.buy("eve", FOREVER).id, "trial": sandbox.buy("eve", BASIC).id,
        "copy": sandbox.control("getCustomer", customer="bob")["subscriptions"][0]["transactionId"],
        "pro": sandbox.buy("ann", PRO).id, "undownloaded": sandbox.buy("cara", COINS).id,
    }


@pytest.mark.parametrize("code, method, path, body", [(*case, None)[:4] for case in CASES])
def test_each_code(own_app, ids, code, method, path, body):
    path = "/inApps/" + path.format(**ids)
    options = {} if body is None else {"json": body}
    own_app.sandbox.refused(
        code, lambda client: client._make_request(path, method, {}, body, None), method, path, **options)


def test_every_code_with_a_message_is_tested():
    assert {code for code, *_ in CASES} | OF_TOKENS | OF_FAULTS == set(error_codes.MESSAGES)


@pytest.mark.parametrize("call", APPLES_CALLS.values(), ids=APPLES_CALLS)
def test_the_methods_of_apples_client_raise_the_error(own_app, call):
    with pytest.raises(APIException) as raised:
        call(own_app.client("sandbox"), "nonsense")
    assert (raised.value.http_status_code, raised.value.api_error) == (400, APIError.INVALID_TRANSACTION_ID)


def test_errors_of_the_token_have_a_code_only_where_it_is_documented(own_app, foreign_app, ids):
    wrong = own_app.client("sandbox", key={**own_app.key, "keyId": "ABCDEFGHIJ"})
    foreign, none = own_app.client("sandbox", key=foreign_app.key), own_app.client("sandbox", bundle_id=None)
    for client, listed in ((wrong, (401, None)), (none, (400, 4000002)), (foreign, (404, 4040003))):
        for name in ("getTransactionHistory", "getAllSubscriptionStatuses", "getTransactionInfo"):
            with pytest.raises(APIException) as raised:
                APPLES_CALLS[name](client, ids["coins"])
            found = (raised.value.http_status_code, raised.value.raw_api_error)
            assert found == ((401, None) if name == "getTransactionInfo" else listed)
    sandbox, path = own_app.sandbox, f"/inApps/{HISTORY}{ids['coins']}"
    sandbox.check_error(sandbox.send("GET", path, token=own_app.token(bid=None)), 4000002)
    sandbox.check_error(sandbox.send("GET", path, token=own_app.token(bid=foreign_app.bundle_id)), 4040003)


def test_the_table_of_codes_has_every_code_of_the_official_library():
    assert {int(error) for error in APIError} <= set(error_codes.NAMES)
    assert len(error_codes.NAMES) == 94
