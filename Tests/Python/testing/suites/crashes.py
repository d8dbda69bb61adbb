"""A suite in which two workers crash in the middle of a test. The last test checks what they left behind."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

FACTS = Path(os.environ["FACTS"])


def write(name: str, app):
    with app.endpoint(), app.snapshot():
        app.customer("ann").buy("pro.month")
        status = app.till.control.get_status()
        value = {
            "bundleId": app.bundle_id, "keyId": app.key_id, "process": os.getpid(),
            "control": app.till.connection.address, "dataDirectory": status.dataDirectory,
        }
        assert app.bundle_id in [other.bundleId for other in app.till.control.list_apps()]
        assert [item.bundleId for item in app.till.control.list_snapshots()].count(app.bundle_id) == 1
        (FACTS / f".{name}").write_text(json.dumps(value))
        (FACTS / f".{name}").rename(FACTS / name)
        if name == "exits":
            os._exit(1)
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("name", ["exits", "killed"])
@pytest.mark.till(catalog=os.environ["CATALOG"])
def test_that_crashes(name, app):
    write(name, app)


def test_nothing_is_left(app, till):
    crashed = []
    deadline = time.monotonic() + 240
    while True:
        crashed = [json.loads((FACTS / name).read_text()) for name in ("exits", "killed") if (FACTS / name).exists()]
        if len(crashed) == 2 and [item.bundleId for item in till.control.list_apps()] == [app.bundle_id]:
            break
        assert time.monotonic() < deadline, (crashed, till.control.list_apps())
        time.sleep(0.01)
    assert till.control.list_snapshots() == []
    assert [key.keyId for key in till.control.list_keys()] == [app.key_id]
    (FACTS / "seen").write_text(json.dumps([item["bundleId"] for item in crashed]))
