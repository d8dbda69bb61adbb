"""A backend with PostgreSQL on localhost runs under `till exec` and can still use the database.

The database is Debian's PostgreSQL. An ordinary user runs it in a folder of its own.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pg8000.dbapi
import pytest

from process_helpers import UNPRIVILEGED, free_port
from test_exec import IS_ROOT, WORDS, assert_found, backend, bench, needed, temporary_root  # noqa: F401

OWNER = ["runuser", "-u", UNPRIVILEGED, "--"] if IS_ROOT else []


class Database:
    """A PostgreSQL server at 127.0.0.1 that accepts every user without a password."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="till-postgres-", dir=temporary_root()))
        self.port = free_port()
        if IS_ROOT:
            shutil.chown(self.folder, UNPRIVILEGED)
        made = subprocess.run(
            [*OWNER, program("initdb"), "--pgdata", self.folder / "data", "--auth", "trust", "--username", "backend",
             "--locale", "C", "--encoding", "UTF8", "--no-sync"],
            capture_output=True, text=True, cwd="/",
        )
        assert made.returncode == 0, made.stderr
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [*OWNER, program("postgres"), "-D", self.folder / "data", "-p", str(self.port), "-h", "127.0.0.1",
                 "-k", "", "-F"],
                stdout=log, stderr=log, cwd="/",
            )
        deadline = time.monotonic() + 30
        while True:
            try:
                self.connection = self.connect()
                return
            except (pg8000.dbapi.InterfaceError, pg8000.dbapi.DatabaseError):
                assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.05)

    def connect(self):
        return pg8000.dbapi.connect(user="backend", database="postgres", host="127.0.0.1", port=self.port)

    def rows(self) -> list:
        """The rows that a backend has written. Empties the table for the next test."""
        cursor = self.connection.cursor()
        cursor.execute("select environment, receipt, transaction_id from bought order by 1")
        found = cursor.fetchall()
        cursor.execute("drop table bought")
        self.connection.commit()
        return [tuple(row) for row in found]

    def close(self):
        self.connection.close()
        # The signal goes to the server and not to runuser. SIGINT ends the server without waiting for connected
        # clients.
        (pid, *_) = (self.folder / "data/postmaster.pid").read_text().splitlines()
        os.kill(int(pid), signal.SIGINT)
        self.process.wait(30)
        shutil.rmtree(self.folder)


def program(name) -> str:
    """The path of a server program. Debian installs these outside of the PATH, in one folder per version."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    path = str(found[-1]) if found else shutil.which(name)
    if not path:
        pytest.fail(f"{name} is missing: apt-get install postgresql, or scripts/install test", pytrace=False)
    return path


@pytest.fixture(scope="module")
def database():
    database = Database()
    yield database
    database.close()


def run(bench, database, *flags, user=None, **variables):  # noqa: F811
    environment = bench.environment(DATABASE_PORT=str(database.port), **variables)
    command = backend(bench, user, "backend_with_database.py")
    return bench.till("exec", *flags, "--demo", "--", *command, user=user, tun=bool(user), env=environment)


def assert_written(done, database):
    found = assert_found(done)
    ids = {environment: found[environment]["transactionId"] for environment in found}
    assert database.rows() == [("Production", 0, ids["production"]), ("Sandbox", 0, ids["sandbox"])]


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


