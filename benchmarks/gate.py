"""The gate: two stored results read and held against rules, against reading them alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assay.evaluation import Evidence, Provenance, Result, Scores, with_intervals
from assay.metrics import find_metric
from assay.model import Column, Policy, Query, ScoreTable
from assay.monitoring import gate
from assay.store import Store
from benchmarks._timing import Row, best_time, within

METRICS = [f"{name}@{k}" for name in ("ndcg", "map", "mrr", "precision", "recall") for k in (5, 10)]
RULES = ["ndcg@10 >= 0.1", "recall@10 drops <= 0.05", "mrr@10 not worse by 0.02", "failed = 0", "ndcg@10 ratchet"]
RULES += ["no query drops from hit to miss by recall@10 [warn]", "recall@10 drops <= 0.05 where language=de"]


def measure() -> Iterator[Row]:
    """Rankings are stored too, as an evaluation keeps them."""
    for n_queries in (1_000, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            yield from _gated(Path(folder), n_queries)


def _gated(folder: Path, n_queries: int) -> Iterator[Row]:
    with Store.open(folder / "store.db") as store:
        store.save([_result(n_queries, 0)])
        store.bless("latest", "main")
        store.save([_result(n_queries, 1)])

        def read() -> list[Result]:
            found = [result for name in ("latest", "main") for result in store.find(name).results]
            for result in found:
                _ = result.summary, len(result.run), len(result.queries)
            return found

        def held() -> None:
            report = gate(store.find("latest").results, store.find("main").results, RULES, name="main")
            if len(report.verdicts) != len(RULES):
                raise RuntimeError("a rule does not hold")

        case = f"gate of {len(RULES)} rules on two stored results, {n_queries:,} queries"
        yield within(case, "reading them", best_time(held), best_time(read), 2)


def _result(n_queries: int, seed: int) -> Result:
    rng = np.random.default_rng(seed)
    queries = tuple(f"q{number}" for number in range(n_queries))
    metrics = tuple(map(find_metric, METRICS))
    columns = {metric.name: Column.of(rng.uniform(0, 1, n_queries), metric.metric.aggregation) for metric in metrics}
    ids = np.char.add("document", rng.integers(0, 1000, (n_queries, 100)).astype(str)).tolist()
    run = {
        query: {f"{doc}-{rank}": 100.0 - rank for rank, doc in enumerate(row)}
        for query, row in zip(queries, ids, strict=True)
    }
    words = {
        query: Query(query, f"what is it about {query}?", metadata={"language": "de" if place % 2 else "en"})
        for place, query in enumerate(queries)
    }
    counts = {"judged": n_queries, "scored": n_queries, "missing": 0, "without_relevant": 0, "extra": 0}
    scores = Scores(ScoreTable(queries, columns), metrics, counts)
    origin = Provenance(Policy(), provenance={"started": f"2026-11-{10 + seed}T00:00:00+00:00"})
    return with_intervals(Result("bm25", scores, origin, Evidence(queries=words, run=run), "large"))
