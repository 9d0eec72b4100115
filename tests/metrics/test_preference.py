"""accuracy, bpref and gm_bpref, which are also compared with trec_eval and ir_measures."""

from math import sqrt

from ._cases import Case, assert_worked_out, close, each_metric, summary

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    # relevant at ranks 1 and 3, others at 2 and 4: four pairs, of which only (3, 2) is the wrong way round
    ("accuracy", [1, 0, 1, None], [], 3 / 4),
    ("accuracy", [0, None, -1], [1], 0),
    ("accuracy", [1, 2], [], 1),  # no pair can be the wrong way round
    ("accuracy", [1, 0], [1, 1, 0], 1),  # what was not retrieved does not matter
    ("accuracy@2", [0, 1, 0, 0], [], 0),
    ("accuracy@9", [0, 1, 0, 0], [], 2 / 3),
    ("accuracy(rel=2)", [1, 2, 0], [], 1 / 2),
    ("accuracy@3", [1, 0, 0, 1], [], 1),
    ("accuracy@3", [1, 0, 1, 0], [], 1 / 2),  # a relevant document may lower it by entering the first k
    # R = 3 and N = 2; above the relevant documents stand 0, 1 and 2 judged others
    ("bpref", [1, 0, None, 1, 0, 1], [], (1 + (1 - 1 / 2) + (1 - 2 / 2)) / 3),
    ("bpref", [None, 1], [1], 1 / 2),  # nothing was judged non-relevant: what is found counts fully
    ("bpref", [-1, -2, 1], [], 1),  # a negative grade is no judgment
    ("bpref", [0, 0, 0, 1], [0], 0),  # only the first R others count, and R is 1
    ("bpref(rel=2)", [1, 2], [], 0),
    ("bpref(rel=0)", [0, 1], [], 1),
    ("gm_bpref", [1, 0], [1], 1 / 2),  # of one query it is bpref
    ("gm_bpref", [0], [], 0),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


def test_the_geometric_mean():
    assert summary("gm_bpref", [Case([1, 0], [1]), Case([1, 0], [1] * 7)]) == close(sqrt(1 / 2 * 1 / 8))
    assert summary("gm_bpref", [Case([1]), Case([], [1])]) == close(sqrt(1 * 0.00001))
