"""kill -9 at any moment: no change is without its audit record, and no successful record is without its change."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from process_helpers import assert_healthy, set_up_app

BUNDLE = "com.example.audit"
CUSTOMERS = f"/v1/apps/{BUNDLE}/sandbox/customers"
ROUNDS = 3
CLIENTS = 8


def call_until_killed(server, round_, begun):
    """Creates customers and tokens with several clients, and returns the names whose creation was acknowledged."""
    acknowledged = set()
    url = f"http://127.0.0.1:{server.ports['control']}"

    def work(client):
        session = requests.Session()
        try:
            for turn in range(10_000):
                name = f"c-{round_}-{client}-{turn}"
                answer = session.post(url + CUSTOMERS, json={"customer": name}, timeout=20)
                assert answer.status_code == 201, answer.text
                acknowledged.add(name)
                if turn % 10 == 0 and client == 0:
                    assert session.post(url + "/v1/teams", json={"name": name}, timeout=20).status_code == 201
                    acknowledged.add("team " + name)
                if len(acknowledged) > 100:
                    begun.set()
        except requests.RequestException:
            return

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = pool.map(work, range(CLIENTS))
        assert begun.wait(60)
        time.sleep(0.02 * round_)
        server.kill()
        list(clients)
    return acknowledged


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_after_a_crash_each_change_has_its_record_and_each_record_its_change(serve, tmp_path, request, engine):
    arguments = ["--database", request.getfixturevalue("database").url] if engine == "postgres" else []
    server = serve(*arguments, data=tmp_path / "data")
    set_up_app(server, BUNDLE)
    acknowledged = set()
    for round_ in range(ROUNDS):
        acknowledged |= call_until_killed(server, round_, threading.Event())
        server = serve(*arguments, data=tmp_path / "data")
        customers = {one["customer"] for one in server.all_pages(CUSTOMERS, "customers")}
        teams = {"team " + one["name"] for one in server.control("GET", "/v1/teams")}
        changes = {name for name in customers | teams if "c-" in name}
        records = list(server.all_pages("/v1/audit", "records", 500))
        assert len({record["requestId"] for record in records}) == len(records)
        recorded = {
            record["customer"] if record["operationId"] == "createCustomer" else "team " + record["object"]
            for record in records
            if record["operationId"] in ("createCustomer", "createTeam") and record["result"] == "ok"
            and "c-" in record.get("customer", record.get("object", ""))
        }
        assert acknowledged <= changes
        assert recorded == changes
    assert server.stop() == 0
    if engine == "sqlite":
        assert_healthy(tmp_path / "data", "after the crashes")
