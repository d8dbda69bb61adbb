"""Tables in written pages that the code provides: the settings of the server and the metrics.

Such a table stands between two comments, `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import re
from pathlib import Path

from command_pages import SETTINGS_HEADING, default_of, flag, is_listed, is_shown, setting, variable
from description import Description
from page_text import cell, table

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SETTINGS = "operating/settings.md"
METRICS = "production/metrics.md"
PART = r"(<!-- generated: {name} -->\n).*?(\n<!-- end -->)"
# A difference from Apple's known behavior, and a choice where it is unknown.
DEPARTURE = "[departures](#departures-from-apples-behaviour)"
CHOICE = "[choices](#departures-from-apples-behaviour)"
# What the page says about a setting beyond the help: where to read more.
MORE = {
    "data": "[data directory](data-directory.md)",
    "database": "[PostgreSQL and several servers](scale.md)",
    "nodeName": "[PostgreSQL and several servers](scale.md)",
    "tlsPort": "[Apple's host names](hosts.md)",
    "ocspUrl": "[OCSP](../api/ocsp.md)",
    "profile": "[departures](#departures-from-apples-behaviour), [production guard](production-guard.md)",
    "requestLogLength": "[explain](explain.md)",
    "requestTimeout": "[import](reset-and-snapshots.md#export-and-import)",
    "allowReset": "[reset and snapshots](reset-and-snapshots.md)",
    "productionGuard": "[production guard](production-guard.md)",
    "adoptRoot": "[lost certificates](data-directory.md#lost-certificates)",
    "notificationDays": "[retention](retention.md)",
    "auditDays": "[audit log](../control/audit.md)",
    "auditReads": "[audit log](../control/audit.md)",
    "endpointNetworks": "[where endpoints may lead](#where-endpoints-may-lead)",
    "logFormat": "[logs](../production/logs.md)",
    "accessLog": "[logs](../production/logs.md#requests)",
    "orderLookupInSandbox": DEPARTURE, "sandboxRate": DEPARTURE, "sandboxRenewalCap": DEPARTURE,
    "retriesInSandbox": DEPARTURE, "commitmentsEverywhere": DEPARTURE, "extendsFirstPeriod": DEPARTURE,
    "extraFamilyNotifications": DEPARTURE, "historyExtraDays": DEPARTURE, "versionOneInSandbox": DEPARTURE,
    "tokenChangeMovesHistory": CHOICE, "keepsAnchorDay": CHOICE, "keepsGraceDate": CHOICE,
}
# Up to this many commands are named.
MANY = 6
# Repeated settings: each place has its own form of a list.
LIST = "repeat the flag, use commas in the variable, an array in the file"


def pages(given: Description) -> dict[str, str]:
    """The pages with new tables, by path below docs/."""
    return {
        SETTINGS: replaced(
            replaced((DOCS / SETTINGS).read_text(), "settings", settings(given)), "variables", variables(given.command)
        ),
        METRICS: replaced((DOCS / METRICS).read_text(), "metrics", metrics(given.metrics)),
    }


def replaced(text: str, name: str, lines: list[str]) -> str:
    pattern = re.compile(PART.format(name=name), re.DOTALL)
    assert len(pattern.findall(text)) == 1, f"no place for the table {name}"
    return pattern.sub(lambda match: match[1] + "\n" + "\n".join(lines) + "\n" + match[2], text)


def settings(given: Description) -> list[str]:
    serve = next(each for each in given.command["subcommands"] if each["commandName"] == "serve")
    rows, unused = [], dict(MORE)
    for argument in filter(is_listed, serve["arguments"]):
        row = setting(argument, given)
        row[4] = row[4].replace("may be repeated", LIST).replace("May be repeated", LIST[0].upper() + LIST[1:])
        if more := unused.pop(row[2].strip("`"), None):
            row[4] += f" See {more}."
        rows.append(row)
    assert not unused, f"not a setting: {unused}"
    named = "[named tokens](../control/index.md#tokens)"
    token = f"The administrator's token for the control API beyond loopback. See {named}."
    return table(SETTINGS_HEADING, [*rows, ["–", "`TILL_CONTROL_TOKEN`", "–", "the file `control-token`", token]])


def variables(command: dict) -> list[str]:
    """The variables of the other commands, with the commands that read each."""
    users: dict[tuple, list[str]] = {}
    for path, argument in listed(command):
        if name := variable(argument):
            users.setdefault((name, flag(argument), default_of(argument)), []).append(f"`{path}`")
    rows = [
        [f"`{given}`", f"`{name}`", default, f"{len(paths)} commands" if len(paths) > MANY else ", ".join(paths)]
        for (name, given, default), paths in sorted(users.items())
    ]
    token = ["–", "`TILL_CONTROL_TOKEN`", "the file `control-token` in the data directory", "those with `--control`"]
    return table(["Flag", "Variable", "Default", "Commands"], [*rows, token])


def listed(command: dict, path: tuple = ()):
    """The options of every command that is shown, with its words."""
    for each in filter(is_shown, command.get("subcommands", [])):
        words = (*path, each["commandName"])
        yield from ((" ".join(words), argument) for argument in filter(is_listed, each.get("arguments", [])))
        yield from listed(each, words)


def metrics(text: str) -> list[str]:
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    helps = dict(re.findall(r"^# HELP (\w+) (.*)$", text, re.MULTILINE))
    labels = {name: [] for name in kinds}
    for name, given in re.findall(r"^(\w+)\{(.*)\} ", text, re.MULTILINE):
        base = name if name in kinds else re.sub(r"_(bucket|sum|count)$", "", name)
        for label in re.findall(r'(\w+)="', given):
            if label not in labels[base] and label != "le":
                labels[base].append(label)
    rows = [
        [f"`{name}`", kinds[name], ", ".join(f"`{label}`" for label in labels[name]), cell(helps[name])]
        for name in sorted(kinds)
    ]
    return table(["Metric", "Type", "Labels", "Description"], rows)
