"""What tools make of the OpenAPI document: a generated client, and requests that a fuzzer derives from it."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from catalog_of_everything import CATALOG, COINS, PRO
from shop_helpers import App

MAX_FILES = 270
METHODS = {"get", "post", "put", "patch", "delete"}
# How the fuzzer writes the body of an import.
HOOKS = """
import json, schemathesis

@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return json.dumps(value).encode() + b"\\n"
"""


def tool(name):
    """A program that is installed beside the Python of the tests."""
    return Path(sys.executable).parent / name


@pytest.fixture(scope="module")
def generated(control, tmp_path_factory):
    """The folder of a client that openapi-python-client generates."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(control.document))
    outcome = subprocess.run(
        [tool("openapi-python-client"), "generate", "--path", folder / "openapi.json", "--meta", "none",
         "--output-path", folder / "till_client"],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    warned = set(re.findall(r"(?:WARNING|ERROR) parsing (.*)", outcome.stdout + outcome.stderr))
    assert not {line for line in warned if not re.match(r"(GET|PUT) /v1/state\b", line)}, outcome.stdout
    return folder


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def names_in(part):
    """The names of the components to which a part of the document refers directly."""
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(part)))


def test_values_are_open_where_only_answers_have_them(control):
    """A generated client must read the answers of a later version, which may have more events or states."""
    schemas = control.document["components"]["schemas"]
    pending = set()
    for _, _, operation in operations(control.document):
        pending |= names_in([operation.get("parameters", []), operation.get("requestBody", {})])
    sent = set()
    while pending:
        name = pending.pop()
        sent.add(name)
        pending |= names_in(schemas[name]) - sent
    closed = {name for name, schema in schemas.items() if "enum" in schema}
    opened = {name for name, schema in schemas.items() if "x-extensible-enum" in schema}
    assert closed <= sent and not opened & sent
    assert {"EventName", "PurchaseResult"} <= opened and {"StoreEnvironment", "NotificationType"} <= closed


def test_a_generated_client_is_small_and_has_no_inline_model(control, generated):
    files = sorted((generated / "till_client").rglob("*.py"))
    assert len(files) <= MAX_FILES, len(files)
    models = {file.stem.replace("_", "") for file in files if file.parent.name == "models"} - {"init"}
    named = {name.lower() for name in control.document["components"]["schemas"]}
    assert models <= named, sorted(models - named)


def test_a_generated_client_has_integers_where_the_server_takes_integers(control, generated):
    text = {file.stem: file.read_text() for file in (generated / "till_client" / "api").rglob("*.py")}
    schemas = control.document["components"]["schemas"]
    for _, _, operation in operations(control.document):
        for parameter in operation.get("parameters", []):
            schema = parameter["schema"]
            schema = schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
            name = re.sub(r"(?<!^)(?=[A-Z])", "_", operation["operationId"]).lower()
            if name == "import_state":
                continue  # The generator leaves out operations whose body is a stream.
            typed = re.search(rf"\b{re.escape(snake(parameter['name']))}_?: ([^=,\n]+)", text[name])
            assert typed, (name, parameter["name"])
            assert ("int" in typed[1]) == (schema["type"] == "integer" and "enum" not in schema), (name, typed[0])


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def test_a_generated_client_tells_a_story(server, control, team, generated):
    """Ten calls: an app with products, a customer who buys, cancels, waits for a year and gets a refund."""
    sys.path.insert(0, str(generated))
    try:
        client = importlib.import_module("till_client").Client(control.address)
        models = importlib.import_module("till_client.models")

        def call(tag, name, *path, **options):
            answer = importlib.import_module(f"till_client.api.{tag}.{name}").sync(*path, client=client, **options)
            assert answer is not None and not isinstance(answer, models.ErrorInfo), answer
            return answer

        bundle = App(server, "com.example.generated", issuer_id=team, catalog=CATALOG).bundle_id
        sandbox = (bundle, models.StoreEnvironment.SANDBOX)
        frozen = call("clocks", "set_clock", *sandbox, body=models.SetClock(mode=models.ClockMode.FROZEN))
        made = call("customers", "create_customer", *sandbox, body=models.CreateCustomer(customer="ann", storefront="DEU"))
        assert made.storefront == "DEU"
        coins = call("purchases", "buy_product", *sandbox, "ann", body=models.BuyProduct(product_id=COINS, quantity=2))
        assert coins.result == "purchased" and coins.transaction.quantity == 2
        bought = call("purchases", "buy_product", *sandbox, "ann", body=models.BuyProduct(product_id=PRO))
        assert bought.transaction.subscription.status == 1
        original = bought.transaction.original_transaction_id
        report = call("clocks", "advance_clock", *sandbox, body=models.AdvanceClock(by="2mo"))
        assert report.from_ == frozen.now < report.to
        ended = call("subscriptions", "cancel_subscription", *sandbox, original, body=models.ActionTime())
        assert ended.transaction.subscription.auto_renew_status == 0
        page = call("purchases", "list_transactions", *sandbox, "ann", limit=2)
        assert len(page.transactions) == 2 and page.next_
        refunded = call("purchases", "refund_transaction", *sandbox, coins.transaction.transaction_id,
                        body=models.RefundTransaction(share=models.RefundShare.FULL))
        assert refunded.transaction.revocation_type == "REFUND_FULL"
        shown = call("customers", "get_customer", *sandbox, "ann")
        assert shown.transactions >= 4
        sent = call("notifications", "list_notifications", *sandbox, limit=5)
        assert sent.notifications[0].notification_type
    finally:
        sys.path.remove(str(generated))


def test_derived_requests_get_documented_answers(serve, tmp_path):
    """At least fifty requests for each operation, valid and invalid, and sequences that follow the links."""
    till = serve()
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(till.client.document))
    (tmp_path / "lines.py").write_text(HOOKS)
    outcome = subprocess.run(
        [tool("schemathesis"), "run", document, "--url", till.address("control"), "--seed", "20260101",
         "--max-examples", "50", "--phases", "examples,coverage,fuzzing,stateful",
         # With several threads, the syntax trees of Python 3.11 sometimes fail ("recursion depth mismatch").
         "--workers", "1",
         "--checks", "not_a_server_error,status_code_conformance,response_schema_conformance,content_type_conformance",
         "--suppress-health-check", "all", "--no-color"],
        capture_output=True, text=True, timeout=900, cwd=tmp_path,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "lines", "PYTHONPATH": str(tmp_path)},
    )
    assert outcome.returncode == 0, outcome.stdout[-6000:] + outcome.stderr[-2000:]
    assert till.stop() == 0

