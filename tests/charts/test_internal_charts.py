"""Pieces of charts that no file shows by itself: names on axes, scales and colours, and the critical distance."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import studentized_range

from assay.charts import draw
from assay.charts.catalog.systems import cliques, critical_distance
from assay.charts.periods import by_period, nice_domain, spread
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
from assay.monitoring import Point, Series
from assay.text import display_width

from ._subjects import data


def test_long_names_are_short_and_unlike():
    assert [label("bm25"), label("\x1b[0m"), label("混合検索混合検索", 8)] == ["bm25", "\\x1b[0m", "混合…索"]
    assert label("abcdefghijklmnopqrstuvwxyz", 10) == "abcde…wxyz"
    long = "a" * 100 + "{}" + "b" * 100
    assert labels(["x", long.format(1), long.format(2)], 9) == ["x", "aaa…1…bbb", "aaa…2…bbb"]
    assert labels(["x", "x", "y"]) == ["x (1)", "x (2)", "y"]
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


def nights(n, *, started=datetime(2023, 1, 2, 2, tzinfo=UTC), step=timedelta(days=1)):
    """A series that is 0.8 with a little noise, and 0.6 from the last third on."""
    points = []
    for night in range(n):
        value = (0.6 if night >= 2 * n // 3 else 0.8) + 0.001 * (night % 7)
        time = (started + night * step).isoformat()
        points.append(Point(f"e{night}", time, value, value - 0.05, value + 0.05, 50, "x"))
    return Series("rag", "bm25", "mrr", tuple(points))


def test_three_years_of_nights_are_drawn_by_week_and_marks_stay():
    """Each week has the values 0.800 … 0.806, on whose mean the point lies."""
    drawing = draw("history", series=(nights(1092),), baselines={"e100": "main"})
    weeks = [row for row in drawing.rows if row["evaluations"] == 7]
    assert len(weeks) == 156
    assert [round(weeks[0][name], 6) for name in ("value", "low", "high")] == [0.803, 0.8, 0.806]
    assert {row["evaluation"]: row["mark"] for row in drawing.rows if row["mark"]} == {"e100": "baseline", "e728": "worse"}
    assert "Each point is the mean of one week; shaded: from the lowest to the highest value of bm25" in drawing.note
    assert "first 0.800, last 0.606, in 1,092 evaluations" in drawing.alt
    lines = [row for row in data(drawing) if row["is_on_line"]]
    assert len(lines) == 156, "marked evaluations are not on the line"
    assert "mean" not in draw("history", series=(nights(160),)).note
    assert "the mean of 13 weeks" in draw("history", series=(nights(1092, step=timedelta(days=9)),)).note


def test_periods_on_other_data_are_not_mixed_and_gaps_stay_gaps():
    line = nights(400)
    points = [
        point._replace(dataset="y" if place >= 200 else "x", value=None if 10 <= place < 30 else point.value)
        for place, point in enumerate(line.points)
    ]
    drawing = draw("history", series=(replace(line, points=tuple(points)),))
    assert sum(row["evaluations"] for row in drawing.rows if not row["mark"]) == 400
    assert None in [row["value"] for row in drawing.rows]
    by_week = [row for row in data(drawing) if row["is_on_line"]]
    assert len(by_week) == len({row["started"] for row in by_week}) == 59, "the week in which the data changed counts twice"


def test_times_that_are_not_times_are_thinned_and_the_marked_stay():
    line = nights(400)
    strange = replace(
        line, points=tuple(point._replace(started=f"night {place}") for place, point in enumerate(line.points))
    )
    rows, period = by_period(
        [[{"started": point.started, "mark": "worse" if place == 7 else ""} for place, point in enumerate(strange.points)]]
    )
    assert (period, len(rows[0])) == ("", 135)
    assert [row["started"] for row in rows[0]][:5] == ["night 0", "night 3", "night 6", "night 7", "night 9"]
    assert rows[0][-1]["started"] == "night 399"


@given(st.lists(st.floats(0, 1), max_size=30), st.floats(0.001, 0.03))
def test_names_at_line_ends_do_not_overlap(wanted, gap):
    found = spread(wanted, gap, 0.0, 1.0)
    ordered = sorted(found)
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(ordered))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in found)
    assert [place for _, place in sorted(zip(wanted, found, strict=True))] == ordered
    if all(b - a >= gap for a, b in pairwise(sorted(wanted))):
        assert found == pytest.approx(wanted), "names that have room stay where they are"


@given(st.lists(st.floats(-1000, 1000), max_size=9))
def test_an_axis_covers_its_values(values):
    low, high = nice_domain(values)
    assert low < high
    assert all(low <= value + 1e-6 and value - 1e-6 <= high for value in values)
