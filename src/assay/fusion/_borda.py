"""Borda's points: how many candidates each document stands above, in every run."""

from __future__ import annotations

import numpy as np

from assay.fusion._lists import Lists
from assay.model import Floats


def borda_points(lists: Lists, weight: Floats) -> Floats:
    """Points of all runs, each times the weight of its occurrences' run.

    Of c candidates (the documents of all runs) the first of a run gets c points, the next c − 1, and so on; those it lacks
    share what is left, (c − n + 1) ÷ 2 each where it has n. A run without the query gives no points.
    """
    stretch = lists.stretch
    candidates = lists.n_candidates[lists.stretch_query]
    left = (candidates - lists.length + 1) / 2
    points = candidates[stretch] - lists.rank + 1 - left[stretch]
    stretch_weight = weight[lists.start] if len(weight) else weight
    for_all = np.bincount(lists.stretch_query, left * stretch_weight, len(lists.docs))
    return for_all[lists.query] + lists.sums(points * weight)
