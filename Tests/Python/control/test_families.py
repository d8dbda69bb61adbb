"""Families in Apple's client: the members' copies, their statuses, and what a refund does to them. All other rules are
tested in Tests/TillServerTests/Control/FamilyControlTests.swift."""

import pytest
from appstoreserverlibrary.models.Status import Status

from catalog_of_everything import BASIC, FOREVER, ONE
from shop_helpers import NO_OFFER, ids


class Family:
    def __init__(self, environment, customer):
        self.environment = environment
        self.organizer = customer
        self.members = [f"{customer}-1", f"{customer}-2"]
        environment.control("createFamily", {"name": customer, "organizer": customer, "members": self.members})

    def any_id(self, customer):
        return self.environment.control("getCustomer", customer=customer)["appTransactionId"]

    def history(self, customer, **filters):
        return self.environment.whole_history(self.any_id(customer), **filters)[0]

    def status(self, customer):
        data = self.environment.client.get_all_subscription_statuses(self.any_id(customer)).data
        return [(item.subscriptionGroupIdentifier, last) for item in data for last in item.lastTransactions]


@pytest.fixture
def family(environment, customer):
    return Family(environment, customer)


def test_members_get_copies_with_their_own_ids(environment, family):
    bought = environment.buy(family.organizer, FOREVER, appAccountToken="c0ffee00-0000-4000-8000-000000000001")
    seen = {bought.id}
    for member in family.members:
        (copy,) = family.history(member)
        assert copy["inAppOwnershipType"] == "FAMILY_SHARED" and copy["productId"] == FOREVER
        assert copy["transactionId"] == copy["originalTransactionId"] not in seen
        assert copy["appTransactionId"] == family.any_id(member)
        assert not {"price", "currency", "appAccountToken"} & set(copy.payload)
        assert copy["purchaseDate"] >= bought.payload["purchaseDate"]
        seen.add(copy["transactionId"])
        info = environment.client.get_transaction_info(copy["transactionId"])
        info = environment.transaction(info.signedTransactionInfo)
        assert info.lasting == copy.lasting
    (own,) = family.history(family.organizer)
    assert own["inAppOwnershipType"] == "PURCHASED"


def test_a_shared_subscription_is_in_the_statuses_of_each_member(environment, family):
    bought = environment.buy(family.organizer, BASIC, offer=NO_OFFER)
    for member in family.members:
        ((group, last),) = family.status(member)
        copy = environment.transaction(last.signedTransactionInfo)
        renewal = environment.renewal_info(last.signedRenewalInfo)
        assert (group, last.status) == (ONE, Status.ACTIVE)
        assert copy["originalTransactionId"] == last.originalTransactionId == renewal["originalTransactionId"]
        assert copy["originalTransactionId"] != bought.id
        assert copy["webOrderLineItemId"] != bought.payload["webOrderLineItemId"]
        assert copy["expiresDate"] == bought.payload["expiresDate"] == renewal["renewalDate"]
        assert renewal["appTransactionId"] == copy["appTransactionId"] == family.any_id(member)


def test_a_refund_revokes_the_members_access_and_its_reversal_restores_it(environment, family):
    """The member's transaction has the purchaser's revocation reason and the type FAMILY_REVOKE, but no percentage."""
    once = environment.buy(family.organizer, FOREVER)
    subscription = environment.buy(family.organizer, BASIC, offer=NO_OFFER)
    before = {member: {copy["productId"]: copy.lasting for copy in family.history(member)} for member in family.members}
    for bought in (once, subscription):
        environment.refund(bought.id, reason=1)
    for member in family.members:
        copies = family.history(member)
        assert len(copies) == 2
        for copy in copies:
            assert (copy["revocationType"], copy["revocationReason"]) == ("FAMILY_REVOKE", 1)
            assert "revocationPercentage" not in copy
        ((_, last),) = family.status(member)
        assert last.status is Status.REVOKED
        assert family.history(member, revoked=False) == []
    for bought in (once, subscription):
        environment.reverse(bought.id)
    for member in family.members:
        assert {copy["productId"]: copy.lasting for copy in family.history(member)} == before[member]
        ((_, last),) = family.status(member)
        assert last.status is Status.ACTIVE


def test_the_copy_has_no_order(environment, family):
    bought = environment.buy(family.organizer, FOREVER)
    found = environment.client.look_up_order_id(bought.order_id).signedTransactions
    assert ids(environment.transaction(jws) for jws in found) == [bought.id]
    (copy,) = family.history(family.members[0])
    assert "orderId" not in environment.control("getTransaction", transactionId=copy["transactionId"])
