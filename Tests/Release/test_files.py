"""Checks the files of a release that cannot be run here, and what a distribution expects of a package."""

import hashlib
import re
import subprocess
from pathlib import Path

import pytest
from conftest import DIST

from process_helpers import ROOT, installed

TOOLS = ROOT / "Distribution/.venv/bin"
# systemd rates the exposure of a service from 0 to 100. Most services without hardening have 96.
MAX_EXPOSURE = 15


def check(*command, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_lintian_finds_nothing(release):
    check(installed("lintian", "lintian", "release"), "--fail-on", "error,warning", "--allow-root", release("till_*.deb"))


def test_the_unit_is_valid_and_hardened(release, tmp_path):
    analyze = installed("systemd-analyze", "systemd", "release")
    # The unit finds its program and pages in the root of the tarball.
    check("tar", "-C", tmp_path, "--strip-components=1", "-xzf", release("till-*-linux-*.tar.gz"))
    unit = tmp_path / "lib/systemd/system/till.service"
    check(analyze, "security", "--offline=true", f"--threshold={MAX_EXPOSURE}", unit)
    text = unit.read_text()
    assert "\nExecStart=till serve\n" in text
    unit.write_text(text.replace("ExecStart=till", f"ExecStart={tmp_path}/bin/till"))
    # --man=no: the pages are not installed on this system; the next test checks them.
    check(analyze, "verify", "--man=no", unit)


def test_the_manual_pages_have_no_warnings(tmp_path, release):
    check("tar", "-C", tmp_path, "--strip-components=1", "-xzf", release("till-*-linux-*.tar.gz"))
    pages = sorted((tmp_path / "share/man/man1").glob("*.gz"))
    assert len(pages) > 30
    for page in pages:
        command = [installed("man", "man-db", "release"), "--warnings", "--encoding=UTF-8", "--local-file", page]
        done = subprocess.run(command, capture_output=True, text=True, env={"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        assert (done.returncode, done.stderr) == (0, ""), page.name
        assert "NAME" in done.stdout and "till" in done.stdout


def test_the_dockerfile(release):
    check(TOOLS / "hadolint", DIST / "docker/Dockerfile")
    assert (DIST / "docker/till").stat().st_mode & 0o111
    assert "@" not in re.sub(r"\[\$?@\]", "", (DIST / "docker/Dockerfile").read_text())


def test_the_formula_has_the_checksum_of_the_tarball(release):
    text = release("till.rb").read_text()
    tarball = release("till-*-linux-*.tar.gz")
    assert hashlib.sha256(tarball.read_bytes()).hexdigest() in text
    assert tarball.name in text and "@" not in text


def test_every_file_has_a_checksum():
    check("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=DIST)
    listed = {line.split("  ")[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
    assert {Path(name).suffix for name in listed} >= {".gz", ".tgz", ".whl", ".deb", ".rb"}


@pytest.mark.parametrize("file", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda file: file.name)
def test_the_workflows_match_their_schema(file):
    check(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", file)


def test_the_action_matches_its_schema():
    check(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / ".github/actions/till/action.yml")


def test_zizmor_finds_nothing():
    check(TOOLS / "zizmor", "--offline", "--no-progress", ROOT / ".github")
