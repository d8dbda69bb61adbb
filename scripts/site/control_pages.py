"""The reference of the control API: a page for each tag of the OpenAPI document, one for types and one for errors."""

import re

import error_table
from description import Description
from page_text import cell, linked, paragraph, table

FOLDER = "reference/control"
METHODS = ("get", "put", "post", "patch", "delete")
STREAM = "application/x-ndjson"


def pages(given: Description) -> dict[str, str]:
    """The pages by path below docs/."""
    document = given.openapi
    found = {f"{FOLDER}/index.md": index(document)}
    for tag in document["tags"]:
        page = f"{FOLDER}/{tag['name']}.md"
        lines = [f"# Control API: {tag['name']}", "", *paragraph(linked(tag["description"], page))]
        for method, path, operation in operations(document, tag["name"]):
            lines += section(method, path, operation, document, page)
        found[page] = "\n".join(lines)
    found[f"{FOLDER}/types.md"] = types(document)
    found[error_table.PAGE] = error_table.page(document)
    return found


def operations(document: dict, tag: str):
    for path, methods in document["paths"].items():
        for method in METHODS:
            if tag in methods.get(method, {}).get("tags", []):
                yield method, path, methods[method]


def index(document: dict) -> str:
    lines = ["# Control API: operations", ""]
    lines += paragraph(
        "Every operation of the [control API](../../control/index.md), from the OpenAPI document that a server "
        "returns at `/openapi.json`. A scope is what a [token](../../control/index.md#tokens) must permit; on "
        "loopback, requests need no token. The [types](types.md) and the [errors](errors.md) have pages of their own."
    )
    for tag in document["tags"]:
        name = tag["name"]
        lines += [f"## {name.capitalize()}", "", *paragraph(tag["description"])]
        rows = [
            [f"[{operation['operationId']}]({name}.md#{operation['operationId'].lower()})",
             f"`{method.upper()} {path}`", cell(operation["summary"])]
            for method, path, operation in operations(document, name)
        ]
        lines += [*table(["Operation", "Request", "What it does"], rows), ""]
    return "\n".join(lines)


def section(method: str, path: str, operation: dict, document: dict, page: str) -> list[str]:
    lines = [f"## {operation['operationId']}", "", *paragraph(linked(operation["summary"], page))]
    scope = operation.get("x-scope")
    access = f"Scope: `{scope}`." if scope else "Needs no token." if operation.get("security") == [{}] else ""
    lines += ["```text", f"{method.upper()} {path}", "```", ""]
    rows = [
        [f"`{each['name']}`", each["in"] + ("" if each["required"] else ", optional"), type_of(each["schema"]),
         cell(linked(each.get("description", ""), page))]
        for each in operation.get("parameters", [])
    ]
    body = operation.get("requestBody")
    for kind, content in (body or {}).get("content", {}).items():
        schema = resolved(content["schema"], document)
        required = schema.get("required", [])
        rows += [
            [f"`{name}`", "body" + ("" if name in required else ", optional"), type_of(inner),
             cell(linked(inner.get("description", ""), page))]
            for name, inner in schema.get("properties", {}).items()
        ]
        if "properties" not in schema:
            words = "JSON lines" if kind == STREAM else type_of(content["schema"])
            rows.append(["the body", "body", words, cell(linked(schema.get("description", ""), page))])
    lines += [*table(["Name", "In", "Type", "Meaning"], rows), ""] if rows else []
    return [*lines, *paragraph(" ".join(filter(None, [access, answers(operation)])))]


def answers(operation: dict) -> str:
    """The statuses of success with the types of the bodies. Errors have one type."""
    words = []
    for status, answer in operation["responses"].items():
        if status == "default":
            continue
        bodies = [
            "JSON lines" if kind == STREAM else "text" if kind == "text/plain" else type_of(content["schema"])
            for kind, content in answer.get("content", {}).items()
        ]
        words.append(f"{status}: {', '.join(bodies) or 'no body'}")
    return f"Answers: {'; '.join(words)}."


def resolved(schema: dict, document: dict) -> dict:
    name = schema.get("$ref", "").rpartition("/")[2]
    return document["components"]["schemas"][name] if name else schema


def type_of(schema: dict) -> str:
    """A type in a few words, with a link to a named type."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](types.md#{name.lower()})"
    kind = schema.get("type", "any JSON")
    if kind == "array":
        return f"array of {type_of(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_of(schema['additionalProperties'])}"
    limits = [str(schema[name]) for name in ("minimum", "maximum") if name in schema]
    # The largest integer means that there is no limit.
    limits = [limit for limit in limits if limit != str(2**63 - 1)]
    return kind + (f", {' to '.join(limits)}" if len(limits) == 2 else f", from {limits[0]}" if limits else "")


def types(document: dict) -> str:
    page = f"{FOLDER}/types.md"
    lines = ["# Control API: types", ""]
    lines += paragraph(
        "Dates are milliseconds since 1970. Later versions may add fields to answers, and values where a type says so."
    )
    for name, schema in document["components"]["schemas"].items():
        lines += [f"## {name}", "", *text(schema.get("description", ""), page)]
        values = schema.get("enum") or schema.get("x-extensible-enum") or []
        unexplained = [value for value in values if f"`{value}`:" not in schema.get("description", "")]
        if unexplained:
            lines += paragraph("Values: " + ", ".join(f"`{value}`" for value in unexplained) + ".")
        required = schema.get("required", [])
        rows = [
            [f"`{key}`" + ("" if key in required else ", optional"), type_of(inner).replace("types.md#", "#"),
             cell(linked(inner.get("description", ""), page))]
            for key, inner in schema.get("properties", {}).items()
        ]
        if rows:
            lines += [*table(["Field", "Type", "Meaning"], rows), ""]
        elif not values:
            lines += paragraph(f"JSON: {type_of(schema).replace('types.md#', '#')}.")
    return "\n".join(lines)


def text(description: str, page: str) -> list[str]:
    """A description with its list of values, if it has one."""
    lines = []
    for block in description.split("\n\n"):
        items = re.split(r"^- ", block, flags=re.MULTILINE)
        if len(items) > 1:
            lines += [f"- {cell(linked(item, page))}" for item in items if item.strip()] + [""]
        elif block.strip():
            lines += paragraph(cell(linked(block, page)))
    return lines
