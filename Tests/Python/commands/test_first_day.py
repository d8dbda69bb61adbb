"""The first use of Till: what the commands print and write, and the messages for common mistakes."""

import json
import os
import shlex
import signal
import subprocess

import pytest
import requests

from process_helpers import PORTS, clean_environment, run_till, till_binary, wait_until

DEMO = "com.example.till.demo"


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    """An in-memory demo, with its ready file and its banner. When the demo starts, an older ready file exists."""
    folder = tmp_path_factory.mktemp("brief")
    ready, banner = folder / "ready.json", folder / "banner"
    ready.write_text("older")
    with open(banner, "w") as out:
        process = subprocess.Popen(
            [till_binary(), "serve", "--ephemeral", "--demo", *PORTS, "--tls-port", "0", "--ready-file", str(ready)],
            env=clean_environment() | {"TILL_DATA": "/elsewhere"}, stdout=out, stderr=subprocess.DEVNULL, cwd=folder,
        )
    try:
        # The file must never contain any addresses but those of this server.
        wait_until(lambda: process.poll() is not None or not ready.exists() or ready.read_text() != "older")
        wait_until(lambda: process.poll() is not None or ready.exists())
        yield json.loads(ready.read_text()) | {"banner": banner.read_text()}
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_the_banner_has_the_flags_for_a_server_in_another_directory(brief):
    lines = brief["banner"].splitlines()
    assert f"  export TILL_DATA={brief['dataDirectory']}" in lines
    assert lines[-1] == "Stop with Ctrl-C. All data is deleted then."
    for line in [line for line in lines if line.startswith("  ") and " customer " in line or " history " in line]:
        words = shlex.split(line)[1:]
        if words[:1] in (["customer"], ["history"]):
            run_till(*words, TILL_DATA=brief["dataDirectory"], code=0)


def test_a_ready_file_that_cannot_be_written_ends_the_start(tmp_path):
    done = run_till("serve", "--ephemeral", *PORTS, "--ready-file", tmp_path / "nowhere/ready.json", code=1)
    assert "nowhere/ready.json cannot be written" in done.stderr


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_followed_output_is_written_to_a_file_at_once(brief, tmp_path, flags):
    out = tmp_path / "out"
    with open(out, "w") as file:
        process = subprocess.Popen(
            [till_binary(), "explain", "--follow", "--control", brief["control"], *flags],
            env=clean_environment(), stdout=file, stderr=subprocess.STDOUT,
        )
    try:
        # Requests that arrived before the first poll are left out.
        asked = []

        def seen():
            asked.append(requests.post(brief["sandbox"] + "/verifyReceipt", data="{}", timeout=30))
            return any(answer.headers["X-Request-ID"] in out.read_text() for answer in asked)

        wait_until(seen)
    finally:
        process.kill()
        process.wait()


def test_exec_names_an_app_that_it_cannot_use():
    assert DEMO in run_till("exec", "--demo", "--app", "com.mine", "--", "true", code=64).stderr
    assert "--import" in run_till("exec", "--app", "com.mine", "--", "true", code=64).stderr


@pytest.mark.parametrize("setting", [{"TILL_EPHEMERAL": "1"}, {"TILL_DATABASE": "postgres://till@127.0.0.1:9/real"}])
def test_exec_ignores_stores_from_the_environment(setting):
    done = run_till("exec", "--way", "proxy", "--demo", "--", "sh", "-c", "echo $TILL_APP", **setting)
    assert done.stdout == f"{DEMO}\n", done.stderr


def test_exec_passes_the_absolute_path_of_the_servers_key(brief):
    folder, name = os.path.split(brief["dataDirectory"])
    script = ["sh", "-c", "echo $TILL_KEY"]
    done = run_till("exec", "--way", "proxy", "--join", "--data", f"./{name}", "--", *script, cwd=folder)
    assert done.stdout == f"{brief['keyFile']}\n", done.stderr


def test_hosts_warns_on_standard_error_when_its_output_would_not_work(brief):
    def notes(*arguments):
        done = run_till("hosts", "--control", brief["control"], *arguments, code=0)
        assert "till:" not in done.stdout
        return done.stderr

    assert "--tls-port 443" in notes("--format", "hosts") and "--address" not in notes("--format", "hosts")
    assert "--address" in notes("--format", "compose") and "--address" in notes("--format", "kubernetes")
    assert "--address" not in notes("--format", "compose", "--address", "172.17.0.1")
    assert notes("--format", "environment") == ""
