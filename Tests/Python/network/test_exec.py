"""`till exec`: an unchanged program uses Till as the App Store, in each of the three ways, as root and as another
user."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

import pytest

from process_helpers import (
    ROOT, UNPRIVILEGED, clean_environment, installed, open_to_everybody, till_binary, wait_until,
)

IS_ROOT = os.geteuid() == 0
DEMO_FILE = ROOT / "Sources/TillShop/Resources/demo.storekit"
SEEDS = "com.example.till.demo.seeds.10"
WAYS = ["mount", "network", "proxy"]
# Prints the status of an answer.
CURL = "curl --silent --output /dev/null --write-out '%{http_code}'"
WORDS = {"mount": "way mount:", "network": "way network:", "proxy": "way proxy:"}


@pytest.fixture(scope="module", autouse=True)
def needed():
    """The Debian packages that these tests need. If one is missing, the tests fail with the command that installs
    it."""
    for program, package in (("slirp4netns", "slirp4netns"), ("unshare", "util-linux"), ("curl", "curl"),
                             ("keytool", "default-jre-headless")):
        installed(program, package)


class Bench:
    """A folder for temporary files, in which no file may be left, and the PATH of an ordinary user."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        open_to_everybody(folder)
        self.temporary.chmod(0o1777)

    def environment(self, **more):
        return clean_environment() | {"TMPDIR": str(self.temporary), "ONLINE_CHECKS": "1"} | more

    def till(self, *arguments, user=None, tun=False, timeout=120, **options):
        """Runs `till` to its end, as the current user or as another user."""
        command = [till_binary(), *map(str, arguments)]
        if user or tun:
            command = self.as_user(user, command, tun)
        options.setdefault("env", self.environment())
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)

    def start(self, *arguments, **options):
        """Starts `till exec`."""
        return subprocess.Popen([till_binary(), "exec", *arguments], env=self.environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def as_user(self, user, command, tun=False):
        """The command for running as another user. The interpreter, the libraries and till are mounted at readable
        paths, because the checkout and the interpreter may be in root's home. With `tun`, all users can open
        /dev/net/tun, as on Debian.
        """
        places = {sys.base_prefix: "python", sysconfig.get_paths()["purelib"]: "site",
                  str(Path(__file__).parent): "here", str(Path(till_binary()).parent): "bin"}
        lines = []
        for source, name in places.items():
            (self.folder / name).mkdir(exist_ok=True)
            lines.append(f"mount --bind '{source}' '{self.folder / name}'")
        if tun:
            lines += [f"[ -e '{self.folder}/tun' ] || mknod -m 666 '{self.folder}/tun' c 10 200",
                      f"mount --bind '{self.folder}/tun' /dev/net/tun"]
        moved = [str(self.folder / "bin" / Path(till_binary()).name), *command[1:]]
        lines.append("exec " + (f"runuser -u {user} -- " if user else "") + '"$@"')
        return ["unshare", "--mount", "bash", "-ec", "\n".join(lines), "bash", *moved]

    def python(self, user=None):
        """The interpreter with the tests' libraries, for the current user or another user."""
        if not user:
            return [sys.executable]
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return ["env", f"PYTHONPATH={self.folder}/site", f"PYTHONHOME={self.folder}/python",
                f"LD_LIBRARY_PATH={self.folder}/python/lib", f"{self.folder}/python/bin/{version}"]

    def script(self, name, user=None):
        return str(self.folder / "here" / name if user else Path(__file__).with_name(name))

    def leftovers(self):
        return [path.name for path in self.temporary.iterdir()] + processes(str(self.temporary))


def processes(word) -> list:
    """The command lines of running processes that contain a word."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return [line for line in lines if word in line and "slirp4netns" in line or f"serve --data {word}" in line]


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    yield bench
    assert bench.leftovers() == []


def backend(bench, user=None, name="unchanged_backend.py"):
    """A program that buys with `till` in each environment, stores the receipts, and then runs the unchanged backend."""
    till = str(bench.folder / "bin" / Path(till_binary()).name) if user else till_binary()
    program = " ".join(f"'{part}'" for part in [*bench.python(user), bench.script(name, user)])
    lines = []
    for environment in ("sandbox", "production"):
        lines += [
            f"'{till}' customer create exec --environment {environment} >&2",
            f"{environment}=$('{till}' buy {SEEDS} --customer exec --environment {environment} --json"
            " | sed -n 's/.*\"transactionId\" *: *\"\\([0-9]*\\)\".*/\\1/p' | head -n 1)",
            f"'{till}' receipt --customer exec --environment {environment} > \"$TMPDIR/{environment}.receipt\"",
        ]
    arguments = [f"{name}=${name} {name}-receipt=\"$TMPDIR/{name}.receipt\"" for name in ("sandbox", "production")]
    # The files that the program itself created are removed, so that only files of `till exec` can be left over.
    lines += [f"code=0; {program} {' '.join(arguments)} || code=$?", 'rm "$TMPDIR"/*.receipt', "exit $code"]
    return ["sh", "-ec", "\n".join(lines)]


def assert_found(done, product=SEEDS):
    """Checks that the backend reached each environment with Apple's client, with Apple's verifier, and with the receipt
    check, which asks production first."""
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for environment, statuses in (("production", [0]), ("sandbox", [21007, 0])):
        sold_there = found[environment]["environment"], found[environment]["productId"]
        assert sold_there == (environment.capitalize(), product)
        receipt = found[environment]["receipt"]
        assert receipt["statuses"] == statuses and receipt["requestId"].endswith(".0.0")
        assert receipt["answer"]["environment"] == environment.capitalize()
        sold = receipt["answer"]["receipt"]["in_app"]
        assert [item["transaction_id"] for item in sold] == [found[environment]["transactionId"]]
    return found


# The ways -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("user", [None, UNPRIVILEGED] if IS_ROOT else [None], ids=["as we are", "ordinary"])
@pytest.mark.parametrize("way", WAYS)
def test_each_forced_way_works_or_prints_the_reason(bench, way, user):
    done = bench.till("exec", "--way", way, "--demo", "--", *backend(bench, user), user=user, tun=bool(user))
    if way == "mount" and (user or not IS_ROOT):
        assert done.returncode == 125 and done.stdout == "" and "only root can mount" in done.stderr
    elif way == "network" and (user or not IS_ROOT) and done.returncode == 125:
        assert "The way network is not available: " in done.stderr
    else:
        assert_found(done)
        assert WORDS[way] in done.stderr and "Not redirected: " in done.stderr


def test_root_uses_the_mount_namespace_and_other_users_get_the_reason(bench):
    done = bench.till("exec", "--demo", "--", *backend(bench))
    assert_found(done)
    if IS_ROOT:
        assert WORDS["mount"] in done.stderr and "not available" not in done.stderr
    else:
        assert WORDS["network"] in done.stderr or "The way network is not available: " in done.stderr


@pytest.mark.parametrize("tun", [True, False])
def test_an_ordinary_user_gets_a_network_or_the_proxy_with_the_reason(bench, tun):
    """With Debian's /dev/net/tun the user gets a network namespace; otherwise the proxy, and a message with the
    reason."""
    user = UNPRIVILEGED if IS_ROOT else None
    done = bench.till("exec", "--demo", "--", *backend(bench, user), user=user, tun=tun and IS_ROOT)
    assert_found(done)
    if WORDS["network"] in done.stderr:
        assert "10.0.2.2" in done.stderr and "sudo" in done.stderr
    else:
        # The kernel or the device forbids the network namespace. The message gives the reason and then the way that is
        # used.
        reason, _, rest = done.stderr.partition(WORDS["proxy"])
        assert "The way network is not available: " in reason and "HTTPS_PROXY" in rest and "NO_PROXY" in rest
        if tun and IS_ROOT:
            allowed = subprocess.run(["runuser", "-u", UNPRIVILEGED, "--", "unshare", "-Urn", "true"], capture_output=True)
            assert allowed.returncode != 0, f"namespaces are allowed, but the message says: {reason}"


def test_without_slirp4netns_the_error_has_the_command_that_installs_it(bench):
    """The PATH does not contain slirp4netns, as in a container before its packages are installed."""
    if IS_ROOT:
        command = ["unshare", "--mount", "bash", "-ec",
                   "mount --bind /bin/false \"$(readlink -f \"$(command -v slirp4netns)\")\"; "
                   f"exec '{till_binary()}' exec --way network -- true"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=bench.environment())
        assert done.returncode == 125 and "slirp4netns" in done.stderr


def test_changes_in_a_namespace_are_visible_to_the_program_only(bench):
    if not IS_ROOT:
        return
    before = Path("/etc/hosts").read_text()
    done = bench.till("exec", "--way", "mount", "--", "sh", "-c",
                      "getent hosts api.storekit.apple.com sandbox.itunes.apple.com; "
                      "grep -c . /etc/hosts; tail -n 3 /etc/ssl/certs/ca-certificates.crt; hostname; "
                      # The environment is empty, so the system's certificate bundle must be enough.
                      f"env -i PATH=\"$PATH\" {CURL} https://buy.itunes.apple.com/")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[0].startswith("127.0.0.") and "api.storekit.apple.com" in lines[0]
    assert lines[-1] == "404"
    assert Path("/etc/hosts").read_text() == before
    assert "/tmp" not in "".join(line for line in Path("/proc/self/mountinfo").read_text().splitlines()
                                 if " /etc/hosts " in line)


def test_several_run_concurrently(bench):
    script = f"sleep 1; {CURL} https://api.storekit.apple.com/x"
    running = [bench.start("--", "sh", "-c", script) for _ in range(3)]
    answers = [process.communicate(timeout=90) for process in running]
    assert [(process.returncode, out) for process, (out, _) in zip(running, answers)] == [(0, "404")] * 3, answers


# The program's environment --------------------------------------------------------------------------------------------


@pytest.fixture
def service():
    """A service on the machine's localhost, such as a database: it answers each connection with one line."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(b"rows\n")

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


ASK = ("import socket,sys\n"
       "try: print(socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10).recv(9).decode().strip())\n"
       "except OSError as error: print(type(error).__name__)")


@pytest.mark.parametrize("way, flags, host, found", [
    ("mount", [], "127.0.0.1", "rows"), ("proxy", [], "127.0.0.1", "rows"), ("network", [], "10.0.2.2", "rows"),
    ("network", [], "127.0.0.1", "ConnectionRefusedError"), ("network", ["--keep-port"], "127.0.0.1", "rows"),
])
def test_a_service_on_localhost_is_reachable_or_its_address_is_printed(bench, service, way, flags, host, found):
    flags = [part for flag in flags for part in (flag, str(service))]
    done = bench.till("exec", "--way", way, *flags, "--", sys.executable, "-c", ASK, host, str(service))
    if not IS_ROOT and done.returncode == 125:
        assert "is not available: " in done.stderr
        return
    assert (done.returncode, done.stdout.strip()) == (0, found), done.stderr
    if way == "network":
        assert "10.0.2.2" in done.stderr
        if flags:
            assert f"but {service} as before" in done.stderr


def test_standard_streams_arguments_and_descriptors_are_the_programs_own(bench, tmp_path):
    done = bench.till("exec", "--", "sh", "-c", 'cat; printf "%s\\n" "$@"; echo wrong >&2', "sh", "a b", "--way", "",
                      input="in\n")
    assert (done.returncode, done.stdout) == (0, "in\na b\n--way\n\n")
    assert done.stderr.endswith("wrong\n")
    note = tmp_path / "note"
    note.write_text("handed on")
    with open(note) as file:
        done = bench.till("exec", "--", "cat", f"/dev/fd/{file.fileno()}", pass_fds=[file.fileno()])
        assert (done.returncode, done.stdout) == (0, "handed on"), done.stderr
    done = bench.till("exec", "--", "sh", "-c", "ls /proc/self/fd")
    assert len(done.stdout.split()) <= 4, "the program inherited a descriptor of till"
    note.unlink()


def test_an_existing_proxy_setting_does_not_divert_apples_names(bench):
    way = "mount" if IS_ROOT else "proxy"
    environment = bench.environment(HTTPS_PROXY="http://127.0.0.1:9", NO_PROXY="db.internal")
    script = f'echo "$NO_PROXY"; {CURL} https://api.storekit.apple.com/'
    done = bench.till("exec", "--way", way, "--", "sh", "-c", script, env=environment)
    assert done.returncode == 0, done.stderr
    no_proxy, code = done.stdout.split()
    assert code == "404" and no_proxy.split(",")[0] == "db.internal"


# This JDK program fetches a URL over HTTPS with Java's own client, trust store and proxy settings. It sends no bearer
# token, so Till answers 401.
JAVA = ["keytool", "-printcrl", "-file", "https://api.storekit.apple.com/inApps/v1/lookup/M1"]


@pytest.mark.parametrize("way", WAYS)
def test_java_reaches_till_and_trusts_it(bench, way):
    done = bench.till("exec", "--way", way, "--", *JAVA)
    if not IS_ROOT and done.returncode == 125:
        assert "is not available: " in done.stderr
        return
    assert done.returncode == 1 and "Picked up JAVA_TOOL_OPTIONS: " in done.stderr, done.stderr
    assert f"Server returned HTTP response code: 401 for URL: {JAVA[-1]}" in done.stdout, done.stdout


def test_java_keeps_its_trusted_certificates_and_options(bench, tmp_path):
    own_file = Path(shutil.which("java")).resolve().parent.parent / "lib/security/cacerts"
    before = own_file.read_bytes()
    shown = bench.till("exec", "--way", "proxy", "--", "sh", "-c",
                       'echo "$JAVA_TOOL_OPTIONS"; cat "$TILL_TLS_ROOT" | openssl x509 -noout -fingerprint -sha256; '
                       'file=${JAVA_TOOL_OPTIONS#*-Djavax.net.ssl.trustStore=}; file=${file%% *}; '
                       'env -u JAVA_TOOL_OPTIONS keytool -list -keystore "$file" -storepass changeit; '
                       'env -u JAVA_TOOL_OPTIONS keytool -list -cacerts -storepass changeit',
                       env=bench.environment(JAVA_TOOL_OPTIONS="-Dours=1", NO_PROXY="db.internal,.test"))
    assert shown.returncode == 0, shown.stderr
    options, fingerprint, *rest = shown.stdout.splitlines()
    assert options.startswith("-Dours=1 -Djavax.net.ssl.trustStore=") and "-Dhttps.proxyHost=127.0.0.1" in options
    assert "-Dhttp.nonProxyHosts=db.internal|*.db.internal|*.test|localhost|*.localhost|127.0.0.1|[::1]" in options
    text = "\n".join(rest)
    ours, theirs = text.split("Keystore type:")[1:]
    lists = [set(re.findall(r"\(SHA-256\): ([0-9A-F:]+)", part)) for part in (ours, theirs)]
    root = fingerprint.partition("=")[2]
    assert lists[0] == lists[1] | {root} and root not in lists[1] and len(lists[1]) > 20
    assert own_file.read_bytes() == before
    # A trust store that the user has named is kept.
    own = "-Djavax.net.ssl.trustStore=/own.p12"
    kept = bench.till("exec", "--way", "proxy", "--", "sh", "-c", 'echo "$JAVA_TOOL_OPTIONS"',
                      env=bench.environment(JAVA_TOOL_OPTIONS=own))
    assert kept.stdout.count("trustStore") == 1 and kept.stdout.startswith(f"{own} -Dhttps.proxyHost")


def test_the_programs_that_the_proxy_does_not_reach_are_documented(bench):
    done = bench.till("exec", "--way", "proxy", "--", "true")
    assert "PHP streams" in done.stderr and "Java" not in done.stderr
    page = (ROOT / "docs/operating/hosts.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith("| `proxy` | otherwise")]
    assert "PHP streams" in row and "Java" not in row
    assert "keytool -importcert -noprompt -cacerts" not in page, "the recipe changes the JDK's own file"


def test_configured_certificate_authorities_stay_trusted(bench, tmp_path):
    own = tmp_path / "own.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", "/dev/null", "-out", own, "-subj", "/CN=Own", "-days", "2"],
                   check=True, capture_output=True)
    done = bench.till("exec", "--", "sh", "-c", 'cat "$SSL_CERT_FILE"', env=bench.environment(SSL_CERT_FILE=str(own)))
    assert done.returncode == 0 and done.stdout.startswith(own.read_text())
    assert done.stdout.count("BEGIN CERTIFICATE") == 2


