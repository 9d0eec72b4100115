"""The store: saving a large result against compressed JSON, listing against bare SQL, and a store that grows."""

from __future__ import annotations

import json
import random
import sqlite3
import string
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import zstandard

from assay.evaluation import Evidence, Provenance, Result, Scores
from assay.metrics import find_metric
from assay.model import Column, Policy, Query, ScoreTable
from assay.store import Store
from benchmarks._timing import Row, best_time, within

METRICS = [f"{name}@{k}" for name in ("ndcg", "map", "mrr", "precision", "recall") for k in (5, 10)]
N_STORED = 10_000
SOME = 60
"""Saves that are timed at either end; the quickest counts."""
ENTRIES = """
SELECT e.id, e.saved, r.started, r.benchmark, r.provider, r.n_queries, r.n_failed, r.dataset, r.number
FROM assay_results r JOIN assay_evaluations e ON e.number = r.evaluation {where}
ORDER BY e.saved DESC, e.number DESC, r.place
"""
FIGURES = """
SELECT f.result, f.metric, f.value, f.low, f.high, f.n FROM assay_figures f {where} ORDER BY f.result, f.place
"""
HISTORY = """
SELECT e.id, r.started, r.benchmark, r.provider, f.value, f.low, f.high, f.n, r.dataset
FROM assay_results r JOIN assay_evaluations e ON e.number = r.evaluation JOIN assay_figures f ON f.result = r.number
WHERE r.benchmark = 'b3' AND r.provider = 'p7' AND f.metric = 'ndcg@10' ORDER BY r.started, e.saved, r.number
"""
FILTER = "WHERE r.benchmark = 'b3' AND r.provider = 'p7'"


