"""critical_difference: mean ranks, and who is told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.charts import draw
from assay.charts.catalog.systems import cliques, critical_distance
from assay.errors import DataError, UsageError

from ._subjects import data, result_of

Q = {3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Demšar 2006, table 5(a): critical values at 5 % for the Nemenyi test, by number of systems."""


@pytest.mark.parametrize(("m", "q"), Q.items())
def test_against_the_published_table(m, q):
    assert critical_distance(30, m) == pytest.approx(q * np.sqrt(m * (m + 1) / (6 * 30)), abs=2e-4 * m)


def test_the_published_example():
    """Four classifiers on 14 data sets (Demšar 2006, section 3.2.2): 2.569 · √(4·5 / (6·14)) = 1.25."""
    assert round(critical_distance(14, 4), 2) == 1.25


@pytest.mark.parametrize(("n", "m"), [(2, 3), (50, 12), (1_000, 40)])
def test_against_scipy(n, m):
    from scipy.stats import studentized_range

    expected = studentized_range.ppf(0.95, m, np.inf) / np.sqrt(2) * np.sqrt(m * (m + 1) / (6 * n))
    assert critical_distance(n, m) == pytest.approx(expected, rel=1e-6)


def test_ranks_by_hand():
    """Ranks are 1 2 3, 1 2 3, and 2 1 3 with the first two equal on a fourth query."""
    systems = {"a": [0.9, 0.9, 0.5, 0.7], "b": [0.5, 0.5, 0.9, 0.7], "c": [0.1, 0.1, 0.1, 0.1]}
    drawing = draw("critical_difference", [result_of(name, mrr=scores) for name, scores in systems.items()])
    assert {row["system"]: row["mean rank"] for row in drawing.rows} == {"a": 1.375, "b": 1.625, "c": 3.0}
    assert [row["system"] for row in data(drawing)] == ["a", "b", "c"]
    assert "a 1.38; b 1.62; c 3.00" in drawing.alt
    assert f"Critical difference {critical_distance(4, 3):.2f} over 4 queries (Nemenyi, 5 %); Friedman p" in drawing.alt


def test_lower_times_rank_first():
    systems = {"slow": [9, 8, 9], "fast": [1, 2, 1], "middle": [5, 5, 5]}
    drawing = draw("critical_difference", [result_of(name, latency=times) for name, times in systems.items()])
    assert [row["system"] for row in drawing.rows] == ["fast", "middle", "slow"]
    assert [row["mean rank"] for row in drawing.rows] == [1, 2, 3]


def test_bars_join_those_that_are_not_told_apart():
    generator = np.random.default_rng(0)
    base = generator.uniform(0, 0.5, 60)
    systems = {"far": base + 0.4, "x": base + generator.normal(0, 0.01, 60), "y": base + generator.normal(0, 0.01, 60)}
    drawing = draw("critical_difference", [result_of(name, mrr=scores) for name, scores in systems.items()])
    assert drawing.alt.count("Not told apart, in this order: ") == 1
    assert "far" not in drawing.alt.partition("Not told apart")[2].partition(".")[0]
    joined = drawing.spec["layer"][3]["data"]["values"]
    assert [sorted(group["group"].split("; ")) for group in joined] == [["x", "y"]]


def test_all_told_apart():
    systems = {name: [level] * 40 for name, level in (("a", 0.9), ("b", 0.5), ("c", 0.1))}
    drawing = draw("critical_difference", [result_of(name, mrr=scores) for name, scores in systems.items()])
    assert "All of them are told apart." in drawing.alt
    assert "Friedman p < 0.001" in drawing.alt


def test_the_same_pairs_as_the_comparison_finds():
    from assay.comparison.comparison import compare_results
    from assay.comparison.options import ComparisonOptions

    generator = np.random.default_rng(3)
    results = [result_of(f"s{one}", mrr=generator.uniform(0, 0.3, 40) + 0.05 * one) for one in range(6)]
    drawing = draw("critical_difference", results)
    groups = [set(group["group"].split("; ")) for group in drawing.spec["layer"][3]["data"]["values"]]
    compared = compare_results(results, ComparisonOptions(test="friedman"), metrics=["mrr"])
    for pair in compared.pairs:
        assert any({pair.a, pair.b} <= group for group in groups) != pair.is_significant


@given(st.lists(st.floats(1, 9), min_size=2, max_size=9), st.floats(0.01, 5))
def test_cliques_are_the_largest_sets(means, reach):
    means = np.sort(means)
    alike = np.abs(means[:, None] - means) < reach
    found = cliques(alike)
    for first, last in found:
        assert means[last] - means[first] < reach
        assert first == 0 or means[last] - means[first - 1] >= reach
        assert last == len(means) - 1 or means[last + 1] - means[first] >= reach
    for first in range(len(means)):
        for last in range(first + 1, len(means)):
            assert alike[first, last] == any(a <= first and last <= b for a, b in found)


def test_what_cannot_be_drawn():
    with pytest.raises(UsageError, match="needs two queries or more, and 1 query scored mrr"):
        draw("critical_difference", [result_of(name, mrr=[0.5]) for name in "abc"])
    with pytest.raises(DataError, match="different benchmarks"):
        draw("critical_difference", [result_of(name, name, mrr=[0.5, 1]) for name in "abc"])
