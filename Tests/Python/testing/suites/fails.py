"""A suite whose tests fail: their report describes the app, and the app may stay."""

import os
import signal
from pathlib import Path

import pytest

FACTS = Path(os.environ["FACTS"])
pytestmark = pytest.mark.till(catalog=os.environ["CATALOG"])


def test_that_fails(app, endpoint):
    (FACTS / "failed").write_text(app.bundle_id)
    app.customer("ann").buy("coins.10")
    app.private_key = app.control.create_key().privateKey
    with pytest.raises(Exception):
        app.api_client().request_test_notification()
    assert app.customer("ann").info.name == "bob"


def test_that_passes(app):
    (FACTS / "passed").write_text(app.bundle_id)


@pytest.mark.skipif("TILL_CONTROL" in os.environ, reason="only a temporary server may be killed")
def test_in_which_the_server_ends(app, till):
    data = till.control.get_status().dataDirectory
    os.kill(int(data.split("till-ephemeral-")[1].split("-")[0]), signal.SIGKILL)
    app.customer("ann")


def test_that_does_not_run(app):
    (FACTS / "not expected").write_text("")
