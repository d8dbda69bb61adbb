"""Verifies every signature that the scenarios of the Swift tests have collected.

The HTTP backend of the scenarios stores the received data in .build/test-logs/scenarios. Each timeline has a folder
with the root and the payloads. Apple's library verifies every notification. It also verifies the signed data in some
notifications of each type and subtype. In the others, the chain of the signed data must equal the notification's chain
byte by byte, and the leaf's key must match the signature.
"""

from collections import Counter
from pathlib import Path

import pytest

import payload_rules
from remembering_verifier import RememberingVerifier
from shop_helpers import models, verify_with_leaf

KEPT = Path(__file__).resolve().parents[3] / ".build/test-logs/scenarios"
BUNDLE_ID = "com.example.shop"
APPLE_ID = 1_234_567_890
# Apple's library also verifies the signed data in this number of notifications of each type and subtype.
SOME = 20


def signed_date(jws, chain, environment, verifier):
    """Verifies signed data in a notification, with Apple's verifier if it is given, and returns its signing date."""
    header, payload = payload_rules.decode(jws)
    assert (header["alg"], header["x5c"]) == ("ES256", chain) and payload["environment"] == environment
    is_transaction = "bundleId" in payload
    assert not is_transaction or payload["bundleId"] == BUNDLE_ID
    if verifier and is_transaction:
        assert verifier.verify_and_decode_signed_transaction(jws).signedDate == payload["signedDate"]
    elif verifier:
        assert verifier.verify_and_decode_renewal_info(jws).signedDate == payload["signedDate"]
    else:
        verify_with_leaf(jws, chain[0])
    return payload["signedDate"]


def test_all_notifications_of_the_scenarios_are_valid():
    folders = sorted(KEPT.glob("*/"))
    if not folders:
        pytest.fail(f"{KEPT} is empty: the scenarios write their notifications there. Run: make test-swift")
    kinds = Counter()
    signatures = 0
    for folder in folders:
        environment, *payloads = (folder / "payloads.txt").read_text().splitlines()
        verifier = RememberingVerifier(
            [(folder / "root.der").read_bytes()], False, models.Environment(environment), BUNDLE_ID, APPLE_ID
        )
        for payload in payloads:
            notification = verifier.verify_and_decode_notification(payload)
            kind = (notification.rawNotificationType, notification.rawSubtype)
            kinds[kind] += 1
            signatures += 1
            chain = payload_rules.decode(payload)[0]["x5c"]
            data = notification.data
            by_apple = verifier if kinds[kind] <= SOME else None
            for jws in filter(None, (data.signedTransactionInfo, data.signedRenewalInfo) if data else ()):
                assert signed_date(jws, chain, environment, by_apple) == notification.signedDate
                signatures += 1
    print(f"\n{signatures} signatures of {len(folders)} timelines, {len(kinds)} types with subtypes", end=" ")
    assert len(kinds) >= 28
