"""Checks that the guide to testing (docs/testing) prints its example files as they are. Other tests run the files."""

import re

import pytest

from process_helpers import ROOT

GUIDE = ROOT / "docs/testing"
EXAMPLES = sorted(file for file in (GUIDE / "examples").iterdir() if file.is_file() and file.suffix != ".storekit")
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(page, block) for page in sorted(GUIDE.glob("*.md")) for block in FENCE.findall(page.read_text())]


def significant_lines(text: str) -> set[str]:
    """The lines that are long enough to belong to one text only."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 20}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.name)
def test_a_page_prints_the_whole_example(example):
    printing = [page.name for page, block in BLOCKS if block == example.read_text()]
    assert printing, f"no page in docs/testing prints {example.name} exactly as it is"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.name)
def test_no_page_prints_an_example_differently(example):
    """A block that shares half of its lines with an example is a copy of it."""
    text = example.read_text()
    lines = significant_lines(text)
    different = [
        page.name for page, block in BLOCKS
        if block != text and len(significant_lines(block) & lines) * 2 > len(lines)
    ]
    assert not different, f"these pages print {example.name} differently"
