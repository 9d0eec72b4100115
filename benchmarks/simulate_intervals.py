"""How often intervals of differences contain the true difference, and how wide they are.

Each cell repeats one experiment with other queries. The difference of each query is drawn so that its true mean is known:

- continuous: every query differs, by a skewed amount
- reciprocal rank: one relevant document per query; half of the queries keep its rank
- hit or miss: the same, scored 1 if the document is in the top 3
- mostly zero: reciprocal rank, and 97 % of the queries keep the rank
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from assay.stats import Pairs, agree_with_test, auto_intervals, difference_intervals, parse_test

REPEATS = 4_000
N_QUERIES = (5, 10, 20, 50, 200, 1000)
TRUE = (0.0, -0.05)
BOOTSTRAP_REPEATS = 1_000
DEPTH = 20
LOWEST_FOR_MOSTLY_ZERO = 20

Score = Callable[[np.ndarray], np.ndarray]
Draw = Callable[[np.random.Generator, int, float], np.ndarray]


def continuous(rng: np.random.Generator, n: int, true: float) -> np.ndarray:
    """Skewed differences of every query."""
    return true + 0.9 * (rng.beta(2, 4, (n, REPEATS)) - 1 / 3)


def ranked(rng: np.random.Generator, n: int, true: float, same: float, score: Score) -> np.ndarray:
    """One relevant document per query: `same` of the queries keep its rank, all others have a new rank.

    A true loss comes from queries whose document is lost: the share that gives the mean.
    """
    ranks = np.arange(1, DEPTH + 1)
    chances = 1 / ranks
    chances /= chances.sum()
    before = rng.choice(ranks, (n, REPEATS), p=chances)
    now = np.where(rng.random((n, REPEATS)) < same, before, rng.choice(ranks, (n, REPEATS), p=chances))
    value = float((chances * score(ranks)).sum())
    is_lost = rng.random((n, REPEATS)) < -true / value
    return np.where(is_lost, 0.0, score(now)) - score(before)


def reciprocal(ranks: np.ndarray) -> np.ndarray:
    return 1 / ranks


def hit(ranks: np.ndarray) -> np.ndarray:
    return (ranks <= 3).astype(float)


KINDS: dict[str, Draw] = {
    "continuous": continuous,
    "reciprocal rank": partial(ranked, same=0.5, score=reciprocal),
    "hit or miss": partial(ranked, same=0.5, score=hit),
    "mostly zero": partial(ranked, same=0.97, score=reciprocal),
}


def covered(low: np.ndarray, high: np.ndarray, true: float) -> float:
    return float(np.mean((low <= true + 1e-12) & (high >= true - 1e-12)))


def measure(kind: str, n: int, true: float) -> tuple[float, float, float]:
    """Coverage of auto, its width in units of the width of the percentile bootstrap, and the coverage of that."""
    rng = np.random.default_rng([list(KINDS).index(kind), n, int(-1000 * true)])
    differences = np.where(np.abs(drawn := KINDS[kind](rng, n, true)) < 1e-12, 0.0, drawn)
    test = parse_test("randomization")

    def p_of(values: np.ndarray) -> np.ndarray:
        return test.compare(Pairs(np.zeros_like(values), values)).p

    interval, _ = auto_intervals(differences, np.ones(REPEATS))
    low, high = agree_with_test(interval, differences, p_of(differences), 0.05, p_of)
    some = differences[:, :BOOTSTRAP_REPEATS]
    plain = difference_intervals(np.zeros_like(some), some, "bootstrap", resamples=500)
    widths = (high - low)[:BOOTSTRAP_REPEATS].mean() / (plain.high - plain.low).mean()
    return covered(low, high, true), float(widths), covered(*plain, true)


def tables() -> dict[str, str]:
    """Coverage in per cent, and the width."""
    heads = "".join(f" {n:,} |" for n in N_QUERIES)
    rows = [f"| differences | true mean | method |{heads}", "|---|---|---|" + "---|" * len(N_QUERIES)]
    for kind in KINDS:
        for true in TRUE:
            cells = [measure(kind, n, true) for n in N_QUERIES]
            name = f"{true:g}".replace("-", "−")
            auto = "".join(f" {100 * own:.1f} ({width:.1f}) |" for own, width, _ in cells)
            plain = "".join(f" {100 * theirs:.1f} |" for _, _, theirs in cells)
            rows += [f"| {kind} | {name} | `auto` |{auto}", f"| {kind} | {name} | `bootstrap` |{plain}"]
    return {"intervals": "\n".join(rows)}


if __name__ == "__main__":
    print(tables()["intervals"])
