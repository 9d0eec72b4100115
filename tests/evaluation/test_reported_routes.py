"""reported_routes: what providers say beside their hits, held against what the queries' metadata say is right."""

import json
import math
from dataclasses import replace

import pytest
from tests.execution._plans import plan
from tests.execution._retrievers import Told, benchmark

import assay
from assay import Hit, Query
from assay.evaluation import result_from_dict
from assay.execution import ExecutionOptions, Response, execute_plan, make_plan
from assay.execution.retrieve import wrap_retriever
from assay.execution.stages import parse_reported_routes
from assay.views import Decision

TRUTH = {
    "q0": {"optimal_expert": "code", "needs_retrieval": True},
    "q1": {"optimal_expert": "chat", "needs_retrieval": True},
    "q2": {"optimal_expert": "chat", "needs_retrieval": False},
    "q3": {"optimal_expert": "code", "needs_retrieval": False},
}


def routed_benchmark():
    """Four queries that say where they belong; the last two need no retrieval, and nobody judged documents for them."""
    dataset = benchmark(4)
    dataset.queries = {name: replace(query, metadata=TRUTH[name]) for name, query in dataset.queries.items()}
    dataset.qrels = {"q0": {"d0": 1.0}, "q1": {"d1": 1.0}}
    return dataset


def say(query, k=10):
    """q0 and q1 are retrieved, both by code; q2 is skipped; q3 is retrieved in vain."""
    name = f"q{query[-1]}"
    if name == "q2":
        return {"gated": True}
    return {"hits": [(f"d{name[1]}", 1.0)], "route": "code", "gated": False, "cost": 2}


def test_a_provider_that_reports_gets_its_figures_beside_the_ranking():
    found = assay.run(routed_benchmark(), say, ["ndcg@10"])
    assert found["ndcg@10"] == 1.0
    assert {name: found[name] for name in found.beside} == pytest.approx(
        {
            "routing_accuracy": 2 / 3,
            "load_balance": 0.0,
            "gate_efficiency": 25.0,
            "gate_accuracy": 0.75,
            "gate_recall": 0.5,
            "wrongly_skipped": 0.0,
            "wasted_retrievals": 25.0,
            "retrievals_saved": 1.0,
        }
    )
    assert found.query_ids == ("q0", "q1", "q2", "q3")
    assert math.isnan(found.scores("ndcg@10")["q2"])
    assert found.provenance["routing"]["gate"] == {"saved": 1, "wrongly_skipped": 0, "wasted": 1, "retrieved": 2}


def test_metrics_that_were_asked_for_stand_where_they_were_asked_for():
    found = assay.run(routed_benchmark(), say, ["routing_accuracy@2", "ndcg@10", "gate_efficiency"])
    assert list(found)[:3] == ["routing_accuracy@2", "ndcg@10", "gate_efficiency"]
    assert "gate_efficiency" not in found.beside
    assert "gate_accuracy" in found.beside


def test_metrics_of_routes_alone_can_be_asked_for():
    assert assay.run(routed_benchmark(), say, ["gate_efficiency"])["gate_efficiency"] == 25.0


def test_metadata_of_the_best_hit_tell_as_well():
    def search(query, k):
        return [Hit(f"d{query[-1]}", 2.0, metadata={"route": "code", "gated": False}), Hit("d9", 1.0)]

    assert assay.run(routed_benchmark(), search, ["ndcg@10"])["routing_accuracy"] == 0.5


def test_metadata_of_documents_mean_nothing_where_no_query_says_where_it_belongs():
    def search(query, k):
        return [Hit(f"d{query[-1]}", 2.0, metadata={"route": "bus 7"})]

    assert list(assay.run(benchmark(4), search, ["ndcg@10"])) == ["ndcg@10"]


def test_without_reports_what_was_asked_for_is_undefined_and_said_so():
    found = assay.run(routed_benchmark(), lambda query: [(f"d{query[-1]}", 1.0)], ["ndcg@10", "gate_efficiency"])
    assert math.isnan(found["gate_efficiency"])
    assert any(
        "reports neither route nor gated with its hits: gate_efficiency cannot be scored" in note for note in found.notes
    )


