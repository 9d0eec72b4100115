"""Risk and coverage: how wrong answers are on average, if only the surest ones were given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.model.ordering import Floats, Ints
from assay.model.scores import Aggregation


class Point(NamedTuple):
    """One place on the curve: answers of this confidence and above, the share of queries that is, and their mean loss."""

    coverage: float
    risk: float
    confidence: float | None
    """None for queries that the system left open, which come last."""


def curve(loss: Floats, parts: Floats) -> list[Point]:
    """The curve, the surest answers first; answers of equal confidence are taken together.

    `parts` are, for each query, whether it was left open, and the confidence.
    """
    order, last = _ordered(parts)
    if not len(order):
        return []
    risk = np.cumsum(loss[order]) / np.arange(1, len(order) + 1)
    is_open, confidence = parts[order].T
    return [
        Point((place + 1) / len(order), float(risk[place]), None if is_open[place] else float(confidence[place]))
        for place in last.tolist()
    ]


def area(loss: Floats, parts: Floats) -> float:
    """The mean risk over all coverages 1/n, 2/n … 1; equals in confidence count as if in every order.

    Where only losses are known, all are equals, and it is their mean.
    """
    if parts.ndim == 1:
        return float(np.mean(loss))
    order, last = _ordered(parts)
    sizes = np.diff(last, prepend=-1)
    means = np.add.reduceat(loss[order], last - sizes + 1) / sizes
    evened = np.repeat(means, sizes)
    return float(np.mean(np.cumsum(evened) / np.arange(1, len(order) + 1)))


def _ordered(parts: Floats) -> tuple[Ints, Ints]:
    """Places of the queries, the surest first; and where each confidence ends."""
    unsure = np.where(parts[:, 0] > 0, np.inf, -parts[:, 1])
    order = np.argsort(unsure)
    ranked = unsure[order]
    return order, np.flatnonzero(np.append(ranked[1:] != ranked[:-1], np.ones(min(len(order), 1), dtype=bool)))


AREA = Aggregation("area under the curve", area, n_parts=2)
