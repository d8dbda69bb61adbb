"""Mistakes of operators, such as a wrong database, and full disks: each error names its reason and the next step."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time

import pytest
import requests

from process_helpers import (
    PORTS, UNPRIVILEGED, Server, clean_environment, open_to_everybody, run_till, till_binary, wait_until,
)
from shop_helpers import Till

IS_ROOT = os.geteuid() == 0
DEMO = "/v1/apps/com.example.till.demo/sandbox"
SEEDS = f"{DEMO}/customers/ann/purchases", {"productId": "com.example.till.demo.seeds.10"}
UNWRITTEN = "was interrupted"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The data folder of a stopped server, and a backup of that folder."""
    folder = tmp_path_factory.mktemp("stopped")
    till = Till(folder, "--demo")
    run_till("backup", folder / "backup", "--data", till.data, code=0)
    assert till.stop() == 0
    return till.data, folder / "backup"


def refused(*arguments, **environment):
    """Runs a command that must fail with one line, and returns that line."""
    outcome = run_till(*arguments, code=1, **environment)
    assert "hunter2" not in outcome.stdout + outcome.stderr and len(outcome.stderr.splitlines()) == 1, outcome.stderr
    return outcome.stderr


# Foreign databases ----------------------------------------------------------------------------------------------------

FOREIGN = {
    "a table of a name of ours": ["CREATE TABLE accounts (id int)"],
    "migrations of another shape": ["CREATE TABLE migrations (id int, name text)"],
    "migrations of the same shape": [
        "CREATE TABLE migrations (version bigint, name text)", "INSERT INTO migrations VALUES (1, 'users'), (99, 'x')",
    ],
    "any other table": ["CREATE TABLE books (id int)"],
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_database_is_rejected_and_not_changed(tmp_path, database, stopped, kind):
    data, backup = stopped
    name = kind.replace(" ", "_")
    url = database.create(name, *FOREIGN[kind])
    place = tmp_path / "data"
    restore = ["restore", "--from", backup, "--data", tmp_path / "restored"]
    for arguments in (
        ["serve", "--data", place, *PORTS], ["migrate", "--from", f"sqlite:{data}", "--to", "database"],
        ["migrate", "--from", "database", "--to", f"sqlite:{place}"], restore, [*restore, "--replace"],
        ["doctor", "--data", data],
    ):
        text = refused(*arguments, TILL_DATABASE=url)
        assert "not Till's" in text and "empty database" in text and UNWRITTEN not in text, arguments
    assert not (tmp_path / "restored").exists() and not (place / "till.sqlite").exists()
    assert database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", name) == "1"


def test_tables_of_a_postgresql_extension_are_allowed(tmp_path, database):
    url = database.create("extended", "CREATE EXTENSION pg_stat_statements")
    assert Till(tmp_path, "--database", url).stop() == 0


def test_an_empty_database_is_reported_as_empty(tmp_path, database, stopped):
    data, _ = stopped
    url = database.create("nothing")
    assert "holds no shop" in refused("doctor", "--data", data, TILL_DATABASE=url)
    text = refused("migrate", "--from", "database", "--to", f"sqlite:{tmp_path}/there", TILL_DATABASE=url)
    assert "holds no shop" in text and "TILL_DATABASE" in text
    assert not (tmp_path / "there").exists()


def test_missing_privileges_are_reported_with_the_grants(tmp_path, database):
    url = database.create("guarded", "CREATE ROLE guest LOGIN", "REVOKE ALL ON SCHEMA public FROM PUBLIC")
    guest = url.replace("till:hunter2@", "guest@")

    def rejected(*arguments):
        text = refused(*arguments, TILL_DATABASE=guest)
        assert "Privileges" in text and "GRANT" in text and "scale.md" in text and UNWRITTEN not in text, text

    serve = ["serve", "--data", tmp_path / "data", *PORTS]
    rejected(*serve)
    database.sql("GRANT USAGE ON SCHEMA public TO guest", "guarded")
    rejected(*serve)
    till = Till(tmp_path / "owner", "--database", url)
    assert till.stop() == 0
    rejected(*serve)
    rejected("doctor", "--data", till.data)
    database.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest", "guarded")
    rejected(*serve)
    run_till("doctor", "--data", till.data, TILL_DATABASE=guest, code=0)


def test_the_error_for_a_wrong_user_or_database_names_the_setting(tmp_path, database):
    missing = database.url.removesuffix("/till") + "/nowhere"
    stranger = database.url.replace("till:hunter2@", "unknown:hunter2@")
    for url in (missing, stranger):
        text = refused("serve", "--data", tmp_path / "data", *PORTS, TILL_DATABASE=url)
        assert "does not exist" in text and "Check TILL_DATABASE" in text


def test_doctor_distinguishes_findings_from_an_unreachable_database(tmp_path, database):
    url = database.create("examined")
    till = Till(tmp_path, "--demo", "--database", url)
    assert till.stop() == 0
    (till.data / "ca/root.key").chmod(0o644)
    doctor = ["doctor", "--data", till.data]
    modes = run_till(*doctor, TILL_DATABASE=url, code=3)
    assert "chmod 600" in modes.stdout and "backup" not in modes.stdout
    for wrong in ("postgres://till:hunter2@127.0.0.1:1/till", url + "-gone", url.replace("examined", "till")):
        unreached = run_till(*doctor, TILL_DATABASE=wrong, code=1)
        assert "TILL_DATABASE" in unreached.stderr, unreached.stderr
        assert "chmod 600" in unreached.stdout and "backup" not in unreached.stdout + unreached.stderr
    tree = json.loads(run_till(*doctor, "--json", TILL_DATABASE=url + "-gone", code=1).stdout)
    assert len(tree["findings"]) == 1 and "cannot be reached" in tree["unreached"]
    (till.data / "ca/root.key").chmod(0o600)
    (till.data / "ca/current").unlink()
    lost = run_till(*doctor, TILL_DATABASE=url, code=3)
    assert "Restore a backup" in lost.stdout and "file mode" not in lost.stdout


def test_a_foreign_database_file_is_rejected_and_not_changed(tmp_path, stopped):
    data, backup = stopped
    place = tmp_path / "data"
    place.mkdir(mode=0o700)
    with sqlite3.connect(place / "till.sqlite") as file:
        file.execute("CREATE TABLE books (id INTEGER)")
    before = (place / "till.sqlite").read_bytes()
    for arguments in (
        ["serve", "--data", place, *PORTS], ["migrate", "--from", f"sqlite:{data}", "--to", f"sqlite:{place}"],
        ["migrate", "--from", f"sqlite:{place}", "--to", f"sqlite:{tmp_path}/there"], ["doctor", "--data", place],
    ):
        text = refused(*arguments)
        assert "not Till's (books)" in text and UNWRITTEN not in text, text
    assert (place / "till.sqlite").read_bytes() == before
    assert not (tmp_path / "there").exists()
    (place / "till.sqlite").write_bytes(b"")
    assert "holds no shop" in refused("migrate", "--from", f"sqlite:{place}", "--to", f"sqlite:{tmp_path}/there")


# Rejected starts ------------------------------------------------------------------------------------------------------


WRONG_SETTINGS = {
    "a port that is no number": ([], {"TILL_SANDBOX_PORT": "abc"}, "sandboxPort"),
    "a port beyond the last": (["--production-port", "70000"], {}, "productionPort is 70000"),
    "a rate that is none": ([], {"TILL_SANDBOX_RATE": "foo"}, "no rate foo"),
    "an invalid address": (["--host", "no..host"], {}, "--host no..host does not resolve"),
    "an address of another machine": (["--control-address", "192.0.2.1", "--control-port", "9"], {}, "address"),
    "one port twice": (["--sandbox-port", "65123", "--tls-port", "65123"], {}, "are both 65123"),
    "a name that no certificate has": (["--tls-port", "0", "--tls-name", "a b"], {}, "neither a host name"),
    "a lease that is too short": (["--lease", "1"], {}, "lease is 1"),
    "a switch that is none": ([], {"TILL_ADOPT_ROOT": "maybe"}, "adoptRoot"),
    "an authority that is not there": (["--delivery-root", "/nowhere.pem"], {}, "--delivery-root"),
    "a database that is none": ([], {"TILL_DATABASE": "mysql://a/b"}, "postgres"),
    "a profile that is none": (["--profile", "google"], {}, "no profile google"),
}


@pytest.mark.parametrize("kind", WRONG_SETTINGS)
def test_a_start_with_a_wrong_setting_creates_no_files(tmp_path, kind):
    arguments, environment, words = WRONG_SETTINGS[kind]
    ports = [] if "TILL_SANDBOX_PORT" in environment else PORTS
    outcome = run_till("serve", "--data", tmp_path / "data", *ports, *arguments, **environment)
    assert outcome.returncode in (1, 64) and words in outcome.stderr, outcome.stderr
    assert os.listdir(tmp_path) == []


def test_an_unknown_environment_variable_is_named(tmp_path):
    # The address belongs to another machine, so the start fails after it has printed the warnings.
    outcome = run_till(
        "serve", "--data", tmp_path / "data", *PORTS, "--production-port", "9", "--host", "192.0.2.1",
        TILL_SANDBOX_PROT="1", TILL_SOMETHING_ELSE="1", TILL_APP="com.example", TILL_SANDBOX_RATE="calendar",
    )
    lines = [line for line in outcome.stderr.splitlines() if " is not a setting and was ignored." in line]
    assert len(lines) == 2, outcome.stderr
    assert "TILL_SANDBOX_PROT is" in lines[0] and lines[0].endswith("Did you mean TILL_SANDBOX_PORT?")
    assert "TILL_SOMETHING_ELSE is" in lines[1] and "Did you mean" not in lines[1]


@pytest.mark.parametrize("arguments", [
    ["serve", "--data", ""], ["serve", "--data="], ["customer", "list", "--app", ""],
    ["customer", "list", "--environment", ""], ["app", "list", "--control", ""], ["serve", "--host", "", "--demo"],
    ["exec", "--data", "", "--", "true"],
])
def test_a_flag_without_a_value_is_wrong_usage(tmp_path, arguments):
    flag = next(argument for argument in arguments if argument.startswith("--")).removesuffix("=")
    assert f"{flag} has no value" in run_till(*arguments, code=64, cwd=tmp_path).stderr
    assert os.listdir(tmp_path) == []


def test_a_foreign_folder_is_rejected_and_not_changed(tmp_path, stopped):
    place = tmp_path / "project"
    place.mkdir(mode=0o755)
    place.chmod(0o755)
    (place / "README.md").write_text("A project")
    for arguments in (["serve", *PORTS], ["restore", "--from", stopped[1]]):
        assert "files of other programs (README.md)" in refused(*arguments, "--data", place)
        assert os.listdir(place) == ["README.md"] and place.stat().st_mode & 0o777 == 0o755
    (place / "README.md").unlink()
    (place / ".gitkeep").touch()
    assert Till(tmp_path / "started", data=place).stop() == 0


# Files and folders ----------------------------------------------------------------------------------------------------


def test_a_database_file_that_is_a_pipe_is_rejected(tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    os.mkfifo(data / "till.sqlite", 0o600)
    for command in (["doctor"], ["serve", *PORTS]):
        assert "till.sqlite is not a regular file" in refused(*command, "--data", data)


def test_a_missing_backup_and_an_invalid_one_have_different_errors(tmp_path, stopped):
    data, backup = stopped

    def restore(folder):
        text = refused("restore", "--from", folder, "--data", tmp_path / "restored")
        assert not (tmp_path / "restored").exists()
        return text

    assert "There is no folder" in restore(tmp_path / "nowhere")
    assert "There is no folder" in restore(backup / "backup.json")
    assert "is not a complete backup" in restore(data)
    odd = tmp_path / "odd"
    shutil.copytree(backup, odd)
    (odd / "backup.json").unlink()
    (odd / "backup.json").mkdir()
    text = restore(odd)
    assert "cannot be read" in text and "till serve" not in text


def test_a_backup_cannot_be_restored_into_itself(tmp_path, stopped):
    _, backup = stopped
    copy = tmp_path / "copy"
    shutil.copytree(backup, copy)
    (tmp_path / "link").symlink_to(copy)
    before = sorted(os.listdir(copy))
    for place in (copy / "sub", tmp_path / "link/sub", copy / "a/b"):
        assert "is inside the backup" in refused("restore", "--from", copy, "--data", place)
    assert "is the data directory itself" in refused("restore", "--from", copy, "--data", tmp_path / "link")
    assert sorted(os.listdir(copy)) == before


def test_rejected_migrations_and_restores_create_nothing_at_the_target(tmp_path, database, stopped):
    data, backup = stopped
    text = refused("migrate", "--from", f"sqlite:{data}", "--to", f"sqlite:{data}/../{data.name}")
    assert "the same store" in text and "Another Till" not in text
    url = database.create("at_work")
    till = Till(tmp_path / "till", "--database", url)
    restore = ["restore", "--from", backup, "--data", tmp_path / "r9"]
    for arguments in (["migrate", "--from", "database", "--to", f"sqlite:{tmp_path}/m9"], restore):
        assert "Servers use the database" in refused(*arguments, TILL_DATABASE=url)
    assert till.stop() == 0
    gone = url + "-gone"
    assert UNWRITTEN not in refused(*restore, "--replace", TILL_DATABASE=gone)
    assert not (tmp_path / "m9").exists() and not (tmp_path / "r9").exists()
    (tmp_path / "r9").mkdir()
    refused(*restore, TILL_DATABASE=gone)
    assert os.listdir(tmp_path / "r9") == []


def test_an_unwritable_file_ends_the_start(tmp_path):
    (tmp_path / "data/ports.json").mkdir(parents=True)
    outcome = run_till("serve", "--data", tmp_path / "data", *PORTS, "--ready-file", tmp_path / "ready", code=1)
    assert "ports.json cannot be written" in outcome.stderr
    assert outcome.stdout == "" and not (tmp_path / "ready").exists()


@pytest.mark.parametrize("output", [">/dev/full", "| true"])
def test_a_server_works_without_a_reader_of_its_output(tmp_path, output):
    command = {">/dev/full": 'exec "$@" >/dev/full', "| true": 'exec "$@" > >(exec true)'}[output]
    with Server(tmp_path / "data", tmp_path, prefix=("bash", "-c", command, "bash")) as till:
        assert requests.get(till.address("control") + "/readyz", timeout=60).status_code == 200
        assert till.stop() == 0


def test_an_unwritable_folder_is_named(tmp_path):
    # The test runs as another user, because root can write everywhere. This user needs access to the program.
    place = tmp_path / "open"
    place.mkdir()
    program = place / "till"
    shutil.copy(till_binary(), program)
    user = UNPRIVILEGED if IS_ROOT else None
    data = place / "data"
    assert Server(data, tmp_path).stop() == 0
    open_to_everybody(tmp_path)
    (data / "till.sqlite").chmod(0o444)
    if user:
        for path in (data, *data.rglob("*")):
            if path.name != "till.sqlite":
                shutil.chown(path, user)
    outcome = subprocess.run(
        [program, "serve", "--data", data, *PORTS], capture_output=True, text=True, timeout=60, user=user,
        env=clean_environment(),
    )
    assert outcome.returncode == 1 and "cannot be written" in outcome.stderr and str(data) in outcome.stderr
    assert "SQLite error" not in outcome.stderr and "backup" not in outcome.stderr


# Ports and tokens -----------------------------------------------------------------------------------------------------


def test_a_port_in_use_is_reported_in_one_line(serve, tmp_path):
    till = serve()
    for face in ("production", "sandbox", "control"):
        ports = {name: "0" for name in ("production", "sandbox", "control")} | {face: till.ports[face]}
        flags = [part for name, port in ports.items() for part in (f"--{name}-port", port)]
        text = refused("serve", "--data", tmp_path / "data", *flags, "--drain", "60")
        assert text == (f"till: Port {till.ports[face]} is taken. Choose another with --{face}-port, "
                        "or stop the process that uses it.\n")
    assert not (tmp_path / "data").exists()


def test_the_error_for_a_wrong_token_names_the_setting(serve):
    till = serve("--control-address", "0.0.0.0", "--control-host", "127.0.0.1")
    control = f"http://127.0.0.1:{till.ports['control']}"
    right = ["app", "list", "--control", control, "--data", till.data]
    run_till(*right, code=0)
    for environment in ({}, {"TILL_CONTROL_TOKEN": "wrong"}):
        text = refused("app", "list", "--control", control, **environment)
        assert "TILL_CONTROL_TOKEN" in text and "--data" in text
    value = json.loads(run_till("token", "create", "robot", "--json", *right[2:]).stdout)["token"]
    run_till("app", "list", "--control", control, TILL_CONTROL_TOKEN=value, code=0)
    run_till("token", "delete", "--yes", "robot", *right[2:], code=0)
    text = refused("app", "list", "--control", control, TILL_CONTROL_TOKEN=value)
    assert "TILL_CONTROL_TOKEN" in text


def test_a_planned_stop_logs_no_error(tmp_path):
    """The server is stopped while many deliveries are due to an endpoint that does not answer."""
    for round_ in range(3):
        till = Till(tmp_path / str(round_), "--demo")
        till.control("PUT", f"{DEMO}/endpoints/primary", {"url": "http://127.0.0.1:9/"})
        for _ in range(20):
            till.control("POST", *SEEDS)
        assert till.stop() == 0
        assert "error" not in till.stderr(), till.stderr()


# Missing certificates -------------------------------------------------------------------------------------------------


def test_missing_certificates_prevent_the_start_until_a_new_root_is_adopted(tmp_path, stopped):
    data = tmp_path / "data"
    shutil.copytree(stopped[0], data)
    root = (data / "ca/root.pem").read_text()
    shutil.move(data / "ca", tmp_path / "ca")
    for _ in range(2):
        text = refused("serve", "--data", data, *PORTS)
        assert "ca/root.pem is missing" in text and "backup" in text and "--adopt-root true" in text
        # If the folder existed, even empty, `mv` would move the copy into the folder instead of replacing it.
        assert not (data / "ca").exists()
    shutil.move(tmp_path / "ca", data / "ca")
    assert Till(tmp_path / "put back", data=data).stop() == 0 and (data / "ca/root.pem").read_text() == root
    shutil.rmtree(data / "ca")
    assert Till(tmp_path / "adopted", "--adopt-root", "true", data=data).stop() == 0
    assert (data / "ca/root.pem").read_text() != root
    assert Till(tmp_path / "again", data=data).stop() == 0
    run_till("doctor", "--data", data, code=0)


# Log lines ------------------------------------------------------------------------------------------------------------


def test_no_log_line_contains_a_reflected_value(tmp_path):
    till = Till(tmp_path, "--demo", "--tls-port", "0", "--proxy-port", "0", "--log-level", "trace")
    for path, body in (SEEDS, ("/v1/ca/rotate", {}), (f"{DEMO}/clock/advance", {"by": "P1M"})):
        till.control("POST", path, body)
    tls = till.document["tls"]
    requests.get(f"{tls}/", verify=till.document["tlsRootCertificate"], timeout=60)
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(f"{tls}/", timeout=60)
    requests.get(f"{till.address('sandbox')}/inApps/v1/nothing", headers={"Authorization": "Bearer x"}, timeout=60)
    assert till.stop() == 0
    lines = till.stderr().splitlines()
    assert any(" trace " in line for line in lines) and any("listener --tls-port" in line for line in lines)
    for line in lines:
        assert len(line) <= 1_000, line[:1_000]
        reflected = r"impl:|[pP]rivate ?[kK]ey|Optional\(|unknown context|\(Function\)|_storage|PRIVATE"
        assert not re.search(reflected, line), line


# A full disk ----------------------------------------------------------------------------------------------------------


class SmallDisk:
    """A disk of a few pages in its own mount namespace, and a process that has access to it."""

    def __init__(self, tmp_path, size):
        self.folder = tmp_path / "small"
        self.folder.mkdir()
        self.out = tmp_path
        self.mount = f"mount -t tmpfs -o size={size},mode=700 tmpfs '{self.folder}'; "

    def command(self, script):
        return ["unshare", *(["--mount"] if IS_ROOT else ["-Urm"]), "bash", "-ec", self.mount + script]

    def till(self, *arguments):
        """Runs a command that must fail with code 1 without output, and returns its error."""
        script = f'"$0" "$@" || echo "code $?"; [ "$1" != restore ] || ls {self.folder}'
        done = subprocess.run(
            [*self.command(script), till_binary(), *arguments], capture_output=True, text=True, timeout=120,
            env=clean_environment(),
        )
        assert done.stdout == "code 1\n", done.stdout + done.stderr
        return done.stderr

    def serve(self, *arguments, data=None):
        """Starts a server that has access to the disk. Its output goes to files outside of the disk."""
        return Server(data, self.out, *arguments, prefix=self.command('exec "$0" "$@"'))

    def inside(self, server):
        """The path at which this server sees the disk."""
        return f"/proc/{server.pid}/root{self.folder}"


def fill(path):
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size) == size:
                    pass


def test_a_full_disk_is_reported_and_the_server_recovers_with_free_space(tmp_path):
    disk = SmallDisk(tmp_path, "64m")
    with disk.serve("--demo", data=disk.folder / "data") as till:
        def readiness():
            answer = requests.get(till.address("control") + "/readyz", timeout=60)
            return answer.status_code, answer.text

        def post(path, body):
            return requests.post(till.address("control") + path, json=body, timeout=60)

        assert readiness()[0] == 200, readiness()
        calls = [
            (*SEEDS, 201), (f"{DEMO}/clock/advance", {"by": "P1D"}, 200), ("/v1/tokens", {"name": "robot"}, 201),
            (f"{DEMO}/customers", {"customer": "fran"}, 201),
        ]
        fill(f"{disk.inside(till)}/fill")
        status, text = readiness()
        assert status == 503 and "the disk is full" in text
        def refused_call(path, body):
            unique = {"name": f"robot-{time.monotonic_ns()}"} if "name" in body else {}
            answer = post(path, body | unique)
            return answer.json() if answer.status_code == 503 else None

        for path, body, _ in calls:
            answer = wait_until(lambda: refused_call(path, body), 20)
            assert answer["code"] == "busy" and "disk is full" in answer["message"], (path, answer)
        assert readiness()[0] == 503
        os.unlink(f"{disk.inside(till)}/fill")
        assert readiness()[0] == 200, readiness()
        for path, body, status in calls:
            answer = post(path, body | ({"name": "last"} if "name" in body else {}))
            assert answer.status_code == status, answer.text


def test_a_backup_and_a_restore_on_a_full_disk_report_it(tmp_path, stopped):
    data, backup = stopped
    disk = SmallDisk(tmp_path, "200k")
    copied = tmp_path / "data"
    shutil.copytree(data, copied)
    with disk.serve(data=copied) as till:
        text = refused("backup", disk.folder / "copy", "--control", till.address("control"))
        assert "not enough disk space" in text and "another disk" in text and "not an error" not in text
        assert os.listdir(disk.inside(till)) == []
    restored = disk.till("restore", "--from", backup, "--data", disk.folder / "data")
    assert "The disk is full" in restored and UNWRITTEN not in restored
    assert "NSCocoa" not in restored and len(restored.splitlines()) == 1
    begun = disk.till("serve", "--data", disk.folder / "data", *PORTS, "--ready-file", tmp_path / "never")
    assert "is full" in begun and not (tmp_path / "never").exists()
