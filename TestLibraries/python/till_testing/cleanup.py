"""Deletes the apps of tests."""

from __future__ import annotations

from .operations import ServerOperations
from .transport import ControlConnection, ControlError, TillError


def delete_apps_of(connection: ControlConnection, prefix: str, kept=()):
    """Deletes everything whose name begins with a prefix, of a process that may have ended in the middle of a test,
    except the apps to keep."""
    control = ServerOperations(connection)
    for snapshot in control.list_snapshots():
        if snapshot.name.startswith(f"{prefix}."):
            control.remove_snapshot(snapshot.name)
    for app in control.list_apps():
        if app.bundleId.startswith(f"{prefix}.") and app.bundleId not in kept:
            delete_app(control, app.bundleId)


def delete_app(control: ServerOperations, bundle_id: str):
    try:
        control.reset(bundleId=bundle_id, everything=True)
    except ControlError as refusal:
        if refusal.code != "unknown_app":
            raise TillError(f"The app {bundle_id} was not deleted: {refusal}") from refusal
