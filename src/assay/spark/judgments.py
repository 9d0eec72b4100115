"""Judgments for Spark: from anything that holds judgments, or from a DataFrame of Spark, which is collected."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.datasets import BenchmarkDataset
from assay.errors import DataError, Fault, UsageError
from assay.evaluation import load_ground_truth, scored_judgments
from assay.files import INTERVAL_ROLES, find_columns, is_spark_frame, refuse_intervals
from assay.model import Qrels, Query
from assay.spark.shipping import Shipped
from assay.spark.spark_frames import GRADES, IDS, as_spark_frame, check_columns, column, roles_of
from assay.text import counted

MAX_JUDGMENTS = 5_000_000
"""Judgments that a DataFrame may have; more are not collected."""
WAY_OUT = (
    "Workers receive all judgments, so score the queries in parts: filter the judgments and the run by query, for example "
    "by a hash of the query id. Or keep only the judgments of the queries in the run"
)


def collected_judgments(source: Any) -> tuple[Qrels, Mapping[str, Query]]:
    """The judgments in a source; and the texts and tags of queries, if it is a benchmark."""
    if is_spark_frame(source):
        return _of_frame(source), {}
    if isinstance(source, str | os.PathLike) and source != "-" and not Path(source).exists():
        way = f"For a table or view of Spark: spark.table({str(source)!r}); for files: spark.read.parquet({str(source)!r})"
        raise DataError(f"no such file. {way}", source=str(source))
    truth = load_ground_truth(source, kind="" if isinstance(source, BenchmarkDataset) else "judgments")
    return (scored_judgments(truth), truth.queries) if isinstance(truth, BenchmarkDataset) else (truth, {})


def _of_frame(source: Any) -> Qrels:
    frame = as_spark_frame(source, "judgments")
    roles = _roles(frame)
    n_rows = frame.limit(MAX_JUDGMENTS + 1).count()
    if not n_rows:
        raise DataError("the table has no rows. Check the path and the filters of the DataFrame", source="judgments")
    if n_rows > MAX_JUDGMENTS:
        raise UsageError(f"the judgments have more than {counted(MAX_JUDGMENTS, 'row')}. {WAY_OUT}")
    table = frame.select(*map(column, dict.fromkeys(roles.values()))).toArrow()
    try:
        return Qrels(table)
    except DataError as error:
        raise _with_ids(error, table.select([roles["query"], roles["document"]])) from None


def _roles(frame: Any) -> dict[str, str]:
    """Role → its column; an error for a table that cannot be read as judgments."""
    names, optional = tuple(dict.fromkeys(frame.columns)), ("subtopic", "iteration", *INTERVAL_ROLES)
    roles = roles_of(lambda: find_columns(names, ("query", "document", "grade"), optional), "judgments", "relevance")
    try:
        refuse_intervals(roles)
    except DataError as error:
        raise error.at("judgments") from None
    needed = {
        roles["query"]: ("ids of queries", IDS),
        roles["document"]: ("ids of documents", IDS),
        roles["grade"]: ("grades", GRADES),
    }
    check_columns(frame, "judgments", needed)
    return roles


def _with_ids(error: DataError, ids: Any) -> DataError:
    """The same error with query and document instead of the number of a row, which means nothing in Spark."""
    queries, documents = (["null" if value is None else value for value in values.to_pylist()] for values in ids.columns)
    faults = [
        Fault(fault.what, source=f"judgments, query {queries[fault.line - 1]}, document {documents[fault.line - 1]}")
        for fault in error.each_fault
        if fault.line is not None
    ]
    return DataError(error.what, sorted(faults), source="judgments") if faults else error


def shipped_judgments(qrels: Qrels) -> Shipped[Qrels]:
    """The judgments as bytes; an error if they are too large for the workers."""
    shipped = Shipped.of(qrels)
    if shipped.is_too_large:
        raise UsageError(f"{counted(len(qrels.docs), 'judgment')} ({shipped.size}) cannot be sent to the workers. {WAY_OUT}")
    return shipped
