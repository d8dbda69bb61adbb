"""Fixtures: a running Till, its control, and an app that sells something of everything.

The suite drives a real `till serve` process. TILL_BIN names the binary, otherwise the debug build is taken. A missing
binary or library fails the run with the line that mends it; nothing is skipped.
"""

import itertools
import os
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

try:
    import appstoreserverlibrary  # noqa: F401
    import cryptography  # noqa: F401
    import jsonschema  # noqa: F401
    import jwt  # noqa: F401
    import openapi_spec_validator  # noqa: F401
    import requests  # noqa: F401
except ImportError as missing:
    pytest.exit(f"{missing}. Install what the tests need with: scripts/install test", returncode=1)

import catalog_of_everything  # noqa: E402
from process_helpers import Server  # noqa: E402
from shop_helpers import App, ControlClient  # noqa: E402

pytest.register_assert_rewrite("shop_helpers", "payload_rules", "process_helpers")


def pytest_configure(config):
    config.addinivalue_line("markers", "last: runs when everything else has run, and judges the run")


def pytest_collection_modifyitems(items):
    """The tests that judge the whole run come last."""
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


class Till(Server):
    """A process of `till serve` in folders of its own."""

    def __init__(self, folder, *arguments, data=None):
        self.folder = Path(folder)
        super().__init__(data or self.folder / "data", self.folder, *arguments)

    def wait_until_ready(self):
        super().wait_until_ready()
        self.document = __import__("json").loads(self.ready_file.read_text())
        return self

    def address(self, face):
        return self.document[face]
