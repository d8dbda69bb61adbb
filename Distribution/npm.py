"""The npm package: the binary for one system, and the test library, without scripts that run at the installation."""

import json
from pathlib import Path

import tarball
from project import DIST, ROOT, Project
from stage import write

# The test library. Its package.json declares what is imported as `till/testing`, and the oldest Node.js.
LIBRARY = ROOT / "TestLibraries/node"
CPU = {"x86_64": ["x64"], "arm64": ["arm64"], "universal": ["x64", "arm64"]}


def build(project: Project, tree: Path) -> Path:
    library = json.loads((LIBRARY / "package.json").read_text())
    manifest = {
        "name": project.name,
        "version": project.version,
        "description": project.summary,
        "license": project.licence,
        "bin": {project.name: "bin/till"},
        **{key: library[key] for key in ("type", "exports", "engines")},
        "os": ["linux" if project.is_linux else "darwin"],
        "cpu": CPU[project.machine],
        **({"libc": ["glibc"]} if project.is_linux else {}),
    }
    file = DIST / "npm/package.json"
    write(file, (json.dumps(manifest, indent=2) + "\n").encode())
    documents = tree / "share/doc/till"
    files = {
        "package/package.json": file,
        "package/bin/till": tree / "bin/till",
        "package/LICENSE": documents / "LICENSE",
        "package/THIRD-PARTY.txt": documents / "THIRD-PARTY.txt",
        **{f"package/testing/{path.name}": path for path in (LIBRARY / "testing").iterdir()},
    }
    path = DIST / f"{project.basename}.npm.tgz"
    tarball.write(project, path, files)
    return path
