"""Pieces of charts that no file shows by itself: names on axes, scales and colours, and the critical distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    outcome_colour,
)
from assay.metrics import parse_metric
from assay.text import display_width


def test_the_middle_of_a_long_name_is_left_out():
    assert label("bm25") == "bm25"
    assert label("abcdefghijklmnopqrstuvwxyz", 10) == "abcdef…xyz"
    assert label("\x1b[0m") == "\\x1b[0m"
    assert label("混合検索混合検索", 8) == "混合…索"


def test_those_that_look_alike_get_numbers():
    long = "a" * 100 + "{}" + "b" * 100
    assert labels(["x", long.format(1), long.format(2)])[0] == "x"
    assert [one[-4:] for one in labels(["x", long.format(1), long.format(2)])[1:]] == [" (2)", " (3)"]


@given(st.lists(st.text(max_size=80), max_size=8))
def test_short_and_unlike(names):
    short = labels(names)
    assert all(display_width(one) <= LONGEST_NAME for one in short)
    assert len(set(short)) == len(names)


def test_a_long_list_is_cut():
    assert listed(["a", "b"]) == "a; b"
    assert listed(["a", "b", "c"], 1) == "a; and 2 more"


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


def test_long_names_stand_below():
    assert "orient" not in distinguishing_channels("system", ["bm25"])["color"]["legend"]
    assert distinguishing_channels("system", ["x" * 40])["color"]["legend"]["orient"] == "bottom"


def test_outcomes():
    assert outcome_colour("better", "worse")["scale"]["domain"] == ["better", "worse"]
    assert len(outcome_colour()["scale"]["range"]) == 3


# The critical distance

Q = {3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Demšar 2006, table 5(a): critical values at 5 % for the Nemenyi test, by number of systems."""


def test_against_the_published_table():
    for m, q in Q.items():
        assert critical_distance(30, m) == pytest.approx(q * np.sqrt(m * (m + 1) / (6 * 30)), abs=2e-4 * m), m


def test_the_published_example():
    """Four classifiers on 14 data sets (Demšar 2006, section 3.2.2): 2.569 · √(4·5 / (6·14)) = 1.25."""
    assert round(critical_distance(14, 4), 2) == 1.25


def test_against_scipy():
    from scipy.stats import studentized_range

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
