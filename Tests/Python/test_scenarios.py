"""Every signature that the scenarios of the Swift tests collected, verified by Apple's own library.

The scenarios' http stage keeps what its listening posts received under .build/test-logs/scenarios: a folder for each
timeline, with the root and the payloads.
"""

from pathlib import Path

import pytest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

KEPT = Path(__file__).resolve().parents[2] / ".build/test-logs/scenarios"
BUNDLE_ID = "com.example.shop"
APPLE_ID = 1_234_567_890


def test_all_that_scenarios_were_told_verifies():
    folders = sorted(KEPT.glob("*/"))
    if not folders:
        pytest.fail(f"{KEPT} is empty: the scenarios leave there what they were told. Run: make test-swift")
    kinds = set()
    signatures = 0
    for folder in folders:
        environment, *payloads = (folder / "payloads.txt").read_text().splitlines()
        verifier = SignedDataVerifier(
            [(folder / "root.der").read_bytes()], False, Environment(environment), BUNDLE_ID, APPLE_ID
        )
        for payload in payloads:
            notification = verifier.verify_and_decode_notification(payload)
            kinds.add((notification.rawNotificationType, notification.rawSubtype))
            signatures += 1
            data = notification.data
            if data and data.signedTransactionInfo:
                transaction = verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo)
                assert transaction.signedDate == notification.signedDate
                signatures += 1
            if data and data.signedRenewalInfo:
                info = verifier.verify_and_decode_renewal_info(data.signedRenewalInfo)
                assert info.signedDate == notification.signedDate
                signatures += 1
    print(f"\n{signatures} signatures of {len(folders)} timelines, {len(kinds)} types with subtypes", end=" ")
    assert len(kinds) >= 28
