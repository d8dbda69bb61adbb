"""The Python wheel: the binary in the folder that pip puts on the path, and the library for tests, which is a plugin of
pytest. auditwheel determines the tag on Linux."""

import base64
import hashlib
import json
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from project import DIST, DISTRIBUTION, ROOT, Project, run

TOOLS = DISTRIBUTION / ".venv/bin"
LIBRARY = ROOT / "TestLibraries/python/till_testing"
ENTRY_POINTS = "[pytest11]\ntill = till_testing.plugin\n"
# What the fixtures need. Nothing of it is needed to run the server, or to import the library.
TESTING = ("pytest>=7", "app-store-server-library")


def build(project: Project, tree: Path) -> Path:
    tag = audited_tag(project, tree) if project.is_linux else "macosx_15_0_universal2"
    path = DIST / f"{project.name}-{project.version}-py3-none-{tag}.whl"
    write(path, project, tag, tree)
    return path


def audited_tag(project: Project, tree: Path) -> str:
    """The oldest manylinux tag that auditwheel finds for the binary. It reads wheels only, so it gets one without
    compression and with a preliminary tag."""
    tag = f"linux_{project.machine.replace('arm64', 'aarch64')}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{project.name}-{project.version}-py3-none-{tag}.whl"
        write(path, project, tag, tree, zipfile.ZIP_STORED)
        found = json.loads(run(TOOLS / "auditwheel", "show", "--json", path))
    if not found["overall_tag"].startswith("manylinux"):
        sys.exit(f"pack: auditwheel gives no manylinux tag: {json.dumps(found['policy_upgrades'], indent=2)}")
    return found["overall_tag"]


def write(path: Path, project: Project, tag: str, tree: Path, compression=zipfile.ZIP_DEFLATED):
    info = f"{project.name}-{project.version}.dist-info"
    documents = tree / "share/doc/till"
    name, _, address = project.maintainer.partition(" <")
    # The fields are those of Metadata 2.4.
    metadata = (
        f"Metadata-Version: 2.4\nName: {project.name}\nVersion: {project.version}\nSummary: {project.summary}\n"
        f"License-Expression: {project.licence}\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY.txt\n"
        f"Author-email: {name} <{address}\nRequires-Python: >=3.8\nDescription-Content-Type: text/plain\n"
        "Provides-Extra: testing\n" + "".join(f'Requires-Dist: {name}; extra == "testing"\n' for name in TESTING) + "\n"
        + "\n".join(project.description) + "\n"
    )
    files = {
        f"{project.name}-{project.version}.data/scripts/till": ((tree / "bin/till").read_bytes(), 0o755),
        **{f"till_testing/{path.name}": (path.read_bytes(), 0o644) for path in library_files()},
        f"{info}/licenses/LICENSE": ((documents / "LICENSE").read_bytes(), 0o644),
        f"{info}/licenses/THIRD-PARTY.txt": ((documents / "THIRD-PARTY.txt").read_bytes(), 0o644),
        f"{info}/METADATA": (metadata.encode(), 0o644),
        f"{info}/entry_points.txt": (ENTRY_POINTS.encode(), 0o644),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: till\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), 0o644
        ),
    }
    rows = [f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in files.items()]
    files[f"{info}/RECORD"] = ("".join([*rows, f"{info}/RECORD,,\n"]).encode(), 0o644)
    with zipfile.ZipFile(path, "w") as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(project.epoch)[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = compression
            archive.writestr(entry, content)


def library_files() -> list[Path]:
    return sorted(path for path in LIBRARY.iterdir() if path.suffix in (".py", ".typed"))


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
