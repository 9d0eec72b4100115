"""Spark frames: what counts as a table in Spark, and which of its columns hold what, checked before a job starts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import DataError, UsageError
from assay.extras import check_extra
from assay.files import is_spark_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TEXTS = ("string", "char", "varchar")
IDS = (*TEXTS, "tinyint", "smallint", "int", "bigint")
"""Types of ids, as Spark names them."""
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
"""Types of scores and ranks."""
GRADES = (*NUMBERS, *TEXTS, "boolean")
"""Types of grades, which are collected and read as those of any other table."""


def check_spark(subject: str) -> None:
    """Raise an error with the command that installs Spark, if it is missing."""
    check_extra(subject, "spark", "pyspark", "pyarrow")


def as_spark_frame(value: Any, what: str) -> DataFrame:
    """A DataFrame of Spark or of pandas-on-Spark that can be read now; an error for anything else. `what` is its subject."""
    if not is_spark_frame(value):
        raise UsageError(f"the {what} must be a DataFrame of Spark, not {_kind_of(value)}. {_way_to_spark(value)}")
    frame: DataFrame = _without_index(value) if type(value).__module__.startswith("pyspark.pandas") else value
    _check_session(frame, what)
    if frame.isStreaming:
        raise UsageError(f"the {what} is a stream, which has no end. Write it to a table first, and score the table")
    return frame


def _without_index(value: Any) -> DataFrame:
    """The columns of a frame of pandas-on-Spark, which warns that the index is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame: DataFrame = value.to_spark()
    return frame


def _kind_of(value: object) -> str:
    """The type of a value, with its package: `DataFrame of pandas`."""
    package = type(value).__module__.partition(".")[0]
    return type(value).__name__ if package == "builtins" else f"{type(value).__name__} of {package}"


def _way_to_spark(value: object) -> str:
    if isinstance(value, str):
        return f"For a table or view: spark.table({value!r}); for files: spark.read.parquet({value!r})"
    return "For other data: assay.evaluate; to move it to Spark: spark.createDataFrame(…)"


def _check_session(frame: DataFrame, what: str) -> None:
    """Raise if the session of a frame was stopped: Spark itself then fails without a message."""
    try:
        is_stopped = bool(getattr(frame.sparkSession, "is_stopped", False))  # only sessions of Spark Connect have it
        frame.sparkSession.range(1)
    except AttributeError:  # a classic session without a SparkContext
        is_stopped = True
    if is_stopped:
        raise UsageError(f"the Spark session of the {what} was stopped. Start a session, and read the table again")


def column_types(frame: DataFrame) -> dict[str, str]:
    """Column → its type, as Spark names it without parameters."""
    return {field.name: field.dataType.simpleString().partition("(")[0].partition(" ")[0] for field in frame.schema.fields}


def column(name: str) -> Any:
    """A column by its exact name."""
    from pyspark.sql import functions as F  # noqa: N812 (as everyone calls it)

    return F.col("`" + name.replace("`", "``") + "`")


def roles_of(find: Callable[[], dict[str, str]], source: str, value: str) -> dict[str, str]:
    """Role → its column; an error also says how to name columns in Python. `value` usually names the numbers."""
    try:
        return find()
    except DataError as error:
        in_python = f"columns={{'query_id': 'NAME', 'doc_id': 'NAME', {value!r}: 'NAME'}}"
        raise DataError(f"{error.what}. In Python: {in_python}", source=source) from None


def check_columns(frame: DataFrame, source: str, needed: Mapping[str, tuple[str, Sequence[str]]]) -> None:
    """Raise for a column of a wrong type, or one that Spark cannot tell apart from another one.

    `needed` has what each column holds, and the types that it may have.
    """
    types = column_types(frame)
    counts = Counter(name.lower() for name in frame.columns)
    for name, (what, allowed) in needed.items():
        if types[name] not in allowed:
            target = "string" if allowed is IDS else "double"
            raise DataError(
                f"the column {name!r} holds {what}, so it must have one of the types {', '.join(allowed)}, not "
                f"{types[name]}. To convert it: df.withColumn({name!r}, df[{name!r}].cast({target!r}))",
                source=source,
            )
        if counts[name.lower()] > 1:
            message = f"the table has {counts[name.lower()]} columns called {name!r}. Rename or drop all but one"
            raise DataError(message, source=source)
