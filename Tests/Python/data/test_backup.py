"""Backups that are created during continuous purchases on each engine, and restored to another store on each engine."""

import json
import os
import shutil
import threading
import time

import pytest
import requests

from catalog_of_everything import CATALOG, COINS
from process_helpers import assert_private, payload, run_till
from shop_helpers import App, Till

APP = "com.example.shop"


class Buyers:
    """Clients that buy until they are stopped. They record the acknowledged purchases in order."""

    def __init__(self, till, count=3):
        self.address = till.address("control")
        self.acknowledged = []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.buy, args=(f"buyer-{n}",)) for n in range(count)]

    def buy(self, customer):
        session = requests.Session()
        url = f"{self.address}/v1/apps/{APP}/sandbox/customers/{customer}/purchases"
        while not self.over.is_set():
            answer = session.post(url, json={"productId": COINS}, timeout=60)
            assert answer.status_code == 201, answer.text[:500]
            self.acknowledged.append(answer.json()["transaction"]["transactionId"])

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(60)

    def wait_for(self, count):
        while len(self.acknowledged) < count:
            assert any(thread.is_alive() for thread in self.threads)
            self.over.wait(0.01)


def all_ids(shop):
    """The transactions of every buyer, as Apple's API returns them."""
    found = {}
    for customer in shop.sandbox.control("listCustomers")["customers"]:
        pages = shop.sandbox.history(customer["appTransactionId"], verify=False)
        rows = [payload(signed)["transactionId"] for page in pages for signed in page.transactions]
        assert len(rows) == customer["transactions"], "a customer is incomplete"
        found |= dict.fromkeys(rows, customer["customer"])
    return found


@pytest.mark.parametrize("source, target", [("sqlite", "postgres"), ("postgres", "sqlite"), ("postgres", "postgres")])
def test_a_backup_has_every_acknowledged_purchase_and_no_partial_data(tmp_path, database, source, target):
    url = database.create(f"from_{source}_{target}") if source == "postgres" else None
    till = Till(tmp_path / "first", *(["--database", url] if url else []))
    shop = App(till, APP, 1234567890, None, CATALOG)
    backup = tmp_path / "backup"
    with Buyers(till) as buyers:
        buyers.wait_for(30)
        before = set(buyers.acknowledged)
        if target == "sqlite":
            run_till("snapshot", "create", "meanwhile", "--data", till.data, code=0)
        outcome = run_till("backup", backup, "--data", till.data, timeout=120, code=0)
        buyers.wait_for(len(buyers.acknowledged) + 5)
    everything = set(buyers.acknowledged)
    assert_private(backup)
    assert "hunter2" not in outcome.stdout + outcome.stderr + (backup / "backup.json").read_text()
    manifest = json.loads((backup / "backup.json").read_text())
    assert {part["name"] for part in manifest["parts"]} >= {"accounts", "ledger", "outbox", "documents"}
    assert till.stop() == 0

    place = tmp_path / "second" / "data"
    settings = []
    if target == "postgres":
        there = database.create(f"to_{source}")
        settings = ["--database", there]
    restored = run_till("restore", "--from", backup, "--data", place, *settings, timeout=120, code=0)
    assert "hunter2" not in restored.stdout + restored.stderr
    assert_private(place)
    run_till("doctor", "--data", place, *settings, code=0)
    again = Till(tmp_path / "second", *settings, data=place)
    shop = shop.on(again)
    found = all_ids(shop)
    assert before <= set(found) <= everything
    assert (place / "ca/root.pem").read_bytes() == (till.data / "ca/root.pem").read_bytes()
    if target == "sqlite":
        assert "meanwhile" in run_till("snapshot", "list", "--data", place).stdout
    later = shop.sandbox.control("buyProduct", {"productId": COINS}, customer="later")
    assert int(later["transactionId"]) > max(map(int, found))
    assert again.stop() == 0

    refused = run_till("restore", "--from", backup, "--data", tmp_path / "third", *settings)
    if target == "postgres":
        assert refused.returncode == 1 and "is not empty" in refused.stderr
        run_till("restore", "--from", backup, "--data", place, *settings, "--replace", "--json", timeout=120, code=0)
        last = Till(tmp_path / "second", *settings, data=place)
        shop = shop.on(last)
        assert all_ids(shop) == found
        after = shop.sandbox.control("buyProduct", {"productId": COINS}, customer="later")
        assert int(after["transactionId"]) > int(later["transactionId"]), "an id was used twice"
        assert last.stop() == 0


