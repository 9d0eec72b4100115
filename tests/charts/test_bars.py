"""bars: figures and intervals."""

import pytest

from assay.charts import draw
from assay.errors import UsageError
from assay.evaluation import Confidence, with_intervals

from ._subjects import data, result_of


def test_figures_by_hand():
    one, other = result_of("one", mrr=[1, 0.5, 0, 0.5]), result_of("other", mrr=[1, 1, 1, 1])
    drawing = draw("bars", [one, other])
    rows = data(drawing)
    assert [(row["system"], row["value"], row["shown"]) for row in rows] == [("one", 0.5, "0.500"), ("other", 1.0, "1.000")]
    found = with_intervals(one).intervals["mrr"]
    assert (rows[0]["low"], rows[0]["high"]) == (found.low, found.high)
    assert f"one 0.500 [{found.low:.3f}, {found.high:.3f}]" in drawing.alt
    assert "95 % intervals" in drawing.alt
    assert [list(row) for row in drawing.rows] == [["system", "value", "low", "high"]] * 2


def test_intervals_that_results_have_are_kept():
    kept = [
        result_of(name, mrr=[1, 0.5]).with_fields(intervals={"mrr": Confidence(0.25, 0.875, 0.9, "t")})
        for name in ("a", "b")
    ]
    drawing = draw("bars", kept)
    assert [(row["low"], row["high"]) for row in data(drawing)] == [(0.25, 0.875)] * 2
    assert "90 % intervals" in drawing.note


def test_intervals_at_different_levels_are_calculated_anew():
    kept = [
        result_of(f"at {level}", mrr=[1, 0.5]).with_fields(intervals={"mrr": Confidence(0.25, 0.875, level, "t")})
        for level in (0.9, 0.95)
    ]
    drawing = draw("bars", kept)
    assert all(row["low"] != 0.25 for row in data(drawing))
    assert "95 % intervals" in drawing.note


def test_times():
    drawing = draw("bars", [result_of("one", latency=[1.0, 3.0])])
    assert "one 2.0 ms [" in drawing.alt
    assert drawing.spec["layer"][0]["encoding"]["x"]["title"] == "latency (ms), lower is better"


def test_a_single_query_has_no_interval():
    drawing = draw("bars", [result_of("one", mrr=[0.5])])
    row = data(drawing)[0]
    if row["low"] is None:
        assert drawing.note.startswith("Without intervals")
        assert drawing.alt.startswith("Bars of mrr: one 0.500.")
    else:
        assert row["low"] <= 0.5 <= row["high"]


def test_a_figure_over_no_query_is_a_gap():
    drawing = draw("bars", [result_of("one", mrr=[float("nan"), float("nan")]), result_of("two", mrr=[1, 0])])
    assert data(drawing)[0]["value"] is None
    assert "one –; two 0.500" in drawing.alt


def test_a_metric_without_any_figure_is_refused():
    nothing = [float("nan")] * 2
    with pytest.raises(UsageError, match="mrr has no figure in one two: there is nothing to draw"):
        draw("bars", [result_of("one", mrr=nothing), result_of("two", mrr=nothing)], metric="RR")
    passed_over = draw("bars", [result_of("one", mrr=nothing, map=[1, 0])])
    assert passed_over.alt.startswith("Bars of map: one 0.500")


@pytest.mark.parametrize("n", [1, 12])
def test_height_grows_with_systems(n):
    drawing = draw("bars", [result_of(f"s{number}", mrr=[1, 0]) for number in range(n)])
    assert drawing.spec["height"] == {"step": 34}
