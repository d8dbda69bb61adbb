"""The errors of the control API: code, status and message, read from the places in the sources that create them."""

import re
from collections import defaultdict
from pathlib import Path

from page_text import cell, linked, marked, paragraph, table

ROOT = Path(__file__).resolve().parents[2]
PAGE = "reference/control/errors.md"
MODULES = ("TillServer", "TillShop", "TillCore")
STATUSES = {
    "badRequest": 400, "unauthorized": 401, "forbidden": 403, "notFound": 404, "conflict": 409, "contentTooLarge": 413,
    "unsupportedMediaType": 415, "unprocessableContent": 422, "internalServerError": 500, "serviceUnavailable": 503,
}
# Functions whose name says the status, and the initializer that takes it.
SHORT = {"bad": 400, "notFound": 404, "conflict": 409}
NAMED = re.compile(r"(?:\.|\b)(bad|notFound|conflict)\(\s*\"([a-z_]+)\",\s*")
# A function that creates the error with a code that it is given.
PASSED = re.compile(r"\bSelf\.(damaged)\(\s*\"([a-z_]+)\",\s*")
STATED = re.compile(r"\bControlError\(\s*status: (?:\w+)?\.(\w+),\s*code: \"([a-z_]+)\",\s*message:\s*")
CLOCK = re.compile(r"\bClockRefused\(\s*code: \"([a-z_]+)\",\s*message:\s*")
LITERAL = re.compile(
    r'"""\n(.*?)"""|'
    r'"((?:[^"\\]|\\\((?:[^()"]|"[^"]*"|\((?:[^()]|\([^()]*\))*\))*\)|\\.)*)"',
    re.DOTALL,
)
JOINED = re.compile(r"\s*\+\s*")
# What the table has if the message is made elsewhere.
ELSEWHERE = "The message names the cause."
CASE = re.compile(
    r"^ +case (\.\w+[^:\n]*(?:\n +\.[^:\n]*)*):((?:.|\n)*?)(?=^ +case |^ +default|\Z)", re.MULTILINE
)


def errors(document: dict) -> dict[str, tuple[set[int], set[str]]]:
    """The statuses and the messages of each code."""
    found = defaultdict(lambda: (set(), set()))

    def add(code: str, status: int, message: str):
        found[code][0].add(status)
        # Of several values beside each other, a reader sees one.
        message = re.sub("…[…]+", "…", message)
        if message not in ("", "…."):
            found[code][1].add(message)

    files = [file for module in MODULES for file in sorted((ROOT / "Sources" / module).rglob("*.swift"))]
    texts = {file.name: file.read_text() for file in files}
    for text in texts.values():
        for match in NAMED.finditer(text):
            add(match[2], SHORT[match[1]], message(text, match.end()))
        for match in PASSED.finditer(text):
            add(match[2], 500, message(text, match.end()))
        for match in STATED.finditer(text):
            add(match[2], STATUSES.get(match[1]) or refused_delivery(texts), message(text, match.end()))
        for match in CLOCK.finditer(text):
            add(match[1], clock_status(match[1]), message(text, match.end()))
    for name in ("ImportRefused", "StateRefused", "TokenRefused"):
        for code, status, words in reasons(name, texts):
            add(code, status, words)
    for code, status, words in rules(texts):
        add(code, status, words)
    for name in unusual_parameters(document):
        add(f"unknown_{name}", 404, f"There is no {name} …. Give one of its values.")
    return found


def message(text: str, start: int) -> str:
    """The literals that begin at a place and are joined with +, with … for each value in them."""
    words = ""
    while match := LITERAL.match(text, start):
        words += plain(match[2] if match[2] is not None else match[1])
        following = JOINED.match(text, match.end())
        if not following:
            return words
        start = following.end()
        if text[start] != '"':
            return words + "…"
    return words


def plain(literal: str) -> str:
    """The text of a literal."""
    result, index = "", 0
    while index < len(literal):
        if literal.startswith("\\(", index):
            depth, index = 1, index + 2
            while depth:
                depth += {"(": 1, ")": -1}.get(literal[index], 0)
                index += 1
            result += "…"
        elif literal.startswith("\\\n", index):
            index += 2
        elif literal[index] == "\\":
            result, index = result + literal[index + 1], index + 2
        else:
            result, index = result + literal[index], index + 1
    return " ".join(result.split(" ")).replace("\n", " ")


def cases(body: str) -> dict[str, str]:
    """What a switch has for each case, by the name of the case."""
    found = {}
    for names, value in CASE.findall(body):
        for name in re.findall(r"\.(\w+)", re.sub(r"\([^)]*\)", "", names)):
            found.setdefault(name, value)
    return found


def switch(text: str, declaration: str) -> dict[str, str]:
    """The cases of the switch in a computed property."""
    body = text.split(declaration)[1]
    return cases(body[:body.index("\n        }\n")])


def literal(value: str) -> str:
    start = value.find('"')
    return message(value, start) if start >= 0 else ""


def reasons(name: str, texts: dict):
    """The codes, statuses and messages of an enumeration that has all three as properties."""
    declaring = next(text for text in texts.values() if f"enum {name}: " in text).split(f"enum {name}: ")[1]
    extension = f"extension {name} {{\n"
    stating = next(text for text in texts.values() if extension in text and "HTTPResponse.Status {" in text)
    codes = switch(declaring, "var code: String {")
    messages = switch(declaring, "var message: String {")
    statuses = switch(stating.split(extension)[1], "var status: HTTPResponse.Status {")
    for case, code in codes.items():
        yield literal(code), STATUSES[statuses[case].strip().removeprefix(".")], literal(messages[case])


def rules(texts: dict):
    """The refusals of the rules: the code is the name of the case."""
    statuses = switch(texts["ControlErrors.swift"].split("extension Refusal {")[1], "var status: HTTPResponse.Status {")
    for case, words in switch(texts["Refusal.swift"], "var explanation: String {").items():
        status = STATUSES[statuses[case].split()[0].removeprefix(".")] if case in statuses else 409
        yield re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), case), status, literal(words)


def clock_status(code: str) -> int:
    """As `ClockRefused.status` has it."""
    if code.startswith("unknown_"):
        return 404
    return 403 if code == "production_guarded" else 400 if code.startswith("bad_") else 409


def refused_delivery(texts: dict) -> int:
    return STATUSES[re.search(r"static let status = HTTPResponse\.Status\.(\w+)", texts["DeliveryRefusal.swift"])[1]]


def unusual_parameters(document: dict) -> set[str]:
    """The parameters in paths that are not any text: an unknown value has a code of its own."""
    return {
        each["name"] for methods in document["paths"].values() for operation in methods.values()
        for each in operation.get("parameters", [])
        if each["in"] == "path" and each["schema"].get("type") != "string"
    }


def page(document: dict) -> str:
    lines = ["# Control API: errors", ""]
    lines += paragraph(
        "The body of an error has a `code` for programs and a `message` for people; "
        "[errors](../../control/index.md#errors) describes it. `…` stands for a value in a message."
    )
    by_status = defaultdict(list)
    for code, (statuses, messages) in sorted(errors(document).items()):
        words = " / ".join(sorted(messages)) or ELSEWHERE
        for status in statuses:
            by_status[status].append([f"`{code}`", cell(linked(marked(words), PAGE))])
    for status in sorted(by_status):
        lines += [f"## {status}", "", *table(["Code", "Message"], by_status[status]), ""]
    return "\n".join(lines)
