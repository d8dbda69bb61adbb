"""The reference of the command: a page for each group of the help."""

import re
import textwrap

from description import Description
from page_text import cell, marked, paragraph, slug, table

FOLDER = "reference/command"
DEFAULT = re.compile(r" \((?:environment: (?P<variable>TILL_\w+))?(?:; )?(?:default: (?P<default>[^()]+))?\)\.$")
# The settings of `till serve` that have no variable. All others have one, which is made from their name.
NO_VARIABLE = ("ready-file", "json")


def pages(given: Description) -> dict[str, str]:
    """The pages by path below docs/."""
    commands = {each["commandName"]: each for each in given.command["subcommands"] if is_shown(each)}
    listed = [name for names in given.groups.values() for name in names]
    assert sorted(listed) == sorted(commands), set(listed) ^ set(commands)
    found = {f"{FOLDER}/index.md": index(given, commands)}
    for heading, names in given.groups.items():
        lines = [f"# Commands: {heading[0].lower()}{heading[1:]}", ""]
        for name in names:
            lines += section(commands[name], ["till", name], given)
        found[f"{FOLDER}/{slug(heading)}.md"] = "\n".join(lines)
    return found


def is_shown(entry: dict) -> bool:
    return entry.get("shouldDisplay", True) and entry.get("commandName") != "help"


def index(given: Description, commands: dict) -> str:
    lines = ["# Command", ""]
    lines += paragraph("`till` is one command with subcommands. " + marked(given.command["abstract"]))
    lines += described(given.command)
    lines += paragraph("Every command also has `--help` (`-h`) and `--version`.")
    for heading, names in given.groups.items():
        page = f"{slug(heading)}.md"
        lines += [f"## {heading}", ""]
        rows = [[f"[`till {name}`]({page}#till-{name})", cell(marked(commands[name]["abstract"]))] for name in names]
        lines += [*table(["Command", "What it does"], rows), ""]
    return "\n".join(lines)


def section(command: dict, path: list[str], given: Description) -> list[str]:
    lines = [f"{'#' * len(path)} {' '.join(path)}", "", *paragraph(marked(command["abstract"]))]
    lines += described(command)
    if default := command.get("defaultSubcommand"):
        lines += paragraph(f"Without another word, the command is `{' '.join([*path, default])}`.")
    shown = [argument for argument in command.get("arguments", []) if is_listed(argument)]
    inner = [each for each in command.get("subcommands", []) if is_shown(each)]
    if not inner:
        lines += ["```text", usage(command, path), "```", ""]
    if shown and path == ["till", "serve"]:
        lines += serve_options(shown, given)
    elif shown:
        rows = [
            [label(argument), *(f"`{value}`" if value else "" for value in [variable(argument)]),
             default_of(argument), cell(meaning(argument))]
            for argument in shown
        ]
        lines += [*table(["Argument", "Variable", "Default", "Meaning"], rows), ""]
    for each in inner:
        lines += section(each, [*path, each["commandName"]], given)
    return lines


def described(command: dict) -> list[str]:
    """The examples of a command as a block, and its paragraphs."""
    lines = []
    for block in (command.get("discussion") or "").split("\n\n"):
        rows = block.splitlines()
        if rows and rows[0] == "EXAMPLES:":
            examples = textwrap.dedent("\n".join(rows[1:]))
            lines += ["```sh", examples, "```", ""] if examples.strip() else []
        elif block.strip():
            lines += paragraph(cell(marked(block)))
    return lines


def is_listed(argument: dict) -> bool:
    names = [name["name"] for name in argument.get("names", [])]
    return argument.get("shouldDisplay", True) and "help" not in names and "version" not in names


def usage(command: dict, path: list[str]) -> str:
    words = list(path)
    shown = [argument for argument in command.get("arguments", []) if is_listed(argument)]
    if any(argument["kind"] != "positional" and argument["isOptional"] for argument in shown):
        words.append("[options]")
    for argument in shown:
        if argument["kind"] == "positional":
            word = f"<{argument['valueName']}>" + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
        elif not argument["isOptional"]:
            words.append(f"{flag(argument)} <{argument['valueName']}>")
    return " ".join(words)


def flag(argument: dict) -> str:
    name = argument["preferredName"]
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def label(argument: dict) -> str:
    if argument["kind"] == "positional":
        return f"`<{argument['valueName']}>`"
    names = ["`" + ("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    value = f" <{argument['valueName']}>`" if argument["kind"] == "option" else "`"
    return ", ".join(name + value for name in names)


def variable(argument: dict) -> str | None:
    found = DEFAULT.search(argument["abstract"])
    return found["variable"] if found else None


def default_of(argument: dict) -> str:
    found = DEFAULT.search(argument["abstract"])
    words = (found["default"] if found else None) or argument.get("defaultValue")
    if words is None:
        if argument["kind"] == "flag":
            return "off"
        return "required" if not argument["isOptional"] else "none"
    first, *others = words.split("; with ")
    # A value of one word, and for each profile the words after "with", which end in its value.
    values = [value(first), *(f"with `{name}`: {value(other)}" for name, _, other in
              (each.rpartition(": ") for each in others))]
    return "; ".join(values)


def value(words: str) -> str:
    """One word is a value; several words describe one."""
    is_plain = words in ("none", "off", "now", "any") or words.isdigit()
    return cell(marked(words)) if " " in words else words if is_plain else f"`{words}`"


def meaning(argument: dict) -> str:
    """The text of the help, without what the other columns have."""
    text = marked(DEFAULT.sub(".", argument["abstract"]))
    if values := argument.get("allValues"):
        text += " Values: " + ", ".join(f"`{value}`" for value in values) + "."
    return text


# The settings of the server -------------------------------------------------------------------------------------------


def camel(name: str) -> str:
    return re.sub(r"-(\w)", lambda match: match[1].upper(), name)


def setting(argument: dict, given: Description) -> list[str]:
    """Flag, variable and key of a setting, its default and its meaning."""
    name = argument["preferredName"]["name"]
    has_variable = name not in NO_VARIABLE
    key = camel(name)
    return [
        f"`--{name}`", f"`TILL_{name.upper().replace('-', '_')}`" if has_variable else "–",
        f"`{key}`" if key in given.keys else "–", default_of(argument), cell(meaning(argument)),
    ]


SETTINGS_HEADING = ["Flag", "Variable", "Key of the file", "Default", "Meaning"]


def serve_options(arguments: list[dict], given: Description) -> list[str]:
    """The settings, below the headings of the help."""
    lines, last, rows = [], None, []
    for argument in arguments:
        title = argument.get("sectionTitle") or "Options"
        if title != last and rows:
            lines += [f"{last}:", "", *table(SETTINGS_HEADING, rows), ""]
            rows = []
        last = title
        rows.append(setting(argument, given))
    return [*lines, f"{last}:", "", *table(SETTINGS_HEADING, rows), ""]
