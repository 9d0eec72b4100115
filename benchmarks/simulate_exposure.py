"""How often intervals of values that all result lists have together hold, and how often equal systems differ.

A query has one of eight topics. A document is shown if its popularity, its topic and chance put it among the first ten.
Two equal systems share the queries, and each has its own chance. The true value is the mean over all simulated
experiments: the expected value for so many queries.

In the second table, every list is drawn at random, and nearly every document is shown, or nearly none twice. Then leaving
out a query often changes nothing, so the jackknife alone has intervals without width.
"""

from __future__ import annotations

import numpy as np

from assay.model import CATALOGUE_COVERAGE, EXPOSURE_ENTROPY, EXPOSURE_GINI, Aggregation
from assay.stats import half_width, jackknifed, jackknifed_gap, one_document

REPEATS, RESAMPLES = 1_000, 200
BOOTSTRAPPED = 100
"""Experiments with a bootstrap, which is slow."""
N_QUERIES, CATALOGUES = (20, 50, 200), (200, 2_000)
TINY = 1e-12
"""Rounding."""
DEPTH, TOPICS, TOPIC_COUNTS = 10, 8, 2.0
UNIFORM = ((50, 5, 40), (60, 5, 50), (30, 5, 30), (25, 5, 20), (20, 5, 40), (20, 2, 2_000))
"""Queries, documents in a list, and documents, for lists that are drawn at random."""
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


def _uniform_cell(n: int, depth: int, size: int) -> list[float]:
    """The true coverage; per figure how often the interval holds and equal systems differ; the same by jackknife alone."""
    rng = np.random.default_rng([n, depth, size])
    known, alone, values = (np.zeros((REPEATS, len(FIGURES), 2)) for _ in range(3))
    for repeat in range(REPEATS):
        a, b = (np.argsort(rng.random((n, size)), axis=1)[:, :depth] for _ in range(2))
        a, b = (np.column_stack([np.full(n, float(size)), shown]) for shown in (a, b))
        for place, aggregation in enumerate(FIGURES):
            figure = aggregation.figure
            if figure is None:
                continue
            both = (jackknifed(a, figure), jackknifed_gap(a, b, figure).mean)
            steps = (one_document(a, figure), one_document(b, figure))
            floors = (steps[0] ** 2, steps[0] ** 2 + steps[1] ** 2)
            for side, (estimate, floor) in enumerate(zip(both, floors, strict=True)):
                known[repeat, place, side] = estimate.error
                alone[repeat, place, side] = np.sqrt(max(estimate.error**2 - floor, 0.0))
                values[repeat, place, side] = estimate.value
    values[..., 0] -= (true := values[..., 0].mean(axis=0))
    shares: list[float] = [float(true[0])]
    for error in (known, alone):
        reach = half_width(np.where(error < TINY, 0.0, error), n - 1, 0.95) + TINY
        held, differ = np.abs(values[..., 0]) <= reach[..., 0], np.abs(values[..., 1]) > reach[..., 1]
        shares += [*held.mean(axis=0).tolist(), *differ.mean(axis=0).tolist()]
    return shares


def _uniform_table() -> str:
    three = "coverage | gini | entropy"
    held, differ = f"interval holds: {three}", f"equal systems differ, p ≤ 0.05: {three}"
    alone = "jackknife alone would hold: coverage | entropy | equal systems would differ: coverage"
    rows = [
        f"| queries | list | documents | true coverage | {held} | {differ} | {alone} |",
        "|---|---|---|---|" + "---|" * 9,
    ]
    for n, depth, size in UNIFORM:
        true, *shares = _uniform_cell(n, depth, size)
        shown = (*shares[:6], shares[6], shares[8], shares[9])
        figures = "".join(f" {100 * share:.1f} % |" for share in shown)
        rows.append(f"| {n} | {depth} | {size:,} | {true:.3f} |{figures}")
    return "\n".join(rows)


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
    return {"exposure": "\n".join(rows), "uniform_exposure": _uniform_table()}


if __name__ == "__main__":
    print("\n\n".join(tables().values()))
