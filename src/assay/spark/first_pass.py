"""The first pass of the counting form: judged documents with their scores, and the length of each ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Bools, Floats, Ints
from assay.model import Qrels
from assay.spark.arrow_columns import floats_of, numbers_of
from assay.spark.faults import RowFault, raise_first
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE, RunTable
from assay.spark.session import collected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

JUDGMENT, NUMBER = "judgment", "number"
ROWS, ROWS_OF_SELF = "n", "n_self"
"""How many rows there are, and in how many of them the document has the id of the query."""
BOUNDS = ("low", "high", "low_other", "high_other")
"""The lowest and highest score; of all documents, and of those that do not have the id of their query."""
NONE = -1
"""The number of a query or document without judgments."""


@dataclass(frozen=True, eq=False)
class FirstPass:
    """For each judged document of each run a row; and for each judged query of each run a row for its other documents."""

    runs: tuple[str, ...]
    run: Ints
    """For each row, the number of its run."""
    query: Ints
    judgment: Ints
    columns: Mapping[str, NDArray[Any]]
    n_extra: Ints
    """For each run, the number of queries without judgments."""

    @cached_property
    def is_judged(self) -> Bools:
        """Which rows are judged documents."""
        return self.judgment != NONE

    @property
    def score(self) -> Floats:
        """For each row of a judged document, its score."""
        return self.columns["low"]

    @property
    def is_self(self) -> Bools:
        """Whether the document of a row has the id of its query."""
        return self.columns[ROWS_OF_SELF] > 0

    def lengths(self, run: int, *, drop_self: bool) -> tuple[Ints, Ints, int]:
        """The judged queries of a run, their lengths, and how many of them have the same score for all documents."""
        own = np.flatnonzero((self.run == run) & (self.query != NONE))
        query, which = np.unique(self.query[own], return_inverse=True)
        rows = self.columns[ROWS][own] - (self.columns[ROWS_OF_SELF][own] if drop_self else 0)
        length = np.bincount(which, rows, minlength=len(query)).astype(np.int64)
        low, high = np.full(len(query), np.inf), np.full(len(query), -np.inf)
        suffix, some = "_other" if drop_self else "", rows > 0
        np.minimum.at(low, which[some], self.columns[f"low{suffix}"][own][some])
        np.maximum.at(high, which[some], self.columns[f"high{suffix}"][own][some])
        return query, length, int(((length > 1) & (low == high)).sum())


def first_pass(table: RunTable, qrels: Qrels) -> FirstPass:
    """Join the rows with the judgments and count them; an error for a bad row, or a judged document that appears twice."""
    from pyspark.sql import functions as F  # noqa: N812

    judged, queries = _judgment_tables(table.frame, qrels)
    by_judgment = _by_judgment(table.frame.join(F.broadcast(judged), [QUERY, DOCUMENT], "left"))
    numbered = by_judgment.join(F.broadcast(queries), [QUERY], "left")
    rows = numbered.groupBy(RUN, NUMBER, JUDGMENT).agg(
        *(F.sum(name).alias(name) for name in (ROWS, ROWS_OF_SELF)),
        *(_bound(name)(name).alias(name) for name in BOUNDS),
        F.count(F.lit(1)).alias("n_queries"),
        F.min("bad").alias("bad"),
    )
    # as columns of their own: Arrow refuses a missing struct whose fields cannot be null
    counted = rows.select("*", F.isnotnull("bad").alias("is_bad"), "bad.bad_query", "bad.bad_document", "bad.bad_score")
    summed = collected(counted.drop("bad"))
    _check(summed, table, qrels)
    return _of_arrow(summed)


def _judgment_tables(frame: DataFrame, qrels: Qrels) -> tuple[DataFrame, DataFrame]:
    """The judged documents and the judged queries with their numbers."""
    import pyarrow as pa

    session = frame.sparkSession
    query_of = [qrels.query_ids[number] for number in qrels.query_of.tolist()]
    judged = {QUERY: query_of, DOCUMENT: qrels.docs, JUDGMENT: np.arange(len(qrels.docs))}
    queries = {QUERY: list(qrels.query_ids), NUMBER: np.arange(len(qrels))}
    ids = [(QUERY, pa.string()), (DOCUMENT, pa.string())]
    return (
        session.createDataFrame(pa.table(judged, schema=pa.schema([*ids, (JUDGMENT, pa.int64())]))),
        session.createDataFrame(pa.table(queries, schema=pa.schema([ids[0], (NUMBER, pa.int64())]))),
    )


def _by_judgment(joined: DataFrame) -> DataFrame:
    """For each query of a run, a row for each judged document, and one for all others."""
    from pyspark.sql import functions as F  # noqa: N812

    is_self = F.coalesce(F.col(QUERY) == F.col(DOCUMENT), F.lit(False))
    other = F.when(~is_self, F.col(SCORE))
    is_bad = F.isnull(SCORE) | F.isnan(SCORE) | (F.coalesce(QUERY, F.lit("")) == "")
    is_bad |= F.coalesce(DOCUMENT, F.lit("")) == ""
    bad = F.when(is_bad, F.struct(*(F.col(name).alias(f"bad_{name}") for name in (QUERY, DOCUMENT, SCORE))))
    return joined.groupBy(RUN, QUERY, JUDGMENT).agg(
        F.count(F.lit(1)).alias(ROWS),
        F.sum(is_self.cast("bigint")).alias(ROWS_OF_SELF),
        *(_bound(name)(other if name.endswith("other") else F.col(SCORE)).alias(name) for name in BOUNDS),
        F.min(bad).alias("bad"),
    )


def _bound(name: str) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    return F.min if name.startswith("low") else F.max


def _check(summed: Any, table: RunTable, qrels: Qrels) -> None:
    """Raise for the first bad row, or the first judged document that appears twice."""
    bad = summed.filter(summed.column("is_bad")).select([RUN, "bad_query", "bad_document", "bad_score"]).to_pydict()
    raise_first((RowFault.of_row(*row) for row in zip(*bad.values(), strict=True)), table)
    runs, judgments, n_rows = (summed.column(name).to_pylist() for name in (RUN, JUDGMENT, ROWS))
    twice = [(run, number) for run, number, n in zip(runs, judgments, n_rows, strict=True) if number is not None and n > 1]
    raise_first((RowFault.of_duplicate(run, *_ids(qrels, number)) for run, number in twice), table)


def _ids(qrels: Qrels, judgment: int) -> tuple[str, str]:
    """Query and document of a judgment."""
    return qrels.query_ids[int(qrels.query_of[judgment])], qrels.docs[judgment]


def _of_arrow(summed: Any) -> FirstPass:
    import pyarrow.compute as pc

    runs = summed.column(RUN).to_pylist()
    names = tuple(sorted(set(runs)))
    place = {name: number for number, name in enumerate(names)}
    run = np.fromiter(map(place.__getitem__, runs), np.int64, len(runs))
    query, judgment = (numbers_of(pc.fill_null(summed.column(name), NONE)) for name in (NUMBER, JUDGMENT))
    n_extra = np.zeros(len(names), dtype=np.int64)
    n_extra[run[query == NONE]] = numbers_of(summed.column("n_queries"))[query == NONE]
    columns: dict[str, NDArray[Any]] = {name: numbers_of(summed.column(name)) for name in (ROWS, ROWS_OF_SELF)}
    columns |= {name: floats_of(pc.fill_null(summed.column(name), np.nan)) for name in BOUNDS}
    return FirstPass(names, run, query, judgment, columns, n_extra)
