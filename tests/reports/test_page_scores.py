"""Scores of a page: every query in one row, ends by themselves."""

from hypothesis import given
from hypothesis import strategies as st
from numpy import array

from assay.reports.page.charts import _counts, scores_section

from ._pages import two

EDGES = [step / 10 for step in range(11)]


def test_by_hand():
    histogram, spread = scores_section(two()).parts[:2]
    counts = {row[0].text: (row[1].sort, row[2].sort) for row in histogram.rows}
    assert counts["0"] == (2, 2)
    assert counts["0.2 – 0.3"] == (1, 0)
    assert counts["0.5 – 0.6"] == (2, 2)
    assert counts["1"] == (3, 4)
    assert [field.text for field in spread.rows[0]] == ["base", "8", "0.000", "0.188", "0.500", "1.000", "1.000"]


@given(st.lists(st.floats(0, 1), max_size=30))
def test_every_score_is_counted_once(scores):
    counts = _counts(array(scores, dtype=float), EDGES)
    assert sum(counts) == len(scores)
    assert len(counts) == 12
    assert (counts[0], counts[-1]) == (sum(score == 0 for score in scores), sum(score == 1 for score in scores))
