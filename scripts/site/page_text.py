"""Pieces of generated pages."""

import re
import textwrap

# Words in texts for a terminal that a page shows as code, if they are not marked already.
CODE = re.compile(
    r"(?<![\w`/.…-])("
    r"--[a-z][\w-]*(?: [a-z0-9-]+(?=[:,;).])| [A-Z]{2,}\b)?|TILL_[A-Z_]+|"
    r"https?://[\w.:/-]*\w|\.?/[a-z][\w./-]*\w|~/[\w./-]+\w|\d+\.\d+\.\d+\.\d+(?:/\d+)?|"
    r"true(?= or false| with|$|[;)])|false(?=[ :,;.)]|$)|AuthKey_….p8|[A-Z]+(?:_[A-Z]+)+(?:/[A-Z_]+)?"
    r")(?![\w`])"
)
# A page that a text of the code names, with its folder.
PAGE = re.compile(r"\b(docs/[\w/-]+\.md)(#[\w-]+)?")


def table(heading: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(heading)} |", "|---" * len(heading) + "|", *(f"| {' | '.join(cells)} |" for cells in rows)]


def cell(text: str) -> str:
    """A text in a cell of a table. A line feed would end the row."""
    return escaped(" ".join(text.split())).replace("|", "\\|")


def escaped(text: str) -> str:
    """Text outside of code without the beginning of a tag."""
    parts = text.split("`")
    return "`".join(part if number % 2 else part.replace("<", "&lt;") for number, part in enumerate(parts))


def marked(text: str) -> str:
    """A text for a terminal, with its flags, variables and addresses as code."""
    parts = text.split("`")
    return "`".join(part if number % 2 else CODE.sub(r"`\1`", part) for number, part in enumerate(parts))


def linked(text: str, page: str) -> str:
    """A text with a link for each page that it names; `page` is the path of the page with the text, below docs/."""
    up = "../" * page.count("/")
    return PAGE.sub(lambda match: f"[{match[1]}]({up}{match[1].removeprefix('docs/')}{match[2] or ''})", text)


def paragraph(text: str) -> list[str]:
    return [*textwrap.wrap(text, 140, break_long_words=False, break_on_hyphens=False), ""]


def slug(heading: str) -> str:
    """The anchor of a heading, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
