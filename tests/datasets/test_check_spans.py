"""Preflight of gold spans: recorded texts against the files as they are."""

from assay.datasets._check_spans import check_stale

from ._checks import spanned


def test_a_case_says_where_the_text_is_now():
    (finding,) = check_stale(spanned(1, 1, text="two"))
    assert (finding.code, finding.severity, finding.count) == ("stale-span", "error", 1)
    assert finding.message == "1 span of 1 whose text is not what was recorded"
    (case,) = finding.cases
    assert (case.query, case.document) == ("q1", "a.py")
    assert case.found == "the text recorded for lines 1 to 1 of a.py is in lines 2 to 2 of a.py now"


def test_spans_without_a_recorded_text_are_not_looked_at():
    assert check_stale(spanned(1, 99)) == []
    assert check_stale(spanned(0, 3, "characters", text="one")) == []
