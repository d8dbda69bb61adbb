"""Swift packages outside of the tree that use Till's public products."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import requests

from process_helpers import till_binary, wait_until

REPOSITORY = Path(__file__).parents[3]
FIXTURE = REPOSITORY / "Tests/Fixtures/outside-package"
EXAMPLES = REPOSITORY / "docs/testing/examples"
# What only the server needs. AsyncHTTPClient itself brings swift-crypto, through swift-nio-extras, in any version from 3.
ONLY_SERVER = {"grdb.swift", "hummingbird", "swift-mustache", "swift-argument-parser"}
SCRATCH = REPOSITORY / ".build/outside-package"
SWIFT_TESTING = ("--disable-xctest", "--enable-swift-testing")


def command(folder, verb, *arguments):
    return ["swift", verb, "--package-path", str(folder), "--scratch-path", str(SCRATCH), *arguments]


def built_tests(folder, *arguments):
    """The command that runs the built tests. On Linux they are a program, which saves the ten seconds that SwiftPM
    needs to plan."""
    program = SCRATCH / "debug/outsidePackageTests.xctest"
    if program.is_file():
        return [str(program), "--testing-library", "swift-testing", *arguments]
    return command(folder, "test", "--skip-build", *SWIFT_TESTING, *arguments)


def environment(**more):
    return {**os.environ, "TILL_REPOSITORY": str(REPOSITORY), **more}


def run(arguments, **more):
    outcome = subprocess.run(arguments, capture_output=True, text=True, timeout=1_200, env=environment(**more))
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    return outcome


def swift(folder, verb, *arguments):
    return run(command(folder, verb, *arguments)).stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package, with the example of the guide as its tests."""
    folder = shutil.copytree(FIXTURE, tmp_path_factory.mktemp("package") / "outside")
    for name in ("SubscriptionTests.swift", "RecipeTests.swift", "Shop.storekit"):
        shutil.copy(EXAMPLES / name, folder / "Tests/ShopTests")
    swift(folder, "build", "--build-tests")
    return folder


def names(package):
    return {package["identity"]}.union(*map(names, package["dependencies"]))


def test_a_package_uses_the_public_products_without_the_packages_of_the_server(serve, package):
    """It resolves beside a version of swift-crypto that the server cannot use, and drives a server."""
    found = swift(package, "package", "show-dependencies", "--format", "json")
    resolved = names(json.loads(found[found.index("{"):]))
    assert "async-http-client" in resolved and not resolved & ONLY_SERVER, sorted(resolved)
    till = serve()
    output = swift(package, "run", "uses-till-control", till.address("control"))
    assert output.splitlines()[-1] == "13 transactions, DID_RENEW 12 times", output
    assert output.splitlines()[-2].startswith("404 "), output
    assert "Auto-Renewable Subscription" in swift(package, "run", "uses-app-store-types")


def test_the_example_of_the_guide_passes_as_it_is(package, tmp_path):
    """Its tests run at the same time, with an app each on one temporary server, which leaves nothing behind."""
    outcome = run(built_tests(package), TILL_BIN=till_binary(), TMPDIR=str(tmp_path))
    output = outcome.stdout + outcome.stderr
    assert '"From trial to refund" passed' in output, output
    assert '"A canceled trial ends after its week" passed' in output, output
    recipes = re.findall(r'@Test\("(.+)"\)', (EXAMPLES / "RecipeTests.swift").read_text())
    assert recipes and [name for name in recipes if f'"{name}" passed' not in output] == [], output
    wait_until(lambda: not list(tmp_path.glob("till-testing-*")))


def test_the_example_uses_the_server_that_till_control_names(serve, package):
    till = serve()
    run(built_tests(package), TILL_BIN="/missing", TILL_CONTROL=till.address("control"))
    assert till.control("GET", "/v1/apps") == till.control("GET", "/v1/keys") == []


def test_the_server_ends_when_its_owner_is_killed(package, tmp_path):
    file = tmp_path / "owner"
    arguments = built_tests(package, "--filter", "KilledOwnerTests")
    more = {"TILL_BIN": till_binary(), "TMPDIR": str(tmp_path), "OUTSIDE_OWNER_FILE": str(file)}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(arguments, **silent, env=environment(**more)) as tests:
        try:
            wait_until(file.exists)
            owner, control = file.read_text().split()
            assert requests.get(f"{control}/v1/status", timeout=60).ok and list(tmp_path.glob("till-testing-*"))
            os.kill(int(owner), signal.SIGKILL)
            wait_until(lambda: not list(tmp_path.glob("till-testing-*")))
            with pytest.raises(requests.ConnectionError):
                requests.get(f"{control}/v1/status", timeout=60)
        finally:
            tests.terminate()


def test_a_running_server_is_cleaned_up_when_its_user_is_killed(serve, package, tmp_path):
    till, file = serve(), tmp_path / "owner"
    more = {
        "TILL_CONTROL": till.address("control"), "TILL_BIN": "/missing", "TMPDIR": str(tmp_path),
        "OUTSIDE_OWNER_FILE": str(file),
    }
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    arguments = built_tests(package, "--filter", "KilledOwnerTests")
    with subprocess.Popen(arguments, **silent, env=environment(**more)) as tests:
        try:
            wait_until(file.exists)
            assert len(till.control("GET", "/v1/apps")) == 1
            os.kill(int(file.read_text().split()[0]), signal.SIGKILL)
            wait_until(lambda: not list(tmp_path.glob("till-testing-*")))
            assert till.control("GET", "/v1/apps") == till.control("GET", "/v1/keys") == []
        finally:
            tests.terminate()


def test_the_documentation_shows_the_code_of_this_package():
    code = "".join(file.read_text() for file in FIXTURE.rglob("*.swift"))
    shown = re.findall(r"```swift\n(.*?)```", (REPOSITORY / "docs/control/swift.md").read_text(), re.S)
    assert len(shown) >= 5
    assert [block for block in shown if block not in code] == []


def test_the_testing_page_shows_code_that_the_tests_run():
    """The examples, the manifest of this package, and the test of the client of an app."""
    code = "".join(file.read_text() for file in FIXTURE.rglob("*.swift"))
    code += "".join(file.read_text() for file in sorted(EXAMPLES.glob("*.swift")))
    code += (REPOSITORY / "Tests/TillTestingTests/APIClientTests.swift").read_text()
    shown = re.findall(r"```swift\n(.*?)```", (REPOSITORY / "docs/testing/swift.md").read_text(), re.S)
    assert len(shown) >= 4
    assert [block for block in shown if block not in code] == []
