"""Other orders of tied documents: the best, the worst, and random ones."""

from __future__ import annotations

import numpy as np

from assay.model.graded import GradedRun, tie_groups
from assay.model.ordering import Ints


def best_order(run: GradedRun) -> GradedRun:
    """Among equals, judged documents come first, best grade first."""
    if run.ties is None:
        return run
    return run.reordered(run.ties.better + _places_by_grade(run, best_first=True))


def worst_order(run: GradedRun) -> GradedRun:
    """Among equals, judged documents come last, best grade last of all."""
    if run.ties is None:
        return run
    _, group = tie_groups(run.retrieved.query, run.ties.better)
    n_unjudged = run.ties.equal - np.bincount(group)[group]
    return run.reordered(run.ties.better + n_unjudged + _places_by_grade(run, best_first=False))


def random_order(run: GradedRun, rng: np.random.Generator) -> GradedRun:
    """Equals in an order drawn at random; every order is as likely as any other."""
    if run.ties is None:
        return run
    start, group = tie_groups(run.retrieved.query, run.ties.better)
    size = run.ties.equal[start]
    # every document of every group gets a random number; the judged ones are the first of their group
    first = np.cumsum(size) - size
    owner = np.repeat(np.arange(len(start)), size)
    order = np.lexsort((rng.random(len(owner)), owner))
    place = np.empty(len(owner), dtype=np.int64)
    place[order] = np.arange(len(owner)) - first[owner] + 1
    nth = np.arange(len(group)) - start[group]
    return run.reordered(run.ties.better + place[first[group] + nth])


def _places_by_grade(run: GradedRun, *, best_first: bool) -> Ints:
    """1, 2, … within each group of equals, by grade."""
    hits = run.retrieved
    start, group = tie_groups(hits.query, run.ties.better)  # type: ignore[union-attr]
    order = np.lexsort((-hits.grade if best_first else hits.grade, group))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - start[group[order]] + 1
    return place
