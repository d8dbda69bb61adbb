"""Changes of a history: a client that continues from a revision gets exactly the later changes."""

import http.client
import json
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from appstoreserverlibrary.models.TransactionHistoryRequest import ProductType
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest

from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, PRO, SEASON, TICKETS
from process_helpers import path_part
from shop_helpers import V1, V2, DESCENDING, App, ControlClient, LeafReader, ids

MANY = 10_000


def test_a_transaction_that_is_refunded_between_two_pages_reappears_with_its_revocation(environment, customer):
    bought = environment.buy_many(customer, COINS, 30)
    pages = environment.history(bought[0])
    first = next(pages)
    assert ids(first.transactions) == bought[:20]
    refunded = [bought[3], bought[19], bought[25]]
    for transaction_id in refunded:
        environment.control("refundTransaction", {"reason": 1}, transactionId=transaction_id)
    rest = [signed for page in pages for signed in page.transactions]
    unchanged = [transaction_id for transaction_id in bought[20:] if transaction_id not in refunded]
    assert ids(rest) == unchanged + refunded, "changed rows come again at the end, with their present values"
    for signed in rest:
        assert ("revocationDate" in signed) == (signed["transactionId"] in refunded)
        if "revocationDate" in signed:
            assert (signed["revocationReason"], signed["revocationType"]) == (1, "REFUND_FULL")


def test_no_row_is_lost_or_repeated_when_purchases_happen_between_pages(sandbox, customer):
    bought = sandbox.buy_many(customer, COINS, 45)
    seen = []
    for page in sandbox.history(bought[0]):
        seen += ids(page.transactions)
        if len(bought) < 60:
            bought += sandbox.buy_many(customer, TICKETS, 5)
    assert seen == bought[:len(seen)] and len(seen) >= 45


def test_new_purchases_do_not_disturb_a_descending_history(sandbox, customer):
    bought = sandbox.buy_many(customer, COINS, 45)
    seen = []
    for page in sandbox.history(bought[0], sort=DESCENDING):
        seen += ids(page.transactions)
        sandbox.buy(customer, COINS)
    assert seen == bought[::-1]


@pytest.mark.parametrize("version", [V2, V1])
def test_the_last_revision_finds_exactly_the_later_changes(environment, customer, version):
    """A purchase, a refund, a token, an upgrade and a reversal change the history. Finishing and reading do not."""
    first = environment.buy(customer, BASIC, offer={"kind": "NONE"})
    coins, season = environment.buy(customer, COINS), environment.buy(customer, SEASON)

    def changed():
        nonlocal revision
        found, revision = environment.whole_history(first.id, version, revision=revision)
        return found

    _, revision = environment.whole_history(first.id, version)
    assert changed() == []
    environment.client.finish_transaction(season.id)
    environment.client.get_transaction_info(coins.id)
    assert changed() == [], "finishing changes no payload"
    more = environment.buy(customer, COINS)
    assert ids(changed()) == [more.id]
    environment.refund(coins.id)
    (found,) = changed()
    assert found["transactionId"] == coins.id and "revocationDate" in found
    token = str(uuid.uuid4())
    environment.client.set_app_account_token(season.id, UpdateAppAccountTokenRequest(appAccountToken=token))
    (found,) = changed()
    assert (found["transactionId"], found["appAccountToken"]) == (season.id, token)
    environment.reverse(coins.id)
    (found,) = changed()
    assert found["transactionId"] == coins.id and "revocationDate" not in found
    second = environment.buy(customer, PRO)
    found = changed()
    assert ids(found) == [first.id, second.id]
    assert found[0]["isUpgraded"] is True and "isUpgraded" not in found[1]
    environment.client.set_app_account_token(season.id, UpdateAppAccountTokenRequest(appAccountToken=token))
    assert changed() == [], "the same token again changes nothing"


def test_a_revision_of_a_filtered_history_finds_matching_changes_only(sandbox, customer):
    coins = sandbox.buy(customer, COINS)
    filters = {"productTypes": [ProductType.CONSUMABLE], "revoked": False}
    _, revision = sandbox.whole_history(coins.id, **filters)
    sandbox.buy(customer, SEASON)
    more = sandbox.buy(customer, TICKETS)
    sandbox.refund(coins.id)
    found, revision = sandbox.whole_history(coins.id, revision=revision, **filters)
    assert ids(found) == [more.id]
    sandbox.reverse(coins.id)
    assert ids(sandbox.whole_history(coins.id, revision=revision, **filters)[0]) == [coins.id]


def test_a_revision_of_an_empty_history_finds_the_first_purchase(sandbox, customer):
    any_id = sandbox.create(customer)["appTransactionId"]
    _, revision = sandbox.whole_history(any_id)
    bought = sandbox.buy(customer, COINS)
    assert ids(sandbox.whole_history(any_id, revision=revision)[0]) == [bought.id]


def test_a_revision_from_the_middle_can_be_reused(sandbox, customer):
    bought = sandbox.buy_many(customer, COINS, 45)
    first = next(sandbox.history(bought[0]))
    for _ in range(2):
        assert ids(sandbox.whole_history(bought[0], revision=first.revision)[0]) == bought[20:]


