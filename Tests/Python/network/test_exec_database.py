"""A backend with PostgreSQL on localhost runs under `till exec` and can still use the database.

The database is Debian's PostgreSQL. An ordinary user runs it in a folder of its own.
"""

import pytest

from postgres_server import PostgresServer
from process_helpers import UNPRIVILEGED, free_port
from test_exec import IS_ROOT, WORDS, assert_found, backend, bench, needed  # noqa: F401


@pytest.fixture(scope="module")
def database():
    database = PostgresServer(free_port())
    yield database
    database.stop()


def run(bench, database, *flags, user=None, **variables):  # noqa: F811
    environment = bench.environment(DATABASE_PORT=str(database.port), **variables)
    command = backend(bench, user, "backend_with_database.py")
    return bench.till("exec", *flags, "--demo", "--", *command, user=user, tun=bool(user), env=environment)


def assert_written(done, database):
    found = assert_found(done)
    ids = {environment: found[environment]["transactionId"] for environment in found}
    rows = database.sql("SELECT environment, receipt, transaction_id FROM bought ORDER BY 1")
    assert rows.splitlines() == [f"Production|0|{ids['production']}", f"Sandbox|0|{ids['sandbox']}"]
    database.sql("DROP TABLE bought")


@pytest.mark.parametrize("way, flags", [
    *([("mount", [])] if IS_ROOT else []), ("proxy", []), ("network", ["--keep-port"]),
])
def test_a_backend_reaches_its_database_on_localhost(bench, database, way, flags):  # noqa: F811
    flags = [part for flag in flags for part in (flag, database.port)]
    done = run(bench, database, "--way", way, *flags)
    assert_written(done, database)
    assert WORDS[way] in done.stderr
    if flags:
        assert f"but {database.port} as before" in done.stderr


def test_with_a_network_namespace_the_address_of_the_database_is_printed(bench, database):  # noqa: F811
    """Unless a port is kept, localhost belongs to the namespace. The message gives the machine's address, which
    works."""
    done = run(bench, database, "--way", "network")
    assert done.returncode == 1 and "Can't create a connection to host localhost" in done.stderr
    assert "services on localhost" in done.stderr and "10.0.2.2" in done.stderr and "--keep-port" in done.stderr
    assert_written(run(bench, database, "--way", "network", DATABASE_HOST="10.0.2.2"), database)


@pytest.mark.parametrize("flags", [["--way", "proxy"], ["--keep-port"], []])
def test_an_ordinary_users_backend_reaches_its_database(bench, database, flags):  # noqa: F811
    """The user gets a network namespace with the kept port, or the proxy, which needs no kept port."""
    flags = [part for flag in flags for part in ([flag, database.port] if flag == "--keep-port" else [flag])]
    done = run(bench, database, *flags, user=UNPRIVILEGED if IS_ROOT else None)
    if not flags and WORDS["network"] in done.stderr:
        assert done.returncode == 1 and "10.0.2.2" in done.stderr
    else:
        assert_written(done, database)


