"""Writes till_testing/answers.py and till_testing/operations.py from the OpenAPI document of the control API.

    python TestLibraries/python/generate.py

TILL_BIN or the path names the server that has the document. A test fails if the files are not up to date.
"""

import json
import keyword
import re
import sys
import textwrap
import urllib.request
from pathlib import Path

FOLDER = Path(__file__).parent / "till_testing"
# What a test suite does not need: the operation of a server, and what the library itself does not send as JSON.
OMITTED = {
    "createBackup", "pruneNotifications", "listTokens", "createToken", "revokeToken", "listAuditRecords", "rotateChain",
    "getRevocation", "setRevocation", "exportState", "importState", "importCustomer", "listen", "answerDelivery",
    "getHealth", "getReadiness", "getMetrics",
}
# Operations with a catalog or a part of one in their body.
PASSED_AS_A_WHOLE = {"putCatalog", "importStoreKitFile", "putProduct", "putGroup"}
# Fields that a printed answer leaves out.
SECRET = {"privateKey", "sharedSecret"}
HEAD = '"""{}\n\nGenerated from the OpenAPI document by TestLibraries/python/generate.py.\n"""\n\n'
PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
WIDTH = 120
# A space at which a line may be broken inside of an item, and a space at which it may not.
BREAK, JOINED = "\v", "\u00a0"


class Contract:
    """The OpenAPI document, and the components that the answers of the chosen operations use."""

    def __init__(self, document: dict):
        self.components = document["components"]["schemas"]
        self.operations = [
            (path, method.upper(), operation) for path, methods in document["paths"].items()
            for method, operation in methods.items() if operation["operationId"] not in OMITTED
        ]
        self.used = []

    def type(self, schema: dict) -> str:
        """The Python type of a schema. Components of answers are collected, in the order of their first use."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            component = self.components[name]
            if "properties" not in component:
                return self.type(component)
            if name not in self.used:
                self.used.append(name)
            return name
        if schema.get("type") == "array":
            return f"List[{self.type(schema['items'])}]"
        if schema.get("type") == "object":
            values = self.type(schema["additionalProperties"]) if "additionalProperties" in schema else "Any"
            return f"Dict[str, {values}]"
        return PRIMITIVES[schema["type"]]

    def argument(self, schema: dict) -> str:
        """The type of an argument: objects are dictionaries."""
        if schema.get("type") in PRIMITIVES:
            return PRIMITIVES[schema["type"]]
        if schema.get("type") == "array":
            return f"List[{self.argument(schema['items'])}]"
        if "$ref" in schema:
            component = self.components[schema["$ref"].rsplit("/", 1)[1]]
            return "Dict[str, Any]" if "properties" in component else self.argument(component)
        return "Dict[str, Any]"


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def identifier(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def sentence(text: str) -> str:
    """The first sentence of a description, without marks of Markdown."""
    text = text.split("\n")[0].replace("`", "")
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0]


def docstring(text: str, indent: str) -> str:
    lines = textwrap.wrap(f'"""{sentence(text)}', WIDTH - len(indent) - 3)
    return "\n".join(f"{indent}{line}" for line in lines) + '"""\n'


def answers(contract: Contract) -> str:
    for _, _, operation in contract.operations:
        answer_type(contract, operation)
    written = []
    # Reading the fields finds more components.
    for name in contract.used:
        component = contract.components[name]
        fields = {field: contract.type(schema) for field, schema in component["properties"].items()}
        required = [field for field in fields if field in component.get("required", [])]
        lines = [f"    {identifier(field)}: {fields[field]}\n" for field in required]
        for field in [field for field in fields if field not in required]:
            default = "field(default=None, repr=False)" if field in SECRET else "None"
            lines.append(f"    {identifier(field)}: Optional[{fields[field]}] = {default}\n")
        written.append((name, docstring(component.get("description", name), "    ") + "".join(lines)))
    head = HEAD.format("The objects in answers of the control API, with the names of the contract.")
    head += "from __future__ import annotations\n\nfrom dataclasses import dataclass, field\n"
    head += "from typing import Any, Dict, List, Optional\n"
    return head + "".join(f"\n\n@dataclass(frozen=True)\nclass {name}:\n{body}" for name, body in sorted(written))


