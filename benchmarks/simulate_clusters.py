"""How wrong intervals and tests are that treat clustered queries as independent, and how right clustered ones are.

Clusters have one to eight queries; half of the variance of a score is shared by the queries of a cluster.
"""

from __future__ import annotations

import numpy as np

from assay.model import MEAN, Column
from assay.stats import Clusters, Pairs, clustered_intervals, column_intervals, parse_test

REPEATS, TESTED = 4_000, 2_000
N_CLUSTERS = (5, 10, 30, 100)
LARGEST = 8
TRUE = 0.5


def _drawn(rng: np.random.Generator, n_clusters: int) -> tuple[Clusters, np.ndarray]:
    """Clusters, and scores around the true mean."""
    codes = np.repeat(np.arange(n_clusters), rng.integers(1, LARGEST + 1, n_clusters))
    return Clusters(codes), TRUE + 0.1 * rng.normal(size=n_clusters)[codes] + 0.1 * rng.normal(size=len(codes))


def _coverage(n_clusters: int) -> tuple[float, float]:
    """How often the interval of a mean contains the true mean: of queries, and of clusters."""
    rng, covered = np.random.default_rng([1, n_clusters]), np.zeros(2)
    for _ in range(REPEATS):
        clusters, scores = _drawn(rng, n_clusters)
        columns = {"": Column.of(scores, MEAN)}
        both = (column_intervals(columns)[""], clustered_intervals(columns, clusters)[""])
        covered += [low <= TRUE <= high for low, high, _ in both]
    return tuple(covered / REPEATS)


def _false_alarms(n_clusters: int) -> tuple[float, float]:
    """How often two systems with the same true mean differ significantly: by query, and by cluster."""
    rng, wrong, test = np.random.default_rng([2, n_clusters]), np.zeros(2), parse_test("randomization")
    for _ in range(TESTED):
        clusters, scores = _drawn(rng, n_clusters)
        differences = (scores - TRUE)[:, np.newaxis]
        units = (differences, clusters.sums(differences))
        wrong += [test.compare(Pairs(np.zeros_like(some), some)).p[0] <= 0.05 for some in units]
    return tuple(wrong / TESTED)


def tables() -> dict[str, str]:
    """Coverage of 95 % intervals and significant differences of equal systems, in per cent."""
    rows = [
        "| clusters | 95 % interval covers: queries | clusters | equal systems differ, p ≤ 0.05: queries | clusters |",
        "|---|---|---|---|---|",
    ]
    for n in N_CLUSTERS:
        figures = (*_coverage(n), *_false_alarms(n))
        rows.append(f"| {n} |" + "".join(f" {100 * figure:.0f} % |" for figure in figures))
    return {"clusters": "\n".join(rows)}


if __name__ == "__main__":
    print(tables()["clusters"])
