"""Bounds of nDCG over the grades of unjudged documents, exact for any grades from 0 to the top of the scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.metrics._gains import discounts, gain_function
from assay.model import Floats, OpenQuery, ratio

MOST_STEPS = 50


def ndcg_bounds(query: OpenQuery, grade: float, params: Mapping[str, Any]) -> tuple[float, float]:
    """Lowest and highest nDCG.

    In the gain of one document the DCG is linear and the ideal DCG convex, so their quotient is lowest at 0 or at the top.
    """
    worth = gain_function(params["gain"], params["rel"])
    actual = np.where(np.isnan(query.grade), 0.0, worth(np.nan_to_num(query.grade, nan=-1.0)))
    wanted = -np.sort(-worth(query.ideal))
    wanted = wanted[wanted > 0]
    possible = np.array([grade, *_mapped_grades(params["gain"])])
    top = max(worth(possible).max(), wanted.max(initial=0.0))
    k, discount = params["k"], params["discount"]
    weight = _weights(len(actual), k, discount)
    ideal_weight = _weights(len(wanted) + len(query.open), None if params["ideal"] == "uncut" else k, discount)
    found, room = float(actual @ weight), weight[query.open]
    lowest = _lowest(found, room, wanted, ideal_weight, top)
    return lowest, _highest(found, room, wanted, ideal_weight, top)


def _mapped_grades(gain: Any) -> list[float]:
    """The grades that a map gives a gain of their own."""
    return [level for level, _ in gain] if isinstance(gain, tuple) else []


def _weights(n: int, k: int | None, discount: str) -> Floats:
    ranks = np.arange(1, n + 1)
    return np.where(ranks <= (k or n), discounts(ranks, discount), 0.0)


def _lowest(found: float, room: Floats, wanted: Floats, ideal_weight: Floats, top: float) -> float:
    """The last m unjudged documents have the top grade, for every m."""
    gained = top * np.concatenate(([0.0], np.cumsum(room[::-1])))
    ideal = top * np.concatenate(([0.0], np.cumsum(ideal_weight)))[: len(gained)]
    if len(wanted):
        ideal = ideal + np.correlate(ideal_weight, wanted, "valid")
    return float(ratio(found + gained, ideal).min())


def _highest(found: float, room: Floats, wanted: Floats, ideal_weight: Floats, top: float) -> float:
    """For each level of gain the number of documents that reach it is chosen by itself; what is best at a given quotient
    leads to a better one until none is left (Dinkelbach 1967, On Nonlinear Fractional Programming, Management Science 13).
    """
    levels = np.unique(np.append(wanted, top))
    width = np.diff(levels, prepend=0.0)
    gained = np.concatenate(([0.0], np.cumsum(room)))
    cost = np.concatenate(([0.0], np.cumsum(ideal_weight)))
    n_wanted = (wanted >= levels[:, None]).sum(axis=1)
    costs = cost[n_wanted[:, None] + np.arange(len(gained))]
    best = 0.0
    for _ in range(MOST_STEPS):
        chosen = (gained - best * costs).argmax(axis=1)
        ideal = float(width @ costs[np.arange(len(levels)), chosen])
        better = (found + float(width @ gained[chosen])) / ideal if ideal > 0 else 0.0
        if better <= best:
            break
        best = better
    return best
