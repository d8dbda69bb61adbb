"""Finds the program `till`, and starts a temporary server that ends with its owner."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from .transport import TillError

START_LIMIT = 120
STOP_LIMIT = 60
WATCHER = Path(__file__).with_name("watcher.py")


def till_program() -> str:
    """The program that TILL_BIN names, or the one that was installed with this package, or the one on the path."""
    if named := os.environ.get("TILL_BIN"):
        if not os.path.isfile(named) or not os.access(named, os.X_OK):
            raise TillError(f"TILL_BIN is {named}, which is not a program. Correct or unset it.")
        return str(Path(named).resolve())
    if found := shutil.which("till", path=sysconfig.get_path("scripts")) or shutil.which("till"):
        return found
    raise TillError(
        "There is no program till. Put it on the path, set TILL_BIN to its path, or set TILL_CONTROL to the address of "
        "the control API of a running server."
    )


class Watcher:
    """A process that acts when this process closes the pipe to it, or ends."""

    def __init__(self, job: dict):
        # Settings for another server must not change this one. The session of its own keeps Ctrl-C and signals to the
        # process group of the tests away.
        environment = {key: value for key, value in os.environ.items() if not key.upper().startswith("TILL_")}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(WATCHER)], stdin=subprocess.PIPE, env=environment, start_new_session=True
        )
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        self._process.stdin.flush()
        if hasattr(os, "register_at_fork"):
            # A forked child that outlives this process must not keep the pipe open.
            descriptor = self._process.stdin.fileno()
            os.register_at_fork(after_in_child=lambda: _close(descriptor, self._process))

    def tell(self, line: str):
        """Writes a line, which the process reads at the end."""
        # The process may have been killed.
        with contextlib.suppress(OSError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def stop(self):
        self.tell("clean")
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait(STOP_LIMIT)


def _close(descriptor: int, process: subprocess.Popen):
    if not process.stdin.closed:
        with contextlib.suppress(OSError):
            os.close(descriptor)


class TemporaryServer:
    """A server on free ports that keeps its data in memory."""

    def __init__(self, facts: dict, folder: str, watcher: Watcher):
        self.facts = facts
        self.folder = folder
        self._watcher = watcher

    @classmethod
    def start(cls) -> TemporaryServer:
        program = till_program()
        folder = tempfile.mkdtemp(prefix="till-testing-")
        ready = Path(folder, "ready.json")
        command = [
            program, "serve", "--ephemeral", "--production-port", "0", "--sandbox-port", "0", "--control-port", "0",
            "--ready-file", str(ready),
        ]
        watcher = Watcher({"command": command, "folder": folder})
        deadline = time.monotonic() + START_LIMIT
        while not ready.exists():
            ended = Path(folder, "ended").exists()
            if ended or time.monotonic() > deadline:
                log = Path(folder, "log").read_text(errors="replace")[-3_000:]
                watcher.stop()
                problem = "ended at once" if ended else f"was not ready after {START_LIMIT} s"
                raise TillError(f"{program} serve {problem}:\n{log}")
            time.sleep(0.01)
        return cls(json.loads(ready.read_text()), folder, watcher)

    def stop(self):
        """Stops the server, and removes its files."""
        self._watcher.stop()
