"""span_iou: what was covered against what is gold, by hand and against sets of letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Span

from ._cases import close
from ._spans import cases, covered, lines, paid, score

GOLD = [Span("a.py", 5, 14, "lines")]


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ([], 0),
        ([lines("a.py", 5, 14)], 1),
        ([lines("a.py", 5, 9), lines("a.py", 8, 14)], 1),
        ([lines("a.py", 1, 20)], 0.5),
        ([lines("a.py", 5, 9)], 0.5),
        ([lines("a.py", 10, 19)], 5 / 15),
        ([lines("b.py", 5, 14)], 0),
    ],
    ids=["nothing", "exactly", "in two pieces", "too much", "too little", "beside", "other file"],
)
def test_by_hand(ranking, expected):
    assert score("span_iou", ranking, GOLD) == close(expected)


def test_it_falls_with_k_once_all_is_found():
    ranking = [lines("a.py", 5, 14), lines("b.py", 1, 10), lines("src/c.py", 1, 20)]
    assert [score(f"span_iou@{k}", ranking, GOLD) for k in (1, 2, 3)] == close([1, 0.5, 0.25])


@given(cases(), st.integers(1, 7), st.sampled_from(["lines", "characters"]))
def test_as_sets_of_letters_have_it(case, k, unit):
    retrieved, gold = covered(case, k, unit)
    expected = len(retrieved & gold) / len(retrieved | gold) if retrieved | gold else 0
    assert score(f"span_iou(unit={unit})@{k}", case.ranking, case.gold, case.files) == close(expected)


@given(cases(), st.integers(1, 12))
def test_a_budget_is_the_cutoff_that_it_pays_for(case, tokens):
    retrieved, gold = covered(case, paid(case, tokens), "lines")
    expected = len(retrieved & gold) / len(retrieved | gold) if retrieved | gold else 0
    assert score(f"span_iou(unit=lines)@tokens={tokens}", case.ranking, case.gold, case.files) == close(expected)
