"""A shop in PostgreSQL: its data survives restarts of Till and of the database server."""

import contextlib
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from catalog_of_everything import CATALOG, COINS, PRO
from process_helpers import run_till, wait_until
from shop_helpers import App, ControlRefused, Till, ids


def assert_no_secret(till):
    for text in (till.stdout(), till.stderr()):
        assert "hunter2" not in text, text


def test_a_purchase_survives_restarts_of_till_and_of_the_database(tmp_path, database):
    settings = tmp_path / "till.json"
    settings.write_text(json.dumps({"database": database.url}))
    first = Till(tmp_path / "first", "--config", settings)
    shop = App(first, "com.example.shop", 1234567890, None, CATALOG)
    bought = shop.sandbox.buy_many("ann", COINS, 30)
    renewed = shop.sandbox.buy("ann", PRO)
    notifications = shop.sandbox.control("listNotifications")
    assert first.stop() == 0
    assert not list(first.data.glob("till.sqlite*")), "data was written to SQLite"

    second = Till(tmp_path / "second", "--database", database.url, data=first.data)
    shop = shop.on(second)
    again = shop.sandbox
    rows = [signed for page in again.history(bought[0]) for signed in page.transactions]
    assert ids(rows) == bought + [renewed.id]
    assert shop.sandbox.control("listNotifications") == notifications

    kept = again.control("getReceipt", customer="ann")["receipt"]
    database.kill()
    answer = again.send("GET", f"/inApps/v1/transactions/{bought[0]}")
    assert (answer.status_code, answer.json()["errorCode"], answer.headers["Retry-After"]) == (500, 5000001, "1")
    for method, path, body in (
        ("GET", "customers/ann", None), ("POST", "customers/ann/purchases", {"productId": COINS}),
    ):
        answer = requests.request(
            method, f"{second.address('control')}/v1/apps/com.example.shop/sandbox/{path}", json=body, timeout=30
        )
        assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "busy", "1")
    receipt = {"receipt-data": kept, "exclude-old-transactions": True}
    answer = requests.post(f"{second.address('sandbox')}/verifyReceipt", json=receipt, timeout=30).json()
    assert answer["status"] == 21005
    assert requests.get(f"{second.address('control')}/readyz", timeout=30).status_code == 503
    database.start()

    def bought_again():
        with contextlib.suppress(ControlRefused):
            return again.buy("ann", COINS)

    later = wait_until(bought_again)
    rows = [signed for page in again.history(bought[0]) for signed in page.transactions]
    assert set(bought + [renewed.id, later.id]) <= set(ids(rows))
    # The node is still registered, and renews its registration.
    alive = "SELECT count(*) FROM nodes WHERE expires > clock_timestamp()"
    wait_until(lambda: database.sql(alive) == "1")
    assert second.stop() == 0
    for till in (first, second):
        assert_no_secret(till)


def test_a_commit_whose_wait_for_the_standby_is_cancelled_is_not_acknowledged(serve, database):
    """When an operator cancels a COMMIT that waits for a standby, PostgreSQL warns, but acknowledges the commit."""
    def set_standbys(command):
        database.sql(f"ALTER SYSTEM {command}")
        database.sql("SELECT pg_reload_conf()")
        time.sleep(1)

    till = serve("--database", database.create("synchronous"))
    shop = App(till, "com.example.shop", 1234567890, None, CATALOG)
    shop.sandbox.buy("ann", COINS)
    set_standbys("SET synchronous_standby_names = 'absent'")
    url = f"{till.address('control')}/v1/apps/com.example.shop/sandbox/customers/ann/purchases"
    cancel = (
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
        " WHERE wait_event = 'SyncRep' AND application_name = 'till'"
    )
    with ThreadPoolExecutor(1) as pool:
        bought = pool.submit(requests.post, url, json={"productId": COINS}, timeout=60)
        wait_until(lambda: bought.done() or database.sql(cancel) != "0")
        assert not bought.done(), "the commit did not wait for the standby"
        answer = bought.result(60)
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    set_standbys("RESET synchronous_standby_names")
    shop.sandbox.buy("ann", COINS)
    assert till.stop() == 0


@pytest.mark.parametrize(
    "url",
    [
        "postgres://till:hunter2@127.0.0.1:1/till", "mysql://till:hunter2@127.0.0.1/till",
        "postgres://till:hunter2/@127.0.0.1/till",
    ],
)
def test_the_error_for_an_unusable_database_does_not_contain_its_password(tmp_path, url):
    outcome = run_till("serve", "--data", tmp_path / "data", "--database", url, code=1)
    assert "atabase" in outcome.stderr and "hunter2" not in outcome.stderr + outcome.stdout
