"""Snapshots, exports and imports with the command, and an in-memory Till. What they contain is tested in
Tests/TillServerTests/Control/Routes/SnapshotControlTests.swift and in Tests/TillShopTests/Backup."""

import itertools
import os
import sqlite3
import stat
import time

import pytest
import requests

from catalog_of_everything import BASIC, CATALOG, COINS
from process_helpers import Server, run_till
from shop_helpers import App

numbers = itertools.count(1)


class Shop:
    """The test's own Till, with an app that sells a product of every type."""

    def __init__(self, till):
        self.till = till
        self.control = till.client
        number = next(numbers)
        self.app = App(till, f"com.example.clean{number}", 2_900_000_000 + number, None, CATALOG)
        self.app.sandbox.control("setClock", {"mode": "frozen"})

    def fill(self, customers):
        """Creates subscribers and advances the clock by half a year. Some deliveries stay pending."""
        environment = self.app.sandbox
        environment.control("setEndpoint", {"url": "http://127.0.0.1:9/"}, endpoint="primary")
        for number in range(customers):
            environment.buy(f"guest {number}", BASIC)
        environment.buy("guest 0", COINS, quantity=2)
        self.app.production.buy("ann", COINS)
        environment.control("advanceClock", {"by": "P6M"}, query={"settle": 60})
        return environment

    def command(self, *arguments, code=0, **options):
        return run_till(*arguments, "--control", self.till.address("control"), code=code, **options)

    def ids(self):
        """The ids of all transactions and accounts."""
        with sqlite3.connect(f"file:{self.till.data}/till.sqlite?mode=ro", uri=True) as database:
            return {row[0] for row in database.execute("SELECT id FROM ledger UNION SELECT account FROM accounts")}


@pytest.fixture
def shop(serve):
    return Shop(serve())


def test_a_snapshot_of_a_hundred_customers_is_restored(shop, capsys):
    shop.fill(100)
    saved = shop.control.call("saveSnapshot", name="half-a-year")
    assert (saved["customers"], saved["transactions"], saved["notifications"]) == (101, 702, 702)
    text = shop.command("state", "export", "-").stdout
    shop.app.sandbox.control("advanceClock", {"by": "P1Y"})
    begun = time.perf_counter()
    shop.command("snapshot", "restore", "--yes", "half-a-year")
    with capsys.disabled():
        print(f"\nrestored 101 customers with 702 transactions in {(time.perf_counter() - begun) * 1000:.0f} ms")
    assert shop.command("state", "export", "-").stdout == text
    shop.command("snapshot", "delete", "--yes", "half-a-year")
    assert shop.control.call("listSnapshots") == []


