"""Click models: how attractive each document is for its query, estimated from clicks. Pure functions of counts.

All of them correct for the fact that users look at the first ranks most. Overview: Chuklin, Markov & de Rijke 2015, Click
Models for Web Search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats
from assay.errors import DataError
from assay.logs.click_counts import ClickCounts
from assay.stats import normal_quantile

MAX_STEPS = 1000
PRECISION = 1e-6
"""The estimation ends if no probability changes by more than this."""
SMALLEST = 1e-9


class Estimates(NamedTuple):
    """The estimate of each pair with its interval, and what it is based on."""

    value: Floats
    low: Floats
    high: Floats
    shown: Floats
    """How often the document was shown; in SDBN and DBN, how often it was examined."""
    clicked: Floats
    expected: Floats
    """How many clicks a document of value 1 would get."""
    bias: dict[str, float]
    """Rank → how likely users look at it, if the model estimated it; in COEC, the click-through rate of the rank."""
    parts: Mapping[str, Floats] = {}
    """What the value is the product of, such as attractiveness and satisfaction; nan where clicks do not tell it."""
    persistence: float | None = None
    """DBN: how likely users who are not satisfied look at the next document."""

    def where(self, mask: Bools) -> Estimates:
        """The estimates of some pairs."""
        value, low, high = (column[mask] for column in (self.value, self.low, self.high))
        shown, clicked, expected = (column[mask] for column in (self.shown, self.clicked, self.expected))
        parts = {name: part[mask] for name, part in self.parts.items()}
        return Estimates(value, low, high, shown, clicked, expected, self.bias, parts, self.persistence)


def clicks_over_expected(counts: ClickCounts, rates: Floats, level: float) -> Estimates:
    """COEC: clicks divided by the clicks that an average document gets at the same ranks.

    Zhang & Jones 2007, Comparing Click Logs and Editorial Labels for Training Query Rewriting, WWW workshop. A value of 1 is
    average. It can be above 1. `rates` are the click-through rates of the ranks.
    """
    return _estimates(counts, rates, counts.positions, level, highest=np.inf)


def simplified_dbn(counts: ClickCounts, last: Floats, level: float) -> Estimates:
    """SDBN: of the times that a document was examined, how often it was clicked and ended the search.

    It is attractiveness (clicks ÷ examined) times satisfaction (lowest clicks ÷ clicks). Users are assumed to read from top
    to bottom and to stop at the lowest click. Chapelle & Zhang 2009, A Dynamic Bayesian Network Click Model for Web Search
    Ranking, WWW, section 5 (the closed form for γ = 1).
    """
    examined = counts.of_pairs(counts.shown)
    low, high = score_interval(last, examined, examined, level)
    clicked = counts.of_pairs(counts.clicked)
    satisfaction = np.divide(last, clicked, out=np.full(len(last), np.nan), where=clicked > 0)
    parts = {"attractiveness": _divided(clicked, examined), "satisfaction": satisfaction}
    return Estimates(_divided(last, examined), low, np.minimum(high, 1), examined, clicked, examined, {}, parts)


def position_based(counts: ClickCounts, level: float, propensities: Floats | None = None) -> Estimates:
    """PBM: the probability of a click if users look at the document. A click needs both: P(click) = θ(rank) · α(query, doc).

    Without `propensities` (one for each position), θ and α are estimated together by expectation maximisation; the
    first rank has θ = 1. Craswell et al. 2008, An Experimental Comparison of Click Position-Bias Models, WWW; Richardson,
    Dominowska & Ragno 2007, WWW; the EM steps are those of Chuklin et al. 2015, section 4.3.
    """
    is_known = propensities is not None
    theta = _first_guess(counts) if propensities is None else propensities
    if not is_known:
        check_ranks_vary(counts)
    shown = counts.of_pairs(counts.shown)
    alpha = np.clip(_divided(counts.of_pairs(counts.clicked), counts.of_pairs(counts.shown * theta[counts.place])), 0, 1)
    missed = counts.shown - counts.clicked
    for _ in range(MAX_STEPS):
        before = alpha, theta
        both = np.maximum(1 - alpha[counts.pair] * theta[counts.place], SMALLEST)
        attracted = counts.clicked + missed * alpha[counts.pair] * (1 - theta[counts.place]) / both
        looked = counts.clicked + missed * theta[counts.place] * (1 - alpha[counts.pair]) / both
        alpha = _divided(counts.of_pairs(attracted), shown)
        if not is_known:
            theta = _divided(counts.of_positions(looked), counts.of_positions(counts.shown))
            alpha, theta = np.minimum(alpha * theta[0], 1), np.minimum(theta / max(theta[0], SMALLEST), 1)
        if max(np.abs(alpha - before[0]).max(initial=0), np.abs(theta - before[1]).max(initial=0)) < PRECISION:
            break
    return _estimates(counts, theta, counts.positions, level, highest=1.0, value=alpha)


def _first_guess(counts: ClickCounts) -> Floats:
    """The click-through rate of each rank, as a share of that of the first rank."""
    rates = _divided(counts.of_positions(counts.clicked), counts.of_positions(counts.shown))
    return np.clip(rates / max(float(rates[0]) if len(rates) else 0.0, SMALLEST), 0.01, 1)


def check_ranks_vary(counts: ClickCounts) -> None:
    """Raise if documents keep their ranks, because then nobody can tell bias from attractiveness.

    Every rank must be linked to the first one by documents that were shown at both, or at ranks between them.
    """
    group = list(range(len(counts.positions)))

    def root(place: int) -> int:
        while group[place] != place:
            place = group[place]
        return place

    same = counts.pair[1:] == counts.pair[:-1]
    links = np.unique(np.column_stack([counts.place[:-1][same], counts.place[1:][same]]), axis=0)
    for first, second in links.tolist():
        group[root(first)] = root(second)
    apart = [counts.positions[place] for place in range(len(group)) if root(place) != root(0)]
    if apart:
        raise DataError(
            f"position bias cannot be estimated: no document was shown at rank {apart[0]:g} and at a better rank for the "
            "same query. Give the probabilities that users look at each rank with --propensities FILE, or use --model sdbn"
        )


def score_interval(clicked: Floats, expected: Floats, squares: Floats, level: float) -> tuple[Floats, Floats]:
    """The interval of a value v if clicks have the mean v · expected and the variance v · expected − v² · squares.

    These are the values that the score test does not reject, the roots of a quadratic equation. If every look is certain,
    expected = squares = n, and it is Wilson's interval (Wilson 1927, Probable Inference, JASA 22).
    """
    z2 = normal_quantile((1 + level) / 2) ** 2
    a = expected**2 + z2 * squares
    b = 2 * clicked * expected + z2 * expected
    root = np.sqrt(np.maximum(b**2 - 4 * a * clicked**2, 0))
    return _divided(b - root, 2 * a), _divided(b + root, 2 * a)


def _estimates(
    counts: ClickCounts, rates: Floats, positions: Floats, level: float, *, highest: float, value: Floats | None = None
) -> Estimates:
    """Estimates if a document of value 1 gets the click rate of each position."""
    rate = rates[counts.place]
    clicked, shown = counts.of_pairs(counts.clicked), counts.of_pairs(counts.shown)
    expected, squares = counts.of_pairs(counts.shown * rate), counts.of_pairs(counts.shown * rate**2)
    low, high = score_interval(clicked, expected, squares, level)
    best = _divided(clicked, expected) if value is None else value
    bias = {f"{position:g}": float(each) for position, each in zip(positions, rates, strict=True)}
    return Estimates(best, np.minimum(low, best), np.clip(high, best, highest), shown, clicked, expected, bias)


def _divided(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0)
