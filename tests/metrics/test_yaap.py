"""yaap: average precision on a log-odds scale."""

from math import log

import pytest

from ._cases import assert_agrees, close, n_relevant, score
from .test_average_precision import plain as plain_map


def plain(ranked, missed, rel=None):
    """The odds of the summed precisions against what is lacking to R, each smoothed by 1."""
    total = n_relevant(ranked, missed, rel)
    found = plain_map(ranked, missed, rel=rel) * total
    return log((1 + found) / (1 + total - found)) if ranked else 0.0


def test_by_hand():
    # precisions 1 and 2/3 of three relevant documents
    found = 1 + 2 / 3
    assert score("yaap", [1, None, 1], [1]) == close(log((1 + found) / (1 + 3 - found)))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("yaap", [], [1], 0),  # no document at all, as in trec_eval 9 with -c
        ("yaap", [0], [1], log(1 / 2)),
        ("yaap", [0, None, -1], [], 0),
        ("yaap", [1], [], log(2)),
        ("yaap(rel=2)", [1, 2], [], log((1 + 1 / 2) / (2 - 1 / 2))),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("yaap", plain)
    assert_agrees("yaap(rel=2)", plain, rel=2)
