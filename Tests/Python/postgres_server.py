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


class PostgresServer:
    """Starts a server with the empty database `till`. `stop` stops the server and removes its folder."""

    def __init__(self):
        self.programs = programs()
        # The operating system limits the path of a socket to 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="till-postgres-", dir="/tmp"))
        self.who = {}
        if os.getuid() == 0:
            # PostgreSQL refuses to run as root.
            names = [user.pw_name for user in pwd.getpwall()]
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            self.who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.log = open(self.folder / "log", "wb")
        self.run("initdb", "-D", "data", "-U", "till", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self.start()
        self.run("createdb", "-h", self.folder, "-U", "till", "-T", "template0", "till")

    @property
    def url(self) -> str:
        # The server ignores the password. Tests check that no log contains it.
        return f"postgres://till:hunter2@{quote(str(self.folder), safe='')}/till"

    def create(self, name, *statements) -> str:
        """Creates another database, runs SQL statements in it, and returns its URL."""
        self.run("createdb", "-h", self.folder, "-U", "till", "-T", "template0", name)
        for statement in statements:
            self.sql(statement, name)
        return self.url.removesuffix("/till") + f"/{name}"

    def start(self):
        self.process = subprocess.Popen(
            [
                self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=",
                "-c", "fsync=off",
            ],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **self.who,
        )
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder, "-U", "till", "-d", "postgres"]
        limit = time.monotonic() + 60
        while subprocess.run(ready, check=False).returncode != 0:
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
            [self.programs / "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "till", "-d",
             database, "-c", command],
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout.strip()

    def run(self, program, *arguments):
        subprocess.run(
            [self.programs / program, *map(str, arguments)],
            cwd=self.folder, check=True, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **self.who,
        )
