"""Rules for decoded payloads: the keys, their types, their order, and which keys occur in the same payload."""

import base64
import json
import re

# The types of the keys; all others are strings.
_TYPES = {
    **dict.fromkeys("""
        purchaseDate originalPurchaseDate expiresDate quantity signedDate revocationReason revocationDate offerType
        price revocationPercentage expirationIntent autoRenewStatus renewalPrice priceIncreaseStatus
        gracePeriodExpiresDate recentSubscriptionStartDate renewalDate billingPeriodNumber totalBillingPeriods
        commitmentExpiresDate commitmentPrice commitmentAutoRenewStatus commitmentRenewalDate commitmentRenewalPrice
        appAppleId versionExternalIdentifier receiptCreationDate requestDate preorderDate
    """.split(), int),
    **dict.fromkeys("isUpgraded isInBillingRetryPeriod".split(), bool),
    **dict.fromkeys("eligibleWinBackOfferIds".split(), list),
    **dict.fromkeys("commitmentInfo".split(), dict),
}
# The keys have the order of real payloads.
TRANSACTION_KEYS = """
    transactionId originalTransactionId webOrderLineItemId bundleId productId subscriptionGroupIdentifier purchaseDate
    originalPurchaseDate expiresDate quantity type appAccountToken inAppOwnershipType signedDate revocationReason
    revocationDate isUpgraded offerType offerIdentifier environment transactionReason storefront storefrontId price
    currency offerDiscountType appTransactionId offerPeriod revocationType revocationPercentage billingPlanType
    commitmentInfo deviceVerification deviceVerificationNonce
""".split()
ALWAYS_IN_TRANSACTION = {
    "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
    "quantity", "type", "inAppOwnershipType", "signedDate", "environment", "transactionReason", "storefront",
    "storefrontId", "appTransactionId",
}
RENEWAL_KEYS = """
    expirationIntent originalTransactionId autoRenewProductId productId autoRenewStatus renewalPrice currency
    isInBillingRetryPeriod priceIncreaseStatus gracePeriodExpiresDate offerType offerIdentifier signedDate environment
    recentSubscriptionStartDate renewalDate offerDiscountType offerPeriod eligibleWinBackOfferIds appAccountToken
    appTransactionId renewalBillingPlanType commitmentInfo
""".split()
COMMITMENT_KEYS = "billingPeriodNumber totalBillingPeriods commitmentExpiresDate commitmentPrice".split()
RENEWAL_COMMITMENT_KEYS = """
    commitmentAutoRenewProductId commitmentAutoRenewStatus commitmentRenewalBillingPlanType commitmentRenewalDate
    commitmentRenewalPrice
""".split()
PLANS = ("BILLED_UPFRONT", "MONTHLY")
ALWAYS_IN_RENEWAL = {
    "originalTransactionId", "autoRenewProductId", "productId", "autoRenewStatus", "signedDate", "environment",
    "recentSubscriptionStartDate", "renewalDate", "appTransactionId",
}
APP_TRANSACTION_KEYS = """
    receiptType appAppleId bundleId applicationVersion versionExternalIdentifier receiptCreationDate requestDate
    originalPurchaseDate originalApplicationVersion preorderDate deviceVerification deviceVerificationNonce
    appTransactionId originalPlatform
""".split()
ALWAYS_IN_APP_TRANSACTION = {
    "receiptType", "appAppleId", "bundleId", "receiptCreationDate", "originalPurchaseDate",
    "originalApplicationVersion", "appTransactionId", "originalPlatform",
}
ONLY_ON_DEVICE = {
    "applicationVersion", "versionExternalIdentifier", "requestDate", "deviceVerification", "deviceVerificationNonce",
}
SUBSCRIPTION = "Auto-Renewable Subscription"
TYPES = (SUBSCRIPTION, "Non-Renewing Subscription", "Consumable", "Non-Consumable")
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


def _check_keys(payload: dict, known: list, always: set):
    no_nulls(payload)
    assert not set(payload) - set(known), f"unknown keys {sorted(set(payload) - set(known))}"
    assert not always - set(payload), f"missing keys {sorted(always - set(payload))}"
    for key, value in payload.items():
        # In Python a bool is an int, but in JSON it is not a number.
        wanted = _TYPES.get(key, str)
        assert type(value) is wanted, f"{key} is {value!r}, not {wanted.__name__}"
        assert value != "", f"{key} is empty"


def check_transaction(payload: dict, environment: str, on_device: bool = False):
    """Asserts every rule for a decoded transaction that is valid for all products."""
    _check_keys(payload, TRANSACTION_KEYS, ALWAYS_IN_TRANSACTION)
    assert [key for key in TRANSACTION_KEYS if key in payload] == list(payload), "not the order of real payloads"
    assert payload["environment"] == environment
    shape = r"2000\d{12}" if environment == "Sandbox" else r"\d{15}"
    for key in ("transactionId", "originalTransactionId", "webOrderLineItemId"):
        assert key not in payload or re.fullmatch(shape, payload[key]), f"{key} is {payload[key]}"
    assert re.fullmatch(r"70\d{16}", payload["appTransactionId"]), payload["appTransactionId"]
    assert re.fullmatch(r"[A-Z]{3}", payload["storefront"]) and re.fullmatch(r"\d{6}", payload["storefrontId"])
    for key in ("purchaseDate", "originalPurchaseDate", "expiresDate", "revocationDate"):
        assert payload.get(key, 0) % 1000 == 0, f"{key} is not a whole second: {payload[key]}"
    assert payload["originalPurchaseDate"] <= payload["purchaseDate"]
    assert payload["type"] in TYPES
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
