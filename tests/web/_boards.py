"""A store with several benchmarks that share little: other providers, metrics, slices and data, and failures."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import assay
from assay.evaluation import Result
from assay.model import Query
from assay.store import Store

from ._stores import BEGIN, result_of

ERROR = "RuntimeError: no route to the index"


def failed_result(provider: str, night: int = 0, benchmark: str = "things") -> Result:
    """A result whose provider failed on every query."""
    result = result_of(5, provider=provider, night=night)
    return result.with_fields(benchmark=benchmark, run={}, failures=dict.fromkeys(result.query_ids, ERROR))


def answered(
    benchmark: str, provider: str, metrics: tuple[str, ...], *, night: int = 0, n_queries: int = 12, skill: float = 0.6
) -> Result:
    """A result on another benchmark; its queries are tagged by topic."""
    rng = random.Random(f"{benchmark} {provider}")
    qrels, run, queries = {}, {}, {}
    for number in range(n_queries):
        query = f"{benchmark}-{number}"
        qrels[query] = {f"d{number}": 1}
        ranking = [f"x{place}" for place in range(6)]
        ranking.insert(0 if rng.random() < skill else 4, f"d{number}")
        run[query] = {document: 9.0 - rank for rank, document in enumerate(ranking)}
        queries[query] = Query(query, f"question {number}", metadata={"topic": ("money", "house")[number % 2]})
    provenance = {
        "dataset": {"name": benchmark, "version": "1.0", "fingerprints": {"queries": f"{benchmark}{n_queries}"}},
        "provider": {"name": provider},
        "started": (BEGIN + timedelta(days=night)).isoformat(),
    }
    scored = assay.evaluate(qrels, run, metrics, name=provider)
    return scored.with_fields(benchmark=benchmark, run=run, queries=queries, provenance=provenance)


def several_benchmarks(path: Path) -> Path:
    """`things` has a step and a dead provider, `faq` two versions of its data, `broken` only a dead provider."""
    with Store.open(path) as store:
        for night in range(16):
            skill = 0.2 if night >= 9 else 0.7
            results = [result_of(3, skill=skill, night=night), result_of(4, provider="dense", skill=0.8, night=night)]
            results += [failed_result("site-search", night)] if night in (14, 15) else []
            name = store.save(results, started=(BEGIN + timedelta(days=night)).isoformat())
            if night == 1:
                store.bless(name, "main")
        store.save(
            [
                answered("faq", "bm25-x", ("mrr", "precision@5")),
                answered("faq", "splade", ("mrr", "recall@10"), skill=0.9),
                answered("faq", "dense", ("mrr",)),
            ]
        )
        store.save([answered("faq", "bm25-x", ("mrr", "map"), n_queries=5, night=3)])
        store.save([answered("one <b>&</b> only", "検索", ("map",), night=1)])
        store.save([failed_result("flaky", 20, "broken")])
    return path
