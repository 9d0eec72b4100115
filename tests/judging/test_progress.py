"""Progress: who judged what, how much of the systems is judged, and how exact estimates are now and later."""

from __future__ import annotations

import math

import pytest
from tests.judging.test_correction import RUNS, TRUTH, _with_rankings

from assay.judging import Corrected, judging_status, plan_judging, pool
from assay.stats import estimated_difference, estimated_mean
from assay.store import Judgment

RESULTS = [_with_rankings(name).with_fields(relevant={}, nonrelevant={}) for name in ("bm25", "dense", "hybrid")]


def graded(drawn, n=None, judge="Ana", kind="people"):
    return [
        Judgment(
            "b",
            each.query,
            each.document,
            judge,
            TRUTH[each.query][each.document],
            judged=f"2026-11-15T09:{i % 60:02}",
            kind=kind,
        )
        for i, each in enumerate(drawn.drawn[:n])
    ]


def test_layers_systems_and_pools():
    drawn = pool(RESULTS, pairs=200)
    judgments = [*graded(drawn, 120), *graded(drawn, 30, "Ben"), *graded(drawn, judge="m", kind="model")]
    status = judging_status("b", judgments, RESULTS, [drawn])
    people, model = status.layers
    assert [(judge.judge, judge.n_grades) for judge in people.judges] == [("Ana", 120), ("Ben", 30)]
    assert (people.n_grades, people.n_pairs, people.newest) == (150, 120, "2026-11-15T09:59")
    assert (model.kind, model.use) == ("model", "not used as grades; corrected by people's")
    known = {(each.query, each.document) for each in judgments[:120]}
    tops = [(query, doc) for query, docs in RUNS["dense"].items() for doc in docs[:10]]
    expected = sum(pair in known for pair in tops) / len(tops)
    (dense,) = [system for system in status.systems if system.name == "dense"]
    assert (dense.n_documents, dense.judged, dense.by_people) == (600, pytest.approx(expected), pytest.approx(expected))
    (about,) = status.pools
    assert (about.n_drawn, about.n_judged, about.n_left, about.n_next, about.next_step) == (200, 120, 80, 80, "assay serve")


def test_widths_are_those_of_the_estimates_and_change_as_the_plan_expects():
    drawn = pool(RESULTS, pairs=200)
    people: dict[str, dict[str, float]] = {}
    for each in drawn.drawn:
        people.setdefault(each.query, {})[each.document] = TRUTH[each.query][each.document]
    columns = [
        Corrected(people, None, drawn).estimate(one, ["precision@10"]).table.columns["precision@10"] for one in RESULTS
    ]
    halves = [(high - low) / 2 for low, high in (estimated_mean(each.weight).interval(0.95) for each in columns)]
    (about,) = judging_status("b", graded(drawn), RESULTS, [drawn]).pools
    assert about.now.value == pytest.approx(sum(halves) / 3)
    pairs = ((0, 1), (0, 2), (1, 2))
    gaps = [estimated_difference(columns[a], columns[b]).interval(0.95) for a, b in pairs]
    assert about.now.difference == pytest.approx(sum(high - low for low, high in gaps) / 6)
    plan = plan_judging(RESULTS, people=people)
    assert about.after.value == pytest.approx(about.now.value * plan.expected(300).value / plan.expected(200).value)
    assert about.after.difference < about.now.difference
    assert about.next_step == f"assay pool latest --extend .assay/pools/{drawn.id}.jsonl --pairs 300 -o larger.jsonl"


def test_widths_are_unknown_if_the_grades_are_no_random_part_of_the_pool():
    drawn, other = pool(RESULTS, pairs=200), pool(RESULTS, pairs=200, seed=5)
    elsewhere = [each._replace(pool=drawn.id) for each in graded(drawn)]
    first, second = judging_status("b", elsewhere, RESULTS, [drawn, other]).pools
    assert (math.isnan(first.now.value), first.reason) == (False, "")
    assert 0 < second.n_judged < 200
    assert math.isnan(second.now.value)
    assert "were not given in the order of this pool" in second.reason


def test_before_any_grade_the_plan_says_what_the_first_hundred_would_give():
    drawn = pool(RESULTS, pairs=200)
    (about,) = judging_status("b", [], RESULTS, [drawn]).pools
    expected = plan_judging(RESULTS).expected(100)
    assert math.isnan(about.now.value)
    assert about.compare == ""
    assert (about.after.value, about.after.difference) == pytest.approx((expected.value, expected.difference))


def test_what_is_unknown_has_a_reason():
    depth = pool(RESULTS, pairs=100, how="depth")
    gap = pool(RESULTS, pairs=100, how="difference(bm25, hybrid)")
    spread = pool(RESULTS, pairs=100)
    pools = judging_status("b", graded(gap), RESULTS[:1], [depth, gap, spread]).pools
    assert pools[0].reason.startswith("nothing can be estimated from depth")
    assert pools[1].reason == "the store has no rankings of hybrid"
    assert pools[2].reason == "the store has no rankings of dense, hybrid"
    (both,) = judging_status("b", graded(gap), RESULTS, [gap]).pools
    assert math.isnan(both.now.value)
    assert 0 < both.after.difference < both.now.difference
