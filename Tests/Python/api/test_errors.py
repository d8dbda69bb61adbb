"""Each documented error of these routes, by its number: as Apple's client receives it, and as raw HTTP."""

import uuid

import pytest
from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.RefundHistoryResponse import RefundHistoryResponse
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest

import error_codes
from catalog_of_everything import BASIC, COINS, FOREVER, PRO
from shop_helpers import V1, V2, DESCENDING, Unlisted

# A valid body for each route that needs one.
BODIES = {
    "set token": {"appAccountToken": str(uuid.uuid4())},
    "extend": {"extendByDays": 3, "extendReasonCode": 1, "requestIdentifier": "errors"},
    "consumption V2": {"customerConsented": True, "deliveryStatus": "DELIVERED", "sampleContentProvided": False},
    "consumption V1": {
        "customerConsented": True, "appAccountToken": "", "consumptionStatus": 0, "platform": 1,
        "sampleContentProvided": False, "deliveryStatus": 0, "accountTenure": 0, "playTime": 0,
        "lifetimeDollarsRefunded": 0, "lifetimeDollarsPurchased": 0, "userStatus": 0,
    },
}


def _put(route):
    """Sends the valid body with the client's own request method."""
    return lambda client, id_: client._make_request(ROUTES[route][1].format(id_), "PUT", {}, BODIES[route], None)


# Every route with an id in its path: method, path, and the call of Apple's client.
ROUTES = {
    "history V2": ("GET", "/inApps/v2/history/{}",
                   lambda client, id_: client.get_transaction_history(id_, None, TransactionHistoryRequest(), V2)),
    "history V1": ("GET", "/inApps/v1/history/{}",
                   lambda client, id_: client.get_transaction_history(id_, None, TransactionHistoryRequest(), V1)),
    "transaction info": ("GET", "/inApps/v1/transactions/{}", lambda client, id_: client.get_transaction_info(id_)),
    "finish": ("POST", "/inApps/v1/transactions/{}/finish", lambda client, id_: client.finish_transaction(id_)),
    "set token": ("PUT", "/inApps/v1/transactions/{}/appAccountToken",
                  lambda client, id_: client.set_app_account_token(
                      id_, UpdateAppAccountTokenRequest(**BODIES["set token"]))),
    "app transaction": ("GET", "/inApps/v1/transactions/appTransactions/{}",
                        lambda client, id_: client.get_app_transaction_info(id_)),
    "statuses": ("GET", "/inApps/v1/subscriptions/{}",
                 lambda client, id_: client.get_all_subscription_statuses(id_)),
    "refunds V2": ("GET", "/inApps/v2/refund/lookup/{}", lambda client, id_: client.get_refund_history(id_, None)),
    # The official client has no call for this route, so its own request method is used.
    "refunds V1": ("GET", "/inApps/v1/refund/lookup/{}",
                   lambda client, id_: client._make_request(
                       f"/inApps/v1/refund/lookup/{id_}", "GET", {}, None, RefundHistoryResponse)),
    "extend": ("PUT", "/inApps/v1/subscriptions/extend/{}", _put("extend")),
    "consumption V2": ("PUT", "/inApps/v2/transactions/consumption/{}", _put("consumption V2")),
    "consumption V1": ("PUT", "/inApps/v1/transactions/consumption/{}", _put("consumption V1")),
}
MALFORMED = {name: 4000008 if name in ("refunds V1", "extend") else 4000006 for name in ROUTES}
MISSING = {name: 4040005 if name in ("refunds V1", "set token", "extend") else 4040010 for name in ROUTES}
WRONG_IDS = ["abc", "12x", "-5", "1.5", "0", "0123456789", " 12", "12 ", "1" * 20, "9" * 19, "1" * 300, "１２",
             "MABCDEFGHI"]


def refused(environment, code, route, id_, **options):
    method, path, call = ROUTES[route]
    if method == "PUT":
        options.setdefault("json", BODIES[route])
    return environment.refused(code, lambda client: call(client, id_), method, path.format(id_), **options)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("id_", WRONG_IDS)
def test_a_malformed_id_is_rejected_with_its_code(app, route, id_):
    entry = refused(app.sandbox, MALFORMED[route], route, id_)
    assert entry["bundleId"] == app.bundle_id


@pytest.mark.parametrize("route", ROUTES)
def test_an_empty_id_is_rejected_like_any_malformed_one(app, route):
    refused(app.sandbox, MALFORMED[route], route, "")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("id_", ["2000000999999999", "180000999999999", "704999999999999999", "12", "9" * 18])
