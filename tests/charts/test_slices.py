"""slices: figures by tag."""

import pytest

from assay.charts import draw
from assay.errors import UnknownName, UsageError

from ._subjects import data, result_of

TAGS = ("hard", "easy", "hard", "easy", "easy")
A = result_of("a", tags=TAGS, mrr=[0, 1, 0.5, 0.5, 0])
B = result_of("b", tags=TAGS, mrr=[1, 1, 1, 1, 1])


def test_means_by_hand_in_the_order_of_difficulty():
    drawing = draw("slices", [A, B], by="difficulty")
    found = [(row["slice"], row["system"], row["value"]) for row in data(drawing)]
    assert found == [("easy (3)", "a", 0.5), ("easy (3)", "b", 1.0), ("hard (2)", "a", 0.25), ("hard (2)", "b", 1.0)]
    assert all(row["low"] <= row["value"] <= row["high"] for row in data(drawing))
    assert "mrr by difficulty: easy (3), a: 0.500; easy (3), b: 1.000; hard (2), a: 0.250" in drawing.alt


def test_a_tag_is_needed():
    with pytest.raises(UsageError, match="slices need a tag, such as by='difficulty'"):
        draw("slices", [A])
    with pytest.raises(UnknownName, match="no tag is called 'colour'"):
        draw("slices", [A], by="colour")


def test_of_many_slices_those_with_most_queries():
    tags = [f"t{number:02}" for number in range(50)] + [f"t{number:02}" for number in range(10, 50)]
    drawing = draw("slices", [result_of("a", tags=tags, mrr=[0.5] * 90)], by="difficulty")
    assert len(drawing.rows) == 40
    assert {row["slice"] for row in drawing.rows} == {f"t{number} (2)" for number in range(10, 50)}
    assert "The 40 slices with most queries, of 50" in drawing.alt


def test_benchmarks_are_slices_too():
    drawing = draw(
        "slices", [result_of("a", name, mrr=[score]) for name, score in (("x", 0.25), ("y", 0.75))], by="benchmark"
    )
    assert [(row["slice"], row["value"]) for row in drawing.rows] == [("x (1)", 0.25), ("y (1)", 0.75)]
