# file: test_fixtures.py
import json
from pathlib import Path

import pytest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

FIXTURES = Path("fixtures")
MANIFEST = json.loads((FIXTURES / "manifest.json").read_text())
NOTIFICATIONS = [entry for entry in MANIFEST["files"] if entry["kind"] == "notification"]


def has_access(signed_payload, verifier):
    """The backend: verifies a notification, and decides whether the customer has access to the subscription."""
    data = verifier.verify_and_decode_notification(signed_payload).data
    return data is not None and data.status in (Status.ACTIVE, Status.BILLING_GRACE_PERIOD)


@pytest.mark.parametrize("entry", NOTIFICATIONS, ids=lambda entry: entry["file"])
def test_a_notification_is_accepted_or_refused_as_the_manifest_says(entry):
    root = (FIXTURES / MANIFEST["rootCertificate"]).read_bytes()
    environment = Environment(entry["environment"])
    # False: without online checks, because no OCSP responder knows the certificates.
    verifier = SignedDataVerifier([root], False, environment, entry["bundleId"], entry["appAppleId"])
    signed_payload = (FIXTURES / entry["file"]).read_text()
    if entry["isAccepted"]:
        access = has_access(signed_payload, verifier)
        assert access or entry["notificationType"] not in ("SUBSCRIBED", "DID_RENEW")
        assert not access or entry["notificationType"] not in ("EXPIRED", "REVOKE")
    else:
        with pytest.raises(VerificationException) as refused:
            has_access(signed_payload, verifier)
        assert refused.value.status.name == entry["refusal"]
