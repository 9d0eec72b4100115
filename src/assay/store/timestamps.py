"""Timestamps: times as text in one format, in UTC and of one width, so that they sort by time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from assay.errors import BadParameter

UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def now() -> str:
    """The current time, to the microsecond."""
    return format_timestamp(datetime.now(UTC))


def format_timestamp(when: datetime) -> str:
    """A time in the format of the store; a time without a zone is read as UTC."""
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="microseconds")


def parse_timestamp(text: object) -> str | None:
    """A written time in the format of the store; None if it is not a time."""
    try:
        return format_timestamp(datetime.fromisoformat(str(text)))
    except (ValueError, OverflowError):
        return None


def parse_since(text: str, today: datetime | None = None, *, name: str = "since") -> str:
    """Parse `30d`, `12h`, `45m` (minutes), `2w`, or a day such as 2026-11-15 to the time it means; errors name it `name`."""
    if not isinstance(text, str):
        raise BadParameter(f"{name} must be text such as 30d or 2026-11-15, not {text!r}")
    shape = re.fullmatch(r"(\d{1,5})([mhdw])", text.strip())
    try:
        if shape:
            return format_timestamp((today or datetime.now(UTC)) - int(shape[1]) * UNITS[shape[2]])
        return format_timestamp(datetime.combine(date.fromisoformat(text.strip()), datetime.min.time()))
    except (ValueError, OverflowError):
        pass
    if (moment := parse_timestamp(text.strip())) is not None:
        return moment
    forms = "an age such as 30d, 12h, 45m (minutes) or 2w, or a day such as 2026-11-15"
    raise BadParameter(f"{name} must be {forms}, not {text!r}")
