"""Rules for decoded payloads: the keys, their types, their order, and which keys occur in the same payload."""

import base64
import json
import re

# The keys have the order of real payloads.
TRANSACTION_KEYS = {
    "transactionId": str,
    "originalTransactionId": str,
    "webOrderLineItemId": str,
    "bundleId": str,
    "productId": str,
    "subscriptionGroupIdentifier": str,
    "purchaseDate": int,
    "originalPurchaseDate": int,
    "expiresDate": int,
    "quantity": int,
    "type": str,
    "appAccountToken": str,
    "inAppOwnershipType": str,
    "signedDate": int,
    "revocationReason": int,
    "revocationDate": int,
    "isUpgraded": bool,
    "offerType": int,
    "offerIdentifier": str,
    "environment": str,
    "transactionReason": str,
    "storefront": str,
    "storefrontId": str,
    "price": int,
    "currency": str,
    "offerDiscountType": str,
    "appTransactionId": str,
    "offerPeriod": str,
    "revocationType": str,
    "revocationPercentage": int,
    "billingPlanType": str,
    "commitmentInfo": dict,
    "deviceVerification": str,
    "deviceVerificationNonce": str,
}
ALWAYS_IN_TRANSACTION = {
    "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
    "quantity", "type", "inAppOwnershipType", "signedDate", "environment", "transactionReason", "storefront",
    "storefrontId", "appTransactionId",
}
RENEWAL_KEYS = {
    "expirationIntent": int,
    "originalTransactionId": str,
    "autoRenewProductId": str,
    "productId": str,
    "autoRenewStatus": int,
    "renewalPrice": int,
    "currency": str,
    "isInBillingRetryPeriod": bool,
    "priceIncreaseStatus": int,
    "gracePeriodExpiresDate": int,
    "offerType": int,
    "offerIdentifier": str,
    "signedDate": int,
    "environment": str,
    "recentSubscriptionStartDate": int,
    "renewalDate": int,
    "offerDiscountType": str,
    "offerPeriod": str,
    "eligibleWinBackOfferIds": list,
    "appAccountToken": str,
    "appTransactionId": str,
    "renewalBillingPlanType": str,
    "commitmentInfo": dict,
}
COMMITMENT_KEYS = {
    "billingPeriodNumber": int,
    "totalBillingPeriods": int,
    "commitmentExpiresDate": int,
    "commitmentPrice": int,
}
RENEWAL_COMMITMENT_KEYS = {
    "commitmentAutoRenewProductId": str,
    "commitmentAutoRenewStatus": int,
    "commitmentRenewalBillingPlanType": str,
    "commitmentRenewalDate": int,
    "commitmentRenewalPrice": int,
}
PLANS = ("BILLED_UPFRONT", "MONTHLY")
ALWAYS_IN_RENEWAL = {
    "originalTransactionId", "autoRenewProductId", "productId", "autoRenewStatus", "signedDate", "environment",
    "recentSubscriptionStartDate", "renewalDate", "appTransactionId",
}
APP_TRANSACTION_KEYS = {
    "receiptType": str,
    "appAppleId": int,
    "bundleId": str,
    "applicationVersion": str,
    "versionExternalIdentifier": int,
    "receiptCreationDate": int,
    "requestDate": int,
    "originalPurchaseDate": int,
    "originalApplicationVersion": str,
    "preorderDate": int,
    "deviceVerification": str,
    "deviceVerificationNonce": str,
    "appTransactionId": str,
    "originalPlatform": str,
}
ALWAYS_IN_APP_TRANSACTION = {
    "receiptType", "appAppleId", "bundleId", "receiptCreationDate", "originalPurchaseDate",
    "originalApplicationVersion", "appTransactionId", "originalPlatform",
}
ONLY_ON_DEVICE = {
    "applicationVersion", "versionExternalIdentifier", "requestDate", "deviceVerification", "deviceVerificationNonce",
}
SUBSCRIPTION = "Auto-Renewable Subscription"
TYPES = {
    "AUTO_RENEWABLE": SUBSCRIPTION,
    "NON_RENEWABLE": "Non-Renewing Subscription",
    "CONSUMABLE": "Consumable",
    "NON_CONSUMABLE": "Non-Consumable",
}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PERIOD = re.compile(r"P[1-9]\d*[DWMY]")