def measure() -> Iterator[Row]:
    """In SQLite, on this machine's disk."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _saving(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _growing(Path(folder))


def _saving(folder: Path) -> Iterator[Row]:
    result = _result(10_000, 100)
    (folder / "rounds").mkdir()
    rounds = iter(range(1000))

    def ours() -> None:
        with Store.open(folder / "rounds" / f"{next(rounds)}.db") as store:
            store.save([result])

    def theirs() -> None:
        text = json.dumps(result.to_dict()).encode()
        (folder / "result.json.zst").write_bytes(zstandard.compress(text))

    case = "save 10,000 queries × 10 metrics × 100 hits"
    yield within(case, "the same as compressed JSON", best_time(ours, 3), best_time(theirs, 3), 3)
    sizes = [file.stat().st_size / 1e6 for file in (folder / "rounds" / "0.db", folder / "result.json.zst")]
    yield within(f"{case}: size", "the same as compressed JSON", *sizes, 1, "MB")
    small = _result(1000, 100)
    with Store.open(folder / "small.db") as store:
        store.save([small])
        megabytes = (store.size() or 0) / 1e6
    yield within("1,000 queries × 100 hits on disk: size", "2 MB", megabytes, 2.0, 1, "MB")
    yield _hard_case(folder)
    (folder / "result.json").write_text(json.dumps(result.to_dict()))
    with Store.open(folder / "rounds" / "0.db") as store:
        read = best_time(lambda: store.latest().results[0].summary, 3)
    yield within(
        f"{case}: read the scores",
        "json.loads",
        read,
        best_time(lambda: json.loads((folder / "result.json").read_text()), 2),
        1,
    )


def _hard_case(folder: Path) -> Row:
    """Nothing repeats: random ids that occur once, scores of double precision in no order, queries of random words."""
    rng = random.Random(0)
    letters = string.ascii_letters + string.digits + "-_"
    words = ["".join(rng.choices(string.ascii_lowercase, k=6)) for _ in range(2000)]
    made = _result(1000, 100)
    run = {
        query: {"".join(rng.choices(letters, k=12)): rng.random() * 30 - rank for rank in range(100)}
        for query in made.query_ids
    }
    queries = {query: Query(query, " ".join(rng.choices(words, k=9))) for query in run}
    relevant = {query: {doc: float(rng.randint(1, 3)) for doc in list(docs)[5:25:4]} for query, docs in run.items()}
    with Store.open(folder / "hard.db") as store:
        store.save([made.with_fields(run=run, queries=queries, relevant=relevant)])
        megabytes = (store.size() or 0) / 1e6
    case = "1,000 queries × 100 hits with random ids of 12 letters and double precision on disk: size"
    return within(case, "2 MB", megabytes, 2.0, 1, "MB")


def _growing(folder: Path) -> Iterator[Row]:
    path = folder / "store.db"
    small = _result(20, 5)
    with Store.open(path) as store:
        first = _seconds_of_saves(store, small, range(SOME))
        for number in range(SOME, N_STORED):
            store.save([_varied(small, number)])
        last = _seconds_of_saves(store, small, range(N_STORED, N_STORED + SOME))
        yield within("save the 10,001st result", "the 10th", last, first, 1.25)
        for case, how, where in (
            ("list 10,000 stored results", {}, ""),
            ("filter 10,000 stored results", {"benchmark": "b3", "provider": "p7"}, FILTER),
        ):
            ours = best_time(lambda how=how: store.list(**how), 5)
            yield within(case, "bare SQL", ours, best_time(lambda where=where: _bare(path, where), 5), 3)
        points = best_time(lambda: store.history("ndcg@10", "b3", "p7"), 5)
        yield within(
            "history of a metric among 10,000 results", "bare SQL", points, best_time(lambda: _bare_history(path), 5), 3
        )


def _seconds_of_saves(store: Store, result: Result, numbers: range) -> float:
    """The quickest of some saves."""
    seconds = []
    for number in numbers:
        varied = _varied(result, number)
        began = time.perf_counter()
        store.save([varied])
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def _bare(path: Path, where: str) -> list[object]:
    """The same rows with nothing around them."""
    connection = sqlite3.connect(path)
    inside = f"WHERE f.result IN (SELECT r.number FROM assay_results r {where})" if where else ""
    try:
        rows = connection.execute(ENTRIES.format(where=where)).fetchall()
        return [rows, connection.execute(FIGURES.format(where=inside)).fetchall()]
    finally:
        connection.close()


def _bare_history(path: Path) -> list[object]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(HISTORY).fetchall()
    finally:
        connection.close()


def _varied(result: Result, number: int) -> Result:
    """A result of its own, of one of ten benchmarks and ten providers."""
    provenance = {"number": number, "seed": str(number)}
    return result.with_fields(name=f"p{number % 10}", benchmark=f"b{number // 10 % 10}", provenance=provenance)


def _result(n_queries: int, n_hits: int) -> Result:
    """Scores as of real metrics, rankings of single precision over 100,000 documents."""
    rng = np.random.default_rng(0)
    metrics = tuple(map(find_metric, METRICS))
    queries = tuple(f"q{number}" for number in range(n_queries))
    columns = {one.name: Column.of(_scores(rng, one.name, n_queries), one.metric.aggregation) for one in metrics}
    docs = rng.integers(0, 100_000, (n_queries, n_hits + 20))
    scores = -np.sort(-(rng.random((n_queries, n_hits)) * 30).astype(np.float32), axis=1)
    run = {
        query: dict(zip(list(dict.fromkeys(f"doc{doc:06d}" for doc in some))[:n_hits], ranked, strict=True))
        for query, some, ranked in zip(queries, docs.tolist(), scores.astype(float).tolist(), strict=True)
    }
    counts = {"judged": n_queries, "scored": n_queries, "missing": 0, "without_relevant": 0, "extra": 0}
    table = Scores(ScoreTable(queries, columns), metrics, counts)
    return Result("bm25", table, Provenance(Policy()), Evidence(run=run), "large")


def _scores(rng: np.random.Generator, name: str, n: int) -> np.ndarray:
    k = int(name.rpartition("@")[2])
    few = rng.integers(0, k + 1, n) / k
    return few if name.startswith(("precision", "recall", "mrr")) else few * rng.random(n)
