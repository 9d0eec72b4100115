"""Results to be stored: small ones that differ by a number; and a database that is changed behind the store's back."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import zstandard

import assay
from assay import Query, Result
from assay.evaluation import Confidence

METRICS = ("ndcg@10", "mrr", "num_ret", "relstring")
DAY = "2026-11-15T09:30:00+00:00"
"""A moment to save results at."""


def result_of(number: int = 0, benchmark: str = "small", provider: str = "bm25", started: str | None = None) -> Result:
    """Three queries, rankings that depend on the number, an interval, a failure and where it comes from."""
    qrels = {f"q{query}": {f"d{query}": 1, f"d{query + 1}": 2} for query in range(3)}
    run = {
        f"q{query}": {f"d{(query + rank + number) % 7}": 9.5 - rank - number / 1000 for rank in range(4)}
        for query in range(2)
    }
    result = assay.evaluate(qrels, run, METRICS, name=provider)
    described = {"name": benchmark, "version": "1.0", "format": "", "fingerprints": {"queries": "aa"}}
    return result.with_fields(
        benchmark=benchmark,
        run=run,
        queries={name: Query(name, f"words of {name}", metadata={"language": "de"}) for name in qrels},
        intervals={"ndcg@10": Confidence(0.1, 0.9, 0.95, "bootstrap")},
        failures={"q2": "TimeoutError: it took too long"},
        provenance={
            "dataset": described,
            "provider": {"name": provider, "configuration": {"number": number}},
            **({"started": started} if started else {}),
        },
    )


def execute(url: str | Path, *statements: str, values: tuple[Any, ...] = ()) -> list[Any]:
    """What the last of some statements gives, in the database of a store that knows nothing of it."""
    if str(url).startswith("postgresql"):
        import psycopg

        with psycopg.connect(str(url), autocommit=True) as server:
            cursors = [server.execute(statement) for statement in statements]
            return cursors[-1].fetchall() if cursors[-1].description else []
    with sqlite3.connect(str(url).removeprefix("sqlite:///")) as database:
        rows = [database.execute(statement, values).fetchall() for statement in statements]
    database.close()
    return rows[-1]


def lines_of(file: Path) -> list[Any]:
    """The lines of an export."""
    with zstandard.open(file, "rb") as stream:
        return [json.loads(line) for line in stream.read().splitlines()]


def write_lines(file: Path, lines: list[Any]) -> Path:
    """An export of such lines."""
    file.write_bytes(zstandard.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
    return file
