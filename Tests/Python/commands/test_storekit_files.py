"""Imports StoreKit files of versions 1.0 to 5.0, buys every product, and compares the purchases with the history.

The test computes the expected history from the file and from the signed data of each purchase. It also uses the files
in the folder TILL_EXTRA_STOREKIT_DIR.
"""

import itertools
import json
import os
import re
import time
from decimal import Decimal
from pathlib import Path

import pytest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.TransactionHistoryRequest import ProductType

from payload_rules import TYPES
from process_helpers import ROOT
from shop_helpers import DAY, DESCENDING, App, ControlRefused, LeafReader, now_ms

FIXTURES = sorted((ROOT / "Tests/Fixtures/storekit").glob("*.storekit"))
EXTRA = os.environ.get("TILL_EXTRA_STOREKIT_DIR")
FILES = FIXTURES + (sorted(Path(EXTRA).glob("*.storekit")) if EXTRA else [])
CURRENCIES = {"USA": "USD", "JPN": "JPY", "DEU": "EUR", "GBR": "GBP", "CAN": "CAD", "AUS": "AUD", "FRA": "EUR"}
MODES = {"free": "FREE_TRIAL", "payAsYouGo": "PAY_AS_YOU_GO", "payUpFront": "PAY_UP_FRONT"}
FILE_TYPES = {"Consumable": "CONSUMABLE", "NonConsumable": "NON_CONSUMABLE", "NonRenewingSubscription": "NON_RENEWABLE",
              "RecurringSubscription": "AUTO_RENEWABLE"}
MORE = 24


class Product:
    """A product in a file, with the values that a purchase must have."""

    def __init__(self, entry, group=None):
        self.id = entry["productID"]
        self.query_type = FILE_TYPES[entry["type"]]
        self.group = group
        self.is_shareable = entry.get("familyShareable", False)
        offers = [entry.get("introductoryOffer"), *entry.get("introductoryOffers", [])]
        offers = [offer for offer in offers if offer and offer.get("billingPlanType") != "MONTHLY"]
        self.introductory = offers[0] if offers else None
        self.price = _milliunits(entry["displayPrice"])
        plans = {plan["billingPlanType"] for plan in entry.get("billingPlans", []) if plan.get("isEnabled")}
        self.plan = "BILLED_UPFRONT" if "MONTHLY" in plans else None

    def check(self, payload, storefront, takes_offer):
        """Checks that a purchase has exactly the values of the product in the file."""
        assert payload["productId"] == self.id and payload["type"] == TYPES[self.query_type]
        assert payload.get("subscriptionGroupIdentifier") == self.group
        assert payload.get("billingPlanType") == self.plan, "present exactly if the product has several plans"
        assert payload["storefront"] == storefront and payload["currency"] == CURRENCIES[storefront]
        offer = self.introductory if takes_offer else None
        if offer is None:
            assert "offerType" not in payload
            assert payload["price"] == self.price * payload["quantity"]
            return
        mode = MODES[offer["paymentMode"]]
        count, unit = re.fullmatch(r"P(\d+)([DWMY])", offer["subscriptionPeriod"]).groups()
        assert (payload["offerType"], payload["offerDiscountType"]) == (1, mode)
        assert payload["offerPeriod"] == f"P{int(count) * offer.get('numberOfPeriods', 1)}{unit}"
        assert payload["price"] == (0 if mode == "FREE_TRIAL" else _milliunits(offer["displayPrice"]))


def _milliunits(price):
    return int(Decimal(str(price)) * 1000)


def products_of(document):
    found = [Product(entry) for entry in document.get("products", []) + document.get("nonRenewingSubscriptions", [])]
    for group in document.get("subscriptionGroups", []):
        found += [Product(entry, group["id"]) for entry in group["subscriptions"]]
    return found


class Model:
    """The expected history of a customer: payloads in the order of their last change."""

    def __init__(self, any_id):
        self.any_id = any_id
        self.rows = []

    def enter(self, payload):
        self.rows = [row for row in self.rows if row["transactionId"] != payload["transactionId"]] + [payload]

    def expected(self, filters):
        return [row for row in self.rows if all(PASSES[name](row, value) for name, value in filters.items())]


QUERY_TYPES = {name: query for query, name in TYPES.items()}
PASSES = {
    "productIds": lambda row, ids: row["productId"] in ids,
    "productTypes": lambda row, types: QUERY_TYPES[row["type"]] in [type_.value for type_ in types],
    "inAppOwnershipType": lambda row, ownership: row["inAppOwnershipType"] == ownership.value,
    "subscriptionGroupIdentifiers": lambda row, groups: row.get("subscriptionGroupIdentifier") in groups,
    "revoked": lambda row, revoked: ("revocationDate" in row) == revoked,
    "startDate": lambda row, date: row["purchaseDate"] >= date,
    "endDate": lambda row, date: row["purchaseDate"] < date,
}


