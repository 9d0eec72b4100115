"""Collected ids: the few ids of a run that leave Spark, as examples in messages and as the best documents of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.model import Qrels, RankRule
from assay.spark.run_table import DOCUMENT, QUERY, SCORE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def first_ids(frame: DataFrame, most: int) -> tuple[Sequence[str], Sequence[str]]:
    """Some ids of queries and of documents, sorted."""
    rows = frame.select(QUERY, DOCUMENT).limit(most).collect()
    return sorted({row[QUERY] for row in rows}), sorted({row[DOCUMENT] for row in rows})


def first_unjudged(frame: DataFrame, qrels: Qrels, most: int) -> tuple[str, ...]:
    """The first queries without judgments."""
    others = frame.select(QUERY).distinct().join(_judged(frame, qrels), [QUERY], "left_anti")
    return tuple(row[QUERY] for row in others.orderBy(QUERY).limit(most).collect())


def best_documents(frame: DataFrame, qrels: Qrels, k: int, rule: RankRule) -> dict[str, list[str]]:
    """The first k documents of each judged query, best first."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    judged = frame.join(_judged(frame, qrels), [QUERY], "left_semi")
    if rule.drop_self:
        judged = judged.filter(F.col(QUERY) != F.col(DOCUMENT))
    score = F.col(SCORE).cast("float") if rule.precision == "float32" else F.col(SCORE)
    document = F.col(DOCUMENT).asc() if rule.ties == "docid_asc" else F.col(DOCUMENT).desc()
    place = F.row_number().over(Window.partitionBy(QUERY).orderBy(score.desc(), document)).alias("place")
    rows = judged.select(QUERY, DOCUMENT, place).filter(F.col("place") <= k).orderBy(QUERY, "place").collect()
    best: dict[str, list[str]] = {}
    for row in rows:
        best.setdefault(row[QUERY], []).append(row[DOCUMENT])
    return best


def _judged(frame: DataFrame, qrels: Qrels) -> DataFrame:
    """The judged queries, for a join."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    return F.broadcast(frame.sparkSession.createDataFrame(pa.table({QUERY: pa.array(qrels.query_ids, pa.string())})))
