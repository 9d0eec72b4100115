"""set_precision, set_recall, set_f, set_map, set_relative_precision and utility."""

from ._cases import Case, assert_agrees, assert_worked_out, close, each_metric, n_relevant, relevant, summary

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


def set_precision(ranked, missed, rel=None):
    return sum(relevant(grade, rel) for grade in ranked) / len(ranked) if ranked else 0.0


def set_recall(ranked, missed, rel=None):
    return sum(relevant(grade, rel) for grade in ranked) / (n_relevant(ranked, missed, rel) or 1)


def set_f(ranked, missed, rel=None, beta=1):
    p, r = set_precision(ranked, missed, rel), set_recall(ranked, missed, rel)
    return (beta + 1) * p * r / (r + beta * p) if p else 0.0


def set_map(ranked, missed, rel=None):
    return set_precision(ranked, missed, rel) * set_recall(ranked, missed, rel)


def set_relative_precision(ranked, missed, rel=None):
    most = min(len(ranked), n_relevant(ranked, missed, rel))
    return sum(relevant(grade, rel) for grade in ranked) / most if most else 0.0


def utility(ranked, missed, weights=(1, -1, 0, 0), collection=0, rel=None):
    """Fill the four cells and weigh them."""
    found = sum(relevant(grade, rel) for grade in ranked)
    other = len(ranked) - found
    lost = n_relevant(ranked, missed, rel) - found
    cells = (found, other, lost, collection - found - other - lost)
    return sum(weight * cell for weight, cell in zip(weights, cells, strict=True))


WEIGHTS = {"weights": (2, -0.5, -1, 0.25), "collection": 500, "rel": 2}
REFERENCES = [
    ("set_precision", set_precision, {}),
    ("set_precision(rel=2)", set_precision, {"rel": 2}),
    ("set_recall", set_recall, {}),
    ("set_recall(rel=2)", set_recall, {"rel": 2}),
    ("set_f", set_f, {}),
    ("set_f(beta=0.5, rel=2)", set_f, {"rel": 2, "beta": 0.5}),
    ("set_map", set_map, {}),
    ("set_map(rel=2)", set_map, {"rel": 2}),
    ("set_relative_precision", set_relative_precision, {}),
    ("set_relative_precision(rel=2)", set_relative_precision, {"rel": 2}),
    ("utility", utility, {}),
    ("utility(weights=[2, -0.5, -1, 0.25], collection=500, rel=2)", utility, WEIGHTS),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)


def test_utility_is_averaged():
    assert summary("utility", [Case([1, 1]), Case([0])]) == close((2 - 1) / 2)
