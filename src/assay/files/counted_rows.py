"""Counted rows: rows in memory whose judged documents are counted by the readers of blocks, or by the strict reader."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.files.block_scan import Scan
from assay.files.blocks.arrow_streams import Batch
from assay.files.blocks.table_blocks import table_blocks
from assay.files.blocks.trec_blocks import NeedsTwoPasses, Unusual
from assay.files.counted_judgments import CountedJudgments, Placed, judged_fields
from assay.files.scattered_runs import count_scattered
from assay.model import Policy, Qrels, Run, rankings_of_mapping
from assay.views import rank_all


def count_rows(batch: Batch, qrels: Qrels, precisions: Sequence[str]) -> CountedJudgments:
    """Count the judged documents of these rows; it is fastest if the rows of a query are together.

    A document that appears twice for a query is an error that names both.
    """
    judged = judged_fields(qrels)
    scan = Scan(qrels, judged, precisions)
    try:
        try:
            for block in table_blocks([batch]):
                scan.add(block)
            return scan.counted()
        except NeedsTwoPasses:
            return count_scattered(lambda: table_blocks([batch], whole_queries=False), qrels, judged, precisions)
    except Unusual:
        return _count_strictly(batch, qrels, precisions)


def _count_strictly(batch: Batch, qrels: Qrels, precisions: Sequence[str]) -> CountedJudgments:
    """The same, document by document: for ids with a zero byte, or documents that may appear twice."""
    pairs: dict[str, list[tuple[str, float]]] = {}
    rows = zip(batch.queries.texts(), batch.documents.texts(), batch.scores.tolist(), strict=True)
    for query, document, score in rows:
        pairs.setdefault(query, []).append((document, score))
    run = Run.borrow(rankings_of_mapping(pairs))
    rules = {precision: Policy(precision=precision).rank_rule for precision in precisions}
    ranked = rank_all(run, qrels, rules.values())
    first = ranked[rules[precisions[0]]]
    judgment = np.sort(_judgments_of(first.run.judgment))
    placed = {}
    for precision, rule in rules.items():
        graded = ranked[rule].run
        better, equal = graded.ties or (graded.retrieved.rank - 1, np.ones(len(graded.retrieved.rank), dtype=np.int64))
        above = graded.retrieved.rank - better - 1
        order = np.argsort(_judgments_of(graded.judgment))
        placed[precision] = Placed(better[order], equal[order], above[order], np.zeros_like(above))
    length = np.where(first.is_missing, -1, first.run.n_retrieved)
    return CountedJudgments(judgment, placed, length, first.n_constant, first.n_extra)


def _judgments_of(judgment: np.ndarray | None) -> np.ndarray:
    return np.zeros(0, dtype=np.int64) if judgment is None else judgment
