"""Duplicates: documents that appear twice for a query, found without bringing the rows together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.spark.faults import RowFault, raise_first
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE, RunTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check_duplicates(table: RunTable) -> None:
    """Raise for a document that appears twice for a query.

    Rows with the same ids have the same hash, so only hashes are shuffled. If two rows share one, the ids decide.
    """
    from pyspark.sql import functions as F  # noqa: N812

    hashes = table.frame.groupBy(F.xxhash64(RUN, QUERY, DOCUMENT).alias("hash")).agg(F.count(F.lit(1)).alias("n"))
    if not hashes.filter(F.col("n") > 1).limit(1).collect():
        return
    pairs = table.frame.groupBy(RUN, QUERY, DOCUMENT).agg(F.count(F.lit(1)).alias("n")).filter(F.col("n") > 1)
    first = pairs.orderBy(RUN, QUERY, DOCUMENT).limit(1).collect()
    raise_first((RowFault.of_duplicate(row[RUN], row[QUERY], row[DOCUMENT]) for row in first), table)


def keep_best(frame: DataFrame) -> DataFrame:
    """The rows with the best score of each document of a query. A missing score counts as nan, so that it stays visible."""
    from pyspark.sql import functions as F  # noqa: N812

    score = F.coalesce(SCORE, F.lit(float("nan")))
    return frame.groupBy(RUN, QUERY, DOCUMENT).agg(F.max(score).alias(SCORE))
