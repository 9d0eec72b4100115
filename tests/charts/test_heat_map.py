"""heat_map: each metric from its worst system to its best."""

import pytest

from assay.charts import draw
from assay.errors import UsageError

from ._subjects import data, result_of

A = result_of("a", mrr=[0.5, 0.5], latency=[10, 20], map=[1, 1])
B = result_of("b", mrr=[1, 0.5], latency=[1, 2], map=[1, 1])
C = result_of("c", mrr=[1, 1], latency=[5, 6.5], map=[1, 1])


def test_shares_by_hand():
    drawing = draw("heat_map", [A, B, C])
    cells = {(row["system"], row["metric"]): row for row in data(drawing)}
    assert [cells[name, "mrr"]["share"] for name in "abc"] == [0.0, 0.5, 1.0]
    assert [round(cells[name, "latency"]["share"], 3) for name in "abc"] == [0.0, 1.0, 0.685]
    assert [cells[name, "map"]["share"] for name in "abc"] == [0.0, 0.0, 0.0]
    assert cells["a", "latency"]["shown"] == "15.0 ms"
    assert "Best on mrr: c 1.000; latency: b 1.5 ms" in drawing.alt
    assert "Heat map of 3 systems by 3 metrics" in drawing.alt


def test_the_metrics_asked_for_in_their_order():
    drawing = draw("heat_map", [A, B], metrics=("AP", "RR", "mrr"))
    assert list(dict.fromkeys(row["metric"] for row in drawing.rows)) == ["map", "mrr"]


def test_what_stands_beside_results_is_left_out():

    drawing = draw("heat_map", [A.with_fields(beside=("latency",)), B])
    assert {row["metric"] for row in drawing.rows} == {"mrr", "map"}


def test_a_figure_that_is_missing():
    nothing = result_of("n", mrr=[float("nan")] * 2, latency=[1, 1], map=[1, 1])
    drawing = draw("heat_map", [nothing, B], metrics=("mrr",))
    assert [(row["value"], row["share"], row["shown"]) for row in data(drawing)] == [(None, 0.0, "–"), (0.75, 0.0, "0.750")]
    assert "Best on mrr: b 0.750" in drawing.alt
    with pytest.raises(UsageError, match="mrr has no figure in n"):
        draw("heat_map", [nothing], metrics=("mrr",))
    assert [row["metric"] for row in draw("heat_map", [nothing]).rows] == ["latency", "map"]
