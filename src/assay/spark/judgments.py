"""Judgments for Spark: from anything that holds judgments, or from a DataFrame of Spark, which is collected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.datasets import BenchmarkDataset
from assay.errors import DataError, UsageError
from assay.evaluation import load_ground_truth, scored_judgments
from assay.files import find_columns
from assay.model import Qrels, Query
from assay.spark.run_table import column, is_spark_frame
from assay.spark.shipping import Shipped
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
    truth = load_ground_truth(source, kind="" if isinstance(source, BenchmarkDataset) else "judgments")
    return (scored_judgments(truth), truth.queries) if isinstance(truth, BenchmarkDataset) else (truth, {})


def _of_frame(frame: Any) -> Qrels:
    try:
        roles = find_columns(frame.columns, ("query", "document", "grade"), ("subtopic", "iteration"))
    except DataError as error:
        raise error.at("judgments") from None
    n_rows = frame.limit(MAX_JUDGMENTS + 1).count()
    if not n_rows:
        raise DataError("the table has no rows. Check the path and the filters of the DataFrame", source="judgments")
    if n_rows > MAX_JUDGMENTS:
        raise UsageError(f"the judgments have more than {counted(MAX_JUDGMENTS, 'row')}. {WAY_OUT}")
    return Qrels(frame.select(*map(column, dict.fromkeys(roles.values()))).toArrow())


def shipped_judgments(qrels: Qrels) -> Shipped[Qrels]:
    """The judgments as bytes; an error if they are too large for the workers."""
    shipped = Shipped.of(qrels)
    if shipped.is_too_large:
        raise UsageError(f"{counted(len(qrels.docs), 'judgment')} ({shipped.size}) cannot be sent to the workers. {WAY_OUT}")
    return shipped
