"""What pytest reports about the app of a failed test."""

from __future__ import annotations

from typing import List

from .app import App
from .clock import date
from .transport import ServerEnded

NOTIFICATIONS, REQUESTS = 20, 10
MAX_LINE = 300


def describe(app: App) -> str:
    """The app, its latest notifications with their deliveries, and the requests that the server refused."""
    lines = [f"App {app.bundle_id} ({app.environment}); control API {app.till.connection.address}"]
    try:
        lines.append(f"The clock shows {date(app.clock.milliseconds)}.")
        lines += _notifications(app) + _requests(app)
    except ServerEnded:
        raise
    except Exception as error:  # The report of the test matters more.
        lines.append(f"More is unknown: {error!r}")
    return "\n".join(line[:MAX_LINE] for line in lines)


def _notifications(app: App) -> List[str]:
    found = app.control.list_notifications(limit=NOTIFICATIONS).notifications
    lines = [f"The latest {NOTIFICATIONS} notifications, newest first:" if found else "No notifications."]
    for item in found:
        name = f"{item.notificationType}/{item.subtype}" if item.subtype else item.notificationType
        deliveries = [f"{each.endpoint}: {_state(each)}" for each in item.deliveries] or ["no endpoint"]
        about = f" of {item.customer}" if item.customer else ""
        lines.append(f"  {date(item.signedDate)} {name}{about}; {', '.join(deliveries)}")
    return lines


def _state(delivery) -> str:
    results = [attempt.sendAttemptResult for attempt in delivery.attempts]
    if delivery.isDelivered:
        return "delivered" if len(results) < 2 else f"delivered at attempt {len(results)}"
    return f"not delivered ({', '.join(results) or 'no attempt'})"


def _requests(app: App) -> List[str]:
    found = app.control.list_requests(refused=True, limit=REQUESTS).entries
    lines = [f"The latest {REQUESTS} refused requests, newest first:"] if found else []
    return lines + [f"  {item.method} {item.path}: {item.status} {item.explanation}" for item in found]
