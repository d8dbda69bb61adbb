"""The pytest plugin of the test library with several workers, crashes, kills, and a server that is running already."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from process_helpers import ROOT, clean_environment, till_binary, wait_until
from suite_runs import LIBRARY, SUITES, SuiteRun, assert_nothing_left, is_running

EXAMPLES = ROOT / "docs/testing/examples"
CATALOG = str(EXAMPLES / "Shop.storekit")


@pytest.mark.parametrize("name", ["test_subscription.py", "test_recipes.py"])
def test_the_examples_of_the_guide_pass(tmp_path, name):
    run = SuiteRun(tmp_path, EXAMPLES / name, "-q")
    count = (EXAMPLES / name).read_text().count("\ndef test_")
    output = run.end()
    assert f"{count} passed" in output, output
    assert list(run.temporary.glob("till-*")) == []


def test_the_other_examples_of_the_page_run(tmp_path):
    """A fixture for a module, which the page shows without a test, and a script without pytest."""
    page = (ROOT / "docs/testing/python.md").read_text()
    _, fixtures, script, _ = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (ini,) = re.findall(r"^```ini\n\[pytest\]\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert ini == "till_catalog = tests/Shop.storekit\n"
    shutil.copy(CATALOG, tmp_path)
    (tmp_path / "test_shop.py").write_text(
        f"{fixtures}\n\n@pytest.mark.parametrize('number', range(2))\ndef test_shop(app, endpoint, number):\n"
        "    assert app.customer('ann').buy('pro.month').result == 'subscribed'\n    endpoint.expect('SUBSCRIBED')\n"
    )
    output = SuiteRun(tmp_path, tmp_path / "test_shop.py").end()
    assert "2 passed" in output, output
    environment = {**clean_environment(), "PYTHONPATH": str(LIBRARY), "TILL_BIN": till_binary()}
    subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path, check=True, env=environment)


def test_the_ways_to_choose_the_app(tmp_path):
    output = SuiteRun(tmp_path, SUITES / "marks.py", "-q", CATALOG=CATALOG).end()
    assert "4 passed" in output and "2 errors" in output, output
    assert "The mark till has the keywords catalog, environment and start, not catalogue." in output
    assert f"There is no catalog {tmp_path}/Missing.storekit" in output


def test_four_workers_share_a_server_and_see_their_own_app_only(tmp_path):
    run = SuiteRun(tmp_path, SUITES / "isolation.py", "-n", "4", "--dist", "each", CATALOG=CATALOG)
    output = run.end()
    assert "4 passed" in output, output
    seen = {file.name.partition("-")[2]: json.loads(file.read_text()) for file in run.facts.glob("seen-*")}
    assert sorted(seen) == ["gw0", "gw1", "gw2", "gw3"]
    for key in ("control", "dataDirectory"):
        assert len({value[key] for value in seen.values()}) == 1
    for key in ("bundleId", "keyId", "transaction"):
        assert len({value[key] for value in seen.values()}) == 4
    for worker, value in seen.items():
        assert value["customers"] == [f"customer of {worker}"]
        assert (value["bundleOfHistory"], value["history"]) == (value["bundleId"], 1)
        assert value["notifications"] == value["receivedTransactions"] == [value["transaction"]]
        assert value["notificationHistory"] == value["received"] and len(value["received"]) == 1
        assert value["hours"] == int(worker.removeprefix("gw")) + 1
    first = seen["gw0"]
    assert_nothing_left(run, first["control"], first["dataDirectory"])


def test_a_crashed_worker_leaves_nothing_behind(tmp_path):
    run = SuiteRun(tmp_path, SUITES / "crashes.py", "-n", "2", CATALOG=CATALOG)
    output = run.end()
    assert output.count("crashed while running") >= 2 and "2 failed, 1 passed" in output, output
    crashed = [json.loads((run.facts / name).read_text()) for name in ("exits", "killed")]
    assert json.loads((run.facts / "seen").read_text()) == [value["bundleId"] for value in crashed]
    assert not any(is_running(value["process"]) for value in crashed)
    assert_nothing_left(run, crashed[0]["control"], crashed[0]["dataDirectory"])


@pytest.mark.parametrize("arguments", [[], ["-n", "2"]], ids=["one process", "two workers"])
def test_the_server_ends_when_everything_is_killed(tmp_path, arguments):
    run = SuiteRun(tmp_path, SUITES / "waits.py", *arguments, CATALOG=CATALOG)
    seen = json.loads(run.wait_for_facts("0"))
    if arguments:
        assert json.loads(run.wait_for_facts("1"))["control"] == seen["control"]
    run.kill()
    assert_nothing_left(run, seen["control"], seen["dataDirectory"])


def test_a_failed_test_is_described_and_a_dead_server_ends_the_session(tmp_path):
    run = SuiteRun(tmp_path, SUITES / "fails.py", CATALOG=CATALOG)
    output = run.end()
    app = (run.facts / "failed").read_text()
    section = output.partition("- Till -")[2].partition("____")[0]
    assert f"App {app} (sandbox); control API http://127.0.0.1:" in section, output
    assert "ONE_TIME_CHARGE of ann; primary: delivered" in section
    assert "POST /inApps/v1/notifications/test: 401 The signature does not match" in section
    assert "2 failed, 1 passed" in output and not (run.facts / "not expected").exists()
    assert output.count("Traceback") == 0 and "Interrupted: The temporary server has ended with the status -9." in output
    assert list(run.temporary.glob("till-*")) == []


@pytest.mark.parametrize("arguments", [[], ["-n", "2"]], ids=["one process", "two workers"])
def test_the_app_of_a_failed_test_stays(tmp_path, serve, arguments):
    server = serve()
    run = SuiteRun(
        tmp_path, SUITES / "fails.py", "--till-keep", *arguments, CATALOG=CATALOG, TILL_CONTROL=server.address("control")
    )
    output = run.end()
    assert "1 failed, 2 passed, 1 skipped" in output, output
    (app,) = server.client.call("listApps")
    assert app["bundleId"] == (run.facts / "failed").read_text()


def test_an_app_can_only_stay_on_a_running_server(tmp_path):
    output = SuiteRun(tmp_path, SUITES / "fails.py", "--till-keep", CATALOG=CATALOG).end()
    assert "--till-keep needs a running server, which TILL_CONTROL names" in output


def left(control) -> tuple:
    """The apps, the snapshots and the keys."""
    return control.call("listApps"), control.call("listSnapshots"), control.call("listKeys")


def test_a_running_server_is_used_and_cleaned_up(tmp_path, serve):
    server = serve()
    control = server.address("control")
    run = SuiteRun(tmp_path, SUITES / "running.py", "-o", f"till_catalog={CATALOG}", TILL_CONTROL=control)
    output = run.end()
    assert "1 passed" in output, output
    seen = json.loads((run.facts / "seen").read_text())
    assert (seen["control"], seen["sandbox"]) == (control, server.address("sandbox"))
    assert server.process.poll() is None
    assert left(server.client) == ([], [], [])
    assert list(run.temporary.glob("till-*")) == []


def test_a_running_server_is_cleaned_up_when_everything_is_killed(tmp_path, serve):
    server = serve()
    run = SuiteRun(tmp_path, SUITES / "waits.py", "-n", "2", CATALOG=CATALOG, TILL_CONTROL=server.address("control"))
    seen = {json.loads(run.wait_for_facts(name))["bundleId"] for name in ("0", "1")}
    assert seen == {app["bundleId"] for app in server.client.call("listApps")}
    run.kill()
    wait_until(lambda: left(server.client) == ([], [], []))
    assert server.process.poll() is None
