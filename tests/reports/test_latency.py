"""Latency: milliseconds with a unit."""

import pytest

import assay
from assay.metrics.parsing import parse_metric
from assay.reports.report import Report, find_renderer
from assay.reports.sections.run_notes import latency_notes
from assay.text import milliseconds

SCORED = assay.evaluate({"q1": {"d1": 1}}, {}, ["mrr"])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00 ms"), (0.087, "0.09 ms"), (1.0, "1.0 ms"), (12.34, "12.3 ms"), (250.7, "251 ms"), (1234.5, "1,234 ms")],
)
def test_no_more_digits_than_a_clock_is_good_for(value, text):
    assert milliseconds(value) == text


def test_people_see_the_unit_and_programs_the_number():
    report, p95 = Report([SCORED]), parse_metric("latency_p95")
    assert report.text(p95, 12.34) == "12.3 ms"
    assert report.text(p95, float("nan")) == "–"
    assert report.figure(p95, 12.34) == "12.3400"
    assert report.exact(p95, 12.34) == "12.34"
    assert Report([SCORED], digits=1).text(p95, 12.34) == "12.3"
    assert report.text(parse_metric("mrr"), 0.5) == "0.5000"


def test_lines_of_trec_eval_have_no_unit():
    dataset = assay.load_dataset("rag-template")
    timed = assay.run(dataset, _Same(), ["latency"])
    lines = [line.split() for line in find_renderer("trec").render(Report([timed])).splitlines()]
    ((_, _, value),) = [line for line in lines if line[0] == "latency"]
    assert float(value) >= 0


class _Same:
    """Answers every query alike."""

    def search(self, queries, k):
        return [["p001"] for _ in queries]


def test_batches_are_told_of_where_quantiles_were_asked_for():
    asked = assay.run("rag-template", _Same(), ["mrr", "latency_p50"], selection={"limit": 5})
    assert latency_notes([asked]) == ["asked in batches, so that only the mean time of a query is known: _Same."]
    assert latency_notes([asked.with_fields(provenance={"latency_ms": {"mean": 1.0, "p50": 1.0}})]) == []
    assert latency_notes([asked.with_fields(beside=("latency_p50",))]) == []
    assert latency_notes([SCORED]) == []
