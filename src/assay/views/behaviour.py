"""Behaviour: the `behaviour` view of a search log, with counts for each user (or session), as flat arrays.

A log of ten million rows is summed up in the database, so this view is small. Each metric is a quotient of two of its
counts, or a quantile of times that are counted in bins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.model import SECOND_EDGES, Composed

N_BINS = len(SECOND_EDGES) - 1


class Count(NamedTuple):
    """What is counted for each user: for example `clicks` on the first k results.

    The names, with what a search adds:

    - `searches`: 1; `with_results`: 1 if any result was shown; `without_results`: 1 if none was
    - `shown`: its results at ranks up to k; `clicked`: those that were clicked
    - `clicked_ranks`: the sum of the ranks of clicked results
    - `abandoned`: 1 if there were results, and none was clicked
    - `reciprocal_first`: 1 divided by the rank of the first click, if there is one
    - `satisfied`: 1 if a result at rank up to k was clicked and read for at least `seconds`; unknown in a log without dwell
    - `passed`: the rank of the lowest click; `skipped`: how many results up to this rank were not clicked
    - `reformulated`: 1 if another query of the same session follows within `seconds`; unknown without times
    - `timed`: 1 if its time is known
    - `dwell`: the seconds on each clicked result; `first_click_after`: the seconds until the first click. Both are counted
      in the bins of `SECOND_EDGES`
    """

    name: str
    k: int | None = None
    seconds: float | None = None


COUNTED_TIMES = ("dwell", "first_click_after")
"""Counts that are clusters × bins."""


@dataclass(frozen=True)
class Behaviour:
    """Counts for each cluster of searches: a user, or a session if users are unknown.

    A very large log has groups of users instead. The clusters have numbers, and no ids of users.
    """

    query_ids: tuple[str, ...]
    """The numbers of the clusters, as text."""
    counts: Mapping[Count, Floats]
    """nan if the log does not have what is counted."""

    def count(self, name: str, k: int | None = None, seconds: float | None = None) -> Floats:
        """A count of each cluster."""
        return self.counts[Count(name, k, seconds)]

    def ratio(self, top: Floats, bottom: Floats) -> Composed:
        """One count divided by another, with both as parts. A cluster without the second count does not count."""
        is_known = (bottom > 0) & ~np.isnan(top)
        score = np.divide(top, bottom, out=np.full(len(top), np.nan), where=is_known)
        return Composed(score, np.where(is_known[:, np.newaxis], np.column_stack([top, bottom]), np.nan))

    def times(self, name: str) -> Composed:
        """Counted times. A cluster without any does not count; single clusters have no score."""
        bins = self.count(name)
        is_known = bins.sum(axis=1) > 0
        return Composed(np.full(len(bins), np.nan), np.where(is_known[:, np.newaxis], bins, np.nan))


class _Asked(dict[Count, Any]):
    """Remembers which counts a metric asks for, and has no clusters."""

    def __missing__(self, count: Count) -> Floats:
        self[count] = np.zeros((0, N_BINS) if count.name in COUNTED_TIMES else 0)
        return np.asarray(self[count])


def needed_counts(scores: Iterable[Callable[[Behaviour], object]]) -> tuple[Count, ...]:
    """The counts that metrics read, so that the database counts nothing else."""
    asked = _Asked()
    for score in scores:
        score(Behaviour((), asked))
    return tuple(asked)
