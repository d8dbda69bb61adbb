"""Families: shared purchases, and the events that revoke and restore the members' access."""

import pytest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.Status import Status

from catalog_of_everything import BASIC, BASIC_YEAR, COINS, FOREVER, ONE, PRO, SOLO
from shop_helpers import NO_OFFER, ControlRefused, ids


class Family:
    def __init__(self, environment, customer, members=2):
        self.environment = environment
        self.organizer = customer
        self.members = [f"{customer}-{number}" for number in range(1, members + 1)]
        answer = environment.control("createFamily", {"name": customer, "organizer": customer, "members": self.members})
        self.notifications = answer.pop("notifications")
        assert answer.pop("events").count("joinedFamily") == members
        assert answer == {"name": customer, "organizer": customer, "members": [customer, *self.members]}

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


def test_only_family_shareable_products_are_shared(environment, family):
    environment.buy(family.organizer, SOLO)
    environment.buy(family.organizer, COINS)
    environment.buy(family.organizer, BASIC_YEAR)
    for member in family.members:
        assert family.history(member) == []


def test_a_later_member_gets_the_purchases_owned_at_that_time(environment, customer):
    kept, gone = environment.buy(customer, FOREVER), environment.buy(customer, BASIC, offer=NO_OFFER)
    environment.refund(gone.id)
    family = Family(environment, customer, members=1)
    assert [copy["productId"] for copy in family.history(family.members[0])] == [kept.payload["productId"]]
    assert family.notifications == ["ONE_TIME_CHARGE"], "for the member's copy"
    late = customer + "-late"
    answer = environment.control("joinFamily", {"member": late}, customer=customer)
    assert answer["members"] == [customer, *family.members, late]
    assert [copy["productId"] for copy in family.history(late)] == [FOREVER]


def test_a_member_may_also_buy_a_shared_product(environment, family):
    environment.buy(family.organizer, BASIC, offer=NO_OFFER)
    member = family.members[0]
    own = environment.buy(member, PRO)
    owners = {environment.transaction(last.signedTransactionInfo)["inAppOwnershipType"]: last
              for _, last in family.status(member)}
    assert set(owners) == {"PURCHASED", "FAMILY_SHARED"}
    assert owners["PURCHASED"].originalTransactionId == own.original_id
    assert owners["FAMILY_SHARED"].originalTransactionId != own.original_id


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


def test_a_member_who_leaves_loses_access(environment, family):
    environment.buy(family.organizer, FOREVER)
    leaver, stayer = family.members
    left = environment.control("leaveFamily", customer=leaver)
    assert left["notifications"] == ["REVOKE"] and "leftFamily" in left["events"]
    (copy,) = family.history(leaver)
    assert (copy["revocationType"], copy["revocationReason"]) == ("FAMILY_REVOKE", 0)
    assert "revocationDate" not in family.history(stayer)[0]
    assert "revocationDate" not in family.history(family.organizer)[0]
    with pytest.raises(ControlRefused) as refused:
        environment.control("getFamily", customer=leaver)
    assert (refused.value.status, refused.value.code) == (404, "no_family")
    assert environment.control("getFamily", customer=stayer)["members"] == [family.organizer, stayer]
    assert environment.control("getCustomer", customer=leaver)["owned"] == []
    assert environment.buy(leaver, FOREVER).payload["inAppOwnershipType"] == "PURCHASED"


def test_when_a_purchaser_leaves_the_shared_access_ends(environment, family):
    purchaser, other = family.members
    bought = environment.buy(purchaser, FOREVER)
    assert [copy["inAppOwnershipType"] for copy in family.history(family.organizer)] == ["FAMILY_SHARED"]
    environment.control("leaveFamily", customer=purchaser)
    for customer in (family.organizer, other):
        (copy,) = family.history(customer)
        assert copy["revocationType"] == "FAMILY_REVOKE"
    (own,) = family.history(purchaser)
    assert own.lasting == bought.transaction.lasting


