"""BatchEvaluator of the Loop drop-in against a plain loop over the printed formulas. Both take turns on the same queries."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator, Sequence

from assay.compat.loop import BatchEvaluator, DifferenceWarning
from benchmarks._timing import Row, best_time, within

CUTOFFS = (5, 10)
N_QUERIES = 2000
N_RETRIEVED, N_RELEVANT, N_FOUND = 20, 8, 5
TURNS = 7
BAR = 5

Query = tuple[str, list[str], set[str], list[int]]


def measure() -> Iterator[Row]:
    """The same means, and how long both take."""
    warnings.simplefilter("ignore", DifferenceWarning)  # documents are missed on purpose, so the ideal ranking differs
    queries = _queries()
    ours, plain = _ours(queries), _plain(queries)
    if any(not math.isclose(ours[name], value, rel_tol=1e-9) for name, value in plain.items()):
        raise RuntimeError("BatchEvaluator and the plain loop give different means")
    turns = [(best_time(lambda: _ours(queries), 1), best_time(lambda: _plain(queries), 1)) for _ in range(TURNS)]
    best = map(min, zip(*turns, strict=True))
    yield within(f"BatchEvaluator, {N_QUERIES:,} queries, 7 metrics at 5 and 10", "plain loop", *best, BAR)


def _queries() -> list[Query]:
    rng = random.Random(1)
    docs = [f"d{number}" for number in range(5000)]
    queries = []
    for number in range(N_QUERIES):
        chosen = rng.sample(docs, N_RETRIEVED - N_FOUND + N_RELEVANT)
        relevant = chosen[:N_RELEVANT]
        retrieved = [*relevant[:N_FOUND], *chosen[N_RELEVANT:]]
        rng.shuffle(retrieved)
        grades = [rng.randint(1, 3) if doc in relevant else 0 for doc in retrieved]
        queries.append((f"q{number}", retrieved, set(relevant), grades))
    return queries


def _ours(queries: Sequence[Query]) -> dict[str, float]:
    evaluator = BatchEvaluator(k_values=list(CUTOFFS))
    for query_id, retrieved, relevant, grades in queries:
        evaluator.evaluate_query(query_id=query_id, retrieved_ids=retrieved, relevant_ids=relevant, relevance_scores=grades)
    return evaluator.get_aggregate_metrics()


def _plain(queries: Sequence[Query]) -> dict[str, float]:
    """Each metric by its own loop over the first k documents, as a script would write it."""
    scores: dict[str, list[float]] = {}
    for _, retrieved, relevant, grades in queries:
        for k in CUTOFFS:
            for name, score in _plain_scores(retrieved[:k], relevant, grades, k).items():
                scores.setdefault(f"{name}@{k}", []).append(score)
    return {name: sum(values) / len(values) for name, values in scores.items()}


def _plain_scores(top: list[str], relevant: set[str], grades: list[int], k: int) -> dict[str, float]:
    n_hits = len(set(top) & relevant)
    precision, recall = n_hits / k, n_hits / len(relevant)
    found, total = 0, 0.0
    for rank, doc in enumerate(top, 1):
        if doc in relevant:
            found += 1
            total += found / rank
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if n_hits else 0.0,
        "hit": 1.0 if n_hits else 0.0,
        "mrr": next((1 / rank for rank, doc in enumerate(top, 1) if doc in relevant), 0.0),
        "map": total / len(relevant),
        "ndcg": _dcg(grades[:k]) / _dcg(_ideal(relevant, grades)[:k]),
    }


def _ideal(relevant: set[str], grades: list[int]) -> list[int]:
    """The grades of what was found, and grade 1 for each relevant document that was missed, best first."""
    found = [grade for grade in grades if grade > 0]
    return sorted([*found, *[1] * (len(relevant) - len(found))], reverse=True)


def _dcg(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))