def test_an_unknown_id_is_not_found(environment, route, id_):
    entry = refused(environment, MISSING[route], route, id_)
    assert id_ in entry["explanation"]


@pytest.mark.parametrize("route", ROUTES)
def test_an_id_of_the_other_environment_is_not_found_and_the_explanation_names_the_environment(app, route, customer):
    here, there = app.sandbox.buy(customer, COINS).id, app.production.buy(customer, COINS).id
    entry = refused(app.production, MISSING[route], route, here)
    assert "Sandbox" in entry["explanation"] and here in entry["explanation"]
    entry = refused(app.sandbox, MISSING[route], route, there)
    assert "Production" in entry["explanation"] and there in entry["explanation"]


@pytest.mark.parametrize("route", ROUTES)
def test_an_id_of_another_app_is_not_found_and_the_explanation_names_the_app(app, other_app, route, customer):
    foreign = other_app.sandbox.buy(customer, COINS)
    entry = refused(app.sandbox, MISSING[route], route, foreign.id)
    assert other_app.bundle_id in entry["explanation"]
    refused(app.sandbox, MISSING[route], route, foreign.app_transaction_id)


@pytest.mark.parametrize("route", ["transaction info", "finish", "set token", "consumption V2", "consumption V1"])
def test_an_app_transaction_id_is_rejected_where_a_transaction_id_is_needed(environment, route, customer):
    refused(environment, 4000048, route, environment.buy(customer, COINS).app_transaction_id)


def test_refund_history_v1_accepts_original_ids_only(sandbox, customer):
    first = sandbox.buy(customer, BASIC, offer={"kind": "NONE"})
    second = sandbox.buy(customer, PRO)
    refused(sandbox, 4000008, "refunds V1", first.app_transaction_id)
    refused(sandbox, 4040005, "refunds V1", second.id)


def test_a_customer_who_never_downloaded_the_app_has_no_app_transaction(environment, customer):
    environment.create(customer, downloadsApp=False)
    bought = environment.buy(customer, COINS)
    assert bought.app_on_device is None
    for any_id in (bought.id, bought.app_transaction_id):
        refused(environment, 4040019, "app transaction", any_id)


# Set app account token ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "nonsense", "123", "g" * 36, "{7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e}",
                                   "7f4c8f2e1d3a4b5c8d9e0f1a2b3c4d5e", "7f4c8f2e-1d3a-4b5c-8d9e-0f1a2b3c4d5e "])
def test_a_token_that_is_no_uuid_is_rejected(sandbox, customer, token):
    bought = sandbox.buy(customer, COINS)
    path = f"/inApps/v1/transactions/{bought.id}/appAccountToken"
    sandbox.refused(
        4000183,
        lambda client: client.set_app_account_token(bought.id, UpdateAppAccountTokenRequest(appAccountToken=token)),
        "PUT", path, json={"appAccountToken": token},
    )


@pytest.mark.parametrize("body", [{}, {"appAccountToken": 5}, {"appAccountToken": None}, {"appAccountToken": []},
                                  {"AppAccountToken": str(uuid.uuid4())}])
def test_a_body_without_a_token_is_rejected_with_the_code_of_the_token(sandbox, customer, body):
    bought = sandbox.buy(customer, COINS)
    answer = sandbox.send("PUT", f"/inApps/v1/transactions/{bought.id}/appAccountToken", json=body)
    sandbox.check_error(answer, 4000183)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"text"', b"appAccountToken=1", b"\xff\xfe", b'{"a":1}x'])
