"""What providers report beside their hits: answers and routes, scored in an evaluation, kept in results, asked for again."""

import json
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import assay
from assay import BenchmarkDataset, Document, Hit, Query
from assay.evaluation import result_from_dict
from assay.execution import ExecutionOptions, execute_plan, make_plan
from assay.providers import BoundProvider, FunctionRetriever, Provider

QUESTIONS = [
    {"id": "1", "question": "Capital of France?", "expected": "Paris", "relevant_ids": ["d1"]},
    {"id": "2", "question": "Who wrote Faust?", "expected": "Goethe", "relevant_ids": ["d2"]},
    {"id": "3", "question": "Mayor of the Moon?", "answerable": False, "relevant_ids": ["d3"]},
]
ANSWERS = {"Capital of France?": "It is Paris", "Who wrote Faust?": "Schiller", "Mayor of the Moon?": None}
METRICS = ["ndcg@5", "answer_f1", "answer_success@1", "abstention_accuracy", "aurc"]
F1 = {"1": 0.5, "2": 0, "3": 1}
TRUTH = {
    "q0": {"optimal_expert": "code", "needs_retrieval": True},
    "q1": {"optimal_expert": "chat", "needs_retrieval": True},
    "q2": {"optimal_expert": "chat", "needs_retrieval": False},
    "q3": {"optimal_expert": "code", "needs_retrieval": False},
}


def answers(query, k=5):
    return {"hits": [{"id": "d1", "score": 1.0}], "answer": ANSWERS[query], "confidence": 0.5}


def routes(query, k=10):
    """q0 and q1 are retrieved, both by code; q2 is skipped; q3 is retrieved in vain."""
    number = query[-1]
    if number == "2":
        return {"gated": True}
    return {"hits": [(f"d{number}", 1.0)], "route": "code", "gated": False, "cost": 2}


def bare(query, k=5):
    return [f"d{query[-1]}" if query[-1].isdigit() else "d1"]


def plain_benchmark():
    return BenchmarkDataset(
        "small",
        queries={name: Query(name, f"text {name[1]}") for name in TRUTH},
        documents={f"d{number}": Document(f"d{number}", f"text {number}") for number in range(4)},
        qrels={name: {f"d{name[1]}": 1.0} for name in TRUTH},
    )


def routed_benchmark():
    """Four queries that say where they belong; the last two need no retrieval, and nobody judged documents for them."""
    dataset = plain_benchmark()
    dataset.queries = {name: replace(query, metadata=TRUTH[name]) for name, query in dataset.queries.items()}
    dataset.qrels = {"q0": {"d0": 1.0}, "q1": {"d1": 1.0}}
    return dataset


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(QUESTIONS))
    return path


@pytest.fixture
def routed(tmp_path):
    routed_benchmark().save_json(tmp_path / "b.json")
    return tmp_path / "b.json"


def executed(benchmark, functions, metrics, **options):
    """A plan for functions, carried out."""
    retrievers = {name: partial(FunctionRetriever, name, function) for name, function in functions.items()}
    providers = [BoundProvider(Provider(name, "", make, indexes=False, batch=1), {}) for name, make in retrievers.items()]
    content = {"benchmarks": [str(benchmark)], "providers": providers, "metrics": metrics, "retries": 0}
    return execute_plan(make_plan(content, "test"), ExecutionOptions(home=benchmark.parent / "home", **options))


def test_answers_are_scored_beside_rankings(questions):
    result = assay.run(questions, answers, METRICS)
    assert [name for name in result if name not in result.beside] == METRICS
    assert result.scores("answer_f1") == pytest.approx(F1)
    rows = result.table.by_query()
    assert [rows[query]["answer_success@1"] for query in "123"] == [1, 0, None]
    assert result["abstention_accuracy"] == 1
    assert result["aurc"] == pytest.approx((0.75 + 0.75 + 0.5) / 3)
    alone = assay.evaluate_answers({row["id"]: ANSWERS[row["question"]] for row in QUESTIONS}, questions, ["answer_f1"])
    assert result["answer_f1"] == alone["answer_f1"]


def test_a_provider_that_reports_no_answer_has_no_score_and_it_is_told(questions):
    result = assay.run(questions, bare, METRICS)
    assert math.isnan(result["answer_f1"])
    assert math.isnan(result["aurc"])
    assert any("reported no answers" in note for note in result.notes)
    assert result["ndcg@5"] == pytest.approx(1 / 3)
    notes = assay.run(questions, lambda query, k: {"hits": [], "answer": True}, ["answer_f1"]).notes
    assert any("not True" in note for note in notes)
    assert any("reported no answers" in note for note in notes)


def test_routes_are_scored_beside_rankings():
    found = assay.run(routed_benchmark(), routes, ["ndcg@10"])
    assert found["ndcg@10"] == 1.0
    figures = {"routing_accuracy": 2 / 3, "load_balance": 0.0, "gate_efficiency": 25.0, "gate_accuracy": 0.75}
    figures |= {"gate_recall": 0.5, "wrongly_skipped": 0.0, "wasted_retrievals": 25.0, "retrievals_saved": 1.0}
    assert {name: found[name] for name in found.beside} == pytest.approx(figures)
    assert found.query_ids == ("q0", "q1", "q2", "q3")
    assert math.isnan(found.scores("ndcg@10")["q2"])
    assert found.provenance["routing"]["gate"] == {"saved": 1, "wrongly_skipped": 0, "wasted": 1, "retrieved": 2}


