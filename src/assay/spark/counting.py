"""The counting form: rows stay where they are, and judged documents are counted in two passes.

The first pass finds judged documents by a join with the judgments, and counts the rows of each query. The second pass
counts, for each of them, the better and the equal rows of its query. Only sums are shuffled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import UsageError
from assay.files import ByteFields, JudgedHits, RankCounter, fields_of, placed_of
from assay.model import Qrels
from assay.spark.arrow_columns import floats_of, numbers_of, text_of
from assay.spark.counted_runs import CountedRun, Part, Scanned
from assay.spark.first_pass import FirstPass
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE
from assay.spark.session import collected
from assay.spark.shipping import Shipped
from assay.text import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RANKING, LOWEST, ENTRY = "ranking", "lowest", "entry"
COUNTS = ("better", "equal", "above")


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The judged documents of all runs, run by run and query by query, the best first: what rows are compared with."""

    names: Sequence[str]
    """The names of the runs."""
    qrels: Qrels
    precision: str
    run: Ints
    """For each document, the number of its run."""
    ranking: Ints
    """The number of its ranking, which is one query of one run."""
    judgment: Ints
    score: Floats

    @classmethod
    def of(cls, first: FirstPass, qrels: Qrels, scanned: Scanned) -> Thresholds:
        """Those that a scan compares."""
        rows = np.flatnonzero(first.is_judged & ~first.is_self if scanned.drop_self else first.is_judged)
        rows = rows[np.lexsort((-first.score[rows], first.query[rows], first.run[rows]))]
        run, query = first.run[rows], first.query[rows]
        is_first = np.ones(len(run), dtype=bool)
        is_first[1:] = (run[1:] != run[:-1]) | (query[1:] != query[:-1])
        ranking = np.cumsum(is_first) - 1
        return cls(first.runs, qrels, scanned.precision, run, ranking, first.judgment[rows], first.score[rows])

    def __len__(self) -> int:
        return len(self.judgment)

    def counter(self) -> Shipped[RankCounter]:
        """What workers count with; an error if it is too large to be sent to them."""
        documents = ByteFields.of([self.qrels.docs[number] for number in self.judgment.tolist()])
        hits = JudgedHits(self.judgment, self.ranking, self.score, np.zeros_like(self.judgment))
        shipped = Shipped.of(RankCounter(hits, documents, self.precision))
        if shipped.is_too_large:
            what = f"{counted(len(self), 'judged document')} of all runs ({shipped.size})"
            raise UsageError(f"{what} cannot be sent to the workers. Use form='grouped', or score fewer runs at a time")
        return shipped

    def rankings(self) -> Any:
        """A table of the rankings that have judged documents: run, query, number, and the lowest score that matters."""
        import pyarrow as pa

        last = np.append(np.flatnonzero(self.ranking[1:] != self.ranking[:-1]), len(self) - 1)
        with np.errstate(over="ignore"):
            lowest = self.score[last].astype(self.precision).astype(np.float64)
        queries = self.qrels.query_of[self.judgment[last]].tolist()
        return pa.table(
            {
                RUN: pa.array([self.names[number] for number in self.run[last].tolist()], pa.string()),
                QUERY: pa.array([self.qrels.query_ids[number] for number in queries], pa.string()),
                RANKING: self.ranking[last],
                LOWEST: lowest,
            }
        )


def counting_runs(frame: DataFrame, qrels: Qrels, first: FirstPass, scans: tuple[Scanned, ...]) -> dict[str, CountedRun]:
    """Run → what was counted."""
    parts: dict[str, list[Part]] = {run: [] for run in first.runs}
    for scanned in scans:
        thresholds = Thresholds.of(first, qrels, scanned)
        placed = placed_of(_count(frame, thresholds, scanned))
        for number, run in enumerate(first.runs):
            begin, end = np.searchsorted(thresholds.run, [number, number + 1]).tolist()
            rows = slice(begin, end)
            query, length, n_constant = first.lengths(number, drop_self=scanned.drop_self)
            n_extra = int(first.n_extra[number])
            part = Part(scanned, query, length, thresholds.judgment[rows], placed.where(rows), n_constant, n_extra, ())
            parts[run].append(part)
    return {run: CountedRun(some) for run, some in parts.items()}


def _count(frame: DataFrame, thresholds: Thresholds, scanned: Scanned) -> Ints:
    """The counts of a RankCounter over all rows."""
    counts = np.zeros((4, len(thresholds) + 1), dtype=np.int64)
    if not len(thresholds):
        return counts
    from pyspark.sql import functions as F  # noqa: N812

    shipped = thresholds.counter()
    rankings = frame.sparkSession.createDataFrame(thresholds.rankings())
    rows = frame.filter(F.col(QUERY) != F.col(DOCUMENT)) if scanned.drop_self else frame
    score = F.col(SCORE).cast("float").cast("double") if scanned.precision == "float32" else F.col(SCORE)
    rows = rows.join(F.broadcast(rankings), [RUN, QUERY]).filter(score >= F.col(LOWEST))
    schema = ", ".join(f"{name} bigint" for name in (ENTRY, *COUNTS))
    partial = rows.select(RANKING, DOCUMENT, SCORE).mapInArrow(lambda batches: count_batches(batches, shipped), schema)
    sums = collected(partial.groupBy(ENTRY).agg(*(F.sum(name).alias(name) for name in COUNTS)))
    entry = numbers_of(sums.column(ENTRY))
    for number, name in enumerate(COUNTS):
        counts[number, entry] = numbers_of(sums.column(name))
    return counts


def count_batches(batches: Any, shipped: Shipped[RankCounter]) -> Any:
    """Count the rows of a partition; a worker of Spark calls it with batches of Arrow."""
    import pyarrow as pa

    counter = shipped.content().empty()
    for batch in batches:
        documents = fields_of(text_of(batch.column(DOCUMENT)), 0, batch.num_rows)
        counter.add(numbers_of(batch.column(RANKING)), documents, floats_of(batch.column(SCORE)), 0)
    entry = np.flatnonzero(counter.counts[:3].any(axis=0))
    yield pa.RecordBatch.from_pydict({ENTRY: entry, **dict(zip(COUNTS, counter.counts[:3, entry], strict=True))})
