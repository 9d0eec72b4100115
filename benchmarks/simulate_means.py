"""How often intervals of the mean of one system contain the true mean, for scores of several kinds.

The true mean of each kind is known: scores are drawn from a fixed list of values and their probabilities.
"""

from __future__ import annotations

import numpy as np

from assay.model import MEAN, Column
from assay.stats import column_intervals, difference_intervals

REPEATS = 4_000
N_QUERIES = (5, 10, 20, 50, 200)
GRID = np.linspace(0.0005, 0.9995, 1000)


def _reciprocal(misses: float) -> tuple[np.ndarray, np.ndarray]:
    """Reciprocal ranks up to 10, and a share of misses."""
    ranks = np.arange(1, 11)
    chances = 1 / ranks
    return np.append(1 / ranks, 0.0), np.append((1 - misses) * chances / chances.sum(), misses)


def _spread(share: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """A share of scores that are uniform between 0 and 1; all others are at one end."""
    return np.append(GRID, end), np.append(np.full(len(GRID), share / len(GRID)), 1 - share)


KINDS = {
    "reciprocal rank": _reciprocal(0.1),
    "reciprocal rank, half of them 0": _reciprocal(0.5),
    "half of the scores 1, others spread": _spread(0.5, 1.0),
    "20 % of the scores above 0": _spread(0.2, 0.0),
    "5 % of the scores above 0": _spread(0.05, 0.0),
    "hit rate of 0.5": (np.array([0.0, 1.0]), np.array([0.5, 0.5])),
    "hit rate of 0.9": (np.array([0.0, 1.0]), np.array([0.1, 0.9])),
    "hit rate of 0.98": (np.array([0.0, 1.0]), np.array([0.02, 0.98])),
}


def measure(kind: str, n: int) -> dict[str, float]:
    """Coverage by method."""
    values, chances = KINDS[kind]
    rng = np.random.default_rng([list(KINDS).index(kind), n])
    scores = rng.choice(values, (n, REPEATS), p=chances)
    true = float(values @ chances)
    columns = {str(place): Column.of(scores[:, place], MEAN) for place in range(REPEATS)}
    ends = {"auto": np.array([(low, high) for low, high, _ in column_intervals(columns).values()]).T}
    for method in ("bootstrap", "bca"):
        ends[method] = np.array(difference_intervals(np.zeros_like(scores), scores, method, resamples=1000))
    return {name: float(np.mean((low <= true + 1e-12) & (high >= true - 1e-12))) for name, (low, high) in ends.items()}


def tables() -> dict[str, str]:
    """Coverage in per cent."""
    heads = "".join(f" {n:,} |" for n in N_QUERIES)
    rows = [f"| scores | method |{heads}", "|---|---|" + "---|" * len(N_QUERIES)]
    for kind in KINDS:
        cells = [measure(kind, n) for n in N_QUERIES]
        rows += [f"| {kind} | `{name}` |" + "".join(f" {100 * cell[name]:.0f} |" for cell in cells) for name in cells[0]]
    return {"means": "\n".join(rows)}


if __name__ == "__main__":
    print(tables()["means"])
