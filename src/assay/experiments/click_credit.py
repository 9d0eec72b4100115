"""Credit: which of two interleaved rankings the clicks of one search speak for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from assay.experiments.interleaving import BALANCED, NOBODY, PROBABILISTIC, STEEPNESS, A, B, Interleaving


class Credit(NamedTuple):
    """The chances that the first ranking wins a search, that the second one wins, and that it is a tie. Their sum is 1.

    They are 0 and 1, except for the probabilistic method, which averages over all teams that could have made the list.
    """

    a: float
    b: float
    tie: float


NOBODY_WINS = Credit(0.0, 0.0, 1.0)


def click_outcome(interleaving: Interleaving, clicked: Collection[str]) -> Credit:
    """The credit for the clicked documents. Clicks on other documents do not count; without clicks it is a tie."""
    places = [place for place, doc in enumerate(interleaving.ranking) if doc in clicked]
    if not places:
        return NOBODY_WINS
    if interleaving.method == BALANCED:
        return _of_balanced(interleaving, places)
    if interleaving.method == PROBABILISTIC:
        return _of_probabilistic(interleaving, places)
    teams = [interleaving.teams[place] for place in places]
    return winner(teams.count(A), teams.count(B))


def winner(clicks_a: int, clicks_b: int) -> Credit:
    """The side with more clicks wins."""
    if clicks_a == clicks_b:
        return NOBODY_WINS
    return Credit(1.0, 0.0, 0.0) if clicks_a > clicks_b else Credit(0.0, 1.0, 0.0)


def _of_balanced(interleaving: Interleaving, places: Sequence[int]) -> Credit:
    """Clicks are counted among the first k documents of both rankings; with k, one of them just has the lowest click."""
    ranks = [(interleaving.ranks_a[place], interleaving.ranks_b[place]) for place in places]
    k = min(rank for rank in ranks[-1] if rank is not None)
    of_a, of_b = (sum(rank[side] is not None and rank[side] <= k for rank in ranks) for side in (0, 1))  # type: ignore[operator]
    return winner(of_a, of_b)


def _of_probabilistic(interleaving: Interleaving, places: Sequence[int]) -> Credit:
    """The mean of the outcome over all teams, each as probable as it is given the list (Hofmann et al. 2011, eq. 5).

    Given the list, the teams of its documents are independent, so the number of clicks of the first ranking is a sum of
    independent coins.
    """
    chances = _chances_of_a(interleaving)
    counted = [place for place in places if interleaving.teams[place] != NOBODY]
    distribution = [1.0]
    for place in counted:
        p = chances[place]
        stays = [chance * (1 - p) for chance in distribution] + [0.0]
        grows = [0.0] + [chance * p for chance in distribution]
        distribution = [first + second for first, second in zip(stays, grows, strict=True)]
    of_a = sum(chance for n, chance in enumerate(distribution) if 2 * n > len(counted))
    of_b = sum(chance for n, chance in enumerate(distribution) if 2 * n < len(counted))
    return Credit(of_a, of_b, max(1.0 - of_a - of_b, 0.0))


def _chances_of_a(interleaving: Interleaving) -> list[float]:
    """For each shown document: the probability that it was drawn from the first ranking."""
    left = [sum(rank**-STEEPNESS for rank in range(1, size + 1)) for size in interleaving.sizes]
    chances = []
    for ranks in zip(interleaving.ranks_a, interleaving.ranks_b, strict=True):
        weights = [0.0 if rank is None else rank**-STEEPNESS for rank in ranks]
        of_a, of_b = (weight / rest if weight else 0.0 for weight, rest in zip(weights, left, strict=True))
        chances.append(of_a / (of_a + of_b) if of_a + of_b else 0.5)
        left = [rest - weight for weight, rest in zip(weights, left, strict=True)]
    return chances
