"""Runs to fuse, the same in every interpreter: NumPy and nothing else."""

from __future__ import annotations

import numpy as np


def make_runs(pool: int, n_runs: int, n_queries: int, n_docs: int) -> list[dict[str, dict[str, float]]]:
    """Runs whose documents are drawn from a pool for each query; the larger it is, the fewer they share."""
    rng = np.random.default_rng(0)
    runs = []
    for _ in range(n_runs):
        run = {}
        for number in range(n_queries):
            docs = [f"D{doc}" for doc in rng.choice(pool, n_docs, replace=False).tolist()]
            scores = np.sort(rng.gamma(2, 3, n_docs))[::-1].tolist()
            run[f"q{number}"] = dict(zip(docs, scores, strict=True))
        runs.append(run)
    return runs
