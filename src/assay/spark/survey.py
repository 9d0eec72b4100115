"""Surveys: how many rows each run and its longest ranking have, which decides how the runs are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.errors import DataError
from assay.spark.run_table import QUERY, RUN, RunTable


@dataclass(frozen=True)
class Size:
    """The size of one run."""

    n_rows: int
    longest: int
    """The rows of its longest ranking."""


@dataclass(frozen=True)
class Survey:
    """The size of each run."""

    sizes: Mapping[str, Size]

    @property
    def n_rows(self) -> int:
        """The rows of all runs."""
        return sum(size.n_rows for size in self.sizes.values())

    @property
    def largest_run(self) -> int:
        """The rows of the largest run."""
        return max((size.n_rows for size in self.sizes.values()), default=0)

    @property
    def longest(self) -> int:
        """The rows of the longest ranking."""
        return max((size.longest for size in self.sizes.values()), default=0)


def survey_of(table: RunTable) -> Survey:
    """Count the rows. This reads only the columns of runs and queries; an empty table is an error."""
    from pyspark.sql import functions as F  # noqa: N812

    lengths = table.frame.groupBy(RUN, QUERY).agg(F.count(F.lit(1)).alias("n"))
    rows = lengths.groupBy(RUN).agg(F.sum("n").alias("rows"), F.max("n").alias("longest")).collect()
    if not rows:
        raise DataError("the table has no rows. Check the path and the filters of the DataFrame", source="run")
    if unnamed := [row for row in rows if not row[RUN] and table.has_runs]:
        message = f"{unnamed[0]['rows']:,} rows do not name their run. Fill in the column that run_col names, or remove them"
        raise DataError(message, source="run")
    return Survey({row[RUN]: Size(row["rows"], row["longest"]) for row in rows})
