"""How often intervals of values that all result lists have together hold, and how often equal systems differ.

A query has one of eight topics. A document is shown if its popularity, its topic and chance put it among the first ten.
Two equal systems share the queries, and each has its own chance. The true value is the mean over all simulated
experiments: the expected value for so many queries.
"""

from __future__ import annotations

import numpy as np

from assay.model import CATALOGUE_COVERAGE, EXPOSURE_ENTROPY, EXPOSURE_GINI, Aggregation
from assay.stats import jackknifed, jackknifed_gap

REPEATS, RESAMPLES = 1_000, 200
BOOTSTRAPPED = 100
"""Experiments with a bootstrap, which is slow."""
N_QUERIES, CATALOGUES = (20, 50, 200), (200, 2_000)
DEPTH, TOPICS, TOPIC_COUNTS = 10, 8, 2.0
FIGURES = (CATALOGUE_COVERAGE, EXPOSURE_GINI, EXPOSURE_ENTROPY)


def _lists(rng: np.random.Generator, topic: np.ndarray, size: int) -> np.ndarray:
    """The parts of each query: the size of the catalogue, and the documents that are shown."""
    popularity = -np.log(np.arange(1, size + 1))
    fits = np.arange(size) % TOPICS == topic[:, np.newaxis]
    score = popularity + TOPIC_COUNTS * fits + rng.gumbel(size=(len(topic), size))
    shown = np.argpartition(-score, DEPTH, axis=1)[:, :DEPTH]
    return np.column_stack([np.full(len(topic), float(size)), shown])


def _bootstrap(rng: np.random.Generator, parts: np.ndarray, figure: Aggregation) -> tuple[float, float]:
    """The percentile interval of the bootstrap over queries."""
    rows = rng.integers(0, len(parts), (RESAMPLES, len(parts)))
    drawn = [figure.summarise(parts[:, 0], parts[row]) for row in rows]  # type: ignore[misc]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def _cell(n: int, size: int) -> list[float]:
    """Per figure how often the interval holds, how often the bootstrap holds, and how often equal systems differ."""
    rng = np.random.default_rng([n, size])
    values, ends = np.zeros((REPEATS, len(FIGURES))), np.zeros((REPEATS, len(FIGURES), 2))
    resampled, p = np.zeros((BOOTSTRAPPED, len(FIGURES), 2)), np.zeros((REPEATS, len(FIGURES)))
    for repeat in range(REPEATS):
        topic = rng.integers(0, TOPICS, n)
        a, b = _lists(rng, topic, size), _lists(rng, topic, size)
        for place, aggregation in enumerate(FIGURES):
            figure = aggregation.figure
            if figure is None:
                continue
            known = jackknifed(a, figure)
            values[repeat, place], ends[repeat, place] = known.value, known.interval(0.95)
            p[repeat, place] = jackknifed_gap(a, b, figure).mean.p()
            if repeat < BOOTSTRAPPED:
                resampled[repeat, place] = _bootstrap(rng, a, aggregation)
    true = values.mean(axis=0)
    held, held_by_bootstrap = ((each[..., 0] <= true) & (true <= each[..., 1]) for each in (ends, resampled))
    return [true[0], *held.mean(axis=0), *held_by_bootstrap.mean(axis=0), *(p <= 0.05).mean(axis=0)]


def tables() -> dict[str, str]:
    """Coverage of 95 % intervals and significant differences of equal systems, in per cent."""
    three = "coverage | gini | entropy"
    held = f"interval holds: {three} | bootstrap would hold: {three}"
    head = f"| queries | documents | true coverage | {held} | equal systems differ, p ≤ 0.05: {three} |"
    rows = [head, "|---|---|---|" + "---|" * 9]
    for size in CATALOGUES:
        for n in N_QUERIES:
            true, *shares = _cell(n, size)
            figures = "".join(f" {100 * share:.1f} % |" for share in shares)
            rows.append(f"| {n} | {size:,} | {true:.2f} |{figures}")
    return {"exposure": "\n".join(rows)}


if __name__ == "__main__":
    print(tables()["exposure"])