def test_a_revision_is_independent_of_the_order_of_filters(sandbox, customer):
    bought = sandbox.buy_many(customer, COINS, 25)
    page = next(sandbox.history(bought[0], productIds=[COINS, SEASON]))
    rest = sandbox.whole_history(bought[0], revision=page.revision, productIds=[SEASON, COINS, COINS])[0]
    assert ids(rest) == bought[20:]


def test_a_change_for_one_member_is_in_the_histories_of_all_members(sandbox, customer):
    member = customer + "-b"
    sandbox.control("createFamily", {"organizer": customer, "members": [member]})
    any_id = sandbox.control("getCustomer", customer=member)["appTransactionId"]
    _, revision = sandbox.whole_history(any_id)
    bought = sandbox.buy(customer, FOREVER)
    (copy,), revision = sandbox.whole_history(any_id, revision=revision)
    assert copy["productId"] == FOREVER
    sandbox.refund(bought.id)
    (gone,), revision = sandbox.whole_history(any_id, revision=revision)
    assert (gone["transactionId"], gone["revocationType"]) == (copy["transactionId"], "FAMILY_REVOKE")
    sandbox.reverse(bought.id)
    (back,), _ = sandbox.whole_history(any_id, revision=revision)
    assert back["transactionId"] == copy["transactionId"] and "revocationDate" not in back


def test_revisions_survive_a_restart(serve):
    """The test continues from the middle and from the end of the history, for all three routes."""
    till = serve()
    app = App(till, ControlClient(till.address("control")), "com.example.restart", catalog=CATALOG)
    sandbox = app.sandbox
    bought = sandbox.buy_many("ann", COINS, 25)
    for transaction_id in bought[:22]:
        sandbox.control("refundTransaction", transactionId=transaction_id)
    order = bought[22:] + bought[:22]
    middle, end = next(sandbox.history(bought[0])).revision, sandbox.whole_history(bought[0])[1]
    end_v1 = sandbox.whole_history(bought[0], V1)[1]
    refunds_middle = sandbox.client.get_refund_history(bought[0], None).revision
    refunds_end = sandbox.whole_refund_history(bought[0])[1]
    key, fingerprint = app.key, app.control.call("getAuthority")["rootFingerprint"]
    assert till.stop() == 0

    again = serve(data=till.data)
    control = ControlClient(again.address("control"))
    assert control.call("getAuthority")["rootFingerprint"] == fingerprint
    app.server, app.control = again, control
    sandbox = type(sandbox)(app, "sandbox")
    assert app.key is key
    assert ids(sandbox.whole_history(bought[0], revision=middle)[0]) == order[20:]
    assert sandbox.whole_history(bought[0], revision=end)[0] == []
    assert sandbox.whole_history(bought[0], V1, revision=end_v1)[0] == []
    assert ids(sandbox.whole_refund_history(bought[0], refunds_middle)[0]) == bought[20:22]
    assert sandbox.whole_refund_history(bought[0], refunds_end)[0] == []
    more = sandbox.buy("ann", SEASON)
    assert more.id not in bought
    assert ids(sandbox.whole_history(bought[0], revision=end)[0]) == [more.id]
    assert ids(sandbox.whole_history(bought[0])[0]) == order + [more.id]


# Ten thousand ---------------------------------------------------------------------------------------------------------


def _buy_in_parallel(app, customer, count, threads=16):
    """Buys for one customer as fast as the control API accepts purchases, and returns only the ids."""
    host, port = app.server.address("control").removeprefix("http://").split(":")
    path = f"/v1/apps/{app.bundle_id}/sandbox/customers/{path_part(customer)}/purchases"
    body = json.dumps({"productId": COINS, "offer": {"kind": "NONE"}})
    own = threading.local()

    def buy(_):
        if not hasattr(own, "connection"):
            own.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        own.connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = own.connection.getresponse()
        text = answer.read()
        assert answer.status == 201, text[:300]
        return json.loads(text)["transaction"]["transactionId"]

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(buy, range(count)))


def test_a_history_of_ten_thousand_transactions_pages_through_completely(serve, capsys):
    """Every signature is checked. Apple's verifier also checks each new chain and the newest page."""
    till = serve()
    app = App(till, ControlClient(till.address("control")), "com.example.many", catalog=CATALOG)
    begun = time.monotonic()
    bought = _buy_in_parallel(app, "collector", MANY)
    buying = time.monotonic() - begun
    assert len(set(bought)) == MANY, "an id was used twice"

    begun = time.monotonic()
    sandbox = app.sandbox
    leaf, seen, sizes = LeafReader(sandbox), [], []
    for page in sandbox.history(bought[0], verify=False):
        sizes.append(len(page.transactions))
        seen += [leaf.open(jws)["transactionId"] for jws in page.transactions]
    reading = time.monotonic() - begun
    assert sizes == [20] * (MANY // 20)
    assert len(seen) == MANY and set(seen) == set(bought), "every purchase once, none twice"
    numbers = {transaction_id: place for place, transaction_id in enumerate(seen)}
    newest = next(sandbox.history(bought[0], sort=DESCENDING)).transactions
    assert [numbers[id_] for id_ in ids(newest)] == list(range(MANY - 1, MANY - 21, -1))
    with capsys.disabled():
        print(f"\n{MANY} purchases in {buying:.1f} s ({MANY / buying:.0f}/s), "
              f"{len(sizes)} pages read and verified in {reading:.1f} s", end=" ")
