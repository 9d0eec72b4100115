"""critical_difference: mean ranks, and who is told apart."""

import numpy as np
import pytest

from assay.charts import draw
from assay.errors import DataError, UsageError

from ._subjects import data, result_of


def test_ranks_by_hand():
    """Ranks are 1 2 3, 1 2 3, and 2 1 3 with the first two equal on a fourth query."""
    systems = {"a": [0.9, 0.9, 0.5, 0.7], "b": [0.5, 0.5, 0.9, 0.7], "c": [0.1, 0.1, 0.1, 0.1]}
    drawing = draw("critical_difference", [result_of(name, mrr=scores) for name, scores in systems.items()])
    assert {row["system"]: row["mean rank"] for row in drawing.rows} == {"a": 1.375, "b": 1.625, "c": 3.0}
    assert [row["system"] for row in data(drawing)] == ["a", "b", "c"]
    assert "a 1.38; b 1.62; c 3.00" in drawing.alt
    assert "Critical difference 1.66 over 4 queries" in drawing.alt  # 2.343 · √(3·4 / (6·4))


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
    from assay.comparison import ComparisonOptions, compare_results

    generator = np.random.default_rng(3)
    results = [result_of(f"s{one}", mrr=generator.uniform(0, 0.3, 40) + 0.05 * one) for one in range(6)]
    drawing = draw("critical_difference", results)
    groups = [set(group["group"].split("; ")) for group in drawing.spec["layer"][3]["data"]["values"]]
    compared = compare_results(results, ComparisonOptions(test="friedman"), metrics=["mrr"])
    for pair in compared.pairs:
        assert any({pair.a, pair.b} <= group for group in groups) != pair.is_significant


def test_what_cannot_be_drawn():
    with pytest.raises(UsageError):
        draw("critical_difference", [result_of(name, mrr=[0.5]) for name in "abc"])
    with pytest.raises(DataError):
        draw("critical_difference", [result_of(name, name, mrr=[0.5, 1]) for name in "abc"])
