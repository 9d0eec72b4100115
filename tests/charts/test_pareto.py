"""pareto: who is beaten by nobody in both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.charts import draw
from assay.errors import UsageError

from ._subjects import data, result_of


def system(name, latency, quality, metric="mrr"):
    return result_of(name, **{metric: [quality] * 2, "latency": [latency] * 2})


def unbeaten(drawing):
    return [row["system"] for row in data(drawing) if row["unbeaten"]]


def test_by_hand():
    systems = [system("fast", 1, 0.3), system("good", 50, 0.9), system("slow", 60, 0.8), system("middle", 5, 0.3)]
    drawing = draw("pareto", systems)
    assert unbeaten(drawing) == ["fast", "good"]
    assert "good 0.900 at 50.0 ms, beaten by none in both; slow 0.800 at 60.0 ms; middle 0.300 at 5.0 ms." in drawing.alt
    assert drawing.spec["layer"][0]["encoding"]["x"]["scale"] == {"type": "log"}


def test_equals_beat_each_other_not():
    assert unbeaten(draw("pareto", [system("a", 1, 0.5), system("b", 1, 0.5)])) == ["a", "b"]


def test_a_time_of_nothing_has_no_logarithm():
    drawing = draw("pareto", [system("a", 0, 0.5)])
    assert drawing.spec["layer"][0]["encoding"]["x"]["scale"] == {"zero": True}


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1, max_size=7))
def test_the_best_within_each_time_is_unbeaten(pairs):
    drawing = draw("pareto", [system(f"s{place}", time, quality / 5) for place, (time, quality) in enumerate(pairs)])
    found = {(row["latency"], round(row["value"] * 5)) for row in data(drawing) if row["unbeaten"]}
    for limit in range(1, 6):
        within = [(time, quality) for time, quality in pairs if time <= limit]
        if within:
            best = max(quality for _, quality in within)
            assert (min(time for time, quality in within if quality == best), best) in found
    assert len(found) <= len({time for time, _ in pairs})


def test_systems_without_a_figure_are_told():
    drawing = draw("pareto", [system("a", 1, 0.5), system("b", float("nan"), 0.5)])
    assert [row["system"] for row in drawing.rows] == ["a"]
    assert "Left out, for want of a figure: b" in drawing.alt
    with pytest.raises(UsageError, match="no system has both a latency and mrr"):
        draw("pareto", [system("b", float("nan"), 0.5)])


def test_what_cannot_be_drawn():
    with pytest.raises(UsageError, match="a: no times were taken; assay eval takes them"):
        draw("pareto", [result_of("a", mrr=[1])])
    with pytest.raises(UsageError, match="latency against latency says nothing"):
        draw("pareto", [system("a", 1, 0.5)], metric="latency")
    with pytest.raises(UsageError, match="a time against latency says nothing"):
        draw("pareto", [result_of("a", latency=[1])])
