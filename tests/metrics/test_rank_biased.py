"""rbp, rbp_residual and compatibility, which are also compared with ir_measures."""

from ._cases import TOP, assert_agrees, assert_worked_out, each_metric

OVERLAP = 0 + 0.5 * 2 / 2 + 0.25 * 2 / 3
WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    ("rbp(p=0.5)", [1, None, 3, 0], [1], 0.5 * (1 + 0.5**2)),
    # grades may count: trec_eval 10 has this as rbp.p=0.9 for the query's own scale; ranx would multiply by 3
    ("rbp(p=0.9, gain=query)", [1, None, 3, 0], [2, 1, 0], 0.1 * (1 / 3 + 0.9**2 * 3 / 3)),
    ("rbp(p=0.9, gain=scale)", [1, None, 3, 0], [2, 1, 0], 0.1 * (1 / 4 + 0.9**2 * 3 / 4), {"max_grade": 4}),
    ("rbp(gain=scale)", [0, -1], [], 0),
    ("rbp(gain=query)", [0, -1], [], 0),
    ("rbp", [1], [], 0.2),  # p is 0.8, as in ir_measures
    ("rbp(p=0.5)@2", [0, 1, 1], [], 0.25),
    ("rbp(p=0.5, rel=2)", [1, 2], [], 0.25),
    ("rbp.95", [1], [], 0.05),
    # ranks 1, 3 and 4 are judged; trec_eval 10 gives 0.7461 for this ranking
    ("rbp_residual(p=0.9)", [1, None, 3, 0], [], 1 - 0.1 * (1 + 0.9**2 + 0.9**3)),
    ("rbp_residual", [], [1], 1),
    ("rbp_residual", [None, None], [], 1),
    ("rbp_residual(p=0.5)", [1, 0], [], 0.25),  # what lies past the end nobody judged
    ("rbp_residual(p=0.5)", [-1, 0], [], 0.75),  # a negative grade is no judgment
    # the ideal is (b, a): at depth 1 nothing is shared, at depth 2 both are, at depth 3 two of three
    ("compatibility(p=0.5)", [1, 2, 0], [], OVERLAP / (1 + 0.5 + 0.25 * 2 / 3)),
    ("compatibility(p=0.5, normalize=false)", [1, 2, 0], [], OVERLAP / (1 + 0.5 + 0.25)),
    ("compatibility", [], [], 0),
    ("compatibility", [1, 1, 1], [], 1),  # equal grades stand in the order of the run
    ("compatibility(p=0.5)", [1], [1], (1 + 0.5 / 2) / (1 + 0.5)),
    # one more useless document may raise it: overlap is looked at as deep as the ranking goes, and there it has all
    ("compatibility(p=0.5)", [0, 1], [], 0.25 / (1 + 0.25)),
    ("compatibility(p=0.5)", [0, 1, 0], [], (0.25 + 0.25 / 3) / (1 + 0.25 + 0.25 / 3)),
]


def graded_rbp(ranked, missed, p=0.8, top=None):
    """Each grade counts as a share of the largest: of the scale, or of the query."""
    top = top or max((grade for grade in [*ranked, *missed] if grade is not None), default=0)
    return (1 - p) * sum(p**above * max(grade or 0, 0) / top for above, grade in enumerate(ranked)) if top > 0 else 0.0


def rbp_residual(ranked, missed, p=0.8):
    """All weight there is, less what lies on judged documents."""
    return 1 - (1 - p) * sum(p**above for above, grade in enumerate(ranked) if grade is not None and grade >= 0)


REFERENCES = [
    ("rbp(p=0.8, gain=query)", graded_rbp, {}),
    ("rbp(p=0.9, gain=scale)", graded_rbp, {"p": 0.9, "top": TOP}),
    ("rbp_residual(p=0.8)", rbp_residual, {}),
    ("rbp_residual(p=0.5)", rbp_residual, {"p": 0.5}),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)