def test_when_the_organizer_leaves_the_family_ends(environment, family):
    environment.buy(family.members[0], FOREVER)
    environment.control("leaveFamily", customer=family.organizer)
    for customer in (family.organizer, *family.members):
        with pytest.raises(ControlRefused):
            environment.control("getFamily", customer=customer)
    assert family.history(family.members[1])[0]["revocationType"] == "FAMILY_REVOKE"


def test_a_refund_of_a_past_period_does_not_affect_members(sandbox, customer):
    old = sandbox.lapsed(customer, BASIC)
    family = Family(sandbox, customer, members=1)
    sandbox.buy(customer, BASIC, offer=NO_OFFER)
    sandbox.refund(old.id)
    ((_, last),) = family.status(family.members[0])
    assert last.status is Status.ACTIVE


def test_an_upgrade_is_shared_too(sandbox, customer):
    family = Family(sandbox, customer, members=1)
    (member,) = family.members
    sandbox.buy(customer, BASIC, offer=NO_OFFER)
    first = family.history(member)[0]
    pro = sandbox.buy(customer, PRO)
    old, new = family.history(member)
    assert (old["transactionId"], old.get("isUpgraded")) == (first["transactionId"], True)
    assert (new["productId"], new["originalTransactionId"]) == (PRO, first["originalTransactionId"])
    assert new["expiresDate"] == pro.payload["expiresDate"]
    ((_, last),) = family.status(member)
    assert sandbox.transaction(last.signedTransactionInfo)["transactionId"] == new["transactionId"]


def test_a_family_has_at_most_six_members(environment, customer):
    family = Family(environment, customer, members=5)
    with pytest.raises(ControlRefused) as refused:
        environment.control("joinFamily", {"member": customer + "-seventh"}, customer=customer)
    assert (refused.value.status, refused.value.code) == (409, "family_full")
    environment.buy(customer, FOREVER)
    copies = [family.history(member)[0]["transactionId"] for member in family.members]
    assert len(set(copies)) == 5


@pytest.mark.parametrize("members", [[], ["x"] * 6, ["self"], ["twin", "twin"]], ids=["none", "six", "self", "twice"])
def test_an_invalid_family_is_rejected_as_a_whole(sandbox, customer, members):
    members = [customer if name == "self" else f"{customer}-{name}-{place if name == 'x' else ''}"
               for place, name in enumerate(members)]
    with pytest.raises(ControlRefused) as refused:
        sandbox.control("createFamily", {"organizer": customer, "members": members})
    assert refused.value.status in (400, 409), refused.value
    with pytest.raises(ControlRefused) as refused:
        sandbox.control("getFamily", customer=customer)
    assert refused.value.status == 404, "part of the family was created"


def test_a_customer_cannot_join_a_second_family(sandbox, family, customer):
    environment = family.environment
    with pytest.raises(ControlRefused) as refused:
        members = [customer + "-y", family.members[0]]
        environment.control("createFamily", {"organizer": customer + "-x", "members": members})
    assert (refused.value.status, refused.value.code) == (409, "already_in_family")
    with pytest.raises(ControlRefused):
        environment.control("getFamily", customer=customer + "-x")


def test_family_copies_cannot_be_refunded(environment, family):
    environment.buy(family.organizer, FOREVER)
    (copy,) = family.history(family.members[0], inAppOwnershipType=InAppOwnershipType.FAMILY_SHARED)
    with pytest.raises(ControlRefused) as refused:
        environment.control("refundTransaction", transactionId=copy["transactionId"])
    assert (refused.value.status, refused.value.code) == (409, "family_shared")
    assert copy["transactionId"] in ids(family.history(family.members[0]))


def test_the_copy_has_no_order(environment, family):
    bought = environment.buy(family.organizer, FOREVER)
    found = environment.client.look_up_order_id(bought.order_id).signedTransactions
    assert ids(environment.transaction(jws) for jws in found) == [bought.id]
    (copy,) = family.history(family.members[0])
    assert "orderId" not in environment.control("getTransaction", transactionId=copy["transactionId"])
