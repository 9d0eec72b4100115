"""Resampling against scipy, and all pairs of ten systems against ranx's compare; memory of the largest of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from assay.stats import Pairs, bootstrap_confidence_interval, parse_test
from benchmarks._timing import Row, best_process, best_time, faster, within

N_QUERIES = 1000
MEGABYTES = 500.0
PERMUTATIONS = 1000
RANX = """
import json, time
import numpy as np
from ranx import Qrels, Run, compare
rng = np.random.default_rng(0)
docs = [f"d{number}" for number in range(100)]
qrels = Qrels({f"q{query}": {docs[d]: 1 for d in rng.choice(100, 5, replace=False)} for query in range(%d)})
runs = [
    Run({f"q{query}": dict(zip(docs, rng.random(100).tolist())) for query in range(%d)}, name=f"system {number}")
    for number in range(10)
]
metrics = [f"{name}@{k}" for name in ("ndcg", "map", "mrr", "precision", "recall") for k in (5, 10)]
compare(qrels, runs, metrics, stat_test="fisher", n_permutations=2)
began = time.perf_counter()
compare(qrels, runs, metrics, stat_test="fisher", n_permutations=%d)
print(json.dumps(time.perf_counter() - began))
"""
MEMORY = "from benchmarks import statistics; statistics.largest()"


def measure() -> Iterator[Row]:
    """The rows of ranx need ASSAY_RANX_PYTHON, an interpreter that can import it."""
    yield _bootstrap()
    yield _randomization()
    if ranx := os.environ.get("ASSAY_RANX_PYTHON"):
        yield _all_pairs(ranx)
    megabytes = best_process([sys.executable, "-c", MEMORY], 1)[1]
    yield within("100,000 permutations, 450 columns: memory", f"{MEGABYTES:.0f} MB", megabytes, MEGABYTES, 1, "MB")


def _bootstrap() -> Row:
    from scipy.stats import bootstrap

    scores = np.random.default_rng(0).beta(2, 2, (N_QUERIES, 20))

    def theirs() -> None:
        for column in scores.T:
            bootstrap((column,), np.mean, n_resamples=10_000, method="percentile", rng=0)

    ours = partial(bootstrap_confidence_interval, scores, 10_000)
    return faster(
        "bootstrap interval, 10,000 resamples, 1,000 queries, 20 metrics",
        "scipy.stats",
        best_time(ours),
        best_time(theirs, 2),
        8,
    )


def _randomization() -> Row:
    from scipy.stats import permutation_test

    a, b = _scores(10)

    def theirs() -> None:
        for column in (b - a).T:
            permutation_test(
                (column,), _mean, permutation_type="samples", vectorized=True, n_resamples=100_000, batch=1000, rng=0
            )

    ours = partial(parse_test("randomization").compare, Pairs(a, b))
    return faster(
        "randomisation test, 1,000 queries, 10 metrics, against 100,000 permutations",
        "scipy.stats",
        best_time(ours),
        best_time(theirs, 1),
        10,
    )


def _all_pairs(ranx: str) -> Row:
    """To be replaced by `assay.compare` with the same runs once it is there: this leaves the scoring to ranx alone."""
    script = RANX % (N_QUERIES, N_QUERIES, PERMUTATIONS)
    answer = subprocess.run([ranx, "-c", script], capture_output=True, text=True, check=True)
    ours = best_time(partial(_compare_all, PERMUTATIONS))
    return faster(
        "10 systems × 10 metrics × 1,000 queries, all pairs, randomisation + Holm",
        "ranx compare",
        ours,
        json.loads(answer.stdout),
        3,
    )


def largest() -> None:
    """All pairs with a hundred times as many permutations."""
    _compare_all(100_000)


def _compare_all(permutations: int) -> np.ndarray:
    systems = np.random.default_rng(0).beta(2, 2, (10, N_QUERIES, 10))
    one, other = zip(*combinations(range(10), 2), strict=True)
    a, b = (np.hstack(systems[list(side)]) for side in (one, other))
    return _holm(parse_test(f"randomization(resamples={permutations})").compare(Pairs(a, b)).p)


def _holm(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def _scores(n_metrics: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    a = rng.beta(2, 2, (N_QUERIES, n_metrics))
    return a, np.clip(a + rng.normal(0.005, 0.1, a.shape), 0, 1)


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    return values.mean(axis=axis)
