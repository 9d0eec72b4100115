"""The block reader for TREC runs: NumPy splits, reads and ranks a block of lines at a time, whole queries only.

If the lines of a query are not together, `scattered_runs` counts in two passes. If anything else is unusual (a malformed
line, a document that may appear twice), another reader reads the file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any

import numpy as np

from assay.files.block_scan import TIES, Scan
from assay.files.blocks.byte_fields import PADDING
from assay.files.blocks.trec_blocks import BLOCK, WIDTH, Block, NeedsTwoPasses, Unusual, read_blocks
from assay.files.counted_judgments import CountedJudgments, has_many_judgments, judged_fields, return_free_memory
from assay.files.long_reads import LongRead, long_read
from assay.files.rows import n_columns, trec_fields
from assay.files.scattered_runs import count_scattered
from assay.files.source import FileSource
from assay.model import Qrels, RankRule
from assay.views import Ranked

LEAST = 50_000
"""Bytes of a file; smaller ones are read faster line by line."""
LARGE = 50_000_000
"""Bytes of a file whose blocks leave much free memory behind."""
MAX_PARTS = 4
LEAST_PART = 1 << 23
"""Bytes of a part that is worth a thread."""


def rank_blocks(
    source: Any, qrels: Qrels, rules: Collection[RankRule], *, name_extra: bool = False
) -> dict[RankRule, Ranked] | None:
    """Rank a TREC file by several rules; None if it must be read in another way, for example to name queries."""
    if not _is_readable(source) or any(rule.drop_self or rule.ties not in TIES for rule in rules):
        return None
    precisions = tuple(dict.fromkeys(rule.precision for rule in rules))
    try:
        counted = _count(source, qrels, precisions)
    except Unusual:
        return None
    if name_extra and counted.n_extra:
        return None
    if has_many_judgments(qrels) or source.path.stat().st_size >= LARGE:
        return_free_memory()
    tag = trec_fields(source.first_line, WIDTH)[5].decode("utf-8", "replace")
    return {rule: counted.ranked(qrels, rule, tag) for rule in rules}


def _count(source: FileSource, qrels: Qrels, precisions: Sequence[str]) -> CountedJudgments:
    judged = judged_fields(qrels)
    try:
        return _scan_parts(source, Scan(qrels, judged, precisions), _parts(source)).counted()
    except NeedsTwoPasses:
        return count_scattered(lambda: _all_lines(source), qrels, judged, precisions)


def _all_lines(source: FileSource) -> Iterator[Block]:
    """The lines in blocks that may end within a query."""
    with long_read() as read, source.reading() as file:
        for block in read_blocks(file, whole_queries=False):
            read.advance(source.label, 0, len(block))
            yield block


def _scan_parts(source: FileSource, scan: Scan, parts: Sequence[tuple[int, int | None]]) -> Scan:
    """Scan the parts of a file side by side; NumPy computes outside of the interpreter's lock."""
    with long_read() as read:
        has_failed = Event()

        def scan_part(part: tuple[int, int | None]) -> Scan:
            own = scan.empty()
            try:
                with source.reading() as file:
                    for block in read_blocks(file, *part):
                        if has_failed.is_set():
                            break
                        read.advance(source.label, block.n_bytes, len(block))
                        own.add(block)
            except BaseException:
                has_failed.set()
                raise
            return own

        if len(parts) == 1:
            return scan_part(parts[0])
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(parts)) as pool, _stopping(read):
            return Scan.joined(list(pool.map(scan_part, parts)))


@contextmanager
def _stopping(read: LongRead) -> Iterator[None]:
    """After Ctrl-C, stop the threads, which cannot be interrupted themselves."""
    try:
        yield
    except KeyboardInterrupt:
        read.is_stopped = True
        raise


def _parts(source: FileSource) -> list[tuple[int, int | None]]:
    """Where parts of the file begin and end, each with whole queries; None: the end of the file."""
    size = source.path.stat().st_size
    n_parts = min(os.cpu_count() or 1, MAX_PARTS, size // LEAST_PART)
    if source.compression or n_parts < 2:
        return [(0, None)]
    cuts = [_next_query(source, size * part // n_parts) for part in range(1, n_parts)]
    places = [0, *sorted({cut for cut in cuts if cut is not None})]
    return list(zip(places, [*places[1:], None], strict=True))


def _next_query(source: FileSource, place: int) -> int | None:
    """The first place after this one at which a query begins; None if none begins soon."""
    with source.reading() as file:
        file.seek(place)
        text = file.read(BLOCK)
    begin, end = text.find(b"\n") + 1, text.rfind(b"\n") + 1
    if not 0 < begin < end:
        return None
    block = Block.of(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), begin, end)
    return place + int(block.line[block.start[1]]) if len(block.start) > 1 else None


def _is_readable(source: Any) -> bool:
    if not isinstance(source, FileSource) or source.path.stat().st_size < LEAST or source.kind != "trec":
        return False
    return n_columns(source.first_line) == WIDTH
