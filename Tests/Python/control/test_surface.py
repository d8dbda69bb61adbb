"""What users build on is recorded: operations, commands, settings, metrics and exit codes.

`Tests/Fixtures/surface/released.txt` has a line for each fact of the last release. A line that is added, changed or
removed since then needs an entry in CHANGELOG.md, under the version that is not released yet.
"""

import json
import os
import re
import subprocess
from pathlib import Path

from process_helpers import till_binary

REPOSITORY = Path(__file__).parents[3]
RECORDED = REPOSITORY / "Tests/Fixtures/surface/released.txt"
METHODS = {"get", "post", "put", "patch", "delete"}


def schema_words(schema):
    """A schema in a few words: its reference or type, and the values that it allows."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if schema.get("type") == "array":
        return f"array of {schema_words(schema['items'])}"
    limits = [str(schema[key]) for key in ("format", "minimum", "maximum") if key in schema]
    values = schema.get("enum", schema.get("x-extensible-enum", []))
    return " ".join([schema.get("type", "any"), *limits, *map(str, values)])


def of_the_control_api(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method not in METHODS:
                continue
            name = operation["operationId"]
            yield f"operation {name}: {method.upper()} {path}"
            for parameter in operation.get("parameters", []):
                required = "required" if parameter["required"] else "optional"
                words = f"{parameter['in']} {required} {schema_words(parameter['schema'])}"
                yield f"operation {name} takes {parameter['name']}: {words}"
            for content in operation.get("requestBody", {}).get("content", {}).values():
                yield f"operation {name} takes a body: {schema_words(content['schema'])}"
            for status, answer in operation["responses"].items():
                for kind, content in answer.get("content", {None: {"schema": {"type": "no body"}}}).items():
                    yield f"operation {name} answers {status}: {kind or ''} {schema_words(content['schema'])}".rstrip()
    for name, schema in document["components"]["schemas"].items():
        if "properties" not in schema:
            yield f"value {name}: {schema_words(schema)}"
        for key, inner in schema.get("properties", {}).items():
            required = "required" if key in schema.get("required", []) else "optional"
            yield f"object {name} has {key}: {required} {schema_words(inner)}"


def of_the_command(command, words=()):
    """The arguments and options of a command and of its subcommands, as the argument parser knows them."""
    path = (*words, command["commandName"])
    for argument in command.get("arguments", []):
        names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
        given = "/".join(sorted(names)) or argument.get("valueName", "")
        if argument.get("shouldDisplay", True) and given not in ("--help/-h", "--help", "--version"):
            kind = "optional" if argument.get("isOptional") else "required"
            yield f"command {' '.join(path)} takes {given}: {argument['kind']} {kind}"
    for inner in command.get("subcommands", []):
        if inner["commandName"] != "help" and inner.get("shouldDisplay", True):
            yield from of_the_command(inner, path)


def of_the_documentation():
    """Settings, metrics and exit codes, which other tests compare with the program."""
    operating = REPOSITORY / "docs/operating"
    for row in re.findall(r"^\| `(--[\w-]+)` \| `(TILL_\w+)` \| `([\w-]+)` \| ([^|]+) \|", (operating / "settings.md").read_text(), re.M):
        yield f"setting {row[0]}: {row[1]}, {row[2]}, by default {row[3].strip()}"
    texts = "".join(page.read_text() for page in sorted((REPOSITORY / "docs/production").rglob("*.md")))
    for name in sorted(set(re.findall(r"`(till_[a-z_]+)", texts))):
        yield f"metric {name}"
    for row in re.findall(r"^\| (\d+) \| ([^|]+) \|$", (operating / "commands.md").read_text(), re.M):
        yield f"exit code {row[0]}: {row[1].strip()}"


def surface(control):
    dumped = subprocess.run([till_binary(), "--experimental-dump-help"], capture_output=True, text=True, timeout=60)
    commands = of_the_command(json.loads(dumped.stdout)["command"])
    return sorted({
        *of_the_control_api(control.document), *commands, *of_the_documentation(),
    })


def unreleased():
    """The entries of CHANGELOG.md that are not released yet."""
    text = (REPOSITORY / "CHANGELOG.md").read_text()
    return text.split("\n## ", 2)[1]


def subject(line):
    """What an entry in CHANGELOG.md must name: an operation, object, command, option, setting, metric or exit code."""
    words = re.match(r"(operation|object|value|setting|metric|exit code) (\S+?):? ", line + " ")
    if words:
        return words[2]
    return re.sub(r"^command ", "", line).split(" takes ")[0]


def test_every_change_since_the_last_release_is_in_the_changelog(control):
    now = surface(control)
    kinds = {line.split(" ")[0] for line in now}
    assert kinds == {"operation", "object", "value", "command", "setting", "metric", "exit"}, kinds
    if os.environ.get("TILL_RECORD_SURFACE"):
        RECORDED.write_text("\n".join(now) + "\n")
    recorded = RECORDED.read_text().splitlines()
    changed = sorted(set(now).symmetric_difference(recorded))
    entries = unreleased()
    missing = [line for line in changed if f"`{subject(line)}`" not in entries]
    assert not missing, "\n".join(
        ["name the subject of each line in backticks in CHANGELOG.md; at a release, run make record-surface:", *missing]
    )
