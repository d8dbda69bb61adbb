"""Migrations of a shop from SQLite to PostgreSQL and back keep all data."""

import json
import os
import shutil

import pytest

from catalog_of_everything import CATALOG, COINS, PRO
from process_helpers import assert_healthy, payload, run_till
from shop_helpers import App, Till

APP = "com.example.shop"


def exported(till, folder, name):
    file = folder / f"{name}.state"
    run_till("state", "export", file, "--data", till.data, code=0)
    return file.read_bytes()


def answers(shop, bought):
    """The answers of Apple's API and of the control API about the customers."""
    # The shop's clock does not show real time, so the age of signatures is not checked.
    pages = shop.sandbox.history(bought, verify=False)
    rows = [payload(signed)["transactionId"] for page in pages for signed in page.transactions]
    lists = [shop.sandbox.control(name) for name in ("listNotifications", "listCustomers", "getClock")]
    # A notification that no endpoint receives is signed when it is read first, and keeps its signature.
    uuids = [notice["notificationUUID"] for notice in lists[0]["notifications"]]
    signed = [shop.sandbox.control("getNotification", notificationUUID=uuid)["signedPayload"] for uuid in uuids]
    assert len(signed) == 20
    return rows, signed, *lists, shop.control.call("listSnapshots")


def test_a_shop_migrated_there_and_back_is_the_same(tmp_path, database):
    till = Till(tmp_path / "first")
    shop = App(till, APP, 1234567890, None, CATALOG)
    bought = shop.sandbox.buy_many("ann", COINS, 30)
    shop.sandbox.buy("bob", PRO)
    here = ["--app", APP, "--data", till.data]
    for command in (["clock", "freeze"], ["clock", "advance", "2mo"], ["refund", bought[0]],
                    ["snapshot", "create", "before"], ["clock", "advance", "1mo"]):
        run_till(*command, *here, code=0)
    before, text = answers(shop, bought[0]), exported(till, tmp_path, "before")
    assert "Another Till" in run_till("migrate", "--from", f"sqlite:{till.data}", "--to", database.url, code=1).stderr
    assert till.stop() == 0

    there = run_till("migrate", "--from", f"sqlite:{till.data}", "--to", database.url, timeout=120, code=0)
    assert "Source and target are identical" in there.stdout and "carried ledger: " in there.stderr
    assert "hunter2" not in there.stdout + there.stderr
    assert "is not empty" in run_till("migrate", "--from", f"sqlite:{till.data}", "--to", database.url, code=1).stderr

    # The data directory keeps its certificates; its database file is moved away.
    old = tmp_path / "old"
    old.mkdir()
    for file in till.data.glob("till.sqlite*"):
        shutil.move(file, old / file.name)
    on_postgres = Till(tmp_path / "second", "--database", database.url, data=till.data)
    assert not list(till.data.glob("till.sqlite*")), "data was left in SQLite"
    assert answers(shop.on(on_postgres), bought[0]) == before
    assert exported(on_postgres, tmp_path, "there") == text
    run_till("doctor", "--data", till.data, TILL_DATABASE=database.url, code=0)
    assert on_postgres.stop() == 0

    options = ["--from", "database", "--to", f"sqlite:{till.data}", "--json"]
    back = run_till("migrate", *options, TILL_DATABASE=database.url, code=0)
    tables = {table["table"]: table for table in json.loads(back.stdout)["tables"]}
    assert "before/ledger" in tables and tables["ledger"]["rows"] > 30
    assert len(tables["ledger"]["sha256"]) == 64
    assert os.stat(till.data / "till.sqlite").st_mode & 0o777 == 0o600
    last = Till(tmp_path / "third", data=till.data)
    assert answers(shop.on(last), bought[0]) == before
    assert exported(last, tmp_path, "back") == text
    shop.server, shop.control = last, last.client
    later = type(shop.sandbox)(shop, "sandbox").control("buyProduct", {"productId": COINS}, customer="cat")["transactionId"]
    assert int(later) > max(map(int, bought)), "a new id is not above the migrated ones"
    assert last.stop() == 0
    assert_healthy(till.data, "after the way back")


def test_doctor_finds_problems_in_postgresql(tmp_path, database):
    url = database.create("sick")
    till = Till(tmp_path, "--demo", "--database", url)
    assert till.stop() == 0
    well = run_till("doctor", "--data", till.data, "--database", url, code=0)
    database.sql("UPDATE accounts SET row_count = row_count + 1 WHERE customer = 'ann'", "sick")
    ill = run_till("doctor", "--data", till.data, "--database", url, "--json", code=3)
    assert "transactions and has" in json.loads(ill.stdout)["findings"][0]
    assert "hunter2" not in well.stdout + ill.stdout


@pytest.mark.parametrize(
    ("source", "target", "code", "words"),
    [
        ("sqlite:", "database", 64, "sqlite:FOLDER"), ("mysql://till:hunter2@a/b", "sqlite:x", 64, "sqlite:FOLDER"),
        ("database", "sqlite:x", 64, "TILL_DATABASE"), ("sqlite:/nowhere", "sqlite:x", 1, "has no Till data"),
        ("postgres://till:hunter2@127.0.0.1:1/till", "sqlite:x", 1, "database"),
    ],
)
def test_an_impossible_migration_is_rejected(tmp_path, source, target, code, words):
    outcome = run_till("migrate", "--from", source, "--to", target.replace(":x", f":{tmp_path}/x"))
    assert outcome.returncode == code and words in outcome.stderr, outcome.stderr
    assert "hunter2" not in outcome.stdout + outcome.stderr
    assert not (tmp_path / "x").exists()
