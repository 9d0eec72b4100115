"""Mean differences in units of their own standard error, observed and in bootstrap resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.model import Floats
from assay.stats._exact import Exact, exact


@dataclass(frozen=True)
class Studentised:
    """Sums of scores and of their squared distances from the mean, from which every resample's t follows.

    Where all scores of a resample are equal it has no standard error: t is 0 if they hit the mean, else infinite.
    """

    n: int
    first: Exact
    second: Exact
    """Squared distances, in the square of the units of `first`."""

    @classmethod
    def of(cls, values: Floats) -> Studentised:
        """Queries × columns."""
        first = exact(values)
        distance = first.units - first.total() / len(values)
        return cls(len(values), first, exact(distance**2))

    @property
    def units(self) -> Floats:
        """Columns for the sums, then columns for the sums of squares: one matrix product gives both."""
        return np.hstack([self.first.units, self.second.units])

    @property
    def observed(self) -> Floats:
        """Student's t of the given scores; 0 where all are 0, infinite where all are equal and not 0."""
        variance = np.ldexp(self.second.total() / self.n, self.second.exponent)
        return self._t(self.first.total() / self.n, variance)

    @property
    def standard_error(self) -> Floats:
        """Of the mean, in the units of the scores; 0 where all are equal."""
        variance = np.ldexp(self.second.total() / self.n, self.second.exponent)
        return np.asarray(np.ldexp(np.sqrt(variance / max(self.n - 1, 1)), self.first.exponent))

    def statistics(self, sums: Floats) -> Floats:
        """Resamples × twice the columns, weighted sums of `units` → resamples × columns, t around the observed mean."""
        n_columns = len(self.first.exponent)
        distance = (sums[:, :n_columns] - self.first.total()) / self.n
        variance = np.ldexp(sums[:, n_columns:] / self.n, self.second.exponent) - distance**2
        return self._t(distance, variance)

    def _t(self, distance: Floats, variance: Floats) -> Floats:
        noise = np.ldexp(np.abs(self.second.units).max(axis=0), self.second.exponent) * self.n * 2.0**-50
        error = np.sqrt(np.where(variance > noise, variance, 0.0) / max(self.n - 1, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(distance == 0, 0.0, distance / error)
