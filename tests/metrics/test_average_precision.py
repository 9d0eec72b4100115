"""map, gm_map, iprec, 11pt_avg, infap and yaap."""

from math import log, sqrt

from ._cases import Case, assert_agrees, assert_worked_out, close, each_metric, n_relevant, relevant, summary

EPSILON = 0.00001
"""infap's smoothing."""
LIKELY, UNLIKELY = (1 + EPSILON) / (1 + 2 * EPSILON), EPSILON / (1 + 2 * EPSILON)

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    ("map", [1, 0, 1, None, 1], [1], (1 / 1 + 2 / 3 + 3 / 5) / 4),
    ("map", [1, 1], [], 1),
    ("map@9", [0, 1], [], 1 / 2),
    ("map@2", [1, 0, 1], [1, 1], 1 / 4),  # ÷ R, although only two could be found
    ("map(norm=min)@2", [1, 0, 1], [1, 1], 1 / 2),
    ("map(norm=min)", [1, 0, 1], [1, 1], (1 + 2 / 3) / 4),  # without a cutoff R is the smaller
    ("map(rel=2)", [1, 2, 3], [1], (1 / 2 + 2 / 3) / 2),
    ("map(judged_only=true)", [None, 1, -1, 1], [], 1),
    ("map", [1, 2], [], 1 / 2, {"rel": 2}),  # the policy sets the level
    ("map(rel=1)", [1, 2], [], 1, {"rel": 2}),  # … unless the metric does
    ("gm_map", [1, 0, 1, None, 1], [1], (1 / 1 + 2 / 3 + 3 / 5) / 4),  # of one query it is map
    ("gm_map", [], [1], 0),
    # precision is 1/2 at the first relevant document, 2/3 at the second, 3/6 at the third
    ("iprec@0", [0, 1, 1, 0, None, 1], [], 2 / 3),
    ("iprec@0.6", [0, 1, 1, 0, None, 1], [], 2 / 3),  # ⌊1.8 + 0.9⌋ = 2
    ("iprec@1", [0, 1, 1, 0, None, 1], [], 3 / 6),
    ("iprec@0.5", [1], [1], 1),
    ("iprec@0.6", [1], [1], 0),  # never reached
    ("iprec(rel=2)@1", [1, 2], [], 1 / 2),
    ("iprec(judged_only=true)@1", [None, 1], [], 1),
    ("iprec@0.4", [1, 0, 1, 0, 1], [], 2 / 3),  # rounded as in trec_eval 9; trec_eval 10 gives 1 here
    ("iprec@0.8", [1, 0, 1, 0, 1], [], 3 / 5),  # … and 2/3
    # R = 3, found at ranks 1, 3 and 5 with precision 1, 2/3 and 3/5. Recall 0 … 0.3 asks for at most one of them
    # (⌊0.3 · 3 + 0.9⌋ = 1), 0.4 … 0.7 for two (trec_eval 9 rounds 1.2 + 0.9 down), 0.8 … 1 for three
    ("11pt_avg", [1, 0, 1, 0, 1], [], (4 * 1 + 4 * 2 / 3 + 3 * 3 / 5) / 11),
    ("11pt_avg", [1], [1], 6 / 11),  # recall 0.6 asks for ⌊1.2 + 0.9⌋ = 2
    ("11pt_avg(points=[0, 1])", [0, 1], [1], (1 / 2 + 0) / 2),
    ("11pt_avg.0.2,0.8", [1], [1], 1 / 2),
    ("11pt_avg(rel=2)", [1, 2], [], 1 / 2),
    # one of the two above was judged, and relevant; so both are thought to be
    ("infap", [1, -1, 1], [1], (1 + (1 + 2 * LIKELY) / 3) / 3),
    ("infap", [-1, -2, 1], [], 1 / 3 + 2 / 3 * 1 / 2),  # pooled documents nobody judged are half a chance each
    ("infap", [None, 1], [], 1 / 2),  # not in the pool, so not relevant
    ("infap", [0, 1], [], (1 + UNLIKELY) / 2),
    ("infap(rel=2)", [1, 2], [], (1 + UNLIKELY) / 2),
    ("yaap", [1, None, 1], [1], log((1 + 5 / 3) / (1 + 3 - 5 / 3))),  # precisions 1 and 2/3 of three relevant documents
    ("yaap", [], [1], 0),  # no document at all, as in trec_eval 9 with -c
    ("yaap", [0], [1], log(1 / 2)),
    ("yaap", [0, None, -1], [], 0),
    ("yaap(rel=2)", [1, 2], [], log((1 + 1 / 2) / (2 - 1 / 2))),
]


def average_precision(ranked, missed, k=None, rel=None, most=None):
    """Walk down the ranking, noting the precision at every relevant document."""
    precisions = []
    for rank, grade in enumerate(ranked[:k], 1):
        if relevant(grade, rel):
            precisions.append((len(precisions) + 1) / rank)
    total = n_relevant(ranked, missed, rel)
    return sum(precisions) / min(total, most or total) if total else 0.0


def yaap(ranked, missed, rel=None):
    """The odds of the summed precisions against what is lacking to R, each smoothed by 1."""
    total = n_relevant(ranked, missed, rel)
    found = average_precision(ranked, missed, rel=rel) * total
    return log((1 + found) / (1 + total - found)) if ranked else 0.0


REFERENCES = [
    ("map", average_precision, {}),
    ("map(rel=2)@5", average_precision, {"k": 5, "rel": 2}),
    ("map(norm=min)@3", average_precision, {"k": 3, "most": 3}),
    ("gm_map", average_precision, {}),
    ("yaap", yaap, {}),
    ("yaap(rel=2)", yaap, {"rel": 2}),
]
"""The others are compared with trec_eval."""


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)


def test_a_query_without_relevant_documents_counts_unless_skipped():
    cases = [Case([1]), Case([0])]
    assert summary("map", cases) == close(1 / 2)
    assert summary("map", cases, no_relevant="skip") == 1


def test_the_geometric_mean():
    cases = [Case([0, 1]), Case([1], [1] * 7)]  # average precision 1/2 and 1/8
    assert summary("gm_map", cases) == close(sqrt(1 / 2 * 1 / 8))
    assert summary("map", cases) == close((1 / 2 + 1 / 8) / 2)
    assert summary("gm_map", [Case([1]), Case([], [1])]) == close(sqrt(1 * 0.00001))  # no query counts as less
