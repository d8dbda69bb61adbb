"""This version opens the data of version 0.1.0 and gives the same answers.

The fixtures in Tests/Fixtures/till-0.1.0 were written by the program of version 0.1.0 (see `README.md` there), together
with its answers. The tests open each fixture in a copy and send every recorded request again. Every difference must be
listed in `expected-differences.json` with a reason. Then every frozen clock advances by a year, and the doctor must
find no problem.
"""

import json
import shutil
import tarfile
from pathlib import Path

import pytest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

from process_helpers import run_till
from recorded_answers import MISSING, Asker, ExpectedDifferences, Replay, differences
from shop_helpers import Till, models, server_root

FIXTURES = Path(__file__).resolve().parents[2] / "Fixtures/till-0.1.0"
EXPECTED = json.loads((FIXTURES / "expected-differences.json").read_text())
# Environments, each with a customer clock or None.
CLOCKS = [("sandbox", None), ("production", None), ("production", "slow"), ("production", "ahead")]

# The exported state and the backup contain the same data as the data directory. For the data directory, every request
# is sent.
SAMPLE = 4


class Fixture:
    """The unpacked content of one archive."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder / name
        with tarfile.open(FIXTURES / f"{name}.tar.xz") as archive:
            archive.extractall(self.folder, filter="tar")
        self.data = self.folder / "data"
        self.answers, self.midway, self.facts = (
            json.loads((self.folder / f"{part}.json").read_text()) for part in ("answers", "midway", "facts")
        )


class Opened:
    """A running server with data of version 0.1.0."""

    def __init__(self, fixture, server, control_token, settings=()):
        self.fixture, self.server, self.settings = fixture, server, settings
        self.asker = Asker(server, fixture.facts["keys"], control_token)
        self.expected = ExpectedDifferences(EXPECTED, fixture.name)

    def call(self, method, path, body=None):
        answer = self.asker.send(method, "control", path, body)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def assert_answers_as_recorded(self, entries=None, **options):
        """Sends every recorded request again. The options are those of `Replay`."""
        found = self.expected.unexpected(Replay(self.asker, entries or self.fixture.answers, **options).run())
        if found:
            listed = "\n".join(map(repr, found[:40]))
            pytest.fail(f"{len(found)} differences from the answers of 0.1.0:\n{listed}", pytrace=False)

    def assert_expectations_apply(self):
        """Checks that every expected difference has occurred; otherwise the list is out of date. Call it after all
        requests."""
        assert self.expected.unused == [], "these entries of expected-differences.json no longer apply"

    def assert_continues(self, clocks=CLOCKS):
        """Advances frozen clocks by a year, and checks that no problem occurs."""
        app = f"/v1/apps/{self.fixture.facts['bundleId']}"
        for environment in ("sandbox", "production"):
            for name in ("primary", "log", "old"):
                # The deliveries of this year are not tested.
                self.asker.send("DELETE", "control", f"{app}/{environment}/endpoints/{name}")
        for environment, clock in clocks:
            body = {"by": "P1Y", **({"clock": clock} if clock else {})}
            report = self.call("POST", f"{app}/{environment}/clock/advance", body)
            assert report["quarantined"] == [], report
            assert any(entry["type"] == "DID_RENEW" for entry in report["notifications"]), (environment, clock, report)
        arguments = ["--data", str(self.server.data), *self.settings]
        run_till("doctor", *arguments, timeout=120, code=0)

    def assert_snapshots(self):
        assert self.differences("midway"), "the clocks were advanced since the snapshot"
        for name in ("of-one-app", "midway"):
            self.call("POST", f"/v1/snapshots/{name}/restore")
            assert self.differences(name) == []
            self.assert_answers_as_recorded(self.fixture.midway, same_store=False)

    def differences(self, snapshot):
        """All differences of the app between a snapshot and the current state."""
        path = f"/v1/snapshots/{snapshot}/differences?bundleId={self.fixture.facts['bundleId']}&limit=200"
        found, after = [], ""
        while after is not None:
            page = self.call("GET", path + after)
            found += page["differences"]
            after = f"&after={page['next']}" if "next" in page else None
        return found


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory):
    return Fixture("sqlite", tmp_path_factory.mktemp("fixture"))


@pytest.fixture
def opened(tmp_path):
    """Opens data in a server, which is stopped after the test."""
    servers = []

    def open_(fixture, data, *settings, address="127.0.0.2"):
        # The control API requires a token unless it listens on 127.0.0.1. No data may be so old that it is deleted.
        token = fixture.facts["controlToken"] if address != "127.0.0.1" else None
        server = Till(tmp_path / f"server-{len(servers)}", "--control-address", address, "--notification-days", "36500",
                      "--node-name", "fixture", *settings, data=data)
        servers.append(server)
        return Opened(fixture, server, token, settings[:2] if "--database" in settings else ())

    yield open_
    stopped = [server.stop() for server in servers]
    assert stopped == [0] * len(servers)


def test_a_data_directory(sqlite, opened, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(sqlite.data, data)
    till = opened(sqlite, data, "--tls-port", "0")
    till.assert_answers_as_recorded()
    for name in ("ca/root.pem", "ca/root.key", "tls/root.pem", "tls/root.key", "ca/receipts/chain.pem"):
        assert (data / name).read_bytes() == (sqlite.data / name).read_bytes(), name
    # Old signatures must be valid under the root that the server names now.
    for signed in sqlite.facts["signed"]:
        environment = models.Environment(signed["environment"].capitalize())
        verifier = SignedDataVerifier(
            [server_root(till.server)], False, environment, sqlite.facts["bundleId"], 1_234_567_890)
        assert verifier.verify_and_decode_signed_transaction(signed["jws"]).bundleId == sqlite.facts["bundleId"]
    till.assert_continues()
    till.assert_snapshots()
    till.assert_expectations_apply()


def test_a_dump_of_postgresql(database, opened, tmp_path):
    fixture = Fixture("postgresql", tmp_path)
    database.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "till", "-c", "SET synchronous_commit = off",
                 "-f", readable(database, fixture.folder / "dump.sql"))
    till = opened(fixture, fixture.data, "--database", database.url)
    till.assert_answers_as_recorded()
    till.assert_continues()
    till.assert_snapshots()
    till.assert_expectations_apply()


def readable(database, file):
    """A copy of a file that the user of the database server can read."""
    copy = database.folder / file.name
    shutil.copyfile(file, copy)
    copy.chmod(0o644)
    return copy


def test_an_exported_state(sqlite, opened, tmp_path):
    till = opened(sqlite, tmp_path / "data", address="127.0.0.1")
    run_till("state", "import", sqlite.folder / "shop.state", "--yes", "--control", till.server.address("control"), code=0)
    without = {"journal", "keys", "tokens", "snapshots"}
    till.assert_answers_as_recorded(without=without, same_store=False, every=SAMPLE)
    till.assert_continues(CLOCKS[1:2])


def test_a_backup(sqlite, opened, tmp_path):
    data = tmp_path / "data"
    run_till("restore", "--from", sqlite.folder / "backup", "--data", data, code=0)
    till = opened(sqlite, data)
    till.assert_answers_as_recorded(same_store=False, every=SAMPLE)
    till.assert_continues(CLOCKS[:1])


def test_a_backup_in_postgresql(sqlite, database, opened, tmp_path):
    url, data = database.create("restored"), tmp_path / "data"
    run_till("restore", "--from", sqlite.folder / "backup", "--data", data, TILL_DATABASE=url, code=0)
    till = opened(sqlite, data, "--database", url)
    till.assert_answers_as_recorded(without={"journal"}, same_store=False, every=SAMPLE)
    till.assert_continues(CLOCKS[2:])


def test_a_difference_is_found_unless_an_entry_explains_it():
    recorded = {"a": [1, {"b": "old words"}], "c": None, "d": 1}
    found = list(differences("GET /x", recorded, {"a": [1, {"b": "new words"}, 2], "c": None, "d": True}))
    assert [(each.path, each.old, each.new) for each in found] == [
        ("$.a[1].b", "old words", "new words"), ("$.a[2]", MISSING, 2), ("$.d", 1, True),
    ]
    reason = "It was wrong and is right now."
    entries = [
        {"request": "GET *", "path": "$.a[*].b", "old": "old *", "new": "new *", "reason": reason},
        {"request": "GET /x", "path": "$.d", "old": 1, "new": 2, "reason": reason},
        {"request": "GET /x", "path": "$.a[2]", "old": MISSING, "new": 2, "reason": reason, "fixture": "another"},
    ]
    expected = ExpectedDifferences(entries, "sqlite")
    assert [each.path for each in expected.unexpected(found)] == ["$.a[2]", "$.d"]
    assert expected.unused == entries[1:2]
