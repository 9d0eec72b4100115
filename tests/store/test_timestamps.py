"""Times sort as they passed."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.store.timestamps import format_timestamp, now, parse_since, parse_timestamp

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


@given(TIMES, TIMES)
def test_moments_sort_as_times_do(one, other):
    assert (format_timestamp(one) < format_timestamp(other)) == (one < other)
    assert parse_timestamp(format_timestamp(one)) == format_timestamp(one)


def test_other_zones_and_none_are_brought_to_one():
    assert format_timestamp(NOON.astimezone(timezone(timedelta(hours=2)))) == "2026-11-15T12:00:00.000000+00:00"
    assert parse_timestamp("2026-11-15T14:00:00+02:00") == parse_timestamp("2026-11-15T12:00:00") == format_timestamp(NOON)
    assert parse_timestamp("soon") is None
    assert parse_timestamp(None) is None
    assert len(now()) == len(format_timestamp(NOON))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("30d", "2026-10-16T12:00:00.000000+00:00"),
        ("12h", "2026-11-15T00:00:00.000000+00:00"),
        ("2w", "2026-11-01T12:00:00.000000+00:00"),
        ("90m", "2026-11-15T10:30:00.000000+00:00"),
        ("2026-11-01", "2026-11-01T00:00:00.000000+00:00"),
        ("2026-11-01T09:30:00+00:00", "2026-11-01T09:30:00.000000+00:00"),
    ],
)
def test_ages_and_days(text, moment):
    assert parse_since(text, NOON) == moment


@pytest.mark.parametrize("text", ["", "30", "d", "30 days", "-3d", "2026-13-01", "yesterday"])
def test_what_is_no_age_is_told(text):
    with pytest.raises(BadParameter, match=r"since is an age such as 30d"):
        parse_since(text, NOON)
