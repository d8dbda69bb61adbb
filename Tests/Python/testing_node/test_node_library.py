"""Runs the test library for Node.js, its examples, and its part of the npm package.

The library is imported as `till/testing`: from its folder in the repository, and from a package that npm has installed.
"""

import json
import os
import re
import shutil
import subprocess

import pytest

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
    """A project of a user, with the example."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    for name in ("subscription.test.js", "Shop.storekit"):
        shutil.copy(EXAMPLES / name, folder)
    return folder


def test_the_library():
    """From the folder in the repository, where the package refers to itself."""
    tests = (LIBRARY / "tests/library.test.js").read_text()
    passed = node_test(
        "tests/library.test.js", cwd=LIBRARY, TILL_BIN=till_binary(), SHOP=str(EXAMPLES / "Shop.storekit")
    )
    assert passed >= len(re.findall(r"^ *test\(", tests, re.MULTILINE)) > 15


def test_the_example_finds_the_program_on_the_path(project, tmp_path):
    (project / "node_modules").mkdir()
    (project / "node_modules/till").symlink_to(LIBRARY)
    (tmp_path / "till").symlink_to(till_binary())
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    assert node_test("subscription.test.js", cwd=project, PATH=path) == 1


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
    return npm.build(project.Project.load(), tree)


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
