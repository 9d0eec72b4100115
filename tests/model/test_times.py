"""Times: what is read as a time, and how times are compared."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Document, Query, RelevanceJudgment
from assay.model import days_between, is_later, is_without_zone, parse_time, periods_of, tags_of, time_text

TEN = datetime(2024, 5, 1, 10, 30, tzinfo=UTC)
DAY = date(2024, 5, 1)


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2024-05-01", DAY),
        (" 2024-05-01 ", DAY),
        (DAY, DAY),
        ("2024-05-01T10:30", TEN),
        ("2024-05-01 10:30:00", TEN),
        ("2024-05-01T10:30:00Z", TEN),
        ("2024-05-01t10:30:00z", TEN),
        ("2024-05-01T12:30:00+02:00", TEN),
        ("2024-05-01T12:30+0200", TEN),
        ("2024-05-01T12:30+02", TEN),
        ("2024-05-01T10:30:00.25Z", TEN + timedelta(seconds=0.25)),
        ("2024-05-01T10:30:00,250Z", TEN + timedelta(seconds=0.25)),
        ("Wed, 01 May 2024 10:30:00 GMT", TEN),
        ("1 may 2024 12:30 +0200", TEN),
        (TEN, TEN),
        (TEN.replace(tzinfo=None), TEN),
        (datetime(2024, 5, 1, 12, 30, tzinfo=timezone(timedelta(hours=2))), TEN),
        (TEN.timestamp(), TEN),
        (int(TEN.timestamp()), TEN),
        (int(TEN.timestamp() * 1000), TEN),
        (str(int(TEN.timestamp())), TEN),
        (f"{TEN.timestamp() * 1000:.0f}", TEN),
        (np.int64(TEN.timestamp()), TEN),
        (np.datetime64("2024-05-01T10:30"), TEN),
        (np.datetime64("2024-05-01T10:30:00.000000000"), TEN),
        (pd.Timestamp("2024-05-01T10:30"), TEN),
        (pd.Timestamp("2024-05-01T12:30", tz="Europe/Berlin"), TEN),
    ],
    ids=repr,
)
def test_one_time_in_many_spellings(value, time):
    found = parse_time(value)
    assert (type(found), found) == (type(time), time)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "soon",
            "2024",
            "2024-05",
            "1 May 2024",
            "Wed, 01 May 2024 10:30:00",
            "Wed, 31 Feb 2024 10:30:00 GMT",
            "Wed, 01 Mai 2024 10:30:00 GMT",
            "Wed, 01 May 2024 10:30:00 CEST",
            "05/01/2024",
            "2024-02-30",
            "2024-13-01",
            "2024-05-01T25:00",
            "20240501",
        ),
        *(
            "2024-05-01T10:30+25:00",
            "2024-05-01T10",
            "2024-05-01T10:30 Europe/Berlin",
            "nan",
            "inf",
            "0001-01-01T00:00+02:00",
        ),
        *(2024, 20240501, 0, -1, 1e14, 1e300, float("nan"), True, None, [], b"2024-05-01", np.datetime64("NaT"), pd.NaT),
    ],
    ids=repr,
)
def test_everything_else_is_refused(value):
    with pytest.raises(DataError, match="is not a time"):
        parse_time(value)


def test_a_zone_is_missing_only_if_there_is_an_hour():
    assert [is_without_zone(value) for value in ("2024-05-01T10:30", TEN.replace(tzinfo=None))] == [True, True]
    assert not any(map(is_without_zone, ("2024-05-01", "2024-05-01T10:30Z", "1714559400", 1714559400, TEN, DAY)))


MOMENTS = st.datetimes(datetime(1900, 1, 2), datetime(2200, 1, 1)).map(lambda time: time.replace(tzinfo=UTC))
TIMES = st.one_of(MOMENTS, st.dates(date(1900, 1, 2), date(2200, 1, 1)))


@given(TIMES)
def test_text_is_read_back(time):
    assert parse_time(time_text(time)) == time
    assert type(parse_time(time_text(time))) is type(time)


@given(TIMES, TIMES)
def test_the_later_of_two(first, second):
    assert not (is_later(first, second) and is_later(second, first))
    assert is_later(second, first) == (days_between(first, second) > 0)
    assert days_between(first, second) == -days_between(second, first)


def test_a_day_is_equal_to_all_of_its_hours():
    assert not is_later(TEN, DAY)
    assert not is_later(DAY, TEN)
    assert days_between(DAY, TEN) == 0
    assert days_between(DAY, TEN + timedelta(hours=14)) == 1
    assert days_between(TEN, TEN + timedelta(hours=36)) == 1.5


def test_periods_are_tags():
    periods = {"year": "2024", "month": "2024-12", "week": "2025-W01", "day": "2024-12-30"}
    assert periods_of(date(2024, 12, 30)) == periods
    assert tags_of(Query("q", time="2024-12-30T23:30:00-02:00")) == {**periods, "day": "2024-12-31"}
    own = tags_of(Query("q", time="2024-12-30", metadata={"month": "Advent"}))
    assert own == {**periods, "month": "Advent"}, "the query's own tag wins"


def test_records_parse_their_times():
    assert Query("q", time="2024-05-01T10:30Z").time == TEN == Document("d", time=1714559400).time
    assert Query("q").time is None
    for make in (lambda: Query("q", time="soon"), lambda: Document("d", time=2024)):
        with pytest.raises(DataError, match="is not a time"):
            make()


def test_a_judgment_holds_from_and_to():
    judgment = RelevanceJudgment("q", "d", 2, valid_from="2024-05-01", valid_to="2024-05-03T10:30Z")
    assert [
        judgment.holds_at(parse_time(time)) for time in ("2024-04-30T23:59Z", "2024-05-01T00:00Z", "2024-05-03T10:30Z")
    ] == [*(False, True, True)]
    assert judgment.holds_at(date(2024, 5, 3)), "a day counts completely"
    assert not judgment.holds_at(parse_time("2024-05-03T10:31Z"))
    assert not RelevanceJudgment("q", "d").has_interval
    assert RelevanceJudgment("q", "d", valid_to="2024-05-01").holds_at(date(1999, 1, 1))
    with pytest.raises(
        DataError, match=r"valid_to of document d for query q \(2024-05-01\) is before valid_from \(2024-05-02\)"
    ):
        RelevanceJudgment("q", "d", valid_from="2024-05-02", valid_to="2024-05-01")
    with pytest.raises(DataError, match="valid_from of document d for query q: 'soon' is not a time"):
        RelevanceJudgment("q", "d", valid_from="soon")
