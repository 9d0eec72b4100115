"""Answers and routes in every format: figures, the curve of risk and coverage, experts and confusions."""

import csv
import io
import json

import pytest

import assay
from assay.comparison import slice_results
from assay.evaluation import evaluate_routing, result_from_dict
from assay.reports import Report, render_answers, render_routing

FORMS = ("table", "markdown", "latex", "csv")
ANSWERS = [
    {"id": str(number), "answer": "a" if number % 3 else "b", "reference": "a", "confidence": number} for number in range(40)
]
ROUTES = [
    {"query_id": "q1", "route": "code", "optimal_expert": "code", "gated": False, "needs_retrieval": True, "by": "de"},
    {"query_id": "q2", "route": "chat", "optimal_expert": "code", "gated": True, "needs_retrieval": True, "by": "en"},
    {"query_id": "q3", "optimal_expert": "law", "gated": False, "needs_retrieval": False, "by": "en"},
]


def answered(rows=ANSWERS, name="system"):
    return assay.evaluate_answers(rows, metrics=["answer_f1", "aurc"], name=name)


def routed(rows=ROUTES, name="router"):
    return assay.with_intervals(evaluate_routing(rows, name=name))


def curve_of(rows):
    return json.loads(render_answers(Report([answered(rows)]), "json")).get("risk_coverage", {}).get("system", [])


def test_answers_and_routes_in_every_format(snapshots):
    sure = answered([{key: value for key, value in row.items() if key != "confidence"} for row in ANSWERS[:3]])
    many = [{"query_id": n, "route": f"expert {n % 14}", "optimal_expert": f"expert {n % 14}"} for n in range(28)]
    wrong = [{"query_id": f"x{n}", "route": "expert 1", "optimal_expert": "expert 2"} for n in range(3)]
    wrong += [{"query_id": f"y{n}", "route": f"expert {n}", "optimal_expert": "expert 13"} for n in range(12)]
    other = routed([{**ROUTES[0], "route": "chat"}, *ROUTES[1:]], "other")
    sliced = slice_results(routed(), "by")
    cases = {
        "answers": lambda form: render_answers(Report([answered(), answered(ANSWERS[::2], "other")]), form),
        "answers_without_confidence": lambda form: render_answers(Report([sure]), form),
        "routes": lambda form: render_routing(Report([routed(), other], per_query=True), form),
        "routes_sliced": lambda form: render_routing(Report([routed()]), form, sliced),
        "many_experts": lambda form: render_routing(Report([evaluate_routing([*many, *wrong])]), form),
        "all_right": lambda form: render_routing(Report([evaluate_routing(many)]), form),
    }
    for name, make in cases.items():
        snapshots.check(f"reports/{name}", "".join(f"## {form}\n{make(form)}\n" for form in FORMS))


def test_the_curve_of_risk_and_coverage():
    points = curve_of(ANSWERS)
    assert len(points) == 40
    assert points[0] == {"coverage": 1 / 40, "risk": 1.0, "confidence": 39, "is_open": False}
    assert answered()["aurc"] == pytest.approx(sum(point["risk"] for point in points) / 40)
    (point,) = curve_of([{**row, "confidence": 1} for row in ANSWERS])
    assert (point["coverage"], point["risk"]) == (1, pytest.approx(14 / 40))
    assert curve_of([{"id": "1", "answer": "a", "reference": "a"}]) == []
    again = result_from_dict(json.loads(json.dumps(answered().to_dict())))
    assert json.loads(render_answers(Report([again]), "json"))["risk_coverage"]["system"] == points


def test_programs_get_routes_and_slices():
    content = json.loads(render_routing(Report([routed()]), "json", slice_results(routed(), "by")))
    assert result_from_dict(content["results"][0]).summary == pytest.approx(routed().summary)
    assert content["results"][0]["provenance"]["routing"]["confusion"]["code"] == {"chat": 1, "code": 1}
    assert content["slices"][0]["by"] == "by"
    (row,) = csv.DictReader(io.StringIO(render_routing(Report([routed()]), "csv")))
    assert float(row["routing_accuracy"]) == pytest.approx(1 / 3)
