"""A suite that each of four workers runs. Each writes what it can see while all four apps exist."""

import json
import os
import time
from pathlib import Path

import pytest
from appstoreserverlibrary.api_client import APIError, APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest

FACTS = Path(os.environ["FACTS"])
CATALOG = os.environ["CATALOG"]


def exchange(step: str, worker: str, value: dict) -> dict:
    """Writes this worker's value, and returns those of all four, when they are there."""
    temporary = FACTS / f".{step}-{worker}"
    temporary.write_text(json.dumps(value))
    temporary.rename(FACTS / f"{step}-{worker}")
    deadline = time.monotonic() + 240
    while len(files := list(FACTS.glob(f"{step}-*"))) < 4:
        assert time.monotonic() < deadline, f"only {len(files)} workers came to {step}"
        time.sleep(0.01)
    return {file.name.partition("-")[2]: json.loads(file.read_text()) for file in files}


@pytest.mark.till(catalog=CATALOG)
def test_each_sees_its_own_data_only(app, endpoint, clock, worker_id):
    purchase = app.customer(f"customer of {worker_id}").buy("pro.month")
    before = clock.now
    others = exchange("bought", worker_id, {"transaction": purchase.transactionId})
    client = app.api_client()
    # Each worker advances its own clock by another duration.
    clock.advance(f"{int(worker_id.removeprefix('gw')) + 1}h")
    history = client.get_transaction_history(
        purchase.transactionId, None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
    )
    day = 86_400_000
    sent = client.get_notification_history(
        None, NotificationHistoryRequest(startDate=clock.milliseconds - day, endDate=clock.milliseconds)
    )
    for worker, other in others.items():
        if worker != worker_id:
            with pytest.raises(APIException) as refusal:
                client.get_transaction_info(other["transaction"])
            assert refusal.value.api_error == APIError.TRANSACTION_ID_NOT_FOUND
    exchange("seen", worker_id, {
        "control": app.till.connection.address,
        "dataDirectory": app.till.control.get_status().dataDirectory,
        "bundleId": app.bundle_id,
        "keyId": app.key_id,
        "hours": round((clock.now - before).total_seconds() / 3_600),
        "transaction": purchase.transactionId,
        "customers": [item.customer for item in app.control.list_customers().customers],
        "bundleOfHistory": history.bundleId,
        "history": len(history.signedTransactions),
        "notificationHistory": [item.signedPayload for item in sent.notificationHistory],
        "notifications": [item.transactionId for item in app.control.list_notifications().notifications],
        "received": [item.signedPayload for item in endpoint.received],
        "receivedTransactions": [item.transaction.transactionId for item in endpoint.received],
    })
