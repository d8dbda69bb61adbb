"""The pytest plugin: the fixtures `till`, `app`, `endpoint` and `clock`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .app import App
from .reports import describe
from .server import Till
from .sharing import SharedTill, ask, keep
from .transport import ServerEnded, TillError

MARK = "till"
SHARED = pytest.StashKey[SharedTill]()
HAS_FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser):
    parser.getgroup("till").addoption(
        "--till-keep", action="store_true",
        help="leave the app of each failed test on the server that TILL_CONTROL names",
    )
    text = "the .storekit file of the fixture app, relative to the folder of this file"
    parser.addini("till_catalog", text, "pathlist")


def pytest_configure(config):
    if config.getoption("till_keep") and not os.environ.get("TILL_CONTROL"):
        raise pytest.UsageError(
            "--till-keep needs a running server, which TILL_CONTROL names: a temporary server ends with the tests."
        )
    config.addinivalue_line(
        "markers",
        "till(catalog, environment, start): the fixture app of a test. catalog: a .storekit file, relative to the test "
        "file; environment: sandbox (the default) or production; start: the first time that its clock shows.",
    )


# pytest-xdist ---------------------------------------------------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """In the controlling process, before a worker starts."""
    if SHARED not in node.config.stash:
        node.config.stash[SHARED] = SharedTill()
    node.workerinput["till"] = node.config.stash[SHARED].question


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """In the controlling process, when a worker has ended, in order or not."""
    shared = node.config.stash.get(SHARED, None)
    if shared is not None and error:
        shared.worker_ended(node.gateway.id)


def pytest_unconfigure(config):
    shared = config.stash.get(SHARED, None)
    if shared is not None:
        del config.stash[SHARED]
        shared.close()


# Failed tests ---------------------------------------------------------------------------------------------------------


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Describes the apps of a failed test. If the temporary server has ended, ends the session with the reason."""
    report = (yield).get_result()
    if not report.failed:
        return
    item.stash[HAS_FAILED] = True
    values = list(getattr(item, "funcargs", {}).values())
    apps = list(dict.fromkeys(value for value in values if isinstance(value, App)))
    try:
        if call.excinfo is not None and isinstance(call.excinfo.value, ServerEnded):
            raise call.excinfo.value
        for till in {app.till for app in apps} | {value for value in values if isinstance(value, Till)}:
            till.connection.check_server()
        if report.when != "teardown":
            report.sections += [("Till", describe(app)) for app in apps if app in app.till.apps]
    except ServerEnded as end:
        report.longrepr = str(end)
        item.session.shouldstop = str(end).splitlines()[0]


# Fixtures -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def till(request) -> Till:
    """A server for the whole session: a temporary one, or the one that TILL_CONTROL names."""
    given = getattr(request.config, "workerinput", {}).get("till")
    with Till.open() if given is None else ask(given, request.config.workerinput["workerid"]) as server:
        yield server


@pytest.fixture
def till_app(request, till):
    """An app of its own for the test. The name is for projects that have a fixture app of their own."""
    __tracebackhide__ = True
    app = till.app(**_options(request))
    yield app
    if request.node.stash.get(HAS_FAILED, False) and request.config.getoption("till_keep"):
        _keep(app, request.config)
    else:
        app.delete()


@pytest.fixture
def app(till_app):
    """An app of its own for the test."""
    return till_app


@pytest.fixture
def endpoint(request):
    """A receiver of the app's notifications."""
    with _app_of(request).endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def clock(request):
    """The clock of the app."""
    return _app_of(request).clock


def _keep(app: App, config):
    """Leaves an app on the running server, also at the end of the session."""
    app.till.keep(app.bundle_id)
    if (given := getattr(config, "workerinput", {}).get("till")) is not None:
        keep(given, app.bundle_id)


def _app_of(request) -> App:
    """The fixture app, also if a test suite replaces it by an app for a module. If it is something else, such as a web
    application, till_app."""
    if "till_app" in request.fixturenames and "app" not in request.fixturenames:
        return request.getfixturevalue("till_app")
    app = request.getfixturevalue("app")
    return app if isinstance(app, App) else request.getfixturevalue("till_app")


def _options(request) -> dict:
    """The keywords of the mark, where the nearest one counts, and the catalog of the ini file."""
    options = {}
    for mark in reversed(list(request.node.iter_markers(MARK))):
        unknown = set(mark.kwargs) - {"catalog", "environment", "start"}
        if mark.args or unknown:
            given = ", ".join([*map(repr, mark.args), *sorted(unknown)])
            raise TillError(f"The mark till has the keywords catalog, environment and start, not {given}.")
        options.update(mark.kwargs)
    if isinstance(options.get("catalog"), str):
        options["catalog"] = Path(request.node.path).parent / options["catalog"]
    if "catalog" not in options and (files := request.config.getini("till_catalog")):
        options["catalog"] = files[0]
    return options