def answer_type(contract: Contract, operation: dict) -> str:
    success = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    content = success.get("content", {}).get("application/json")
    return contract.type(content["schema"]) if content else "None"


def names_an_app(operation: dict, contract: Contract) -> bool:
    """Whether an operation outside of the paths of an app has an optional app among its arguments."""
    query = [item["name"] for item in operation.get("parameters", []) if item["in"] == "query"]
    _, body, required = request_body(contract, operation)
    return "bundleId" in [*query, *body] and "bundleId" not in required


def request_body(contract: Contract, operation: dict) -> tuple:
    """The component of the body, its properties, and the names of those that are required."""
    if "requestBody" not in operation:
        return {}, {}, []
    name = operation["requestBody"]["content"]["application/json"]["schema"].get("$ref", "").rsplit("/", 1)[-1]
    component = contract.components.get(name, {})
    return component, component.get("properties", {}), component.get("required", [])


def method(contract: Contract, path: str, verb: str, operation: dict, of_app: bool = False) -> str:
    """A method for an operation. With `of_app`, the app and the environment are those of the object."""
    given = ("bundleId", "environment") if of_app or path.startswith("/v1/apps/{bundleId}") else ()
    parameters = operation.get("parameters", [])
    places = [item["name"] for item in parameters if item["in"] == "path" and item["name"] not in given]
    query = {item["name"]: item["schema"] for item in parameters if item["in"] == "query" and item["name"] != "settle"}
    needed = [item["name"] for item in parameters if item["name"] in query and item.get("required")]
    component, body, required = request_body(contract, operation)
    whole = False
    if "requestBody" in operation:
        whole = operation["operationId"] in PASSED_AS_A_WHOLE or not component.get("properties")
    arguments = ["self", *(f"{place}: str" for place in places)]
    if whole:
        arguments.append("body: Dict[str, Any]")
        body = {}
    arguments += [f"{identifier(name)}: {contract.argument(body[name])}" for name in body if name in required]
    arguments += [f"{identifier(name)}: {contract.argument(query[name])}" for name in needed]
    optional = {**{name: schema for name, schema in body.items() if name not in required}, **query}
    omitted = [*needed, *(given if of_app else ())]
    optional = {name: schema for name, schema in optional.items() if name not in omitted}
    if optional:
        arguments.append("*")
    for name, schema in optional.items():
        arguments.append(f"{identifier(name)}: Optional[{contract.argument(schema)}] = None")
    answer = answer_type(contract, operation)
    settles = any(item["name"] == "settle" for item in parameters)
    text = signature(snake(operation["operationId"]), arguments, answer)
    text += docstring(operation.get("summary", ""), "        ")
    path = re.sub(r"{(\w+)}", lambda match: match[0] if match[1] in given else f"{{part({match[1]})}}", path)
    path = path.replace("/v1/apps/{bundleId}/{environment}", "{self.environment_path}")
    path = path.replace("/v1/apps/{bundleId}", "{self.app_path}")
    sent = [f'"{verb}"', ("f" if "{" in path else "") + f'"{path}"', "None" if answer == "None" else answer]
    if whole:
        sent.append("body=body")
    elif "requestBody" in operation:
        sent.append(f"body={members(body, given if of_app else ())}")
    if query:
        sent.append(f"query={members(query, given if of_app else ())}")
    if settles:
        sent.append("settles=True")
    return text + call(sent)


