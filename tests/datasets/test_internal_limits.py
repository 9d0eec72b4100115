"""Limits of what is read, made small: both readers, every compression, lines without end, and the store's files."""

from unittest import mock

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Qrels, Run
from assay.files import FileSource, limits
from assay.store import Store

from ._cases import PACKERS, RUN_NAMES, RUN_ROWS, jsonl, parquet, write

JUDGED = Qrels({"q1": {"b": 2, "x": 1}})
small = mock.patch.multiple(limits, FREE=2_000, MAX_EXPANSION=10)


def both_readers():
    """The quick reader and the strict one, whatever the size of a file."""
    for least in (0, 1 << 60):
        with mock.patch.multiple("assay.files.tables", LARGE_FILE=least, LARGE_FRAME=least):
            yield least


def refused(path):
    with pytest.raises(DataError) as error:
        assay.evaluate(JUDGED, path, ["map"])
    return str(error.value)


@small
def test_a_run_that_grows_too_much_is_refused_by_both_readers(tmp_path, monkeypatch):
    text = "".join(f"q1 Q0 d{number} 1 0.5 {'tag' * 100}\n" for number in range(300)).encode()
    for ending, pack in PACKERS.items():
        path = write(tmp_path / f"run.{ending}", pack(text))
        for _ in both_readers():
            monkeypatch.delenv("ASSAY_MAX_EXPANSION", raising=False)
            assert refused(path).startswith(f"{path}: unpacks to "), ending
            monkeypatch.setenv("ASSAY_MAX_EXPANSION", "100000")
            assert assay.evaluate(JUDGED, path, ["num_ret"])["num_ret"] == 300


@small
def test_exports_of_a_store_have_the_same_limit(tmp_path):
    path = write(tmp_path / "export.jsonl.zst", zstandard.compress(b'{"a": "' + b"x" * 50_000 + b'"}\n'))
    with Store.open(tmp_path / "s.db") as store, pytest.raises(DataError, match="unpacks to"):
        store.import_(path)


@small
def test_more_rows_than_a_parquet_file_can_hold_are_refused_by_both_readers(tmp_path):
    path = parquet(tmp_path / "run.parquet", [("q1", "d1", 0.5)] * 100_000, RUN_NAMES)
    for _ in both_readers():
        assert "unpacks to" in refused(path)


@given(
    ending=st.sampled_from(sorted(PACKERS)),
    pieces=st.lists(st.tuples(st.binary(min_size=1, max_size=30), st.integers(1, 3_000)), min_size=1, max_size=4),
    n_files=st.integers(1, 3),
)
def test_a_file_is_read_whole_or_refused(folder, ending, pieces, n_files):
    whole = b"".join(piece * count for piece, count in pieces)
    compressed = PACKERS[ending](whole) * n_files
    source = FileSource(write(folder / f"f.{ending}", compressed))
    with small:
        try:
            found = source.content()
        except DataError as error:
            found = str(error)
    whole = (whole * n_files).removeprefix(b"\xef\xbb\xbf")
    assert found == whole if len(whole) <= max(2_000, 10 * len(compressed)) else "unpacks to" in found


def test_a_line_without_end_is_refused_with_its_number_by_both_readers(tmp_path, monkeypatch):
    for module in ("limits", "source", "rows"):
        monkeypatch.setattr(f"assay.files.{module}.LONGEST_LINE", 1_000)
    for name, text in [
        ("run.txt", "q1 Q0 a 1 0.5 t\n" + "x" * 5_000),
        ("run.csv", "qid,docid,score\nq1,a," + "5" * 5_000),
        ("run.csv", 'qid,docid,score\nq1,"a\n' + "5\n" * 5_000),
        ("run.jsonl", jsonl(RUN_ROWS, RUN_NAMES) + " " * 5_000),
    ]:
        path = write(tmp_path / name, text)
        for _ in both_readers():
            told = refused(path)
            assert "longer than the limit of 1,000 bytes" in told or "field larger than field limit" in told
            assert f"{path}:" in told
    document = '{"q1": {' + ", ".join(f'"d{number}": {number}' for number in range(200)) + "}}"
    assert len(Run(write(tmp_path / "run", document))["q1"]) == 200  # JSON may be one long line
