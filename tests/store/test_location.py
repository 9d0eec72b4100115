"""Where a store is: as people write it, and without passwords as they read it."""

from pathlib import Path

import pytest

from assay.errors import BadParameter, StoreError
from assay.store.location import StoreLocation, parse_location


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (None, ".assay/assay.db"),
        ("", ".assay/assay.db"),
        ("results.db", "results.db"),
        ("a/b c?%41.db", "a/b c?%41.db"),
        ("sqlite:///x.db", "x.db"),
        ("sqlite:///a/x%20y.db", "a/x y.db"),
        ("sqlite:////data/x.db", "/data/x.db"),
        (Path("p.db"), "p.db"),
    ],
)
def test_files(given, path):
    assert parse_location(given, {}).path == Path(path)


def test_what_is_given_goes_before_the_environment_and_that_before_the_usual_place():
    environment = {"ASSAY_STORE": "sqlite:///env.db"}
    assert str(parse_location("mine.db", environment)) == "mine.db"
    assert str(parse_location(None, environment)) == "env.db"
    assert str(parse_location(None, {"ASSAY_STORE": ""})) == str(Path(".assay/assay.db"))


def test_a_store_that_shall_not_be_changed():
    assert parse_location("sqlite:///x.db?mode=ro").is_read_only
    assert not parse_location("sqlite:///x.db").is_read_only


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@host:5433/db", "postgresql://me:***@host:5433/db"),
        ("postgres://me:s3:cr@et@host/db", "postgresql://me:***@host/db"),
        ("postgresql+psycopg://host/db", "postgresql://host/db"),
        ("postgresql://me@host/db?password=s3cret&sslmode=require", "postgresql://me@host/db?password=***&sslmode=require"),
        ("postgresql://host/db?sslpassword=s3cret", "postgresql://host/db?sslpassword=***"),
    ],
)
def test_passwords_are_never_shown(url, shown):
    place = parse_location(url)
    assert str(place) == shown
    assert "s3" not in repr(place)
    assert "s3" not in f"{place}"


@pytest.mark.parametrize(
    "given",
    [
        "mysql://me:s3cret@host/db",
        "sqlite://",
        "sqlite:///:memory:",
        ":memory:",
        "sqlite:x.db",
        "sqlite:///",
        "sqlite:///x.db?cache=shared",
    ],
)
def test_what_is_no_store_is_told_without_its_password(given):
    with pytest.raises(BadParameter, match=r"a store is|the only option") as told:
        parse_location(given)
    assert "s3cret" not in str(told.value)


def test_the_usual_folder_is_kept_out_of_repositories(tmp_path):
    StoreLocation(tmp_path / ".assay" / "assay.db").make_room()
    assert (tmp_path / ".assay" / ".gitignore").read_text() == "*\n"
    StoreLocation(tmp_path / "other" / "x.db").make_room()
    assert list((tmp_path / "other").iterdir()) == []


def test_a_folder_that_a_killed_process_made_is_kept_out_of_repositories_too(tmp_path):
    (tmp_path / ".assay").mkdir()
    StoreLocation(tmp_path / ".assay" / "assay.db").make_room()
    assert (tmp_path / ".assay" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="its folder cannot be made"):
        StoreLocation(tmp_path / "file" / "x" / "x.db").make_room()
