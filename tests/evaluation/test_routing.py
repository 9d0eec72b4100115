"""evaluate_routing: a Result like any other, through intervals, slices, comparison, gate, files and the store."""

import json
import math

import numpy as np
import pytest

import assay
from assay import evaluate_routing
from assay.comparison import slice_results
from assay.evaluation import result_from_dict
from assay.monitoring import gate
from assay.stats import index_blocks
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
                "language": ("de", "en")[number % 2],
            }
        )
    return found


GOOD, POOR = evaluate_routing(records(1), name="good"), evaluate_routing(records(1, skill=0.4), name="poor")


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


def test_the_picture_is_in_the_provenance():
    picture = GOOD.provenance["routing"]
    assert sum(picture["gate"].values()) == 60
    right = sum(row.get(name, 0) for name, row in picture["confusion"].items())
    assert right / 60 == pytest.approx(GOOD["routing_accuracy"])
    assert [one["expert"] for one in picture["experts"]] == list(EXPERTS)


def test_intervals_are_bootstraps_of_the_whole_figure():
    found = assay.with_intervals(GOOD).intervals
    cost = np.array([row["cost"] for row in records(1)])
    saved = GOOD.array("gate_efficiency")
    drawn = [(cost * saved)[row].sum() / cost[row].sum() for index in index_blocks(60, 2000, 0) for row in index]
    assert found["gate_cost_saved"].method == "bootstrap"
    assert (found["gate_cost_saved"].low, found["gate_cost_saved"].high) == pytest.approx(
        tuple(np.quantile(drawn, [0.025, 0.975])), rel=0.02
    )
    assert found["gate_efficiency"].method == "wilson"
    assert 0 < found["gate_efficiency"].low < GOOD["gate_efficiency"] < found["gate_efficiency"].high < 100
    assert found["load_balance"].low < GOOD["load_balance"] <= 1


def test_what_is_never_so_has_an_interval_on_its_own_scale():
    """Wilson's interval of 0 of 4, as a percentage."""
    rows = [{"query_id": n, "gated": False, "needs_retrieval": True} for n in range(4)]
    interval = assay.with_intervals(evaluate_routing(rows, ["wrongly_skipped"])).intervals["wrongly_skipped"]
    assert (interval.low, interval.high) == pytest.approx((0.0, 48.99), abs=0.01)


def test_slices_have_figures_of_their_own():
    (by_language,) = slice_results(GOOD, "language")
    half = evaluate_routing(records(1)[::2])
    for metric in GOOD:
        if metric != "load_balance":
            assert by_language.means(metric)["de"] == pytest.approx(half[metric])
    (by_expert,) = slice_results(GOOD, "optimal_expert")
    recall = {one["expert"]: one["recall"] for one in GOOD.provenance["routing"]["experts"]}
    assert by_expert.means("routing_accuracy") == pytest.approx(recall)


def test_a_slice_keeps_the_number_of_experts():
    rows = [{"query_id": n, "route": EXPERTS[n % 3], "half": "a" if n < 2 else "b"} for n in range(6)]
    (sliced,) = slice_results(evaluate_routing(rows, ["load_balance"]), "half")
    assert sliced.means("load_balance")["a"] == pytest.approx(math.log(2) / math.log(3))


def test_two_routers_are_compared_query_by_query():
    comparison = assay.compare(None, {"poor": POOR, "good": GOOD}, list(GOOD), baseline="poor")
    pairs = {pair.metric: pair for pair in comparison.pairs}
    assert pairs["routing_accuracy"].is_significant
    assert pairs["routing_accuracy"].difference > 0
    assert pairs["wrongly_skipped"].improvement > 0
    for name, pair in pairs.items():
        assert (pair.value_a, pair.value_b) == pytest.approx((POOR[name], GOOD[name]))
        assert pair.low <= pair.difference <= pair.high


def test_gates_hold_routers_to_their_rules():
    for now, before, rule, status in [
        (GOOD, POOR, "routing_accuracy >= 0.7", "pass"),
        (GOOD, POOR, "gate_efficiency >= 90", "fail"),
        (GOOD, POOR, "wrongly_skipped <= 20", "pass"),
        (GOOD, POOR, "routing_accuracy drops <= 0.01", "pass"),
        (GOOD, POOR, "load_balance drops <= 0.5", "pass"),
        (GOOD, POOR, "gate_cost_saved drops <= 1", "pass"),
        (POOR, GOOD, "gate_cost_saved drops <= 1", "fail"),
    ]:
        (verdict,) = gate(now, before, rule).verdicts
        assert verdict.status == status, rule


def test_figures_survive_being_kept(tmp_path):
    read = result_from_dict(json.loads(json.dumps(GOOD.to_dict())))
    with Store.open(tmp_path / "results.db") as store:
        (stored,) = store.find(store.save([GOOD.with_fields(benchmark="b")])).results
        for kept in (read, stored):
            assert kept.summary == pytest.approx(GOOD.summary, nan_ok=True)
            assert kept.provenance["routing"] == GOOD.provenance["routing"]
            assert assay.with_intervals(kept).intervals == assay.with_intervals(GOOD).intervals


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
