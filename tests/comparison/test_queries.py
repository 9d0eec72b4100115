"""Queries one by one: those that moved most, how rankings agree, and relevant documents that came and went."""

import numpy as np
import pytest

import assay
from assay import Policy, Query, Run
from assay.comparison import ComparisonOptions, compare_results, largest_gains, largest_losses, rank_agreements

from ._systems import compared, old_and_new, system

QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"d": 1}}
BASE = {"q1": ["a", "x", "c", "b"], "q2": ["d", "y"]}
NEW = {"q1": ["b", "x", "c", "a"], "q2": ["y", "d"]}
OTHER = {"q1": ["a", "x", "c", "b"]}


def results(runs=None, **policy):
    return [
        assay.evaluate(QRELS, run, ["mrr"], name=name, policy=Policy(**policy)).with_fields(run=Run(run))
        for name, run in (runs or {"base": BASE, "new": NEW}).items()
    ]


def test_largest_first_and_only_those_that_moved_that_way():
    comparison = compared(*old_and_new())
    losses = largest_losses(comparison, "mrr", "old", "new")
    assert [(one.query, one.score_a, one.score_b, one.difference) for one in losses] == [("q6", 1.0, 0.5, -0.5)]
    gains = largest_gains(comparison, "RR", "old", "new", 4)
    assert [one.query for one in gains] == ["q5", "q2", "q4", "q7"]  # equals in the order of the queries
    assert gains[0].improvement == pytest.approx(0.8)
    assert [one.query for one in largest_losses(comparison, "mrr", "new", "old", 1)] == ["q5"]
    assert largest_losses(comparison, "mrr", "old", "new", 0) == []


def test_a_longer_wait_is_a_loss_and_without_a_score_nothing_moved():
    comparison = compared(system("a", {"latency": [5.0, 5.0]}), system("b", {"latency": [4.0, 9.0]}))
    (loss,) = largest_losses(comparison, "latency", "a", "b")
    assert (loss.query, loss.difference, loss.improvement) == ("q2", 4.0, -4.0)
    undefined = compared(system("a", {"mrr": [np.nan, 1.0]}), system("b", {"mrr": [1.0, 0.5]}))
    assert largest_gains(undefined, "mrr", "a", "b") == []


def test_rankings_relevant_documents_and_words():
    qrels = {"q": {"d1": 2, "d2": 1, "d3": 3, "d4": 0}, "r": {"d1": 1}}
    runs = {"a": {"q": {"d1": 2.0, "x": 2.0, "d2": 1.0}, "r": {"d1": 1.0}}, "b": {"q": {"x": 1.0}, "r": {"d1": 1.0}}}
    both = [assay.evaluate(qrels, run, "map", name=name).with_fields(run=run) for name, run in runs.items()]
    both[1] = both[1].with_fields(queries={"q": Query("q", "how long?")})
    (loss,) = largest_losses(compare_results(both), "map", "a", "b")
    assert loss.text == "how long?"
    assert (loss.ranking_a, loss.ranking_b) == (("x", "d1", "d2"), ("x",))  # equal scores: ids descending, as scored
    assert dict(loss.relevant) == {"d3": 3.0, "d1": 2.0, "d2": 1.0}
    assert loss.to_dict()["relevant"]["d1"] == {"grade": 2.0, "rank_a": 2, "rank_b": None}


def test_agreement_by_hand():
    """a x c b against b x c a: of 6 pairs only x before c is kept, so τ = (1 − 5) ÷ 6; y d against d y is reversed."""
    (found,) = rank_agreements(results(), k=1, p=0.5)
    assert (found.a, found.b, found.agreement.query_ids) == ("base", "new", ("q1", "q2"))
    assert found.agreement.tau.tolist() == [pytest.approx(-4 / 6), -1.0]
    assert found.means["tau"] == pytest.approx((-4 / 6 - 1) / 2)
    assert found.agreement.overlap.tolist() == [0.0, 0.0]
    assert list(found.means) == ["tau", "tau_ap", "rbo(p=0.5)", "overlap@1"]
    moved = {query: (documents.gained, documents.lost) for query, documents in found.moved.items()}
    assert moved == {"q1": (("b",), ("a",)), "q2": ((), ("d",))}
    assert (found.n_gained, found.n_lost) == (1, 2)
    row = found.rows()[0]
    assert (row["query"], row["gained"], row["lost"]) == ("q1", ["b"], ["a"])
    (deep,) = rank_agreements(results(), k=10)
    assert (deep.n_gained, deep.n_lost) == (0, 0)


def test_equal_empty_and_short_rankings():
    (same,) = rank_agreements(results({"base": BASE, "same": BASE}))
    assert same.means == pytest.approx(dict.fromkeys(same.means, 1.0))
    (other,) = rank_agreements(results({"base": BASE, "other": OTHER}))
    assert other.agreement.overlap.tolist() == [1.0, 0.0]
    assert (other.least(), other.least(1)) == (["q2", "q1"], ["q2"])
    short = {"q1": ["a"], "q2": ["d"]}
    (undefined,) = rank_agreements(results({"base": short, "new": short}))
    assert (np.isnan(undefined.means["tau"]), undefined.to_dict()["means"]["tau"]) == (True, None)


def test_rankings_may_be_given_and_judgments_unknown():
    bare = [result.with_fields(run={}) for result in results()]
    assert rank_agreements(bare, runs={"base": BASE, "new": NEW}, k=1)[0].n_lost == 2
    (found,) = rank_agreements([result.with_fields(relevant={}) for result in results()])
    assert (found.moved, found.n_gained, found.n_lost) == (None, None, None)
    assert "gained" not in found.rows()[0]
    plain = found.to_dict()
    assert (plain["n_gained"], plain["per_query"]["q2"]["tau"]) == (None, -1.0)
    assert "per_query" not in found.to_dict(per_query=False)


def test_what_is_refused(snapshots):
    one, other = results()
    comparison = compared(*old_and_new())
    moves = {f"{n} queries": lambda n=n: largest_losses(comparison, "mrr", "old", "new", n) for n in (-1, True, 1.5)}
    cases = {
        "baseline": lambda: rank_agreements([one, other], ComparisonOptions(baseline="old")),
        "no rankings": lambda: rank_agreements([one.with_fields(run={}), other]),
        "one system": lambda: rank_agreements([one]),
        "one name": lambda: rank_agreements([one, other.renamed("base")]),
    }
    snapshots.check_errors("compare/queries", {**moves, **cases})
