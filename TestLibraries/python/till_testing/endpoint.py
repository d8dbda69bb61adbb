"""`Endpoint`: a receiver of notifications that verifies and collects them."""

from __future__ import annotations

import base64
import difflib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Dict, List, Optional

from . import operations
from .clock import date
from .transport import ControlError, ServerEnded, TillError

if TYPE_CHECKING:
    from .app import App

LIMIT = 10.0


class Notification:
    """A verified notification."""

    def __init__(self, signed_payload: str, verifier):
        # What Till posted; pass it to your own code.
        self.signedPayload = signed_payload
        # The payload, as Apple's library decodes it.
        self.payload = verifier.verify_and_decode_notification(signed_payload)
        data = self.payload.data
        transaction, renewal = getattr(data, "signedTransactionInfo", None), getattr(data, "signedRenewalInfo", None)
        # The decoded transaction and renewal info; None if the notification has none.
        self.transaction = verifier.verify_and_decode_signed_transaction(transaction) if transaction else None
        self.renewal = verifier.verify_and_decode_renewal_info(renewal) if renewal else None

    @property
    def type(self) -> str:
        return self.payload.rawNotificationType

    @property
    def subtype(self) -> Optional[str]:
        return self.payload.rawSubtype

    def __repr__(self) -> str:
        return f"<Notification {_name(self.type, self.subtype)}>"


