"""Revisions after a restart, and the pages of a very long history. Tests/TillServerTests/API checks all other changes."""

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from catalog_of_everything import CATALOG, COINS, SEASON
from process_helpers import path_part
from shop_helpers import V1, DESCENDING, App, LeafReader, ids

MANY = 10_000


def test_revisions_survive_a_restart(serve):
    """The test continues from the middle and from the end of the history, for all three routes."""
    till = serve()
    app = App(till, "com.example.restart", catalog=CATALOG)
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
    control = again.client
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
    app = App(till, "com.example.many", catalog=CATALOG)
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
