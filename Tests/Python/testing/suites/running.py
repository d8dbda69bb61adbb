"""A suite that uses the server that TILL_CONTROL names, with a catalog that its ini file names."""

import json
import os
from pathlib import Path

FACTS = Path(os.environ["FACTS"])


def test_uses_the_running_server(app, endpoint, till):
    ann = app.customer("ann")
    with till.snapshot():
        ann.buy("pro.month")
        endpoint.expect("SUBSCRIBED")
    assert ann.info.subscriptions == []
    value = {"control": till.connection.address, "sandbox": app.address, "bundleId": app.bundle_id, "keyId": app.key_id}
    (FACTS / "seen").write_text(json.dumps(value))
