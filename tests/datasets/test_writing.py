"""Writing: judgments and runs read back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Qrels, Run
from assay.files import grade_text, write_lines, write_qrels, write_run

IDS = st.text("abcXYZ0129_-.:äß日#", min_size=1, max_size=5).filter(lambda word: not word.startswith("#"))


def by_query(values):
    return st.dictionaries(IDS, st.dictionaries(IDS, values, min_size=1, max_size=3), min_size=1, max_size=3)


def test_lines_are_json(tmp_path):
    write_lines(tmp_path / "a.jsonl", iter([{"a": "ä\n"}, [1], None]))
    assert (tmp_path / "a.jsonl").read_bytes() == '{"a":"ä\\n"}\n[1]\nnull\n'.encode()


def test_grades_are_written_with_every_digit_they_have():
    grades = {2: "2", 2.5: "2.5", 0.5: "0.5", -1: "-1", 0.1 + 0.2: "0.30000000000000004", 1234567: "1234567.0"}
    assert {grade: grade_text(grade) for grade in grades} == grades
    assert grade_text(2.0) == "2"


@given(by_query(st.integers(-3, 10) | st.floats(-1e9, 1e9)))
def test_judgments_read_back(folder, qrels):
    write_qrels(qrels, folder / "qrels.txt")
    assert dict(Qrels(str(folder / "qrels.txt"))) == qrels


@given(by_query(st.floats(allow_nan=False)))
def test_a_run_reads_back_best_first(folder, rankings):
    path = folder / "run.txt"
    write_run(rankings, path, "bm25")
    found = Run(str(path))
    assert (dict(found), found.tag) == (rankings, "bm25")
    for place, query in enumerate(found):
        assert list(found[query]) == found.ranked(place)
    ranks = [int(line.split()[3]) for line in path.read_text().splitlines()]
    assert ranks == [rank for ranking in rankings.values() for rank in range(1, len(ranking) + 1)]


def test_equal_scores_keep_their_order_and_numpy_scores_are_numbers(tmp_path):
    write_run({"q": {"b": np.float64(1.5), "a": 1.5, "c": np.float32(2)}}, tmp_path / "run.txt")
    assert (tmp_path / "run.txt").read_text() == "q Q0 c 1 2.0 assay\nq Q0 b 2 1.5 assay\nq Q0 a 3 1.5 assay\n"


def test_what_a_trec_file_cannot_hold_is_refused(snapshots, tmp_path):
    path = tmp_path / "out.txt"
    for bad in ("", "a b", " a", "a\t", "a\nb", "a\u00a0b"):
        for writing in (write_qrels, write_run):
            for some in ({bad: {"d": 1}}, {"q": {bad: 1}}):
                with pytest.raises(DataError):
                    writing(some, path)
    for bad in (float("nan"), float("inf"), None, "1"):
        with pytest.raises(DataError):
            write_qrels({"q": {"d": bad}}, path)
    cases = {"an id": lambda: write_run({"q": {"a b": 1}}, path), "a grade": lambda: write_qrels({"q": {"d": "1"}}, path)}
    snapshots.check_errors("files/not_written", cases)
    assert list(tmp_path.iterdir()) == []