# Shop data ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags, app", [([], "com.example.app"), (["--app", "com.example.own"], "com.example.own")])
def test_an_import_sells_the_products_of_the_file(bench, flags, app):
    done = bench.till("exec", "--import", DEMO_FILE, *flags, "--", *backend(bench))
    assert_found(done)
    shown = bench.till("exec", "--import", DEMO_FILE, *flags, "--", "sh", "-c",
                       'echo "$TILL_APP"; head -n 1 "$TILL_KEY"; test -r "$TILL_ROOT_PEM" && env | grep -c ^TILL_')
    lines = shown.stdout.splitlines()
    assert lines[:2] == [app, "-----BEGIN PRIVATE KEY-----"] and int(lines[2]) >= 9, shown.stderr


def test_the_temporary_till_never_uses_a_store_from_the_environment(bench, tmp_path):
    """Neither the server nor the program gets a setting that names a store. The server gets all other settings."""
    with socket.create_server(("127.0.0.1", 0)) as database:
        url = f"postgres://till:secret@127.0.0.1:{database.getsockname()[1]}/prod"
        config = tmp_path / "config.json"
        config.write_text(json.dumps({"database": url, "adoptRoot": True, "sandboxPort": 1}))
        store = {"TILL_CONFIG": str(config), "TILL_DATABASE": url, "TILL_DATA": str(tmp_path / "data"),
                 "TILL_ADOPT_ROOT": "true", "TILL_CONTROL_TOKEN": "secret-token", "TILL_TLS_NAME": "not a name",
                 "TILL_NODE_NAME": "n" * 600, "TILL_CONTROL_HOST": "evil.test", "TILL_KEY": "/nowhere.p8"}
        kept = {"TILL_OURS": "own", "TILL_ENVIRONMENT": "sandbox", "TILL_SANDBOX_RATE": "sandbox-5-minutes"}
        script = f"env -0 > '{tmp_path}/environment'; '{till_binary()}' settings show --json"
        done = bench.till("exec", "--demo", "--", "sh", "-c", script, env=bench.environment(**store, **kept))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["rate"] == "sandbox-5-minutes"
        found = (tmp_path / "environment").read_text().split("\0")
        variables = dict(entry.split("=", 1) for entry in found if entry)
        # The demo has its own key.
        assert variables.pop("TILL_KEY") != store.pop("TILL_KEY")
        assert not variables.keys() & store.keys()
        assert {name: variables[name] for name in kept} == kept
        database.settimeout(0)
        with pytest.raises(BlockingIOError):
            database.accept()
    assert not (tmp_path / "data").exists()


