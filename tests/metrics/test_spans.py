"""span_recall, span_precision, span_iou, file_recall and file_mrr: by hand, and against sets of letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import parse_metric, parse_metrics
from assay.model import Policy, Run, Span
from assay.views import Places, Spans, Truth

from ._cases import close
from ._spans import Stretch, cases, covered, files_in_order, lines, paid, score, spans_view

GOLD = [Span("a.py", 5, 14, "lines")]
"""Ten lines, 80 characters."""
LETTERS = [Span("a.py", 32, 112)]
TWO_FILES = [Span("a.py", 1, 4, "lines"), Span("b.py", 11, 14, "lines")]
HALF_A_LINE = [Stretch("a.py", 32, 36)]
FILES = [Span("a.py", 1, 2, "lines"), Span("b.py", 1, 2, "lines"), Span("b.py", 9, 9, "lines")]
GONE = Span("gone.py", 1, 30, "lines")
THREE = [lines("a.py", 5, 6), lines("a.py", 7, 10), lines("a.py", 11, 11)]
"""4, 8 and 2 words."""
LATE = [lines("src/c.py", 1, 2), lines("src/c.py", 3, 4), lines("b.py", 1, 2), lines("src/c.py", 5, 6), lines("a.py", 9, 9)]
SPREAD = [lines("src/c.py", 1, 2), lines("src/c.py", 3, 4), *(lines(name, 1, 2) for name in ("a.py", "a.py", "b.py"))]

WORKED_OUT = [  # metric, chunks down the ranking, gold, score
    ("span_recall", [lines("a.py", 1, 7), lines("a.py", 6, 9)], GOLD, 0.5),  # what overlaps counts once
    ("span_recall", [lines("a.py", 1, 3)], [Span("a.py", 1, 10, "lines"), Span("a.py", 6, 15, "lines")], 3 / 15),
    ("span_recall@3", [lines("a.py", 1, 7), lines("b.py", 1, 20), lines("a.py", 8, 14)], GOLD, 1),
    ("span_recall", HALF_A_LINE, GOLD, 0.1),  # the unit is that of the gold, unless one is asked for
    ("span_recall(unit=chars)", HALF_A_LINE, GOLD, 4 / 80),
    ("span_recall", HALF_A_LINE, LETTERS, 4 / 80),
    ("span_recall(unit=lines)", HALF_A_LINE, LETTERS, 0.1),
    ("span_recall", HALF_A_LINE, [*LETTERS, Span("b.py", 1, 10, "lines")], 4 / 160),
    *(
        (f"span_recall@tokens={tokens}", THREE, GOLD, expected)  # a budget ends with the first chunk that does not fit
        for tokens, expected in ((3, 0), (4, 0.2), (11, 0.2), (12, 0.6), (13, 0.6), (14, 0.7), (99, 0.7))
    ),
    ("span_recall(tokens=99)@2", THREE, GOLD, 0.6),
    ("span_recall", [lines("a.py", 1, 20)], [GONE, Span("a.py", 1, 10, "lines")], 10 / 40),  # it cannot be found, and counts
    ("span_recall", [lines("a.py", 11, 20)], [Span("a.py", 11, 99, "lines")], 1),  # beyond the end of the file: left out
    ("span_recall", [lines("a.py", 11, 20)], [Span("a.py", 50, 99, "lines")], 0),
    ("span_precision", [lines("a.py", 5, 8), lines("a.py", 7, 10)], GOLD, 1),
    ("span_precision@10", [lines("a.py", 5, 9), lines("b.py", 1, 15)], GOLD, 0.25),  # short rankings are not punished
    ("span_precision", ["somewhere", lines("a.py", 4, 5)], GOLD, 0.5),  # a chunk without a place covers nothing
    ("span_precision", [Stretch("a.py", 28, 40)], GOLD, 0.5),  # half a line has the line, but not its letters
    ("span_precision(unit=chars)", [Stretch("a.py", 28, 40)], GOLD, 8 / 12),
    ("span_iou", [lines("a.py", 5, 9), lines("a.py", 8, 14)], GOLD, 1),
    ("span_iou@1", [lines("a.py", 5, 14), lines("b.py", 1, 10)], GOLD, 1),  # it falls once all is found
    ("span_iou@2", [lines("a.py", 5, 14), lines("b.py", 1, 10)], GOLD, 0.5),
    ("file_recall", [lines("a.py", 19, 20)], FILES, 0.5),  # another stretch of the file
    *((f"file_recall@{k}", SPREAD, FILES, expected) for k, expected in ((1, 0), (2, 0.5), (3, 1))),  # k counts files
    ("file_recall@2", ["x", "y", lines("a.py", 1, 2)], FILES, 0),  # a chunk without a place takes the rank of a file
    ("file_recall@3", ["x", "y", lines("a.py", 1, 2)], FILES, 0.5),
    ("file_recall", [lines("a.py", 1, 2)], [*FILES, GONE], 1 / 3),
    ("file_mrr", LATE, FILES[:1], 1 / 3),
    ("file_mrr", ["x", lines("a.py", 1, 1)], FILES[:1], 1 / 2),
    ("file_mrr@2", LATE, FILES[:1], 0),
]
SPAN_METRICS = ("span_recall@5", "span_precision@5", "span_iou@5", "file_recall@5", "file_mrr")


def test_worked_out_by_hand():
    for metric, ranking, gold, expected in WORKED_OUT:
        assert score(metric, ranking, gold) == close(expected), (metric, ranking)


def share(of, among):
    return len(of) / len(among) if among else 0


@given(cases(), st.integers(1, 7), st.sampled_from(["lines", "characters"]))
def test_as_sets_of_letters_have_it(case, k, unit):
    for cut, n_chunks in ((f"@{k}", k), (f"@tokens={k}", paid(case, k))):  # a budget is the cutoff that it pays for
        retrieved, gold = covered(case, n_chunks, unit)
        both = retrieved & gold
        for name, among in (("recall", gold), ("precision", retrieved), ("iou", retrieved | gold)):
            metric = f"span_{name}(unit={unit}){cut}"
            assert score(metric, case.ranking, case.gold, case.files) == close(share(both, among)), metric


@given(cases(), st.integers(1, 3), st.none() | st.integers(1, 12))
def test_as_a_list_of_files_has_it(case, k, tokens):
    found = files_in_order(case, len(case.ranking) if tokens is None else paid(case, tokens))[:k]
    gold = {span.doc_id for span in case.gold}
    inside = "" if tokens is None else f"(tokens={tokens})"
    first = next((1 / rank for rank, file in enumerate(found, 1) if file in gold), 0)
    assert score(f"file_mrr{inside}@{k}", case.ranking, case.gold, case.files) == close(first)
    assert score(f"file_recall{inside}@{k}", case.ranking, case.gold, case.files) == close(share(gold & set(found), gold))


def test_queries_do_not_mix():
    gold = {"q1": GOLD, "q2": [Span("b.py", 1, 20, "lines")], "q3": FILES[:1]}
    rankings = {"q1": [lines("a.py", 5, 9)], "q2": [lines("b.py", 1, 10), lines("b.py", 11, 12)], "q3": LATE}
    view = spans_view(rankings, gold)
    assert parse_metric("span_recall@tokens=20").score(view).tolist() == close([0.5, 0.5, 0])
    assert parse_metric("span_recall@tokens=24").score(view).tolist() == close([0.5, 0.6, 0])
    assert parse_metric("file_mrr").score(view).tolist() == close([1, 1, 1 / 3])


def test_nothing_retrieved_and_an_empty_list_of_gold_score_0_and_no_gold_at_all_nothing():
    found = {"empty": [lines("a.py", 1, 2)], "none": [lines("a.py", 1, 2)], "nothing": []}
    view = spans_view(found, {"empty": [], "nothing": GOLD, "not retrieved": GOLD})
    for name in SPAN_METRICS:
        scores = dict(zip(view.query_ids, parse_metric(name).score(view), strict=True))
        assert np.isnan(scores.pop("none")), name
        assert set(scores.values()) == {0}, name


def test_ids_alone_are_enough_for_lines():
    truth = Truth({"q": [Span("src/c.py", 5, 14, "lines")]}, Places({}))
    view = Spans.of(("q",), Run({"q": {"repo/src/c.py:1-7": 2.0, "strange": 1.0}}), Policy().rank_rule, truth)
    assert parse_metric("span_recall").score(view).tolist() == close([0.3])
    for name in ("span_recall(unit=chars)", "span_recall@tokens=5"):
        with pytest.raises(assay.DataError):
            parse_metric(name).score(view)


def test_names():
    names = [metric.name for metric in parse_metrics("span_recall@5,10, span_recall@tokens=1000,2000, span_recall@budget=7")]
    assert names == [f"span_recall@{cut}" for cut in ("5", "10", "tokens=1000", "tokens=2000", "tokens=7")]
    for name in (*names, "span_recall(tokens=5)@10", "span_recall(unit=lines)@tokens=5"):
        assert parse_metric(name).name == name
    for wrong in ("span_recall@tokens=0", "span_recall@token=5"):
        with pytest.raises(assay.BadParameter):
            parse_metric(wrong)
