"""Pieces of charts that no file shows by itself: names on axes, scales and colours, and the critical distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import studentized_range

from assay.charts import draw
from assay.charts.catalog import history
from assay.charts.catalog.systems import cliques, critical_distance
from assay.charts.spec import (
    COLOURS,
    LONGEST_NAME,
    distinguishing_channels,
    label,
    labels,
    listed,
    metric_scale,
    metric_title,
)
from assay.metrics import parse_metric
from assay.text import display_width

from ._subjects import data, series_of


def test_long_names_are_short_and_unlike():
    assert [label("bm25"), label("\x1b[0m"), label("混合検索混合検索", 8)] == ["bm25", "\\x1b[0m", "混合…索"]
    assert label("abcdefghijklmnopqrstuvwxyz", 10) == "abcdef…xyz"
    long = "a" * 100 + "{}" + "b" * 100
    assert [one[-4:] for one in labels(["x", long.format(1), long.format(2)])] == ["x", " (2)", " (3)"]
    assert (listed(["a", "b"]), listed(["a", "b", "c"], 1)) == ("a; b", "a; and 2 more")


@given(st.lists(st.text(max_size=80), max_size=8))
def test_short_and_unlike(names):
    short = labels(names)
    assert all(display_width(one) <= LONGEST_NAME for one in short)
    assert len(set(short)) == len(names)


def test_axes_of_metrics():
    assert metric_title(parse_metric("ndcg@10")) == "ndcg@10"
    assert metric_title(parse_metric("latency")) == "latency (ms), lower is better"
    assert metric_scale(parse_metric("ndcg@10")) == {"domain": [0, 1]}
    assert metric_scale(parse_metric("latency")) == {"zero": True}


def test_as_many_colours_as_there_are_and_shapes_beyond():
    few, many = ([f"s{number}" for number in range(n)] for n in (10, 12))
    assert set(distinguishing_channels("system", few)) == {"color"}
    shown = distinguishing_channels("system", many)
    looks = list(zip(shown["color"]["scale"]["range"], shown["shape"]["scale"]["range"], strict=True))
    assert len(set(looks)) == 12
    assert looks[10] == (COLOURS[0], "square")
    dashes = distinguishing_channels("system", many, "strokeDash")["strokeDash"]["scale"]["range"]
    assert dashes[9:11] == [[1, 0], [7, 3]]
    assert "orient" not in distinguishing_channels("system", ["bm25"])["color"]["legend"]
    assert distinguishing_channels("system", ["x" * 40])["color"]["legend"]["orient"] == "bottom"


# The critical distance

Q = {3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Demšar 2006, table 5(a): critical values at 5 % for the Nemenyi test, by number of systems."""


def test_the_critical_distance_is_that_of_the_published_table_and_of_scipy():
    """The example is four classifiers on 14 data sets (section 3.2.2): 2.569 · √(4·5 / (6·14)) = 1.25."""
    for m, q in Q.items():
        assert critical_distance(30, m) == pytest.approx(q * np.sqrt(m * (m + 1) / (6 * 30)), abs=2e-4 * m), m
    assert round(critical_distance(14, 4), 2) == 1.25
    for n, m in ((2, 3), (50, 12), (1_000, 40)):
        expected = studentized_range.ppf(0.95, m, np.inf) / np.sqrt(2) * np.sqrt(m * (m + 1) / (6 * n))
        assert critical_distance(n, m) == pytest.approx(expected, rel=1e-6), (n, m)


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


def test_many_points_of_a_history_are_thinned_and_the_marked_stay(monkeypatch):
    monkeypatch.setattr(history, "MAX_POINTS", 10)
    drawing = draw("history", series=(series_of(*[0.8] * 16, *[0.6] * 9),))
    assert [row["evaluation"] for row in drawing.rows] == ["e0", "e3", "e6", "e9", "e12", "e15", "e16", "e18", "e21", "e24"]
    assert [row["evaluation"] for row in data(drawing)] == [row["evaluation"] for row in drawing.rows]
    assert {row["evaluation"]: row["mark"] for row in drawing.rows}["e16"] == "worse"
    assert "10 of 25 points are drawn, including all marked points" in drawing.alt
