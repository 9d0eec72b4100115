"""Results cut down to some queries and metrics, and results of several benchmarks taken together."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._results import differences, make_result, saved_and_read

import assay
from assay import Query, UnknownName
from assay.evaluation import Evidence, Provenance, Scores, with_intervals

METRICS = ("ndcg@3", "map", "num_ret", "relstring@3", "gmap")
QUERIES = tuple(f"q{number}" for number in range(5))
DOCUMENTS = "abcd"


@st.composite
def rankings(draw: st.DrawFn) -> dict[str, dict[str, float]]:
    """A run of some queries, with ties."""
    asked = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    score = st.sampled_from((0.5, 1.0, 2.0, 3.0))
    return {query: draw(st.dictionaries(st.sampled_from(DOCUMENTS), score, min_size=1)) for query in asked}


@st.composite
def judgments(draw: st.DrawFn) -> dict[str, dict[str, int]]:
    """Judgments of all queries; each has a relevant document, and some have others that are not."""
    judged = {query: draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2))) for query in QUERIES}
    return {query: {**grades, "a": 1} for query, grades in judged.items()}


def full_result(qrels, run) -> assay.Result:
    """A result with everything that one can have."""
    scored = assay.evaluate(qrels, run, METRICS, name="bm25", tie_band=True, residuals=True)
    return with_intervals(scored, "t").with_fields(
        benchmark="small",
        run=run,
        queries={query: Query(query, f"what is {query}?", metadata={"kind": query[-1]}) for query in QUERIES},
        said={query: {"answer": query} for query in QUERIES},
        failures=dict.fromkeys(QUERIES[:2], "late"),
        beside=("num_ret",),
        provenance={"k": 10, "final": list(QUERIES)},
    )


RESULTS = st.builds(full_result, judgments(), rankings())
SOME_QUERIES = st.lists(st.sampled_from((*QUERIES, "other")), unique=True)
SOME_METRICS = st.lists(st.sampled_from(METRICS), min_size=1, unique=True)


@given(RESULTS, SOME_QUERIES, SOME_QUERIES, SOME_METRICS, SOME_METRICS)
def test_a_subset_of_a_subset_is_that_of_both_and_names_nothing_outside(result, queries, then, metrics, others):
    assert not differences(result.subset(queries=result.query_ids, metrics=result.metrics), result)
    both = [query for query in then if query in queries]
    assert not differences(result.subset(queries=queries).subset(queries=then), result.subset(queries=both))
    shared = [name for name in others if name in metrics]
    assert not differences(result.subset(metrics=metrics).subset(metrics=shared), result.subset(metrics=shared))
    subset = result.subset(queries=queries, metrics=metrics)
    assert not differences(subset, result.subset(metrics=metrics).subset(queries=queries))
    if len(subset.query_ids) < len(result.query_ids):
        for field in fields(Evidence):
            mapping = getattr(subset, field.name)
            assert mapping is None or mapping.keys() <= set(queries), field.name
        assert {*subset.missing, *subset.provenance["final"]} <= set(queries)
        assert (subset.grader, subset.fingerprints, subset.ties) == (None, {}, {})
        assert subset.intervals == subset.tie_bands == subset.residuals == {}
    own_names = {result.own_name(metric) for metric in metrics}
    for field in fields(Scores):
        value = getattr(subset, field.name)
        if isinstance(value, Mapping) and field.name != "counts":
            assert value.keys() <= own_names, field.name
    settings = {setting.metric.name for setting in subset.settings}
    assert settings == own_names == set(subset.table.columns) == {metric.name for metric in subset.metrics}
    assert set(subset.beside) <= own_names


@given(judgments(), rankings(), SOME_QUERIES)
def test_a_subset_is_summarised_like_a_fresh_evaluation(qrels, run, queries):
    inside = [query for query in qrels if query in queries]
    if not any(query in run for query in inside):
        return
    asked = {query: run[query] for query in inside if query in run}
    fresh = assay.evaluate({query: qrels[query] for query in inside}, asked, METRICS)
    subset = full_result(qrels, run).subset(queries=inside)
    assert subset.summary.keys() == fresh.summary.keys()
    for name, value in fresh.summary.items():
        assert math.isclose(subset.summary[name], value, abs_tol=1e-12) or math.isnan(value), name
    assert subset.missing == fresh.missing


@given(RESULTS, SOME_QUERIES)
def test_what_is_saved_is_read(result, queries):
    for given_result in (result, result.subset(queries=queries)):
        read = saved_and_read(given_result)
        assert not differences(saved_and_read(read), read)
        plain = given_result.to_dict()
        for lost in ("tie_bands", "residuals", "ties"):  # what was graded is not saved
            plain.pop(lost, None)
        assert json.dumps(read.to_dict()) == json.dumps(plain)


def test_queries_and_metrics_stand_in_the_order_asked_for():
    result = make_result({"mrr": [1.0, 0.5, 0.0], "map": [0.1, 0.2, 0.3]}, failures={"q3": "late"})
    subset = result.subset(queries=["q2", "q1", "q9", "q2"], metrics=["map", "average_precision"])
    assert subset.scores("map") == {"q2": 0.2, "q1": 0.1}
    assert (list(subset), dict(subset.failures), subset.counts["scored"]) == (["map"], {}, 2)
    assert result.subset(queries=["q3", "q1", "q2"]).failures == {"q3": "late"}
    with pytest.raises(UnknownName):
        result.subset(metrics=["ndcg@10"])


def test_a_result_has_another_name_and_other_fields():
    result = make_result({"mrr": [1.0]})
    assert (result.renamed("x").name, result.name) == ("x", "bm25")
    changed = result.with_fields(benchmark="small", notes=("look",), run={"q1": {"d": 1.0}}, beside=("mrr",))
    assert differences(changed, result).keys() == {"benchmark", "notes", "run", "beside"}
    with pytest.raises(TypeError):
        result.with_fields(nothing=1)
    parts = [field.name for part in (Scores, Evidence, Provenance) for field in fields(part)]
    assert len(parts) == len(set(parts))
    for name in parts:
        with pytest.raises(AttributeError):
            setattr(result, name, None)


def test_results_of_several_benchmarks_are_one():
    first, second, third = (
        make_result(
            {"mrr": scores, metric: scores},
            query_ids=QUERIES[:2],
            tags={"kind": ["a", "b"]},
            benchmark=name,
            run={"q0": {name: 1.0}},
            said={"q1": {"answer": name}},
            relevant={"q0": {"d": 1.0}, "unscored": {"d": 1.0}},
            nonrelevant={"q0": {"x": 0.0}},
            failures={"q1": "late"},
            missing=("q1",),
            notes=("the same", name),
            recorded={"judgments": name},
            relevance={"strategy_used": "qrels"},
        )
        for name, metric, scores in (("x", "map", [1.0, 0.0]), ("y", "map", [0.5, 0.5]), ("z", "ndcg@5", [0.0, 0.2]))
    )
    merged = with_intervals(first, "t").merge(second, third)
    assert merged.scores("mrr") == {"x/q0": 1.0, "x/q1": 0.0, "y/q0": 0.5, "y/q1": 0.5, "z/q0": 0.0, "z/q1": 0.2}
    assert (merged.name, merged.benchmark, list(merged), merged.counts["judged"]) == ("bm25", "", ["mrr"], 6)
    assert merged.queries["y/q1"].tags == {"kind": "b", "benchmark": "y"}
    assert merged.run == {"x/q0": {"x": 1.0}, "y/q0": {"y": 1.0}, "z/q0": {"z": 1.0}}
    assert merged.relevant.keys() == merged.run.keys()
    assert merged.said["z/q1"] == {"answer": "z"}
    assert (merged.missing, list(merged.failures)) == (("x/q1", "y/q1", "z/q1"), ["x/q1", "y/q1", "z/q1"])
    assert merged.notes == ("the same", "x", "y", "z")
    assert merged.intervals == merged.recorded == merged.relevance == merged.nonrelevant == {}
    assert merged.grader is None


@given(judgments(), rankings())
def test_scores_by_some_metrics_joined_with_those_by_the_others_are_all_of_them(qrels, run):
    whole = full_result(qrels, run)
    names = [metric.name for metric in whole.metrics]
    some, others = (whole.subset(metrics=part).all_scores for part in (names[:2], names[1:]))
    assert differences(replace(whole, all_scores=some.joined(others)), whole) == {}
