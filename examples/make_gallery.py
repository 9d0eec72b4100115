"""Write the results and the store that the charts of docs/gallery.md show.

    python examples/make_gallery.py build/gallery

The folder gets `search.json`, the results of four retrievers, and `nights.db`, a store with 30 nights. Every ranking comes
from a real retriever. Only the times and the nights are invented, so that the charts are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import assay
from assay.store import Store

BENCHMARK = "rag-template"
METRICS = ["ndcg@10", "recall@10", "mrr", "latency"]
MILLISECONDS = {"bm25": 1.2, "tfidf_chars": 2.9, "dense": 9.5, "hybrid(bm25, dense)": 14.0}
"""Retriever → its invented mean time for a query."""
BEGIN = datetime(2026, 10, 1, 2, 30, tzinfo=UTC)
NIGHTS, BASELINE, FAULT = 30, 8, 21
"""The number of nights, the night on which a baseline is blessed, and the first night with fewer documents in the index."""
LOST = 0.12
"""Share of the documents that the index loses."""


def main() -> None:
    """Read the folder from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    write_results(folder / "search.json")
    write_store(folder / "nights.db")


def write_results(path: Path) -> None:
    """Evaluate the four retrievers, and write their results into one file, with invented times."""
    results = []
    for name, mean in MILLISECONDS.items():
        result = assay.run(BENCHMARK, name, METRICS, name=name)
        result.save(path)
        [saved] = json.loads(path.read_text(encoding="utf-8"))["results"]
        results.append(with_times(saved, mean))
    whole = {**json.loads(path.read_text(encoding="utf-8")), "results": results}
    path.write_text(json.dumps(whole), encoding="utf-8")


def with_times(saved: dict[str, Any], mean: float) -> dict[str, Any]:
    """The saved result with seeded times around a mean."""
    rng = random.Random(saved["name"])  # noqa: S311 (example data, not secrets)
    times = {query: round(mean * rng.uniform(0.7, 1.3), 3) for query in saved["per_query"]}
    per_query = {query: {**scores, "latency": times[query]} for query, scores in saved["per_query"].items()}
    summary = {**saved["summary"], "latency": sum(times.values()) / len(times)}
    return {**saved, "per_query": per_query, "summary": summary}


def write_store(path: Path) -> None:
    """Save a result for each night. From one night on, the index lacks an eighth of the documents."""
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        file.unlink(missing_ok=True)
    with Store.open(path) as store:
        for night in range(NIGHTS):
            name = store.save([at(night, nightly(night))])
            if night == BASELINE:
                store.bless(name, "main")


def nightly(night: int) -> assay.Result:
    """The result of one night: a search with a little noise, whose index is smaller after the fault."""
    exact = assay.run(BENCHMARK, "bm25", METRICS[:2])
    rng = random.Random(f"night {night}")  # noqa: S311 (example data, not secrets)
    lost = random.Random("lost documents")  # noqa: S311
    documents = sorted({document for ranking in exact.run.values() for document in ranking})
    missing = {document for document in documents if lost.random() < LOST} if night >= FAULT else set()
    run = {
        query: {document: score + rng.gauss(0, 0.4) for document, score in ranking.items() if document not in missing}
        for query, ranking in exact.run.items()
    }
    dataset = assay.load_dataset(BENCHMARK)
    return assay.evaluate(dataset, run, METRICS[:2], name="search")


def at(night: int, result: assay.Result) -> assay.Result:
    """The result as if it had been evaluated in that night."""
    started = BEGIN + timedelta(days=night)
    times = {"started": started.isoformat(), "finished": (started + timedelta(minutes=2)).isoformat()}
    return result.with_fields(benchmark=BENCHMARK, provenance={**(result.provenance or {}), **times})


if __name__ == "__main__":
    main()
