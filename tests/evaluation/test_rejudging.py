"""Rejudging: the same as evaluating with all the judgments from the start, wherever a result knows enough."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._results import saved_and_read

import assay
from assay.comparison import compare_results
from assay.evaluation import rejudge, result_from_dict, with_intervals
from assay.metrics import all_metrics

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
    assert (found.queries, found.merged.n_added, found.left_out) == (("q1",), 1, ())
    assert found.to_dict()["queries"]["q1"]["mrr"] == {"before": 0.5, "after": 1.0}


GRADED = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), max_size=4)
RANKING = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 4).map(float), max_size=6)
POLICIES = st.builds(
    assay.Policy,
    ties=st.sampled_from(["docid_desc", "docid_asc", "input_order"]),
    missing=st.sampled_from(["zero", "skip"]),
    no_relevant=st.sampled_from(["zero", "skip"]),
    rel=st.sampled_from([None, 2.0]),
)


@given(st.lists(st.tuples(GRADED.filter(bool), RANKING, GRADED), min_size=1, max_size=4), POLICIES)
def test_as_if_it_had_been_judged_from_the_start(queries, policy):
    """Grades that are new, and grades that overrule the benchmark: the whole result is that of the merged judgments."""
    qrels = {f"q{number}": judged for number, (judged, _, _) in enumerate(queries)}
    run = {f"q{number}": ranking for number, (_, ranking, _) in enumerate(queries) if ranking}
    new = {f"q{number}": more for number, (_, _, more) in enumerate(queries) if number in (0, 1) or f"q{number}" in run}
    stored = saved(assay.evaluate(qrels, run, METRICS, policy=policy), run)
    known = {query: more for query, more in new.items() if query in run or query in stored.query_ids}
    merged = {query: {**judged, **known.get(query, {})} for query, judged in qrels.items()}
    whole = assay.evaluate(merged, run, METRICS, policy=policy)
    found = rejudge(stored, new, qrels)
    assert found.left_out == ()
    assert found.before.summary() == pytest.approx(stored.summary, nan_ok=True)
    assert {name: after for name, (_, after) in found.summaries().items()} == pytest.approx(whole.summary, nan_ok=True)
    for name in METRICS:
        assert found.result.scores(name) == pytest.approx(whole.scores(name), abs=1e-12, nan_ok=True)
    assert found.after.query_ids == found.result.query_ids
    assert found.result.counts == whole.counts
    assert found.result.policy == whole.policy
    assert found.result.fingerprints["judgments"] == whole.fingerprints["judgments"]
    for query in found.queries:
        assert found.result.relevant[query] == whole.relevant[query]
        assert found.result.nonrelevant[query] == whole.nonrelevant[query]
    grades = [(query, doc, grade, qrels[query].get(doc)) for query, more in known.items() for doc, grade in more.items()]
    assert found.merged.n_added == sum(own is None for *_, own in grades)
    assert found.merged.n_same == sum(own == grade for *_, grade, own in grades)
    assert found.merged.n_added + found.merged.n_overruled + found.merged.n_same == len(grades)
    assert set(found.queries) == {query for query, _, grade, own in grades if own != grade}


@given(st.lists(st.tuples(GRADED.filter(bool), RANKING.filter(bool), GRADED), min_size=1, max_size=4))
def test_what_a_result_stores_is_enough(queries):
    """Relevant documents, and retrieved ones that are not relevant: the same scores as with all judgments."""
    qrels = {f"q{number}": judged for number, (judged, _, _) in enumerate(queries)}
    run = {f"q{number}": ranking for number, (_, ranking, _) in enumerate(queries) if ranking}
    new = {f"q{number}": more for number, (_, _, more) in enumerate(queries)}
    stored = saved(assay.evaluate(qrels, run, METRICS), run)
    alone, known = rejudge(stored, new), rejudge(stored, new, qrels)
    for name in METRICS:
        assert alone.result.scores(name) == pytest.approx(known.result.scores(name), abs=1e-12, nan_ok=True)
    assert alone.result.policy == known.result.policy


def example_with_intervals():
    qrels = {f"q{number}": {"d0": 1, "d1": 0, f"d{number % 3 + 2}": 2} for number in range(12)}
    run = {query: {f"d{(place * 5 + number) % 6}": 9.0 - place for place in range(5)} for number, query in enumerate(qrels)}
    return qrels, run


def test_the_rejudged_result_is_a_whole_result():
    """Intervals, provenance and notes are new; it can be saved, compared and split; times stay, the old grader does not."""
    qrels, run = example_with_intervals()
    scored = assay.evaluate(qrels, run, ["mrr", "ndcg@5", "map"])
    stored = saved(with_intervals(scored, metrics=["mrr", "map"]), run).with_fields(
        benchmark="small", provenance={"dataset": {"name": "small", "fingerprints": {"queries": "a", "judgments": "b"}}}
    )
    new = {"q0": {"d1": 3}, "q3": {"d0": 0, "d9": 1}, "q4": {"d0": 1}}
    found = rejudge(stored, new, qrels)
    merged = {query: {**judged, **new.get(query, {})} for query, judged in qrels.items()}
    whole = with_intervals(assay.evaluate(merged, run, ["mrr", "ndcg@5", "map"]), metrics=["mrr", "map"])
    assert found.result.intervals == whole.intervals
    assert found.result.provenance["judgments"] == {
        "layer": "people",
        "n_grades": 4,
        "n_added": 1,
        "n_overruled": 2,
        "n_same": 1,
        "fingerprint": whole.fingerprints["judgments"],
    }
    assert found.result.provenance["dataset"]["fingerprints"] == {
        "queries": "a",
        "judgments": whole.fingerprints["judgments"],
    }
    assert found.result.notes[-1] == (
        "Scored with 4 grades by people: 1 for unjudged documents, 2 instead of another grade of the benchmark, "
        "1 as in the benchmark."
    )
    assert saved_and_read(found.result).summary == found.result.summary
    second = {query: {f"d{number}": float(number) for number in range(6)} for query in run}
    against = rejudge(saved(assay.evaluate(qrels, second, ["mrr", "map"], name="b"), second), new, qrels).result
    compared = compare_results([found.result.renamed("a"), against], metrics=["map"])
    fresh = assay.compare(merged, {"a": run, "b": second}, metrics=["map"])
    assert compared.pairs[0].difference == pytest.approx(fresh.pairs[0].difference, abs=1e-12)
    with pytest.raises(assay.DataError, match="judgments"):
        compare_results([stored.renamed("a"), against.with_fields(provenance=found.result.provenance)], metrics=["map"])


def test_without_rankings_nothing_is_computed():
    qrels, run = example()
    bare = saved(assay.evaluate(qrels, run, ["mrr"]), {})
    assert rejudge(bare, {"q1": {"d3": 1}}).left_out == ("mrr",)
    kept = rejudge(bare, {})
    assert (kept.left_out, kept.result.provenance["judgments"]["n_grades"]) == (("mrr",), 0)


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


def test_a_grade_overrules_the_benchmark_by_hand():
    """e was judged 0 and is first: with a person's 2, the first relevant document is at rank 1 instead of 3."""
    scored = assay.evaluate({"q": {"d": 1, "e": 0}}, {"q": ["e", "x", "d"]}, ["mrr"])
    result = scored.with_fields(run={"q": {"e": 3.0, "x": 2.0, "d": 1.0}})
    effect = rejudge(result, {"q": {"e": 2.0, "x": 0.0, "d": 1.0}})
    assert (effect.merged.n_added, effect.merged.n_overruled, effect.merged.n_same, effect.n_new) == (1, 1, 1, 2)
    assert effect.summaries()["mrr"] == (1 / 3, 1.0)
    assert effect.result.relevant == {"q": {"e": 2.0, "d": 1.0}}
    assert effect.result.nonrelevant == {"q": {"x": 0.0}}
    assert effect.to_dict()["n_overruled"] == 1
    again = result_from_dict(result.to_dict())
    assert again.nonrelevant == {"q": {"e": 0.0}}
    assert rejudge(again, {"q": {"e": 2.0}}).merged.n_overruled == 1
    taken = rejudge(again, {"q": {"d": 0.0}})
    assert taken.summaries()["mrr"] == (1 / 3, 0.0)
    assert taken.result.relevant == {"q": {}}


def test_a_query_without_relevant_documents_leaves_when_such_queries_are_skipped():
    qrels, run = example()
    skip = assay.Policy(no_relevant="skip")
    found = rejudge(saved(assay.evaluate(qrels, run, ["mrr"], policy=skip), run), {"q1": {"d0": 0}}, qrels)
    assert found.result.query_ids == ("q2",)
    assert found.scores("q1") == {"mrr": (0.5, None)}
    assert found.result.counts == assay.evaluate({**qrels, "q1": {"d0": 0, "d5": 0}}, run, ["mrr"], policy=skip).counts
