"""Normalisations: ranking by ranking, and what becomes of one document, equal scores and scores below 0."""

from __future__ import annotations

from math import ldexp, sqrt

import pytest

from assay.errors import DataError
from assay.fusion import NORMALISATIONS, fuse, parse_norm


def values(norm, *scores):
    """The normalised scores of one ranking."""
    run = {f"d{number}": float(score) for number, score in enumerate(scores)}
    fused = fuse([{"q": run}], f"comb_sum(norm={norm})")["q"]
    return [fused[doc] for doc in run]


BY_HAND = [
    ("min_max", (6, 4, 2), (1, 0.5, 0)),
    ("min_max", (-1, -2, -5), (1, 0.75, 0)),
    ("max", (6, 4, 2), (1, 2 / 3, 1 / 3)),
    ("max", (4, 0, -4), (1, 0.5, 0)),
    ("max", (-1, -2, -5), (1, 0.75, 0)),
    ("sum", (6, 4, 2), (4 / 6, 2 / 6, 0)),
    ("sum", (-2, -4, -6), (4 / 6, 2 / 6, 0)),
    ("z_score", (6, 4, 2), (sqrt(1.5), 0, -sqrt(1.5))),
    ("z_score", (-2, -4, -6), (sqrt(1.5), 0, -sqrt(1.5))),
    ("rank", (6, 2, 4, -9), (1, 0.5, 0.75, 0.25)),
    ("borda", (6, 2, 4, -9), (1, 0.5, 0.75, 0.25)),
    ("none", (6, -4), (6, -4)),
]


def test_by_hand():
    for norm, scores, expected in BY_HAND:
        assert values(norm, *scores) == pytest.approx(expected), (norm, scores)


def test_a_ranking_of_one_document_is_worth_1():
    for norm in set(NORMALISATIONS) - {"none"}:
        for score in (5, 0, -5, 1e-300):
            assert values(norm, score) == [1.0], (norm, score)


def test_equal_scores():
    for score in (5, 0, -5, 0.1):
        for norm in ("min_max", "max", "z_score"):
            assert values(norm, score, score, score) == [1, 1, 1], (norm, score)
        assert values("sum", score, score, score) == [1 / 3, 1 / 3, 1 / 3], score


def test_equal_scores_rank_by_id():
    assert values("rank", 1, 1) == [0.5, 1.0]


def test_borda_gives_points_for_documents_that_a_run_lacks():
    """Of 4 candidates a run with a and b leaves ½ − 1 ÷ 8 to each of c and d; a run without the query gives nothing."""
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"c": 2.0, "d": 1.0}}, {"z": {"a": 1.0}}]
    assert fuse(runs, "comb_sum(norm=borda)")["q"] == {"c": 1.375, "a": 1.375, "d": 1.125, "b": 1.125}


def test_each_ranking_by_itself():
    runs = [{"q1": {"a": 9.0, "b": 1.0}, "q2": {"a": 900.0, "b": 100.0, "c": 500.0}}, {"q2": {"c": -1.0, "b": -3.0}}]
    fused = fuse(runs, "comb_sum")
    assert (fused["q1"], fused["q2"]) == ({"a": 1.0, "b": 0.0}, {"c": 1.5, "a": 1.0, "b": 0.0})


def test_names():
    for text, name in {"min-max": "min_max", "ZMUV": "z_score", "Z-Score": "z_score", "MAX": "max", "raw": "none"}.items():
        assert parse_norm(text) == name


def test_infinite_scores_are_refused_where_scores_count():
    runs = [{"q": {"a": 1.0}}, {"q": {"a": 2.0, "b": float("-inf")}}]
    with pytest.raises(DataError):
        fuse(runs, "comb_sum")
    assert list(fuse(runs, "rrf")["q"]) == ["a", "b"]


def test_huge_and_tiny_scores_are_worth_what_their_likes_are():
    """A power of 2 changes nothing, to the last digit, though squares of such scores are infinite or 0."""
    for norm in ("min_max", "max", "sum", "z_score"):
        for scores in ((6, 4, 2), (3, 0, -3), (-1, -2, -5), (7, 7, 1)):
            for power in (1020, 600, -600, -1060):
                assert values(norm, *(ldexp(score, power) for score in scores)) == values(norm, *scores), (norm, power)


def test_rankings_of_different_size_do_not_disturb_each_other():
    runs = [{"q": {"a": 1.5e308, "b": -1.5e308, "c": 0.0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}]
    assert fuse(runs, "comb_sum")["q"] == {"a": 2.0, "b": 0.5, "c": 0.5}


def test_scores_that_add_up_to_infinity_are_refused():
    runs = [{"q": {"a": 1.5e308}}, {"q": {"a": 1.5e308, "b": 1.0}}]
    with pytest.raises(DataError):
        fuse(runs, "comb_sum(norm=none)")
    assert fuse(runs, "comb_max(norm=none)")["q"] == {"a": 1.5e308, "b": 1.0}
    assert fuse(runs, "comb_sum")["q"] == {"a": 2.0, "b": 0.0}
