#!/usr/bin/env python3
"""Makes everything that a release consists of, in dist/, from the binary dist/till. `scripts/dist` runs it.

    Distribution/pack.py              everything for this system
    Distribution/pack.py homebrew     only the formula, for the tarballs of all systems in dist/
"""

import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import containers
import deb
import homebrew
import npm
import tarball
import wheel
from project import BINARY, DIST, Project
from stage import stage

SUMS = "SHA256SUMS"


def sums(files: list[Path]):
    """Writes the checksums of the files in the format of sha256sum."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files)]
    (DIST / SUMS).write_text("".join(lines))


def main():
    project = Project.load()
    if sys.argv[1:] == ["homebrew"]:
        return report([homebrew.build(project)])
    if sys.argv[1:]:
        sys.exit(__doc__)
    if not BINARY.exists():
        sys.exit("pack: dist/till is missing: run scripts/dist build.")
    tree = stage(project)
    builders = [tarball, npm, wheel, *([deb, containers] if project.is_linux else [])]
    # Compression takes most of the time, on one core for each file.
    with ThreadPoolExecutor() as pool:
        made = list(pool.map(lambda builder: builder.build(project, tree), builders))
    made.append(homebrew.build(project))
    sums([file for file in made if file.is_file()])
    report(made)


def report(made: list[Path]):
    for path in made:
        size = sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*")))
        print(f"dist: {path.relative_to(DIST.parent)}  {size / 1_000_000:.1f} MB")


if __name__ == "__main__":
    main()
