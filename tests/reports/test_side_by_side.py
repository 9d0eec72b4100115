"""side_by_side: results that stand in one table, and what is said where they should not be compared."""

from assay.evaluation.routing import evaluate_routing
from assay.reports.sections.slices import notes_side_by_side

ROWS = [{"query_id": name, "route": "code", "optimal_expert": "code"} for name in ("q1", "q2")]


def named(name, rows):
    return evaluate_routing(rows, name=name)


def test_only_what_differs_in_queries_or_truth_is_told():
    first = named("a", ROWS)
    other = named("b", [{**row, "route": "chat"} for row in ROWS])
    assert list(notes_side_by_side([first, other])) == []
    assert list(notes_side_by_side([first])) == []
    fewer, wrong = named("c", ROWS[:1]), named("d", [{**row, "optimal_expert": "law"} for row in ROWS])
    assert list(notes_side_by_side([first, fewer, other, wrong])) == [
        "a and c are not about the same queries: their figures cannot be compared.",
        "a and d are held against different truths: their figures cannot be compared.",
    ]


def test_the_order_of_the_queries_is_no_difference():
    assert list(notes_side_by_side([named("a", ROWS), named("b", ROWS[::-1])])) == []
