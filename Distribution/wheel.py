"""The Python wheel: the binary in the folder that pip puts on the path. auditwheel sets the tag on Linux."""

import base64
import hashlib
import shutil
import sys
import time
import zipfile
from pathlib import Path

from project import DIST, DISTRIBUTION, Project, run

TOOLS = DISTRIBUTION / ".venv/bin"


def build(project: Project, tree: Path) -> Path:
    folder = DIST / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # auditwheel replaces the tag `linux`.
    tag = f"linux_{project.machine.replace('arm64', 'aarch64')}" if project.is_linux else "macosx_15_0_universal2"
    path = folder / f"{project.name}-{project.version}-py3-none-{tag}.whl"
    write(project, path, tag, tree)
    audited = audit(path) if project.is_linux else path
    target = DIST / audited.name
    audited.replace(target)
    return target


def write(project: Project, path: Path, tag: str, tree: Path):
    info = f"{project.name}-{project.version}.dist-info"
    documents = tree / "share/doc/till"
    name, _, address = project.maintainer.partition(" <")
    # The fields are those of Metadata 2.4.
    metadata = (
        f"Metadata-Version: 2.4\nName: {project.name}\nVersion: {project.version}\nSummary: {project.summary}\n"
        f"License-Expression: {project.licence}\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY.txt\n"
        f"Author-email: {name} <{address}\nRequires-Python: >=3.8\nDescription-Content-Type: text/plain\n\n"
        + "\n".join(project.description) + "\n"
    )
    files = {
        f"{project.name}-{project.version}.data/scripts/till": ((tree / "bin/till").read_bytes(), 0o755),
        f"{info}/licenses/LICENSE": ((documents / "LICENSE").read_bytes(), 0o644),
        f"{info}/licenses/THIRD-PARTY.txt": ((documents / "THIRD-PARTY.txt").read_bytes(), 0o644),
        f"{info}/METADATA": (metadata.encode(), 0o644),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: till\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), 0o644
        ),
    }
    rows = [f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in files.items()]
    files[f"{info}/RECORD"] = ("".join([*rows, f"{info}/RECORD,,\n"]).encode(), 0o644)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(project.epoch)[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def audit(path: Path) -> Path:
    """Lets auditwheel choose the oldest manylinux tag that the binary allows, and returns the tagged wheel."""
    folder = path.parent / "audited"
    run(TOOLS / "auditwheel", "repair", "--wheel-dir", folder, path)
    (tagged,) = folder.glob("*.whl")
    if "manylinux" not in tagged.name:
        sys.exit(f"pack: auditwheel gave no manylinux tag:\n{run(TOOLS / 'auditwheel', 'show', path)}")
    return tagged
