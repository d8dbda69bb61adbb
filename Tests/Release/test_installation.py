"""Each file of a release is installed on a system without a compiler, and serves its first signed answer there."""

import configparser
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

import pytest
import requests
import yaml
from clean_root import APP, CLEAN, CleanRoot, RootedServer, first_signed_answer, measured

from conftest import DIST

from process_helpers import ROOT, Server, clean_environment, installed


def serve(root: CleanRoot, till: str, **options) -> float:
    """Starts the installed Till, and returns the seconds from its start to the first signed answer."""
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", root.run(till, "--version").stdout)
    with RootedServer(root, till, **options) as server:
        assert server.first_signed_answer().startswith(APP)
        return time.monotonic() - server.started


def test_the_tarball(root, release, figure):
    tarball = release("till-*-linux-*.tar.gz")
    unpack = ("tar", "-C", "/usr/local", "--strip-components=1", "-xzf", root.add(tarball))
    _, seconds = measured(lambda: root.run(*unpack))
    figure(tarball, seconds, serve(root, "/usr/local/bin/till", TILL_DATA="/srv/data"))
    for page in ("share/man/man1/till.1.gz", "share/man/man1/till-serve.1.gz", "share/doc/till/LICENSE",
                 "share/doc/till/THIRD-PARTY.txt", "lib/systemd/system/till.service",
                 "share/bash-completion/completions/till"):
        assert root.path(f"/usr/local/{page}").stat().st_size > 400, page
    completed = root.run(
        "bash", "-c", "source /usr/local/share/bash-completion/completions/till; COMP_WORDS=(till cust); COMP_CWORD=1;"
        " _till; echo ${COMPREPLY[@]}"
    )
    assert "customer" in completed.stdout


def test_the_wheel(root, release, figure):
    wheel = release("till-*.whl")
    assert re.search(r"manylinux_2_(\d+)_", wheel.name) and int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1]) <= 34
    root.install("python3-venv")
    root.run("python3", "-m", "venv", "/opt/venv")
    pip = ("/opt/venv/bin/pip", "install", "--quiet", "--no-index", root.add(wheel))
    _, seconds = measured(lambda: root.run(*pip))
    figure(wheel, seconds, serve(root, "/opt/venv/bin/till", TILL_DATA="/srv/data"))
    shown = root.run("/opt/venv/bin/pip", "show", "--files", "till").stdout
    assert "Summary: An App Store server" in shown and "../../../bin/till\n" in shown


