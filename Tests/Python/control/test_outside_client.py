"""A Swift package outside of the tree that uses the client of the App Store Server API together with the control API."""

import os
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
FIXTURE = REPOSITORY / "Tests/Fixtures/outside-client"


def test_a_package_uses_the_client_beside_an_older_swift_crypto(serve, tmp_path):
    """The package has swift-crypto 3.12.3, which the server cannot use, and none of the server's packages."""
    package = shutil.copytree(FIXTURE, tmp_path / "outside-client")
    till = serve()
    addresses = [till.address(name) for name in ("control", "production", "sandbox")]
    outcome = subprocess.run(
        ["swift", "run", "--package-path", package, "--scratch-path", REPOSITORY / ".build/outside-package",
         "uses-app-store-server", *addresses],
        capture_output=True, text=True, timeout=1_200, env={**os.environ, "TILL_REPOSITORY": str(REPOSITORY)},
    )
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    assert outcome.stdout.splitlines()[-3:] == [
        "37 transactions of pro", "status 1 in the Sandbox", "1 request to sandbox: Transaction id not found.",
    ]
    resolved = (package / "Package.resolved").read_text()
    assert "swift-crypto" in resolved and "grdb" not in resolved and "hummingbird" not in resolved
