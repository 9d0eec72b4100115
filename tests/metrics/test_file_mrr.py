"""file_mrr: the rank of the first right file, by hand and against a plain list of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.parsing import parse_metric
from assay.model.records import Span

from ._cases import close
from ._spans import cases, files_in_order, lines, paid, score, spans_view

GOLD = [Span("a.py", 1, 2, "lines")]
LATE = [lines("src/c.py", 1, 2), lines("src/c.py", 3, 4), lines("b.py", 1, 2), lines("src/c.py", 5, 6), lines("a.py", 9, 9)]


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [([], 0), (LATE[:4], 0), (LATE, 1 / 3), (LATE[2:], 1 / 3), (LATE[4:], 1), (["x", lines("a.py", 1, 1)], 1 / 2)],
    ids=["nothing", "not found", "third file", "third file again", "first", "after one without a place"],
)
def test_by_hand(ranking, expected):
    assert score("file_mrr", ranking, GOLD) == close(expected)


def test_beyond_the_cutoff_it_is_0():
    assert [score(f"file_mrr@{k}", LATE, GOLD) for k in (2, 3, 50)] == close([0, 1 / 3, 1 / 3])


def test_ranks_are_counted_for_each_query():
    view = spans_view({"q1": LATE[:1], "q2": LATE, "q3": LATE[2:]}, {"q1": GOLD, "q2": GOLD, "q3": GOLD})
    assert parse_metric("file_mrr").score(view).tolist() == close([0, 1 / 3, 1 / 3])


@given(cases(), st.none() | st.integers(1, 2), st.none() | st.integers(1, 12))
def test_as_a_list_of_files_has_it(case, k, tokens):
    found = files_in_order(case, len(case.ranking) if tokens is None else paid(case, tokens))[:k]
    gold = {span.doc_id for span in case.gold}
    expected = next((1 / rank for rank, file in enumerate(found, 1) if file in gold), 0)
    inside = "" if tokens is None else f"(tokens={tokens})"
    assert score(f"file_mrr{inside}{'' if k is None else f'@{k}'}", case.ranking, case.gold, case.files) == close(expected)
