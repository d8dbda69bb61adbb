"""Migrations of a shop from SQLite to PostgreSQL and back keep all data."""

import json
import os
import shutil

import pytest
import requests

import payload_rules
from catalog_of_everything import CATALOG, COINS, PRO
from postgres_server import PostgresServer
from process_helpers import assert_healthy, run_till
from shop_helpers import App, ControlClient, Till

APP = "com.example.shop"


@pytest.fixture(scope="module")
def database():
    server = PostgresServer()
    yield server
    server.stop()


def exported(till, folder, name):
    file = folder / f"{name}.state"
    outcome = run_till("state", "export", file, "--data", till.data)
    assert outcome.returncode == 0, outcome.stderr
    return file.read_bytes()


def answers(shop, till, bought):
    """The answers of Apple's API and of the control API about the customers."""
    shop.server, shop.control = till, ControlClient(till.address("control"))
    sandbox = type(shop.sandbox)(shop, "sandbox")
    # The shop's clock does not show real time, so the age of signatures is not checked.
    pages = sandbox.history(bought, verify=False)
    rows = [payload_rules.decode(signed)[1]["transactionId"] for page in pages for signed in page.transactions]
    scope = {"bundleId": APP, "environment": "sandbox"}
    return (
        rows, shop.control.call("listNotifications", **scope), shop.control.call("listCustomers", **scope),
        shop.control.call("getClock", **scope), shop.control.call("listSnapshots"),
    )


def test_a_shop_migrated_there_and_back_is_the_same(tmp_path, database):
    till = Till(tmp_path / "first")
    shop = App(till, ControlClient(till.address("control")), APP, 1234567890, None, CATALOG)
    bought = shop.sandbox.buy_many("ann", COINS, 30)
    shop.sandbox.buy("bob", PRO)
    here = ["--app", APP, "--data", till.data]
    for command in (["clock", "freeze"], ["clock", "advance", "2mo"], ["refund", bought[0]],
                    ["snapshot", "create", "before"], ["clock", "advance", "1mo"]):
        outcome = run_till(*command, *here)
        assert outcome.returncode == 0, outcome.stderr
    before, text = answers(shop, till, bought[0]), exported(till, tmp_path, "before")
    running = run_till("migrate", "--from", f"sqlite:{till.data}", "--to", database.url)
    assert running.returncode == 1 and "Another Till" in running.stderr
    assert till.stop() == 0

    there = run_till("migrate", "--from", f"sqlite:{till.data}", "--to", database.url, timeout=120)
    assert there.returncode == 0, there.stderr
    assert "Source and target are identical" in there.stdout and "carried ledger: " in there.stderr
    assert "hunter2" not in there.stdout + there.stderr
    again = run_till("migrate", "--from", f"sqlite:{till.data}", "--to", database.url)
    assert again.returncode == 1 and "is not empty" in again.stderr

    # The data directory keeps its certificates; its database file is moved away.
    old = tmp_path / "old"
    old.mkdir()
    for file in till.data.glob("till.sqlite*"):
        shutil.move(file, old / file.name)
    on_postgres = Till(tmp_path / "second", "--database", database.url, data=till.data)
    assert not list(till.data.glob("till.sqlite*")), "data was left in SQLite"
    assert answers(shop, on_postgres, bought[0]) == before
    assert exported(on_postgres, tmp_path, "there") == text
    examined = run_till("doctor", "--data", till.data, TILL_DATABASE=database.url)
    assert examined.returncode == 0, examined.stdout + examined.stderr
    assert on_postgres.stop() == 0

    options = ["--from", "database", "--to", f"sqlite:{till.data}", "--json"]
    back = run_till("migrate", *options, TILL_DATABASE=database.url)
    assert back.returncode == 0, back.stderr
    tables = {table["table"]: table for table in json.loads(back.stdout)["tables"]}
    assert "before/ledger" in tables and tables["ledger"]["rows"] > 30
    assert len(tables["ledger"]["sha256"]) == 64
    assert os.stat(till.data / "till.sqlite").st_mode & 0o777 == 0o600
    last = Till(tmp_path / "third", data=till.data)
    assert answers(shop, last, bought[0]) == before
    assert exported(last, tmp_path, "back") == text
    shop.server, shop.control = last, ControlClient(last.address("control"))
    later = type(shop.sandbox)(shop, "sandbox").control("buyProduct", {"productId": COINS}, customer="cat")["transactionId"]
    assert int(later) > max(map(int, bought)), "a new id is not above the migrated ones"
    assert last.stop() == 0
    assert_healthy(till.data, "after the way back")


def test_doctor_finds_problems_in_postgresql(tmp_path, database):
    database.run("createdb", "-h", database.folder, "-U", "till", "-T", "template0", "sick")
    url = database.url.removesuffix("/till") + "/sick"
    till = Till(tmp_path, "--demo", "--database", url)
    assert till.stop() == 0
    well = run_till("doctor", "--data", till.data, "--database", url)
    assert well.returncode == 0, well.stdout + well.stderr
    statement = "UPDATE accounts SET row_count = row_count + 1 WHERE customer = 'ann'"
    database.run("psql", "-h", database.folder, "-U", "till", "-d", "sick", "-c", statement)
    ill = run_till("doctor", "--data", till.data, "--database", url, "--json")
    assert ill.returncode == 3 and "transactions and has" in json.loads(ill.stdout)["findings"][0]
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


def test_a_string_that_postgresql_cannot_store_is_rejected_on_every_engine(tmp_path, database):
    database.run("createdb", "-h", database.folder, "-U", "till", "-T", "template0", "nulls")
    for settings in ([], ["--database", database.url.removesuffix("/till") + "/nulls"]):
        till = Till(tmp_path / str(len(settings)), *settings)
        control = till.address("control") + "/v1"
        for method, path, body in (
            ("POST", "/apps", {"bundleId": "com.example.\0"}), ("POST", "/apps", {"bundleId": "a.b", "name": "x\0y"}),
            ("GET", "/requests/%00", None), ("GET", "/apps/%00", None), ("GET", "/requests?limit=%00", None),
        ):
            answer = requests.request(method, control + path, json=body, timeout=30)
            assert answer.status_code == 400 and "U+0000" in answer.text, (path, answer.status_code, answer.text)
        shop = App(till, ControlClient(till.address("control")), APP, 1234567890, None, CATALOG)
        bought = shop.sandbox.buy("ann", COINS)
        headers = {"Authorization": f"Bearer {shop.token()}"}
        sandbox = till.address("sandbox") + "/inApps"
        page = requests.get(f"{sandbox}/v2/history/{bought.id}?productId=%00", headers=headers, timeout=30)
        assert (page.status_code, page.json()["signedTransactions"]) == (200, [])
        token = {"appAccountToken": "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a1\0"}
        url = f"{sandbox}/v1/transactions/{bought.id}/appAccountToken"
        assert requests.put(url, headers=headers, json=token, timeout=30).json()["errorCode"] == 4000183
        assert till.stop() == 0
