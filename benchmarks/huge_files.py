"""Two hundred million rows, as a TREC file and as Parquet: the peak must stay below 1 GB. Needs 11 GB of disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks._timing import Row, take_turns_as_processes, within
from benchmarks._trec_files import Shape, make_trec_files
from benchmarks.files import score_command

SHAPE = Shape(20_000, n_docs=10_000)


def measure() -> Iterator[Row]:
    """20,000 queries with 10,000 documents each."""
    qrels, run = make_trec_files(SHAPE)
    for kind, path in (("TREC", run), ("Parquet", _parquet(run))):
        cost = take_turns_as_processes(score_command(qrels, [path]), tries=1)[0]
        more = f"CPU {cost.cpu:.0f} s; wall {cost.wall:.0f} s"
        yield within(f"assay score, 200 M rows, {kind}: peak memory", "1,000 MB", cost.megabytes, 1000, 1, "MB", more)


def _parquet(run: Path) -> Path:
    """The same rows, written by DuckDB."""
    target = run.with_suffix(".parquet")
    if not target.exists():
        import duckdb

        unfinished = target.with_suffix(".part")
        types = {
            "query_id": "VARCHAR",
            "q0": "VARCHAR",
            "doc_id": "VARCHAR",
            "rank": "INT",
            "score": "DOUBLE",
            "tag": "VARCHAR",
        }
        duckdb.execute("SET preserve_insertion_order = true; SET memory_limit = '2GB'")
        duckdb.execute(
            f"COPY (SELECT query_id, doc_id, score FROM read_csv('{run}', delim = ' ', header = false, columns = {types})) "
            f"TO '{unfinished}' (FORMAT parquet)"
        )
        unfinished.rename(target)
    return target
