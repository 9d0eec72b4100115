"""Rerankers: two results, that of what they were given first, and the improvement from the one to the other."""

import math
import sys
from dataclasses import replace
from types import ModuleType

import pytest

import assay
from assay import Hit
from assay.execution import ExecutionOptions, execute_plan
from assay.grammar import mark_written
from assay.metrics import parse_metrics
from assay.providers import parse_provider

from ._plans import plan
from ._retrievers import Told, benchmark

FIRST = {"q0": ["d0", "d1"], "q1": ["d0", "d1"], "q2": ["d0", "d1"]}
"""The relevant document is at rank 1, at rank 2, and not there."""


@pytest.fixture
def functions(monkeypatch):
    """A module with a search, and with scores that put what is relevant first; fails where it is told to."""
    module = ModuleType("functions_of_rerankers")

    def score(query, hits):
        if query.query_id in module.fails:
            raise ValueError("told to fail")
        return [float(hit.doc_id[1:] == query.query_id[1:]) for hit in hits]

    module.fails, module.score = set(), score
    module.search = lambda query: [Hit(doc, -float(rank), doc) for rank, doc in enumerate(FIRST[f"q{query[-1]}"])]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def reranker(functions, tmp_path):
    """A plan over three queries, and where its log is kept."""
    (tmp_path / "one").mkdir()
    benchmark(3).save_json(tmp_path / "one" / "b.json")
    name = functions.__name__
    provider = parse_provider(mark_written(f"rerank(python:{name}:search, function={name}:score)"))
    return plan(tmp_path, provider), ExecutionOptions(home=tmp_path)


def test_a_reranker_has_two_results_and_its_improvement(reranker):
    """Mean NDCG from (1 + 1/log₂ 3 + 0)/3 to (1 + 1 + 0)/3."""
    before, after = execute_plan(*reranker)
    assert (before.name, before.provenance["stage"]) == (f"{after.name} before", "before reranking")
    assert "stage" not in after.provenance
    assert {query: list(ranking) for query, ranking in before.run.items()} == FIRST
    assert [next(iter(after.run[query])) for query in ("q0", "q1")] == ["d0", "d1"]
    name = "reranking_improvement@10"
    assert after[name] == pytest.approx(100 * (2 / (1 + 1 / math.log2(3)) - 1))
    assert after[name] == pytest.approx(100 * (after["ndcg@10"] / before["ndcg@10"] - 1))
    each = {"q0": 0.0, "q1": 100 * (math.log2(3) - 1), "q2": math.nan}
    assert after.scores(name) == pytest.approx(each, nan_ok=True)
    assert name in after.beside
    assert math.isnan(before[name])
    assert sum("1 of 3 queries had an NDCG of 0 before" in note for note in after.notes) == 1
    interval = assay.with_intervals(after).intervals[name]
    assert (interval.method, interval.low, interval.high) == ("bootstrap", pytest.approx(0.0), pytest.approx(each["q1"]))


def test_the_improvement_follows_the_ndcg_that_was_asked_for(reranker):
    asked, options = reranker
    metrics = tuple(parse_metrics(["mrr", "ndcg(gain=exp)@5"]))
    assert "reranking_improvement(gain=exp)@5" in execute_plan(replace(asked, metrics=metrics), options)[1]
    asked = replace(asked, metrics=tuple(parse_metrics(["reranking_improvement@1", "mrr"])))
    before, after = execute_plan(asked, options)
    assert list(after)[:2] == list(before)[:2] == ["reranking_improvement@1", "mrr"]
    (found,) = execute_plan(replace(asked, providers=plan(options.home, Told()).providers), options)
    assert math.isnan(found["reranking_improvement@1"])
    assert any("reranking_improvement@1 cannot be scored" in note for note in found.notes)


def test_a_routed_first_stage_keeps_its_routes(reranker, functions):
    asked, options = reranker
    search = functions.search
    functions.search = lambda query: {"hits": search(query), "route": "code", "gated": False}
    dataset = benchmark(3)
    experts = {"q0": "code", "q1": "chat", "q2": "code"}
    dataset.queries = {
        name: replace(query, metadata={"optimal_expert": experts[name]}) for name, query in dataset.queries.items()
    }
    dataset.save_json(options.home / "one" / "b.json")
    before, after = execute_plan(asked, options)
    assert after["routing_accuracy"] == pytest.approx(2 / 3)
    assert math.isnan(before["routing_accuracy"])
    assert after.provenance["routing"]["confusion"] == {"chat": {"code": 1}, "code": {"code": 2}}


def test_what_failed_is_asked_again_and_both_results_are_whole(reranker, functions):
    asked, options = reranker
    expected = execute_plan(asked, options)
    functions.fails.add("q2")
    broken = execute_plan(asked, options)
    assert [list(result.failures) for result in broken] == [["q2"], ["q2"]]
    assert not any("NDCG of 0 before" in note for note in broken[1].notes)  # it failed, and had no ranking of worth 0
    functions.fails.clear()
    for before in (broken, broken[1:]):
        mended = execute_plan(asked, replace(options, before=before))
        assert [(result.run, result["mrr"]) for result in mended] == [(result.run, result["mrr"]) for result in expected]
