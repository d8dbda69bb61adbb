"""Lays out the files of an installation below one folder, as they belong below a prefix such as /usr/local."""

import gzip
import json
import shutil
from pathlib import Path

import manual
from project import BINARY, DIST, ROOT, Project, run

COMPLETIONS = {
    "bash": "share/bash-completion/completions/till",
    "zsh": "share/zsh/site-functions/_till",
    "fish": "share/fish/vendor_completions.d/till.fish",
}
CHECKOUTS = ROOT / ".build-dist/checkouts"


def stage(project: Project) -> Path:
    """Writes the files to dist/stage, and returns the folder."""
    tree = DIST / "stage"
    shutil.rmtree(tree, ignore_errors=True)
    write(tree / "bin/till", BINARY.read_bytes(), mode=0o755)
    for shell, path in COMPLETIONS.items():
        # A completion script is read by the shell, so it has no interpreter line.
        script = run(BINARY, "completions", shell).removeprefix("#!/bin/bash\n")
        write(tree / path, script.encode())
    for name, text in manual.pages(project).items():
        # The name and the time in the header of gzip would make every build different.
        write(tree / f"share/man/man1/{name}.1.gz", gzip.compress(text.encode(), mtime=0))
    for name in ("LICENSE", "CHANGELOG.md"):
        write(tree / "share/doc/till" / name, (ROOT / name).read_bytes())
    write(tree / "share/doc/till/THIRD-PARTY.txt", third_party().encode())
    if project.is_linux:
        write(tree / "lib/systemd/system/till.service", (ROOT / "Operations/systemd/till.service").read_bytes())
        write(tree / "share/doc/till/till.default", (ROOT / "Distribution/debian/till.default").read_bytes())
    return tree


def write(path: Path, content: bytes, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def third_party() -> str:
    """The licences and notices of the packages that the binary contains."""
    parts = [
        "The binary till contains the following software. It also contains, on Linux, the runtime libraries of Swift\n"
        "(Apache License 2.0 with Runtime Library Exception), SQLite (public domain), zlib (zlib licence) and the\n"
        "C++ library of GCC (GPL 3 with GCC Runtime Library Exception).\n"
    ]
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        folder = CHECKOUTS / Path(pin["location"]).name.removesuffix(".git")
        files = sorted(file for kind in ("LICENSE*", "NOTICE*") for file in folder.glob(kind))
        if not files:
            raise SystemExit(f"pack: {folder} has no licence: run scripts/dist build.")
        head = f"{pin['identity']} {pin['state'].get('version', '')}".strip()
        parts.append("\n".join([f"\n{'=' * 78}\n{head}\n{'=' * 78}\n", *(file.read_text() for file in files)]))
    return "".join(parts)