def test_a_body_that_is_no_json_object_is_400_without_a_code(sandbox, customer, body):
    bought = sandbox.buy(customer, COINS)
    answer = sandbox.send(
        "PUT", f"/inApps/v1/transactions/{bought.id}/appAccountToken", data=body,
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 400
    assert "errorCode" not in answer.text
    assert "errorCode" not in sandbox.explain(answer)


def test_the_token_can_only_be_set_on_the_original_transaction(sandbox, customer):
    sandbox.buy(customer, BASIC, offer={"kind": "NONE"})
    second = sandbox.buy(customer, PRO)
    entry = refused(sandbox, 4000187, "set token", second.id)
    assert second.original_id in entry["explanation"], "does not name the correct id"


def test_the_token_of_a_family_members_copy_cannot_be_set(sandbox, customer):
    sandbox.control("createFamily", {"organizer": customer, "members": [customer + "-b"]})
    sandbox.buy(customer, FOREVER)
    sandbox.buy(customer, BASIC)
    member = sandbox.control("getCustomer", customer=customer + "-b")["appTransactionId"]
    copies = sandbox.whole_history(member)[0]
    assert len(copies) == 2
    for copy in copies:
        refused(sandbox, 4000185, "set token", copy["transactionId"])


# Query parameters -----------------------------------------------------------------------------------------------------


def _value(*values):
    return [Unlisted(value) for value in values]


QUERIES = [
    (4000015, {"startDate": "yesterday"}, "startDate=yesterday"),
    (4000015, {"startDate": -1}, "startDate=-1"),
    (4000015, {"startDate": 1.5}, "startDate=1.5"),
    (4000015, {"startDate": ""}, "startDate="),
    (4000015, {"startDate": "9" * 30}, "startDate=" + "9" * 30),
    (4000016, {"endDate": "2026-01-01"}, "endDate=2026-01-01"),
    (4000016, {"endDate": "1e12"}, "endDate=1e12"),
    # The end of the range is before its start or equal to it. Apple documents no code for this; this code is
    # recommended.
    (4000015, {"startDate": 5000, "endDate": 4000}, "startDate=5000&endDate=4000"),
    (4000015, {"startDate": 5000, "endDate": 5000}, "startDate=5000&endDate=5000"),
    (4000021, {"sort": Unlisted("NEWEST")}, "sort=NEWEST"),
    (4000021, {"sort": Unlisted("ascending")}, "sort=ascending"),
    (4000021, {"sort": Unlisted("")}, "sort="),
    (4000022, {"productTypes": _value("Consumable")}, "productType=Consumable"),
    (4000022, {"productTypes": _value("CONSUMABLE", "SOMETHING")}, "productType=CONSUMABLE&productType=SOMETHING"),
    (4000022, {"productTypes": _value("CONSUMABLE,NON_CONSUMABLE")}, "productType=CONSUMABLE,NON_CONSUMABLE"),
    (4000023, {"productIds": [""]}, "productId="),
    (4000023, {"productIds": ["x" * 300]}, "productId=" + "x" * 300),
    (4000024, {"subscriptionGroupIdentifiers": [""]}, "subscriptionGroupIdentifier="),
    (4000024, {"subscriptionGroupIdentifiers": ["1" * 300]}, "subscriptionGroupIdentifier=" + "1" * 300),
    (4000026, {"inAppOwnershipType": Unlisted("MINE")}, "inAppOwnershipType=MINE"),
    (4000026, {"inAppOwnershipType": Unlisted("purchased")}, "inAppOwnershipType=purchased"),
    (4000030, {"revoked": "maybe"}, "revoked=maybe"),
    (4000030, {"revoked": 1}, "revoked=1"),
    (4000030, {"revoked": ""}, "revoked="),
    (4000005, {"revision": "nonsense"}, "revision=nonsense"),
    (4000005, {"revision": ""}, "revision="),
]


@pytest.mark.parametrize("version", [V2, V1])
@pytest.mark.parametrize("code, filters, query", QUERIES, ids=[query[:40] for _, _, query in QUERIES])
def test_a_wrong_query_parameter_of_history_is_rejected_with_its_own_code(app, known, version, code, filters, query):
    filters = dict(filters)
    revision = filters.pop("revision", None)
    if revision == "":
        answer = app.sandbox.send("GET", f"/inApps/{version.value}/history/{known}?{query}")
        app.sandbox.check_error(answer, code)
        return
    app.sandbox.refused(
        code,
        lambda client: client.get_transaction_history(
            known, revision, TransactionHistoryRequest(**filters), version),
        "GET", f"/inApps/{version.value}/history/{known}?{query}",
    )


@pytest.fixture(scope="module")
def known(app):
    """The transaction id of a purchase."""
    return app.sandbox.buy("errors", COINS).id


def test_the_deprecated_excludeRevoked_has_the_error_code_of_revoked(app, known):
    answer = app.sandbox.send("GET", f"/inApps/v2/history/{known}?excludeRevoked=perhaps")
    app.sandbox.check_error(answer, 4000030)


@pytest.mark.parametrize("status", ["0", "6", "9", "active", "", "1,2", "1.0", "-1", "11"])
def test_a_wrong_status_is_rejected(app, known, status):
    app.sandbox.refused(
        4000031,
        lambda client: client.get_all_subscription_statuses(known, _value(status)),
        "GET", f"/inApps/v1/subscriptions/{known}?status={status}",
    )
    answer = app.sandbox.send("GET", f"/inApps/v1/subscriptions/{known}?status=1&status={status}")
    app.sandbox.check_error(answer, 4000031)


@pytest.mark.parametrize("order", ["M-1", "M12345678!", "x" * 200, "M%20A", "MÄ12345678", ""])
def test_a_malformed_order_id_is_a_bad_request(environment, order):
    environment.refused(4000000, lambda client: client.look_up_order_id(order), "GET", f"/inApps/v1/lookup/{order}")


# Revisions ------------------------------------------------------------------------------------------------------------


def _refuses_revision(environment, id_, revision, version=V2, **filters):
    query = {"revision": revision}
    if "sort" in filters:
        query["sort"] = filters["sort"].value
    if "productIds" in filters:
        query["productId"] = filters["productIds"]
    return environment.refused(
        4000005,
        lambda client: client.get_transaction_history(id_, revision, TransactionHistoryRequest(**filters), version),
        "GET", f"/inApps/{version.value}/history/{id_}", params=query,
    )


def test_a_revision_is_valid_only_for_its_own_query(app, other_app, sandbox, customer):
    """A revision is rejected with another customer, route, order, filter, environment or app, or with a changed
    character."""
    mine, other = sandbox.buy(customer, COINS), sandbox.buy(customer + "-other", COINS)
    abroad = app.production.buy(customer, COINS)
    neighbour = other_app.sandbox.buy(customer, COINS)
    revision = sandbox.whole_history(mine.id)[1]
    assert sandbox.whole_history(mine.app_transaction_id, revision=revision)[0] == []
    assert "customer" in _refuses_revision(sandbox, other.id, revision)["explanation"]
    assert "route" in _refuses_revision(sandbox, mine.id, revision, V1)["explanation"]
    _refuses_revision(sandbox, mine.id, revision, sort=DESCENDING)
    _refuses_revision(sandbox, mine.id, revision, productIds=[COINS])
    _refuses_revision(app.production, abroad.id, revision)
    _refuses_revision(other_app.sandbox, neighbour.id, revision)
    for place in range(0, len(revision), 7):
        changed = revision[:place] + ("A" if revision[place] != "A" else "B") + revision[place + 1:]
        _refuses_revision(sandbox, mine.id, changed)
    _refuses_revision(sandbox, mine.id, revision[:-1])
    _refuses_revision(sandbox, mine.id, revision + "A")
    _refuses_revision(sandbox, mine.id, revision * 5)


def test_a_refund_revision_is_valid_only_for_the_refunds_of_the_same_customer(sandbox, customer):
    mine, other = sandbox.buy(customer, COINS), sandbox.buy(customer + "-other", COINS)
    history = sandbox.whole_history(mine.id)[1]
    refunds = sandbox.whole_refund_history(mine.id)[1]
    _refuses_revision(sandbox, mine.id, refunds)
    for id_, revision in ((mine.id, history), (other.id, refunds), (mine.id, "nonsense"), (mine.id, refunds[::-1])):
        sandbox.refused(
            4000005, lambda client: client.get_refund_history(id_, revision),
            "GET", f"/inApps/v2/refund/lookup/{id_}", params={"revision": revision},
        )


# Order of the checks --------------------------------------------------------------------------------------------------


def test_checks_run_in_the_order_token_path_query_existence(app, known):
    sandbox = app.sandbox
    wrong = "/inApps/v2/history/nonsense?sort=NEWEST&startDate=x"
    assert sandbox.send("GET", wrong, token="x.y.z").status_code == 401
    sandbox.check_error(sandbox.send("GET", wrong), 4000006)
    sandbox.check_error(sandbox.send("GET", "/inApps/v2/history/2000000999999999?sort=NEWEST"), 4000021)
    sandbox.check_error(sandbox.send("GET", "/inApps/v2/history/2000000999999999"), 4040010)
    answer = sandbox.send(
        "PUT", "/inApps/v1/transactions/2000000999999999/appAccountToken", json={"appAccountToken": "x"}
    )
    sandbox.check_error(answer, 4000183)


# The library ----------------------------------------------------------------------------------------------------------


def test_the_table_of_codes_has_every_code_of_the_official_library():
    assert {int(error) for error in APIError} <= set(error_codes.NAMES)
    assert len(error_codes.NAMES) == 94
