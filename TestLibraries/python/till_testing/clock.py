"""`Clock`: the clock of an app."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Optional, Union

from .answers import AdvanceReportInfo
from .transport import TillError

if TYPE_CHECKING:
    from .app import App

UTC = datetime.timezone.utc
Time = Union[datetime.date, int, str]


def milliseconds(time: Time, name: str = "time") -> int:
    """A time as milliseconds since 1970, from such a number, a date and time, or ISO 8601 text. Without an offset, it
    is UTC. `name` is that of the argument, for the message of an error."""
    given = time
    if isinstance(time, str):
        try:
            # Python 3.10 and older do not read the letter.
            time = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
        except ValueError:
            time = None
    if isinstance(time, datetime.date) and not isinstance(time, datetime.datetime):
        time = datetime.datetime(time.year, time.month, time.day)
    if isinstance(time, datetime.datetime):
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return (time - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(milliseconds=1)
    if not isinstance(time, (int, float)) or isinstance(time, bool):
        raise TillError(
            f'{name} is {given!r}, which is not a time: use a datetime, text such as "2025-01-31T12:00:00Z", or '
            "milliseconds since 1970."
        )
    return int(time)


def date(milliseconds: int) -> str:
    """A time for people."""
    return datetime.datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Clock:
    """The clock of an app. An advance returns when its notifications are delivered, or cannot be delivered now."""

    def __init__(self, app: App, name: Optional[str]):
        self._control = app.control
        # The name of a customer clock; None for the environment's clock.
        self.name = name

    @property
    def milliseconds(self) -> int:
        """The time that the clock shows, in milliseconds since 1970, as in Apple's payloads."""
        return self._control.get_clock(clock=self.name).now

    @property
    def now(self) -> datetime.datetime:
        """The time that the clock shows, in UTC."""
        return datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(milliseconds=self.milliseconds)

    def advance(self, by: Union[str, datetime.timedelta]) -> AdvanceReportInfo:
        """Advances the clock by a duration, such as "1w", "1mo", "36h" or "P1M", or by a timedelta."""
        if isinstance(by, datetime.timedelta):
            by = f"PT{by // datetime.timedelta(seconds=1)}S"
        if not isinstance(by, str):
            raise TillError(f'by is {by!r}, which is not a duration: use text such as "1mo", or a timedelta.')
        return self._control.advance_clock(clock=self.name, by=by)

    def advance_to(self, time: Time) -> AdvanceReportInfo:
        """Advances the clock to a time: a datetime or date, ISO 8601 text, or milliseconds since 1970."""
        return self._control.advance_clock(clock=self.name, to=milliseconds(time))

    def advance_to_next_event(self) -> AdvanceReportInfo:
        """Advances the clock to the next event, such as a renewal or the next attempt of a delivery."""
        return self._control.advance_clock(clock=self.name, toNextEvent=True)
