"""Judgments and a run as Parquet files, which the processes of a cluster read, and what `assay.evaluate` finds in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

METRICS = ["ndcg@10", "map", "mrr", "recall@100", "bpref", "judged@10"]


class Tables(NamedTuple):
    """The two files."""

    qrels: str
    run: str


class Outcome(NamedTuple):
    """What must be equal for every engine: fingerprints, counts of queries, and the score of each query."""

    fingerprints: dict[str, str]
    counts: dict[str, int]
    scores: dict[str, dict[str, float]]


def outcome(result: Any) -> Outcome:
    """That of a result."""
    return Outcome(dict(result.fingerprints), dict(result.counts), {name: result.scores(name) for name in METRICS})


def write_tables(folder: Path, n_queries: int, n_docs: int, n_files: int = 4, seed: int = 0) -> Tables:
    """A run whose scores are often equal, in files of mixed rows; 20 judgments a query, half of them retrieved."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    query_ids = np.array([f"q{number}" for number in range(n_queries)])
    numbers = np.arange(n_queries * n_docs)
    run = pd.DataFrame(
        {
            "query_id": np.repeat(query_ids, n_docs),
            "doc_id": [f"d{number}" for number in (numbers * 7) % (n_docs * 3)],
            "score": np.round(rng.gamma(2, 3, len(numbers)), 1),
        }
    )
    run = run.drop_duplicates(["query_id", "doc_id"]).sample(frac=1, random_state=seed)
    (folder / "run").mkdir(parents=True)
    for number in range(n_files):
        run.iloc[number::n_files].to_parquet(folder / "run" / f"part-{number}.parquet", index=False)
    hits = run.groupby("query_id", sort=True).head(10)[["query_id", "doc_id"]]
    others = pd.DataFrame(
        {"query_id": np.repeat(query_ids, 10), "doc_id": [f"m{number}" for number in range(n_queries * 10)]}
    )
    judged = pd.concat([hits, others], ignore_index=True)
    judged["relevance"] = rng.integers(-1, 4, len(judged)).astype("int64")
    judged.to_parquet(folder / "qrels.parquet", index=False)
    return Tables(str(folder / "qrels.parquet"), str(folder / "run"))


def evaluate_locally(tables: Tables) -> Outcome:
    """Without Spark."""
    import pandas as pd

    import assay

    return outcome(assay.evaluate(pd.read_parquet(tables.qrels), pd.read_parquet(tables.run), METRICS))


def evaluate_on(spark: Any, tables: Tables, form: str) -> Outcome:
    """With Spark, in one of its forms. Drivers call this by its name."""
    import assay.spark

    qrels, run = spark.read.parquet(tables.qrels), spark.read.parquet(tables.run)
    return outcome(assay.spark.evaluate(qrels, run, METRICS, form=form))
