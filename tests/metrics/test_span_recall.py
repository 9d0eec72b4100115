"""span_recall: how much of the gold was covered, by hand and against sets of letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter, DataError
from assay.metrics.parsing import parse_metric, parse_metrics
from assay.model.policy import Policy
from assay.model.records import Span
from assay.model.run import Run
from assay.views.chunk_locations import Places
from assay.views.spans import Spans, Truth

from ._cases import close
from ._spans import Stretch, cases, covered, lines, paid, score, spans_view

GOLD = [Span("a.py", 5, 14, "lines")]
"""Ten lines, 80 characters."""


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ([], 0),
        ([lines("a.py", 5, 14)], 1),
        ([lines("a.py", 1, 20)], 1),
        ([lines("a.py", 1, 7)], 0.3),
        ([lines("a.py", 15, 20)], 0),
        ([lines("b.py", 5, 14)], 0),
        ([lines("a.py", 1, 7), lines("a.py", 8, 9)], 0.5),
        ([lines("a.py", 1, 7), lines("a.py", 6, 9)], 0.5),
        ([lines("a.py", 5, 9), lines("a.py", 5, 8), lines("a.py", 6, 7)], 0.5),
    ],
    ids=["nothing", "exactly", "whole file", "a part", "beside", "other file", "adjacent", "overlapping", "nested"],
)
def test_by_hand(ranking, expected):
    assert score("span_recall", ranking, GOLD) == close(expected)


def test_only_the_first_k_count_and_a_k_beyond_the_end_is_all():
    ranking = [lines("a.py", 1, 7), lines("b.py", 1, 20), lines("a.py", 8, 14)]
    assert [score(f"span_recall@{k}", ranking, GOLD) for k in (1, 2, 3, 1000)] == close([0.3, 0.3, 1, 1])


def test_the_unit_is_that_of_the_gold_unless_one_is_asked_for():
    half = [Stretch("a.py", 32, 36)]  # the first half of line 5
    assert score("span_recall", half, GOLD) == close(0.1)
    assert score("span_recall(unit=lines)", half, GOLD) == close(0.1)
    assert score("span_recall(unit=chars)", half, GOLD) == close(4 / 80)
    letters = [Span("a.py", 32, 112)]
    assert score("span_recall", half, letters) == close(4 / 80)
    assert score("span_recall(unit=lines)", half, letters) == close(0.1)
    both = [Span("a.py", 32, 112), Span("b.py", 1, 10, "lines")]
    assert score("span_recall", half, both) == close(4 / 160)


def test_gold_spans_that_overlap_count_once():
    twice = [Span("a.py", 1, 10, "lines"), Span("a.py", 6, 15, "lines")]
    assert score("span_recall", [lines("a.py", 1, 3)], twice) == close(3 / 15)


def test_several_files():
    gold = [Span("a.py", 1, 4, "lines"), Span("b.py", 11, 14, "lines")]
    assert score("span_recall", [lines("b.py", 13, 20)], gold) == close(2 / 8)


def test_a_budget_ends_with_the_first_chunk_that_does_not_fit():
    ranking = [lines("a.py", 5, 6), lines("a.py", 7, 10), lines("a.py", 11, 11)]  # 4, 8 and 2 words
    found = [score(f"span_recall@tokens={tokens}", ranking, GOLD) for tokens in (1, 3, 4, 11, 12, 13, 14, 99)]
    assert found == close([0, 0, 0.2, 0.2, 0.6, 0.6, 0.7, 0.7])
    assert score("span_recall(tokens=99)@2", ranking, GOLD) == close(0.6)
    assert score("span_recall(tokens=4)@2", ranking, GOLD) == close(0.2)


def test_budgets_are_kept_apart_for_each_query():
    view = spans_view(
        {"q1": [lines("a.py", 5, 9)], "q2": [lines("b.py", 1, 10), lines("b.py", 11, 12)]},
        {"q1": GOLD, "q2": [Span("b.py", 1, 20, "lines")]},
    )
    assert parse_metric("span_recall@tokens=20").score(view).tolist() == close([0.5, 0.5])
    assert parse_metric("span_recall@tokens=24").score(view).tolist() == close([0.5, 0.6])


def test_names():
    names = [metric.name for metric in parse_metrics("span_recall@5,10, span_recall@tokens=1000,2000, span_recall@budget=7")]
    assert names == [
        *("span_recall@5", "span_recall@10", "span_recall@tokens=1000", "span_recall@tokens=2000", "span_recall@tokens=7"),
    ]
    for name in (
        *names,
        "span_recall(tokens=5)@10",
        "span_recall(unit=lines)@tokens=5",
        "span_recall(tokens=5, unit=lines)@3",
    ):
        assert parse_metric(name).name == name
    with pytest.raises(BadParameter, match="tokens is a whole number from 1 up, not '0'"):
        parse_metric("span_recall@tokens=0")
    with pytest.raises(BadParameter, match=r"has no parameter 'token'.*Did you mean tokens"):
        parse_metric("span_recall@token=5")


def test_an_empty_list_of_gold_spans_scores_0_and_none_at_all_nothing():
    view = spans_view({"empty": [lines("a.py", 1, 2)], "none": [lines("a.py", 1, 2)]}, {"empty": []})
    for name in ("span_recall@5", "span_precision@5", "span_iou@5", "file_recall@5", "file_mrr"):
        found = parse_metric(name).score(view)
        assert found[0] == 0
        assert np.isnan(found[1])


def test_a_query_that_was_not_retrieved_scores_0():
    view = spans_view({"other": [lines("a.py", 1, 2)]}, {"q": GOLD}, queries=["q"])
    assert view.query_ids == ("q",)
    assert parse_metric("span_recall").score(view).tolist() == [0]


def test_gold_in_a_file_that_is_not_there_cannot_be_found_and_counts():
    gold = [Span("gone.py", 1, 30, "lines"), Span("a.py", 1, 10, "lines")]
    assert score("span_recall", [lines("a.py", 1, 20)], gold) == close(10 / 40)
    in_characters = score("span_recall(unit=chars)", [lines("a.py", 1, 20)], gold)
    assert 0 < in_characters < 1, "what is missing counts, in the unit it is written in"


def test_gold_beyond_the_end_of_its_file_is_left_out():
    assert score("span_recall", [lines("a.py", 11, 20)], [Span("a.py", 11, 99, "lines")]) == 1
    assert score("span_recall", [lines("a.py", 11, 20)], [Span("a.py", 80, 999)]) == 1
    assert score("span_recall", [lines("a.py", 11, 20)], [Span("a.py", 50, 99, "lines")]) == 0


def test_ids_alone_are_enough_for_lines():
    truth = Truth({"q": [Span("src/c.py", 5, 14, "lines")]}, Places({}))
    run = Run({"q": {"repo/src/c.py:1-7": 2.0, "strange": 1.0}})
    view = Spans.of(("q",), run, Policy().rank_rule, truth)
    assert parse_metric("span_recall").score(view).tolist() == close([0.3])
    with pytest.raises(DataError, match="characters"):
        parse_metric("span_recall(unit=chars)").score(view)
    with pytest.raises(DataError, match="a budget of tokens needs the text of every chunk"):
        parse_metric("span_recall@tokens=5").score(view)


@given(st.lists(cases(), min_size=1, max_size=3), st.integers(1, 7), st.sampled_from(["lines", "characters"]))
def test_as_sets_of_letters_have_it(some, k, unit):
    for case in some:
        retrieved, gold = covered(case, k, unit)
        expected = len(retrieved & gold) / len(gold) if gold else 0
        assert score(f"span_recall(unit={unit})@{k}", case.ranking, case.gold, case.files) == close(expected)


@given(cases(), st.integers(1, 12))
def test_a_budget_is_the_cutoff_that_it_pays_for(case, tokens):
    retrieved, gold = covered(case, paid(case, tokens), "characters")
    expected = len(retrieved & gold) / len(gold) if gold else 0
    assert score(f"span_recall(unit=chars)@tokens={tokens}", case.ranking, case.gold, case.files) == close(expected)
