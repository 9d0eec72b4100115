"""The grouped form: rows are brought together by run and by a part of the queries, and each group is counted as a file is.

It needs one shuffle of the rows. It finds every document that appears twice for a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Ints
from assay.errors import DataError
from assay.files import Batch, count_rows
from assay.model import Qrels
from assay.spark.arrow_columns import floats_of, text_of
from assay.spark.counted_runs import EXAMPLES, PART_SCHEMA, Part, Scanned, arrow_of_rows, fault_row
from assay.spark.faults import RowFault
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE
from assay.spark.shipping import Shipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS_OF_GROUP = 250_000
"""About how many rows of a run a worker has in memory at once; a query is never split."""
BUCKET = "bucket"


def grouped_parts(frame: DataFrame, shipped: Shipped[Qrels], scans: tuple[Scanned, ...], largest_run: int) -> DataFrame:
    """A row for each part of a run; see `Part`. `frame` has the columns of a run table."""
    from pyspark.sql import functions as F  # noqa: N812

    n_buckets = max(1, -(-largest_run // ROWS_OF_GROUP))
    bucket = F.pmod(F.xxhash64(QUERY), F.lit(n_buckets)) if n_buckets > 1 else F.lit(0).cast("long")
    grouped = frame.withColumn(BUCKET, bucket).groupBy(RUN, BUCKET)
    return grouped.applyInArrow(lambda table: count_group(table, shipped, scans), PART_SCHEMA)


def count_group(table: Any, shipped: Shipped[Qrels], scans: tuple[Scanned, ...]) -> Any:
    """Count the rows of a group; a worker of Spark calls it with a table of Arrow."""
    run, text = table.column(RUN)[0].as_py(), table.schema.field(RUN).type
    if (bad := _first_bad_row(table, run)) is not None:
        return arrow_of_rows([fault_row(bad)], text)
    try:
        parts = _count_all(table, shipped.content(), scans)
    except DataError as error:
        if error.code != "duplicate":
            raise
        return arrow_of_rows([fault_row(_first_duplicate(table, run))], text)
    return arrow_of_rows([part.row(run) for part in parts], text)


def _count_all(table: Any, qrels: Qrels, scans: tuple[Scanned, ...]) -> list[Part]:
    ordered, names = _by_query(table)
    numbers = np.fromiter((qrels.numbers.get(name, -1) for name in names), np.int64, len(names))
    extra = tuple(sorted(name for name, number in zip(names, numbers.tolist(), strict=True) if number < 0))
    judged = numbers[numbers >= 0]
    parts = []
    for drop_self in dict.fromkeys(scanned.drop_self for scanned in scans):
        own = [scanned for scanned in scans if scanned.drop_self == drop_self]
        rows = _without_self(ordered) if drop_self else ordered
        batch = Batch(text_of(rows.column(QUERY)), text_of(rows.column(DOCUMENT)), floats_of(rows.column(SCORE)))
        counted = count_rows(batch, qrels, [scanned.precision for scanned in own])
        lengths = np.maximum(counted.length[judged], 0)  # a query whose only document is itself is empty, not missing
        examples = len(extra), extra[:EXAMPLES]
        for scanned in own:
            placed = counted.placed[scanned.precision]
            parts.append(Part(scanned, judged, lengths, counted.judgment, placed, counted.n_constant, *examples))
    return parts


def _by_query(table: Any) -> tuple[Any, list[str]]:
    """The rows with those of a query together, in their order; and the queries."""
    import pyarrow as pa

    encoded = table.column(QUERY).combine_chunks().dictionary_encode()
    codes: Ints = encoded.indices.to_numpy(zero_copy_only=False)
    if (codes[1:] < codes[:-1]).any():
        table = table.take(pa.array(np.argsort(codes, kind="stable")))
    return table, encoded.dictionary.to_pylist()


def _without_self(table: Any) -> Any:
    import pyarrow.compute as pc

    return table.filter(pc.not_equal(table.column(QUERY), table.column(DOCUMENT)))


def _first_bad_row(table: Any, run: str) -> RowFault | None:
    """The fault of the first row, by query and document, whose id is missing or whose score is not a number."""
    import pyarrow.compute as pc

    has_no_number = pc.is_null(table.column(SCORE), nan_is_null=True)
    is_bad = pc.or_(has_no_number, pc.or_(_is_empty(table.column(QUERY)), _is_empty(table.column(DOCUMENT))))
    if not pc.any(is_bad).as_py():
        return None
    rows = table.filter(is_bad)
    keys = [(QUERY, "ascending"), (DOCUMENT, "ascending")]
    first = pc.sort_indices(rows, sort_keys=keys, null_placement="at_start")[0].as_py()
    return RowFault.of_row(run, *(rows.column(name)[first].as_py() for name in (QUERY, DOCUMENT, SCORE)))


def _is_empty(column: Any) -> Any:
    import pyarrow.compute as pc

    return pc.equal(pc.fill_null(column, ""), "")


def _first_duplicate(table: Any, run: str) -> RowFault:
    """The first document that appears twice, by query and document."""
    import pyarrow.compute as pc

    pairs = table.group_by([QUERY, DOCUMENT]).aggregate([(SCORE, "count")])
    repeated = pairs.filter(pc.greater(pairs.column(f"{SCORE}_count"), 1))
    first = pc.sort_indices(repeated, sort_keys=[(QUERY, "ascending"), (DOCUMENT, "ascending")])[0].as_py()
    return RowFault.of_duplicate(run, *(repeated.column(name)[first].as_py() for name in (QUERY, DOCUMENT)))
