"""Times sort as they passed."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.store.moments import as_moment, now, parse_since, read_moment

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


@given(TIMES, TIMES)
def test_moments_sort_as_times_do(one, other):
    assert (as_moment(one) < as_moment(other)) == (one < other)
    assert read_moment(as_moment(one)) == as_moment(one)


def test_other_zones_and_none_are_brought_to_one():
    assert as_moment(NOON.astimezone(timezone(timedelta(hours=2)))) == "2026-11-15T12:00:00.000000+00:00"
    assert read_moment("2026-11-15T14:00:00+02:00") == read_moment("2026-11-15T12:00:00") == as_moment(NOON)
    assert read_moment("soon") is None
    assert read_moment(None) is None
    assert len(now()) == len(as_moment(NOON))


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
