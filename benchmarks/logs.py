"""Search logs: ten million rows scored by assay and summed up by a bare DuckDB query with the same counts.

Run `python -m benchmarks.logs [searches]`. The log has 10 shown documents for each search. The two are measured in turns.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb

import assay

SEARCHES = 1_000_000
ROUNDS = 5
MAKE = """
COPY (
    SELECT 'u' || (hash(s) % {users}) AS user_id, 's' || s AS search_id, 'query ' || (hash(s + 1) % 50000) AS query,
        to_timestamp(1700000000 + hash(s + 2) % 2600000) AS time, 'd' || (hash(s * 10 + r) % 100000) AS doc_id,
        r + 1 AS rank, x AS clicked,
        CASE WHEN x THEN to_timestamp(1700000000 + hash(s + 2) % 2600000 + 2 + hash(s * 41 + r) % 60) END AS click_time,
        CASE WHEN x THEN (hash(s * 37 + r) % 1200) / 10.0 END AS dwell,
        CASE WHEN hash(hash(s) % {users}) % 2 = 0 THEN 'A' ELSE 'B' END AS variant
    FROM (SELECT s, r, (hash(s * 31 + r) % 1000) / 1000.0 < 0.3 / (r + 1) AS x
        FROM (SELECT unnest(range({searches})) AS s), (SELECT unnest(range(10)) AS r))
) TO '{path}' (FORMAT parquet)
"""
BARE = """
WITH searches AS (
    SELECT user_id, search_id, min(variant) AS variant, min(time) AS t, min(query) AS q, count(rank) AS n,
        count_if(clicked) AS n_clicked, count_if(clicked AND rank <= 10) AS clicked_10, count_if(rank <= 10) AS shown_10,
        sum(rank) FILTER (clicked) AS ranks, max(rank) FILTER (clicked) AS lowest,
        arg_min(rank, click_time) FILTER (clicked) AS first, min(click_time) AS first_time,
        bool_or(clicked AND rank <= 10 AND dwell >= 30) AS satisfied,
        list(dwell) FILTER (clicked) AS dwell
    FROM '{path}' GROUP BY user_id, search_id
), following AS (
    SELECT *, lead(t) OVER (PARTITION BY user_id ORDER BY t) AS next_t,
        lead(q) OVER (PARTITION BY user_id ORDER BY t) AS next_q
    FROM searches
)
SELECT user_id, variant, count(*), sum(n), sum(n_clicked), sum(clicked_10), sum(shown_10), sum(ranks), sum(lowest),
    sum(lowest - n_clicked), sum(1 / first), count_if(n > 0), count_if(n_clicked = 0), count_if(n = 0), count_if(satisfied),
    count_if(next_q <> q AND epoch(next_t - t) <= 300), median(epoch(first_time - t)), flatten(list(dwell))
FROM following GROUP BY user_id, variant
"""


def bare(path: Path) -> int:
    """The counts of each user, as arrays."""
    with duckdb.connect() as connection:
        return len(connection.execute(BARE.format(path=path)).fetchnumpy()["user_id"])


def ours(path: Path) -> Any:
    """The metrics with their intervals."""
    return assay.with_intervals(assay.evaluate_log(path))


def main(searches: int = SEARCHES) -> None:
    """Print the median times and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        with duckdb.connect() as connection:
            connection.execute(MAKE.format(searches=searches, users=searches // 5, path=path))
        times: dict[str, list[float]] = {"bare": [], "assay": []}
        for _ in range(ROUNDS):
            for name, run in (("bare", bare), ("assay", ours)):
                start = perf_counter()
                run(path)
                times[name].append(perf_counter() - start)
        medians = {name: sorted(taken)[ROUNDS // 2] for name, taken in times.items()}
        size = path.stat().st_size / 1e6
    print(f"{searches * 10:,} rows, {size:.0f} MB of Parquet")
    for name, seconds in medians.items():
        print(f"{name:6} {seconds:6.2f} s   (each: {', '.join(f'{each:.2f}' for each in times[name])})")
    print(f"ratio  {medians['assay'] / medians['bare']:6.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
