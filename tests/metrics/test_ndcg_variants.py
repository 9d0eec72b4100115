"""q_measure, bing, ndcg_rel, g and rndcg."""

from math import log2

from ._cases import assert_agrees, assert_worked_out, each_metric, n_relevant, worth
from .test_average_precision import average_precision
from .test_dcg import ndcg

LOG3 = log2(3)
NDCG_REL_AT_3 = (1 + 2 / log2(4)) / (2 + 1 / LOG3 + 1 / log2(4))
# the ideal is 2 2 1, the ranking 1 2 …
RNDCG_AT_2 = (1 + 2 / LOG3) / (2 + 2 / LOG3)
RNDCG_AT_3 = (1 + 2 / LOG3) / (2 + 2 / LOG3 + 1 / log2(4))
RNDCG_AT_5 = (1 + 2 / LOG3 + 2 / log2(6)) / (2 + 2 / LOG3 + 1 / log2(4))

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    # the ideal has gained 3, 5, 6, 6 after the first four ranks
    ("q_measure", [2, None, 0, 3], [1], ((1 + 2) / (1 + 3) + (2 + 5) / (4 + 6)) / 3),
    ("q_measure@1", [1, 1], [], 1 / 2),  # ÷ R, although only one fits
    ("q_measure(beta=0)", [0, 3], [], 1 / 2),
    ("q_measure(gain=exp)", [0, 2], [], (1 + 3) / (2 + 3)),
    ("q_measure(gain={1: 0})", [1, 2], [], (1 + 2) / (2 + 2)),  # what gains nothing is not relevant
    ("q_measure(judged_only=true)", [None, 1], [], 1),
    # above the three relevant documents stand 0, 1 and 3 others; one relevant document is missing
    ("bing", [1, 0, 1, 0, None, 1], [1], (1 / log2(2) + 1 / LOG3 + 1 / log2(5)) / 4),
    ("bing", [-1, 1], [], 1 / LOG3),
    ("bing(rel=2)", [1, 2], [], 1 / LOG3),
    # the ideal gains 2, then 1, then 1; the run gains 1 at rank 1 and 2 at rank 3, and misses one document
    ("ndcg_rel", [1, None, 2], [1], (1 / 2 + NDCG_REL_AT_3 + NDCG_REL_AT_3) / 3),
    ("ndcg_rel(gain=exp)", [0, 2], [], 1 / LOG3),
    ("ndcg_rel(gain={0: 1})", [0], [], 1),
    # due: 3, 3 + 1, 3 + 1 + 1; got: 1, 1, 4. So the ranking is 2 behind at its first document, 1 at its second
    ("g", [1, None, 3], [], (1 / log2(2 + 3 - 1) + 3 / log2(2 + 5 - 4)) / 4),
    ("g", [0.5], [], 1 / log2(2.5)),  # the first rank should have gained 1
    ("g(gain=exp)", [0, 2], [], 1 / log2(2 + 4 - 3)),
    ("g(gain={1: 0})", [1, 2], [], 1 / log2(2 + 3 - 2)),
    # the ideal drops after rank 2 and after rank 3; the ranking of five goes on after that
    ("rndcg", [1, 2, None, 0, 2], [], (RNDCG_AT_2 + RNDCG_AT_3 + RNDCG_AT_5) / 3),
    ("rndcg", [1, 2, None, 0], [2], (RNDCG_AT_2 + RNDCG_AT_3) / 2),  # a ranking that hardly goes on does not count as such
    ("rndcg", [1], [1], 1 / (1 + 1 / LOG3)),
    ("rndcg(gain=binary)", [1, 2], [], 1),
    ("rndcg(rel=2)", [1], [], 0),  # nothing is relevant at that level
]


def positive_gains(ranked, missed, gain):
    """All gains above 0, best first."""
    return sorted((value for grade in [*ranked, *missed] if (value := worth(grade, gain)) > 0), reverse=True)


def q_measure(ranked, missed, k=None, gain="linear", beta=1):
    """At each gaining document: (how many so far + β · gain so far) ÷ (rank + β · gain of the ideal so far)."""
    ideal = positive_gains(ranked, missed, gain)
    found, gained, total = 0, 0.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        if (value := worth(grade, gain)) > 0:
            found, gained = found + 1, gained + value
            total += (found + beta * gained) / (rank + beta * sum(ideal[:rank]))
    return total / len(ideal) if ideal else 0.0


def ndcg_rel(ranked, missed, gain="linear"):
    """The ndcg down to each document that gains; the whole ranking's for each that was not retrieved."""
    at = [ndcg(ranked, missed, k=rank, gain=gain) for rank, grade in enumerate(ranked, 1) if worth(grade, gain) > 0]
    at += [ndcg(ranked, missed, gain=gain) for grade in missed if worth(grade, gain) > 0]
    return sum(at) / len(at) if at else 0.0


def normalized_gain(ranked, missed, gain="linear"):
    """Keep two accounts on the way down: what the ranks should have gained (1 at least), and what they did gain."""
    ideal = positive_gains(ranked, missed, gain)
    due, got, total = 0.0, 0.0, 0.0
    for place, grade in enumerate(ranked):
        due += max(ideal[place], 1) if place < len(ideal) else 1
        got += worth(grade, gain)
        total += worth(grade, gain) / log2(2 + due - got)
    return total / sum(ideal) if ideal else 0.0


def rndcg(ranked, missed, gain="linear", rel=None):
    """The mean of ndcg down to the last document of each gain, and to the end of a ranking that goes on after that."""
    values = positive_gains(ranked, missed, gain)
    points = [sum(other >= value for other in values) for value in set(values)]
    if len(ranked) > len(values) + 1:
        points.append(None)
    if not points or not n_relevant(ranked, missed, rel):
        return 0.0
    return sum(ndcg(ranked, missed, k=point, gain=gain) for point in points) / len(points)


OTHER_GAIN = {"gain": {1: 9, 2: 0}}
REFERENCES = [
    ("q_measure", q_measure, {}),
    ("q_measure(beta=10)@5", q_measure, {"k": 5, "beta": 10}),
    ("q_measure(gain={1: 9, 2: 0})@8", q_measure, {"k": 8, **OTHER_GAIN}),
    ("q_measure(beta=0)", average_precision, {}),  # what is left without gain
    ("ndcg_rel", ndcg_rel, {}),
    ("ndcg_rel(gain=exp)", ndcg_rel, {"gain": "exp"}),
    ("ndcg_rel(gain={1: 9, 2: 0})", ndcg_rel, OTHER_GAIN),
    ("g", normalized_gain, {}),
    ("g(gain=exp)", normalized_gain, {"gain": "exp"}),
    ("g(gain={1: 9, 2: 0})", normalized_gain, OTHER_GAIN),
    ("rndcg", rndcg, {}),
    ("rndcg(gain=exp)", rndcg, {"gain": "exp"}),
    ("rndcg(gain={1: 9, 2: 0}, rel=2)", rndcg, {**OTHER_GAIN, "rel": 2}),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)
