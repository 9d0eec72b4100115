"""Failures: how many queries, and with which errors."""

import pytest

import assay
from assay.reports.sections.run_notes import failure_errors, failure_notes, reasons

SCORED = assay.evaluate({"q1": {"d1": 1}}, {}, ["mrr"])


def result(name, failures, n_answered=0, benchmark="small"):
    run = {f"a{n}": {"d1": 1.0} for n in range(n_answered)}
    return SCORED.with_fields(name=name, benchmark=benchmark, failures=failures, run=run)


def failed(**counts):
    errors = [error.replace("_", " ") for error, count in counts.items() for _ in range(count)]
    return {f"q{n}": error for n, error in enumerate(errors)}


@pytest.mark.parametrize(
    ("failures", "told"),
    [
        (failed(timeout=2), "timeout (2×)"),
        (failed(HTTP_500=7, timeout=30), "timeout (30×), HTTP 500 (7×)"),
        (failed(a=1, b=2, c=3, d=4), "d (4×), c (3×), b (2×), 1 other error (1×)"),
        (failed(a=3, b=3, c=3, d=1, e=2), "a (3×), b (3×), c (3×), 2 other errors (3×)"),
        (failed(x=1234), "x (1,234×)"),
        ({"q1": " it is down.\n"}, "it is down (1×)"),
        ({"q1": "\x1b[31m"}, "\\x1b[31m (1×)"),
    ],
)
def test_the_most_frequent_errors(failures, told):
    assert reasons(failures) == told


def test_long_errors_are_cut():
    assert len(reasons({"q1": "x" * 500})) < 200


def test_notes_say_what_can_be_done():
    some = [result("bm25", failed(timeout=1), 2), result("dense", {}, 3), result("mine", failed(a=3))]
    assert failure_notes(some, "--resume asks them again") == [
        "bm25: 1 of 3 queries failed and score 0: timeout (1×); --resume asks them again.",
        "mine: all 3 queries failed: a (3×); --resume asks them again.",
    ]
    assert failure_notes(some[:1], "") == ["bm25: 1 of 3 queries failed and score 0: timeout (1×)."]


def test_notes_leave_to_errors_what_these_tell():
    some = [result("bm25", failed(timeout=1), 2), result("mine", failed(a=3))]
    (note,) = failure_notes(some, "", strict=False)
    assert note.startswith("bm25: 1 of 3 queries failed")
    assert failure_notes(some, "", strict=True) == []
    (error,) = failure_errors(some, "--resume asks them again", strict=False)
    assert error == "mine on small: all 3 queries failed: a (3×); --resume asks them again"


def test_where_asking_again_would_not_help_it_is_not_advised():
    some = [
        result("bm25", failed(a=2), 1).with_fields(provenance={"final": ["q0", "q1"]}),
        result("dense", failed(a=2), 1).with_fields(provenance={"final": ["q0"]}),
    ]
    assert failure_notes(some, "--resume asks them again") == [
        "bm25: 2 of 3 queries failed and score 0: a (2×).",
        "dense: 2 of 3 queries failed and score 0: a (2×); --resume asks them again.",
    ]


def test_errors_are_those_that_make_the_evaluation_fail():
    some = [result("bm25", failed(timeout=1), 2), result("dense", {}, 3), result("mine", failed(a=1), benchmark="b")]
    assert failure_errors(some, strict=False) == ["mine on b: all 1 query failed: a (1×)"]
    assert failure_errors(some, strict=True) == [
        "bm25 on small: 1 of 3 queries failed, and --strict allows none: timeout (1×)",
        "mine on b: all 1 query failed: a (1×)",
    ]


def test_a_first_ranking_that_failed_with_its_reranker_is_told_of_once():
    before, after = result("rerank(bm25) before", failed(a=2)), result("rerank(bm25)", failed(a=2))
    assert len(failure_errors([before, after], strict=True)) == 1
    assert len(failure_notes([before, result("rerank(bm25)", failed(a=3))], "")) == 2
    assert len(failure_notes([before], "")) == 1