def test_metrics_of_routes_stand_where_they_were_asked_for_and_every_provider_has_them(routed):
    asked = ["routing_accuracy@2", "mrr", "gate_efficiency"]
    silent, telling = executed(routed, {"silent": bare, "telling": routes}, asked)
    assert list(silent) == list(telling)
    assert list(telling)[:3] == asked
    assert silent.beside == telling.beside
    assert "gate_accuracy" in telling.beside
    assert "gate_efficiency" not in telling.beside
    assert math.isnan(silent["gate_efficiency"])
    assert (telling["gate_efficiency"], silent["mrr"], telling["mrr"]) == (25.0, 1.0, 1.0)


def test_metadata_of_the_best_hit_tell_routes_where_queries_say_where_they_belong():
    def search(query, k):
        return [Hit(f"d{query[-1]}", 2.0, metadata={"route": "code", "gated": False}), Hit("d9", 1.0)]

    found = assay.run(routed_benchmark(), search, ["ndcg@10"])
    assert (found["routing_accuracy"], found.said["q0"]) == (0.5, {"route": "code", "gated": False})
    plain = assay.run(plain_benchmark(), search, ["ndcg@10"])
    assert (list(plain), plain.said) == (["ndcg@10"], {})


def test_a_query_that_failed_was_sent_nowhere_and_saved_nothing():
    def search(query, k):
        if query[-1] == "2":
            raise ValueError("no")
        return {"hits": [], "route": "chat", "gated": True}

    found = assay.run(routed_benchmark(), search, ["ndcg@10"], retries=0)
    assert found.scores("gate_efficiency") == {"q0": 0.0, "q1": 0.0, "q2": 0.0, "q3": 100.0}
    assert set(found.said) == {"q0", "q1", "q3"}


def test_notes_on_routes(snapshots):
    def unsure(query, k):
        return {"hits": [(f"d{query[-1]}", 1.0)], "route": "code", "gated": "perhaps" if query[-1] == "1" else "no"}

    read = assay.run(routed_benchmark(), unsure, ["ndcg@10"])
    assert read["ndcg@10"] == 1.0
    silent = assay.run(routed_benchmark(), bare, ["ndcg@10", "gate_efficiency"])
    assert math.isnan(silent["gate_efficiency"])
    unasked = assay.run(plain_benchmark(), routes, ["mrr"])
    assert not any("optimal expert" in note or "retrieval is needed" in note for note in unasked.notes)
    asked = assay.run(plain_benchmark(), routes, ["mrr", "routing_accuracy"])
    cases = {"cannot be read": read, "nothing reported": silent, "nobody knows the right route": asked}
    told = [f"## {case}\n" + "".join(f"{note}\n" for note in result.notes) for case, result in cases.items()]
    snapshots.check("evaluate/reported_routes", "\n".join(told))


def test_answers_and_routes_are_kept_as_plain_values_and_nothing_else():
    told = {
        "0": {"answer": None, "confidence": 0.5, "route": "a", "gated": False, "model": "large", "tokens": 7},
        "1": {"route": {"a": np.float64(0.5), "b": math.nan}, "routes": ("a", np.str_("b")), "cost": np.int64(2)},
        "2": {"model": "large"},
        "3": {},
    }
    found = assay.run(plain_benchmark(), lambda query, k: {"hits": bare(query), **told[query[-1]]}, ["mrr"])
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["said"] == {
        "q0": {"answer": None, "confidence": 0.5, "route": "a", "gated": False},
        "q1": {"route": {"a": 0.5, "b": None}, "routes": ["a", "b"], "cost": 2},
    }


@pytest.mark.parametrize("kind", ["answers", "routes"])
def test_only_what_failed_is_asked_again_where_the_result_keeps_what_was_said(questions, routed, kind):
    report, metric, broken = (answers, "answer_f1", "Faust") if kind == "answers" else (routes, "ndcg@10", "3")
    benchmark = questions if kind == "answers" else routed
    asked, said = [], []

    def flawed(query, k=5):
        if broken in query:
            raise ValueError("once")
        return report(query)

    def mended(query, k=5):
        asked.append(query)
        return report(query)

    (first,) = executed(benchmark, {"system": flawed}, [metric])
    (whole,) = executed(benchmark, {"system": report}, [metric])
    before = result_from_dict(json.loads(json.dumps(first.to_dict())))
    for keeps in (True, False):
        asked.clear()
        given = before if keeps else before.with_fields(said={})
        (again,) = executed(benchmark, {"system": mended}, [metric], before=[given], say=said.append)
        assert (len(asked), len(said)) == ((1, 0) if keeps else (len(whole.query_ids), 1)), keeps
        assert (again.failures, again.said) == ({}, whole.said)
        for name in (metric, *(name for name in whole.beside if "latency" not in name)):
            assert again[name] == pytest.approx(whole[name], nan_ok=True), name
        assert again.provenance.get("routing") == whole.provenance.get("routing")
    assert said[0].endswith("sending all queries again, because the result has no stored answers or routes")