def test_the_wheel_is_a_pytest_plugin(release, tmp_path):
    """The example of the guide passes with nothing but the wheel, pytest and Apple's library."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, release("till-*.whl")], check=True)
    # Nothing is downloaded: pytest and Apple's library are those of this environment.
    (next(tmp_path.glob("venv/lib/*/site-packages")) / "tests.pth").write_text(sysconfig.get_path("purelib"))
    (tmp_path / "pytest.ini").write_text("")
    done = subprocess.run(
        [
            python, "-m", "pytest", "-p", "no:cacheprovider", "-c", tmp_path / "pytest.ini",
            ROOT / "docs/testing/examples/test_subscription.py",
        ],
        capture_output=True, text=True, cwd=tmp_path, env={**clean_environment(), "PATH": CLEAN["PATH"]},
    )
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
    # The extra of `pip install 'till[testing]'`.
    shown = subprocess.run([*pip[:3], "inspect"], capture_output=True, text=True, check=True).stdout
    (till,) = [item["metadata"] for item in json.loads(shown)["installed"] if item["metadata"]["name"] == "till"]
    assert till["provides_extra"] == ["testing"]
    needed = [re.split(r"[; ]", requirement)[0] for requirement in till["requires_dist"]]
    assert needed == ["pytest>=7", "app-store-server-library"]


def test_the_debian_package(root, release, figure):
    package = release("till_*.deb")
    file = root.add(package)
    _, seconds = measured(lambda: root.install(file))
    unit = configparser.RawConfigParser(strict=False, allow_no_value=True)
    unit.optionxform = str
    # A key may appear several times; the parser keeps the last, and the test needs only keys that appear once.
    unit.read_string(root.path("/lib/systemd/system/till.service").read_text())
    service = unit["Service"]
    assert service["EnvironmentFile"] == "-/etc/default/till" and root.path("/etc/default/till").exists()
    variable, _, data = service["Environment"].replace("%S", "/var/lib").partition("=")
    # What systemd does at the start of the unit.
    state = f"/var/lib/{service['StateDirectory']}"
    root.run("install", "--directory", f"--owner={service['User']}", f"--group={service['Group']}",
             f"--mode={service['StateDirectoryMode']}", state)
    program, first, *rest = shlex.split(service["ExecStart"])
    assert (program, first, rest) == ("till", "serve", [])
    user = ("setpriv", f"--reuid={service['User']}", f"--regid={service['Group']}", "--init-groups",
            "--no-new-privs", "--bounding-set=-all")
    figure(package, seconds, serve(root, "/usr/bin/till", prefix=user, **{variable: data}))
    owner = root.run("stat", "--format=%U %a", data).stdout
    assert owner == "till 700\n"
    assert root.run("getent", "passwd", "till").stdout.split(":")[5] == "/var/lib/till"
    assert "libpq5" in root.run("dpkg-query", "--show", "--showformat=${Recommends}", "till").stdout
    root.run("dpkg", "--purge", "till")
    assert root.path(data).exists(), "the removal of the package deleted the data"


def test_the_npm_package(release, figure, tmp_path):
    package = release("till-*.npm.tgz")
    npm = installed("npm", "npm", "release")
    (tmp_path / "package.json").write_text("{}")
    install = [npm, "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", package]
    done, seconds = measured(lambda: subprocess.run(install, cwd=tmp_path, capture_output=True, text=True))
    assert done.returncode == 0, done.stdout + done.stderr
    manifest = json.loads((tmp_path / "node_modules/till/package.json").read_text())
    assert manifest["os"] == ["linux"] and manifest["cpu"] in (["x64"], ["arm64"]) and "scripts" not in manifest
    till = tmp_path / "node_modules/.bin/till"
    with running(till, tmp_path) as server:
        assert first_signed_answer(server).startswith(APP)
        figure(package, seconds, time.monotonic() - server.started)
    # The test library in the package finds the program in the package.
    for name in ("subscription.test.js", "Shop.storekit"):
        shutil.copy(ROOT / "docs/testing/examples" / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    tested = subprocess.run(
        ["node", "--test", "subscription.test.js"], cwd=tmp_path, capture_output=True, text=True, env=clean_environment()
    )
    assert tested.returncode == 0 and re.search("^# pass 1$", tested.stdout, re.MULTILINE), tested.stdout


def running(till, folder) -> Server:
    """A server of an installed program outside of a root."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILL_BIN", str(till))
        return Server(folder / "data", folder, "--demo")


def test_the_binary_reports_what_it_lacks(root, release):
    """Without libpq, only PostgreSQL is refused; the message names the library."""
    root.run("tar", "-C", "/usr/local", "--strip-components=1", "-xzf", root.add(release("till-*-linux-*.tar.gz")))
    refused = root.run("till", "serve", "--database", "postgres://localhost/till", "--data", "/srv/data", code=1)
    assert "libpq" in refused.stderr


def test_the_action_starts_a_till(release, tmp_path):
    """Runs the script of the composite action, which installs the wheel in a fresh virtual environment."""
    action = yaml.safe_load((ROOT / ".github/actions/till/action.yml").read_text())
    (step,) = action["runs"]["steps"]
    (tmp_path / "output").touch()
    environment = {
        **clean_environment(), "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"),
        "WHEEL": str(release("till-*.whl")), "ARGUMENTS": action["inputs"]["arguments"]["default"],
    }
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]], env=environment, stdout=subprocess.PIPE, text=True
    )
    ready = json.loads((tmp_path / "till/ready.json").read_text())
    try:
        assert done.returncode == 0, done.stdout
        outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
        assert set(outputs) == set(action["outputs"])
        with requests.get(outputs["control"] + "/readyz", timeout=60) as answer:
            assert answer.ok
    finally:
        os.kill(ready["process"], signal.SIGTERM)


def test_the_health_check_of_the_image(release, tmp_path):
    text = (DIST / "docker/Dockerfile").read_text()
    command = json.loads(re.search(r"^HEALTHCHECK .*? CMD (\[.*\])$", text, re.MULTILINE)[1])
    # As in a container, the control API listens on all addresses, and asks for a token.
    with Server(tmp_path / "data", tmp_path, "--control-address", "0.0.0.0") as server:
        check = [part.replace("8890", str(server.ports["control"])) for part in command]
        assert check != command
        assert subprocess.run(check).returncode == 0
    assert subprocess.run(check, stderr=subprocess.DEVNULL).returncode != 0
