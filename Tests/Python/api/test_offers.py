"""Signatures of offers that Apple's library creates.

Tests/TillServerTests/API checks the rules of all offers, and every signature that is refused.
"""

import base64
import json
import uuid

import pytest
from appstoreserverlibrary.jws_signature_creator import (
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from catalog_of_everything import BASIC, COINS, EXTRA
from process_helpers import ROOT, run_till
from shop_helpers import DAY, App, ControlRefused, now_ms

OFFER_KEYS = ("offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", "price")


def offer_of(payload):
    return tuple(payload.get(key) for key in OFFER_KEYS)


def test_a_signed_eligibility_overrides_the_introductory_offer(app, sandbox, customer):
    creator = app.signer(IntroductoryOfferEligibilitySignatureCreator)
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
    with pytest.raises(ControlRefused) as refused:
        sandbox.buy(third, BASIC, offer={"kind": "INTRODUCTORY", "token": creator.create_signature(EXTRA, True, id_)})
    assert (refused.value.status, refused.value.code) == (422, "offer_signature")
    assert EXTRA in refused.value.message and BASIC in refused.value.message
    assert sandbox.control("getCustomer", customer=third)["transactions"] == 0


class Signatures:
    """Creates signatures of promotional offers in either format, with the official library."""

    def __init__(self, app, key=None):
        self.key = key or app.key
        pem = self.key["privateKey"].encode()
        self.older = PromotionalOfferSignatureCreator(pem, self.key["keyId"], app.bundle_id)
        self.newer = PromotionalOfferV2SignatureCreator(pem, self.key["keyId"], self.key["issuerId"], app.bundle_id)

    def legacy(self, product_id, offer_id):
        nonce, timestamp, username = uuid.uuid4(), now_ms(), "User-ABC@Example.com"
        signature = self.older.create_signature(product_id, offer_id, username, nonce, timestamp)
        return {"kind": "PROMOTIONAL", "id": offer_id, "keyId": self.key["keyId"], "nonce": str(nonce).upper(),
                "timestamp": timestamp, "signature": signature, "applicationUsername": username.lower()}

    def jws(self, product_id, offer_id, transaction_id=None):
        return {"kind": "PROMOTIONAL", "id": offer_id,
                "token": self.newer.create_signature(product_id, offer_id, transaction_id)}


@pytest.fixture
def signatures(app):
    return Signatures(app)


@pytest.mark.parametrize("form", ["legacy", "jws"])
@pytest.mark.parametrize("offer_id, wanted", [
    ("stay3", (2, "stay3", "PAY_AS_YOU_GO", "P3M", 2990)), ("half", (2, "half", "PAY_UP_FRONT", "P6M", 9990)),
    ("month", (2, "month", "FREE_TRIAL", "P1M", 0)),
])
def test_a_promotional_offer_starts_with_the_purchase_of_a_lapsed_customer(
    environment, customer, signatures, form, offer_id, wanted
):
    environment.lapsed(customer, BASIC)
    bought = environment.buy(customer, BASIC, offer=getattr(signatures, form)(BASIC, offer_id))
    assert offer_of(bought.payload) == wanted
    assert "resubscribed" in bought.events
    if offer_id == "half":
        assert bought.payload["expiresDate"] - bought.payload["purchaseDate"] > 180 * DAY


def test_the_token_may_name_the_customer_by_any_transaction(sandbox, customer, signatures):
    old = sandbox.lapsed(customer, BASIC)
    sandbox.buy(customer, BASIC, offer=signatures.jws(BASIC, "month", old.id))
    sandbox.buy(customer, BASIC, offer=signatures.jws(BASIC, "stay3", old.app_transaction_id))


def test_the_used_offers_of_a_customer_are_listed(sandbox, customer, signatures):
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
    private = ec.generate_private_key(ec.SECP256R1())

    def encoded(encoding):
        return private.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    file = json.loads((ROOT / "Tests/Fixtures/storekit/v5.0.storekit").read_text())
    file["subscriptionOffersKeyPair"] = {
        "id": "0FFE4C1E", "privateKey": base64.b64encode(encoded(serialization.Encoding.DER)).decode(),
    }
    app = App(server, "com.example.xcodekey", None, team)
    control.call("importStoreKitFile", file, bundleId=app.bundle_id)
    product = "com.example.loom.workshop.month"
    app.sandbox.lapsed(customer, product)
    pem = encoded(serialization.Encoding.PEM).decode()
    signatures = Signatures(app, key={"keyId": "0FFE4C1E", "privateKey": pem, "issuerId": app.issuer_id})
    bought = app.sandbox.buy(customer, product, offer=signatures.legacy(product, "warp"))
    assert offer_of(bought.payload) == (2, "warp", "PAY_AS_YOU_GO", "P3M", 3990)
