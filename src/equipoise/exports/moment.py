"""When an export says that it was made: never the clock, so that the same audit gives the same bytes."""

from __future__ import annotations

import datetime as dt


def instant(recorded: dt.datetime | None, as_of: dt.date | str) -> str:
    """A time with zone, to the second.

    Args:
        recorded: when the audit was made, with a time zone; None takes the start (UTC) of the day for which the evidence was read.
        as_of: that day.

    Raises:
        ValueError: the time has no zone.
    """
    if recorded is None:
        day = as_of if isinstance(as_of, str) else as_of.isoformat()
        return f"{day}T00:00:00Z"
    if recorded.tzinfo is None:
        message = "expected a time with a zone"
        raise ValueError(message)
    return recorded.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
