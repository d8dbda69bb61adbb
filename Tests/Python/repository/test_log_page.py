"""docs/production/logs.md lists every log line of the server, with its level and its metadata, as the code has them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/production/logs.md"
LEVELS = "debug|info|notice|warning|error|critical"
# The commands and the client have logs of their own, which do not come from a server.
MODULES = ["TillShop", "TillServer", "TillConsole", "TillRuntime", "till/Serving"]
CALL = re.compile(rf"\blogger\s*\.({LEVELS})\(")
# Calls of functions that write a line with the message and the metadata of their caller, each with its level.
INDIRECT = [
    (re.compile(r"failedTokens\.refuse\("), "warning"),
    (re.compile(r"refusedTokens\.log\("), "warning"),
    (re.compile(r"ServerFailure\((?=error, logging:)"), "error"),
]
MESSAGE = re.compile(r'\s*(?:error, logging: )?(?:"""(.*?)"""|"((?:\\\(.*?\)|[^"])*)")', re.DOTALL)
# The line "started" has a key for each port, with the name of the listener.
PORTS = {"production", "sandbox", "control", "tls", "proxy"}


def arguments(text: str, start: int) -> str:
    """The text between the parenthesis before `start` and the one that closes it."""
    depth, index = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        index += 1
    return text[start:index - 1]


def lines() -> dict[str, set[str]]:
    """The levels of each message in the code. `…` stands for a value in a message."""
    found: dict[str, set[str]] = {}
    for module in MODULES:
        for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            text = file.read_text()
            calls = [(match, match[1]) for match in CALL.finditer(text)]
            calls += [(match, level) for call, level in INDIRECT for match in call.finditer(text)]
            for match, level in calls:
                given = arguments(text, match.end())
                if message := MESSAGE.match(given):
                    words = re.sub(r"\s*\\?\n\s*", " ", message[1] or message[2]).strip()
                    plain = re.sub(r"\\\((?:[^()]|\([^()]*\))*\)", "…", words)
                    if plain != "…":
                        found.setdefault(plain, set()).add(level)
    return found


def metadata() -> set[str]:
    """Every key that the code writes as metadata of a log line."""
    found = set(PORTS)
    for module in MODULES:
        for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            text = file.read_text()
            if "import Logging" not in text and "logger" not in text:
                continue
            for match in re.finditer(r"metadata(?::|\: Logger\.Metadata =)?\s*(?:=\s*)?\[|Logger\.Metadata = \[", text):
                depth, index = 1, match.end()
                while depth:
                    depth += {"[": 1, "]": -1}.get(text[index], 0)
                    index += 1
                found |= set(re.findall(r'(?:^|[\[,\s])"([a-zA-Z_]+)": ', text[match.end():index - 1]))
                found |= set(re.findall(r'^"([a-zA-Z_]+)"$', text[match.end():index - 1]))
            found |= set(re.findall(r'metadataKey: "([a-zA-Z_]+)"', text))
    return found


def table(heading: str) -> list[list[str]]:
    section = PAGE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [row for row in section.splitlines() if row.startswith("| ")]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows[1:]]


def test_the_page_lists_every_line_with_its_level():
    listed = {row[0]: set(row[1].split(", ")) for row in table("Every line")}
    assert listed == lines()


def test_the_page_explains_every_key():
    listed = {key for row in table("Metadata") for key in re.findall(r"`(\w+)`", row[0])}
    assert listed == metadata()


def test_each_line_names_keys_that_exist():
    known = metadata()
    for row in table("Every line"):
        assert set(re.findall(r"`(\w+)`", row[3])) <= known, row[0]
