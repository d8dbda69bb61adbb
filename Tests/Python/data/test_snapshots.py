"""Reset, snapshots, export and import, and an in-memory Till. The test reads the database directly, and compares a
restored state with the saved state row by row."""

import hashlib
import itertools
import json
import os
import signal
import sqlite3
import stat
import subprocess
import time
from pathlib import Path

import pytest
import requests

from catalog_of_everything import BASIC, CATALOG, COINS
from process_helpers import clean_environment, run_till, till_binary
from shop_helpers import App, ControlClient, ControlRefused, ids

TABLES = {
    "documents": "kind, name", "accounts": "partition, account", "ledger": "partition, account, change",
    "redemptions": "realm, app, product, offer", "outbox": "id", "deliveries": "partition, notification, endpoint",
}
numbers = itertools.count(1)


class Shop:
    """The test's own Till, with an app that sells a product of every type."""

    def __init__(self, till):
        self.till = till
        self.control = ControlClient(till.address("control"))
        self.team = self.control.call("createTeam", {"name": "The team"})["issuerId"]
        self.app = self.make_app()

    def make_app(self):
        number = next(numbers)
        bundle_id = f"com.example.clean{number}"
        return App(self.till, self.control, bundle_id, 2_900_000_000 + number, self.team, CATALOG)

    def rows(self):
        """Every row of the tables that belong to the shop, read directly from the database."""
        with sqlite3.connect(f"file:{self.till.data}/till.sqlite?mode=ro", uri=True) as database:
            rows = {
                table: database.execute(f"SELECT * FROM {table} ORDER BY {key}").fetchall()
                for table, key in TABLES.items()
            }
        # Two values are ignored: the daily high-water mark of assigned numbers (for retention), and the restore epoch,
        # which changes with each restore.
        ignored = [("shop", "tides"), ("shop", "lineage")]
        rows["documents"] = [row for row in rows["documents"] if row[:2] not in ignored]
        return rows

    def fill(self, app, customers):
        """Creates subscribers on a frozen clock and advances the clock by half a year. Some deliveries stay pending."""
        environment = app.sandbox
        environment.control("setEndpoint", {"url": "http://127.0.0.1:9/"}, endpoint="primary")
        for number in range(customers):
            environment.create(f"guest {number}")
            environment.buy(f"guest {number}", BASIC)
        environment.buy("guest 0", COINS, quantity=2)
        app.production.create("ann")
        app.production.buy("ann", COINS)
        environment.control("advanceClock", {"by": "P6M"}, query={"settle": 60})
        return environment


@pytest.fixture
def shop(serve):
    return Shop(serve())


def frozen(shop):
    shop.app.sandbox.control("setClock", {"mode": "frozen"})


def test_ids_from_before_a_restore_are_never_reused_after_it(shop):
    frozen(shop)
    environment = shop.app.sandbox
    kept = environment.buy("ann", COINS)
    shop.control.call("saveSnapshot", name="before")

    def buy_and_refund():
        """Buys and refunds a product for Ann. Returns the transaction and notification ids, and the later revisions."""
        bought = environment.buy("ann", COINS)
        environment.refund(bought.id)
        listed = environment.control("listNotifications", query={"limit": 2})["notifications"]
        assert {notice["notificationType"] for notice in listed} == {"REFUND", "ONE_TIME_CHARGE"}
        revisions = environment.whole_history(kept.id)[1], environment.whole_refund_history(kept.id)[1]
        return bought.id, {notice["notificationUUID"] for notice in listed}, revisions

    lost, lost_uuids, revisions = buy_and_refund()
    assert environment.whole_history(kept.id, revision=revisions[0])[0] == []
    assert environment.whole_refund_history(kept.id, revisions[1])[0] == []
    shop.control.call("restoreSnapshot", name="before")
    found, uuids, _ = buy_and_refund()
    assert found != lost and uuids.isdisjoint(lost_uuids)
    # A client with a revision that is newer than the snapshot reads once from the beginning, and misses nothing.
    again, revision = environment.whole_history(kept.id, revision=revisions[0])
    assert ids(again) == [kept.id, found]
    assert environment.whole_history(kept.id, revision=revision)[0] == []
    refunds, revision = environment.whole_refund_history(kept.id, revisions[1])
    assert ids(refunds) == [found]
    assert environment.whole_refund_history(kept.id, revision)[0] == []