class Endpoint:
    """A receiver on a free port of 127.0.0.1, which is the endpoint "primary" of an app, or "test" if there is a
    primary one."""

    def __init__(self, app: App):
        self._app = app
        self._verifier = app.verifier()
        self._changed = threading.Condition()
        self._received: List[Notification] = []
        # How many deliveries of each notification arrived, by notificationUUID.
        self._attempts: Dict[str, int] = {}
        self._claimed: List[Notification] = []
        # What was not collected, with the reason, for the message of a failure.
        self._refused: List[str] = []
        self._failures: List[int] = []
        self._server = _Server(("127.0.0.1", 0), _handler(self._answer))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            app._add(self)
        except BaseException:
            self._stop()
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/notifications"

    @property
    def received(self) -> List[Notification]:
        """All verified notifications, in the order of their arrival. A notification that is delivered again counts
        once."""
        with self._changed:
            return list(self._received)

    @property
    def unexpected(self) -> List[Notification]:
        """The notifications that no call of `expect` has returned so far."""
        with self._changed:
            return [item for item in self._received if item not in self._claimed]

    def attempts(self, notification: Notification) -> int:
        """How many deliveries of a notification arrived, with those that `fail` refused."""
        with self._changed:
            return self._attempts.get(notification.payload.notificationUUID, 0)

    def expect(self, type: str, subtype: Optional[str] = None, timeout: float = LIMIT) -> Notification:
        """Returns the first notification of this type that no earlier call has returned. Waits for it if necessary, at
        most `timeout` seconds, if the App Store has such a type. Without `subtype`, a notification with any subtype is
        returned; with `subtype=""`, only one without a subtype. "SUBSCRIBED/INITIAL_BUY" is a type and a subtype."""
        __tracebackhide__ = True  # pytest shows the line of the test.
        if "/" in type and subtype is None:
            type, _, subtype = type.partition("/")
        timeout = timeout if type in operations.NOTIFICATION_TYPES else 0
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for item in self._received:
                    if item not in self._claimed and item.type == type and subtype in (None, item.subtype or ""):
                        self._claimed.append(item)
                        return item
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        raise AssertionError(self._explanation(type, subtype, timeout))

    def expect_nothing_else(self):
        """Fails if a notification arrived that no call of `expect` has returned."""
        __tracebackhide__ = True
        if self.unexpected:
            raise AssertionError("\n".join(["Nothing else was expected.", *self._arrivals()]))

    def fail(self, status: int = 500, times: int = 1):
        """Answers the next deliveries with this status, but accepts again what was accepted before. Till repeats them
        on the clock of the app, first after an hour."""
        with self._changed:
            self._failures += [status] * times

    def clear(self):
        """Forgets what has arrived, and the failures that were asked for."""
        with self._changed:
            for part in (self._received, self._attempts, self._claimed, self._refused, self._failures):
                part.clear()

    def close(self):
        """Removes the endpoint from the app, and stops the receiver."""
        try:
            self._app._remove(self)
        except ControlError as refusal:
            # The test has deleted the app or the endpoint.
            if refusal.code not in ("unknown_app", "unknown_endpoint"):
                raise
        except ServerEnded:
            pass
        finally:
            self._stop()

    def _stop(self):
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *_):
        self.close()

    def _answer(self, body: bytes) -> int:
        """Collects a delivery, and returns the status of the answer."""
        try:
            item, reason = Notification(json.loads(body)["signedPayload"], self._verifier), None
        except Exception as error:  # Whatever the reason, the delivery is not valid, and the test must learn why.
            item, reason = None, f"not valid ({error!r}): {_type_of(body)}"
        with self._changed:
            status = self._status_for(item)
            if item is None:
                self._refused.append(reason)
            elif status != 200:
                self._refused.append(f"answered with {status}, as endpoint.fail demands: {_type_of(body)}")
            self._changed.notify_all()
        return status

    def _status_for(self, item: Optional[Notification]) -> int:
        if item is None:
            return 400
        number = item.payload.notificationUUID
        self._attempts[number] = self._attempts.get(number, 0) + 1
        # Till repeats an accepted delivery if it could not record the answer. This must not use up a failure.
        if any(known.payload.notificationUUID == number for known in self._received):
            return 200
        if self._failures:
            return self._failures.pop(0)
        self._received.append(item)
        return 200

    def _explanation(self, type: str, subtype: Optional[str], timeout: float) -> str:
        """What arrived instead, and what happens next."""
        lines = [f"{_name(type, subtype)} did not arrive within {timeout:g} s."]
        if type not in operations.NOTIFICATION_TYPES:
            close = difflib.get_close_matches(type, operations.NOTIFICATION_TYPES, 1)
            hint = f" Did you mean {close[0]}?" if close else ""
            lines = [f"{type} did not arrive. The App Store has no notification type {type}.{hint}"]
        lines += self._arrivals()
        try:
            lines += self._faults(type)
            lines += self._upcoming()
        except ServerEnded:
            raise
        except TillError as error:
            lines.append(f"The upcoming events are unknown: {error}")
        return "\n".join(lines)

    def _arrivals(self) -> List[str]:
        received = self.received
        lines = ["Arrived:" if received else "No notification arrived."]
        for item in received:
            signed = date(item.payload.signedDate) if item.payload.signedDate else "no date"
            used = " (returned by an earlier expect)" if item in self._claimed else ""
            lines.append(f"  {_name(item.type, item.subtype)} of {signed}{used}")
        if self._refused:
            lines += ["Not accepted:", *(f"  {reason}" for reason in self._refused)]
        return lines

    def _faults(self, type: str) -> List[str]:
        """The faults that hit notifications of a type, such as one that dropped it."""
        log = self._app.control.list_requests(path=type, limit=20)
        hits = [entry for entry in log.entries if entry.path == type and entry.explanation.startswith("Fault ")]
        return [f"A fault rule hit {entry.path}: {entry.explanation}" for entry in hits[:5]]

    def _upcoming(self) -> List[str]:
        clock = self._app.clock
        upcoming = self._app.control.list_upcoming_events(clock=clock.name, limit=3)
        lines = [f"The clock shows {date(clock.milliseconds)}."]
        if upcoming.events:
            events = ", ".join(f"{event.event} of {event.customer} at {date(event.date)}" for event in upcoming.events)
            lines.append(f"Next events: {events}.")
        if upcoming.nextAttemptDate:
            lines.append(f"Next attempt of a delivery: {date(upcoming.nextAttemptDate)}.")
        return lines


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # The usual backlog of five is too short for an advance with many deliveries.
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Says nothing about a connection that Till closed."""


def _handler(answer):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            length = self.headers.get("Content-Length", "0")
            status = answer(self.rfile.read(int(length))) if length.isdecimal() else 400
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler


def _name(type: str, subtype: Optional[str]) -> str:
    return f"{type}/{subtype}" if subtype else type


def _type_of(body: bytes) -> str:
    """The type in a payload that was not verified."""
    try:
        part = json.loads(body)["signedPayload"].split(".")[1]
        payload = json.loads(base64.urlsafe_b64decode(part + "=="))
        return _name(payload["notificationType"], payload.get("subtype"))
    except Exception:
        return f"{len(body)} bytes"
