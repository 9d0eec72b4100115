"""dcg, ideal_dcg, ndcg and sdcg."""

from math import log2

from ._cases import TOP, Case, assert_agrees, assert_worked_out, close, each_metric, share_of_top, summary, worth

LOG3 = log2(3)
WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    ("dcg", [3, None, 2, 0, 1], [3], 3 / log2(2) + 2 / log2(4) + 1 / log2(6)),
    ("dcg", [0, None, -2], [], 0),
    ("dcg", [0.5], [], 0.5),
    ("dcg@2", [3, 2, 1], [], 3 + 2 / LOG3),
    ("dcg(gain=exp)", [3, 2], [], 7 + 3 / LOG3),
    ("dcg(gain=binary)", [3, 2], [], 1 + 1 / LOG3),
    ("dcg(gain={1: 3.5, 2: 9})", [2, 1, 3], [], 9 + 3.5 / LOG3 + 3 / log2(4)),  # other grades stay linear
    ("dcg.1=3.5,2=9", [2, 1], [], 9 + 3.5 / LOG3),
    ("dcg(discount=jk2002)", [3, 2, 3], [], 3 + 2 + 3 / LOG3),
    ("dcg(rel=2)", [1, 2], [], 2 / LOG3),
    ("dcg(judged_only=true)", [None, 1], [], 1),
    ("dcg", [1, 2], [], 1 + 2 / LOG3, {"rel": 2}),  # the level of the policy does not matter
    ("ideal_dcg", [0, None, 2], [3, 1], 3 / log2(2) + 2 / LOG3 + 1 / log2(4)),
    ("ideal_dcg", [], [1], 1),  # the ranking does not matter
    ("ideal_dcg@5", [1], [1, 1], 1 + 1 / LOG3 + 1 / log2(4)),  # three relevant documents and five ranks: 2.130930
    ("ideal_dcg@1", [1], [3], 3),
    ("ideal_dcg(gain=exp)", [2], [3], 7 + 3 / LOG3),
    ("ideal_dcg(gain={1: 9, 3: 2})", [3, 1], [], 9 + 2 / LOG3),  # gains, not grades, are sorted
    ("ideal_dcg(rel=2)", [1], [2], 2),
    ("ideal_dcg(discount=jk2002)", [3, 2, 1], [], 3 + 2 + 1 / LOG3),
    ("ndcg", [1, None, 3, 0], [2, 1], (1 + 3 / log2(4)) / (3 + 2 / LOG3 + 1 / log2(4) + 1 / log2(5))),
    ("ndcg@4", [3, 0, 2, 1], [], (3 + 2 / log2(4) + 1 / log2(5)) / (3 + 2 / LOG3 + 1 / 2)),  # 0.930451
    ("ndcg", [-1, 1], [], 1 / LOG3),  # a negative grade gains nothing, and costs nothing
    ("ndcg@5", [1], [1, 1], 1 / (1 + 1 / LOG3 + 1 / log2(4))),  # the ideal holds what was missed
    ("ndcg@1", [1], [1, 1], 1),  # … as far as it fits into k
    ("ndcg(gain=exp)@2", [1, 2], [], (1 + 3 / LOG3) / (3 + 1 / LOG3)),
    ("ndcg(gain=binary)", [1, 3], [], 1),
    ("ndcg(gain={1: 3.5, 2: 9})", [1, 2], [], (3.5 + 9 / LOG3) / (9 + 3.5 / LOG3)),
    ("ndcg(gain={0: 1, 1: 5})", [0, 1], [], (1 + 5 / LOG3) / (5 + 1 / LOG3)),
    ("ndcg(gain={1: 9, 3: 2})@1", [3, 1], [], 2 / 9),  # the best gain comes first, not the best grade
    ("ndcg(discount=jk2002)", [1, 2], [], 1),  # the first two ranks weigh the same
    ("ndcg@3-l2", [1, 2, 0], [], 1 / LOG3),
    ("ndcg@3", [1, 2, 0], [], (1 + 2 / LOG3) / (2 + 1 / LOG3), {"rel": 2}),  # trec_eval ignores its level here
    ("ndcg(judged_only=true)", [None, 1], [], 1),
    ("sdcg@3", [1, None, 2, 2], [], (1 / 2 + 1 / log2(4)) / (1 + 1 / LOG3 + 1 / log2(4))),
    ("sdcg@1", [1, 0], [], 1),
    ("sdcg@2", [1], [], 1 / (1 + 1 / LOG3)),  # one relevant document is all there is, and still not enough
    ("sdcg(max_grade=1)@1", [3], [], 1),
    ("sdcg(min_grade=1)@1", [2], [3], 1 / 2),
    ("sdcg@1", [1], [], 1 / 4, {"max_grade": 4}),  # the policy sets the top of the scale
]