def test_an_exported_state_can_be_imported_into_an_empty_till(shop, serve, tmp_path):
    environment = shop.fill(3)
    file, again = tmp_path / "shop.till", tmp_path / "again.till"
    shop.command("state", "export", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.part"))

    second = serve()
    control = second.client
    done = run_till("state", "import", file, "--yes", "--control", control.address, code=0)
    assert done.stdout == "Imported all apps: 4 customers, 23 transactions, 23 notifications.\n"
    run_till("state", "export", again, "--control", control.address, code=0)
    assert again.read_bytes() == file.read_bytes()

    # A notification that the first Till signed is delivered with the same signature. The app's key still authenticates.
    newest = environment.control("listNotifications", query={"limit": 1})["notifications"][0]["notificationUUID"]
    place = {"bundleId": shop.app.bundle_id, "environment": "sandbox"}
    shown = [each.call("getNotification", notificationUUID=newest, **place) for each in (shop.control, control)]
    assert shown[0]["signedPayload"] == shown[1]["signedPayload"]

    # Each of the two continues, and none of them assigns a number that the other state contains.
    bought = control.call("buyProduct", {"productId": COINS}, customer="guest 0", **place)["transactionId"]
    assert int(bought) not in shop.ids()
    run_till("doctor", "--data", second.data, code=0)


def test_an_invalid_state_is_rejected_with_the_reason_and_changes_nothing(shop, tmp_path):
    shop.app.sandbox.buy("ann", COINS)
    text = shop.command("state", "export", "-").stdout
    file = tmp_path / "broken"
    for broken, words in [
        (text[: len(text) // 2], "Line "), (text.replace('"ann"', '"bob"'), "columns"), ("", "ends before"),
        ("nonsense\n", "not a state"), (text + "{}\n", "follows"),
    ]:
        file.write_text(broken)
        done = shop.command("state", "import", file, "--yes", code=1)
        assert words in done.stderr and "till state export" in done.stderr, done.stderr
    assert shop.command("state", "export", "-").stdout == text
    assert "cannot be read" in shop.command("state", "import", tmp_path / "unknown", "--yes", code=1).stderr


def test_an_import_does_not_take_numbers_of_another_app(shop, serve, tmp_path):
    shop.app.sandbox.buy("ann", COINS)
    file = tmp_path / "app.till"
    shop.command("state", "export", file, "--app", shop.app.bundle_id)
    other = Shop(serve())
    for number in range(40):
        other.app.sandbox.buy(f"guest {number}", COINS)
    # The same customers of the same app are in the same partitions, and a new Till counts from one.
    are_taken = bool(shop.ids() & other.ids())
    done = other.command("state", "import", file, "--yes", code=int(are_taken))
    assert not are_taken or "till reset --everything" in done.stderr, done.stderr
    assert other.control.call("getApp", bundleId=other.app.bundle_id)["bundleId"] == other.app.bundle_id


def test_a_reset_prints_what_it_deleted(shop):
    bundle_id = shop.app.bundle_id
    for arguments, printed in [
        (["--app", bundle_id], f"Deleted all activity of {bundle_id}.\n"), ([], "Deleted all activity.\n"),
        (["--app", bundle_id, "--everything"], f"Deleted {bundle_id}.\n"), (["--everything"], "Deleted everything.\n"),
    ]:
        assert shop.command("reset", "--yes", *arguments).stdout == printed


def test_snapshots_survive_a_restart_and_a_backup(shop, serve, tmp_path):
    shop.app.sandbox.create("ann")
    saved = shop.control.call("saveSnapshot", name="fresh")
    copy = tmp_path / "copy"
    shop.command("backup", copy)
    shop.till.kill()
    for data in (shop.till.data, copy):
        control = serve(data=data).client
        assert control.call("listSnapshots") == [saved]
        assert control.call("restoreSnapshot", name="fresh") == saved


def test_where_erasing_is_disabled_an_import_names_the_setting(serve):
    shop = Shop(serve("--allow-reset", "false"))
    text = shop.command("state", "export", "-").stdout
    assert "--allow-reset true" in shop.command("state", "import", "-", "--yes", code=1, input=text).stderr


def test_a_state_may_be_uploaded_slowly(serve, tmp_path):
    """The request deadline applies to each piece of the upload, because a state may have any size."""
    url = serve("--request-timeout", "2").address("control") + "/v1/state"
    text = requests.get(url, timeout=60).content

    def pieces():
        for start in range(0, len(text), len(text) // 5 + 1):
            time.sleep(1)
            yield text[start:start + len(text) // 5 + 1]

    answer = requests.put(url, data=pieces(), timeout=60, headers={"Content-Type": "application/x-ndjson"})
    assert answer.status_code == 200, answer.text


# In memory ------------------------------------------------------------------------------------------------------------


def test_an_ephemeral_till_answers_within_a_second_and_leaves_nothing(tmp_path, capsys):
    with Server(None, tmp_path, "--ephemeral", "--demo") as till:
        answer = requests.get(till.address("sandbox") + "/inApps/v1/transactions/1", timeout=30)
        assert answer.status_code == 401
        with capsys.disabled():
            print(f"\nan ephemeral demo answered after {(time.monotonic() - till.started) * 1000:.0f} ms")
        control = ["--control", till.address("control")]
        run_till("buy", "com.example.till.demo.seeds.10", "--customer", "ann", *control, code=0)
        assert stat.S_IMODE(os.stat(till.data).st_mode) == 0o700
    assert not till.data.exists()
    assert "--ephemeral" in run_till("serve", "--ephemeral", "--data", tmp_path / "data", code=64).stderr


def test_the_next_ephemeral_till_removes_the_files_of_a_killed_one(tmp_path):
    first = Server(None, tmp_path, "--ephemeral")
    first.kill()
    assert first.data.exists()
    second = Server(None, tmp_path, "--ephemeral")
    assert not first.data.exists() and second.data.exists()
    assert second.stop() == 0


def test_an_ephemeral_till_running_in_another_container_keeps_its_files(tmp_path):
    """The process id in the lock does not exist in this container. The lock itself shows that the process is alive."""
    first = Server(None, tmp_path, "--ephemeral", TMPDIR=str(tmp_path))
    other = first.data.with_name("till-ephemeral-4194303-0000abcd")
    first.data.rename(other)
    assert Server(None, tmp_path, "--ephemeral", TMPDIR=str(tmp_path)).stop() == 0
    assert (other / "till.lock").exists()
    other.rename(first.data)
    assert first.stop() == 0
    assert not first.data.exists()
