"""Rejudging: the same as evaluating with all the judgments from the start, wherever a result knows enough."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._results import saved_and_read

import assay
from assay.evaluation import rejudge, result_from_dict
from assay.metrics import all_metrics, find_metric

METRICS = ("ndcg@3", "map", "mrr", "precision@2", "recall@3", "err@3", "rbp", "gmap", "num_rel_ret")
DOCS = [f"d{number}" for number in range(6)]


def saved(result, run):
    """What a store gives back: no grader, and of judgments the relevant ones alone."""
    return saved_and_read(result.with_fields(run=run))


def example():
    qrels = {"q1": {"d0": 1, "d5": 0}, "q2": {"d1": 2}}
    run = {"q1": {"d3": 3.0, "d0": 2.0, "d4": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
    return qrels, run


def test_new_grades_by_hand():
    """d3 stands first for q1: relevant now, it lifts its reciprocal rank from 1/2 to 1, and the mean from 3/4 to 1."""
    qrels, run = example()
    found = rejudge(saved(assay.evaluate(qrels, run, ["mrr", "precision@2"]), run), {"q1": {"d3": 1}})
    assert found.summaries() == {"mrr": (0.75, 1.0), "precision@2": (0.5, 0.75)}
    assert found.scores("q1") == {"mrr": (0.5, 1.0), "precision@2": (0.5, 1.0)}
    assert found.scores("q2") == {"mrr": (1.0, 1.0), "precision@2": (0.5, 0.5)}
    assert (found.queries, found.n_added, found.left_out) == (("q1",), 1, ())
    assert found.to_dict()["queries"]["q1"]["mrr"] == {"before": 0.5, "after": 1.0}


GRADED = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), max_size=4)
RANKING = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 4).map(float), max_size=6)


@given(
    st.lists(st.tuples(GRADED.filter(bool), RANKING, GRADED), min_size=1, max_size=4),
    st.sampled_from(["docid_desc", "docid_asc", "input_order"]),
)
def test_as_if_it_had_been_judged_from_the_start(queries, ties):
    qrels = {f"q{number}": judged for number, (judged, _, _) in enumerate(queries)}
    run = {f"q{number}": ranking for number, (_, ranking, _) in enumerate(queries) if ranking}
    new = {f"q{number}": more for number, (_, _, more) in enumerate(queries)}
    policy = assay.Policy(ties=ties)
    stored = saved(assay.evaluate(qrels, run, METRICS, policy=policy), run)
    whole = assay.evaluate({query: {**new[query], **judged} for query, judged in qrels.items()}, run, METRICS, policy=policy)
    found = rejudge(stored, new, qrels)
    assert found.left_out == ()
    assert found.before.summary() == pytest.approx(stored.summary)
    for name in METRICS:
        after = dict(zip(found.after.query_ids, found.after.columns[find_metric(name).name].score.tolist(), strict=True))
        assert after == pytest.approx(whole.scores(name), abs=1e-12)
    assert found.after.summary() == pytest.approx(whole.summary)
    unjudged = {query: {doc: grade for doc, grade in more.items() if doc not in qrels[query]} for query, more in new.items()}
    alone, known = rejudge(stored, unjudged), rejudge(stored, unjudged, qrels)  # relevant documents alone are enough
    assert alone.after.summary() == pytest.approx(known.after.summary())


def test_a_query_that_had_no_judgment_comes_in():
    qrels, run = example()
    run = {**run, "q3": {"d1": 1.0}}
    found = rejudge(saved(assay.evaluate(qrels, run, ["mrr"]), run), {"q3": {"d1": 2}})
    assert found.scores("q3") == {"mrr": (None, 1.0)}
    assert found.summaries() == {"mrr": (0.75, (0.5 + 1 + 1) / 3)}


def test_what_takes_more_than_a_result_keeps_is_left_out():
    qrels, run = example()
    result = saved(assay.evaluate(qrels, run, ["mrr", "bpref", "judged@10", "relstring"]), run)
    assert rejudge(result, {"q1": {"d3": 1}}).left_out == ("bpref", "judged@10", "relstring@10")
    assert rejudge(result, {"q1": {"d3": 1}}, qrels).left_out == ("relstring@10",)
    condensed = saved(assay.evaluate(qrels, run, ["mrr"], policy=assay.Policy(judged_only=True)), run)
    assert rejudge(condensed, {"q1": {"d3": 1}}).left_out == ("mrr",)


def test_scores_that_something_else_decided_are_left_out():
    """Where scoring again does not give what is stored, nobody knows what new grades would do."""
    qrels, run = example()
    result = saved(assay.evaluate(qrels, run, ["mrr", "map"]), run)
    columns = {**result.table.columns, "map": result.table.columns["map"]._replace(score=np.array([0.1, 0.2]))}
    found = rejudge(result.with_fields(table=replace(result.table, columns=columns)), {"q1": {"d3": 1}})
    assert found.left_out == ("map",)


def test_nothing_is_refused_for_a_new_grade():
    """A tie that matters only now is no error, even under a policy that refuses ties."""
    qrels, run = {"q1": {"d0": 1}}, {"q1": {"d0": 3.0, "d1": 1.0, "d2": 1.0}}
    strict = assay.Policy(ties="error", missing="error", no_relevant="error", extra="error")
    found = rejudge(saved(assay.evaluate(qrels, run, ["map"], policy=strict), run), {"q1": {"d1": 1}})
    assert found.scores("q1") == {"map": (1.0, pytest.approx((1 + 2 / 3) / 2))}


def test_metrics_that_read_what_is_not_relevant_are_left_out():
    """Those that judgments of grade 0 change, of all metrics there are."""
    cuts = {name: "" if metric.at is None else "@0.5" if name == "iprec" else "@5" for name, metric in all_metrics().items()}
    names = [f"{name}{cuts[name]}" for name, metric in all_metrics().items() if metric.view == "ranking"]
    policy, docs = assay.Policy(max_grade=3), [f"d{number}" for number in range(12)]
    changed = set()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        run = {"q": dict(zip(docs, rng.permutation(12).astype(float).tolist(), strict=True))}
        relevant = {doc: int(rng.integers(1, 4)) for doc in docs if rng.random() < 0.3} or {"d1": 1}
        others = {doc: 0 for doc in [*docs, "x"] if doc not in relevant and rng.random() < 0.6}
        plain, more = (
            assay.evaluate({"q": judged}, run, names, policy=policy) for judged in (relevant, {**relevant, **others})
        )
        changed |= {name for name in plain if repr(plain.scores(name)) != repr(more.scores(name))}
    left_out = set(rejudge(saved(plain, run), {"q": {"new": 1}}).left_out)
    texts = {name for name in plain if name not in plain.summary}
    assert left_out - texts == changed - texts


def test_grades_of_what_the_benchmark_judged_are_counted_as_left_out():
    """e was judged 0, so a person's 2 does not count; x was not judged, and counts."""
    scored = assay.evaluate({"q": {"d": 1, "e": 0}}, {"q": ["e", "x", "d"]}, ["mrr"])
    result = scored.with_fields(run={"q": {"e": 3.0, "x": 2.0, "d": 1.0}})
    effect = rejudge(result, {"q": {"e": 2.0, "x": 1.0}})
    assert (effect.n_added, effect.n_kept) == (1, 1)
    assert effect.summaries()["mrr"] == (1 / 3, 1 / 2)
    assert effect.to_dict()["n_kept"] == 1
    again = result_from_dict(result.to_dict())
    assert again.nonrelevant == {"q": {"e": 0.0}}
    assert rejudge(again, {"q": {"e": 2.0}}).n_kept == 1
