"""Runs the test library for Node.js, its examples, and its part of the npm package.

The library is imported as `till/testing`: from its folder in the repository, and from a package that npm has installed.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from process_helpers import ROOT, clean_environment, installed, till_binary

LIBRARY = ROOT / "TestLibraries/node"
EXAMPLES = ROOT / "docs/testing/examples"
DISTRIBUTION = ROOT / "Distribution"


def run(*command, cwd, **environment) -> str:
    """Runs a command, and returns its output. A test runner's variables would change the output of node --test."""
    variables = {key: value for key, value in clean_environment().items() if not key.startswith("NODE_")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=600,
        env={**variables, **environment},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6_000:]}{done.stderr[-3_000:]}"
    return done.stdout


def node_test(*files, cwd, **environment) -> int:
    """Runs test files with node, and returns the number of tests that passed."""
    printed = run(installed("node", "nodejs"), "--test", "--test-reporter=tap", *files, cwd=cwd, **environment)
    assert re.search(r"^# (skipped|todo) [1-9]", printed, re.MULTILINE) is None, printed
    return int(re.search(r"^# pass (\d+)$", printed, re.MULTILINE)[1])


@pytest.fixture
def project(tmp_path):
    """A project of a user, with the examples."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    for name in ("subscription.test.js", "recipes.test.js", "run-tests.js", "Shop.storekit"):
        shutil.copy(EXAMPLES / name, folder)
    return folder


def test_the_library():
    """From the folder in the repository, where the package refers to itself."""
    tests = (LIBRARY / "tests/library.test.js").read_text()
    passed = node_test(
        "tests/library.test.js", cwd=LIBRARY, TILL_BIN=till_binary(), SHOP=str(EXAMPLES / "Shop.storekit")
    )
    assert passed >= len(re.findall(r"^ *test\(", tests, re.MULTILINE)) > 15


def test_the_examples_find_the_program_on_the_path(project, tmp_path):
    (project / "node_modules").mkdir()
    (project / "node_modules/till").symlink_to(LIBRARY)
    (tmp_path / "till").symlink_to(till_binary())
    # A folder of the path may be relative. One server for all files, as the page shows it for Node.js 20.
    path = os.pathsep.join(["..", os.environ["PATH"]])
    printed = run(installed("node", "nodejs"), "run-tests.js", "--test-reporter=tap", cwd=project, PATH=path)
    tests = sum(len(re.findall("^test\\(", file.read_text(), re.MULTILINE)) for file in project.glob("*.test.js"))
    assert f"# pass {tests}\n" in printed and "# fail 0\n" in printed, printed


def test_the_example_runs_with_the_installed_package(project, tmp_path, monkeypatch):
    """Packs with the code of `make dist`, with a link to the tested program instead of the large binary, and installs
    without a network. Neither TILL_BIN nor the path names the program."""
    package = pack(tmp_path, monkeypatch)
    npm = installed("npm", "npm")
    run(npm, "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", package, cwd=project,
        npm_config_cache=str(tmp_path / "cache"))
    manifest = json.loads((project / "node_modules/till/package.json").read_text())
    assert manifest["type"] == "module" and "dependencies" not in manifest and "scripts" not in manifest
    assert node_test("subscription.test.js", cwd=project) == 1


def pack(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DISTRIBUTION))
    import npm
    import project

    monkeypatch.setattr(project, "BINARY", till_binary())
    monkeypatch.setattr(npm, "DIST", tmp_path / "dist")
    tree = tmp_path / "tree"
    documents = tree / "share/doc/till"
    documents.mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", documents)
    (documents / "THIRD-PARTY.txt").write_text("None.\n")
    (tree / "bin").mkdir()
    (tree / "bin/till").write_text(f'#!/bin/sh\nexec "{till_binary()}" "$@"\n')
    (tree / "bin/till").chmod(0o755)
    facts = project.Project.load()
    # A debug build needs seconds to describe its commands, and only their names and summaries are packed.
    facts.__dict__["root_command"] = {"commandName": "till", "abstract": "An App Store server."}
    return npm.build(facts, tree)


def test_the_library_needs_nothing_but_node():
    """So it runs in Jest and Vitest, too, which this repository does not install."""
    files = sorted((LIBRARY / "testing").glob("*.js"))
    assert len(files) > 8
    imported = {name for file in files for name in re.findall(r'from "([^"]+)"', file.read_text())}
    outside = {name for name in imported if not name.startswith("./")}
    assert outside and all(name.startswith("node:") for name in outside) and "node:test" not in outside
    types = "".join(file.read_text() for file in (LIBRARY / "testing").glob("*.d.ts"))
    assert set(re.findall(r'from "([^"]+)"', types)) == {"./control.js"}


def test_the_generated_files_are_up_to_date(server, tmp_path):
    """Compares with what generate.js makes from the OpenAPI document of this server."""
    (tmp_path / "openapi.json").write_text(server.session.get(server.address("control") + "/openapi.json").text)
    with open(tmp_path / "openapi.json", "rb") as document:
        subprocess.run([installed("node", "nodejs"), LIBRARY / "generate.js", tmp_path], stdin=document, check=True)
    for name in ("operations.js", "control.d.ts"):
        assert (tmp_path / name).read_text() == (LIBRARY / "testing" / name).read_text(), (
            f"{name} is out of date: curl http://127.0.0.1:8890/openapi.json | node TestLibraries/node/generate.js"
        )


def test_the_example_with_curl(tmp_path):
    for program in ("curl", "jq", "openssl"):
        installed(program, program)
    printed = run("bash", EXAMPLES / "subscription.sh", cwd=tmp_path, TILL_BIN=till_binary())
    assert printed == "from trial to refund: passed\n"


# Pages ----------------------------------------------------------------------------------------------------------------


def blocks(page, kind) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", (ROOT / "docs/testing" / page).read_text(), re.MULTILINE | re.DOTALL)


def test_the_pages_print_the_files():
    for page, kind, names in [
        ("node.md", "js", ["subscription.test.js", "recipes.test.js"]),
        ("any-language.md", "sh", ["subscription.sh", "till.sh"]),
    ]:
        assert blocks(page, kind)[: len(names)] == [(EXAMPLES / name).read_text() for name in names]


def test_the_setup_of_the_examples_takes_five_lines():
    """The lines before the server under test, and those of the test that create what it needs."""
    setup = blocks("any-language.md", "sh")[0].split("\n\n")[0].splitlines()
    assert len(setup) <= 5
    lines = (EXAMPLES / "subscription.test.js").read_text().splitlines()
    assert len([line for line in lines if re.search(r"^import |useApp\(|new Backend\(", line)]) <= 5


def test_the_requests_in_the_table_exist(server):
    paths = server.session.get(server.address("control") + "/openapi.json").json()["paths"]
    known = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    page = (ROOT / "docs/testing/any-language.md").read_text()
    app, sandbox = "/v1/apps/{bundleId}", "/v1/apps/{bundleId}/{environment}"
    found = [
        request.split("?")[0].replace("{app}", app).replace("{sandbox}", sandbox)
        for request in re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) [^` ]+)`", page)
    ]
    # The introduction names a path without its beginning.
    assert len(found) > 18 and set(found) - known == {"GET /listen"}


def test_the_workflows_on_the_page_match_their_schemas(tmp_path):
    examples = blocks("ci.md", "yaml")
    assert len(examples) == 4
    for number, text in enumerate(examples):
        file = tmp_path / f"{number}.yml"
        file.write_text(text)
        kind = "github-workflows" if "runs-on" in text else "gitlab-ci"
        check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{kind}", file]
        if kind == "gitlab-ci":
            check += ["--data-transform", "gitlab-ci"]
        done = subprocess.run(check, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        # What a step uses must be installed: pytest by the extra of the wheel, workers by pytest-xdist.
        assert "pytest" not in text or ".whl[testing]" in text
        assert "--numprocesses" not in text or "pytest-xdist" in text
    steps = yaml.safe_load(examples[2])["jobs"]["test"]["steps"]
    action = yaml.safe_load((ROOT / ".github/actions/till/action.yml").read_text())
    assert set(steps[1]["with"]) <= set(action["inputs"])
    outputs = re.findall(r"steps\.till\.outputs\.([\w-]+)", examples[2])
    assert outputs and set(outputs) <= set(action["outputs"])


def test_the_step_after_a_failure_collects_files(server, tmp_path):
    """Runs its script as the action has left the machine: with a virtual environment in RUNNER_TEMP/till."""
    steps = yaml.safe_load(blocks("ci.md", "yaml")[2])["jobs"]["test"]["steps"]
    (step,) = [step for step in steps if step.get("name", "").startswith("Keep")]
    programs = tmp_path / "till/bin"
    programs.mkdir(parents=True)
    (programs / "till").symlink_to(till_binary())
    shutil.copy(server.stderr_file, tmp_path / "till/log")
    run("bash", "-e", "-o", "pipefail", "-c", step["run"], cwd=tmp_path, RUNNER_TEMP=str(tmp_path),
        TILL_CONTROL=server.address("control"))
    assert {file.name for file in (tmp_path / "failure").iterdir()} == {"refused.txt", "state.till", "till.log"}
    assert (tmp_path / "failure/state.till").read_text().startswith('{"format":1')
