"""Agreement of rankings between results, and relevant documents that came and went."""

import numpy as np
import pytest

import assay
from assay.comparison.options import ComparisonOptions
from assay.comparison.queries import rank_agreements
from assay.errors import UsageError

QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"d": 1}}
BASE = {"q1": ["a", "x", "c", "b"], "q2": ["d", "y"]}
NEW = {"q1": ["b", "x", "c", "a"], "q2": ["y", "d"]}
OTHER = {"q1": ["a", "x", "c", "b"]}


def results(runs=None, **policy):
    runs = runs or {"base": BASE, "new": NEW}
    scored = [assay.evaluate(QRELS, run, ["mrr"], name=name, policy=assay.Policy(**policy)) for name, run in runs.items()]
    return [result.with_fields(run=assay.Run(run)) for result, run in zip(scored, runs.values(), strict=True)]


def test_figures_by_hand():
    (found,) = rank_agreements(results(), k=1, p=0.5)
    assert (found.a, found.b, found.agreement.query_ids) == ("base", "new", ("q1", "q2"))
    # a x c b against b x c a: of 6 pairs only x before c is kept, so τ = (1 − 5) ÷ 6; y d against d y is reversed
    assert found.agreement.tau.tolist() == [pytest.approx(-4 / 6), -1.0]
    assert found.means["tau"] == pytest.approx((-4 / 6 - 1) / 2)
    assert found.agreement.overlap.tolist() == [0.0, 0.0]
    assert list(found.means) == ["tau", "tau_ap", "rbo(p=0.5)", "overlap@1"]


def test_relevant_documents_that_came_and_went():
    (found,) = rank_agreements(results(), k=1)
    assert {query: (moved.gained, moved.lost) for query, moved in found.moved.items()} == {
        "q1": (("b",), ("a",)),
        "q2": ((), ("d",)),
    }
    assert (found.n_gained, found.n_lost) == (1, 2)
    row = found.rows()[0]
    assert (row["query"], row["gained"], row["lost"]) == ("q1", ["b"], ["a"])
    (deep,) = rank_agreements(results(), k=10)
    assert (deep.n_gained, deep.n_lost) == (0, 0)


def test_the_relevance_level_counts():
    (found,) = rank_agreements(results(rel=2), k=1)
    assert (found.moved["q1"].gained, found.moved["q1"].lost) == (("b",), ())


def test_equal_rankings_agree_fully():
    (found,) = rank_agreements(results({"base": BASE, "same": BASE}))
    assert found.means == pytest.approx(dict.fromkeys(found.means, 1.0))


def test_a_query_without_answers_is_an_empty_ranking():
    (found,) = rank_agreements(results({"base": BASE, "other": OTHER}))
    assert found.agreement.query_ids == ("q1", "q2")
    assert found.agreement.overlap.tolist() == [1.0, 0.0]
    assert found.least() == ["q2", "q1"]
    assert found.least(1) == ["q2"]


def test_every_pair_or_those_with_the_baseline():
    three = results({"base": BASE, "new": NEW, "other": OTHER})
    assert [(one.a, one.b) for one in rank_agreements(three)] == [("base", "new"), ("base", "other"), ("new", "other")]
    assert [(one.a, one.b) for one in rank_agreements(three, ComparisonOptions(baseline="new"))] == [
        ("new", "base"),
        ("new", "other"),
    ]
    with pytest.raises(UsageError, match="no system is called 'old'"):
        rank_agreements(three, ComparisonOptions(baseline="old"))


def test_rankings_may_be_given():
    bare = [result.with_fields(run={}) for result in results()]
    with pytest.raises(UsageError, match="base has no rankings to compare"):
        rank_agreements(bare)
    (found,) = rank_agreements(bare, runs={"base": BASE, "new": NEW}, k=1)
    assert found.n_lost == 2


def test_without_judgments_nothing_is_said_about_relevance():
    (found,) = rank_agreements([result.with_fields(relevant={}) for result in results()])
    assert (found.moved, found.n_gained, found.n_lost) == (None, None, None)
    assert "gained" not in found.rows()[0]
    plain = found.to_dict()
    assert plain["n_gained"] is None
    assert plain["per_query"]["q2"]["tau"] == -1.0
    assert "per_query" not in found.to_dict(per_query=False)


def test_undefined_figures_are_none():
    (found,) = rank_agreements(results({"base": {"q1": ["a"], "q2": ["d"]}, "new": {"q1": ["a"], "q2": ["d"]}}))
    assert np.isnan(found.means["tau"])
    assert found.to_dict()["means"]["tau"] is None


def test_two_systems_with_names_of_their_own_are_needed():
    one, other = results()
    with pytest.raises(UsageError, match="at least two systems"):
        rank_agreements([one])
    with pytest.raises(UsageError, match="the same name"):
        rank_agreements([one, other.with_fields(name="base")])


def test_results_of_an_evaluation_keep_their_rankings():
    dataset = assay.load_dataset("rag-template")
    both = [assay.run(dataset, name, ["ndcg@10"]) for name in ("bm25", "tfidf_chars")]
    (found,) = rank_agreements(both)
    assert len(found.agreement.query_ids) == 48
    assert 0 < found.means["overlap@10"] < 1
    assert found.n_gained is not None
