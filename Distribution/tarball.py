"""The tarball: the files as they belong below a prefix, in one folder with the name of the release."""

import gzip
import tarfile
from pathlib import Path

from project import DIST, Project


def build(project: Project, tree: Path) -> Path:
    path = DIST / f"{project.basename}.tar.gz"
    files = {f"{project.basename}/{file.relative_to(tree)}": file for file in tree.rglob("*") if file.is_file()}
    write(project, path, files)
    return path


def write(project: Project, path: Path, files: dict[str, Path]):
    """Writes an archive with the given names. Owner, order and time do not depend on the machine."""
    with (
        gzip.GzipFile(path, "wb", compresslevel=6, mtime=project.epoch) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, file in sorted(files.items()):
            entry = archive.gettarinfo(file, name)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = project.epoch
            with open(file, "rb") as content:
                archive.addfile(entry, content)
