"""Which results may be compared."""

import numpy as np
import pytest

import assay
from assay.comparison.alignment import align

from ._systems import NEW, OLD, old_and_new, system


def test_queries_are_paired_by_id_whatever_their_order():
    one = system("one", {"mrr": [1.0, 0.5, 0.25]}, ["a", "b", "c"])
    two = system("two", {"mrr": [0.1, 0.2, 0.3]}, ["c", "a", "b"])
    aligned = align([one, two])
    assert aligned.query_ids == ("a", "b", "c")
    assert aligned.scores("mrr").tolist() == [[1.0, 0.2], [0.5, 0.3], [0.25, 0.1]]
    assert aligned.names == ("one", "two")
    assert aligned.notes == ()


@pytest.mark.parametrize(("results", "here"), [([], "here is none"), (old_and_new()[:1], "here is one, old")])
def test_one_system_is_none_too_few(results, here):
    with pytest.raises(assay.UsageError, match=f"at least two systems are needed for a comparison, and {here}"):
        align(results)


def test_two_systems_of_one_name_are_refused():
    with pytest.raises(assay.UsageError, match="two systems are called old; give them names"):
        align([old_and_new()[0]] * 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"policy": assay.Policy(ties="docid_asc")}, "ties is docid_desc for old and docid_asc for new"),
        ({"policy": assay.Policy(rel=2)}, "rel is None for old and 2 for new"),
        ({"profile": "beir"}, "profile is none for old and beir for new"),
        ({"recorded": {"judgments": "bb"}}, "old and new rest on different judgments"),
        (
            {"provenance": {"dataset": {"fingerprints": {"queries": "1", "documents": "3"}}}},
            "old and new rest on different documents",
        ),
    ],
)
def test_what_differs_is_named_and_refused(change, said):
    prints = {"dataset": {"fingerprints": {"queries": "1", "documents": "2"}}}
    common = {"benchmark": "first", "recorded": {"judgments": "aa"}}
    if "provenance" in change:
        common["provenance"] = prints
    old, new = old_and_new(**common)
    changed = new.with_fields(**change)
    with pytest.raises(assay.DataError, match=f"cannot be compared: {said}.*--intersect compares what they share"):
        align([old, changed])
    assert align([old, changed], intersect=True).notes == (said,)


@pytest.mark.parametrize("intersect", [False, True])
def test_benchmarks_share_nothing_even_where_ids_are_the_same(intersect):
    old, new = (one.with_fields(benchmark=name) for one, name in zip(old_and_new(), ("first", "other"), strict=True))
    with pytest.raises(assay.DataError, match=r"old and new are about different benchmarks, first and other$"):
        align([old, new], intersect=intersect)


def retrieving(depths, metric="mrr"):
    return [system(name, {metric: OLD}, provenance={"k": depth}) for name, depth in zip(("one", "two"), depths, strict=True)]


@pytest.mark.parametrize("metric", ["mrr", "ndcg@20", "latency"])
def test_another_depth_is_named_where_a_metric_looks_that_far(metric):
    said = f"one was asked for 10 documents a query and two for 1,000, which matters to {metric}"
    with pytest.raises(assay.DataError, match=said):
        align(retrieving((10, 1000), metric))
    assert align(retrieving((10, 1000), metric), intersect=True).notes == (said,)


def test_another_depth_does_not_matter_above_it():
    assert align(retrieving((10, 1000), "ndcg@10")).notes == ()
    assert align(retrieving((10, 10))).notes == ()
    assert align(retrieving((None, 10))).notes == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({}, {"strategy_used": "token"}, "relevance is decided by qrels for old and by token for new"),
        (
            {"strategy_used": "token", "token_threshold": 0.3},
            {"strategy_used": "token", "token_threshold": 0.5},
            "token threshold of relevance is 0.3 for old and 0.5 for new",
        ),
    ],
)
def test_relevance_decided_by_other_means_is_named(ours, theirs, said):
    old, new = old_and_new()
    both = [old.with_fields(relevance=ours), new.with_fields(relevance=theirs)]
    with pytest.raises(assay.DataError, match=said):
        align(both)
    assert align(both, intersect=True).notes == (said,)


def test_other_queries_are_refused_or_left_out():
    old = system("old", {"mrr": OLD})
    new = system("new", {"mrr": NEW[2:]}, [f"q{number}" for number in range(3, 9)])
    with pytest.raises(assay.DataError, match=r"2 queries only in old \(q1 q2\)"):
        align([old, new])
    aligned = align([old, new], intersect=True)
    assert aligned.query_ids == tuple(f"q{number}" for number in range(3, 9))
    assert aligned.results[0]["mrr"] == pytest.approx(np.mean(OLD[2:]))
    assert aligned.notes == ("2 queries only in old (q1 q2)",)


def test_nothing_in_common_cannot_be_intersected():
    one, two = system("one", {"mrr": [1.0]}, ["a"]), system("two", {"mrr": [1.0]}, ["b"])
    with pytest.raises(assay.DataError, match="no query is in all of them"):
        align([one, two], intersect=True)


def test_judgments_made_of_what_was_retrieved_may_differ():
    by_text = {"relevance": {"strategy_used": "token-fallback"}}
    old, new = old_and_new(**by_text)
    assert align([old.with_fields(recorded={"judgments": "aa"}), new.with_fields(recorded={"judgments": "bb"})]).notes == ()


def test_metrics_that_all_have_and_somebody_asked_for():
    one = system("one", {"mrr": OLD, "map": OLD, "judged@10": OLD}, beside=("judged@10",))
    two = system("two", {"judged@10": OLD, "map": OLD, "ndcg@10": OLD}, beside=("judged@10",))
    assert [metric.name for metric in align([one, two]).metrics] == ["map"]
    assert [metric.name for metric in align([one, two], ["judged@10", "AP"]).metrics] == ["judged@10", "map"]
    with pytest.raises(assay.UsageError, match=r"mrr was not scored for two; one has mrr map judged@10"):
        align([one, two], ["mrr"])
    with pytest.raises(
        assay.UsageError, match="relstring@10 is text and cannot be compared; compare a metric with a figure"
    ):
        align([one, two], ["relstring"])
    with pytest.raises(assay.UsageError, match="no metric in common"):
        align([system("one", {"mrr": OLD}), system("two", {"map": OLD})])


def test_a_system_nobody_knows():
    with pytest.raises(assay.UnknownName, match=r"no system is called 'nwe'. Did you mean new\?   \(there are old, new\)"):
        align(old_and_new()).place("nwe")
