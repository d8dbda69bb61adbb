#!/usr/bin/env python3
"""Writes the parts of docs/ that the code provides: docs/reference, the table of settings and that of metrics.

    make reference
    scripts/site/reference.py --check    changes nothing; fails if a page differs from the code

It asks the built `till` (TILL_BIN, by default .build/debug/till).
"""

import sys
from pathlib import Path

import command_pages
import control_pages
import generated_tables
from description import ROOT, described

DOCS = ROOT / "docs"
FOLDERS = (command_pages.FOLDER, control_pages.FOLDER)


def wanted() -> dict[Path, str]:
    """The text of each page that has generated parts."""
    given = described()
    pages = command_pages.pages(given) | control_pages.pages(given)
    pages = {path: text.rstrip("\n") + "\n" for path, text in pages.items()} | generated_tables.pages(given)
    return {DOCS / path: text for path, text in pages.items()}


def main() -> int:
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: scripts/site/reference.py [--check]")
    pages = wanted()
    existing = {file for folder in FOLDERS for file in (DOCS / folder).rglob("*.md")}
    differing = [file for file, text in pages.items() if not file.exists() or file.read_text() != text]
    superfluous = sorted(existing - pages.keys())
    for file in sorted(differing) + superfluous:
        print(f"{file.relative_to(ROOT)} differs from the code" if sys.argv[1:] else f"wrote {file.relative_to(ROOT)}")
    if sys.argv[1:]:
        return 1 if differing or superfluous else 0
    for file in differing:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pages[file])
    for file in superfluous:
        file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
