"""The metrics: a Prometheus scrapes a running Till, each metric moves when its cause is brought about, and the alerts,
the dashboard and the documentation name metrics that exist."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
import yaml

from listening_post import ListeningPost
from metrics_helpers import PART, RULES, Moves, Prometheus, Scrape, scrape
from nodes_helpers import Nodes
from postgres_server import PostgresServer
from process_helpers import ROOT, Server, installed, run_till, set_up_app, wait_until

BUNDLE = "com.example.metrics"
SCOPE = f"/v1/apps/{BUNDLE}"
ROUTE = "/v1/apps/{bundleId}/{environment}/customers/{customer}/purchases"
DASHBOARD = ROOT / "Operations/grafana/till.json"
PAGE = ROOT / "docs/production/metrics.md"
RUNBOOK = ROOT / "docs/production/runbook.md"
# On a clock with this speed, a month lasts a third of a second: more subscribers renew than Till can process.
SPEED = 8_000_000
WORDS = re.compile(r"\b(?:till|process)_[a-z_]+\b")


@pytest.fixture(scope="module")
def post():
    post = ListeningPost()
    yield post
    post.close()


@pytest.fixture(scope="module")
def till(tmp_path_factory, post):
    """A server with an app, an endpoint and a customer."""
    folder = tmp_path_factory.mktemp("metrics")
    with Server(folder / "data", folder, "--signature-age", "3600", "--tls-port", "0") as server:
        server.key = set_up_app(server, BUNDLE)
        for environment in ("sandbox", "production"):
            server.control("PUT", f"{SCOPE}/{environment}/endpoints/primary", {"url": post.url})
        yield server


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory, till):
    prometheus = Prometheus(tmp_path_factory.mktemp("prometheus"), till)
    wait_until(lambda: prometheus.query("till_build_info"))
    yield prometheus
    prometheus.stop()


def buy(server, customer, product="coins", environment="sandbox") -> dict:
    path = f"{SCOPE}/{environment}/customers/{customer}/purchases"
    return server.control("POST", path, {"productId": f"{BUNDLE}.{product}"})["transaction"]


# Each metric moves ----------------------------------------------------------------------------------------------------


def test_requests_and_refused_tokens_are_counted(till):
    moves = Moves(till)
    route = "/inApps/v2/history/{id}"
    transaction = buy(till, "ann")["transactionId"]
    path = f"/inApps/v2/history/{transaction}"
    assert till.apple(till.key, path).status_code == 200
    moves.up("till_requests_total", environment="sandbox", route=route, status="200")
    moves.up("till_request_duration_seconds_count", environment="sandbox", route=route)
    moves.up("till_request_duration_seconds_sum", environment="sandbox", route=route)
    moves.up("till_requests_total", environment="control", status="201")
    assert requests.get(till.address("sandbox") + path, timeout=60).status_code == 401
    moves.up("till_token_refusals_total", api="app_store", reason="header_missing")
    old = {"Authorization": f"Bearer {till.key.token(iat=1, exp=2)}"}
    assert requests.get(till.address("sandbox") + path, headers=old, timeout=60).status_code == 401
    moves.up("till_token_refusals_total", api="app_store", reason="expired")
    wrong = {"Authorization": "Bearer wrong"}
    assert requests.get(till.address("control") + "/v1/apps", headers=wrong, timeout=60).status_code == 401
    moves.up("till_token_refusals_total", api="control", reason="control_token_unknown")
    assert transaction not in scrape(till).text, "a label contains an id"


def test_answers_of_verify_receipt_are_counted_by_their_status(till):
    moves = Moves(till)
    answer = requests.post(till.address("sandbox") + "/verifyReceipt", json={}, timeout=60)
    assert (answer.status_code, answer.json()) == (200, {"status": 21_002})
    moves.up("till_receipts_total", status="21002")
    assert scrape(till).value("till_receipts_total", status="21009") == 0


def test_deliveries_are_counted_by_result_and_pending_ones_have_an_age(till, post):
    moves = Moves(till)
    buy(till, "bea", "basic", "production")
    moves.up("till_delivery_attempts_total", environment="production", result="SUCCESS")
    post.answer = 500
    buy(till, "bob", "basic", "production")
    failed = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    moves.up("till_delivery_attempts_total", environment="production", result=failed)
    post.answer = 200
    moves.up("till_deliveries_pending", environment="production")
    moves.until("till_oldest_pending_delivery_age_seconds", lambda age: age >= 1, environment="production")
    assert scrape(till).value("till_deliveries_pending", environment="sandbox") == 0


def test_commits_and_signatures_are_counted(till):
    moves = Moves(till)
    transaction = buy(till, "cid", "basic")["transactionId"]
    moves.up("till_commits_total", result="committed")
    moves.up("till_commit_duration_seconds_count")
    moves.up("till_commit_group_size_sum")
    moves.up("till_signatures_total", format="jws")
    for _ in range(2):
        till.apple(till.key, f"/inApps/v1/transactions/{transaction}")
    moves.up("till_signatures_reused_total", format="jws")
    till.control("GET", f"{SCOPE}/sandbox/customers/cid/receipt")
    moves.up("till_signatures_total", format="receipt")


def test_the_store_grows_and_the_disk_fills(till):
    moves = Moves(till)
    # SQLite moves the log into the file every eight megabytes.
    with ThreadPoolExecutor(8) as pool:
        grown = False
        while not grown:
            list(pool.map(lambda number: buy(till, f"many-{number}"), range(64)))
            now = scrape(till)
            grown = now.value("till_store_size_bytes") > moves.last.value("till_store_size_bytes")
            if now.value("till_store_wal_bytes") > moves.last.value("till_store_wal_bytes"):
                Moves.moved.add("till_store_wal_bytes")
    Moves.moved.add("till_store_size_bytes")
    assert "till_store_wal_bytes" in Moves.moved
    free = scrape(till).value("till_store_free_bytes")
    size = 256 << 20
    filler = till.data / "filler"
    with open(filler, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
        moves.until("till_store_free_bytes", lambda value: value < free - size / 2)
    filler.unlink()


def test_events_that_are_due_on_a_moving_clock_are_overdue_until_they_are_processed(serve):
    till = serve()
    set_up_app(till, BUNDLE)
    moves = Moves(till)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: buy(till, f"fast-{number}", "basic", "production"), range(120)))
    till.control("PUT", f"{SCOPE}/production/clock", {"mode": "running", "speed": SPEED})
    moves.until("till_clock_lag_seconds", lambda lag: lag > 0)
    moves.until("till_overdue_deadlines", lambda count: count > 0)
    till.control("PUT", f"{SCOPE}/production/clock", {"mode": "frozen"})
    moves.until("till_overdue_deadlines", lambda count: count == 0)
    moves.until("till_clock_lag_seconds", lambda lag: lag == 0)
    damage = "UPDATE accounts SET state = '{' WHERE customer = 'fast-0'"
    with sqlite3.connect(till.data / "till.sqlite", timeout=60) as database:
        database.execute(damage)
    database.close()
    till.control("PUT", f"{SCOPE}/production/clock", {"mode": "running", "speed": SPEED})
    moves.up("till_quarantined_accounts")


def test_the_version_and_the_start_are_exported(till):
    now = scrape(till)
    version = run_till("--version", code=0).stdout.strip()
    assert now.value("till_build_info", version=version) == 1
    assert abs(now.value("process_start_time_seconds") - time.time()) < 3_600
    assert now.value("till_tls_certificate_expiration_timestamp_seconds") > time.time() + 86_400
    Moves.moved |= {
        "till_build_info", "process_start_time_seconds", "till_tls_certificate_expiration_timestamp_seconds"
    }


@pytest.fixture
def nodes(tmp_path):
    """Two servers on a PostgreSQL database."""
    database = PostgresServer()
    nodes = Nodes(tmp_path / "nodes", database.url, 2)
    nodes.database = database
    yield nodes
    nodes.close()
    database.stop()


def test_nodes_connections_and_conflicts_are_exported(nodes):
    first, second = nodes.servers
    set_up_app(first, BUNDLE)
    moves = Moves(first)
    moves.until("till_cluster_nodes", lambda count: count == 2)
    moves.until("till_cluster_partitions", lambda count: count == 512)
    moves.until("till_cluster_leases", lambda count: count >= 16)
    assert scrape(first).value("till_store_wal_bytes") is None
    assert scrape(first).value("till_database_connections_limit") > 0
    Moves.moved.add("till_database_connections_limit")
    with ThreadPoolExecutor(8) as pool:
        while not scrape(first).value("till_commit_retries_total"):
            list(pool.map(lambda number: buy(nodes.servers[number % 2], "shared"), range(16)))
    Moves.moved.add("till_commit_retries_total")

    # Purchases wait for a lock of another program, and use all connections.
    locker = subprocess.Popen(
        [nodes.database.programs / "psql", "-X", "-q", "-d", "till"], stdin=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL, env=nodes.database.environment,
    )
    with ThreadPoolExecutor(24) as pool:
        try:
            locker.stdin.write("BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE;\n")
            locker.stdin.flush()
            url = f"{first.address('control')}{SCOPE}/sandbox/customers/"
            calls = [pool.submit(requests.get, f"{url}waits-{number}", timeout=300) for number in range(24)]
            moves.until("till_database_connections_in_use", lambda count: count > 0)
            moves.until("till_database_connections_waiting", lambda count: count > 0)
        finally:
            locker.stdin.close()
            locker.wait(60)
        for call in calls:
            call.result()

    # A node that is suspended for longer than its lease was removed meanwhile, and joins again.
    os.kill(second.pid, signal.SIGSTOP)
    moves.until("till_cluster_nodes", lambda count: count == 1)
    moves.until("till_cluster_partitions", lambda count: count == 1_024)
    os.kill(second.pid, signal.SIGCONT)
    Moves(second).until("till_cluster_rejoins_total", lambda count: count >= 1)

    assert scrape(first).value("till_store_up") == 1 and scrape(first).value("till_cluster_member") == 1
    nodes.database.kill()
    moves.until("till_store_up", lambda value: value == 0)
    moves.until("till_cluster_member", lambda value: value == 0)
    assert scrape(first).value("till_deliveries_pending") is None, "old values look like present ones"


def test_every_metric_has_moved_in_the_tests_above(till):
    assert set(scrape(till).kinds) == Moves.moved


# Prometheus -----------------------------------------------------------------------------------------------------------


def test_prometheus_scrapes_till_and_sees_a_request(till, prometheus):
    wait_until(lambda: prometheus.query('up{job="till"}') == [1])
    count = f'till_requests_total{{environment="control", route="{ROUTE}", status="201"}}'
    buy(till, "seen")
    before = wait_until(lambda: prometheus.query(count))
    buy(till, "seen")
    wait_until(lambda: prometheus.query(count)[0] > before[0])


def dashboard_queries():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]


def rules():
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return group["rules"]


def test_every_query_of_the_dashboard_and_of_the_alerts_is_evaluated(till, prometheus):
    exported = scrape(till)
    queries = dashboard_queries()
    assert len(queries) > 30 and len(rules()) > 15
    used = set()
    for title, expression in [*queries, *((rule["alert"], rule["expr"]) for rule in rules())]:
        filled = expression.replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$job", "till")
        assert "$" not in filled, title
        prometheus.query(filled)
        names = {PART.sub("", name) for name in WORDS.findall(filled)}
        assert names <= set(exported.kinds), (title, names)
        used |= names
    # Every metric that an operator watches is on the dashboard.
    assert used == set(exported.kinds)
    loaded = prometheus.get("rules")["groups"][0]["rules"]
    assert [rule["name"] for rule in loaded] == [rule["alert"] for rule in rules()]
    wait_until(lambda: all(
        rule["health"] == "ok" for rule in prometheus.get("rules")["groups"][0]["rules"]
    ))


def test_the_queries_of_the_dashboard_select_labels_that_the_metrics_have(till):
    exported = scrape(till)
    of_prometheus = {"instance", "job", "le"}
    for title, expression in [*dashboard_queries(), *((rule["alert"], rule["expr"]) for rule in rules())]:
        for name, selected in re.findall(r"\b((?:till|process)_[a-z_]+)\{([^}]*)\}", expression):
            labels = set(re.findall(r"(\w+)\s*(?:=~|!=|=)", selected))
            name = PART.sub("", name)
            if exported.series(name) or exported.series(name + "_count"):
                assert labels <= exported.labels(name) | of_prometheus, (title, name)


def test_the_dashboard_shows_values_of_a_running_till(prometheus):
    """A query that finds nothing on a server with SQLite is about PostgreSQL, or about something that did not happen."""
    shown = set()
    for title, expression in dashboard_queries():
        if "$__rate_interval" not in expression:
            found = prometheus.query(expression.replace("$instance", ".*").replace("$job", "till"))
            shown |= {title} if found else set()
    assert {"Version", "Uptime", "Store answers", "Pending deliveries", "Clock lag", "Size", "Free space"} <= shown


def promtool(*arguments, input=None):
    done = subprocess.run(
        [installed("promtool", "prometheus"), *map(str, arguments)], capture_output=True, text=True, input=input,
        timeout=120, cwd=RULES.parent,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_metrics_follow_the_conventions_of_prometheus(till):
    assert promtool("check", "metrics", input=scrape(till).text).strip() == ""


def test_each_alert_fires_and_stays_silent():
    promtool("check", "rules", RULES)
    promtool("test", "rules", "alerts_test.yml")
    cases = yaml.safe_load((RULES.parent / "alerts_test.yml").read_text())["tests"]
    seen = {(test["alertname"], bool(test["exp_alerts"])) for case in cases for test in case["alert_rule_test"]}
    assert seen == {(rule["alert"], fires) for rule in rules() for fires in (True, False)}


# The documentation ----------------------------------------------------------------------------------------------------


def test_the_page_lists_every_metric_as_it_is_exported(till):
    exported = scrape(till)
    rows = re.findall(r"^\| `((?:till|process)_\w+)` \| (\w+) \| ([^|]*) \| (.+) \|$", PAGE.read_text(), re.M)
    assert [row[0] for row in rows] == sorted(exported.kinds)
    for name, kind, labels, meaning in rows:
        assert (kind, meaning) == (exported.kinds[name], exported.helps[name]), name
        documented = set(re.findall(r"`(\w+)`", labels))
        # A metric of PostgreSQL only has no series here; none of those has labels.
        assert documented == exported.labels(name), name


def test_the_scrape_configuration_of_the_page_is_valid_and_its_token_permits_a_scrape(serve, tmp_path):
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    configuration = yaml.safe_load(text)
    token_file = configuration["scrape_configs"][0]["authorization"]["credentials_file"]
    configuration["scrape_configs"][0]["authorization"]["credentials_file"] = str(tmp_path / "token")
    configuration["rule_files"] = [str(RULES)]
    till = serve("--control-address", "127.0.0.2")
    made = run_till("token", "create", "prometheus", "--scope", "metrics", "--data", till.data, code=0).stdout
    token = re.search(r"till_[\w-]{43}", made)[0]
    (tmp_path / "token").write_text(token)
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    promtool("check", "config", tmp_path / "prometheus.yml")
    assert token_file and f"`{token_file}`" in PAGE.read_text()
    address = till.address("control")
    for authorization, status in ((f"Bearer {token}", 200), (None, 401)):
        headers = {"Authorization": authorization} if authorization else {}
        assert requests.get(address + "/metrics", headers=headers, timeout=60).status_code == status
    headers = {"Authorization": f"Bearer {token}"}
    assert requests.get(address + "/v1/apps", headers=headers, timeout=60).status_code == 403
    text = requests.get(address + "/metrics", headers=headers, timeout=60).text
    refused = Scrape(text)
    assert refused.value("till_token_refusals_total", reason="insufficient_scope") == 1
    assert refused.value("till_token_refusals_total", reason="control_token_missing") == 1


def test_the_runbook_has_a_section_for_each_alert():
    headings = re.findall(r"^## (Till\w+)$", RUNBOOK.read_text(), re.M)
    assert headings == [rule["alert"] for rule in rules()]
    for rule in rules():
        assert rule["annotations"]["runbook"] == f"docs/production/runbook.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("page", "ticket")
