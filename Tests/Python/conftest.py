"""Fixtures: a running Till, its control API, and an app with a product of every type.

The tests use a real `till serve` process. TILL_BIN names the program (default: the debug build). If the program or a
library is missing, the run fails with the command that installs it; no test is skipped.
"""

import importlib
import itertools
import json
import os
import re
from pathlib import Path

import pytest

pytest.register_assert_rewrite(
    "shop_helpers", "payload_rules", "process_helpers", "notification_checks", "receipt_checks", "console_browser"
)

NEEDED = [
    "apple_purchase_receipt_verifier", "appstoreserverlibrary", "asn1crypto", "check_jsonschema", "cryptography",
    "inapppy", "itunesiap", "jsonschema", "jwt", "kubernetes_validate", "material", "mkdocs", "openapi_spec_validator",
    "pg8000", "requests", "selenium", "xdist", "yaml",
]
try:
    for module in NEEDED:
        importlib.import_module(module)
except ImportError as missing:
    pytest.exit(f"{missing}. Install what the tests need with: scripts/install test", returncode=1)

from catalog_of_everything import CATALOG  # noqa: E402
from listening_post import ListeningPost  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402
from shop_helpers import App, Till, control_calls, provoked_codes  # noqa: E402

# In this folder, each process of a run records what it did. The tests that check the whole run read these records.
RECORDS = os.environ.get("TILL_TEST_RECORDS")


def pytest_configure(config):
    for mark in (
        "alone: depends on timing, so no other test may run at the same time",
        "last: checks the whole run, so it runs after every other test",
        "own_app: has an app that no other test uses",
    ):
        config.addinivalue_line("markers", mark)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    if RECORDS and (control_calls or provoked_codes):
        calls = {name: sorted(statuses) for name, statuses in control_calls.items()}
        record = {"provokedCodes": sorted(provoked_codes), "controlCalls": calls}
        (Path(RECORDS) / f"{os.getpid()}.json").write_text(json.dumps(record))


@pytest.fixture(scope="session")
def whole_run():
    """The error codes that the processes of this run have caused, and the control operations that they have called."""
    for file in Path(RECORDS).glob("*.json") if RECORDS else ():
        record = json.loads(file.read_text())
        provoked_codes.update(record["provokedCodes"])
        for name, statuses in record["controlCalls"].items():
            control_calls.setdefault(name, set()).update(statuses)
    return provoked_codes, control_calls


# The slowest files run first, so that no worker has to run one of them at the end.
LONGEST = [
    "test_outside_package", "test_outside_client", "test_console", "test_history_changes", "test_crash",
    "test_hostile_receipts", "test_contract", "test_crash_clock", "test_exec", "test_scenarios", "test_documentation",
    "test_hostile", "test_exec_database", "test_receipts", "test_shared_server",
]


def pytest_collection_modifyitems(items):
    """Sorts the slowest files first and the tests that check the whole run last."""
    def sort_key(item):
        name = item.path.stem
        is_last = item.get_closest_marker("last") is not None
        return is_last, LONGEST.index(name) if name in LONGEST else len(LONGEST)

    items.sort(key=sort_key)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server that most tests share."""
    with Till(tmp_path_factory.mktemp("till")) as till:
        yield till


@pytest.fixture(scope="session")
def control(server):
    return server.client


@pytest.fixture
def serve(tmp_path):
    """Starts more servers, each in its own folder unless `data` is given, and stops them after the test."""
    started = []
    numbers = itertools.count()

    def start(*arguments, **options):
        started.append(Till(tmp_path / f"till-{next(numbers)}", *arguments, **options))
        return started[-1]

    yield start
    for till in started:
        till.kill()


@pytest.fixture
def post():
    """A receiver of notifications."""
    post = ListeningPost()
    yield post
    post.close()


@pytest.fixture(scope="module")
def database():
    """A PostgreSQL server."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def team(control):
    """The team of the shared apps. If a server has several teams, each app must name its team."""
    return control.call("createTeam", {"name": "The team"})["issuerId"]


@pytest.fixture(scope="session")
def app(server, team):
    """An app with a product of every type."""
    return App(server, "com.example.shop", 1234567890, team, CATALOG)


@pytest.fixture(scope="session")
def other_app(server, team):
    """Another app of the same team. Its id is lower, because an app without an Apple id gets the highest id plus
    one."""
    return App(server, "com.example.neighbour", 1234567889, team, CATALOG)


@pytest.fixture(scope="session")
def foreign_app(server, control):
    """An app of another team."""
    issuer = control.call("createTeam", {"name": "Another team"})["issuerId"]
    return App(server, "org.example.foreign", 987654321, issuer, CATALOG)


_numbers = itertools.count(1)


@pytest.fixture
def new_app(server, team):
    """A separate app for the test, because a history contains all notifications of an app."""
    number = next(_numbers)
    # The Apple ids are far apart, because an app without an Apple id gets the highest id plus one.
    return App(server, f"com.example.own{number}", 2_000_000_000 + 1_000 * number, team, CATALOG)


@pytest.fixture
def its_app(request):
    """The app of the test: a separate one if the test has the mark `own_app`, otherwise the shared one."""
    return request.getfixturevalue("new_app" if request.node.get_closest_marker("own_app") else "app")


@pytest.fixture(params=["sandbox", "production"])
def environment(its_app, request):
    """The app in each environment."""
    return its_app.environment(request.param)


@pytest.fixture
def sandbox(its_app):
    return its_app.sandbox


@pytest.fixture
def customer(request):
    """A unique customer name."""
    name = re.sub(r"\W+", "-", request.node.name)[:60]
    return f"{name}-{next(_numbers)}"
