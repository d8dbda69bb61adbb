"""The folder from which an image for containers is built. The image itself is not built here."""

import shutil
from pathlib import Path

from project import DIST, DISTRIBUTION, Project


def build(project: Project, tree: Path) -> Path:
    folder = DIST / "docker"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    template = (DISTRIBUTION / "templates/Dockerfile").read_text()
    (folder / "Dockerfile").write_text(project.fill(template))
    shutil.copy2(tree / "bin/till", folder / "till")
    for name in ("LICENSE", "THIRD-PARTY.txt"):
        shutil.copy2(tree / "share/doc/till" / name, folder / name)
    return folder