def members(names, given) -> str:
    """A dictionary of arguments, and of properties of the object, whose names are given. Its lines may be broken
    between the members only."""
    values = {name: f"self.{snake(name)}" if name in given else identifier(name) for name in names}
    return "{" + f",{BREAK}".join(f'"{name}": {value}' for name, value in values.items()) + "}"


def filled(items: list, indent: int) -> str:
    """Items with commas, in lines of equal indent. A line is broken after a comma only."""
    text = ", ".join(item.replace(" ", JOINED).replace(BREAK, " ") for item in items) + ","
    lines = textwrap.wrap(text, WIDTH - indent, break_on_hyphens=False, break_long_words=False)
    return textwrap.indent("\n".join(lines), " " * indent).replace(JOINED, " ")


def signature(name: str, arguments: list, answer: str) -> str:
    whole = f"    def {name}({', '.join(arguments)}) -> {answer}:\n"
    if len(whole) <= WIDTH:
        return whole
    inner = filled(arguments, 8)
    return f"    def {name}(\n{inner}\n    ) -> {answer}:\n"


def call(sent: list) -> str:
    whole = f"        return self._send({', '.join(sent)})\n".replace(BREAK, " ")
    if len(whole) <= WIDTH:
        return whole
    inner = filled(sent, 12)
    return f"        return self._send(\n{inner}\n        )\n"


def operations(contract: Contract) -> str:
    of_app, of_server = [], []
    for path, verb, operation in contract.operations:
        group = of_app if path.startswith("/v1/apps/{bundleId}") else of_server
        group.append(method(contract, path, verb, operation))
        if group is of_server and names_an_app(operation, contract):
            of_app.append(method(contract, path, verb, operation, of_app=True))
    head = HEAD.format(
        "The operations of the control API that tests need, a method for each.\n\n"
        "Names of methods follow Python; names of arguments and fields are those of the contract. A value that is\n"
        "None is not sent."
    )
    head += "from __future__ import annotations\n\nfrom typing import Any, Dict, List, Optional\n\n"
    head += "from .transport import ControlConnection, Sender, part\n"
    types = contract.components["NotificationType"]
    head_types = filled([f'"{name}"' for name in types.get("enum") or types["x-extensible-enum"]], 4)
    used = [name for name in sorted(contract.used) if re.search(rf"\b{name}\b", "".join(of_app + of_server))]
    imports = filled(used, 4)
    head = head.replace("from .transport", f"from .answers import (\n{imports}\n)\nfrom .transport")
    return (
        head + f"\n\nNOTIFICATION_TYPES = (\n{head_types}\n)\n"
        + '\n\nclass ServerOperations(Sender):\n    """Operations that concern the whole server."""\n\n'
        + "\n".join(of_server)
        + '\n\nclass AppOperations(Sender):\n    """Operations in one environment of one app, and those that can be '
        'limited to it."""\n\n'
        "    app_path: str\n    environment_path: str\n\n"
        "    def __init__(self, connection: ControlConnection, bundleId: str, environment: str):\n"
        "        super().__init__(connection)\n"
        "        self.bundle_id, self.environment = bundleId, environment\n"
        '        self.app_path = f"/v1/apps/{part(bundleId)}"\n'
        '        self.environment_path = f"{self.app_path}/{part(environment)}"\n\n' + "\n".join(of_app)
    )


def generate(document: dict) -> dict:
    """The text of each generated file, by its name."""
    contract = Contract(document)
    return {"answers.py": answers(contract), "operations.py": operations(contract)}


def main():
    if len(sys.argv) > 1:
        with urllib.request.urlopen(f"{sys.argv[1]}/openapi.json") as answer:
            document = json.load(answer)
    else:
        sys.path.insert(0, str(FOLDER.parent))
        from till_testing.process import TemporaryServer

        server = TemporaryServer.start()
        with urllib.request.urlopen(f"{server.facts['control']}/openapi.json") as answer:
            document = json.load(answer)
        server.stop()
    for name, text in generate(document).items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
