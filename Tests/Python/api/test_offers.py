"""Offers of all four kinds: eligibility, prices, and signatures of promotional offers."""

import base64
import json
import time
import uuid

import pytest
from appstoreserverlibrary.jws_signature_creator import (
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator

from catalog_of_everything import BASIC, COINS, EXTRA, FOREVER, ONE, PRO, SEASON, SOLO, TICKETS
from process_helpers import AppleKey, b64url
from shop_helpers import DAY, ControlRefused, now_ms

OFFER_KEYS = ("offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", "price")
NO_OFFER = {"kind": "NONE"}


def offer_of(payload):
    return tuple(payload.get(key) for key in OFFER_KEYS)


def pending(renewal):
    """The offer of the next period, and the renewal price."""
    return tuple(renewal.get(key) for key in (*OFFER_KEYS[:-1], "renewalPrice"))


def refuses(environment, customer, product_id, status, code, *words, **options):
    """Checks that the purchase is rejected with a reason and stores nothing."""
    def rows():
        try:
            return environment.control("getCustomer", customer=customer)["transactions"]
        except ControlRefused:
            return 0

    before = rows()
    with pytest.raises(ControlRefused) as refused:
        environment.buy(customer, product_id, **options)
    assert (refused.value.status, refused.value.code) == (status, code), refused.value
    for word in words:
        assert str(word) in refused.value.message, refused.value.message
    assert rows() == before
    return refused.value


# Introductory ---------------------------------------------------------------------------------------------------------


def test_the_introductory_offer_applies_automatically_once_per_group(environment, customer):
    free = environment.buy(customer, BASIC)
    assert offer_of(free.payload) == (1, None, "FREE_TRIAL", "P1W", 0)
    # A week in Pacific time is an hour shorter or longer if it contains a change to or from daylight saving time.
    length = free.payload["expiresDate"] - free.payload["purchaseDate"]
    assert length in (7 * DAY, 7 * DAY - 3_600_000, 7 * DAY + 3_600_000)
    assert pending(free.renewal) == (None, None, None, None, 4990)
    paid = environment.buy(customer, EXTRA)
    assert offer_of(paid.payload) == (1, None, "PAY_AS_YOU_GO", "P4W", 490), "each group has its own introductory offer"
    assert pending(paid.renewal) == (1, None, "PAY_AS_YOU_GO", "P4W", 490), "three of four periods are left"


def test_the_introductory_offer_does_not_apply_twice_or_when_declined(sandbox, customer):
    declined = sandbox.buy(customer, EXTRA, offer=NO_OFFER)
    assert offer_of(declined.payload) == (None, None, None, None, 1490)
    sandbox.buy(customer, BASIC, at=now_ms())
    lapsed = customer + "-lapsed"
    assert offer_of(sandbox.lapsed(lapsed, BASIC, offer=None).payload)[0] == 1
    again = sandbox.buy(lapsed, BASIC)
    assert offer_of(again.payload) == (None, None, None, None, 4990)
    refuses(sandbox, lapsed + "-b", PRO, 404, "unknown_offer", offer={"kind": "INTRODUCTORY"})
    used = customer + "-used"
    sandbox.lapsed(used, BASIC, offer=None)
    refuses(sandbox, used, BASIC, 409, "introductory_offer_used", ONE, offer={"kind": "INTRODUCTORY"})


def test_a_signed_eligibility_overrides_the_introductory_offer(app, sandbox, customer):
    creator = IntroductoryOfferEligibilitySignatureCreator(
        app.key["privateKey"].encode(), app.key["keyId"], app.issuer_id, app.bundle_id
    )
    used = sandbox.lapsed(customer, BASIC, offer=None)
    allowed = creator.create_signature(BASIC, True, used.app_transaction_id)
    again = sandbox.buy(customer, BASIC, offer={"kind": "INTRODUCTORY", "token": allowed})
    assert offer_of(again.payload) == (1, None, "FREE_TRIAL", "P1W", 0)
    other = customer + "-b"
    id_ = sandbox.create(other)["appTransactionId"]
    denied = creator.create_signature(BASIC, False, id_)
    bought = sandbox.buy(other, BASIC, offer={"kind": "INTRODUCTORY", "token": denied})
    assert offer_of(bought.payload) == (None, None, None, None, 4990)
    third = customer + "-c"
    id_ = sandbox.create(third)["appTransactionId"]
    refuses(sandbox, third, BASIC, 422, "offer_signature", EXTRA, BASIC,
            offer={"kind": "INTRODUCTORY", "token": creator.create_signature(EXTRA, True, id_)})


# Promotional ----------------------------------------------------------------------------------------------------------


class Signatures:
    """Creates signatures of promotional offers in either format, with the official library."""

    def __init__(self, app, key=None, bundle_id=None):
        self.key = key or app.key
        pem = self.key["privateKey"].encode()
        bundle_id = bundle_id or app.bundle_id
        self.older = PromotionalOfferSignatureCreator(pem, self.key["keyId"], bundle_id)
        self.newer = PromotionalOfferV2SignatureCreator(pem, self.key["keyId"], self.key["issuerId"], bundle_id)

    def legacy(self, product_id, offer_id, username="", nonce=None, timestamp=None):
        nonce, timestamp = nonce or uuid.uuid4(), timestamp or now_ms()
        signature = self.older.create_signature(product_id, offer_id, username, nonce, timestamp)
        offer = {"kind": "PROMOTIONAL", "id": offer_id, "keyId": self.key["keyId"], "nonce": str(nonce),
                 "timestamp": timestamp, "signature": signature}
        return {**offer, "applicationUsername": username} if username else offer

    def jws(self, product_id, offer_id, transaction_id=None):
        return {"kind": "PROMOTIONAL", "id": offer_id,
                "token": self.newer.create_signature(product_id, offer_id, transaction_id)}


@pytest.fixture(params=["legacy", "jws"])
def form(request):
    return request.param


@pytest.fixture
def signatures(app):
    return Signatures(app)


def signed(signatures, form, product_id, offer_id):
    return getattr(signatures, form)(product_id, offer_id)


@pytest.mark.parametrize("offer_id, wanted", [
    ("stay3", (2, "stay3", "PAY_AS_YOU_GO", "P3M", 2990)), ("half", (2, "half", "PAY_UP_FRONT", "P6M", 9990)),
    ("month", (2, "month", "FREE_TRIAL", "P1M", 0)),
])
def test_a_promotional_offer_starts_with_the_purchase_of_a_lapsed_customer(
    environment, customer, signatures, form, offer_id, wanted
):
    environment.lapsed(customer, BASIC)
    bought = environment.buy(customer, BASIC, offer=signed(signatures, form, BASIC, offer_id))
    assert offer_of(bought.payload) == wanted
    assert "resubscribed" in bought.events
    if offer_id == "half":
        assert bought.payload["expiresDate"] - bought.payload["purchaseDate"] > 180 * DAY


def test_a_promotional_offer_waits_for_the_next_period_of_an_active_customer(sandbox, customer, signatures, form):
    running = sandbox.buy(customer, BASIC, offer=NO_OFFER)
    taken = sandbox.buy(customer, BASIC, offer=signed(signatures, form, BASIC, "stay3"))
    assert taken.id == running.id and taken.events == ["offerRedeemed"]
    assert taken.transaction.lasting == running.transaction.lasting
    assert pending(taken.renewal) == (2, "stay3", "PAY_AS_YOU_GO", "P3M", 2990)
    taken = sandbox.buy(customer, BASIC, offer=signed(signatures, form, BASIC, "month"))
    assert pending(taken.renewal) == (2, "month", "FREE_TRIAL", "P1M", 0), "the second replaces the first"


def test_the_signed_username_and_nonce_are_case_insensitive(sandbox, customer, signatures):
    sandbox.lapsed(customer, BASIC)
    offer = signatures.legacy(BASIC, "month", username="User-ABC@Example.com")
    offer["applicationUsername"] = "user-abc@example.COM"
    offer["nonce"] = offer["nonce"].upper()
    assert sandbox.buy(customer, BASIC, offer=offer).payload["offerIdentifier"] == "month"


def test_the_token_may_name_the_customer_by_any_transaction(sandbox, customer, signatures):
    old = sandbox.lapsed(customer, BASIC)
    sandbox.buy(customer, BASIC, offer=signatures.jws(BASIC, "month", old.id))
    sandbox.buy(customer, BASIC, offer=signatures.jws(BASIC, "stay3", old.app_transaction_id))


def test_a_token_for_another_customer_is_rejected(sandbox, customer, signatures):
    sandbox.lapsed(customer, BASIC)
    other = sandbox.lapsed(customer + "-other", BASIC)
    refuses(sandbox, customer, BASIC, 422, "offer_signature", other.id,
            offer=signatures.jws(BASIC, "month", other.id))


def test_a_nonce_is_valid_once(sandbox, customer, signatures, form):
    sandbox.lapsed(customer, BASIC)
    offer = signed(signatures, form, BASIC, "month")
    sandbox.buy(customer, BASIC, offer=offer)
    with pytest.raises(ControlRefused) as refused:
        sandbox.buy(customer, BASIC, offer=offer)
    assert (refused.value.status, refused.value.code) == (409, "offer_signature_used")


@pytest.mark.parametrize("change", [
    {"signature": "AAAA"}, {"signature": "not base64!"}, {"signature": ""}, {"nonce": str(uuid.uuid4())},
    {"nonce": "no-uuid"}, {"timestamp": 1_700_000_000_000}, {"applicationUsername": "someone"},
    {"keyId": "UNKNOWNKEY"}, {"id": "half"},
])
def test_a_legacy_signature_over_other_values_is_rejected_with_the_reason(sandbox, customer, signatures, change):
    sandbox.lapsed(customer, BASIC)
    refused = refuses(sandbox, customer, BASIC, 422, "offer_signature",
                      offer={**signatures.legacy(BASIC, "month"), **change})
    name, value = next(iter(change.items()))
    if name == "keyId":
        assert value in refused.message and signatures.key["keyId"] in refused.message, "does not name the valid key"
    if value == "no-uuid":
        assert value in refused.message and "UUID" in refused.message


def test_a_signature_for_another_product_offer_or_app_is_rejected(app, other_app, sandbox, customer, signatures, form):
    sandbox.lapsed(customer, BASIC)
    refuses(sandbox, customer, BASIC, 422, "offer_signature", offer=signed(signatures, form, PRO, "month"))
    refuses(sandbox, customer, BASIC, 422, "offer_signature",
            offer={**signed(signatures, form, BASIC, "half"), "id": "month"})
    elsewhere = Signatures(app, bundle_id=other_app.bundle_id)
    refuses(sandbox, customer, BASIC, 422, "offer_signature", offer=signed(elsewhere, form, BASIC, "month"))


def test_a_signature_with_another_teams_key_or_a_revoked_key_is_rejected(
    app, foreign_app, control, sandbox, customer, form
):
    sandbox.lapsed(customer, BASIC)
    foreign = Signatures(app, key=foreign_app.key)
    refuses(sandbox, customer, BASIC, 422, "offer_signature", foreign_app.key["keyId"], app.key["keyId"],
            offer=signed(foreign, form, BASIC, "month"))
    key = control.call("createKey", {"name": "offers", "issuerId": app.issuer_id})
    control.call("revokeKey", keyId=key["keyId"])
    refuses(sandbox, customer, BASIC, 422, "offer_signature", key["keyId"],
            offer=signed(Signatures(app, key=key), form, BASIC, "month"))
    liar = {**foreign_app.key, "keyId": app.key["keyId"], "issuerId": app.issuer_id}
    refuses(sandbox, customer, BASIC, 422, "offer_signature", app.key["keyId"],
            offer=signed(Signatures(app, key=liar), form, BASIC, "month"))


def test_a_legacy_signature_is_valid_for_a_day(sandbox, customer, signatures):
    sandbox.lapsed(customer, BASIC)
    refuses(sandbox, customer, BASIC, 422, "offer_signature", "expired",
            offer=signatures.legacy(BASIC, "month", timestamp=now_ms() - DAY - 5_000))
    refuses(sandbox, customer, BASIC, 422, "offer_signature", "future",
            offer=signatures.legacy(BASIC, "month", timestamp=now_ms() + 3_600_000))
    sandbox.buy(customer, BASIC, offer=signatures.legacy(BASIC, "month", timestamp=now_ms() - DAY + 60_000))


def test_a_modified_jws_signature_is_rejected_with_the_reason(app, sandbox, customer, signatures):
    sandbox.lapsed(customer, BASIC)
    key = AppleKey(app.key, app.bundle_id)
    now = int(time.time())
    claims = {"iss": app.issuer_id, "iat": now, "aud": "promotional-offer", "bid": app.bundle_id,
              "nonce": str(uuid.uuid4()), "productId": BASIC, "offerIdentifier": "month"}
    header = {"alg": "ES256", "kid": app.key["keyId"], "typ": "JWT"}

    def try_(token, *words):
        refuses(sandbox, customer, BASIC, 422, "offer_signature", *words,
                offer={"kind": "PROMOTIONAL", "id": "month", "token": token})

    good = key.raw_token(header, claims)
    head, _, signature = good.split(".")
    changed = b64url(json.dumps({**claims, "offerIdentifier": "half"}).encode())
    try_(f"{head}.{changed}.{signature}", "signature")
    try_("nonsense")
    try_(good[:-3] + "AAA")
    try_(key.raw_token({**header, "alg": "none"}, claims), "none")
    try_(key.raw_token({"alg": "ES256"}, claims), "kid")
    try_(key.raw_token(header, {**claims, "aud": "introductory-offer-eligibility"}), "aud")
    try_(key.raw_token(header, {**claims, "aud": "appstoreconnect-v1"}), "aud")
    try_(key.raw_token(header, {**claims, "iss": str(uuid.uuid4())}), "iss")
    try_(key.raw_token(header, {**claims, "bid": "com.example.other"}), "com.example.other")
    try_(key.raw_token(header, {**claims, "iat": now + 3_600}), "future")
    for claim in ("productId", "offerIdentifier", "nonce", "iat"):
        try_(key.raw_token(header, {name: value for name, value in claims.items() if name != claim}), claim)
    sandbox.buy(customer, BASIC, offer={"kind": "PROMOTIONAL", "id": "month", "token": good})


def test_a_promotional_offer_needs_a_signature_a_known_offer_and_an_earlier_subscription(
    sandbox, customer, signatures, form
):
    refuses(sandbox, customer, BASIC, 409, "offer_needs_earlier_subscription",
            offer=signed(signatures, form, BASIC, "month"))
    sandbox.lapsed(customer, BASIC)
    refuses(sandbox, customer, BASIC, 422, "offer_signature", offer={"kind": "PROMOTIONAL", "id": "month"})
    refuses(sandbox, customer, BASIC, 404, "unknown_offer", "nothing", offer=signed(signatures, form, BASIC, "nothing"))
    refuses(sandbox, customer, BASIC, 400, "offer_id_missing", offer={"kind": "PROMOTIONAL"})


def test_the_used_offers_of_a_customer_are_listed(sandbox, customer, signatures):
    from process_helpers import run_till

    sandbox.create(customer + "-new")
    assert sandbox.control("listUsedOffers", customer=customer + "-new") == []
    free = sandbox.lapsed(customer, BASIC, offer=None)
    month = sandbox.buy(customer, BASIC, offer=signatures.jws(BASIC, "month"))
    sandbox.buy(customer, COINS)
    used = sandbox.control("listUsedOffers", customer=customer)
    assert [(offer["offerType"], offer.get("offerIdentifier"), offer["transactions"]) for offer in used] == [
        (1, None, 1), (2, "month", 1),
    ]
    assert {offer["originalTransactionId"] for offer in used} == {free.payload["originalTransactionId"]}
    assert [offer["firstUseDate"] for offer in used] == [free.payload["purchaseDate"], month.payload["purchaseDate"]]
    listed = run_till("customer", "offers", customer, "--app", sandbox.app.bundle_id, "--environment", sandbox.name,
                      "--control", sandbox.app.control.address, "--json")
    assert json.loads(listed.stdout) == used


def test_the_key_pair_of_an_xcode_file_signs_offers_of_its_app(server, control, team, customer):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    from process_helpers import ROOT
    from shop_helpers import App

    private = ec.generate_private_key(ec.SECP256R1())

    def encoded(encoding):
        return private.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    file = json.loads((ROOT / "Tests/Fixtures/storekit/v5.0.storekit").read_text())
    file["subscriptionOffersKeyPair"] = {
        "id": "0FFE4C1E", "privateKey": base64.b64encode(encoded(serialization.Encoding.DER)).decode(),
    }
    app = App(server, control, "com.example.xcodekey", None, team)
    control.call("importStoreKitFile", file, bundleId=app.bundle_id)
    product = "com.example.loom.workshop.month"
    app.sandbox.lapsed(customer, product)
    pem = encoded(serialization.Encoding.PEM).decode()
    signatures = Signatures(app, key={"keyId": "0FFE4C1E", "privateKey": pem, "issuerId": app.issuer_id})
    bought = app.sandbox.buy(customer, product, offer=signatures.legacy(product, "warp"))
    assert offer_of(bought.payload) == (2, "warp", "PAY_AS_YOU_GO", "P3M", 3990)


# Codes ----------------------------------------------------------------------------------------------------------------


def test_a_code_is_valid_for_its_audience_only(sandbox, customer):
    new, active, lapsed = customer, customer + "-active", customer + "-lapsed"
    sandbox.buy(active, BASIC, offer=NO_OFFER)
    sandbox.lapsed(lapsed, BASIC)
    code = {name: {"kind": "CODE", "id": name} for name in ("SPRING", "STAYING", "BACK")}
    for wrong, name in ((new, "STAYING"), (new, "BACK"), (active, "SPRING"), (active, "BACK"), (lapsed, "SPRING"),
                        (lapsed, "STAYING")):
        refuses(sandbox, wrong, BASIC, 409, "code_not_for_audience", name, offer=code[name])
    staying = sandbox.buy(active, BASIC, offer=code["STAYING"])
    assert pending(staying.renewal) == (3, "STAYING", "PAY_AS_YOU_GO", "P2M", 1990)
    back = sandbox.buy(lapsed, BASIC, offer=code["BACK"])
    assert offer_of(back.payload) == (3, "BACK", "PAY_UP_FRONT", "P3M", 3990)


def test_a_stackable_code_follows_the_introductory_offer(sandbox, customer):
    bought = sandbox.buy(customer, BASIC, offer={"kind": "CODE", "id": "SPRING"})
    assert offer_of(bought.payload) == (1, None, "FREE_TRIAL", "P1W", 0)
    assert pending(bought.renewal) == (3, "SPRING", "FREE_TRIAL", "P2M", 0)


def test_a_code_that_does_not_stack_takes_the_place_of_the_introductory_offer(sandbox, customer):
    """The code FEW can be redeemed three times in total, and once by each customer."""
    buyers = [f"{customer}-{number}" for number in range(5)]
    for buyer in buyers[:3]:
        bought = sandbox.buy(buyer, BASIC, offer={"kind": "CODE", "id": "FEW"})
        assert offer_of(bought.payload) == (3, "FEW", "FREE_TRIAL", "P1W", 0)
        refuses(sandbox, buyer, BASIC, 409, "code_already_redeemed", "FEW", offer={"kind": "CODE", "id": "FEW"})
    refuses(sandbox, buyers[3], BASIC, 409, "code_used_up", "FEW", "3", offer={"kind": "CODE", "id": "FEW"})
    refuses(sandbox, buyers[4], BASIC, 404, "unknown_offer", "NOTHING", offer={"kind": "CODE", "id": "NOTHING"})


def test_the_limit_of_a_code_holds_for_concurrent_redemptions(app, customer):
    """Each environment has its own count."""
    from concurrent.futures import ThreadPoolExecutor

    def redeem(number):
        try:
            app.production.buy(f"{customer}-{number}", TICKETS, offer={"kind": "CODE", "id": "RARE"})
            return "bought"
        except ControlRefused as refused:
            return refused.code

    with ThreadPoolExecutor(8) as pool:
        outcomes = sorted(pool.map(redeem, range(12)))
    assert outcomes == ["bought"] * 2 + ["code_used_up"] * 10
    assert app.sandbox.buy(customer, TICKETS, offer={"kind": "CODE", "id": "RARE"}).payload["price"] == 990


def test_a_one_time_product_accepts_a_code_and_no_other_offer(sandbox, customer):
    bought = sandbox.buy(customer, TICKETS, quantity=2, offer={"kind": "CODE", "id": "GIFT"})
    assert offer_of(bought.payload) == (3, "GIFT", "ONE_TIME", None, 980)
    refuses(sandbox, customer, TICKETS, 409, "code_already_redeemed", offer={"kind": "CODE", "id": "GIFT"})
    refuses(sandbox, customer, TICKETS, 404, "unknown_offer", offer={"kind": "INTRODUCTORY"})
    refuses(sandbox, customer, TICKETS, 404, "unknown_offer", offer={"kind": "WIN_BACK", "id": "return"})
    assert offer_of(sandbox.buy(customer, TICKETS).payload) == (None, None, None, None, 1990)


# Win-back -------------------------------------------------------------------------------------------------------------


def test_a_win_back_offer_is_for_customers_whose_subscription_ran_out(environment, customer):
    offer = {"kind": "WIN_BACK", "id": "return"}
    refuses(environment, customer, BASIC, 409, "offer_needs_earlier_subscription", offer=offer)
    active = customer + "-active"
    environment.buy(active, BASIC, offer=NO_OFFER)
    refuses(environment, active, BASIC, 409, "offer_needs_no_subscription", offer=offer)
    lapsed = customer + "-lapsed"
    old = environment.lapsed(lapsed, BASIC, days=100)
    assert old.renewal is not None
    bought = environment.buy(lapsed, BASIC, offer=offer)
    assert offer_of(bought.payload) == (4, "return", "PAY_UP_FRONT", "P3M", 6990)
    assert bought.original_id == old.id and bought.id != old.id


def test_family_access_does_not_make_eligible_for_a_win_back_offer(sandbox, customer):
    member = customer + "-b"
    sandbox.lapsed(customer, BASIC)
    sandbox.control("createFamily", {"organizer": customer, "members": [member]})
    sandbox.buy(customer, BASIC, offer=NO_OFFER)
    sandbox.control("leaveFamily", customer=member)
    refuses(sandbox, member, BASIC, 409, "offer_needs_earlier_subscription", offer={"kind": "WIN_BACK", "id": "return"})


def test_in_production_a_win_back_offer_waits_until_its_criteria_are_met(production, customer):
    """The criteria are at least one paid month, and one month since the end of the subscription."""
    offer = {"kind": "WIN_BACK", "id": "return"}
    production.lapsed(customer, BASIC, days=40)
    refuses(production, customer, BASIC, 409, "win_back_not_yet", "return", offer=offer)
    never_paid = customer + "-free"
    production.lapsed(never_paid, BASIC, days=100, offer=None)
    refuses(production, never_paid, BASIC, 409, "win_back_not_yet", "return", offer=offer)


# Purchase rules -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("product_id, most", [(COINS, 10), (SEASON, 1), (FOREVER, 1), (BASIC, 1)])
def test_quantities(sandbox, customer, product_id, most):
    assert sandbox.buy(customer, product_id, quantity=most).payload["quantity"] == most
    for quantity in (0, most + 1, 11, -1):
        with pytest.raises(ControlRefused) as refused:
            sandbox.buy(customer + "-b", product_id, quantity=quantity)
        assert refused.value.status == 400


def test_a_non_consumable_is_charged_once_until_it_is_refunded(environment, customer):
    bought = environment.buy(customer, SOLO)
    free = environment.buy(customer, SOLO, price=1, currency="EUR")
    assert free.id == bought.id and free.transaction.lasting == bought.transaction.lasting
    assert (free.events, free.answer["notifications"]) == (["alreadyOwned"], [])
    environment.refund(bought.id)
    again = environment.buy(customer, SOLO)
    assert again.id != bought.id
    assert environment.control("getCustomer", customer=customer)["owned"] == [SOLO]


def test_consumables_and_non_renewing_subscriptions_can_be_bought_repeatedly(sandbox, customer):
    for product_id in (COINS, SEASON):
        first, second = sandbox.buy(customer, product_id), sandbox.buy(customer, product_id)
        assert first.id == first.original_id and second.id == second.original_id != first.id
        assert "subscriptionGroupIdentifier" not in first.transaction and "expiresDate" not in first.transaction


def test_one_subscription_of_a_group_is_active_at_a_time(sandbox, customer):
    basic = sandbox.buy(customer, BASIC, offer=NO_OFFER)
    refuses(sandbox, customer, BASIC, 409, "already_subscribed", BASIC)
    pro = sandbox.buy(customer, PRO)
    assert "upgraded" in pro.events
    assert sandbox.buy(customer, BASIC).id == pro.id, "the downgrade must wait for the next period"
    shown = sandbox.control("getCustomer", customer=customer)["subscriptions"]
    assert [(entry["productId"], entry["autoRenewProductId"], entry["status"]) for entry in shown] == [(PRO, BASIC, 1)]
    withdrawn = sandbox.buy(customer, PRO)
    assert withdrawn.id == pro.id and withdrawn.events == ["planChangeWithdrawn"]
    (last,) = sandbox.client.get_all_subscription_statuses(basic.id).data[0].lastTransactions
    renewal = sandbox.renewal_info(last.signedRenewalInfo)
    assert (renewal["productId"], renewal["autoRenewProductId"], renewal["renewalPrice"]) == (PRO, PRO, 9990)


def test_a_resubscription_keeps_the_original_id_and_has_a_line_item_of_its_own(environment, customer):
    old = environment.lapsed(customer, BASIC)
    new = environment.buy(customer, PRO)
    assert new.original_id == old.id and new.id != old.id
    assert new.payload["transactionReason"] == "PURCHASE"
    assert new.payload["originalPurchaseDate"] == old.payload["purchaseDate"]
    assert new.payload["webOrderLineItemId"] != old.payload["webOrderLineItemId"]
    info = environment.client.get_transaction_info(old.id)
    assert "isUpgraded" not in environment.transaction(info.signedTransactionInfo)


def test_a_product_outside_the_catalog_cannot_be_bought(sandbox, customer):
    refuses(sandbox, customer, "com.example.nothing", 404, "unknown_product", "com.example.nothing")
    refuses(sandbox, customer, COINS, 400, "bad_app_account_token", "nonsense", appAccountToken="nonsense")
    refuses(sandbox, customer, COINS, 400, "bad_request", "XXX", storefront="XXX")


def test_time_only_moves_forward(sandbox, customer):
    sandbox.buy(customer, COINS)
    refuses(sandbox, customer, COINS, 409, "earlier_than_last_event", at=now_ms() - DAY)


def test_invalid_refunds_are_rejected(sandbox, customer):
    bought = sandbox.buy(customer, COINS)

    def refusal(operation, body=None, id_=bought.id):
        with pytest.raises(ControlRefused) as refused:
            sandbox.control(operation, body, transactionId=id_)
        return refused.value.status, refused.value.code

    assert refusal("reverseRefund") == (409, "not_refunded")
    assert refusal("refundTransaction", {"share": "UNUSED"}) == (409, "nothing_left_to_prorate")
    assert refusal("refundTransaction", {"share": "PART"}) == (400, "bad_share")
    assert refusal("refundTransaction", {"share": "FULL", "percentage": 5}) == (400, "bad_share")
    assert refusal("refundTransaction", {"share": "PART", "percentage": 100_000}) == (400, "bad_request")
    assert refusal("refundTransaction", id_="2000000999999999") == (404, "unknown_transaction")
    sandbox.refund(bought.id)
    assert refusal("refundTransaction") == (409, "already_revoked")
