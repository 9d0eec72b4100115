"""compatibility: rank-biased overlap between the ranking and the ideal ranking nearest to it."""

import pytest

from ._cases import assert_agrees, close, relevant, score


def plain(ranked, missed, p=0.95, normalize=True):
    """Build the ideal ranking, then compare what the two have in common down to every depth."""
    system = [f"rank {rank}" for rank in range(len(ranked))]
    grades = dict(zip(system, ranked, strict=True)) | {f"missed {n}": grade for n, grade in enumerate(missed)}
    ideal = sorted(filter(lambda doc: relevant(grades[doc]), grades), key=lambda doc: -grades[doc])  # stable: keeps order

    def overlap(first, second):
        depth = max(len(system), len(ideal))
        agreement = [len({*first[:i]} & {*second[:i]}) / i for i in range(1, depth + 1)]
        weights = [p**i for i in range(depth)]
        return sum(map(float.__mul__, weights, agreement)) / sum(weights) if depth else 0.0

    if not ideal:
        return 0.0
    return overlap(system, ideal) / (overlap(ideal, ideal) if normalize else 1)


def test_by_hand():
    # the ideal is (b, a): at depth 1 nothing is shared, at depth 2 both are, at depth 3 two of three
    overlap = 0 + 0.5 * 2 / 2 + 0.25 * 2 / 3
    assert score("compatibility(p=0.5)", [1, 2, 0]) == close(overlap / (1 + 0.5 + 0.25 * 2 / 3))
    assert score("compatibility(p=0.5, normalize=false)", [1, 2, 0]) == close(overlap / (1 + 0.5 + 0.25))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("compatibility", [], [1], 0),
        ("compatibility", [0, None, -1], [], 0),
        ("compatibility", [], [], 0),
        ("compatibility", [3, 3, 1], [], 1),
        ("compatibility", [1, 1, 1], [], 1),  # equal grades stand in the order of the run
        ("compatibility(p=0.5)", [1], [1], (1 + 0.5 / 2) / (1 + 0.5)),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_one_more_useless_document_may_raise_it():
    """The overlap is only looked at as deep as the ranking goes, and deep down this ranking holds all there is."""
    assert score("compatibility(p=0.5)", [0, 1]) == close(0.25 / (1 + 0.25))
    assert score("compatibility(p=0.5)", [0, 1, 0]) == close((0.25 + 0.25 / 3) / (1 + 0.25 + 0.25 / 3))


def test_agrees_with_a_plain_loop():
    assert_agrees("compatibility", plain)
    assert_agrees("compatibility(p=0.6)", plain, p=0.6)
    assert_agrees("compatibility(p=0.8, normalize=false)", plain, p=0.8, normalize=False)
