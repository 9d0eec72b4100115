"""precision, recall, capped_recall, f, hit, rprec, rprec_mult and mrr."""

import pytest

import assay

from ._cases import Case, assert_agrees, assert_worked_out, close, each_metric, n_relevant, relevant, summary

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    ("precision@4", [1, 0, None, 2, 1], [1], 2 / 4),
    ("precision@10", [1, 0, 1, None], [], 2 / 10),  # a short ranking is still divided by k
    ("precision(over=retrieved)@10", [1, 0, 1, None], [], 2 / 4),
    ("precision(over=retrieved)@2", [1, 0, 1, None], [], 1 / 2),
    ("precision(over=retrieved)@5", [], [1], 0),
    ("precision(rel=2)@2", [1, 2], [], 1 / 2),
    ("precision(judged_only=true)@1", [-1, 1], [], 1),
    ("precision@1", [0.5], [], 1),  # any grade above 0 is relevant
    ("precision(rel=1)@1", [0.5], [], 0),
    ("precision(rel=0)@3", [0, None, -1], [], 1 / 3),
    ("precision@2", [1, 2], [], 1 / 2, {"rel": 2}),  # the policy sets the level
    ("precision(rel=1)@2", [1, 2], [], 1, {"rel": 2}),  # … unless the metric does
    ("recall@3", [1, 0, 2, 1], [1], 2 / 4),
    ("recall", [1, 0, 2, 1], [1], 3 / 4),
    ("recall@1", [1, 1], [], 1 / 2),  # a full score is out of reach where k is below R
    ("recall(rel=2)@2", [1, 2], [2], 1 / 2),
    ("recall(judged_only=true)@1", [None, 1], [], 1),
    ("capped_recall@2", [1, 0, 1], [1, 1], 1 / 2),  # k is the smaller, then R
    ("capped_recall@5", [1, 0, 1], [1, 1], 2 / 4),
    ("capped_recall(rel=2)@1", [1, 2], [2], 0),
    ("capped_recall(judged_only=true)@1", [None, 1], [], 1),
    ("f1@5", [1, 0, 1], [1], 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),  # precision 2/5, recall 2/3
    ("f(beta=2)@5", [1, 0, 1], [1], 5 * (2 / 5) * (2 / 3) / (4 * 2 / 5 + 2 / 3)),
    ("f1@4", [1], [], 2 * 1 / 4 / (1 / 4 + 1)),  # precision is ÷ k, also of a short ranking
    ("f(rel=2)@1", [1, 2], [], 0),
    ("f(judged_only=true)@1", [None, 1], [], 1),
    ("hit@2", [0, 0, 1], [], 0),
    ("hit@3", [0, 0, 1], [], 1),
    ("hit", [None] * 50 + [1], [], 1),  # without a cutoff the whole ranking counts
    ("hit(rel=2)@2", [1, 1, 2], [], 0),
    ("hit(judged_only=true)@1", [None, 1], [], 1),
    ("rprec", [1, None, 0, 2, 1], [1], 2 / 4),  # R = 4, and two of the first four are relevant
    ("rprec", [1], [1, 1], 1 / 3),  # ÷ R, although fewer were retrieved
    ("rprec(rel=2)", [1, 2, 2], [], 1 / 2),
    ("rprec(judged_only=true)", [None, 1], [], 1),
    ("rprec_mult@0.4", [1, 0, 0, 1], [1], 1 / 2),  # R = 3: ⌊1.2 + 0.9⌋ = 2 ranks
    ("rprec_mult@2", [1, 0, 0, 1], [1], 2 / 6),
    ("rprec_mult@0.05", [1], [], 0),  # ⌊0.05 + 0.9⌋ = 0 ranks
    ("rprec_mult@1", [1, None, 0, 2, 1], [1], 2 / 4),  # rprec itself
    ("rprec_mult(rel=2)@1", [1, 2], [], 0),
    ("mrr", [0, None, 1, 1], [], 1 / 3),
    ("mrr@2", [0, 0, 1], [], 0),
    ("mrr@3", [0, 0, 1], [], 1 / 3),
    ("mrr(rel=2)", [1, 2], [], 1 / 2),
    ("mrr(judged_only=true)", [None, 1], [], 1),
]


def f_measure(ranked, missed, k, rel=None, beta=1):
    """Precision and recall, combined as the textbook does."""
    found = sum(relevant(grade, rel) for grade in ranked[:k])
    p, r = found / k, found / (n_relevant(ranked, missed, rel) or 1)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p else 0.0


def precision_of_retrieved(ranked, missed, k, rel=None):
    return sum(relevant(grade, rel) for grade in ranked[:k]) / (len(ranked[:k]) or 1)


def reciprocal_rank(ranked, missed, k=None, rel=None):
    return next((1 / rank for rank, grade in enumerate(ranked[:k], 1) if relevant(grade, rel)), 0.0)


REFERENCES = [
    ("precision(rel=2, over=retrieved)@10", precision_of_retrieved, {"k": 10, "rel": 2}),
    ("f1@5", f_measure, {"k": 5}),
    ("f(beta=0.5, rel=2)@3", f_measure, {"k": 3, "rel": 2, "beta": 0.5}),
    ("mrr", reciprocal_rank, {}),
    ("mrr(rel=2)@5", reciprocal_rank, {"k": 5, "rel": 2}),
]
"""Metrics and variants that neither trec_eval nor ir_measures has; the others are compared with these tools."""


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)


def test_queries_are_averaged():
    assert summary("hit@1", [Case([1]), Case([0]), Case([2, 1])]) == close(2 / 3)
    assert summary("mrr", [Case([1]), Case([0, 0, 1]), Case([0], [1])]) == close((1 + 1 / 3 + 0) / 3)


@pytest.mark.parametrize(("ties", "expected"), [("docid_desc", 1 / 4), ("docid_asc", 1), ("input_order", 1 / 3)])
def test_equal_scores_are_ordered_as_the_policy_says(ties, expected):
    run = {"q": {"d2": 1.0, "d4": 1.0, "d1": 1.0, "d3": 1.0}}
    assert assay.evaluate({"q": {"d1": 1}}, run, "mrr", policy=assay.Policy(ties=ties))["mrr"] == close(expected)
