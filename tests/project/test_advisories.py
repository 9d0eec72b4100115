"""Known vulnerabilities are found in a local copy of advisories, by ranges and by listed versions."""

from __future__ import annotations

import json
import zipfile

import pytest
from tools.release.advisories import found_in, is_affected, read_advisories


def advisory(name="example", *events, versions=(), ecosystem="PyPI", **more):
    """A record of OSV about one package."""
    ranges = [{"type": "ECOSYSTEM", "events": list(events)}] if events else []
    affected = [{"package": {"ecosystem": ecosystem, "name": name}, "ranges": ranges, "versions": list(versions)}]
    return {"id": "PYSEC-2026-1", "summary": "a fault", "affected": affected, **more}


@pytest.mark.parametrize(
    ("events", "inside", "outside"),
    [
        ([{"introduced": "0"}, {"fixed": "1.10"}], ["0.1", "1.9", "1.9.9", "1.10rc1"], ["1.10", "1.10.1", "2"]),
        ([{"introduced": "1.2"}, {"last_affected": "1.4"}], ["1.2", "1.4"], ["1.1", "1.4.1"]),
        (
            [{"fixed": "1.5"}, {"introduced": "0"}, {"fixed": "2.1"}, {"introduced": "2"}],
            ["1", "2.0"],
            ["1.5", "1.9", "2.1"],
        ),
        ([{"introduced": "3"}], ["3", "99"], ["2.9"]),
    ],
)
def test_versions_in_and_outside_of_ranges(events, inside, outside):
    affected = {"ranges": [{"type": "ECOSYSTEM", "events": events}]}
    assert [version for version in inside if not is_affected(affected, version)] == []
    assert [version for version in outside if is_affected(affected, version)] == []


def test_only_packages_of_pypi_whose_advisory_stands_are_named():
    every = {"introduced": "0"}
    records = [
        advisory("Some_Package", every),
        advisory("example", versions=["1.0"]),
        advisory("other", every),
        advisory("example", every, ecosystem="npm"),
        advisory("example", every, withdrawn="2026-01-01T00:00:00Z"),
    ]
    installed = {"some.package": "1", "example": "1.0"}
    assert found_in(iter(records), installed) == [
        "example 1.0: PYSEC-2026-1 a fault",
        "some.package 1: PYSEC-2026-1 a fault",
    ]


def test_an_archive_and_a_folder_are_read_alike(tmp_path):
    text = json.dumps(advisory("example", {"introduced": "0"}))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.json").write_text(text)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("one.json", text)
        archive.writestr("README", "not a record")
    both = [list(read_advisories(tmp_path / name)) for name in ("folder", "all.zip")]
    assert both[0] == both[1] == [json.loads(text)]
