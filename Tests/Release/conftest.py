"""The tests of a release are not part of `make test`, because they need the files that `make dist` makes. They use the
helpers of Tests/Python. At the end they print how long each file took, and how large it is."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1] / "Python"
sys.path.insert(0, str(PYTHON))

from clean_root import CleanRoot  # noqa: E402
from process_helpers import ROOT, installed  # noqa: E402

DIST = ROOT / "dist"
figures = []


def pytest_terminal_summary(terminalreporter):
    for line in figures:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def figure():
    """Records the size of a file, and the seconds of its installation and to its first signed answer."""
    def record(path, install, answer):
        figures.append(
            f"release  {path.name:44} {path.stat().st_size / 1e6:6.1f} MB  installed in {install:5.1f} s, "
            f"first signed answer {answer:5.1f} s after the start"
        )
    return record


@pytest.fixture(scope="session")
def release():
    """The path of the only file in dist/ that a pattern matches."""
    def find(pattern) -> Path:
        found = sorted(DIST.glob(pattern))
        assert len(found) == 1, f"dist/ has {found} for {pattern}: run scripts/dist"
        return found[0]
    return find


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """A new Debian root without a compiler, of which each test gets a copy."""
    folder = tmp_path_factory.mktemp("debian") / "root"
    begun = time.monotonic()
    # The lists of packages stay, for tests that install something.
    done = subprocess.run(
        [installed("mmdebstrap", "mmdebstrap", "release"), "--variant=minbase", "--skip=cleanup/apt", "bookworm", folder],
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    figures.append(f"release  a clean Debian root in {time.monotonic() - begun:.1f} s")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def root(base, tmp_path):
    copy = CleanRoot(base, tmp_path / "root")
    yield copy
    copy.remove()
