"""latency and its percentiles, reranking_improvement, routing_accuracy and load_balance."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.evaluation import score_views
from assay.metrics import parse_metric
from assay.model import Column
from assay.views import Reranking, Times, Timing

from ._cases import close, each_metric
from ._routing import routed, routes
from ._ties import graded


def timed(metric, times):
    """The column of queries that took so long; None where one was not answered."""
    queries = tuple(f"q{number}" for number in range(len(times)))
    known = {query: time for query, time in zip(queries, times, strict=True) if time is not None}
    return score_views({"timing": Timing.of(queries, Times(known))}, [parse_metric(metric)]).columns[metric]


def improved(metric, judged, before, after):
    """The column of two runs: query → ids, best first."""
    runs = (graded(judged, {query: list(docs) for query, docs in run.items()}) for run in (before, after))
    bound = parse_metric(metric)
    return Column.of(bound.score(Reranking(*runs)), bound.metric.aggregation)


def sent(metric, *rows):
    """The figure over (choices, right experts); None where there is none."""
    records = [{"route": route, "optimal_expert": right} for route, right in rows]
    return routed(metric, *({name: value for name, value in row.items() if value} for row in records))


ONE_THREE_UP = ("reranking_improvement@3", {"q": {"a": 1}}, {"q": "ba"}, {"q": "ab"})
TWO = {"q1": {"c": 1}, "q2": {"a": 1}}
BEST, WORST = 7 + 1 / math.log2(3), 1 + 7 / math.log2(3)
EXP = ("reranking_improvement(gain=exp)@2", {"q": {"a": 3, "b": 1}}, {"q": "ba"}, {"q": "ab"})
ROUTES = [(["chat", "law", "code"], "code"), ("code;chat", "chat")]
WORKED_OUT = [  # metric, its figure, how that is found
    ("latency", 30.0, lambda name: timed(name, [10.0, 20.0, 60.0]).summary()),
    ("latency", 20.0, lambda name: timed(name, [10.0, None, 30.0]).summary()),  # what was not answered does not count
    ("latency", math.nan, lambda name: timed(name, [None, None]).summary()),
    ("latency_p50", 2.5, lambda name: timed(name, [4.0, 1.0, 3.0, 2.0]).summary()),  # halfway between the two in the middle
    ("latency_p50", 7.0, lambda name: timed(name, [7.0, None, 7.0]).summary()),
    ("latency_p95", 20.0, lambda name: timed(name, list(map(float, range(1, 22)))).summary()),  # 1 + 0.95 · 20: the 20th
    ("latency_p99", 100.0, lambda name: timed(name, list(map(float, range(1, 102)))).summary()),  # 1 + 0.99 · 100
    # from rank 2 to rank 1: 1 ÷ log₂ 3 before, 1 after
    ("reranking_improvement@3", 100 * (math.log2(3) - 1), lambda _: improved(*ONE_THREE_UP).summary()),
    # before ½ and 1, after 1 and 1: the mean rises from 0.75 to 1, by a third; the percentages are 100 and 0
    (
        "reranking_improvement@3",
        100 / 3,
        lambda name: improved(name, TWO, {"q1": "abc", "q2": "abc"}, {"q1": "cab", "q2": "abc"}).summary(),
    ),
    # means 0.5 before and 1 after: +100 %, though the one query that changed has no percentage of its own
    (
        "reranking_improvement@3",
        100.0,
        lambda name: improved(name, TWO, {"q1": "ab", "q2": "abc"}, {"q1": "cab", "q2": "abc"}).summary(),
    ),
    ("reranking_improvement@3", math.nan, lambda name: improved(name, {"q": {"c": 1}}, {"q": "ab"}, {"q": "cab"}).summary()),
    ("reranking_improvement(gain=exp)@2", 100 * (BEST - WORST) / WORST, lambda _: improved(*EXP).summary()),
    # seed 004: two of three queries were sent where they belong
    ("routing_accuracy", 2 / 3, lambda name: sent(name, ("code", "code"), ("chat", "code"), ("law", "law"))[name]),
    ("routing_accuracy@1", 0.0, lambda name: sent(name, *ROUTES)[name]),
    ("routing_accuracy@2", 0.5, lambda name: sent(name, *ROUTES)[name]),  # a right one among the first is enough
    ("routing_accuracy(n=3)", 1.0, lambda name: sent(name, *ROUTES)["routing_accuracy@3"]),
    ("routing_accuracy", 2 / 3, lambda name: sent(name, *((one, ["law", "chat"]) for one in ("chat", "law", "code")))[name]),
    ("load_balance", -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)), lambda name: balance("aaab", name)),
    ("load_balance", 1.0, lambda name: balance("abc", name)),
    ("load_balance", 0.0, lambda name: sent(name, ("code", "chat"), ("code", "code"))[name]),  # all to one of several
    ("load_balance(experts=4)", 0.5, lambda name: balance("ab", name)),  # experts that nobody chose can be counted
    ("load_balance", math.nan, lambda name: balance("aa", name)),  # a single expert
]


def balance(chosen, metric="load_balance"):
    return sent(metric, *((route, None) for route in chosen))[metric]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    for metric, expected, found in rows:
        assert found(metric) == pytest.approx(expected, nan_ok=True), metric


# ---- time


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_percentiles_agree_with_numpy(times):
    for percent in (50, 95, 99):
        assert timed(f"latency_p{percent}", times).summary() == pytest.approx(float(np.quantile(times, percent / 100)))


def test_shorter_is_better_and_where_nothing_was_timed_it_is_told():
    assert not parse_metric("mean_latency").metric.higher_is_better
    with pytest.raises(assay.UsageError, match="latency reads timing"):
        assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "latency")


# ---- reranking

DOCS = ("a", "b", "c")


@given(st.lists(st.tuples(st.permutations(DOCS), st.permutations(DOCS), st.sampled_from(DOCS)), min_size=1, max_size=8))
def test_improvement_is_the_ratio_of_two_mean_ndcgs(rows):
    judged = {f"q{number}": {relevant: 1} for number, (_, _, relevant) in enumerate(rows)}
    runs = [{f"q{number}": row[side] for number, row in enumerate(rows)} for side in (0, 1)]
    before, after = (assay.evaluate(judged, run, "ndcg@3") for run in runs)
    found = improved("reranking_improvement@3", judged, *runs)
    assert found.summary() == pytest.approx(100 * (after["ndcg@3"] - before["ndcg@3"]) / before["ndcg@3"])
    assert np.allclose(found.score, 100 * (after.array("ndcg@3") / before.array("ndcg@3") - 1))


def test_what_was_0_before_has_no_percentage_but_counts():
    found = improved("reranking_improvement@3", TWO, {"q1": "ab", "q2": "abc"}, {"q1": "cab", "q2": "abc"})
    assert found.values() == [None, 0.0]
    assert found.counts.tolist() == [True, True]


def test_a_single_ranking_has_no_improvement():
    with pytest.raises(assay.UsageError, match="reranking_improvement@10"):
        assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["reranking_improvement@10"])


# ---- routing


def test_a_query_sent_nowhere_is_wrong_unless_the_gate_answered_it():
    known = {"route": "code", "optimal_expert": "code"}
    nowhere, skipped = {"optimal_expert": "code"}, {"optimal_expert": "code", "gated": True}
    found = routed("routing_accuracy", known, nowhere, skipped, {"route": "code"})
    assert found.array("routing_accuracy").tolist() == pytest.approx([1.0, 0.0, math.nan, math.nan], nan_ok=True)
    assert found["routing_accuracy"] == 0.5
    nothing = routed("routing_accuracy", {"gated": True, "needs_retrieval": False, "optimal_expert": "code"})
    assert math.isnan(nothing["routing_accuracy"])


@given(routes, st.integers(1, 5))
def test_accuracy_agrees_with_its_definition_and_grows_with_the_choices(rows, n):
    names = [f"routing_accuracy@{n}", f"routing_accuracy@{n + 1}"]
    found, more = (sent(name, *rows)[name] for name in names)
    assert found == close(sum(right in chosen[:n] for chosen, right in rows) / len(rows))
    assert found <= more


@given(routes)
def test_balance_is_the_entropy_of_the_choices(rows):
    found = sent("load_balance", *rows)["load_balance"]
    n_experts = len({name for chosen, right in rows for name in (*chosen, right)})
    if n_experts < 2:
        assert math.isnan(found)
        return
    shares = [count / len(rows) for count in Counter(chosen[0] for chosen, _ in rows).values()]
    assert found == close(-sum(share * math.log(share, n_experts) for share in shares))
    assert 0 <= found <= 1 + 1e-12


def test_only_first_choices_are_balanced_and_queries_sent_nowhere_are_not():
    rows = [{"route": ["code", "law"]}, {"route": ["chat", "law"]}, {"gated": True}]
    found = routed("load_balance(experts=2)", *rows)
    assert found["load_balance(experts=2)"] == close(1.0)
    assert np.isnan(found.array("load_balance(experts=2)")).all()  # no query has a balance of its own


def test_there_are_as_many_experts_as_were_chosen_at_least():
    found = routed("load_balance(experts=2)", *({"route": route} for route in "abcc"))
    assert found["load_balance(experts=2)"] == balance("abcc")
    assert found.notes[-1].startswith("load_balance(experts=2): 3 experts")
    enough = routed("load_balance(experts=2)", *({"route": route} for route in "ab"))
    assert not any("experts were" in note for note in enough.notes)
