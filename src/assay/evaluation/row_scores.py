"""Row scores: predictions for the lines of a data file as the run that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.datasets import BenchmarkDataset
from assay.errors import DataError
from assay.files import (
    FileSource,
    as_source,
    has_named_scores,
    has_row_scores,
    rankings_of_rows,
    read_named_scores,
    read_row_scores,
)
from assay.model import Qrels, Run

ONLY_ROWS = (
    "one score per line fits only judgments for learning to rank (LETOR, SVMlight), whose lines have the same order. "
    "Give that file as the judgments, or write query, document and score on each line"
)


def with_ranked_rows(run: Any, truth: Qrels | BenchmarkDataset) -> Any:
    """The run of a file or an array with one score for each line of the data file; anything else unchanged.

    A file may also have the columns query, document and score, as RankLib writes them.
    """
    if isinstance(run, Mapping):
        return run
    documents = _documents(truth)
    source = as_source(run)
    if isinstance(source, FileSource):
        if has_row_scores(source):
            if documents is None:
                raise DataError(ONLY_ROWS, source=source.label)
            return Run.borrow(rankings_of_rows(read_row_scores(source), documents, source.label))
        if documents is not None and has_named_scores(source):
            return Run.borrow(read_named_scores(source, documents))
        return source
    if documents is not None and (scores := _as_scores(source)) is not None:
        return Run.borrow(rankings_of_rows(scores, documents, "scores"))
    return source


def _documents(truth: Qrels | BenchmarkDataset) -> Mapping[str, Sequence[str]] | None:
    """Query → its documents in the order of the data file; None if there is no such order."""
    if isinstance(truth, BenchmarkDataset):
        return None if truth.features is None else truth.features.groups
    return {query: list(truth[query]) for query in truth} if truth.in_file_order else None


def _as_scores(source: Any) -> Any:
    """The numbers of an array or list of numbers; None for anything else."""
    if isinstance(source, np.ndarray) and source.ndim == 1 and source.dtype.kind in "fiu":
        scores = source.astype(np.float64)
    elif isinstance(source, list) and source and set(map(type, source)) <= {float, int}:
        scores = np.array(source, dtype=np.float64)
    else:
        return None
    if np.isnan(scores).any():
        raise DataError("the score must be a number, not nan", source="scores")
    return scores