def buy(data):
    """Buys in the demo, and returns the transaction id as a number and the order id."""
    bought = run_till("buy", "com.example.till.demo.seeds.10", "--customer", "late", "--json", "--data", data, code=0)
    transaction = json.loads(bought.stdout)["transaction"]
    return int(transaction["transactionId"]), transaction["orderId"]


def test_a_sqlite_backup_replaces_a_later_shop(tmp_path):
    till = Till(tmp_path / "first", "--demo")
    here = ["--data", till.data]
    backup = tmp_path / "backup"
    run_till("backup", backup, *here, code=0)
    bought = buy(till.data)
    assert "Another Till" in run_till("restore", "--from", backup, *here, "--replace", code=1).stderr
    assert till.stop() == 0
    assert "--replace" in run_till("restore", "--from", backup, *here, code=1).stderr
    done = run_till("restore", "--from", backup, *here, "--replace", "--json", code=0)
    put = json.loads(done.stdout)
    assert os.path.exists(os.path.join(put["before"], "till.sqlite"))
    assert_private(till.data)
    assert_private(put["before"])
    run_till("doctor", *here, code=0)
    again = Till(tmp_path / "first", data=till.data)
    run_till("customer", "show", "late", *here, code=1)
    assert buy(till.data) > bought, "an id was used twice"
    assert again.stop() == 0
    run_till("doctor", "--data", put["before"], code=0)


def test_a_modified_backup_is_rejected(tmp_path):
    till = Till(tmp_path / "first", "--demo")
    backup = tmp_path / "backup"
    made = till.client.call("createBackup", {"to": str(backup)})
    assert made["directory"] == str(backup) and {part["table"] for part in made["tables"]} >= {"ledger", "outbox"}
    assert till.stop() == 0

    def restore(folder):
        outcome = run_till("restore", "--from", folder, "--data", tmp_path / "nowhere", code=1)
        assert not (tmp_path / "nowhere").exists()
        return outcome.stderr

    def copy(name):
        shutil.copytree(backup, tmp_path / name)
        return tmp_path / name

    assert "There is no folder" in restore(tmp_path / "none") and "no backup" in restore(till.data)
    key = copy("key")
    (key / "ca/root.key").write_text("another")
    assert "ca/root.key" in restore(key)
    rows = copy("rows")
    manifest = json.loads((rows / "backup.json").read_text())
    next(part for part in manifest["parts"] if part["name"] == "ledger")["rows"] += 1
    (rows / "backup.json").write_text(json.dumps(manifest))
    assert "ledger" in restore(rows)
    cut = copy("cut")
    with open(cut / "till.sqlite", "r+b") as file:
        file.truncate(8_192)
    assert "is damaged" in restore(cut)
    (copy("newer") / "backup.json").write_text('{"format": 2}')
    assert "another version" in restore(tmp_path / "newer")
    assert not [name for name in os.listdir(tmp_path) if "unfinished" in name]


def test_a_backup_restored_to_a_new_disk_reuses_no_id_assigned_after_the_backup(tmp_path):
    till = Till(tmp_path / "first", "--demo")
    here = ["--data", till.data]
    backup = tmp_path / "backup"
    run_till("backup", backup, *here, code=0)
    assert till.stop() == 0
    # The next server reserves its own block of numbers, which begins after all numbers that the backup contains.
    till = Till(tmp_path / "first", data=till.data)
    given_out = [buy(till.data)]
    assert till.stop() == 0
    for number in range(2):
        # The disk is lost twice, so no server can read which numbers have been used.
        place = str(tmp_path / f"new-{number}")
        run_till("restore", "--from", backup, "--data", place, "--json", code=0)
        again = Till(tmp_path / f"server-{number}", data=place)
        given_out.append(buy(place))
        assert again.stop() == 0
        time.sleep(1)
    assert given_out[0] < given_out[1] < given_out[2]
    assert len({order for _, order in given_out}) == 3
