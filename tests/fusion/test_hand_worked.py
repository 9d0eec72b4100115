"""Every fusion and every normalisation of scores on a few documents, worked out by hand."""

from __future__ import annotations

from math import ldexp, log, sqrt

import pytest

from assay.fusion import NORMALISATIONS, all_fusions, fuse, train

A = {"q": {"a": 9.0, "b": 6.0, "c": 3.0}}
B = {"q": {"b": 4.0, "c": 3.0, "d": 2.0}}
C = {"q": {"c": 10.0}}
"""By min_max: a 1, b ½, c 0; b 1, c ½, d 0; c 1."""

WORKED = {
    "rrf": (1 / 61, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62 + 1 / 61, 1 / 63),
    "rrf(k=0)": (1, 1 / 2 + 1, 1 / 3 + 1 / 2 + 1, 1 / 3),
    "rrf(k=0, weights=[1, 2, 4])": (1, 1 / 2 + 2, 1 / 3 + 1 + 4, 2 / 3),
    "comb_sum": (1, 1.5, 1.5, 0),
    "comb_min": (1, 0.5, 0, 0),
    "comb_max": (1, 1, 1, 0),
    "comb_med": (1, 0.75, 0.5, 0),
    "comb_mnz": (1, 3, 4.5, 0),
    "comb_anz": (1, 0.75, 0.5, 0),
    "comb_gmnz(gamma=2)": (1, 6, 13.5, 0),
    "comb_sum(norm=none)": (9, 10, 16, 2),
    "isr": (1, 2 * (1 / 4 + 1), 3 * (1 / 9 + 1 / 4 + 1), 1 / 9),
    "log_isr": (0, log(2) * 5 / 4, log(3) * 49 / 36, 0),
    "logn_isr(sigma=1)": (log(2), log(3) * 5 / 4, log(4) * 49 / 36, log(2) / 9),
    "rbc(p=0.5)": (0.5, 0.25 + 0.5, 0.125 + 0.25 + 0.5, 0.125),
    "weighted_sum(weights=[0.5, 0.3, 0.2])": (0.5, 0.25 + 0.3, 0.15 + 0.2, 0),
    "weighted_sum": (1 / 3, 1.5 / 3, 1.5 / 3, 0),
    "weighted_mnz(weights=[0.5, 0.3, 0.2])": (1 * 0.5, 1.5 * 0.8, 1.5 * 1, 0),
    "mixed(weights=[0.5, 0.3, 0.2])": (0.5, 0.55 * sqrt(2), 0.35 * sqrt(3), 0),
    # 4 candidates: 4 3 2 and 1 for d; 4 3 2 and 1 for a; 4 and 2 each for a, b and d
    "borda": (4 + 1 + 2, 3 + 4 + 2, 2 + 3 + 4, 1 + 2 + 2),
    "weighted_borda(weights=[0.5, 0.3, 0.2])": (2 + 0.3 + 0.4, 1.5 + 1.2 + 0.4, 1 + 0.9 + 0.8, 0.5 + 0.6 + 0.4),
    # a draws with b and d and loses to c; b beats c and d; c beats d
    "condorcet": (1, 2.5, 2, 0.5),
    # a beats b and d, and draws with c, 0.5 to 0.3 + 0.2; b beats c and d; c beats d
    "weighted_condorcet(weights=[0.5, 0.3, 0.2])": (2.5, 2, 1.5, 0),
}


LEARN = [
    {"t1": {"x": 3.0, "y": 2.0}, "t2": {"y": 3.0, "x": 2.0}},
    {"t1": {"y": 2.0, "z": 1.0}, "t2": {"x": 1.0}},
]
QRELS = {"t1": {"x": 1, "z": 0}, "t2": {"x": 2, "y": 1}}
ASKED = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 5.0, "c": 1.0}}]


def evidence(relevant, other):
    """3 relevant and 2 other candidates in 11 bins, each with half a document beforehand."""
    return log((relevant + 0.5) / (3 + 5.5)) - log((other + 0.5) / (2 + 5.5))


TRAINED = {
    # the first run is right at rank 1 always, at rank 2 every other time; the second at rank 1 every other time, at 2 never
    "posfuse": (1, 0.5 + 0.5, 0),
    "slidefuse(window=1)": (0.75, 0.75 + 0.25, 0.25),
    # average precision 1 and 1; 0 and ½
    "mapfuse": (1, 1 / 2 + 0.25, 0.25 / 2),
    # of two segments 1 and ½; ½ and 0, where a ranking of one document has no second segment
    "probfuse(segments=2)": (1, 0.5 / 2 + 0.5, 0),
    # one segment of 5: (½ + 1) ÷ 2; (0 + 1) ÷ 2
    "segfuse": (0.75 * 2, 0.75 + 0.5 * 2, 0.5),
    # first run: found 3 relevant and 1 other; lacked 0 and 1. second: found 1 and 2; lacked 2 and 0
    "bayesfuse": (evidence(3, 1) + evidence(2, 0), evidence(3, 1) + evidence(1, 2), evidence(0, 1) + evidence(1, 2)),
}


