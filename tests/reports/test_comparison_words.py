"""What comparisons say about what their figures rest on."""

import json
import re

import numpy as np
import pytest
from tests._results import make_result

from assay.comparison.comparison import compare_results
from assay.comparison.options import ComparisonOptions
from assay.reports.sections.comparison import places

from ._comparisons import comparison, rendered


def by_scores(metric="mrr", provenance=None, failures=None, **systems):
    """A comparison of systems made of scores."""
    results = []
    for name, scores in systems.items():
        ids = tuple(f"q{number}" for number in range(len(scores)))
        result = make_result({metric: scores}, name, query_ids=ids, queries={})
        failed = dict.fromkeys((failures or {}).get(name, ()), "HTTP 500")
        run = {query: {"d": 1.0} for query in ids if query not in failed}
        results.append(result.with_fields(provenance=provenance or {}, failures=failed, run=run if failures else {}))
    return results


A = np.random.default_rng(0).uniform(0.2, 0.6, 40)
FEW_LARGE_LOSSES = 0.6 + np.concatenate([0.02 + np.arange(34) * 1e-4, np.full(6, -0.5)])


@pytest.mark.parametrize(
    ("n_moved", "n", "said"),
    [
        (1200, 1200, "randomization test, 100,000 permutations"),
        (8, 1200, "randomization test, all permutations"),
        (40, 40, "randomization test, 100,000 permutations"),
        (16, 16, "randomization test, all permutations"),
    ],
)
def test_the_head_says_how_p_was_counted(n_moved, n, said):
    """2^1024 is more than a float holds; and only queries that moved can change sides."""
    rng = np.random.default_rng(0)
    a = rng.uniform(0, 1, n)
    b = np.where(np.arange(n) < n_moved, a + rng.uniform(-0.1, 0.1, n), a)
    shown = rendered(compare_results(by_scores(a=a, b=b)))
    assert shown.startswith(f"{n:,} queries · {said} · ")


def test_the_head_says_where_some_were_counted_in_full():
    few = np.where(np.arange(40) < 5, A + 0.1, A)
    three = compare_results(by_scores(a=A, b=few, c=A[::-1]), ComparisonOptions(baseline="a"))
    assert "· randomization test, up to 100,000 permutations ·" in rendered(three)
    assert "· bootstrap test, 10,000 resamples ·" in rendered(
        compare_results(by_scores(a=A, b=few), ComparisonOptions(test="bootstrap"))
    )


def test_intervals_are_not_corrected_and_that_is_said():
    assert "95 % intervals by bootstrap, not corrected · seed 0" in rendered(comparison())
    assert "95 % intervals by bootstrap · seed 0" in rendered(comparison("old", "new", metrics=("mrr",)))


def test_a_sign_where_the_test_and_the_mean_disagree():
    shown = rendered(compare_results(by_scores(a=[0.6] * 40, b=FEW_LARGE_LOSSES), ComparisonOptions(test="sign")))
    assert re.search(r"0\.600   0\.5\d\d ◇", shown)
    assert "◇ differs, but the test and the mean disagree who is better: p ≤ 0.05." in shown
    assert not set("▲▼") & set(shown)
    letters = rendered(compare_results(by_scores(a=[0.6] * 40, b=FEW_LARGE_LOSSES, c=A), ComparisonOptions(test="friedman")))
    assert "0.543ᶜ" in letters


def test_failures_are_told_of_in_every_place():
    one = compare_results(by_scores(a=A, b=A + 0.1, failures={"b": ["q3", "q7"]}))
    for form in ("table", "markdown", "latex"):
        assert "40 queries, 38 answered by all" in rendered(one, form)
    for form in ("table", "markdown"):
        assert "b: 2 of 40 queries failed and score 0: HTTP 500 (2×)." in rendered(one, form)
    assert json.loads(rendered(one, "json"))["comparisons"][0]["failed"] == {"a": 0, "b": 2}


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_queries_that_failed_say_why(form):
    scores = A.copy()
    scores[3] = 0
    one = compare_results(by_scores(a=A, b=scores, failures={"b": ["q3"]}))
    shown = rendered(one, form, worst=1)
    assert "b failed: HTTP 500" in shown
    assert "b retrieved nothing" not in shown
    (mover,) = json.loads(rendered(one, "json", worst=1))["comparisons"][0]["movers"]
    assert (mover["error_a"], mover["error_b"]) == (None, "HTTP 500")


def test_the_quickest_is_the_best():
    one = compare_results(by_scores("latency", slow=30 + A, quick=10 + A, middle=20 + A))
    assert places(one, one.metrics[0]) == ({"quick"}, {"middle"})
    assert r"\textbf{10.4 ms}" in rendered(one, "latex")


def test_times_of_batches_have_no_interval_in_any_format():
    one = compare_results(by_scores("latency", {"latency_ms": {"mean": 1.0}}, a=1 + A, b=2 + A))
    row = next(line for line in rendered(one).splitlines() if line.startswith("  latency"))
    assert row.split()[-5:] == ["ms", "–", "–", "–", "–"]
    assert "Nothing can be said about latency (times of batches: nobody timed single queries)." in rendered(one)
    assert "Largest loss" not in rendered(one)  # no query has a time of its own
    assert "lost most" not in rendered(one, worst=3)
    assert "| latency | 1.4 ms | – |" in rendered(one, "markdown").replace("**", "")
    (plain,) = json.loads(rendered(one, "json"))["comparisons"]
    assert plain["intervals"] == {"a": {}, "b": {}}
    assert plain["pairs"][0]["p"] is None
    assert plain["pairs"][0]["untested"].startswith("times of batches")
