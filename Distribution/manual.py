"""Writes manual pages from the description that the binary gives of its commands: one for `till`, and one for each of
its commands with the verbs of the command."""

import textwrap
import time

from project import Project


def pages(project: Project) -> dict[str, str]:
    """The manual pages by name, in the format of man."""
    root = project.root_command
    commands = [command for command in root["subcommands"] if is_shown(command)]
    found = {"till": page(project, root, ["till"], see=[f"till-{command['commandName']}" for command in commands])}
    for command in commands:
        name = command["commandName"]
        found[f"till-{name}"] = page(project, command, ["till", name], see=["till"])
    return found


def is_shown(entry: dict) -> bool:
    return entry.get("shouldDisplay", True) and entry.get("commandName") != "help"


def page(project: Project, command: dict, path: list[str], see: list[str]) -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime(project.epoch))
    name = "-".join(path)
    lines = [f'.TH {name.upper()} 1 {day} "{path[0]} {project.version}" "User commands"']
    lines += [".SH NAME", text(f"{name} \\- {plain(command['abstract']).rstrip('.')}", raw=True)]
    lines += [".SH SYNOPSIS", *synopsis(command, path)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *discussion(command["discussion"])]
    lines += options(command, ".SH")
    lines += subcommands(command, path)
    lines += [".SH SEE ALSO", text(", ".join(f"\\fB{plain(other)}\\fR(1)" for other in sorted(see)), raw=True)]
    return "\n".join(lines) + "\n"


def subcommands(command: dict, path: list[str]) -> list[str]:
    """The commands of `till` as a list; the verbs of another command with their options."""
    shown = [each for each in command.get("subcommands", []) if is_shown(each)]
    if not shown:
        return []
    lines = [".SH COMMANDS"]
    for each in shown:
        if len(path) == 1:
            lines += [".TP", f"\\fB{plain(each['commandName'])}\\fR", text(each["abstract"])]
        else:
            lines += verb(each, [*path, each["commandName"]])
    return lines


def verb(command: dict, path: list[str]) -> list[str]:
    lines = [f".SS {plain(' '.join(path[1:]))}", text(command["abstract"])]
    lines += synopsis(command, path)
    lines += discussion(command.get("discussion") or "")
    lines += options(command, None)
    for each in command.get("subcommands", []):
        if is_shown(each):
            lines += verb(each, [*path, each["commandName"]])
    return lines


def synopsis(command: dict, path: list[str]) -> list[str]:
    arguments = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    words = [f"\\fB{plain(' '.join(path))}\\fR"]
    if any(is_shown(each) for each in command.get("subcommands", [])):
        words.append("\\fIcommand\\fR")
    if any(argument["kind"] != "positional" for argument in arguments):
        words.append("[\\fIoptions\\fR]")
    for argument in arguments:
        if argument["kind"] == "positional":
            word = f"\\fI{plain(argument['valueName'])}\\fR" + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return [".PP", " ".join(words)]


def options(command: dict, heading) -> list[str]:
    """The arguments and options, below their headings if the page has them."""
    lines, last = [], None
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        section = (argument.get("sectionTitle") or ("Arguments" if is_positional(argument) else "Options")).upper()
        if heading and section != last:
            lines.append(f"{heading} {plain(section)}")
        last = section
        lines += [".TP", label(argument), text(argument.get("abstract") or "No description.")]
    return lines


def is_positional(argument: dict) -> bool:
    return argument["kind"] == "positional"


def label(argument: dict) -> str:
    value = f"\\fI{plain(argument['valueName'])}\\fR"
    if is_positional(argument):
        return value
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    names = ", ".join(f"\\fB{plain(name)}\\fR" for name in names)
    return f"{names} {value}" if argument["kind"] == "option" else names


def discussion(content: str) -> list[str]:
    """Paragraphs are filled; indented lines stay as they are."""
    lines = []
    for block in content.split("\n\n"):
        rows = block.splitlines()
        if not any(row.startswith(" ") for row in rows):
            lines += [".PP", text(block)]
            continue
        if rows and not rows[0].startswith(" "):
            lines += [".PP", text(rows.pop(0).capitalize())]
        code = textwrap.dedent("\n".join(rows)).splitlines()
        lines += [".RS 4", ".nf", *(text(row) for row in code), ".fi", ".RE"]
    return lines


def plain(content: str) -> str:
    """Text in which groff replaces nothing."""
    return content.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")


def text(content: str, raw=False) -> str:
    """A line of text. A point or an apostrophe at its beginning would be a request."""
    content = " ".join(content.splitlines()) if raw else plain(" ".join(content.splitlines()))
    return f"\\&{content}" if content.startswith((".", "'")) else content
