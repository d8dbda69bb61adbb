"""The reference of the Swift library AppStoreServer builds without a warning."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_reference_builds_without_a_warning():
    outcome = subprocess.run([ROOT / "scripts/docs", "library"], capture_output=True, text=True, timeout=300)
    assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]
    pages = ROOT / ".build/docs/AppStoreServer.doccarchive/data/documentation/appstoreserver"
    assert {"signeddataverifier", "verifyingsigneddata"} <= {page.stem for page in pages.glob("*.json")}
