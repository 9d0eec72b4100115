"""The HTML report: time that grows with the queries and not faster, and a page that stays small."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import assay
from assay.evaluation import Result
from assay.model import Query
from assay.reports import render_results
from benchmarks._timing import Row, best_time, within

FEW, MANY = 5_000, 50_000
DEPTH = 10
MOST_MEGABYTES = 15.0


def measure() -> Iterator[Row]:
    """Two systems, three metrics, ten documents a query; comparison included."""
    few, many = _systems(FEW), _systems(MANY)
    render_results(few)
    short = best_time(lambda: render_results(few), 2)
    long = best_time(lambda: render_results(many), 1)
    yield within(f"HTML report, {MANY:,} queries", f"{FEW:,} queries", long, short, MANY / FEW * 1.1)
    size = len(render_results(many).encode()) / 1e6
    yield within("… size of the report", "limit of 15 MB", size, MOST_MEGABYTES, 1, "MB")


def _systems(n: int) -> list[Result]:
    """A baseline and a system that is a little better, as `assay eval` makes them."""
    rng = np.random.default_rng(0)
    qrels = {f"q{number}": {f"d{number}": 1} for number in range(n)}
    queries = {query: Query(query, f"what is said about {query}", difficulty="easy") for query in qrels}
    return [_result(name, rng.geometric(chance, n), qrels, queries) for name, chance in (("base", 0.3), ("new", 0.33))]


def _result(name: str, ranks: np.ndarray, qrels: dict[str, dict[str, int]], queries: dict[str, Query]) -> Result:
    run = {}
    for (query, judged), rank in zip(qrels.items(), ranks.tolist(), strict=True):
        documents = [f"{query}x{place}" for place in range(DEPTH)]
        if rank <= DEPTH:
            documents[rank - 1] = next(iter(judged))
        run[query] = {document: float(DEPTH - place) for place, document in enumerate(documents)}
    scored = assay.evaluate(qrels, run, ["ndcg@10", "mrr", "recall@10"], name=name)
    relevant = {query: {doc: float(grade) for doc, grade in judged.items()} for query, judged in qrels.items()}
    return scored.with_fields(run=run, queries=queries, relevant=relevant, benchmark="synthetic")
