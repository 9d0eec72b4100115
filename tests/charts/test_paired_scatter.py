"""paired_scatter: query by query."""

import numpy as np
import pytest

from assay.charts import draw
from assay.errors import DataError, UsageError

from ._subjects import data, result_of


def test_points_by_hand():
    drawing = draw("paired_scatter", [result_of("a", mrr=[1, 0.5, 0.2]), result_of("b", mrr=[0.5, 0.5, 1])])
    assert [(row["query"], row["a"], row["b"], row["outcome"]) for row in data(drawing)] == [
        ("q0", 1.0, 0.5, "worse"),
        ("q1", 0.5, 0.5, "same"),
        ("q2", 0.2, 1.0, "better"),
    ]
    assert data(drawing)[0]["text"] == "what is q0?"
    assert "Each of 3 queries by its mrr, a across and b up. 1 query better, 1 the same, 1 worse" in drawing.alt


def test_a_query_without_a_score_is_left_out():
    drawing = draw("paired_scatter", [result_of("a", mrr=[1, float("nan")]), result_of("b", mrr=[0.5, 0.5])])
    assert [row["query"] for row in drawing.rows] == ["q0"]
    with pytest.raises(UsageError, match="no query has a score of mrr in both systems"):
        draw("paired_scatter", [result_of("a", mrr=[float("nan")]), result_of("b", mrr=[0.5])])


def test_both_axes_are_the_same():
    drawing = draw("paired_scatter", [result_of("a", latency=[1, 30]), result_of("b", latency=[2, 3])])
    axes = drawing.spec["layer"][1]["encoding"]
    assert axes["x"]["scale"] == axes["y"]["scale"] == {"domain": [0.0, 30.0], "nice": False}
    assert axes["x"]["title"] == "a: latency (ms)"
    assert [row["outcome"] for row in drawing.rows] == ["worse", "better"]


@pytest.mark.parametrize("n", [5_000, 5_001])
def test_many_queries_are_counted_in_cells(n):
    generator = np.random.default_rng(1)
    a, b = generator.integers(0, 11, (2, n)) / 10
    drawing = draw("paired_scatter", [result_of("a", mrr=a), result_of("b", mrr=b)])
    if n == 5_000:
        assert len(drawing.rows) == n
        return
    counts = {(round(row["a"], 9), round(row["b"], 9)): row["queries"] for row in data(drawing)}
    expected = {}
    for pair in zip(a.tolist(), b.tolist(), strict=True):
        expected[pair] = expected.get(pair, 0) + 1
    assert counts == expected
    assert "Drawn as counts in 40 × 40 cells" in drawing.alt
    assert f"{(b > a).sum():,} queries better, {(b == a).sum():,} the same, {(b < a).sum():,} worse" in drawing.alt


def test_the_counts_are_those_of_the_comparison():
    from assay.comparison import compare_results

    generator = np.random.default_rng(5)
    one, other = (result_of(name, mrr=generator.integers(0, 4, 90) / 3) for name in "ab")
    pair = compare_results([one, other]).pairs[0]
    assert (
        f"{pair.wins} queries better, {pair.ties} the same, {pair.losses} worse" in draw("paired_scatter", [one, other]).alt
    )


def test_different_benchmarks():
    with pytest.raises(DataError, match="different benchmarks"):
        draw("paired_scatter", [result_of("a", "x", mrr=[1]), result_of("b", "y", mrr=[1])])


def test_one_query_is_no_queries():
    one = [result_of("a", mrr=[1]), result_of("b", mrr=[0.5])]
    assert draw("paired_scatter", one).alt.startswith("The only query by its mrr, a across")
    assert "on 1 query: from −0.500 to −0.500" in draw("difference_histogram", one).alt
