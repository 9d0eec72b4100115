"""Judgments and runs as Parquet: always 1,000 queries with the same judgments, and deeper rankings in larger runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks._data import FOLDER

METRICS = ("ndcg@10", "map", "mrr", "recall@100")
N_QUERIES = 1_000
N_FILES = 8
N_JUDGED = 50
"""Judgments of a query. Half of the judged documents are in every run."""


class Tables(NamedTuple):
    """The files of one size."""

    qrels: Path
    file: Path
    """The run as one file."""
    folder: Path
    """The same rows in several files."""


def make_tables(millions: int) -> Tables:
    """A run of so many million rows, written once and kept; for 0, ten thousand rows."""
    target = FOLDER / f"spark-{millions}"
    tables = Tables(target / "qrels.parquet", target / "run.parquet", target / "run")
    if not tables.qrels.exists():
        tables.folder.mkdir(parents=True, exist_ok=True)
        _write(tables, millions * 1_000 or 10)
    return tables


def _write(tables: Tables, n_docs: int) -> None:
    import duckdb

    rows = (
        f"SELECT 'q' || (i // {n_docs}) AS query_id, 'd' || (i % {n_docs}) AS doc_id, "
        f"(hash(i) % 1000000000000) / 1e10 AS score FROM range({N_QUERIES * n_docs}) AS rows(i)"
    )
    duckdb.execute(f"COPY ({rows}) TO '{tables.file}' (FORMAT parquet)")
    n_of_file = -(-N_QUERIES // N_FILES)
    for number in range(N_FILES):
        part = f"SELECT * FROM '{tables.file}' WHERE CAST(substr(query_id, 2) AS INT) // {n_of_file} = {number}"
        duckdb.execute(f"COPY ({part}) TO '{tables.folder / f'part-{number}.parquet'}' (FORMAT parquet)")
    step = max(1, min(n_docs, 1_000) * 2 // N_JUDGED)
    found = f"CASE WHEN j < {N_JUDGED // 2} THEN 'd' || (j * {step}) ELSE 'm' || j END"
    judgments = (
        f"SELECT 'q' || q AS query_id, {found} AS doc_id, CAST(hash(q * 1000 + j) % 4 AS INT) AS relevance "
        f"FROM range({N_QUERIES}) AS queries(q), range({N_JUDGED}) AS judged(j)"
    )
    duckdb.execute(f"COPY ({judgments}) TO '{tables.qrels}' (FORMAT parquet)")
