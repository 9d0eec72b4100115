"""history: series with their steps and baselines."""

from assay.charts import draw

from ._subjects import data, series_of


def test_a_step_is_marked_and_told():
    drawing = draw("history", series=(series_of(*[0.8] * 15, *[0.6] * 5),))
    marks = {row["evaluation"]: row["mark"] for row in data(drawing) if row["mark"]}
    assert marks == {"e15": "worse"}
    assert "rag · bm25: 0.800 to 0.600 in 20 evaluations" in drawing.alt
    assert "rag · bm25 worse from 0.800 to 0.600 on 2026-10-16" in drawing.alt
    assert drawing.spec["layer"][3]["encoding"]["shape"]["scale"]["domain"] == ["worse"]


def test_of_a_single_evaluation_nothing_can_be_noticed():
    assert draw("history", series=(series_of(0.8),)).alt == (
        "mrr over time. rag · bm25: 0.800 in 1 evaluation. Changes can be seen from the second evaluation on."
    )


def test_a_time_that_falls_is_better():
    drawing = draw("history", series=(series_of(*[80] * 15, *[60] * 5, metric="latency"),))
    assert [row["mark"] for row in data(drawing) if row["mark"]] == ["better"]
    assert "from 80.0 ms to 60.0 ms" in drawing.alt


def test_baselines_by_name_and_by_the_series_itself():
    drawing = draw("history", series=(series_of(0.5, 0.5, 0.5),), baselines={"e1": "main"})
    assert [(row["mark"], row["blessed as"]) for row in data(drawing)] == [("", ""), ("baseline", "main"), ("", "")]
    blessed = draw("history", series=(series_of(0.5, was_baseline=True),))
    assert [(row["mark"], row["blessed as"]) for row in data(blessed)] == [("baseline", "baseline")]
    assert "No change was noticed" in drawing.alt


def test_nothing_marked_needs_no_legend():
    assert len(draw("history", series=(series_of(0.5, 0.5),)).spec["layer"]) == 3


def test_a_night_without_a_figure_is_a_gap():
    drawing = draw("history", series=(series_of(0.5, None, 0.7),))
    assert [row["value"] for row in data(drawing)] == [0.5, None, 0.7]
    assert "0.500 to 0.700 in 2 evaluations" in drawing.alt
    assert draw("history", series=(series_of(None),)).rows


def test_many_points_are_thinned_and_the_marked_stay(monkeypatch):
    monkeypatch.setattr("assay.charts.catalog.history.MAX_POINTS", 10)
    drawing = draw("history", series=(series_of(*[0.8] * 16, *[0.6] * 9),))
    assert [row["evaluation"] for row in drawing.rows] == ["e0", "e3", "e6", "e9", "e12", "e15", "e16", "e18", "e21", "e24"]
    assert [row["evaluation"] for row in data(drawing)] == [row["evaluation"] for row in drawing.rows]
    assert {row["evaluation"]: row["mark"] for row in drawing.rows}["e16"] == "worse"
    assert "10 of 25 points are drawn, all that are marked among them" in drawing.alt
    assert "0.800 to 0.600 in 25 evaluations" in drawing.alt


def test_the_axis_shows_as_much_as_it_needs():
    def shown(started, *values):
        drawing = draw("history", series=(series_of(*values, started=started),))
        return drawing.spec["layer"][0]["encoding"]["x"]["axis"]["format"]

    assert shown("2026-10-{:02}T02:00:00+00:00", *[0.5] * 9) == "%Y-%m-%d"
    assert shown("2026-10-01T{:02}:00:00+00:00", *[0.5] * 9) == "%m-%d %H:%M"
    assert shown("2026-10-01T02:00:{:02}+00:00", *[0.5] * 9) == "%m-%d %H:%M:%S"
    assert shown("yesterday", 0.5) == "%Y-%m-%d"
