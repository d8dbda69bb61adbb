"""A PostgreSQL server for one test. It listens on a socket in a temporary folder and runs as an unprivileged user."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import pytest


def programs() -> Path:
    """The folder with the programs of the newest version. If there is none, the test fails and is not skipped."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    initdb = found[-1] if found else shutil.which("initdb")
    if not initdb:
        pytest.fail("PostgreSQL is not installed: apt-get install --yes postgresql", pytrace=False)
    return Path(initdb).parent


def unprivileged_owner(folder) -> dict:
    """Gives a folder to an account without rights, because PostgreSQL refuses to run as root. Returns the options of
    Popen for this account; none unless the tests run as root."""
    if os.getuid() != 0:
        return {}
    names = [user.pw_name for user in pwd.getpwall()]
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class PostgresServer:
    """Starts a server with the empty database `till`. `stop` stops the server and removes its folder. It listens on a
    socket in the folder, and on 127.0.0.1 if a port is given."""

    def __init__(self, port=None):
        self.programs = programs()
        # The operating system limits the path of a socket to 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="till-postgres-", dir="/tmp"))
        self.who = unprivileged_owner(self.folder)
        self.port = port
        self.environment = {
            **os.environ, "PGHOST": str(self.folder), "PGUSER": "till", "PGPORT": str(port or 5432),
        }
        self.log = open(self.folder / "log", "wb")
        self.run("initdb", "-D", "data", "-U", "till", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self.start()
        self.create("till")

    @property
    def url(self) -> str:
        # The server ignores the password. Tests check that no log contains it.
        return f"postgres://till:hunter2@{quote(str(self.folder), safe='')}/till"

    def create(self, name, *statements) -> str:
        """Creates another database, runs SQL statements in it, and returns its URL."""
        self.run("createdb", "-T", "template0", name)
        for statement in statements:
            self.sql(statement, name)
        return self.url.removesuffix("/till") + f"/{name}"

    def start(self):
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-F",
             "-c", f"listen_addresses={'127.0.0.1' if self.port else ''}"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment,
            **self.who,
        )
        ready = [self.programs / "pg_isready", "-q", "-d", "postgres"]
        limit = time.monotonic() + 60
        while subprocess.run(ready, check=False, env=self.environment).returncode != 0:
            assert self.process.poll() is None and time.monotonic() < limit, (self.folder / "log").read_text()
            time.sleep(0.05)

    def kill(self):
        """Kills the server at once, in the middle of its work."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)

    def stop(self):
        if self.process.poll() is None:
            self.kill()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, command, database="till") -> str:
        """Runs an SQL command in a database, and returns its output."""
        return subprocess.run(
            [self.programs / "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", command],
            capture_output=True, text=True, check=True, timeout=60, env=self.environment,
        ).stdout.strip()

    def run(self, program, *arguments):
        subprocess.run(
            [self.programs / program, *map(str, arguments)],
            cwd=self.folder, check=True, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=self.environment, **self.who,
        )
