"""Ages: the `ages` view, with the age of every retrieved document, judged or not, when its query was asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.arrays import Bools, Floats, Ints, ratio
from assay.views.graded import GradedRun


@dataclass(frozen=True)
class Ages:
    """The ages of retrieved documents in days, query by query in rank order; nan if unknown.

    A document that is younger than its query has a negative age.
    """

    run: GradedRun
    """The same run with the grades of judged documents; its hits have ages too."""
    query: Ints
    """The number of the query of each document."""
    rank: Ints
    age: Floats
    is_timed: Bools
    """Which queries have a time."""

    @classmethod
    def of_judged(cls, run: GradedRun, is_timed: Bools) -> Ages:
        """The ages of judged documents only."""
        none = np.zeros(0, dtype=np.int64)
        return cls(run, none, none, np.zeros(0), is_timed)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in the order of every score."""
        return self.run.query_ids

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.run.query_ids)

    def known(self, k: int | None) -> tuple[Ints, Floats]:
        """Query and age of each document within the first k whose age is known."""
        keep = self.is_known if k is None else self.is_known & (self.rank <= k)
        return self.query[keep], self.age[keep]

    @cached_property
    def is_known(self) -> Bools:
        """Which ages are known."""
        return ~np.isnan(self.age)

    def mean(self, values: Floats, query: Ints) -> Floats:
        """The mean of values per query; nan for a query without values."""
        count = np.bincount(query, minlength=self.n_queries)
        total = np.bincount(query, weights=values, minlength=self.n_queries)
        return np.where(count > 0, ratio(total, count), np.nan)

    def median(self, values: Floats, query: Ints) -> Floats:
        """The median of values per query; nan for a query without values."""
        order = np.lexsort((values, query))
        ordered = values[order]
        count = np.bincount(query, minlength=self.n_queries)
        start, some = np.cumsum(count) - count, count > 0
        median = np.full(self.n_queries, np.nan)
        low, high = (start + (count - 1) // 2)[some], (start + count // 2)[some]
        median[some] = (ordered[low] + ordered[high]) / 2
        return median
