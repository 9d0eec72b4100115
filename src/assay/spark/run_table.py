"""Run tables: which columns of a DataFrame hold the run, the query, the document and the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import DataError, UsageError
from assay.extras import check_extra
from assay.files import find_run_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RUN, QUERY, DOCUMENT, SCORE = "run", "query", "document", "score"
"""The columns of a prepared table. A table of a single run has an empty name in each row."""
IDS = ("string", "char", "varchar", "tinyint", "smallint", "int", "bigint")
"""Types of ids, as Spark names them."""
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
"""Types of scores and ranks."""


def check_spark(subject: str) -> None:
    """Raise an error with the command that installs Spark, if it is missing."""
    check_extra(subject, "spark", "pyspark", "pyarrow")


def is_spark_frame(value: object) -> bool:
    """Whether a value is a DataFrame of Spark, of a classic session or of Spark Connect. Nothing is imported."""
    return any(kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql") for kind in type(value).__mro__)


def _kind_of(value: object) -> str:
    """The type of a value, with its package: `DataFrame of pandas`."""
    package = type(value).__module__.partition(".")[0]
    return type(value).__name__ if package == "builtins" else f"{type(value).__name__} of {package}"


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


def run_table(frame: Any, run_col: str | None) -> RunTable:
    """The rows of runs in a DataFrame; an error if a column is missing or has a wrong type."""
    check_spark("runs in Spark need")
    if not is_spark_frame(frame):
        raise UsageError(
            f"the run must be a DataFrame of Spark, not {_kind_of(frame)}. For other data: assay.evaluate; to move it to "
            "Spark: spark.createDataFrame(…)"
        )
    from pyspark.sql import functions as F  # noqa: N812 (as everyone calls it)

    types = column_types(frame)
    try:
        roles = find_run_columns([name for name in types if name != run_col])
    except DataError as error:
        raise error.at("run") from None
    value = roles.get("score", roles.get("rank", ""))
    _check_type(types, roles["query"], IDS, "ids of queries", f"cast('{roles['query']}' as string)")
    _check_type(types, roles["document"], IDS, "ids of documents", "string")
    _check_type(types, value, NUMBERS, "scores", "double")
    if run_col is not None:
        if run_col not in types:
            raise DataError(
                f"found no column {run_col!r} among {', '.join(map(repr, types))}; run_col names it", source="run"
            )
        _check_type(types, run_col, IDS, "names of runs", "string")
    used = [roles["query"], roles["document"], value, *([] if run_col is None else [run_col])]
    _check_unambiguous(frame, used)
    score = column(value).cast("double")
    return RunTable(
        frame.select(
            (F.lit("") if run_col is None else column(run_col).cast("string")).alias(RUN),
            column(roles["query"]).cast("string").alias(QUERY),
            column(roles["document"]).cast("string").alias(DOCUMENT),
            (score if "score" in roles else -score).alias(SCORE),
        ),
        run_col is not None,
    )


def column_types(frame: DataFrame) -> dict[str, str]:
    """Column → its type, as Spark names it without parameters."""
    return {field.name: field.dataType.simpleString().partition("(")[0].partition(" ")[0] for field in frame.schema.fields}


def column(name: str) -> Any:
    """A column by its exact name."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.col("`" + name.replace("`", "``") + "`")


def _check_type(types: Mapping[str, str], name: str, allowed: Sequence[str], what: str, target: str) -> None:
    if types[name] in allowed:
        return
    raise DataError(
        f"the column {name!r} holds {what}, so it must have one of the types {', '.join(allowed)}, not {types[name]}. "
        f"To convert it: df.withColumn({name!r}, df[{name!r}].cast({target!r}))",
        source="run",
    )


def _check_unambiguous(frame: DataFrame, names: Sequence[str]) -> None:
    """Raise for a name that several columns have, which Spark cannot tell apart."""
    counts = Counter(name.lower() for name in frame.columns)
    for name in names:
        if counts[name.lower()] > 1:
            raise DataError(
                f"the table has {counts[name.lower()]} columns called {name!r}. Rename or drop all but one", source="run"
            )
