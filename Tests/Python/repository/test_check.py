"""`make check` selects the tests that a change needs."""

import importlib.machinery
import importlib.util

import pytest

from process_helpers import ROOT


def load():
    loader = importlib.machinery.SourceFileLoader("check", str(ROOT / "scripts/check"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
    loader.exec_module(module)
    return module


check = load()


@pytest.fixture(scope="module")
def targets():
    return check.package_targets()


@pytest.mark.parametrize("path, tests", [
    ("Sources/TillCore/Ledger/Ledger.swift", {"TillCoreTests", "ScenarioTests"}),
    ("Sources/TillSigning/JWS/SigningChain.swift", {"TillSigningTests"}),
    ("Sources/TillVerification/JWS/CompactJWS.swift",
     {"TillVerificationTests", "TillSigningTests", "AppStoreServerTests"}),
    ("Sources/CPostgres/libpq.c", {"TillStorageTests", "TillShopTests"}),
    ("Sources/TillServer/Transport/deleted.swift", {"TillServerTests"}),
    ("Tests/TillShopTests/DeliveryTests.swift", {"TillShopTests"}),
    ("Tests/SimulationTests/LawTests.swift", {"SimulationTests"}),
    ("docs/api/index.md", set()),
    ("CHANGELOG.md", set()),
])
def test_a_change_runs_the_tests_of_its_module(targets, path, tests):
    plan = check.plan([path], targets)
    assert plan.swift == tests | {"TidyTests"}
    assert plan.uncovered == []


@pytest.mark.parametrize("path, test", [
    ("Sources/till/Till.swift", "Tests/Python/commands/test_command.py"),
    ("Sources/TillConsole/Resources/Pages/keys.mustache", "Tests/Python/console/test_console.py"),
    ("Tests/Python/control/test_faults.py", "Tests/Python/control/test_faults.py"),
    ("scripts/check", "Tests/Python/repository/test_check.py"),
    ("docs/catalog.md", "Tests/Python/repository/test_site.py"),
    ("scripts/site/hooks.py", "Tests/Python/repository/test_site.py"),
])
def test_a_change_runs_python_tests(targets, path, test):
    assert (ROOT / path).exists()
    plan = check.plan([path], targets)
    assert plan.python == {test}
    assert plan.uncovered == []


def test_every_target_has_tests_that_exist(targets):
    for name in targets:
        tests = check.tests_of(name, targets)
        assert tests, f"a change of {name} runs no test"
        missing = {test for test in tests if test not in targets and not (ROOT / test).exists()}
        assert not missing, f"a change of {name} runs tests that do not exist"
    assert set(check.ALSO) <= set(targets)
    assert {check.STYLE, check.LONG} <= {target.name for target in targets.values() if target.is_test}


def test_a_change_of_the_package_runs_all_but_the_simulation(targets):
    tests = {target.name for target in targets.values() if target.is_test}
    assert check.plan(["Package.swift"], targets).swift == tests - {"SimulationTests"}


def test_a_target_without_tests_uses_the_tests_of_its_dependents():
    graph = {
        name: check.Target(name, name.endswith("Tests"), frozenset(dependencies)) for name, dependencies in {
            "Base": [], "Middle": ["Base"], "Top": ["Middle"], "TopTests": ["Top"], "OtherTests": ["Middle"],
        }.items()
    }
    assert check.tests_of("Top", graph) == {"TopTests"}
    assert check.tests_of("Middle", graph) == {"OtherTests"}
    assert check.tests_of("Base", graph) == {"OtherTests"}
    assert check.tests_of("OtherTests", graph) == {"OtherTests"}


def test_changed_pages_are_tested_and_other_files_are_named(targets):
    plan = check.plan(["README.md", "docs/console.md", "docs/deleted.md", "Makefile"], targets)
    assert plan.pages == ["README.md", "docs/console.md"]
    assert plan.uncovered == ["Makefile"]
    assert any("README.md or docs/console.md" in command for _, command in check.steps(plan))


def test_suites_that_depend_on_timing_run_separately(targets):
    for suite in check.timed_suites():
        assert list((ROOT / "Tests").glob(f"*/**/{suite}.swift")), f"scripts/test names {suite}, which does not exist"
    names = [name for name, _ in check.steps(check.plan(["Sources/TillShop/Shop.swift"], targets))]
    assert names[-1] == "timed Swift tests"
    names = [name for name, _ in check.steps(check.plan(["Sources/TillVerification/JWS/CompactJWS.swift"], targets))]
    assert "timed Swift tests" not in names
