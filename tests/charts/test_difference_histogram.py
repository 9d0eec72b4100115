"""difference_histogram: how many queries by how much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.charts import draw

from ._subjects import data, result_of


def drawn(before, after, metric="mrr"):
    return draw("difference_histogram", [result_of("a", **{metric: before}), result_of("b", **{metric: after})])


def bins(drawing):
    return [(round(row["from"], 9), round(row["to"], 9), row["queries"], row["outcome"]) for row in data(drawing)]


def test_bins_by_hand():
    """The largest difference is 1, so that bins are 0.05 wide: -0.5 is in the tenth below 0, 1 in the last above."""
    drawing = drawn([0.5, 0, 0.25, 0.25, 0], [0, 1, 0.25, 0.25, 0.02])
    assert bins(drawing) == [
        (-0.5, -0.45, 1, "worse"),
        (0.0, 0.0, 2, "same"),
        (0.0, 0.05, 1, "better"),
        (0.95, 1.0, 1, "better"),
    ]
    assert "b minus a, on 5 queries: from −0.500 to +1.000, mean +0.104" in drawing.alt
    assert "2 queries better, 2 the same (not drawn), 1 worse" in drawing.alt


def test_longer_times_are_worse():
    drawing = drawn([1, 2, 3], [2, 1, 3], "latency")
    assert [row["outcome"] for row in data(drawing)] == ["better", "same", "worse"]
    assert "from −1.0 ms to +1.0 ms" in drawing.alt


def test_rounding_is_no_difference():
    drawing = drawn([0.3, 0.5], [0.1 + 0.2, 0.5])
    assert "0 queries better, 2 the same (not drawn), 0 worse" in drawing.alt
    assert drawing.spec["encoding"]["x"]["scale"]["domain"] == [-1.0, 1.0]


@given(st.lists(st.tuples(*[st.integers(0, 20)] * 2), min_size=1, max_size=50))
def test_every_query_is_in_one_bin(pairs):
    before, after = ([pair[side] / 20 for pair in pairs] for side in (0, 1))
    rows = data(drawn(before, after))
    assert sum(row["queries"] for row in rows) == len(pairs)
    for row in rows:
        inside = [b - a for a, b in zip(before, after, strict=True) if row["from"] - 1e-9 <= b - a <= row["to"] + 1e-9]
        assert len(inside) >= row["queries"]
        assert row["outcome"] == ("same" if row["from"] == row["to"] else "better" if row["to"] > 0 else "worse")


@pytest.mark.parametrize("most", [3, 50])
def test_whole_numbers_of_queries_are_ticks(most):
    axis = drawn([0] * most, [1] * most).spec["encoding"]["y"]["axis"]
    assert axis.get("values") == ([0, 1, 2, 3] if most == 3 else None)
