"""Three PostgreSQL servers under Patroni, with their three etcd members, all on loopback.

The configuration is read from the page docs/operating/scale.md; only addresses and paths are replaced. The tests can
kill, pause and resume the PostgreSQL of a member, its Patroni, or both, as if the machine failed.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import requests

from postgres_server import programs, unprivileged_owner
from process_helpers import free_port, installed, wait_until

PAGE = Path(__file__).resolve().parents[2] / "docs/operating/scale.md"
NAMES = "abc"


def program(name) -> str:
    return installed(name, "postgresql patroni etcd-server etcd-client", "cluster")


def documented_configuration() -> str:
    """The block of the page that begins with `scope:`. It configures member a on 10.0.0.11, with 10.0.0.12 and
    10.0.0.13."""
    (block,) = [
        text for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.M | re.S) if text.startswith("scope:")
    ]
    return block


class Member:
    """A PostgreSQL server with its Patroni."""

    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name
        self.port, self.patroni_port = free_port(), free_port()
        self.data = cluster.folder / f"data-{name}"
        self.process = None

    def configure(self):
        """Writes the page's configuration for this member."""
        text = documented_configuration()
        number = 11 + NAMES.index(self.name)
        changes = {
            "name: a\n": f"name: {self.name}\n",
            ",".join(f"10.0.0.{11 + n}:2379" for n in range(3)): ",".join(
                f"127.0.0.1:{port}" for port in self.cluster.etcd_ports
            ),
            "10.0.0.11:8008": f"127.0.0.1:{self.patroni_port}",
            "10.0.0.11:5432": f"127.0.0.1:{self.port}",
            "/var/lib/postgresql/till": str(self.data),
            "/var/run/postgresql": str(self.cluster.folder),
            "/usr/lib/postgresql/15/bin": str(programs()),
            "10.0.0.0/24": "127.0.0.0/8",
            # These processes have no watchdog. The test itself kills what a watchdog would have reset.
            "mode: required\n  device: /dev/watchdog": "mode: 'off'",
        }
        for old, new in changes.items():
            assert old in text, f"{PAGE.name} no longer contains {old!r}"
            text = text.replace(old, new)
        assert "10.0.0" not in text, f"member {number} still names another machine:\n{text}"
        self.file = self.cluster.folder / f"patroni-{self.name}.yml"
        self.file.write_text(text)

    def start(self):
        self.process = self.cluster.run([program("patroni"), self.file], f"patroni-{self.name}")

    def processes(self) -> list:
        """The process ids of the member's PostgreSQL; the parent process is the first."""
        try:
            first = int((self.data / "postmaster.pid").read_text().split()[0])
            assert b"postgres" in Path(f"/proc/{first}/cmdline").read_bytes()
        except (OSError, ValueError, IndexError, AssertionError):
            return []
        return [first] + [pid for pid, parent in parents().items() if parent == first]

    def signal(self, number, postgres=True, patroni=True):
        """Sends SIGKILL, SIGSTOP or SIGCONT to all processes of the member. Patroni gets the signal first, so that it
        does not interfere."""
        if patroni:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)
        for pid in self.processes() if postgres else ():
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if patroni and number == signal.SIGKILL:
            self.process.wait(20)

    def says(self, path):
        """The status and the JSON of Patroni's API; None if Patroni does not answer."""
        try:
            answer = requests.get(f"http://127.0.0.1:{self.patroni_port}/{path}", timeout=1.5)
            return answer.status_code, answer.json()
        except (requests.RequestException, ValueError):
            return None

    @property
    def leads(self) -> bool:
        return (self.says("primary") or (0,))[0] == 200


