import pytest
from appstoreserverlibrary.api_client import GetTransactionHistoryVersion
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest


class Backend:
    """The server under test: it keeps the latest transaction of each subscription, and decides who has access."""

    def __init__(self, client, verifier):
        self.client, self.verifier, self.latest = client, verifier, {}

    def receive(self, signed_payload):
        data = self.verifier.verify_and_decode_notification(signed_payload).data
        transaction = self.verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo)
        self.latest[transaction.originalTransactionId] = transaction

    def has_access(self, original_transaction_id, now):
        transaction = self.latest[original_transaction_id]
        return transaction.revocationDate is None and now < transaction.expiresDate

    def payments(self, transaction_id):
        history = self.client.get_transaction_history(
            transaction_id, None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
        )
        decoded = map(self.verifier.verify_and_decode_signed_transaction, history.signedTransactions)
        return [transaction.price for transaction in decoded]


@pytest.mark.till(catalog="Shop.storekit")
def test_from_trial_to_refund(app, endpoint, clock):
    backend = Backend(app.api_client(), app.verifier())
    ann = app.customer("ann")

    # Ann subscribes. The first week is free.
    purchase = ann.buy("pro.month")
    backend.receive(endpoint.expect("SUBSCRIBED", "INITIAL_BUY").signedPayload)
    assert backend.has_access(purchase.originalTransactionId, clock.milliseconds)
    assert backend.payments(purchase.transactionId) == [0]

    # After the week, she pays for the first month.
    clock.advance("1w")
    assert not backend.has_access(purchase.originalTransactionId, clock.milliseconds)
    renewal = endpoint.expect("DID_RENEW")
    backend.receive(renewal.signedPayload)
    assert backend.has_access(purchase.originalTransactionId, clock.milliseconds)
    assert backend.payments(purchase.transactionId) == [0, 4990]

    # The App Store refunds the month.
    ann.refund(renewal.transaction.transactionId)
    refund = endpoint.expect("REFUND")
    backend.receive(refund.signedPayload)
    assert refund.transaction.revocationDate is not None
    assert not backend.has_access(purchase.originalTransactionId, clock.milliseconds)
    statuses = app.api_client().get_all_subscription_statuses(purchase.transactionId)
    assert statuses.data[0].lastTransactions[0].status == Status.REVOKED
