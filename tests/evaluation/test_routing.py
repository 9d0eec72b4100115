"""evaluate_routing: a Result like any other, through intervals, slices, comparison, gate, files and the store."""

import json

import numpy as np
import pytest

import assay
from assay import evaluate_routing
from assay.evaluation import result_from_dict
from assay.store import Store

EXPERTS = ("chat", "code", "law")


def records(seed, n=60, skill=0.8):
    """Decisions of a router that is right as often as its skill says; the truth does not depend on the skill."""
    truth, luck = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    found = []
    for number in range(n):
        right, needed = EXPERTS[truth.integers(3)], bool(truth.random() < 0.6)
        is_right = luck.random() < skill
        found.append(
            {
                "query_id": f"q{number}",
                "route": right if is_right else EXPERTS[luck.integers(3)],
                "optimal_expert": right,
                "gated": bool((not needed) == is_right),
                "needs_retrieval": needed,
                "cost": float(truth.integers(1, 5)),
            }
        )
    return found


GOOD = evaluate_routing(records(1), name="good")


def test_without_metrics_all_that_have_something_to_say():
    assert list(GOOD) == [
        *("routing_accuracy", "load_balance", "gate_efficiency", "gate_accuracy", "gate_recall"),
        *("wrongly_skipped", "wasted_retrievals", "retrievals_saved", "gate_cost_saved"),
    ]
    routes = [{"query_id": "q1", "route": ["code", "chat"], "optimal_expert": "chat"}]
    assert evaluate_routing(routes).summary == {
        "routing_accuracy": 0.0,
        "routing_accuracy@2": 1.0,
        "load_balance": 0.0,
    }


def test_what_cannot_be_evaluated(snapshots):
    cases = {
        "a metric of rankings": lambda: evaluate_routing(records(1), ["ndcg@10"]),
        "routes where there are rankings": lambda: assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["routing_accuracy"]),
        "other truths": lambda: assay.compare(None, {"a": GOOD, "b": evaluate_routing(records(5))}),
    }
    snapshots.check_errors("moe/faults_of_routing", cases)


def test_figures_survive_being_kept(tmp_path):
    found = assay.with_intervals(GOOD).intervals
    assert (found["gate_cost_saved"].method, found["gate_efficiency"].method) == ("bootstrap", "wilson")
    assert 0 < found["gate_efficiency"].low < GOOD["gate_efficiency"] < found["gate_efficiency"].high < 100
    read = result_from_dict(json.loads(json.dumps(GOOD.to_dict())))
    with Store.open(tmp_path / "results.db") as store:
        (stored,) = store.find(store.save([GOOD.with_fields(benchmark="b")])).results
        for kept in (read, stored):
            assert kept.summary == pytest.approx(GOOD.summary, nan_ok=True)
            assert kept.provenance["routing"] == GOOD.provenance["routing"]
            assert assay.with_intervals(kept).intervals == found


def test_notes_say_which_queries_do_not_count(snapshots):
    rows = [
        {"query_id": "q1", "route": "code", "optimal_expert": "code", "gated": False, "needs_retrieval": True},
        {"query_id": "q2", "route": "code"},
        {"query_id": "q3", "optimal_expert": "code", "gated": True},
        {"query_id": "q4", "optimal_expert": "code", "needs_retrieval": False},
    ]
    many = [{"query_id": f"q{number}", "route": "code"} for number in range(9)]
    told = [*evaluate_routing(rows).notes, *evaluate_routing(many).notes]
    snapshots.check("moe/notes_on_queries", "".join(f"{note}\n" for note in told))
