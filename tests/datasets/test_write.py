"""Writing: judgments and runs read back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError, Qrels, Run
from assay.files.writing import grade_text, write_lines, write_qrels, write_run

IDS = st.text("abcXYZ0129_-.:äß日#", min_size=1, max_size=5).filter(lambda word: not word.startswith("#"))
GRADES = st.integers(-3, 10) | st.floats(-1e9, 1e9)
SCORES = st.floats(allow_nan=False)


def test_lines_are_json(tmp_path):
    write_lines(tmp_path / "a.jsonl", iter([{"a": "ä\n"}, [1], None]))
    assert (tmp_path / "a.jsonl").read_bytes() == '{"a":"ä\\n"}\n[1]\nnull\n'.encode()


@pytest.mark.parametrize(
    ("grade", "text"),
    [(2, "2"), (2.0, "2"), (0.5, "0.5"), (-1, "-1"), (0.1 + 0.2, "0.30000000000000004"), (1234567, "1234567.0")],
)
def test_grades_are_written_with_every_digit_they_have(grade, text):
    assert grade_text(grade) == text
    assert float(text) == grade


@given(st.dictionaries(IDS, st.dictionaries(IDS, GRADES, min_size=1, max_size=3), min_size=1, max_size=3))
def test_judgments_read_back(tmp_path_factory, qrels):
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    write_qrels(qrels, path)
    assert dict(Qrels(str(path))) == qrels


@given(st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=3), min_size=1, max_size=3))
def test_a_run_reads_back_best_first(tmp_path_factory, rankings):
    path = tmp_path_factory.mktemp("run") / "run.txt"
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


@pytest.mark.parametrize("bad", ["", "a b", " a", "a\t", "a\nb", "a\u00a0b"])
def test_ids_with_blanks_are_refused(tmp_path, bad):
    for write in (write_qrels, write_run):
        for by_query in ({bad: {"d": 1}}, {"q": {bad: 1}}):
            with pytest.raises(DataError, match="which TREC files cannot hold; write JSON instead"):
                write(by_query, tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None, "1"])
def test_grades_that_are_no_finite_numbers_are_refused(tmp_path, bad):
    with pytest.raises(DataError, match="the grade of document d for query q is"):
        write_qrels({"q": {"d": bad}}, tmp_path / "qrels.txt")
    assert list(tmp_path.iterdir()) == []
