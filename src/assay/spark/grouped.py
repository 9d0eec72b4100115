"""The grouped form: rows are brought together by run and by a part of the queries, and each group is counted as a file is.

It needs one shuffle of the rows. It finds every document that appears twice for a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Ints
from assay.errors import DataError
from assay.files import Batch, TextColumn, count_rows
from assay.model import EMPTY_ID, Qrels
from assay.spark.counted_runs import EXAMPLES, PART_SCHEMA, Part, Scanned, arrow_of_rows, fault_row
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE
from assay.spark.shipped_judgments import ShippedJudgments

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS_OF_GROUP = 250_000
"""About how many rows of a run a worker has in memory at once; a query is never split."""
BUCKET = "bucket"


def grouped_counts(frame: DataFrame, shipped: ShippedJudgments, scans: tuple[Scanned, ...], rows_per_run: int) -> DataFrame:
    """A row for each part of a run; see `Part`. `frame` has the columns of a run table."""
    from pyspark.sql import functions as F  # noqa: N812

    n_buckets = max(1, -(-rows_per_run // ROWS_OF_GROUP))
    bucket = F.pmod(F.xxhash64(QUERY), F.lit(n_buckets)) if n_buckets > 1 else F.lit(0).cast("long")
    grouped = frame.withColumn(BUCKET, bucket).groupBy(RUN, BUCKET)
    return grouped.applyInArrow(lambda table: count_group(table, shipped, scans), PART_SCHEMA)


def count_group(table: Any, shipped: ShippedJudgments, scans: tuple[Scanned, ...]) -> Any:
    """Count the rows of a group; a worker of Spark calls it with a table of Arrow."""
    run = table.column(RUN)[0].as_py()
    try:
        _check_values(table)
        rows = _count_all(table, shipped.qrels(), scans)
        content = [part.row(run) for part in rows]
    except DataError as error:
        query = error.source.removeprefix("run, query ") if error.source.startswith("run, query ") else ""
        content = [fault_row(run, query, error.what)]
    return arrow_of_rows(content)


def _count_all(table: Any, qrels: Qrels, scans: tuple[Scanned, ...]) -> list[Part]:
    ordered, names = _by_query(table)
    numbers = np.fromiter((qrels.numbers.get(name, -1) for name in names), np.int64, len(names))
    extra = tuple(sorted(name for name, number in zip(names, numbers.tolist(), strict=True) if number < 0))
    judged = numbers[numbers >= 0]
    parts = []
    for drop_self in dict.fromkeys(scanned.drop_self for scanned in scans):
        precisions = [scanned.precision for scanned in scans if scanned.drop_self == drop_self]
        counted = count_rows(_batch(_without_self(ordered) if drop_self else ordered), qrels, precisions)
        lengths = np.maximum(counted.length[judged], 0)
        for precision in precisions:
            parts.append(
                Part(
                    Scanned(precision, drop_self),
                    judged,
                    lengths,
                    counted.judgment,
                    counted.placed[precision],
                    counted.n_constant,
                    len(extra),
                    extra[:EXAMPLES],
                )
            )
    return parts


def _by_query(table: Any) -> tuple[Any, list[str]]:
    """The rows with those of a query together, in their order; and the queries."""
    import pyarrow as pa

    queries = pa.chunked_array(table.column(QUERY)).combine_chunks()
    encoded = queries.dictionary_encode()
    codes: Ints = encoded.indices.to_numpy(zero_copy_only=False)
    if (codes[1:] < codes[:-1]).any():
        table = table.take(pa.array(np.argsort(codes, kind="stable")))
    return table, encoded.dictionary.to_pylist()


def _without_self(table: Any) -> Any:
    import pyarrow.compute as pc

    return table.filter(pc.not_equal(table.column(QUERY), table.column(DOCUMENT)))


def _batch(table: Any) -> Batch:
    """The rows as the readers of blocks know them."""
    scores = table.column(SCORE).combine_chunks().to_numpy(zero_copy_only=False)
    return Batch(_text(table.column(QUERY)), _text(table.column(DOCUMENT)), scores)


def _text(column: Any) -> TextColumn:
    import pyarrow as pa

    array = pa.concat_arrays([chunk.cast(pa.large_string()) for chunk in column.chunks] or [pa.array([], pa.large_string())])
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return TextColumn(np.frombuffer(data or b"", dtype=np.uint8), ends)


def _check_values(table: Any) -> None:
    """Raise for the first row, by query and document, whose id is missing or whose score is not a number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    query, document, score = (table.column(name) for name in (QUERY, DOCUMENT, SCORE))
    is_bad = pc.or_(pc.is_null(score, nan_is_null=True), pc.or_(_is_empty(query), _is_empty(document)))
    if not pc.any(is_bad).as_py():
        return
    rows = table.filter(is_bad).select([QUERY, DOCUMENT, SCORE])
    order = pc.sort_indices(rows, sort_keys=[(QUERY, "ascending"), (DOCUMENT, "ascending")])
    query, document, score = (pa.table(rows).column(name)[order[0].as_py()].as_py() for name in (QUERY, DOCUMENT, SCORE))
    raise bad_row(query, document, score)


def _is_empty(column: Any) -> Any:
    import pyarrow.compute as pc

    return pc.or_(pc.is_null(column), pc.equal(pc.fill_null(column, ""), ""))


def bad_row(query: str | None, document: str | None, score: float | None) -> DataError:
    """The error for a row without an id, or without a number as its score."""
    place = f"run, query {query}" if query else "run"
    if query and document:
        message = f"the score of document {document} must be a number, not {'null' if score is None else score}"
        return DataError(message, source=place, code="score")
    missing = "query" if not query else "document"
    value = query if missing == "query" else document
    other = f" (its document is {document})" if not query and document else ""
    return DataError(EMPTY_ID if value == "" else f"the id of a {missing} is null{other}; fill it in", source=place)
