"""History: series, sparklines, gaps, other data, and the best so far."""

import pytest

from assay.monitoring import series_of
from assay.monitoring.history import best_before
from assay.monitoring.history_text import history_csv, render_history, sparkline

from ._points import Stored, points


def test_sparklines():
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert sparkline([0.5, 0.5]) == "▄▄"
    assert sparkline([1.0, float("nan"), 0.0]) == "█·▁"
    assert sparkline([float("nan")]) == "·"
    assert sparkline([]) == ""


def test_a_step_is_marked_where_it_began():
    (series,) = series_of(points([0.8] * 20 + [0.7] * 5), "ndcg@10")
    (change,) = series.changes
    assert (change.place, change.point.evaluation, change.is_worse, change.is_step) == (20, "e20", True, True)
    text = render_history([series], "ndcg@10")
    lines = text.splitlines()
    assert lines[2].index("▁") == lines[3].index("▼")
    assert "0.800 → 0.700  (25 points)" in text
    assert "▼ step 0.800 → 0.700 (worse) since e20, 2026-11-21" in text


def test_a_rise_of_latency_is_worse():
    (series,) = series_of(points([20.0] * 20 + [30.0] * 5), "latency_p95")
    assert series.changes[0].is_worse


def test_one_point_gaps_and_no_figure_at_all():
    (series,) = series_of(points([0.8, None, 0.8]), "mrr")
    assert "(2 points, 1 gap)" in render_history([series], "mrr")
    assert "cannot tell yet: 2 points" in render_history([series], "mrr")
    (single,) = series_of(points([0.8]), "mrr")
    assert "▄  0.800  (1 point)" in render_history([single], "mrr")
    (none,) = series_of(points([None]), "mrr")
    assert "no figure" in render_history([none], "mrr")
    assert "no result with mrr" in render_history([], "mrr")


def test_short_series_know_jumps_by_their_intervals():
    """0.7 to 0.8 and 0.0 to 0.1 do not touch, so that three points are enough; 0.7 to 0.8 and 0.75 to 0.9 do."""
    stored = [
        Stored("a", "2026-11-01", "rag", "x", 0.75, 0.7, 0.8),
        Stored("b", "2026-11-02", "rag", "x", 0.05, 0.0, 0.1),
        Stored("c", "2026-11-03", "rag", "x", 0.75, 0.7, 0.8),
        Stored("d", "2026-11-04", "rag", "x", 0.82, 0.75, 0.9),
    ]
    (series,) = series_of(stored, "mrr")
    assert [(change.point.evaluation, change.is_worse) for change in series.changes] == [("b", True), ("c", False)]


def test_other_data_begin_a_new_stretch():
    stored = points([0.8] * 15) + [one._replace(evaluation=f"n{one.evaluation}", dataset="d2") for one in points([0.5] * 15)]
    (series,) = series_of(stored, "mrr")
    assert series.changes == []
    assert "other data from ne0 on" in render_history([series], "mrr")


def test_many_providers_each_have_a_line_and_long_series_are_cut():
    series = series_of([*points([0.8] * 3, "b"), *points([0.7] * 100, "a")], "mrr")
    assert [one.provider for one in series] == ["a", "b"]
    text = render_history(series, "mrr")
    assert "mrr · 2 series" in text
    assert "(40 earlier not drawn)" in text


def test_csv_and_plain_values():
    (series,) = series_of(points([0.8] * 20 + [None] + [0.7] * 5), "mrr")
    rows = history_csv([series]).splitlines()
    assert rows[0] == "benchmark,provider,metric,evaluation,started,value,low,high,n,dataset,change"
    assert rows[1] == "rag,bm25,mrr,e0,2026-11-01,0.8,,,40,d1,"
    assert rows[22].endswith(",step")
    assert series.to_dict()["changes"][0]["evaluation"] == "e21"


@pytest.mark.parametrize(("metric", "best"), [("mrr", 0.9), ("latency", 0.5)])
def test_the_best_before_an_evaluation_on_the_same_data(metric, best):
    stored = points([0.9, 0.5, 0.7, 0.99])
    stored[3] = stored[3]._replace(value=0.01 if metric == "latency" else 0.99)
    series = series_of([*stored, *(one._replace(dataset="old", value=v) for v in (1.0, 0.0) for one in stored[:1])], metric)
    assert best_before(series, "e2") == {("rag", "bm25", metric): best}
    assert best_before(series, "unknown") == {}
    assert best_before(series_of(points([0.5]), metric), "e0") == {}
