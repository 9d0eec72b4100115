"""Preflight of gold spans: recorded texts against the files as they are."""

import pytest

from assay.datasets import check_dataset
from assay.datasets.dataset import Repair
from assay.datasets.preflight.documents import check_stale, survey_documents
from assay.datasets.preflight.judgments import check_judgments

from ._checks import spanned


def test_a_case_says_where_the_text_is_now():
    (finding,) = check_stale(spanned(1, 1, text="two"))
    assert (finding.code, finding.severity, finding.count) == ("stale-span", "error", 1)
    assert finding.message == "1 span of 1 whose text is not what was recorded"
    (case,) = finding.cases
    assert (case.query, case.document) == ("q1", "a.py")
    assert case.found == "the text recorded for lines 1 to 1 of a.py is in lines 2 to 2 of a.py now"


def test_a_lost_span_is_told_once():
    """The reader of a file notes it, and so does the preflight: as an error about the span alone."""
    dataset = spanned(1, 1, text="nowhere")
    (stale,) = check_stale(dataset)
    dataset.repairs.append(Repair("query q1", stale.cases[0].found, is_loss=True))
    dataset.repairs.append(Repair("line 7", "no JSON", is_loss=True))
    found = {finding.code: finding for finding in check_dataset(dataset)}
    assert found["stale-span"].count == 1
    assert [case.found for case in found["lost"].cases] == ["no JSON"]


def test_spans_without_a_recorded_text_are_not_looked_at():
    assert check_stale(spanned(1, 99)) == []
    assert check_stale(spanned(0, 3, "characters", text="one")) == []


@pytest.mark.parametrize("file", ["./a.py", "repo/a.py", ".\\a.py"])
def test_paths_are_read_as_evaluations_read_them(file):
    assert list(check_judgments(spanned(2, 2, file=file, text="two"), survey_documents(spanned(2, 2))[0])) == []
    codes = {one.code for one in check_judgments(spanned(2, 9, file=file, text="one"), survey_documents(spanned(2, 2))[0])}
    assert codes == {"span-outside-file", "stale-span"}