def test_worked_out_by_hand():
    assert {method.partition("(")[0] for method in (*WORKED, *TRAINED)} == set(all_fusions())
    for method, values in WORKED.items():
        assert dict(fuse([A, B, C], method)["q"]) == pytest.approx(dict(zip("abcd", values, strict=True))), method
    for method, values in TRAINED.items():
        trained = train(LEARN, QRELS, method)
        assert trained.n_queries == 2
        fused = fuse(ASKED, method, trained=trained)
        assert dict(fused["q"]) == pytest.approx(dict(zip("abc", values, strict=True))), method


def test_ranks_below_those_of_training_are_worth_nothing():
    longer = [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1.0}}]
    assert fuse(longer, "posfuse", trained=train(LEARN, QRELS, "posfuse"))["q"]["c"] == 0


def test_segments_of_segfuse_have_5_15_35_documents():
    """Relevant documents at ranks 5, 6 and 20; segments end at 5, 20 and 55."""
    run = {"t": {f"d{rank:02}": -float(rank) for rank in range(1, 31)}}
    (chances,) = train([run], {"t": {"d05": 1, "d06": 1, "d20": 1}}, "segfuse").values
    assert chances.tolist() == pytest.approx([1 / 5, 2 / 15, 0])


def test_a_method_that_learns_says_so(snapshots):
    trained = train(LEARN, QRELS, "mapfuse")
    cases = {
        "not trained": lambda: fuse(ASKED, "mapfuse"),
        "trained for another": lambda: fuse(ASKED, "posfuse", trained=trained),
        "trained on fewer runs": lambda: fuse([*ASKED, A], "mapfuse", trained=trained),
        "nothing to learn": lambda: train(LEARN, QRELS, "rrf"),
        "no judgments": lambda: train(LEARN, {"other": {"x": 1}}, "mapfuse"),
    }
    snapshots.check_errors("fusion/training", cases)


# ---- normalisation


def values(norm, *scores):
    """The normalised scores of one ranking."""
    run = {f"d{number}": float(score) for number, score in enumerate(scores)}
    fused = fuse([{"q": run}], f"comb_sum(norm={norm})")["q"]
    return [fused[doc] for doc in run]


NORMALISED = [
    ("min_max", (6, 4, 2), (1, 0.5, 0)),
    ("max", (6, 4, 2), (1, 2 / 3, 1 / 3)),
    ("max", (4, 0, -4), (1, 0.5, 0)),
    ("max", (-1, -2, -5), (1, 0.75, 0)),
    ("sum", (6, 4, 2), (4 / 6, 2 / 6, 0)),
    ("z_score", (6, 4, 2), (sqrt(1.5), 0, -sqrt(1.5))),
    ("rank", (6, 2, 4, -9), (1, 0.5, 0.75, 0.25)),
    ("borda", (6, 2, 4, -9), (1, 0.5, 0.75, 0.25)),
    ("none", (6, -4), (6, -4)),
]


def test_normalised_by_hand():
    for norm, scores, expected in NORMALISED:
        assert values(norm, *scores) == pytest.approx(expected), (norm, scores)


def test_one_document_and_equal_scores():
    for norm in set(NORMALISATIONS) - {"none"}:
        for score in (5, 0, -5, 1e-300):
            assert values(norm, score) == [1.0], (norm, score)
    for score in (5, 0, -5, 0.1):
        for norm in ("min_max", "max", "z_score"):
            assert values(norm, score, score, score) == [1, 1, 1], (norm, score)
        assert values("sum", score, score, score) == [1 / 3, 1 / 3, 1 / 3], score
    assert values("rank", 1, 1) == [0.5, 1.0]  # by id


def test_borda_gives_points_for_documents_that_a_run_lacks():
    """Of 4 candidates a run with a and b leaves ½ − 1 ÷ 8 to each of c and d; a run without the query gives nothing."""
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"c": 2.0, "d": 1.0}}, {"z": {"a": 1.0}}]
    assert fuse(runs, "comb_sum(norm=borda)")["q"] == {"c": 1.375, "a": 1.375, "d": 1.125, "b": 1.125}


def test_huge_and_tiny_scores_are_worth_what_their_likes_are():
    """A power of 2 changes nothing, to the last digit, though squares of such scores are infinite or 0."""
    for norm in ("min_max", "max", "sum", "z_score"):
        for scores in ((6, 4, 2), (3, 0, -3)):
            for power in (1020, -1060):
                assert values(norm, *(ldexp(score, power) for score in scores)) == values(norm, *scores), (norm, power)


def test_rankings_of_different_size_do_not_disturb_each_other():
    runs = [{"q": {"a": 1.5e308, "b": -1.5e308, "c": 0.0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}]
    assert fuse(runs, "comb_sum")["q"] == {"a": 2.0, "b": 0.5, "c": 0.5}


def test_scores_that_are_infinite_or_add_up_to_it_are_fused_where_they_do_not_count():
    infinite = [{"q": {"a": 1.0}}, {"q": {"a": 2.0, "b": float("-inf")}}]
    assert list(fuse(infinite, "rrf")["q"]) == ["a", "b"]
    large = [{"q": {"a": 1.5e308}}, {"q": {"a": 1.5e308, "b": 1.0}}]
    assert fuse(large, "comb_max(norm=none)")["q"] == {"a": 1.5e308, "b": 1.0}
    assert fuse(large, "comb_sum")["q"] == {"a": 2.0, "b": 0.0}
