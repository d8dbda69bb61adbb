"""Erasing a customer: Apple's client no longer finds the customer, and the command. What the customer's family loses is
tested in Tests/TillServerTests/Control/ErasureControlTests.swift."""

import pytest

from catalog_of_everything import COINS, PRO
from process_helpers import run_till
from shop_helpers import ControlRefused


def test_apples_api_does_not_know_an_erased_customer(app, environment, customer):
    bought = environment.buy(customer, COINS)
    subscribed = environment.buy(customer, PRO)
    refunded = environment.refund(bought.id)
    other = environment.buy(f"{customer}-other", COINS)
    account, order, original = bought.app_transaction_id, bought.order_id, subscribed.original_id
    environment.client.get_transaction_info(bought.id)
    assert refunded.id == bought.id
    # The request log contains a rejected request that names the customer, until the customer is erased.
    missed = environment.send("GET", f"/inApps/v2/history/{bought.id}?sort=UPWARD")
    assert missed.status_code == 400
    named = environment.explain(missed)["requestId"]

    dry = environment.control("eraseCustomer", query={"dryRun": "true"}, customer=customer)
    assert dry["dryRun"] and dry["transactions"] == 2 and dry["notificationsErased"] >= 2
    environment.client.get_transaction_info(bought.id)
    erased = environment.control("eraseCustomer", customer=customer)
    assert {**erased, "dryRun": True} == dry and erased["requestLogEntries"] >= 1

    for id_ in (bought.id, original, account):
        environment.refused(
            4040010, lambda client: client.get_transaction_info(id_), "GET", f"/inApps/v1/transactions/{id_}"
        )
        environment.refused(
            4040010, lambda client: client.get_refund_history(id_, None), "GET", f"/inApps/v2/refund/lookup/{id_}"
        )
        environment.refused(
            4040010, lambda client: client.get_all_subscription_statuses(id_), "GET",
            f"/inApps/v1/subscriptions/{id_}",
        )
        assert environment.send("GET", f"/inApps/v2/history/{id_}").json()["errorCode"] == 4040010
    assert environment.client.look_up_order_id(order).status.name == "INVALID"
    environment.client.get_transaction_info(other.id)
    with pytest.raises(ControlRefused) as gone:
        app.control.call("explainRequest", requestId=named)
    assert gone.value.status == 404
    with pytest.raises(ControlRefused) as gone:
        environment.control("eraseCustomer", customer=customer)
    assert (gone.value.status, gone.value.code) == (404, "unknown_account")

    again = environment.buy(customer, COINS)
    assert again.app_transaction_id not in (account, other.app_transaction_id)
    assert int(again.id) > int(other.id)


def test_the_command_prints_counts_erases_and_mentions_snapshots(serve):
    till = serve("--demo")
    here = ["--data", till.data]
    assert run_till("snapshot", "create", "before", *here).returncode == 0
    dry = run_till("customer", "delete", "ann", "--dry-run", *here)
    assert dry.returncode == 0 and "Nothing was changed" in dry.stdout and "before" in dry.stdout
    done = run_till("customer", "delete", "ann", "--yes", *here)
    assert done.returncode == 0 and "ann is deleted" in done.stdout and "--remove-snapshots" in done.stdout
    assert run_till("customer", "show", "ann", *here).returncode == 1
    last = run_till("customer", "delete", "ann", "--yes", "--remove-snapshots", *here)
    assert last.returncode == 0 and "removedSnapshots" in last.stdout
    assert "before" not in run_till("snapshot", "list", *here).stdout
    unknown = run_till("customer", "delete", "ann", "--yes", *here)
    assert unknown.returncode == 1 and "ann" in unknown.stderr
    sick = run_till("doctor", *here)
    assert sick.returncode == 0, sick.stdout
