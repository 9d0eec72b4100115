"""span_precision: how much of what was covered is gold, by hand and against sets of letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.records import Span

from ._cases import close
from ._spans import Stretch, cases, covered, lines, paid, score

GOLD = [Span("a.py", 5, 14, "lines")]


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ([], 0),
        ([lines("a.py", 5, 14)], 1),
        ([lines("a.py", 6, 7)], 1),
        ([lines("a.py", 1, 20)], 0.5),
        ([lines("b.py", 5, 14)], 0),
        ([lines("a.py", 5, 8), lines("a.py", 7, 10)], 1),
        ([lines("a.py", 1, 6), lines("a.py", 3, 8)], 0.5),
        ([lines("a.py", 5, 9), lines("b.py", 5, 9)], 0.5),
    ],
    ids=["nothing", "exactly", "inside", "whole file", "other file", "overlap of gold", "overlap of both", "two files"],
)
def test_by_hand(ranking, expected):
    assert score("span_precision", ranking, GOLD) == close(expected)


def test_only_the_first_k_count_and_short_rankings_are_not_punished():
    ranking = [lines("a.py", 5, 9), lines("b.py", 1, 15)]
    assert [score(f"span_precision@{k}", ranking, GOLD) for k in (1, 2, 10)] == close([1, 0.25, 0.25])


def test_a_chunk_without_a_place_covers_nothing():
    assert score("span_precision", ["somewhere", lines("a.py", 4, 5)], GOLD) == close(0.5)
    assert score("span_precision@1", ["somewhere", lines("a.py", 4, 5)], GOLD) == 0


def test_a_chunk_of_half_a_line_has_the_line_but_not_its_letters():
    assert score("span_precision", [Stretch("a.py", 28, 40)], GOLD) == close(0.5)
    assert score("span_precision(unit=chars)", [Stretch("a.py", 28, 40)], GOLD) == close(8 / 12)


@given(cases(), st.integers(1, 7), st.sampled_from(["lines", "characters"]))
def test_as_sets_of_letters_have_it(case, k, unit):
    retrieved, gold = covered(case, k, unit)
    expected = len(retrieved & gold) / len(retrieved) if retrieved else 0
    assert score(f"span_precision(unit={unit})@{k}", case.ranking, case.gold, case.files) == close(expected)


@given(cases(), st.integers(1, 12))
def test_a_budget_is_the_cutoff_that_it_pays_for(case, tokens):
    retrieved, gold = covered(case, paid(case, tokens), "lines")
    expected = len(retrieved & gold) / len(retrieved) if retrieved else 0
    assert score(f"span_precision(unit=lines)@tokens={tokens}", case.ranking, case.gold, case.files) == close(expected)