def decode(jws: str) -> tuple:
    """The header and the payload of a compact JWS. Only the format is checked."""
    parts = jws.split(".")
    assert len(parts) == 3, f"{len(parts)} parts in a JWS"
    assert "=" not in jws, "base64url with padding"
    return tuple(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in parts[:2])


def check_header(header: dict):
    """Checks that the header has exactly alg and x5c, with three certificates in standard Base64, the leaf first."""
    assert set(header) == {"alg", "x5c"}, header.keys()
    assert header["alg"] == "ES256"
    assert len(header["x5c"]) == 3
    for certificate in header["x5c"]:
        der = base64.b64decode(certificate, validate=True)
        assert base64.b64encode(der).decode() == certificate
        assert der[0] == 0x30


def no_nulls(value, path="$"):
    """Asserts that the API's answer contains no null."""
    assert value is not None, f"{path} is null"
    if isinstance(value, dict):
        for key, inner in value.items():
            no_nulls(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            no_nulls(inner, f"{path}[{place}]")


def _check_keys(payload: dict, known: dict, always: set):
    no_nulls(payload)
    assert not set(payload) - set(known), f"unknown keys {sorted(set(payload) - set(known))}"
    assert not always - set(payload), f"missing keys {sorted(always - set(payload))}"
    for key, value in payload.items():
        # In Python a bool is an int, but in JSON it is not a number.
        assert type(value) is known[key], f"{key} is {value!r}, not {known[key].__name__}"
        assert value != "", f"{key} is empty"


def check_transaction(payload: dict, environment: str, on_device: bool = False):
    """Asserts every rule for a decoded transaction that is valid for all products."""
    _check_keys(payload, TRANSACTION_KEYS, ALWAYS_IN_TRANSACTION)
    order = list(TRANSACTION_KEYS)
    assert [key for key in order if key in payload] == list(payload), "keys are not in the order of real payloads"
    assert payload["environment"] == environment
    shape = r"2000\d{12}" if environment == "Sandbox" else r"\d{15}"
    for key in ("transactionId", "originalTransactionId", "webOrderLineItemId"):
        assert key not in payload or re.fullmatch(shape, payload[key]), f"{key} is {payload[key]}"
    assert re.fullmatch(r"70\d{16}", payload["appTransactionId"]), payload["appTransactionId"]
    assert re.fullmatch(r"[A-Z]{3}", payload["storefront"]) and re.fullmatch(r"\d{6}", payload["storefrontId"])
    for key in ("purchaseDate", "originalPurchaseDate", "expiresDate", "revocationDate"):
        assert payload.get(key, 0) % 1000 == 0, f"{key} is not a whole second: {payload[key]}"
    assert payload["originalPurchaseDate"] <= payload["purchaseDate"]
    assert payload["type"] in TYPES.values()
    assert payload["inAppOwnershipType"] in ("PURCHASED", "FAMILY_SHARED")
    assert payload["transactionReason"] in ("PURCHASE", "RENEWAL")
    is_shared = payload["inAppOwnershipType"] == "FAMILY_SHARED"

    for key in ("webOrderLineItemId", "subscriptionGroupIdentifier", "expiresDate"):
        assert (key in payload) == (payload["type"] == SUBSCRIPTION), f"{key} in a {payload['type']}"
    assert payload.get("isUpgraded", True) is True, "isUpgraded is present only when it is true"
    assert "isUpgraded" not in payload or payload["type"] == SUBSCRIPTION
    if payload["type"] == "Consumable":
        assert 1 <= payload["quantity"] <= 10
    else:
        assert payload["quantity"] == 1

    assert ("price" in payload) == ("currency" in payload)
    assert ("price" in payload) == (not is_shared), "purchases have a price, family members' copies have none"
    assert payload.get("price", 0) >= 0
    assert re.fullmatch(r"[A-Z]{3}", payload.get("currency", "USD"))
    if "appAccountToken" in payload:
        assert UUID.fullmatch(payload["appAccountToken"]) and not is_shared

    assert payload.get("billingPlanType", "MONTHLY") in PLANS
    assert "billingPlanType" not in payload or payload["type"] == SUBSCRIPTION
    assert ("commitmentInfo" in payload) == (payload.get("billingPlanType") == "MONTHLY"), "monthly plans are committed"
    if "commitmentInfo" in payload:
        commitment = payload["commitmentInfo"]
        _check_keys(commitment, COMMITMENT_KEYS, set(COMMITMENT_KEYS))
        assert 1 <= commitment["billingPeriodNumber"] <= commitment["totalBillingPeriods"] == 12
        assert commitment["commitmentExpiresDate"] >= payload["expiresDate"]

    _check_offer(payload)
    if payload["type"] != SUBSCRIPTION and "offerType" in payload:
        assert payload["offerType"] == 3 and payload["offerDiscountType"] == "ONE_TIME"
        assert "offerPeriod" not in payload
    if payload.get("offerDiscountType") == "FREE_TRIAL" and not is_shared:
        assert payload["price"] == 0

    revocation = {key for key in ("revocationDate", "revocationReason", "revocationType") if key in payload}
    assert len(revocation) in (0, 3), revocation
    if revocation:
        assert payload["revocationReason"] in (0, 1)
        assert payload["revocationType"] in ("REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE")
        assert payload["revocationDate"] >= payload["purchaseDate"]
        assert (payload["revocationType"] == "FAMILY_REVOKE") == is_shared
        assert ("revocationPercentage" in payload) == (not is_shared)
        percentage = payload.get("revocationPercentage", 1)
        assert (percentage == 100_000) == (payload["revocationType"] == "REFUND_FULL")
        assert 1 <= percentage <= 100_000
    else:
        assert "revocationPercentage" not in payload

    for key in ("deviceVerification", "deviceVerificationNonce"):
        assert (key in payload) == on_device, key


def _check_offer(payload: dict):
    if "offerType" not in payload:
        assert not {"offerIdentifier", "offerDiscountType", "offerPeriod"} & set(payload)
        return
    assert payload["offerType"] in (1, 2, 3, 4)
    assert ("offerIdentifier" in payload) == (payload["offerType"] != 1)
    assert payload["offerDiscountType"] in ("FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME")
    assert "offerPeriod" in payload or payload["offerDiscountType"] == "ONE_TIME"
    assert PERIOD.fullmatch(payload.get("offerPeriod", "P1D"))


def check_renewal_info(payload: dict, environment: str):
    """Asserts every rule for decoded renewal info that is valid in every state."""
    _check_keys(payload, RENEWAL_KEYS, ALWAYS_IN_RENEWAL)
    assert payload["environment"] == environment
    assert payload["autoRenewStatus"] in (0, 1)
    for key in ("recentSubscriptionStartDate", "renewalDate"):
        assert payload[key] % 1000 == 0
    assert ("renewalPrice" in payload) == ("currency" in payload)
    assert payload.get("expirationIntent", 1) in (1, 2, 3, 4, 5)
    assert payload.get("eligibleWinBackOfferIds") != []
    assert payload.get("renewalBillingPlanType", "MONTHLY") in PLANS
    if "commitmentInfo" in payload:
        commitment = payload["commitmentInfo"]
        _check_keys(commitment, RENEWAL_COMMITMENT_KEYS, set(RENEWAL_COMMITMENT_KEYS) - {"commitmentRenewalPrice"})
        assert commitment["commitmentRenewalBillingPlanType"] in PLANS
    _check_offer(payload)


def check_app_transaction(payload: dict, environment: str, on_device: bool = False):
    """Asserts every rule for a decoded app transaction. Its environment is in receiptType, and it has no signedDate."""
    always = ALWAYS_IN_APP_TRANSACTION | (ONLY_ON_DEVICE if on_device else set())
    _check_keys(payload, APP_TRANSACTION_KEYS, always)
    assert on_device or not ONLY_ON_DEVICE & set(payload)
    assert payload["receiptType"] == environment
    assert payload["originalPlatform"] in ("iOS", "macOS", "tvOS", "visionOS")
    assert payload["originalPurchaseDate"] % 1000 == 0
    if environment == "Sandbox":
        assert payload["originalApplicationVersion"] == "1.0", "the sandbox always has 1.0"


def same_as_decoded(payload: dict, decoded, but=()):
    """Asserts that the official library has read every key of the payload and knows every value of an enumeration."""
    for key, value in payload.items():
        if key in but:
            continue
        raw = "raw" + key[0].upper() + key[1:]
        if hasattr(decoded, raw):
            assert getattr(decoded, raw) == value, key
            assert getattr(decoded, key) is not None, f"the library does not know {key} {value!r}"
        else:
            assert getattr(decoded, key) == value, key
