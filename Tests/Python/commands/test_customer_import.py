"""Imports a customer of one server into another, with the command: from the API, and from saved answers."""

import json
from pathlib import Path

import pytest
import requests

from process_helpers import Server, run_till

APP = ["--app", "com.example.till.demo"]


@pytest.fixture
def servers(tmp_path: Path):
    """A demo server, and a server with the same app and no customers."""
    source = Server(tmp_path / "source", tmp_path, "--demo")
    target = Server(tmp_path / "target", tmp_path)
    run_till("app", "create", "com.example.till.demo", TILL_DATA=str(tmp_path / "target"), code=0)
    yield source, target
    source.kill()
    target.kill()


def address(server: Server, customer: str) -> str:
    return f"{server.address('control')}/v1/apps/com.example.till.demo/sandbox/customers/{customer}"


def transactions(server: Server, customer: str) -> list[dict]:
    """The transactions of a customer, without what no answer of the App Store Server API shows."""
    hidden = {"isFinished", "orderId", "availableActions"}
    rows = requests.get(f"{address(server, customer)}/transactions?limit=100", timeout=30).json()["transactions"]
    return [{key: value for key, value in row.items() if key not in hidden} for row in rows]


def test_from_the_api(servers, tmp_path: Path):
    source, target = servers
    facts, ann = source.document, requests.get(address(source, "ann"), timeout=30).json()
    key = ["--key", facts["keyFile"], "--key-id", facts["keyId"], "--issuer", facts["issuerId"]]
    asked = ["--from", facts["sandbox"], "--transaction", ann["appTransactionId"], *key, *APP]
    done = run_till("customer", "import", "zoe", *asked, "--json", TILL_DATA=str(target.data), code=0)
    report = json.loads(done.stdout)
    theirs = transactions(source, "ann")
    assert report["transactions"] == len(theirs) > 0 and report["quarantined"] == []
    assert report["appTransactionId"] == ann["appTransactionId"]
    assert transactions(target, "zoe") == theirs
    again = run_till("customer", "import", "yan", *asked, TILL_DATA=str(target.data), code=1)
    assert "exists" in again.stderr
    done = run_till("customer", "import", "yan", *asked, "--anonymize", TILL_DATA=str(target.data), code=0)
    assert ann["appTransactionId"] not in done.stdout
    wrong = [*asked[:2], "--transaction", "1", *asked[4:]]
    assert "4040010" in run_till("customer", "import", "xi", *wrong, TILL_DATA=str(target.data), code=1).stderr


def test_from_files(servers, tmp_path: Path):
    source, target = servers
    ann = requests.get(address(source, "ann"), timeout=30).json()
    done = run_till("history", ann["appTransactionId"], *APP, "--json", TILL_DATA=str(source.data), code=0)
    pages = tmp_path / "pages.json"
    # Answers may follow one another without an array.
    pages.write_text("\n".join(json.dumps(page, indent=2) for page in json.loads(done.stdout)))
    imported = run_till("customer", "import", "zoe", "--from", str(pages), *APP, TILL_DATA=str(target.data), code=0)
    assert "Imported the customer zoe" in imported.stdout and "Not imported:" in imported.stdout
    assert transactions(target, "zoe") == transactions(source, "ann")
    pages.write_text("{")
    broken = run_till("customer", "import", "yan", "--from", str(pages), *APP, TILL_DATA=str(target.data), code=1)
    assert "pages.json" in broken.stderr
    wrong = ["--from", str(pages), "--transaction", "1"]
    run_till("customer", "import", "yan", *wrong, TILL_DATA=str(target.data), code=64)


def test_from_a_recording(servers, tmp_path: Path):
    """The key options are those of till apple: variables, and the key id in the name of the file."""
    source, target = servers
    facts, ann = source.document, requests.get(address(source, "ann"), timeout=30).json()
    variables = {
        "HOME": str(tmp_path), "TILL_APPLE_KEY": facts["keyFile"], "TILL_APPLE_ISSUER": facts["issuerId"],
        "TILL_DATA": str(target.data),
    }
    asked = ["--from", facts["sandbox"], "--transaction", ann["appTransactionId"], *APP]
    run_till("customer", "import", "zoe", *asked, **variables, code=0)
    recording = str(tmp_path / "ann.json")
    bundle = ["--bundle", "com.example.till.demo", "--url", facts["sandbox"]]
    run_till("apple", "record", ann["appTransactionId"], "--out", recording, *bundle, **variables, code=0)
    done = run_till("customer", "import", "yan", "--from", recording, *APP, "--json", **variables, code=0)
    report = json.loads(done.stdout)
    theirs = transactions(source, "ann")
    assert report["transactions"] == len(theirs) and report["quarantined"] == []
    assert [row["productId"] for row in transactions(target, "yan")] == [row["productId"] for row in theirs]
    assert report["appTransactionId"] not in (ann["appTransactionId"], "")


def test_a_family(servers):
    """Both members of a family are imported; the copies are linked to the purchaser's purchases."""
    source, target = servers
    facts = source.document
    run_till("buy", "com.example.till.demo.greenhouse.month", "--customer", "carla", *APP, TILL_DATA=str(source.data),
             code=0)
    variables = {"TILL_APPLE_KEY": facts["keyFile"], "TILL_APPLE_ISSUER": facts["issuerId"],
                 "TILL_DATA": str(target.data)}
    # Products that are created for a member's copy have family sharing.
    for name, theirs in [("yan", "dora"), ("zoe", "carla")]:
        about = requests.get(address(source, theirs), timeout=30).json()
        asked = ["--from", facts["sandbox"], "--transaction", about["appTransactionId"], *APP]
        run_till("customer", "import", name, *asked, **variables, code=0)
    run_till("customer", "update", "yan", "--clock", "zoe", *APP, **variables, code=0)
    before = transactions(target, "yan")
    joined = run_till("family", "join", "yan", "--with", "zoe", "--link", *APP, **variables, code=0)
    assert "Linked copies: " in joined.stdout and transactions(target, "yan") == before
    target.stop()
    run_till("doctor", "--data", str(target.data), code=0)
