"""What qrels can hold of people's grades: everything but what they would be read back as something else."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from assay import Qrels
from assay.files.writing import write_qrels
from assay.store.judgments import Exportable, Judgment, exportable

WHEN = "2026-11-15T09:30:00+00:00"


def grade(query, document, value=1.0, judge="Ana"):
    return Judgment("things", query, document, judge, value, "", WHEN)


def test_each_reason_is_told_once_and_every_grade_counted():
    found = exportable(
        [grade("q", "d"), grade("q 1", "d"), grade("q 1", "d", judge="Ben"), grade("q", "#d"), grade("{q", "d")]
    )
    assert (found.grades, found.n_pairs, len(found.left_out)) == ({"q": {"d": 1.0}}, 1, 4)
    assert found.explanation.startswith("TREC files cannot hold 4 grades: the id 'q 1' has a blank in it")
    assert found.explanation.count("'q 1'") == 1
    assert "begins with #" in found.explanation
    assert "begins with {" in found.explanation


def test_grades_that_are_no_numbers_are_named():
    found = exportable([grade("q", "d", math.nan), grade("q", "e", -math.inf), grade("q", "f", None), grade("q", "g", 2.5)])
    assert found.grades == {"q": {"g": 2.5}}
    assert "Ana gave d for q the grade nan" in found.explanation


def test_nothing_is_said_where_everything_fits():
    assert exportable([]) == Exportable({})
    assert exportable([grade("q", "d")]).explanation == ""


def test_what_is_told_has_an_end():
    found = exportable([grade(f"q {number} {'w' * 5000}", "d") for number in range(1000)])
    assert len(found.explanation) < 1500
    assert "1,000 grades" in found.explanation
    assert found.explanation.endswith("; …")


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5), st.floats(0, 3)), max_size=8))
def test_what_is_kept_reads_back_as_it_was(tmp_path_factory, rows):
    """Whatever ids there are: what can be written is the same when it is read, and nothing is lost without a word."""
    judgments = [grade(query or "q", document or "d", value) for query, document, value in rows]
    found = exportable(judgments)
    assert found.n_pairs + len({one for one in judgments if one.document not in found.grades.get(one.query, {})}) >= len(
        {(one.query, one.document) for one in judgments}
    )
    if found.grades:
        file = tmp_path_factory.mktemp("qrels") / "qrels.txt"
        write_qrels(found.grades, file)
        assert {query: dict(judged) for query, judged in Qrels(file).items()} == found.grades