def test_a_query_that_failed_was_sent_nowhere_and_saved_nothing():
    answers = {name: Response(name, said={"route": "chat", "gated": True}) for name in TRUTH}
    answers["q2"] = Response("q2", error="no", said={"route": "chat", "gated": True})
    queries = {name: Query(name, metadata=truth) for name, truth in TRUTH.items()}
    routing = parse_reported_routes(queries, answers).routing
    assert routing.decisions[2] == Decision("q2", None, ("chat",), None, False)
    assert routing.saved.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_report_that_cannot_be_read_is_told_and_loses_nothing_else():
    def search(query, k):
        return {"hits": [(f"d{query[-1]}", 1.0)], "route": "code", "gated": "perhaps" if query[-1] == "1" else "no"}

    found = assay.run(routed_benchmark(), search, ["ndcg@10"])
    assert found["ndcg@10"] == 1.0
    assert any(
        "1 query whose route cannot be read (q1: gated is true or false, not 'perhaps')" in note for note in found.notes
    )


def test_providers_with_and_without_routes_share_a_table(tmp_path):
    folder = tmp_path / "one"
    folder.mkdir()
    routed_benchmark().save_json(folder / "b.json")
    silent, telling = Told(), Told(lambda query: say(query.text))
    results = execute_plan(plan(tmp_path, silent, telling), ExecutionOptions(home=tmp_path))
    assert [list(result) for result in results] == [list(results[0])] * 2
    assert [result.beside for result in results] == [results[0].beside] * 2
    assert math.isnan(results[0]["gate_efficiency"])
    assert results[1]["gate_efficiency"] == 25.0
    assert results[0]["mrr"] == results[1]["mrr"] == 1.0


def test_asked_again_a_result_with_routes_is_asked_whole_for_results_keep_none(tmp_path):
    folder = tmp_path / "one"
    folder.mkdir()
    routed_benchmark().save_json(folder / "b.json")
    fails = {"q1"}

    def answer(query):
        if query.query_id in fails:
            raise ValueError("told to fail")
        return say(query.text)

    told = Told(answer, batch=1)
    broken = execute_plan(plan(tmp_path, told), ExecutionOptions(home=tmp_path))
    fails.clear()
    (mended,) = execute_plan(plan(tmp_path, told), ExecutionOptions(home=tmp_path, before=broken))
    assert not mended.failures
    assert mended["routing_accuracy"] == pytest.approx(2 / 3)


def test_a_benchmark_that_knows_nothing_of_routes_gets_no_notes_about_them():
    dataset = benchmark(4)
    found = assay.run(dataset, say, ["mrr"])
    assert "load_balance" in found.beside or not found.beside
    assert not any("optimal expert" in note or "retrieval is needed" in note for note in found.notes)
    asked = assay.run(dataset, say, ["mrr", "routing_accuracy"])
    assert any("without an optimal expert" in note for note in asked.notes)


@pytest.mark.parametrize("is_kept", [True, False])
def test_only_what_failed_is_routed_again(tmp_path, is_kept):
    """A result keeps the routes; one of before that does not is asked about whole, and that is told."""
    fails, asked, said = {"q3"}, [], []

    def search(query, k=10):
        asked.append(f"q{query[-1]}")
        if asked[-1] in fails:
            raise ValueError("once")
        return say(query)

    routed_benchmark().save_json(tmp_path / "b.json")
    content = {"benchmarks": [str(tmp_path / "b.json")], "providers": [wrap_retriever(search)], "metrics": ["ndcg@10"]}
    asked_for = make_plan({**content, "retries": 0}, "test")
    (first,) = execute_plan(asked_for, ExecutionOptions(home=tmp_path))
    assert list(first.failures) == ["q3"]
    before = result_from_dict(json.loads(json.dumps(first.to_dict())))
    assert before.said["q0"] == {"route": "code", "gated": False, "cost": 2}
    fails.clear()
    asked.clear()
    again = ExecutionOptions(home=tmp_path, before=[before if is_kept else before.with_fields(said={})], say=said.append)
    (mended,) = execute_plan(asked_for, again)
    assert sorted(asked) == (["q3"] if is_kept else ["q0", "q1", "q2", "q3"])
    assert [("all queries are asked again" in note) for note in said] == ([] if is_kept else [True])
    whole = assay.run(tmp_path / "b.json", say, ["ndcg@10"])
    for name in (*whole.beside, "ndcg@10"):
        if "latency" not in name:
            assert mended[name] == pytest.approx(whole[name], nan_ok=True), name
    assert mended.provenance["routing"] == whole.provenance["routing"]
