"""Pieces of specifications."""

from assay.charts.spec import COLOURS, distinguishing_channels, metric_scale, metric_title, outcome_colour
from assay.metrics.parsing import parse_metric


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
