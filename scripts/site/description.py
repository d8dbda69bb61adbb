"""What the built `till` says about itself: its commands, settings, metrics and the operations of its control API."""

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# How long a server may take to start, on a busy machine.
PATIENCE = 120


@dataclass(frozen=True)
class Description:
    """The commands as the argument parser knows them, the groups of their names in the help, the keys of the
    configuration file, the OpenAPI document, and the text of /metrics."""

    command: dict
    groups: dict[str, list[str]]
    keys: frozenset
    openapi: dict
    metrics: str


def described(binary: str | None = None) -> Description:
    binary = binary or os.environ.get("TILL_BIN") or str(ROOT / ".build/debug/till")
    # No variable of this environment may change what the command prints or does.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILL_")}

    def printed(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [binary, *arguments], capture_output=True, text=True, env=environment, timeout=PATIENCE, cwd="/"
        )

    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder) / "wrong.json"
        wrong.write_text('{"noSuchSetting": 1}')
        refusal = printed("serve", "--config", str(wrong)).stderr
        openapi, metrics = served(binary, Path(folder), environment)
    return Description(
        command=json.loads(printed("--experimental-dump-help").stdout)["command"],
        groups=groups(printed("--help").stdout),
        keys=frozenset(re.search(r"Settings: (.*)\.", refusal)[1].split(", ")),
        openapi=json.loads(openapi),
        metrics=metrics,
    )


def groups(text: str) -> dict[str, list[str]]:
    """The names of the commands by the heading in the help."""
    found = {}
    for heading, rows in re.findall(r"^(.+) SUBCOMMANDS:\n((?:  .*\n)+)", text, re.MULTILINE):
        found[heading.capitalize()] = re.findall(r"^  (\S+)", rows, re.MULTILINE)
    return found


def served(binary: str, folder: Path, environment: dict) -> tuple[str, str]:
    """The OpenAPI document and the metrics of a temporary server."""
    ready = folder / "ready.json"
    ports = [word for name in ("production", "sandbox", "control") for word in (f"--{name}-port", "0")]
    with open(folder / "log", "wb") as log:
        command = [binary, "serve", "--ephemeral", *ports, "--ready-file", str(ready)]
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
    try:
        end = time.monotonic() + PATIENCE
        while not ready.exists():
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError("till serve did not start:\n" + (folder / "log").read_text())
            time.sleep(0.05)
        control = json.loads(ready.read_text())["control"]
        # The request for the document gives the metrics of requests a first value, with their labels.
        return fetched(control + "/openapi.json"), fetched(control + "/metrics")
    finally:
        server.terminate()
        server.wait()


def fetched(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read().decode()
