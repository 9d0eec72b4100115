"""Times: moments and days, one strict parser, which of two is later, and how many days lie between them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.text import shortened

Time = date
"""A moment (`datetime`, in UTC) or, if the hour is not known, a day (`date`). A datetime is a date in Python."""

ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?", re.IGNORECASE)
"""A day, or a day with a time and perhaps a zone."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MAIL = re.compile(
    rf"(?:(?:mon|tue|wed|thu|fri|sat|sun), )?(\d\d?) ({'|'.join(MONTHS)}) (\d{{4}}) "
    r"(\d\d:\d\d(?::\d\d)?) (GMT|UTC?|[+-]\d{4})",
    re.IGNORECASE,
)
"""The date of e-mails (RFC 5322) and news feeds, with a zone: `Wed, 01 May 2024 10:30:00 GMT`."""
NUMBER = re.compile(r"-?\d+(\.\d+)?")
FEWEST_SECONDS, MOST_SECONDS, MOST_MILLISECONDS = 1e8, 1e11, 1e14
"""From the first (March 1973) on, numbers are seconds; from the second on, milliseconds. A year such as 2024 is neither."""
EXPECTED = "expected ISO 8601 such as 2024-05-01 or 2024-05-01T10:30:00Z, or seconds or milliseconds since 1970"
SECONDS_PER_DAY = 86_400.0


def parse_time(value: object) -> Time:
    """The time that a text, a number or an object of `datetime` means; a DataError for anything else.

    A time without a zone is in UTC. A day stays a day: it is not midnight.
    """
    if isinstance(value, datetime):
        return _in_utc(_plain(value))
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        text = value.strip()
        if match := ISO.fullmatch(_iso_of_mail(text)):
            return _parse_iso(match, value)
        if not NUMBER.fullmatch(text):
            raise DataError(f"{shortened(value)} is not a time; {EXPECTED}")
        return _of_number(float(text), value)
    if isinstance(value, np.generic):
        return parse_time(_of_numpy(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _of_number(float(value), value)
    raise DataError(f"{shortened(value)} is not a time; {EXPECTED}")


def _iso_of_mail(text: str) -> str:
    """The date of an e-mail as ISO 8601; anything else unchanged."""
    if (match := MAIL.fullmatch(text)) is None:
        return text
    day, month, year, clock, zone = match.groups()
    offset = zone if zone[0] in "+-" else "Z"
    return f"{year}-{MONTHS.index(month.lower()) + 1:02}-{int(day):02}T{clock}{offset}"


def is_without_zone(value: object) -> bool:
    """Whether a value that `parse_time` accepts has an hour but no zone, so that UTC is an assumption."""
    if isinstance(value, datetime):
        return value.tzinfo is None
    match = ISO.fullmatch(value.strip()) if isinstance(value, str) else None
    return match is not None and match[2] is not None and match[3] is None


def _parse_iso(match: re.Match[str], value: str) -> Time:
    day, clock, zone = match.groups()
    try:
        if clock is None:
            return date.fromisoformat(day)
        zone = "+00:00" if zone is None or zone in "Zz" else zone
        return _in_utc(datetime.fromisoformat(f"{day}T{clock.replace(',', '.')}{zone}"))
    except (ValueError, OverflowError) as error:
        raise DataError(f"{shortened(value)} is not a time: {error}") from None


def _of_number(number: float, value: object) -> datetime:
    """Seconds or milliseconds since 1970, by their size."""
    if FEWEST_SECONDS <= number < MOST_SECONDS:
        return _since_1970(number)
    if MOST_SECONDS <= number < MOST_MILLISECONDS:
        return _since_1970(number / 1000)
    raise DataError(
        f"{shortened(value)} is not a time: a number must be seconds or milliseconds since 1970, after March 1973"
    )


def _since_1970(seconds: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def _of_numpy(value: Any) -> object:
    """A NumPy scalar as an object of Python; a datetime64 with its microseconds."""
    is_time = str(getattr(value, "dtype", "")).startswith("datetime64")
    plain = value.astype("datetime64[us]").item() if is_time else value.item()
    if plain is None or isinstance(plain, np.generic):
        raise DataError(f"{value} is not a time; {EXPECTED}")
    return plain


def _plain(value: datetime) -> datetime:
    """A datetime of the standard library, also from a subclass such as a Timestamp of pandas."""
    if type(value) is datetime:
        return value
    try:
        return datetime.fromisoformat(value.isoformat()[:26] if value.tzinfo is None else value.isoformat())
    except ValueError:  # NaT, or nanoseconds
        raise DataError(f"{value} is not a time; {EXPECTED}") from None


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise DataError(f"{value.isoformat()} is not a time: {error}") from None


def time_text(time: Time) -> str:
    """ISO 8601: `2024-05-01` for a day, `2024-05-01T10:30:00Z` for a moment. `parse_time` reads it back."""
    return time.isoformat().replace("+00:00", "Z") if isinstance(time, datetime) else time.isoformat()


def is_moment(time: Time) -> bool:
    """Whether the hour is known."""
    return isinstance(time, datetime)


def day_of(time: Time) -> date:
    """The day, in UTC."""
    return time.date() if isinstance(time, datetime) else time


def is_later(first: Time, second: Time) -> bool:
    """Whether the first is later. If one of them is a day, days are compared, so that times of the same day are equal."""
    if isinstance(first, datetime) and isinstance(second, datetime):
        return first > second
    return day_of(first) > day_of(second)


def days_between(first: Time, second: Time) -> float:
    """Days from the first to the second; negative if the second is earlier. If one of them is a day, whole days."""
    if isinstance(first, datetime) and isinstance(second, datetime):
        return (second - first).total_seconds() / SECONDS_PER_DAY
    return float((day_of(second) - day_of(first)).days)


PERIODS = ("year", "month", "week", "day")
"""Tags that are derived from the time of a query."""


def periods_of(time: Time) -> dict[str, str]:
    """The periods that contain a time, in UTC: year 2024, month 2024-05, week 2024-W18 (ISO 8601), day 2024-05-01."""
    day = day_of(time)
    year, week, _ = day.isocalendar()
    return dict(zip(PERIODS, (f"{day:%Y}", f"{day:%Y-%m}", f"{year}-W{week:02}", day.isoformat()), strict=True))


RELEVANT_AGE = "relevant_age"
"""The tag that says how old the document is that a query looks for."""
AGE_BINS = {"day": 1.0, "week": 7.0, "month": 31.0, "quarter": 92.0, "year": 366.0, "older": float("inf")}
"""Value of the tag → the highest age in days."""


def age_bin(days: float) -> str:
    """The value of the tag for an age. An age below 0 counts as 0."""
    return next(name for name, most in AGE_BINS.items() if days <= most)