def discounted(gains, original=False):
    """What each rank gains, added up; the original discount of 2002 spares the first two."""
    return sum(gain / (max(log2(rank), 1) if original else log2(rank + 1)) for rank, gain in enumerate(gains, 1))


def _counts(grade, rel):
    return rel is None or (grade is not None and grade >= rel)


def dcg(ranked, missed, k=None, gain="linear", rel=None, original=False):
    return discounted((worth(grade, gain) if _counts(grade, rel) else 0 for grade in ranked[:k]), original)


def ideal_dcg(ranked, missed, k=None, gain="linear", rel=None, original=False):
    """Sort all gains, best first."""
    grades = [grade for grade in [*ranked, *missed] if grade is not None and _counts(grade, rel)]
    return discounted(sorted((worth(grade, gain) for grade in grades), reverse=True)[:k], original)


def ndcg(ranked, missed, **given):
    ideal = ideal_dcg(ranked, missed, **given)
    return dcg(ranked, missed, **given) / ideal if ideal else 0.0


def sdcg(ranked, missed, k, low=0, top=TOP):
    """A weighted mean of gains from 0 to 1."""
    return discounted(share_of_top(grade, low, top) for grade in ranked[:k]) / discounted([1] * k)


REFERENCES = [
    ("dcg", dcg, {}),
    ("dcg@3", dcg, {"k": 3}),
    ("dcg(gain=exp)@10", dcg, {"k": 10, "gain": "exp"}),
    ("dcg(gain={0: 1, 2: 7}, rel=1)", dcg, {"gain": {0: 1, 2: 7}, "rel": 1}),
    ("dcg(gain=binary)", dcg, {"gain": "binary"}),
    ("dcg(discount=jk2002)", dcg, {"original": True}),
    ("ideal_dcg", ideal_dcg, {}),
    ("ideal_dcg(gain=exp)@4", ideal_dcg, {"k": 4, "gain": "exp"}),
    ("ideal_dcg(gain={1: 9, 2: 0}, rel=1)@3", ideal_dcg, {"k": 3, "gain": {1: 9, 2: 0}, "rel": 1}),
    ("ideal_dcg(discount=jk2002)", ideal_dcg, {"original": True}),
    ("ndcg", ndcg, {}),
    ("ndcg@3", ndcg, {"k": 3}),
    ("ndcg(gain=exp)@10", ndcg, {"k": 10, "gain": "exp"}),
    ("ndcg(gain={1: 9, 2: 0}, rel=1)@5", ndcg, {"k": 5, "gain": {1: 9, 2: 0}, "rel": 1}),
    ("ndcg(gain=binary)@5", ndcg, {"k": 5, "gain": "binary"}),
    ("ndcg(discount=jk2002)@5", ndcg, {"k": 5, "original": True}),
    ("sdcg@5", sdcg, {"k": 5}),
    ("sdcg(min_grade=1, max_grade=3)@10", sdcg, {"k": 10, "low": 1, "top": 3}),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)


def test_queries_are_averaged():
    assert summary("dcg", [Case([4]), Case([1])]) == close((4 + 1) / 2)  # those with more to find weigh more
    assert summary("ndcg@10", [Case([2]), Case([], [1])]) == close(1 / 2)  # those that were not retrieved count
