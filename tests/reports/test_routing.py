"""routing: what people and programs read of routes, in every format, hostile names included."""

import csv
import io
import json

import pytest

import assay
from assay.comparison.slices import slice_results
from assay.evaluation.routing import evaluate_routing
from assay.evaluation.saved import result_from_dict
from assay.reports.report import Report
from assay.reports.sections.answers import FORMATS, render_routing

ROWS = [
    {"query_id": "q1", "route": "code", "optimal_expert": "code", "gated": False, "needs_retrieval": True, "by": "de"},
    {"query_id": "q2", "route": "chat", "optimal_expert": "code", "gated": True, "needs_retrieval": True, "by": "en"},
    {"query_id": "q3", "optimal_expert": "law", "gated": False, "needs_retrieval": False, "by": "en"},
]
RESULT = assay.with_intervals(evaluate_routing(ROWS, name="router"))


def test_the_table_has_figures_experts_confusion_and_gate():
    text = render_routing(Report([RESULT]), "table")
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["router:", "3", "queries"]
    assert ["routing_accuracy", "0.333", "[0.061,", "0.792]"] in lines
    assert ["code", "1", "2", "1", "1.000", "0.500"] in lines
    assert ["chat", "code", "law", "(none)"] in lines
    assert ["law", "0", "0", "0", "1"] in lines
    assert ["skipped", "0", "1"] in lines
    assert ["retrieved", "1", "1"] in lines
    assert "1 query sent to no expert, which counts as wrong (q3)." in text


def test_json_is_a_result_with_everything_in_it():
    content = json.loads(render_routing(Report([RESULT]), "json", slice_results(RESULT, "by")))
    read = result_from_dict(content["results"][0])
    assert read.summary == pytest.approx(RESULT.summary)
    assert content["results"][0]["provenance"]["routing"]["confusion"]["code"] == {"chat": 1, "code": 1}
    assert content["slices"][0]["by"] == "by"


def test_csv_has_the_figures_or_the_slices():
    (row,) = csv.DictReader(io.StringIO(render_routing(Report([RESULT]), "csv")))
    assert float(row["routing_accuracy"]) == pytest.approx(1 / 3)
    rows = list(csv.DictReader(io.StringIO(render_routing(Report([RESULT]), "csv", slice_results(RESULT, "by")))))
    assert {row["slice"] for row in rows} == {"de", "en"}


def test_two_routers_stand_side_by_side_each_with_its_picture():
    other = assay.with_intervals(evaluate_routing([{**ROWS[0], "route": "chat"}, *ROWS[1:]], name="other"))
    text = render_routing(Report([RESULT, other], per_query=True), "table")
    assert "router, other: 3 queries" in text
    assert "other: experts" in text
    assert "router: queries" in text


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_names_are_shown_and_do_no_harm(form):
    rows = [
        {
            "query_id": "q\x1b[31m",
            "route": "a|b\n<script>",
            "optimal_expert": "a|b\n<script>",
            "gated": 0,
            "needs_retrieval": 1,
        }
    ]
    text = render_routing(Report([evaluate_routing(rows, name="r\x07")], per_query=True), form)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert text.endswith("\n")


def test_routes_without_a_gate_have_no_table_of_it():
    text = render_routing(Report([evaluate_routing([{"query_id": 1, "route": "code", "optimal_expert": "code"}])]), "table")
    assert "gate" not in text


def test_many_experts_are_a_list_of_the_largest_confusions():
    """A matrix of 14 experts fills pages, mostly with zeros."""
    rows = [{"query_id": n, "route": f"expert {n % 14}", "optimal_expert": f"expert {n % 14}"} for n in range(28)]
    rows += [{"query_id": f"x{n}", "route": "expert 1", "optimal_expert": "expert 2"} for n in range(3)]
    rows += [{"query_id": f"y{n}", "route": f"expert {n}", "optimal_expert": "expert 13"} for n in range(12)]
    text = render_routing(Report([evaluate_routing(rows)]), "table")
    assert "were sent (columns)" not in text
    lines = [line.split("  ") for line in text.splitlines()]
    place = next(number for number, line in enumerate(lines) if line == ["where queries belonged and were sent instead"])
    assert [word.strip() for word in lines[place + 2] if word] == ["expert 2", "expert 1", "3"]
    assert "3 queries more went astray; --format json has all of them." in text
    right = render_routing(Report([evaluate_routing(rows[:28])]), "table")
    assert "no query was sent to another expert than its own." in right


def test_a_matrix_that_does_not_fit_is_a_list_too():
    rows = [
        {**row, "route": f"{row.get('route')} of a long name", "optimal_expert": f"{row['optimal_expert']} too"}
        for row in ROWS
    ]
    result = evaluate_routing(rows)
    assert "were sent (columns)" in render_routing(Report([result]), "table")
    assert "sent instead" in render_routing(Report([result], width=60), "table")
