"""Sends requests to the control API, and decodes its answers."""

from __future__ import annotations

import http.client
import json
import sys
import time
import typing
import urllib.error
import urllib.request
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional
from urllib.parse import quote, urlencode

# Till is on this machine or in the same network; a proxy of the environment would not find it.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


# How many seconds the note about an end of the server may come after the last connection was refused.
END_LIMIT = 5
# How many lines of the log the message about an end of the server has.
LOG_LINES = 15


class TillError(Exception):
    """The test library cannot do what a test asks for."""


class ServerEnded(TillError):
    """The temporary server has ended before the tests."""


class ControlError(TillError):
    """The control API refused a request. `code` is for programs, for example `already_subscribed`."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message


def part(text: Any) -> str:
    """A value as one part of a path."""
    return quote(str(text), safe="")


class ControlConnection:
    """The address of a control API, and the token for it."""

    def __init__(self, address: str, token: Optional[str] = None, settle: int = 30):
        self.address = address.rstrip("/")
        self.token = token
        # The folder of a temporary server, which has its log and, after its end, its exit status.
        self.folder: Optional[Path] = None
        # How many seconds an operation waits until its notifications are delivered.
        self.settle = settle

    def send(self, verb: str, path: str, body: Any = None, query: Optional[dict] = None) -> Any:
        """Sends a request, and returns the JSON of the answer. Values that are None are not sent."""
        pairs = [(key, _text(value)) for key, value in (query or {}).items() if value is not None]
        address = self.address + path + (f"?{urlencode(pairs)}" if pairs else "")
        headers = {"Accept": "application/json"}
        data = None
        if body is not None:
            present = {key: value for key, value in body.items() if value is not None}
            data, headers["Content-Type"] = json.dumps(present).encode(), "application/json"
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(address, data, headers, method=verb)
        try:
            with _opener.open(request, timeout=self.settle + 60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as refusal:
            raise _refusal(refusal.code, refusal.read()) from None
        except (OSError, http.client.HTTPException) as error:
            self.check_server(END_LIMIT)
            raise TillError(f"No answer from the control API at {self.address}: {error}") from None
        return json.loads(text) if text else None

    def check_server(self, wait: float = 0):
        """Raises `ServerEnded` if a temporary server has ended, or ends within some seconds."""
        deadline = time.monotonic() + wait
        while self.folder is not None:
            if not self.folder.exists():
                raise ServerEnded("The temporary server was stopped before the tests ended.")
            if (self.folder / "ended").exists():
                status = (self.folder / "ended").read_text()
                log = (self.folder / "log").read_text(errors="replace").splitlines()[-LOG_LINES:]
                raise ServerEnded("\n".join([f"The temporary server has ended with the status {status}.", *log]))
            if time.monotonic() >= deadline:
                return
            time.sleep(0.05)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, list) else str(value)


def _refusal(status: int, body: bytes) -> ControlError:
    try:
        answer = json.loads(body)
        return ControlError(status, answer["code"], answer["message"])
    except (ValueError, KeyError, TypeError):
        return ControlError(status, "no_control_api", f"not an answer of Till's control API: {body[:200]!r}")


class Sender:
    """What the generated operations need: a connection, and the conversion of answers."""

    def __init__(self, connection: ControlConnection):
        self.connection = connection

    def _send(self, verb: str, path: str, kind: Any, body=None, query=None, settles: bool = False) -> Any:
        if settles:
            query = {**(query or {}), "settle": self.connection.settle}
        return decode(kind, self.connection.send(verb, path, body, query))


@lru_cache(maxsize=None)
def _field_types(kind: type) -> dict:
    names = vars(sys.modules[kind.__module__])
    types = typing.get_type_hints(kind, names)
    return {field.name: types[field.name] for field in fields(kind)}


def decode(kind: Any, value: Any) -> Any:
    """An answer as objects of the contract. Keys that this version of the library does not know are ignored."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if value is None or kind is None:
        return None
    if origin is list:
        return [decode(arguments[0], item) for item in value]
    if origin is dict:
        return {key: decode(arguments[1], item) for key, item in value.items()}
    if origin is typing.Union:
        return decode(arguments[0], value)
    if not is_dataclass(kind):
        return value
    known = {}
    for name, type_ in _field_types(kind).items():
        key = name.rstrip("_")
        if key in value:
            known[name] = decode(type_, value[key])
    return kind(**known)
