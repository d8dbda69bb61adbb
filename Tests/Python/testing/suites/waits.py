"""A suite that never ends; the outer test kills it."""

import json
import os
import threading
from pathlib import Path

import pytest

FACTS = Path(os.environ["FACTS"])


@pytest.mark.till(catalog=os.environ["CATALOG"])
@pytest.mark.parametrize("number", range(2))
def test_that_is_killed(number, app, endpoint):
    app.customer("ann").buy("pro.month")
    endpoint.expect("SUBSCRIBED")
    value = {
        "control": app.till.connection.address, "dataDirectory": app.till.control.get_status().dataDirectory,
        "bundleId": app.bundle_id, "keyId": app.key_id,
    }
    (FACTS / f".{number}").write_text(json.dumps(value))
    (FACTS / f".{number}").rename(FACTS / str(number))
    threading.Event().wait(600)
