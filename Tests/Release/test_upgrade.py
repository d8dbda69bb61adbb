"""Data of version 0.1.0 is upgraded by the packaged binary, and the backup that was made before leads back."""

import shutil
import sqlite3
import subprocess
import tarfile
from pathlib import Path

import pytest

from process_helpers import ROOT, Server

APP = "com.example.shop"


@pytest.fixture
def till(release, tmp_path, monkeypatch):
    """The binary of the tarball."""
    with tarfile.open(release("till-*-linux-*.tar.gz")) as archive:
        archive.extractall(tmp_path / "release", filter="tar")
    (program,) = (tmp_path / "release").glob("*/bin/till")
    monkeypatch.setenv("TILL_BIN", str(program))
    return program


@pytest.fixture
def old(tmp_path):
    """The data of 0.1.0, and the backup that 0.1.0 made of it."""
    with tarfile.open(ROOT / "Tests/Fixtures/till-0.1.0/sqlite.tar.xz") as archive:
        archive.extractall(tmp_path / "old", filter="tar")
    return tmp_path / "old"


def migrations(folder: Path) -> list[str]:
    """The migrations of a database, by which a version decides whether it can open it."""
    # immutable: reading changes no file of a backup.
    with sqlite3.connect(f"file:{folder / 'till.sqlite'}?immutable=1", uri=True) as database:
        return [row[0] for row in database.execute("SELECT identifier FROM grdb_migrations ORDER BY rowid")]


def content(folder: Path) -> dict:
    """The files of a backup. SQLite creates -shm and -wal when the backup is read; they contain no data."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(("-shm", "-wal"))]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def history(server: Server) -> list[str]:
    """The ids of the transactions of a customer, which must survive the upgrade and the way back."""
    path = f"/v1/apps/{APP}/sandbox/customers/oli/transactions"
    return [entry["transactionId"] for entry in server.all_pages(path, "transactions")]


def serve(data, folder: Path) -> Server:
    folder.mkdir()
    # The fixture's dates are in the past: without the flag, Till removes notifications that are older than their
    # retention period.
    return Server(data, folder, "--notification-days", "36500")


def test_an_upgrade_and_the_way_back(till, old, tmp_path):
    before = content(old / "backup")
    oldest = migrations(old / "backup")

    with serve(old / "data", tmp_path / "upgraded") as server:
        recorded = history(server)
        assert len(recorded) >= 5
        server.control("POST", f"/v1/apps/{APP}/sandbox/customers", {"customer": "after-the-upgrade"})
    assert len(migrations(old / "data")) > len(oldest), "the upgrade changed no tables"
    doctor = subprocess.run([till, "doctor", "--data", old / "data"], capture_output=True, text=True)
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr

    # The backup is unchanged, so version 0.1.0 still opens it: the way back to the old version.
    assert content(old / "backup") == before
    shutil.copytree(old / "backup", tmp_path / "back")
    assert migrations(tmp_path / "back") == oldest

    # The way back with this version: the data as they were before the upgrade.
    subprocess.run([till, "restore", "--from", old / "backup", "--data", tmp_path / "restored"], check=True)
    with serve(tmp_path / "restored", tmp_path / "restored-server") as server:
        assert history(server) == recorded
        customers = [entry["customer"] for entry in server.all_pages(f"/v1/apps/{APP}/sandbox/customers", "customers")]
        assert "oli" in customers and "after-the-upgrade" not in customers
    assert content(old / "backup") == before