def test_joining_a_running_server(bench, serve, tmp_path):
    till = serve("--demo", "--tls-port", "0")
    for arguments in (["--data", till.data], ["--control", till.address("control")]):
        done = bench.till("exec", "--join", *arguments, "--", "sh", "-c",
                          f"'{till_binary()}' app list >&2; echo $TILL_CONTROL; {CURL} https://api.storekit.apple.com/")
        assert (done.returncode, done.stdout) == (0, f"{till.address('control')}\n404"), done.stderr
        assert "com.example.till.demo" in done.stderr
    # The certificates of this Till name an OCSP address at which no server listens in this test.
    alone = {name: value for name, value in bench.environment().items() if name != "ONLINE_CHECKS"}
    done = bench.till("exec", "--join", "--data", till.data, "--", *backend(bench), env=alone)
    assert_found(done)
    assert till.process.poll() is None


def test_joining_fails_with_a_clear_message(bench, serve, tmp_path):
    till = serve()
    for words in ("--tls-port", "No Till answers"):
        done = bench.till("exec", "--join", "--data", till.data, "--", "echo", "ran")
        assert (done.returncode, done.stdout) == (125, "") and words in done.stderr
        till.stop()


@pytest.mark.parametrize("arguments", [
    [], ["--"], ["true"], ["--join", "--demo", "--", "true"], ["--demo", "--import", "x", "--", "true"],
    ["--data", "x", "--", "true"], ["--way", "bus", "--", "true"], ["--keep-port", "0", "--", "true"],
])
def test_wrong_usage(bench, arguments):
    assert bench.till("exec", *arguments).returncode == 64


