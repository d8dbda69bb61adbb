"""`Till`: a server for tests, temporary or running already."""

from __future__ import annotations

import contextlib
import os
import ssl
import uuid
from pathlib import Path
from typing import Optional
from urllib.parse import urlsplit

from .app import App
from .cleanup import delete_apps_of
from .operations import ServerOperations
from .process import TemporaryServer, Watcher
from .transport import ControlConnection, ControlError, ServerEnded, TillError

TEAM = "Tests"


class Till:
    """A server. Each app of a test is deleted at the end of the test, and the rest when the server is closed."""

    def __init__(self, facts: dict, owned=None):
        self._owned = owned
        self.facts = facts
        self.sandbox: str = facts["sandbox"]
        self.production: str = facts["production"]
        # All apps of this process have bundle ids that begin with this prefix.
        self.prefix: str = facts["prefix"]
        self.connection = ControlConnection(facts["control"], facts.get("token"))
        if "folder" in facts:
            self.connection.folder = Path(facts["folder"])
        self.control = ServerOperations(self.connection)
        self.root_certificate = ssl.PEM_cert_to_DER_cert(facts["rootCertificate"])
        # The apps that are not deleted.
        self.apps: list = []
        # The bundle ids of apps that stay on a running server.
        self.kept: list = []
        self._numbers = 0

    @classmethod
    def open(cls) -> Till:
        """Connects to the server that TILL_CONTROL names. Without this variable, starts a temporary server."""
        prefix = f"test.r{uuid.uuid4().hex[:12]}"
        if address := os.environ.get("TILL_CONTROL"):
            return cls._connect(address, os.environ.get("TILL_CONTROL_TOKEN"), prefix)
        server = TemporaryServer.start()
        facts = {key: server.facts[key] for key in ("control", "sandbox", "production")}
        return cls(_complete({**facts, "folder": server.folder}, prefix), server)

    @classmethod
    def _connect(cls, address: str, token: Optional[str], prefix: str) -> Till:
        facts = {"control": address, "token": token}
        host = _host(address)
        try:
            ports = ServerOperations(ControlConnection(address, token)).get_status().ports
        except ControlError as refusal:
            text = f"{refusal.message} TILL_CONTROL is {address}."
            if refusal.status == 401:
                text += " TILL_CONTROL_TOKEN must be a token with the scope administer."
            raise ControlError(refusal.status, refusal.code, text) from None
        except TillError as error:
            raise TillError(
                f"{error}. TILL_CONTROL names this server: start it, or unset TILL_CONTROL to use a temporary one."
            ) from None
        # As in `till exec`. A container can map the ports to others.
        facts["sandbox"] = os.environ.get("TILL_SANDBOX") or f"http://{host}:{ports.sandbox}"
        facts["production"] = os.environ.get("TILL_PRODUCTION") or f"http://{host}:{ports.production}"
        package = str(Path(__file__).resolve().parents[1])
        watcher = Watcher({"control": address, "token": token, "prefix": prefix, "package": package})
        return cls(_complete(facts, prefix), watcher)

    def facts_for(self, worker: str) -> dict:
        """The facts with which another process uses this server, for apps of its own."""
        return {**self.facts, "prefix": f"{self.prefix}.{worker}"}

    def app(self, catalog=None, *, environment: str = "sandbox", start=None) -> App:
        """Creates an app. `catalog` is the path of a .storekit file, or its content. `start` is the time that the app's
        clock shows at first; by default, it shows the present time."""
        self._numbers += 1
        return App(self, f"{self.prefix}.n{self._numbers}", catalog, environment, start)

    @contextlib.contextmanager
    def snapshot(self, *apps: App):
        """Restores the state of the apps at the end of the block: of these apps, or of all apps of this process."""
        names, saved = [], apps or list(self.apps)
        try:
            for app in saved:
                self._numbers += 1
                names.append(f"{app.bundle_id}.s{self._numbers}")
                self.control.save_snapshot(names[-1], bundleId=app.bundle_id)
            try:
                yield
            finally:
                for name, app in zip(names, saved):
                    self.control.restore_snapshot(name)
                    app._restored()
        finally:
            for name in names:
                with contextlib.suppress(ControlError):
                    self.control.remove_snapshot(name)

    def keep(self, bundle_id: str):
        """Leaves an app on a running server."""
        self.kept.append(bundle_id)
        if isinstance(self._owned, Watcher):
            self._owned.tell(bundle_id)

    def delete_apps(self, prefix: Optional[str] = None):
        """Deletes the apps and snapshots of this process, or those of another process of the same run."""
        delete_apps_of(self.connection, prefix or self.prefix, self.kept)

    def close(self):
        """Stops a temporary server. From a server that was running already, deletes what this process created."""
        if self._owned is None:
            with contextlib.suppress(ServerEnded):
                self.delete_apps()
        else:
            self._owned.stop()

    def __enter__(self) -> Till:
        return self

    def __exit__(self, *_):
        self.close()


def _host(address: str) -> str:
    """The host of an address, with brackets if it is an IPv6 address."""
    try:
        parts = urlsplit(address)
        host = parts.hostname if parts.scheme in ("http", "https") else None
        parts.port
    except ValueError:
        host = None
    if not host:
        raise TillError(f"TILL_CONTROL is {address!r}, which is not a URL such as http://127.0.0.1:8890.")
    return f"[{host}]" if ":" in host else host


def _complete(facts: dict, prefix: str) -> dict:
    """Adds the team and the root certificate. If a server has several teams, each app must name its team."""
    control = ServerOperations(ControlConnection(facts["control"], facts.get("token")))
    team = next((team for team in control.list_teams() if team.name == TEAM), None) or control.create_team(TEAM)
    root = control.get_authority().rootCertificate
    return {**facts, "prefix": prefix, "issuerId": team.issuerId, "rootCertificate": root}
