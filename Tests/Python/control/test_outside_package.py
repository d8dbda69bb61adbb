"""Swift packages outside of the tree that use Till's public products."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
FIXTURE = REPOSITORY / "Tests/Fixtures/outside-package"
# What only the server needs. AsyncHTTPClient itself brings swift-crypto, through swift-nio-extras, in any version from 3.
ONLY_SERVER = {"grdb.swift", "hummingbird", "swift-mustache", "swift-argument-parser"}


def swift(folder, verb, *arguments):
    outcome = subprocess.run(
        ["swift", verb, "--package-path", folder, "--scratch-path", REPOSITORY / ".build/outside-package", *arguments],
        capture_output=True, text=True, timeout=1_200, env={**os.environ, "TILL_REPOSITORY": str(REPOSITORY)},
    )
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    return outcome.stdout


def names(package):
    return {package["identity"]}.union(*map(names, package["dependencies"]))


def test_a_package_uses_the_public_products_without_the_packages_of_the_server(serve, tmp_path):
    """It resolves beside a version of swift-crypto that the server cannot use, and drives a server."""
    package = shutil.copytree(FIXTURE, tmp_path / "outside")
    found = swift(package, "package", "show-dependencies", "--format", "json")
    resolved = names(json.loads(found[found.index("{"):]))
    assert "async-http-client" in resolved and not resolved & ONLY_SERVER, sorted(resolved)
    till = serve()
    run = swift(package, "run", "uses-till-control", till.address("control"))
    assert run.splitlines()[-1] == "13 transactions, DID_RENEW 12 times", run
    assert run.splitlines()[-2].startswith("404 "), run
    assert "Auto-Renewable Subscription" in swift(package, "run", "uses-app-store-types")


def test_the_documentation_shows_the_code_of_this_package():
    code = "".join(file.read_text() for file in FIXTURE.rglob("*.swift"))
    shown = re.findall(r"```swift\n(.*?)```", (REPOSITORY / "docs/control/swift.md").read_text(), re.S)
    assert len(shown) >= 5
    assert [block for block in shown if block not in code] == []