def till(shop, *arguments, **options):
    done = run_till(*map(str, arguments), "--control", shop.till.address("control"), **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(call, *arguments, **options):
    with pytest.raises(ControlRefused) as caught:
        call(*arguments, **options)
    assert caught.value.message.endswith(".")
    return caught.value.status, caught.value.code


def test_a_restored_shop_of_a_hundred_customers_equals_the_saved_one_row_by_row(shop, capsys):
    frozen(shop)
    other = shop.make_app()
    other.sandbox.create("zoe")
    environment = shop.fill(shop.app, 100)
    shop.control.call("addFault", {"kind": "cut", "bundleId": shop.app.bundle_id})
    saved = shop.control.call("saveSnapshot", name="half-a-year")
    assert (saved["customers"], saved["transactions"], saved["notifications"]) == (102, 702, 702)
    before = shop.rows()
    text = till(shop, "state", "export", "-")

    environment.control("advanceClock", {"by": "P1Y"})
    environment.create("dan")
    shop.control.call("removeFaults")
    other.sandbox.buy("zoe", COINS)
    assert shop.rows() != before

    begun = time.perf_counter()
    restored = shop.control.call("restoreSnapshot", name="half-a-year")
    took = time.perf_counter() - begun
    with capsys.disabled():
        print(f"\nrestored 102 customers with 702 transactions in {took * 1000:.0f} ms")
    assert restored == saved
    assert shop.rows() == before
    assert till(shop, "state", "export", "-") == text
    assert shop.control.call("listSnapshots") == [saved]

    # The restored shop continues: the next month has the same effects as it had before.
    report = environment.control("advanceClock", {"by": "P1M"})
    assert report["notifications"] == [{"type": "DID_RENEW", "count": 100}]


def test_restoring_an_app_does_not_change_other_apps(shop):
    frozen(shop)
    shop.fill(shop.app, 3)
    other = shop.make_app()
    other.sandbox.create("zoe")
    shop.control.call("saveSnapshot", query={"bundleId": shop.app.bundle_id}, name="one")
    mine = till(shop, "state", "export", "-", "--app", shop.app.bundle_id)
    shop.app.sandbox.control("advanceClock", {"by": "P1Y"})
    other.sandbox.buy("zoe", COINS)
    theirs = till(shop, "state", "export", "-", "--app", other.bundle_id)
    till(shop, "snapshot", "restore", "--yes", "one")
    assert till(shop, "state", "export", "-", "--app", shop.app.bundle_id) == mine
    assert till(shop, "state", "export", "-", "--app", other.bundle_id) == theirs
    till(shop, "snapshot", "delete", "--yes", "one")
    assert refused(shop.control.call, "restoreSnapshot", name="one") == (404, "unknown_snapshot")


def test_an_exported_state_can_be_imported_into_an_empty_till(shop, serve, tmp_path):
    frozen(shop)
    environment = shop.fill(shop.app, 3)
    file = tmp_path / "shop.till"
    till(shop, "state", "export", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.part"))

    second = serve()
    control = ControlClient(second.address("control"))
    done = run_till("state", "import", str(file), "--yes", "--control", second.address("control"))
    assert done.stdout == "Imported all apps: 4 customers, 23 transactions, 23 notifications.\n", done.stderr
    again = tmp_path / "again.till"
    assert run_till("state", "export", str(again), "--control", second.address("control")).returncode == 0
    assert again.read_bytes() == file.read_bytes()

    # A notification that the first Till signed is delivered with the same signature. The app's key still authenticates.
    newest = environment.control("listNotifications", query={"limit": 1})["notifications"][0]["notificationUUID"]
    shown = [
        each.call("getNotification", notificationUUID=newest, bundleId=shop.app.bundle_id, environment="sandbox")
        for each in (shop.control, control)
    ]
    assert shown[0]["signedPayload"] == shown[1]["signedPayload"]

    # Each of the two continues, and none of them assigns a number that the other state contains.
    bought = control.call(
        "buyProduct", {"productId": COINS}, bundleId=shop.app.bundle_id, environment="sandbox", customer="guest 0"
    )["transactionId"]
    known = {row[0] for row in sqlite_ids(shop)}
    assert int(bought) not in known
    assert run_till("doctor", "--data", str(second.data)).returncode == 0


def sqlite_ids(shop):
    with sqlite3.connect(f"file:{shop.till.data}/till.sqlite?mode=ro", uri=True) as database:
        return database.execute("SELECT id FROM ledger").fetchall()


def test_an_invalid_state_is_rejected_with_the_line_number_and_changes_nothing(shop, tmp_path):
    shop.app.sandbox.create("ann")
    shop.app.sandbox.buy("ann", COINS)
    text = till(shop, "state", "export", "-")
    assert shop.control.call("exportState") == text.encode()
    assert shop.control.call("importState", text.encode())["customers"] == 1
    assert till(shop, "state", "export", "-") == text
    before = shop.rows()
    for number, (broken, words) in enumerate([
        (text[: len(text) // 2], "Line "), (text.replace('"ann"', '"bob"'), "columns"), ("", "ends before"),
        ("nonsense\n", "not a state"), (text + "{}\n", "follows"),
    ]):
        file = tmp_path / f"broken-{number}"
        file.write_text(broken)
        done = run_till("state", "import", str(file), "--yes", "--control", shop.till.address("control"))
        assert done.returncode == 1 and words in done.stderr and "till state export" in done.stderr, done.stderr
    assert shop.rows() == before
    answer = requests.put(shop.till.address("control") + "/v1/state", data=b"x", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    missing = run_till("state", "import", str(tmp_path / "unknown"), "--yes", "--control", shop.till.address("control"))
    assert missing.returncode == 1 and "cannot be read" in missing.stderr


def test_an_import_does_not_take_numbers_of_another_app(shop, serve, tmp_path):
    shop.app.sandbox.create("ann")
    shop.app.sandbox.buy("ann", COINS)
    file = tmp_path / "app.till"
    till(shop, "state", "export", file, "--app", shop.app.bundle_id)
    other = Shop(serve())
    for number in range(40):
        other.app.sandbox.create(f"guest {number}")
        other.app.sandbox.buy(f"guest {number}", COINS)
    # The same customers of the same app are in the same partitions, and a new Till counts from one.
    with sqlite3.connect(f"file:{other.till.data}/till.sqlite?mode=ro", uri=True) as database:
        taken = {row[0] for row in database.execute("SELECT id FROM ledger UNION SELECT account FROM accounts")}
    own = {row[0] for row in sqlite_ids(shop)}
    done = run_till("state", "import", str(file), "--yes", "--control", other.till.address("control"))
    if own & taken:
        assert done.returncode == 1 and "till reset --everything" in done.stderr, done.stderr
    else:
        assert done.returncode == 0, done.stderr
    assert other.control.call("getApp", bundleId=other.app.bundle_id)["bundleId"] == other.app.bundle_id


def test_a_reset_erases_data_and_keeps_settings(shop):
    frozen(shop)
    shop.fill(shop.app, 2)
    shop.control.call("addFault", {"kind": "cut"})
    assert till(shop, "reset", "--yes", "--app", shop.app.bundle_id) == f"Deleted all activity of {shop.app.bundle_id}.\n"
    rows = shop.rows()
    assert not any(rows[table] for table in TABLES if table != "documents")
    assert shop.app.sandbox.control("getClock")["mode"] == "real"
    assert shop.app.sandbox.control("listEndpoints")
    assert len(shop.control.call("listFaults")) == 1, "a fault rule of the whole server belongs to no app"
    shop.app.sandbox.create("ann")
    shop.app.sandbox.buy("ann", BASIC)
    assert till(shop, "reset", "--yes") == "Deleted all activity.\n"
    assert shop.control.call("listFaults") == []
    assert till(shop, "reset", "--yes", "--app", shop.app.bundle_id, "--everything") == f"Deleted {shop.app.bundle_id}.\n"
    assert refused(shop.control.call, "getApp", bundleId=shop.app.bundle_id) == (404, "unknown_app")
    assert len(shop.control.call("listKeys")) == 1
    assert till(shop, "reset", "--yes", "--everything") == "Deleted everything.\n"
    assert shop.control.call("listKeys") == [] and shop.control.call("listTeams") == []
    assert shop.control.call("reset") is None
    assert refused(shop.control.call, "reset", query={"bundleId": "com.example.unknown"}) == (404, "unknown_app")


def test_snapshots_survive_a_restart_and_a_backup(serve, tmp_path):
    shop = Shop(serve())
    shop.app.sandbox.create("ann")
    saved = shop.control.call("saveSnapshot", name="fresh")
    copy = tmp_path / "copy"
    till(shop, "backup", copy)
    shop.till.kill()
    for data in (shop.till.data, copy):
        again = serve(data=data)
        control = ControlClient(again.address("control"))
        assert control.call("listSnapshots") == [saved]
        assert control.call("restoreSnapshot", name="fresh") == saved


def test_names_and_numbers_of_snapshots_have_limits(shop):
    for name in (".hidden", "a b", "x" * 65):
        assert refused(shop.control.call, "saveSnapshot", name=name) == (400, "bad_name")
    for number in range(100):
        shop.control.call("saveSnapshot", name=f"s{number}")
    assert refused(shop.control.call, "saveSnapshot", name="s100") == (409, "too_many_snapshots")
    shop.control.call("saveSnapshot", name="s7")
    for number in range(100):
        shop.control.call("removeSnapshot", name=f"s{number}")
    assert refused(shop.control.call, "removeSnapshot", name="s7") == (404, "unknown_snapshot")


def test_erasing_can_be_disabled(serve):
    shop = Shop(serve("--allow-reset", "false"))
    text = till(shop, "state", "export", "-")
    shop.control.call("saveSnapshot", name="fresh")
    assert refused(shop.control.call, "reset") == (403, "reset_not_allowed")
    assert refused(shop.control.call, "restoreSnapshot", name="fresh") == (403, "reset_not_allowed")
    done = run_till("state", "import", "-", "--yes", "--control", shop.till.address("control"), input=text)
    assert done.returncode == 1 and "--allow-reset true" in done.stderr


def test_an_ephemeral_till_answers_within_a_second_and_leaves_nothing(tmp_path, capsys):
    ready = tmp_path / "ready.json"
    ports = ["--production-port", "0", "--sandbox-port", "0", "--control-port", "0"]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [till_binary(), "serve", "--ephemeral", "--demo", *ports, "--ready-file", str(ready)],
        env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=tmp_path,
    )
    try:
        while not ready.exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.005)
        facts = json.loads(ready.read_text())
        answer = requests.get(facts["sandbox"] + "/inApps/v1/transactions/1", timeout=30)
        took = time.perf_counter() - begun
        assert answer.status_code == 401
        with capsys.disabled():
            print(f"\nan ephemeral demo answered after {took * 1000:.0f} ms")
        done = run_till("buy", "com.example.till.demo.seeds.10", "--customer", "ann", "--control", facts["control"])
        assert done.returncode == 0, done.stderr
        folder = facts["dataDirectory"]
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not os.path.exists(folder)
    both = run_till("serve", "--ephemeral", "--data", str(tmp_path / "data"))
    assert both.returncode == 64 and "--ephemeral" in both.stderr


def test_the_next_ephemeral_till_removes_the_files_of_a_killed_one(tmp_path):
    def start(number):
        ready = tmp_path / f"ready-{number}"
        ports = ["--production-port", "0", "--sandbox-port", "0", "--control-port", "0"]
        process = subprocess.Popen(
            [till_binary(), "serve", "--ephemeral", *ports, "--ready-file", str(ready)],
            env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path,
        )
        while not ready.exists():
            assert process.poll() is None
            time.sleep(0.01)
        return process, json.loads(ready.read_text())["dataDirectory"]

    first, left = start(1)
    first.kill()
    first.wait()
    assert os.path.exists(left)
    second, folder = start(2)
    assert not os.path.exists(left) and os.path.exists(folder)
    second.terminate()
    assert second.wait(30) == 0


def test_a_state_may_be_uploaded_slowly(serve, tmp_path):
    """The request deadline applies to each piece of the upload, because a state may have any size."""
    shop = Shop(serve("--request-timeout", "2"))
    frozen(shop)
    text = requests.get(shop.till.address("control") + "/v1/state", timeout=60).content

    def pieces():
        for start in range(0, len(text), len(text) // 5 + 1):
            time.sleep(1)
            yield text[start:start + len(text) // 5 + 1]

    answer = requests.put(
        shop.till.address("control") + "/v1/state", data=pieces(), timeout=60,
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert answer.status_code == 200, answer.text


def test_an_ephemeral_till_running_in_another_container_keeps_its_files(tmp_path):
    """The process id in the lock does not exist in this container. The lock itself shows that the process is alive."""
    environment = clean_environment() | {"TMPDIR": str(tmp_path)}
    arguments = ("--production-port", "0", "--sandbox-port", "0", "--control-port", "0")
    folders = []
    for number in range(2):
        ready = tmp_path / f"ready{number}.json"
        program = subprocess.Popen(
            [till_binary(), "serve", "--ephemeral", *arguments, "--ready-file", str(ready)],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while not ready.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        folder = Path(json.loads(ready.read_text())["dataDirectory"])
        if number == 0:
            other = folder.with_name("till-ephemeral-4194303-0000abcd")
            folder.rename(other)
            folders = [program, folder, other]
        else:
            program.terminate()
            program.wait(30)
    first, folder, other = folders
    assert (other / "till.lock").exists()
    other.rename(folder)
    first.terminate()
    assert first.wait(30) == 0
    assert not folder.exists()


def signed(lines):
    """A state whose last line has a valid checksum, as anybody who edits a state can create it."""
    body = "".join(f"{line}\n" for line in lines)
    foot = {"rows": sum(line.startswith("[") for line in lines), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    return (body + json.dumps(foot, separators=(",", ":")) + "\n").encode()


def test_an_edited_state_cannot_crash_the_server(shop):
    frozen(shop)
    environment = shop.app.sandbox
    environment.create("ann")
    bob = int(environment.create("bob")["appTransactionId"])
    environment.control("createFamily", {"name": "Family", "organizer": "ann", "members": ["bob"]})
    environment.buy("ann", BASIC)
    lines = shop.control.call("exportState").decode().splitlines()[:-1]
    shop.control.call("importState", signed(lines))
    # The accounts of both members name a family member that does not exist.
    edited = [line.replace(f",{bob}]", f",{bob + 1024}]") for line in lines]
    assert sum(old != new for old, new in zip(lines, edited)) == 2
    with pytest.raises(ControlRefused) as refused:
        shop.control.call("importState", signed(edited))
    assert (refused.value.status, refused.value.code) == (400, "bad_state_file"), refused.value
    environment.control("advanceClock", {"by": "P2M"})
    assert shop.till.process.poll() is None
