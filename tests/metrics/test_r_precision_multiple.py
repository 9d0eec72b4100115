"""rprec_mult: precision at a multiple of R, the number of relevant documents of the query."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, multiple, rel=None):
    """Look at as many ranks as the multiple says, nearly always rounded up."""
    cutoff = int(multiple * n_relevant(ranked, missed, rel) + 0.9)
    return sum(relevant(grade, rel) for grade in ranked[:cutoff]) / cutoff if cutoff else 0.0


def test_by_hand():
    # R = 3, so 0.4 means ⌊1.2 + 0.9⌋ = 2 ranks and 2 means 6
    assert score("rprec_mult@0.4", [1, 0, 0, 1], [1]) == close(1 / 2)
    assert score("rprec_mult@2", [1, 0, 0, 1], [1]) == close(2 / 6)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("rprec_mult@0.2", [], [1], 0),
        ("rprec_mult@0.2", [0, None, -1], [], 0),
        ("rprec_mult@0.05", [1], [], 0),  # ⌊0.05 + 0.9⌋ = 0 ranks
        ("rprec_mult@1", [1, None, 0, 2, 1], [1], 2 / 4),  # rprec itself
        ("rprec_mult(rel=2)@1", [1, 2], [], 0),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("rprec_mult@0.2", plain, multiple=0.2)
    assert_agrees("rprec_mult(rel=2)@1.7", plain, multiple=1.7, rel=2)
