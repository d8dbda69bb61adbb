"""Runs pytest with the plugin of the test library on suites, in processes of its own."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from process_helpers import ROOT, clean_environment, port_of, till_binary, wait_until

LIBRARY = ROOT / "TestLibraries/python"
sys.path.insert(0, str(LIBRARY))
SUITES = Path(__file__).parent / "suites"
LIMIT = 300


class SuiteRun:
    """A run of pytest on a file, in a session of its own. The suites write what they see into the folder FACTS."""

    def __init__(self, folder: Path, suite: Path, *arguments, **environment):
        self.facts, self.temporary = folder / "facts", folder / "tmp"
        self.facts.mkdir()
        self.temporary.mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n")
        if suite.parent == SUITES:
            # Not beside the fixtures of this repository's own tests.
            suite = Path(shutil.copy(suite, folder))
        # The variables of the outer run would make pytest-xdist think that this is a worker of it. Its other plugins
        # take longer to load than a suite to run.
        inherited = {key: value for key, value in clean_environment().items() if not key.startswith("PYTEST_")}
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "till_testing.plugin",
                *(["-p", "xdist.plugin"] if "-n" in arguments else []),
                "-c", str(folder / "pytest.ini"), "--rootdir", str(folder), *arguments, str(suite),
            ],
            cwd=folder, start_new_session=True, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={
                **inherited, "PYTHONPATH": str(LIBRARY), "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TILL_BIN": till_binary(),
                "TMPDIR": str(self.temporary), "FACTS": str(self.facts), **environment,
            },
        )

    def end(self) -> str:
        """Waits for the end, and returns the output."""
        output, _ = self.process.communicate(timeout=LIMIT)
        return output

    def kill(self):
        """Kills pytest and its workers."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=LIMIT)

    def wait_for_facts(self, name: str) -> str:
        file = self.facts / name
        wait_until(lambda: file.exists() or self.process.poll() is not None)
        assert file.exists(), self.end()
        return file.read_text()


def server_process(data_directory: str) -> int:
    """The process id of a temporary server, which the name of its data directory contains."""
    return int(re.search(r"till-ephemeral-(\d+)-", data_directory)[1])


def is_running(process: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False


def is_open(address: str) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((urlsplit(address).hostname, port_of(address)), 5):
        return True
    return False


def assert_nothing_left(run: SuiteRun, control: str, data_directory: str):
    """Asserts that the server of a run ends, and that its folders go."""
    wait_until(lambda: not is_running(server_process(data_directory)) and not Path(data_directory).exists())
    wait_until(lambda: list(run.temporary.glob("till-*")) == [])
    assert not is_open(control)
