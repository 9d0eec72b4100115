"""rbp_residual: how much rbp could still rise if every unjudged document were relevant."""

import pytest

from ._cases import assert_agrees, close, score


def plain(ranked, missed, p=0.8):
    """All weight there is, less what lies on judged documents."""
    return 1 - (1 - p) * sum(p**above for above, grade in enumerate(ranked) if grade is not None and grade >= 0)


def test_by_hand():
    # ranks 1, 3 and 4 are judged; trec_eval 10 gives 0.7461 for this ranking
    assert score("rbp_residual(p=0.9)", [1, None, 3, 0]) == close(1 - 0.1 * (1 + 0.9**2 + 0.9**3))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("rbp_residual", [], [1], 1),
        ("rbp_residual", [None, None], [], 1),
        ("rbp_residual(p=0.5)", [1, 0], [], 0.25),  # what lies past the end nobody judged
        ("rbp_residual(p=0.5)", [-1, 0], [], 0.75),  # a negative grade is no judgment
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("rbp_residual(p=0.8)", plain)
    assert_agrees("rbp_residual(p=0.5)", plain, p=0.5)
