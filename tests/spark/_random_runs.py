"""Random judgments and runs with what is hard: ties, infinities, signed zeros, ids of all kinds, queries without rows."""

from __future__ import annotations

from typing import Any

import numpy as np

QUERIES = ("q1", "q10", "Ä", "日本", "self", "7", "q 2", "z" * 40, "🙂")
EXTRA = ("unjudged", "é", "q1 ")
DOCUMENTS = (*(f"d{number}" for number in range(40)), "self", "Ä", "7", "日本語", "🙂🙂", "d1 ", "e\u0301", "é", "x" * 70)
POOLS = (
    (0.0, -0.0, 1.0),
    (1.0, 2.0, 3.0, 4.0, 5.0),
    (float("inf"), float("-inf"), 0.5, -1e308, 1e308),
    (1.0, 1.0 + 1e-12, 1.0 + 1e-9, 1.0 - 1e-10, 16777217.0, 16777216.0),
    (5e-324, 0.0, -5e-324, 1e-40),
)
"""Scores of which runs take some; the others are any numbers."""

Rankings = dict[str, dict[str, float]]


def random_judgments(rng: np.random.Generator, *, has_subtopics: bool = False) -> Any:
    """Grades of all queries but one that has no relevant document; some are negative, and some are not whole."""
    grades = (-1, 0, 0, 1, 2, 3, 0.5)
    judged = {
        query: {doc: grades[rng.integers(len(grades))] for doc in rng.permutation(DOCUMENTS)[: rng.integers(3, 30)]}
        for query in QUERIES[:-1]
    }
    return judged | {QUERIES[-1]: {"d1": 0, "d2": 0}}


def random_run(rng: np.random.Generator) -> Rankings:
    """Rankings of some queries, in random order; a few runs have one very long ranking."""
    queries = [query for query in (*QUERIES, *EXTRA) if rng.random() < 0.8] or [QUERIES[0]]
    rankings = {query: _ranking(rng, int(rng.integers(1, len(DOCUMENTS)))) for query in rng.permutation(queries)}
    if rng.random() < 0.05:
        rankings["q1"] = {f"d{number}": float(score) for number, score in enumerate(rng.integers(0, 20, 400))}
    return rankings if any(query in QUERIES for query in rankings) else rankings | {"q1": {"d1": 1.0}}


def _ranking(rng: np.random.Generator, length: int) -> dict[str, float]:
    documents = rng.permutation(DOCUMENTS)[:length].tolist()
    pool = POOLS[rng.integers(len(POOLS) + 2) - 2] if rng.random() < 0.7 else ()
    scores = rng.choice(pool, length).tolist() if pool else rng.normal(size=length).tolist()
    return dict(zip(documents, scores, strict=True))


def rows_of(runs: dict[str, Rankings], rng: np.random.Generator) -> list[tuple[str, str, str, float]]:
    """The rows of all runs, shuffled."""
    rows = [
        (run, query, document, score)
        for run, rankings in runs.items()
        for query, ranking in rankings.items()
        for document, score in ranking.items()
    ]
    return [rows[number] for number in rng.permutation(len(rows)).tolist()]
