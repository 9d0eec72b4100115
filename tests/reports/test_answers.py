"""What assay answers prints: the curve of risk and coverage."""

import json

import pytest

import assay
from assay.evaluation.saved import result_from_dict
from assay.reports.report import Report
from assay.reports.sections.answers import STEPS, render_answers, risk_coverage

ROWS = [
    {"id": str(number), "answer": "a" if number % 3 else "b", "reference": "a", "confidence": number} for number in range(40)
]


def result(rows, name="system"):
    return assay.evaluate_answers(rows, metrics=["answer_f1", "aurc"], name=name)


def test_people_are_shown_a_few_steps_and_programs_all():
    found = result(ROWS)
    table = render_answers(Report([found]), "table")
    rows = [line for line in table.splitlines() if " %   " in line]
    assert len(rows) == STEPS
    assert [line.split()[0] for line in rows] == [f"{percent}" for percent in range(10, 101, 10)]
    assert rows[-1].split() == ["100", "%", "0.3500", "0"]
    points = json.loads(render_answers(Report([found]), "json"))["risk_coverage"]["system"]
    assert len(points) == 40
    assert points[0] == {"coverage": 1 / 40, "risk": 1.0, "confidence": 39, "is_open": False}


def test_equal_confidence_is_one_point():
    rows = [{**row, "confidence": 1} for row in ROWS]
    (point,) = risk_coverage(result(rows))
    assert point == (1, pytest.approx(14 / 40), 1, False)


def test_the_area_is_the_mean_of_the_risks():
    found = result(ROWS)
    assert found["aurc"] == pytest.approx(sum(point.risk for point in risk_coverage(found)) / 40)


def test_a_result_read_back_has_the_same_curve():
    found = result(ROWS)
    assert risk_coverage(result_from_dict(json.loads(json.dumps(found.to_dict())))) == risk_coverage(found)


def test_without_confidence_there_is_no_curve():
    rows = [{"id": "1", "answer": "a", "reference": "a"}]
    assert "risk by coverage" not in render_answers(Report([result(rows)]), "table")
    assert "risk_coverage" not in json.loads(render_answers(Report([result(rows)]), "json"))
    assert risk_coverage(assay.evaluate_answers(rows, metrics="answer_f1")) == []


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_hostile_names_do_no_harm(form):
    text = render_answers(Report([result(ROWS, "evil\x1b[31m|name")]), form)
    assert "\x1b" not in text
