"""What a comparison says about the top, and which systems are not told apart."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._results import make_result

from assay.comparison import alike_groups, by_value, compare_results, top_verdict


def compared(metric="mrr", **systems):
    ids = [f"q{place}" for place in range(40)]
    return compare_results([make_result({metric: list(scores)}, name, query_ids=ids) for name, scores in systems.items()])


BASE = np.random.default_rng(1).uniform(0.5, 0.7, 40)
NOISE = np.random.default_rng(2).normal(0, 0.1, 40)


def test_the_leader_is_told_apart_from_some():
    """b differs from a only by noise; c and d are lower on every query."""
    found = compared(d=BASE - 0.4, c=BASE - 0.3, a=BASE, b=BASE + NOISE - 0.02)
    assert top_verdict(found, "mrr").startswith(
        "a leads on mrr with 0.600. It is not told apart from b. It beats c and d (Holm over all 6 pairs); "
        "the nearest of them is c, by 0.300 ["
    )
    assert alike_groups(found, "mrr") == [["a", "b"], ["c"], ["d"]]
    assert by_value(found, "mrr") == ["a", "b", "c", "d"]


def test_the_leader_is_the_best_and_nobody_is():
    assert top_verdict(compared(c=BASE - 0.3, a=BASE, b=BASE - 0.1), "mrr").startswith(
        "a is the best on mrr with 0.600: it beats both other systems (Holm over all 3 pairs). The nearest is b, by 0.100 "
    )
    alike = compared(a=BASE, b=BASE + NOISE, c=BASE - NOISE)
    best, *others = by_value(alike, "mrr")
    assert top_verdict(alike, "mrr").startswith(f"No system is shown to be the best on mrr: {best} leads with 0.")
    assert f"but it is not told apart from {others[0]} and {others[1]} (Holm over all 3 pairs)." in top_verdict(alike, "mrr")
    assert alike_groups(alike, "mrr") == [by_value(alike, "mrr")]


def test_two_systems_have_the_verdict_of_their_comparison_and_lower_may_be_better():
    pair = compared(a=BASE, b=BASE - 0.1)
    assert top_verdict(pair, "mrr") == pair.verdict
    times = compared("latency", slow=100 * BASE + 50, fast=100 * BASE, middle=100 * BASE + 20)
    assert top_verdict(times, "latency").startswith("fast is the best on latency with 60.0 ms: it beats both other systems")


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6))
def test_two_systems_share_a_group_exactly_if_they_are_not_told_apart(seed, n):
    rng = np.random.default_rng(seed)
    found = compared(**{f"s{place}": BASE + rng.normal(0.02 * place, 0.08, 40) for place in range(n)})
    groups = alike_groups(found, "mrr")
    assert {name for group in groups for name in group} == set(found.names)
    for pair in found.pairs:
        assert any(pair.a in group and pair.b in group for group in groups) == (not pair.better)