def filter_values(products, dates):
    """The values to test for each filter. Two of them are also combined with the values of every other filter."""
    product_ids = [product.id for product in products]
    groups = sorted({product.group for product in products if product.group})
    return {
        "productIds": [product_ids[:1], product_ids[1::2], product_ids, ["com.example.nothing"]],
        "productTypes": [[ProductType.CONSUMABLE, ProductType.AUTO_RENEWABLE], [ProductType.NON_CONSUMABLE],
                         *([type_] for type_ in ProductType)],
        "inAppOwnershipType": [InAppOwnershipType.PURCHASED, InAppOwnershipType.FAMILY_SHARED],
        "subscriptionGroupIdentifiers": [groups or ["1"], ["99999999"], *([group] for group in groups)],
        "revoked": [True, False],
        "startDate": [dates[len(dates) // 4], dates[-1], 0],
        "endDate": [dates[3 * len(dates) // 4], dates[-1] + 1, dates[0]],
    }


def filters_and_pairs(values):
    yield {}
    for name, choices in values.items():
        for choice in choices:
            yield {name: choice}
    for one, other in itertools.combinations(values, 2):
        for first, second in itertools.product(values[one][:2], values[other][:2]):
            if (one, other) == ("startDate", "endDate") and first >= second:
                continue
            yield {one: first, other: second}


class Reader:
    """Reads histories with Apple's client, and counts the calls."""

    def __init__(self, environment):
        self.environment = environment
        self.leaf = LeafReader(environment)
        self.calls = 0

    def read(self, any_id, filters):
        rows = []
        for page in self.environment.history(any_id, verify=False, **filters):
            self.calls += 1
            rows += [self.leaf.open(jws) for jws in page.transactions]
        for row in rows:
            row.pop("signedDate")
        return rows


def sell(environment, clock, products, storefront):
    """Buys each product once and some consumables more often, and refunds a few purchases, with one operation per hour.
    Subscriptions are cancelled at once, so none renews.

    The first customer buys the first product of each group and all other products, the second customer buys the second
    product of each group, and so on.

    Returns the models of the customers, and every purchase date.
    """
    def an_hour_later():
        clock.advance(by="PT1H")
        return clock.now

    models = {"0": Model(environment.control("getCustomer", customer="0")["appTransactionId"])}
    bought, dates, places = [], [clock.now], {}
    for product in products:
        place = places[product.group] = places.get(product.group, -1) + 1
        customer = "0" if product.group is None else str(place)
        if customer not in models:
            clock.take(customer, storefront=storefront)
        at = an_hour_later()
        purchase = environment.buy(
            customer, product.id, storefront=storefront, quantity=3 if product.query_type == "CONSUMABLE" else 1,
        )
        product.check(purchase.payload, storefront, takes_offer=product.query_type == "AUTO_RENEWABLE")
        assert purchase.payload["purchaseDate"] == at
        assert purchase.id not in bought, f"{product.id} has no transaction of its own"
        if product.query_type == "AUTO_RENEWABLE":
            assert environment.cancel(purchase.id).transaction.lasting == purchase.transaction.lasting
        bought.append(purchase.id)
        dates.append(at)
        models.setdefault(customer, Model(purchase.id)).enter(purchase.transaction.lasting)
    consumables = [product for product in products if product.query_type == "CONSUMABLE"]
    for product in itertools.islice(itertools.cycle(consumables), MORE if consumables else 0):
        dates.append(an_hour_later())
        purchase = environment.buy("0", product.id, storefront=storefront, finished=True)
        assert purchase.payload["purchaseDate"] == clock.now
        models["0"].enter(purchase.transaction.lasting)

    # Every third purchase is refunded, and every second refund is reversed.
    for number, row in enumerate(models["0"].rows[::3]):
        an_hour_later()
        models["0"].enter(environment.refund(row["transactionId"], reason=number % 2).transaction.lasting)
        if number % 2:
            an_hour_later()
            models["0"].enter(environment.reverse(row["transactionId"]).transaction.lasting)
    return models, dates


@pytest.mark.parametrize("number, file", list(enumerate(FILES)), ids=[file.name for file in FILES])
def test_all_products_of_a_file_can_be_bought_and_found_with_every_filter_and_pair(
    server, control, team, capsys, number, file
):
    document = json.loads(file.read_text())
    products = products_of(document)
    storefront = document.get("settings", {}).get("_storefront", "USA")
    app = App(server, control, f"com.example.file{number}", None, team)
    summary = control.call("importStoreKitFile", document, bundleId=app.bundle_id)
    version = document.get("version")
    assert summary.get("version") == (f"{version['major']}.{version['minor']}" if version else None)
    assert summary["products"] == len(products)
    assert summary["groups"] == len(document.get("subscriptionGroups", []))
    environment = app.sandbox if number % 2 == 0 else app.production
    begun = time.monotonic()

    start = now_ms() // 1000 * 1000 - 20 * DAY
    with environment.on_clock("0", start, storefront=storefront) as clock:
        clock.take("member", storefront=storefront)
        models, dates = sell(environment, clock, products, storefront)
        clock.advance(to=now_ms())
    member = Model(environment.control("getCustomer", customer="member")["appTransactionId"])
    bought = {row["transactionId"] for model in models.values() for row in model.rows}

    # A new member joins the first customer's family and gets the shareable purchases that this customer still owns.
    reader = Reader(environment)
    environment.control("createFamily", {"organizer": "0", "members": ["member"]})
    by_id = {product.id: product for product in products}
    held = [
        row for row in models["0"].rows
        if by_id[row["productId"]].is_shareable and "revocationDate" not in row
        and row.get("expiresDate", now_ms() + DAY) > now_ms()
    ]
    copies = reader.read(member.any_id, {})
    assert sorted(copy["productId"] for copy in copies) == sorted(row["productId"] for row in held)
    originals = {row["productId"]: row for row in held}
    for copy in copies:
        original = originals[copy["productId"]]
        assert copy["inAppOwnershipType"] == "FAMILY_SHARED" and copy["transactionId"] not in bought
        assert copy["appTransactionId"] == member.any_id
        for key in ("productId", "type", "subscriptionGroupIdentifier", "expiresDate"):
            assert copy.get(key) == original.get(key), key
        dates.append(copy["purchaseDate"])
        member.enter(copy)
    consumable = next((product for product in products if product.query_type == "CONSUMABLE"), None)
    if consumable:
        member.enter(environment.buy("member", consumable.id, storefront=storefront).transaction.lasting)
    models["member"] = member

    asked = 0
    for name, model in models.items():
        wide = name in ("0", "member")
        for filters in filters_and_pairs(filter_values(products, sorted(dates))) if wide else [{}]:
            expected = model.expected(filters)
            asked += 1
            assert reader.read(model.any_id, filters) == expected, f"{name} under {filters}"
            backwards = reader.read(model.any_id, {**filters, "sort": DESCENDING})
            assert backwards == expected[::-1], f"{name} under {filters}, descending"
    rows = sum(len(model.rows) for model in models.values())
    with capsys.disabled():
        print(f"\n{file.name}: version {summary.get('version', 'unknown')}, {len(products)} products, "
              f"{summary['groups']} groups, {summary['offers']} offers; {len(products)} products bought, {rows} "
              f"transactions of {len(models)} customers; {asked} filters and pairs, {reader.calls} history calls, "
              f"{time.monotonic() - begun:.1f} s", end=" ")


def test_all_file_versions_are_tested():
    versions = {
        f"{version['major']}.{version['minor']}"
        for version in (json.loads(file.read_text())["version"] for file in FIXTURES)
    }
    assert versions >= {"1.0", "1.1", "1.2", "2.0", "3.0", "4.0", "5.0"}


@pytest.mark.parametrize("file", sorted((ROOT / "Tests/Fixtures/storekit/refused").glob("*.storekit")),
                         ids=lambda file: file.name)
def test_an_invalid_file_is_rejected_as_a_whole_with_every_error(app, control, file):
    """Each error has its JSON path, the expected value and the actual value. The catalog does not change."""
    before = control.call("getCatalog", bundleId=app.bundle_id)
    answer = control.session.put(
        f"{control.address}/v1/apps/{app.bundle_id}/catalog/storekit", data=file.read_bytes(),
        headers={"Content-Type": "application/json"}, timeout=30,
    )
    with pytest.raises(ControlRefused) as refused:
        control.check_answer("importStoreKitFile", answer)
    assert refused.value.status == 400 and refused.value.faults
    for fault in refused.value.faults:
        assert fault["path"].startswith("$") and fault["expected"] and fault["found"]
    assert control.call("getCatalog", bundleId=app.bundle_id) == before


def test_importing_again_changes_future_purchases_only(server, control, team):
    file = json.loads(FIXTURES[0].read_text())
    app = App(server, control, "com.example.again", None, team)
    control.call("importStoreKitFile", file, bundleId=app.bundle_id)
    dear = next(entry for entry in file["products"] if entry["type"] == "Consumable")
    gone = next(entry for entry in file["products"] if entry["type"] == "NonConsumable")
    environment = app.sandbox
    first, second = environment.buy("ann", dear["productID"]), environment.buy("ann", gone["productID"])
    dear["displayPrice"] = "77.70"
    file["products"].remove(gone)
    summary = control.call("importStoreKitFile", file, bundleId=app.bundle_id)
    assert summary["removedFromSale"] == 1
    assert environment.buy("ann", dear["productID"]).payload["price"] == 77_700
    with pytest.raises(ControlRefused) as refused:
        environment.buy("bob", gone["productID"])
    assert (refused.value.status, refused.value.code) == (409, "product_not_for_sale")
    found = {signed["transactionId"]: signed.lasting for signed in environment.whole_history(first.id)[0]}
    assert found[first.id] == first.transaction.lasting and found[second.id] == second.transaction.lasting
    dear["type"] = "NonConsumable"
    with pytest.raises(ControlRefused) as refused:
        control.call("importStoreKitFile", file, bundleId=app.bundle_id)
    assert refused.value.status == 400, "the type of a sold product was changed"