@pytest.mark.parametrize("arguments, word", [
    (["--import", "/nowhere.storekit"], "/nowhere.storekit"), (["--import", "/etc/passwd"], "rejected as a whole"),
    (["--profile", "orange"], "orange"),
])
def test_an_error_in_the_setup_is_printed(bench, arguments, word):
    done = bench.till("exec", *arguments, "--", "echo", "ran")
    assert (done.returncode, done.stdout) == (125, "") and word in done.stderr


# Exit and signals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command, code", [
    (["true"], 0), (["sh", "-c", "exit 3"], 3), (["sh", "-c", "exit 255"], 255), (["sh", "-c", "kill -9 $$"], 137),
    (["sh", "-c", "kill $$"], 143), (["no-such-program"], 127), (["/etc/passwd"], 126),
])
@pytest.mark.parametrize("way", ["mount", "proxy"] if IS_ROOT else ["proxy"])
def test_the_exit_code_is_that_of_the_program(bench, way, command, code):
    assert bench.till("exec", "--way", way, "--", *command).returncode == code


def reset_signals():
    """Resets SIGINT. Background jobs of a script ignore it, and shells that such a job starts cannot trap it."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def started(bench, script, *flags):
    """A running `till exec` whose program has printed that it is ready."""
    process = bench.start(*flags, "--", "sh", "-c", script, preexec_fn=reset_signals)
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    return process


@pytest.mark.parametrize("way", WAYS if IS_ROOT else ["proxy"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_reach_the_program_and_a_slow_shutdown_is_allowed(bench, way, number):
    name = number.name.removeprefix("SIG")
    ask = f"{CURL} https://api.storekit.apple.com/"
    process = started(bench, f"trap '{ask}; exit 7' {name}; echo ready; while :; do sleep 0.05; done", "--way", way)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    # Till still answers while the program shuts down.
    assert (process.returncode, out) == (7, "404"), err


def test_the_exit_code_shows_the_signal_that_ended_the_program(bench):
    process = started(bench, "echo ready; exec sleep 60")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143
    process.communicate()


def test_a_program_may_run_long(bench):
    """The program runs longer than the idle threads of till exec exist, so no part of till exec may depend on such a
    thread."""
    done = bench.till("exec", "--", "sh", "-c", f"sleep 12; {CURL} https://api.storekit.apple.com/")
    assert (done.returncode, done.stdout) == (0, "404"), done.stderr


@pytest.mark.parametrize("wait", [0.0, 0.1, 0.3])
def test_a_signal_before_the_program_starts_ends_everything(bench, wait):
    process = bench.start("--demo", "--", "sleep", "60")
    wait_until(lambda: any(bench.temporary.iterdir()))
    time.sleep(wait)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143


@pytest.mark.parametrize("way", WAYS if IS_ROOT else ["proxy"])
def test_killing_till_exec_leaves_no_process_behind(bench, way):
    process = started(bench, f"echo ready; echo $$; exec sleep 61.{os.getpid()}", "--way", way)
    pid = int(process.stdout.readline())
    process.kill()
    process.communicate()
    wait_until(lambda: not processes(str(bench.temporary)) and not Path(f"/proc/{pid}").exists(), 20)
    # No process that could remove the folder is left.
    for path in bench.temporary.iterdir():
        shutil.rmtree(path)
