"""Streamed runs: Parquet, JSONL, CSV, frames and unusual TREC files, ranked by counting while the database reads them.

The database returns rows in the order of the file, and each block of them is counted as a block of TREC lines is. So memory
grows with the judgments, not with the rows, and documents are compared byte by byte.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import numpy as np

from assay.files.block_scan import TIES, Scan
from assay.files.blocks.arrow_streams import StreamError, read_batches
from assay.files.blocks.table_blocks import TableBlock, table_blocks
from assay.files.blocks.trec_blocks import NeedsTwoPasses, Unusual
from assay.files.counted_judgments import CountedJudgments, judged_fields
from assay.files.long_reads import long_read
from assay.files.parquet import n_parquet_rows
from assay.files.scattered_runs import count_scattered
from assay.files.source import FileSource
from assay.files.tables import Table
from assay.model import Qrels, RankRule
from assay.views import Ranked

SAMPLE = 1 << 16
"""Bytes at the start of a text file that tell how long its lines are."""


def rank_streamed(
    connection: Any, table: Table, source: Any, qrels: Qrels, rules: Collection[RankRule]
) -> dict[RankRule, Ranked] | None:
    """Rank a table by several rules; None if it must be read in another way."""
    if any(rule.drop_self or rule.ties not in TIES for rule in rules):
        return None
    precisions = tuple(dict.fromkeys(rule.precision for rule in rules))
    try:
        counted = _checked(connection, table, source, qrels, precisions)
    except (Unusual, StreamError):
        return None
    return {rule: counted.ranked(qrels, rule, table.tag) for rule in rules}


def _checked(connection: Any, table: Table, source: Any, qrels: Qrels, precisions: Sequence[str]) -> CountedJudgments:
    """The counts, while a second thread checks whether the database reads the file correctly."""
    if table.check is None:
        return _count(connection, table, source, qrels, precisions)
    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(table.check)
        counted = _count(connection, table, source, qrels, precisions)
        if check.result() is None:
            raise Unusual
    return counted


def _count(connection: Any, table: Table, source: Any, qrels: Qrels, precisions: Sequence[str]) -> CountedJudgments:
    judged = judged_fields(qrels)
    reader = _Reader(connection, table, source)
    scan, has_rows = Scan(qrels, judged, precisions), False
    try:
        with closing(reader.blocks(whole_queries=True)) as blocks:
            for block in blocks:
                if table.is_counted:
                    _check_ranks_count_up(block)
                scan.add(block)
                has_rows = True
    except NeedsTwoPasses:
        if table.is_counted:
            raise Unusual from None  # ranks that count up are checked in whole queries only
        return count_scattered(lambda: reader.blocks(whole_queries=False), qrels, judged, precisions)
    if not has_rows:
        raise Unusual  # the strict reader says that there are no rankings
    return scan.counted()


def _check_ranks_count_up(block: TableBlock) -> None:
    """Ranks must count up from 1 in each query; if they do not, the strict reader reports where."""
    if (block.score != np.repeat(block.start, block.ends - block.start) - np.arange(len(block)) - 1).any():
        raise Unusual


class _Reader:
    """Reads the rows of a table from the start as often as needed, and reports its progress."""

    def __init__(self, connection: Any, table: Table, source: Any) -> None:
        bad = "CASE WHEN bad THEN NULL ELSE d END"
        self._statement = f"SELECT q, {bad} AS d, s FROM ({table.select})"
        self._connection = connection
        self._label = source.label if isinstance(source, FileSource) else "run"
        self._bytes_per_row = _bytes_per_row(connection, source) if isinstance(source, FileSource) else 0.0

    def blocks(self, *, whole_queries: bool) -> Generator[TableBlock, None, None]:
        """All rows in blocks."""
        relation = self._connection.sql(self._statement)
        with long_read() as read, closing(read_batches(relation)) as batches:
            for block in table_blocks(batches, whole_queries=whole_queries):
                read.advance(self._label, int(self._bytes_per_row * len(block)) if whole_queries else 0, len(block))
                yield block


def _bytes_per_row(connection: Any, source: FileSource) -> float:
    """About how many bytes a row has in the file."""
    if source.kind == "parquet":
        return source.path.stat().st_size / max(n_parquet_rows(connection, source), 1)
    with source.plain_path.open("rb") as file:
        text = file.read(SAMPLE)
    return len(text) / max(text.count(b"\n"), 1)
