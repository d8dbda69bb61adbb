"""Holds docs/operating/unconfirmed.md against the settings and against the pages of the API."""

import re

from process_helpers import ROOT

DOCS = ROOT / "docs"
PAGE = (DOCS / "operating/unconfirmed.md").read_text()
SETTINGS = (DOCS / "operating/settings.md").read_text()


def rows(text: str) -> list[list[str]]:
    """The cells of all rows of the tables in a text, without headings."""
    lines = re.findall(r"^\| (.*) \|$", text, re.MULTILINE)
    return [re.split(r" \| ", line) for line in lines if not line.startswith("Not confirmed")]


def named(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_each_row_has_a_page_and_a_setting_or_none():
    for row in rows(PAGE):
        assert len(row) == 4, row
        assert re.fullmatch(r"\[[^]]+\]\([^)]+\)", row[2]), row
        assert row[3] == "none" or named(row[3]), row
    assert len(rows(PAGE)) > 80
    facts = [row[0] for row in rows(PAGE)]
    assert len(set(facts)) == len(facts), "a fact is listed twice"


def test_each_setting_in_the_table_exists():
    server = {row[2].strip("`") for row in rows(SETTINGS) if len(row) == 5}
    section = (DOCS / "control/time.md").read_text().split("## Environment settings\n")[1].split("\n## ")[0]
    environment = {name for row in rows(section) if len(row) == 2 for name in named(row[0])}
    assert len(server) > 40 and {"released", "refundRule"} < environment
    listed = {name for row in rows(PAGE) for name in named(row[3])}
    assert listed <= server | environment, listed - server - environment


def test_each_setting_that_chooses_between_readings_is_in_the_table():
    """A setting is such a choice if the settings call it one, or if they say that Apple has not documented it."""
    choices = {row[2].strip("`") for row in rows(SETTINGS) if len(row) == 5 and "[choices](" in row[4]}
    section = SETTINGS.split("## Departures from Apple's behaviour\n")[1]
    undocumented = {name for row in rows(section) if row[-1].startswith("not documented") for name in named(row[0])}
    assert choices >= {"tokenChangeMovesHistory", "keepsAnchorDay", "keepsGraceDate"} and undocumented
    listed = {name for row in rows(PAGE) for name in named(row[3])}
    assert choices | undocumented <= listed, (choices | undocumented) - listed


def test_each_page_of_the_api_with_an_unconfirmed_detail_is_in_the_table():
    linked = {row[2].split("](")[1].split(")")[0].split("#")[0].removeprefix("../api/") for row in rows(PAGE)}
    missing = []
    for page in sorted((DOCS / "api").rglob("*.md")):
        path = str(page.relative_to(DOCS / "api"))
        if re.search(r"not (documented|confirmed|published)\b", page.read_text()) and path not in linked:
            missing.append(path)
    assert not missing
