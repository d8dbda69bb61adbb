"""One server for all workers of pytest-xdist: the controlling process starts it when the first worker needs it."""

from __future__ import annotations

import contextlib
import secrets
import threading
from multiprocessing.connection import Client, Listener
from typing import Optional

from .server import Till
from .transport import TillError


class SharedTill:
    """In the controlling process: answers the workers' questions for the server, and deletes what a crashed worker
    left behind."""

    def __init__(self):
        self._key = secrets.token_bytes(32)
        self._listener = Listener(("127.0.0.1", 0), backlog=64, authkey=self._key)
        self._lock = threading.Lock()
        self._till: Optional[Till] = None
        self._failure: Optional[str] = None
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def question(self) -> dict:
        """What a worker needs to ask. It crosses to the worker as plain values."""
        return {"port": self._listener.address[1], "key": self._key.hex()}

    def _serve(self):
        while True:
            try:
                connection = self._listener.accept()
            except OSError:
                return
            except Exception:  # Another program of this machine connected, without the key.
                continue
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with contextlib.suppress(OSError, EOFError), connection:
            connection.send(self._facts(connection.recv()))

    def _facts(self, worker: str) -> dict:
        """The facts for a worker. A worker that says `keep` and a bundle id needs none."""
        with self._lock:
            if worker.startswith("keep ") and self._till is not None:
                self._till.keep(worker[5:])
                return {}
            if self._till is None and self._failure is None:
                try:
                    self._till = Till.open()
                except TillError as error:
                    # The workers that ask later get the same answer at once.
                    self._failure = str(error)
            return {"failure": self._failure} if self._till is None else self._till.facts_for(worker)

    def worker_ended(self, worker: str):
        """Deletes the apps of a worker that crashed. If the server does not answer, the tests fail, and not the run."""
        with self._lock, contextlib.suppress(TillError):
            if self._till is not None:
                self._till.delete_apps(self._till.facts_for(worker)["prefix"])

    def close(self):
        self._listener.close()
        with self._lock:
            if self._till is not None:
                self._till.close()


def ask(question: dict, worker: str) -> Till:
    """In a worker: the server of the controlling process."""
    with Client(("127.0.0.1", question["port"]), authkey=bytes.fromhex(question["key"])) as connection:
        connection.send(worker)
        facts = connection.recv()
    if "failure" in facts:
        raise TillError(facts["failure"])
    return Till(facts)


def keep(question: dict, bundle_id: str):
    """In a worker: leaves an app on the running server that all workers share."""
    with Client(("127.0.0.1", question["port"]), authkey=bytes.fromhex(question["key"])) as connection:
        connection.send(f"keep {bundle_id}")
        connection.recv()
