"""stages: a reranker's improvement, beside both its results, by hand and through a plan."""

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
def reranker(monkeypatch, tmp_path):
    """A plan over three queries: what is relevant comes first after reranking, if it is there at all."""
    (tmp_path / "one").mkdir()
    benchmark(3).save_json(tmp_path / "one" / "b.json")
    module = ModuleType("stages_test_module")
    module.score = lambda query, hits: [float(hit.doc_id[1:] == query.query_id[1:]) for hit in hits]
    module.search = lambda query: [Hit(doc, -float(rank), doc) for rank, doc in enumerate(FIRST[f"q{query[-1]}"])]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    provider = parse_provider(mark_written("rerank(python:stages_test_module:search, function=stages_test_module:score)"))
    return replace(plan(tmp_path), providers=(provider,)), ExecutionOptions(home=tmp_path)


def test_a_reranker_gets_its_improvement(reranker):
    """Mean NDCG from (1 + 1/log₂ 3 + 0)/3 to (1 + 1 + 0)/3."""
    before, after = execute_plan(*reranker)
    expected = 100 * (2 / (1 + 1 / math.log2(3)) - 1)
    assert after["reranking_improvement@10"] == pytest.approx(expected)
    assert after["reranking_improvement@10"] == pytest.approx(100 * (after["ndcg@10"] / before["ndcg@10"] - 1))
    assert after.scores("reranking_improvement@10") == pytest.approx(
        {"q0": 0.0, "q1": 100 * (math.log2(3) - 1), "q2": math.nan}, nan_ok=True
    )
    assert "reranking_improvement@10" in after.beside
    assert math.isnan(before["reranking_improvement@10"])


def test_queries_that_were_0_before_are_counted(reranker):
    _, after = execute_plan(*reranker)
    assert any("1 of 3 queries had an NDCG of 0 before" in note for note in after.notes)


def test_it_has_a_bootstrap_interval_of_the_ratio(reranker):
    _, after = execute_plan(*reranker)
    interval = assay.with_intervals(after).intervals["reranking_improvement@10"]
    assert interval.method == "bootstrap"
    assert interval.low == pytest.approx(0.0)
    assert interval.high == pytest.approx(100 * (math.log2(3) - 1))


def test_it_follows_the_ndcg_that_was_asked_for(reranker):
    asked, conduct = reranker
    asked = replace(asked, metrics=tuple(parse_metrics(["mrr", "ndcg(gain=exp)@5"])))
    assert "reranking_improvement(gain=exp)@5" in execute_plan(asked, conduct)[1]
    without = replace(asked, metrics=tuple(parse_metrics(["mrr"])))
    assert "reranking_improvement@10" in execute_plan(without, conduct)[1]


def test_asked_for_it_stands_in_its_place_and_others_do_not_have_it(reranker):
    asked, conduct = reranker
    asked = replace(asked, metrics=tuple(parse_metrics(["reranking_improvement@1", "mrr"])))
    before, after = execute_plan(asked, conduct)
    assert list(after)[:2] == list(before)[:2] == ["reranking_improvement@1", "mrr"]
    assert after["reranking_improvement@1"] == pytest.approx(100.0)
    other = replace(asked, providers=plan(conduct.home, Told()).providers)
    (found,) = execute_plan(other, conduct)
    assert math.isnan(found["reranking_improvement@1"])
    assert any("does not rerank: reranking_improvement@1 cannot be scored" in note for note in found.notes)


def test_a_routed_first_stage_keeps_its_routes(reranker, monkeypatch):
    asked, conduct = reranker
    module = sys.modules["stages_test_module"]
    search = module.search
    monkeypatch.setattr(module, "search", lambda query: {"hits": search(query), "route": "code", "gated": False})
    dataset = benchmark(3)
    right = {"q0": "code", "q1": "chat", "q2": "code"}
    dataset.queries = {
        name: replace(query, metadata={"optimal_expert": right[name]}) for name, query in dataset.queries.items()
    }
    dataset.save_json(conduct.home / "one" / "b.json")
    before, after = execute_plan(asked, conduct)
    assert after["routing_accuracy"] == pytest.approx(2 / 3)
    assert math.isnan(before["routing_accuracy"])
    assert after.provenance["routing"]["confusion"] == {"chat": {"code": 1}, "code": {"code": 2}}


def test_a_reranker_that_failed_had_no_ranking_of_worth_0(monkeypatch):
    """Queries that failed are told of as failures, not as an NDCG of 0 before."""
    module = ModuleType("down")

    def score(text, texts):
        if len(text) % 2:
            raise RuntimeError("down")
        return [-place for place, _ in enumerate(texts)]

    module.score = score
    monkeypatch.setitem(sys.modules, "down", module)
    found = assay.run("rag-template", "rerank(bm25, function=down:score)", ["ndcg@10"], retries=0)
    assert found.failures
    first = found.array("reranking_improvement@10")
    n_zero = sum(
        math.isnan(score) for query, score in zip(found.query_ids, first, strict=True) if query not in found.failures
    )
    told = [note for note in found.notes if "NDCG of 0 before" in note]
    assert told == [note for note in told if f": {n_zero} of {len(first) - len(found.failures)} queries" in note]
    assert len(told) == bool(n_zero)
