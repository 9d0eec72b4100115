"""Where a store is, as people write it, and without passwords as they read it; and times, which sort as they passed."""

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from assay.store import Store, StoreLocation, parse_location, parse_since

FILES = {
    None: ".assay/assay.db",
    "": ".assay/assay.db",
    "results.db": "results.db",
    "a/b c?%41.db": "a/b c?%41.db",
    "sqlite:///x.db": "x.db",
    "sqlite:///a/x%20y.db": "a/x y.db",
    "sqlite:////data/x.db": "/data/x.db",
    Path("p.db"): "p.db",
}
SHOWN = {
    "postgresql://me:s3cret@host:5433/db": "postgresql://me:***@host:5433/db",
    "postgres://me:s3:cr@et@host/db": "postgresql://me:***@host/db",
    "postgresql+psycopg://host/db": "postgresql://host/db",
    "postgresql://me@host/db?password=s3cret&sslmode=require": "postgresql://me@host/db?password=***&sslmode=require",
    "postgresql://host/db?sslpassword=s3cret": "postgresql://host/db?sslpassword=***",
}


def test_places_as_they_are_written_and_without_passwords_as_they_are_shown():
    assert {given: parse_location(given, {}).path for given in FILES} == {given: Path(path) for given, path in FILES.items()}
    assert str(parse_location(None, {"ASSAY_STORE": "sqlite:///env.db"})) == "env.db"
    for url, shown in SHOWN.items():
        assert str(parse_location(url)) == f"{parse_location(url)}" == shown
        assert "s3" not in repr(parse_location(url)), url


WRONG = (
    *("mysql://me:s3cret@host/db", "sqlite://", "sqlite:///:memory:", ":memory:", "sqlite:x.db", "sqlite:///"),
    *("sqlite:///x.db?cache=shared", "postgresql://me:s3cret@host:port/db"),
)


def test_what_is_no_store_is_told_without_its_password_and_what_is_no_age(snapshots):
    snapshots.check_errors("store/locations", {place: lambda place=place: Store.open(place) for place in WRONG})
    words = ("", "30", "d", "30 days", "-3d", "2026-13-01", "yesterday")
    snapshots.check_errors("store/ages", {repr(word): lambda word=word: parse_since(word, NOON) for word in words})


def test_the_usual_folder_is_kept_out_of_repositories(tmp_path):
    (tmp_path / "killed" / ".assay").mkdir(parents=True)  # by a process that was killed then
    for folder in (tmp_path / ".assay", tmp_path / "killed" / ".assay"):
        StoreLocation(folder / "assay.db").make_room()
        assert (folder / ".gitignore").read_text() == "*\n", folder
    StoreLocation(tmp_path / "other" / "x.db").make_room()
    assert list((tmp_path / "other").iterdir()) == []


NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
MOMENTS = {
    "30d": "2026-10-16T12:00",
    "12h": "2026-11-15T00:00",
    "2w": "2026-11-01T12:00",
    "90m": "2026-11-15T10:30",
    "2026-11-01": "2026-11-01T00:00",
    "2026-11-01T11:30:00+02:00": "2026-11-01T09:30",
}
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))


def test_ages_and_days():
    for text, moment in MOMENTS.items():
        assert parse_since(text, NOON) == f"{moment}:00.000000+00:00"


@given(TIMES, TIMES)
def test_moments_sort_as_times_do(one, other):
    first, second = (parse_since(moment.isoformat(), NOON) for moment in (one, other))
    assert (first < second) == (one < other)
    assert parse_since(first, NOON) == first
