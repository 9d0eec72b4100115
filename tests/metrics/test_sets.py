"""set_precision, set_recall, set_f, set_map, set_relative_precision and utility, which are also compared with trec_eval."""

from ._cases import Case, assert_worked_out, close, each_metric, summary

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    ("set_precision", [1, 0, None, 1, -1], [1], 2 / 5),
    ("set_precision(rel=2)", [1, 2], [], 1 / 2),
    ("set_recall", [1, 0, None, 1], [1], 2 / 3),
    ("set_recall", [None] * 99 + [1], [], 1),
    ("set_recall(rel=2)", [1, 2], [2], 1 / 2),
    ("set_f", [1, 0], [1, 1, 1], 2 * 1 / 2 * 1 / 4 / (1 / 4 + 1 / 2)),  # precision 1/2, recall 1/4
    ("set_f(beta=2)", [1, 0], [1, 1, 1], 3 * 1 / 2 * 1 / 4 / (1 / 4 + 2 * 1 / 2)),  # β is not squared
    ("set_f(beta=4)", [1, 0], [1, 1, 1], 5 / 18),  # the F2 of the textbook
    ("set_f(rel=2)", [1, 2], [], 2 / 3),
    ("set_map", [1, 0, 1], [1, 1], 2 / 3 * 2 / 4),
    ("set_map(rel=2)", [1, 2], [], 1 / 2),
    ("set_relative_precision", [1, 0], [1, 1], 1 / 2),
    ("set_relative_precision", [1, 0, None], [1], 1 / 2),
    ("set_relative_precision", [1], [1, 1], 1),
    ("set_relative_precision(rel=2)", [1, 2], [2, 2], 1 / 2),
    # found 2, retrieved 3 others, missed 1, and 100 − 6 others were rightly left alone
    ("utility", [1, 0, None, 2, -1], [1, 0], 2 - 3),
    ("utility(weights=[3, -2, -1, 0.5], collection=100)", [1, 0, None, 2, -1], [1, 0], 3 * 2 - 2 * 3 - 1 + 0.5 * 94),
    ("utility", [0, None, -1], [], -3),
    ("utility.1,0,-1,0", [], [1, 1], -2),
    ("utility(rel=2)", [1, 2], [], 0),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


def test_utility_is_averaged():
    assert summary("utility", [Case([1, 1]), Case([0])]) == close((2 - 1) / 2)
