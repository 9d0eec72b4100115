"""Run tables: which columns of a DataFrame hold the run, the query, the document and the score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import BadParameter, DataError
from assay.files import find_run_columns, fold
from assay.spark.spark_frames import IDS, NUMBERS, as_spark_frame, check_columns, column, roles_of
from assay.text import shortened

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RUN, QUERY, DOCUMENT, SCORE = "run", "query", "document", "score"
"""The columns of a prepared table. A table of a single run has an empty name in each row."""


@dataclass(frozen=True)
class RunTable:
    """Runs as a DataFrame with the columns run, query, document and score; nothing has been computed yet."""

    frame: DataFrame
    has_runs: bool
    """Whether a column names the run of each row."""
    is_unique: bool = False
    """Whether no document appears twice for a query, so that this is not checked again."""

    def label(self, run: str) -> str:
        """What an error calls a run."""
        return f"run {run}" if self.has_runs else "run"


def run_table(source: Any, run_col: str | None) -> RunTable:
    """The rows of runs in a DataFrame; an error if a column is missing or has a wrong type."""
    frame = as_spark_frame(source, "run")
    from pyspark.sql import functions as F  # noqa: N812

    name = None if run_col is None else _run_column(frame.columns, run_col)
    others = [other for other in dict.fromkeys(frame.columns) if other != name]
    roles = roles_of(lambda: find_run_columns(others), "run", "score")
    value = roles.get("score", roles.get("rank", ""))
    needed = {
        roles["query"]: ("ids of queries", IDS),
        roles["document"]: ("ids of documents", IDS),
        value: ("scores" if "score" in roles else "ranks", NUMBERS),
    }
    check_columns(frame, "run", needed if name is None else {**needed, name: ("names of runs", IDS)})
    score = column(value).cast("double")
    return RunTable(
        frame.select(
            (F.lit("") if name is None else column(name).cast("string")).alias(RUN),
            column(roles["query"]).cast("string").alias(QUERY),
            column(roles["document"]).cast("string").alias(DOCUMENT),
            (score if "score" in roles else -score).alias(SCORE),
        ),
        name is not None,
    )


def _run_column(columns: Iterable[str], run_col: str) -> str:
    """The column that names runs: of this name, or else one whose name differs only in spelling, as for other columns."""
    if not isinstance(run_col, str):
        raise BadParameter(f"run_col must be the name of a column, such as 'system', not {shortened(run_col)}")
    names = list(columns)
    name = run_col if run_col in names else next((other for other in names if fold(other) == fold(run_col)), None)
    if name is None:
        raise DataError(f"found no column {run_col!r} among {', '.join(map(repr, names))}; run_col names it", source="run")
    return name
