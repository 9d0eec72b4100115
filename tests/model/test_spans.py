"""The `spans` view: chunks in rank order, and how much stretches cover together."""

import pytest

from assay.model.policy import Policy
from assay.model.records import Document, Span
from assay.model.run import Run
from assay.views.chunk_locations import Places
from assay.views.spans import Spans, Truth

RULE = Policy().rank_rule


def view(run, queries=("q",), spans=None, rule=RULE, documents=None):
    truth = Truth(spans or {}, Places(documents or {}))
    return Spans.of(queries, Run(run), rule, truth)


def order(made):
    """The ids of all rows, in order."""
    return ["?" if number < 0 else made.places.ids([number])[0] for number in made.chunk.tolist()]


def test_rows_stand_in_rank_order_query_by_query():
    run = {
        "b": {"x.py:1-2": 1.0, "x.py:3-4": 2.0},
        "a": {"y.py:1-1": 5.0, "odd": 4.0, "x.py:1-2": 3.0},
        "other": {"z.py:1": 1.0},
    }
    made = view(run, ("a", "none", "b"))
    assert made.query_ids == ("a", "none", "b")
    assert made.query.tolist() == [0, 0, 0, 2, 2]
    assert made.rank.tolist() == [1, 2, 3, 1, 2]
    assert order(made) == ["y.py:1-1", "?", "x.py:1-2", "x.py:3-4", "x.py:1-2"]


TIED = {"q": {"x.py:2": 1.0, "x.py:3": 1.0, "x.py:1": 1.0, "x.py:9": 7.0}}


@pytest.mark.parametrize(
    ("ties", "lines"),
    [
        ("docid_desc", "9321"),
        ("docid_asc", "9123"),
        ("input_order", "9231"),
        ("reverse_order", "9132"),
        ("expected", "9321"),
    ],
)
def test_equal_scores_stand_as_the_rule_says(ties, lines):
    made = view(TIED, rule=Policy(ties=ties).rank_rule)
    assert order(made) == [f"x.py:{line}" for line in lines]


def test_ties_in_sorted_rankings_are_broken_too():
    run = {"q": {"x.py:1": 1.0, "x.py:2": 1.0}, "r": {"x.py:1": 2.0, "x.py:2": 1.0}, "s": {"x.py:1": 1.0, "x.py:2": 0.0}}
    assert order(view(run, ("q", "r", "s"))) == ["x.py:2", "x.py:1", "x.py:1", "x.py:2", "x.py:1", "x.py:2"]


def test_scores_may_be_compared_less_exactly():
    run = {"q": {"x.py:1": 1.0 + 1e-12, "x.py:2": 1.0}}
    assert order(view(run)) == ["x.py:1", "x.py:2"]
    assert order(view(run, rule=Policy(precision="float32").rank_rule)) == ["x.py:2", "x.py:1"]


def test_the_query_itself_may_be_dropped():
    run = {"x.py:1": {"x.py:1": 2.0, "x.py:2": 1.0}}
    assert order(view(run, ("x.py:1",), rule=Policy(drop_self=True).rank_rule)) == ["x.py:2"]


def test_an_empty_view():
    made = view({}, ())
    assert made.n_queries == 0
    assert made.sizes(5, None, "lines").both.tolist() == []
    assert [column.tolist() for column in made.found_files()] == [[], []]
    made = view({"q": {}}, spans={"q": [Span("a", 1, 2)]})
    assert made.sizes(None, None, "gold").gold.tolist() == [1]


def test_what_is_worked_out_once_is_kept():
    made = view(TIED, spans={"q": [Span("x.py", 1, 3, "lines")]})
    assert made.sizes(3, None, "gold") is made.sizes(3, None, "lines")
    assert made.found_files(None) is made.found_files()


def test_views_over_the_same_places_do_not_disturb_each_other():
    """The second run names files that nobody has heard of: numbers of the first stay what they are."""
    truth = Truth({"q": [Span("a.py", 1, 4, "lines")]}, Places({"a.py": Document("a.py", "1\n2\n3\n4\n")}))
    first = Spans.of(("q",), Run({"q": {"a.py:1-2": 1.0}}), RULE, truth)
    second = Spans.of(("q",), Run({"q": {"new.py:1-2": 2.0, "a.py:2-4": 1.0}}), RULE, truth)
    assert first.sizes(None, None, "lines").both.tolist() == [2]
    assert second.sizes(None, None, "lines").both.tolist() == [3]
    assert [column.tolist() for column in second.found_files()] == [[0], [2]]
    assert [column.tolist() for column in first.found_files()] == [[0], [1]]
