"""Risk and coverage: how wrong answers are on average, if only the surest ones were given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.model import Aggregation, Floats, Ints


class Point(NamedTuple):
    """One place on the curve: answers of this confidence and above, the share of queries that is, and their mean loss."""

    coverage: float
    risk: float
    confidence: float | None
    """None for answers without one, which come after all others; and for queries that were left open, which come last."""
    is_open: bool = False


SURE, UNSURE, OPEN = 0.0, 0.5, 1.0
"""Stages of the curve: answers with a confidence, answers without one, and queries that were left open."""


def curve(loss: Floats, parts: Floats) -> list[Point]:
    """The curve, the surest answers first; answers of equal confidence are taken together.

    `parts` are, for each query, its stage, and the confidence.
    """
    order, last = _ordered(parts)
    if not len(order):
        return []
    risk = np.cumsum(loss[order]) / np.arange(1, len(order) + 1)
    stage, confidence = parts[order].T
    sure = [float(one) if at == SURE else None for at, one in zip(stage.tolist(), confidence.tolist(), strict=True)]
    return [
        Point((place + 1) / len(order), float(risk[place]), sure[place], bool(stage[place] == OPEN))
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
    stage, unsure = parts[:, 0], np.where(parts[:, 0] == SURE, -parts[:, 1], 0.0)
    order = np.lexsort((unsure, stage))
    ranked = np.column_stack([stage, unsure])[order]
    is_last = (ranked[1:] != ranked[:-1]).any(axis=1)
    return order, np.flatnonzero(np.append(is_last, np.ones(min(len(order), 1), dtype=bool)))


AREA = Aggregation("area under the curve", area, n_parts=2)