def parents() -> dict:
    """The id of the parent of every process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            found[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    return found


class Cluster:
    """Starts a cluster with the empty database `till`. `stop` stops the cluster and removes its folder."""

    def __init__(self):
        for name in ("patroni", "etcd"):
            program(name)
        # The operating system limits the path of a socket to 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="till-cluster-", dir="/tmp"))
        self.who = unprivileged_owner(self.folder)
        self.logs, self.etcd = [], []
        self.etcd_ports = [free_port() for _ in NAMES]
        self.members = [Member(self, name) for name in NAMES]
        try:
            self.start_etcd()
            for member in self.members:
                member.configure()
                member.start()
            self.leader = self.wait_for_leader(90)
            self.wait_until_safe(90)
            self.sql("CREATE ROLE till LOGIN PASSWORD 'hunter2'", "CREATE DATABASE till OWNER till TEMPLATE template0")
            self.sql("CREATE TABLE probe (at timestamptz)")
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """The connection URL, which names all members. The client finds the member that accepts writes."""
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return f"postgres://till:hunter2@{hosts}/till?target_session_attrs=read-write"

    def run(self, command, name):
        log = open(self.folder / f"{name}.log", "ab")
        self.logs.append(log)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PATRONI_", "ETCD_"))}
        return subprocess.Popen(
            [str(word) for word in command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, env=environment | {"HOME": str(self.folder), "TMPDIR": "/tmp"}, **self.who,
        )

    def start_etcd(self):
        peers = [free_port() for _ in NAMES]
        everybody = ",".join(f"{name}=http://127.0.0.1:{port}" for name, port in zip(NAMES, peers))
        for name, port, peer in zip(NAMES, self.etcd_ports, peers):
            self.etcd.append(self.run([
                program("etcd"), "--name", name, "--data-dir", self.folder / f"etcd-{name}",
                "--listen-client-urls", f"http://127.0.0.1:{port}",
                "--advertise-client-urls", f"http://127.0.0.1:{port}",
                "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-cluster", everybody, "--initial-cluster-state", "new",
                # The three members share one slow disk, so they need long timeouts.
                "--heartbeat-interval", "300", "--election-timeout", "3000",
            ], f"etcd-{name}"))

    def sql(self, *commands, database="postgres"):
        """Runs SQL commands on the leader as the superuser, and returns the output of the last command."""
        for command in commands:
            outcome = subprocess.run(
                [programs() / "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
                 "-p", str(self.leader.port), "-U", "postgres", "-d", database, "-c", command],
                capture_output=True, text=True, timeout=60, env={**os.environ, "PGPASSWORD": "superuser-password"},
            )
            assert outcome.returncode == 0, outcome.stderr
        return outcome.stdout.strip()

    # Waiting

    def wait(self, condition, seconds):
        """Waits until a condition is true. If it stays false, the error has the last lines of all logs."""
        try:
            return wait_until(condition, seconds)
        except AssertionError as late:
            raise AssertionError(f"{condition.__name__}: {late}\n{self.tails()}") from late

    def wait_for_leader(self, seconds, other_than=None) -> Member:
        def another_leads():
            return next((member for member in self.members if member is not other_than and member.leads), None)

        self.leader = self.wait(another_leads, seconds)
        return self.leader

    def wait_for_commit(self, seconds):
        """Waits until the leader commits a write of the test. The commit requires that a standby has the write, too."""
        def the_new_leader_commits():
            with suppress(AssertionError, subprocess.TimeoutExpired):
                self.sql("INSERT INTO probe VALUES (now())")
                return True

        self.wait(the_new_leader_commits, seconds)

    def wait_until_safe(self, seconds):
        """Waits until all members follow the leader, and one of them is synchronous."""
        def a_standby_is_synchronous():
            status = self.leader.says("cluster")
            if not status or status[0] != 200:
                return False
            them = status[1]["members"]
            newest = max(one.get("timeline", 0) for one in them)
            # Patroni reports a member as running, on its old timeline, while the member is still being rewound.
            roles = [one["role"] for one in them
                     if one["state"] in ("running", "streaming") and one.get("timeline") == newest]
            return len(roles) >= len(NAMES) and {"sync_standby", "leader"} <= set(roles)

        self.wait(a_standby_is_synchronous, seconds)

    def tails(self) -> str:
        """The last lines of all logs."""
        return "\n".join(
            f"== {file.name}\n" + "\n".join(file.read_text(errors="replace").splitlines()[-12:])
            for file in sorted(self.folder.glob("*.log"))
        )

    def stop(self):
        for member in self.members:
            if member.process:
                member.signal(signal.SIGKILL)
        for process in self.etcd:
            process.kill()
            process.wait(20)
        for log in self.logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
