"""The law of lenient reading: a file with a bad record is read as the same file without this record, in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import BenchmarkDataset, DataError, load_dataset

from ._bad_records import AT_THE_END, NUMBERED, SHAPES, Files, Shape
from ._files import put_all

FOLDERS = ("qrels.tsv", "qrels.txt", "tasks.jsonl", "judgments.jsonl")
"""Files that make their folder the benchmark."""
PLACE = 3
"""How many good records come before the bad one."""


def _cases(shapes: dict[str, Shape]) -> list[tuple[str, str]]:
    return [(name, fault) for name, shape in shapes.items() for fault in shape.bad]


def _read(folder: Path, files: Files, lenient: float | None = None) -> BenchmarkDataset:
    """The benchmark in these files. The folder has the same name in all readings."""
    put_all(folder, files)
    dataset = load_dataset(folder if {*files} & {*FOLDERS} else folder / next(iter(files)), lenient=lenient)
    assert len(dataset.documents) >= 0  # documents in a file are checked when they are counted
    dataset.documents = dict(dataset.documents.items())
    return dataset


def _assert_left_out(folder: Path, shape: Shape, fault: str, place: int) -> None:
    good, bad = shape.good, shape.bad[fault]
    files = shape.files([*good[:place], bad, *good[place:]])
    with pytest.raises(DataError):
        _read(folder, files)
    found, expected = _read(folder, files, lenient=0.5), _read(folder, shape.files(good))
    assert found.queries == expected.queries
    assert found.documents == expected.documents
    assert found.qrels == expected.qrels
    assert (found.spans, found.retrieved) == (expected.spans, expected.retrieved)
    assert (found.judgments, found.metadata, found.format) == (expected.judgments, expected.metadata, expected.format)
    for part in ("queries", "documents", "judgments"):
        assert found.fingerprint(part) == expected.fingerprint(part)
    assert any(repair.code == "left-out" for repair in found.repairs)


@pytest.mark.parametrize(("name", "fault"), _cases(SHAPES))
def test_a_bad_record_changes_nothing(tmp_path: Path, name: str, fault: str) -> None:
    """Records with ids: the bad record is between others."""
    _assert_left_out(tmp_path / "data", SHAPES[name], fault, min(PLACE, len(SHAPES[name].good)))


@pytest.mark.parametrize(("name", "fault"), _cases(AT_THE_END))
def test_a_bad_record_at_the_end_changes_nothing(tmp_path: Path, name: str, fault: str) -> None:
    """Records whose ids are positions: the bad record is the last."""
    _assert_left_out(tmp_path / "data", AT_THE_END[name], fault, len(AT_THE_END[name].good))


@pytest.mark.parametrize(("name", "fault"), _cases(NUMBERED))
def test_a_bad_record_keeps_its_number(tmp_path: Path, name: str, fault: str) -> None:
    """Questions without ids have the number of their record, so that a bad record does not change the ids of the others."""
    shape = NUMBERED[name]
    files = shape.files([*shape.good[:PLACE], shape.bad[fault], *shape.good[PLACE:]])
    found = _read(tmp_path / "data", files, lenient=0.5)
    positions = [position for position in range(1, len(shape.good) + 2) if position != PLACE + 1]
    assert list(found.queries) == [f"q{position}" for position in positions]
    texts = [query.text for query in _read(tmp_path / "data", shape.files(shape.good)).queries.values()]
    assert [query.text for query in found.queries.values()] == texts
