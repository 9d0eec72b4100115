"""`src.evaluation.benchmark`: datasets, reproducible evaluation, comparison, and rankings as a TREC run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.comparison import BenchmarkComparison
from assay.datasets import BenchmarkDataset
from assay.evaluation import ReproducibleEvaluationRunner
from assay.files import write_run
from assay.model import Document, Query, RelevanceJudgment, Run

__all__ = [
    "BenchmarkComparison",
    "BenchmarkDataset",
    "Document",
    "Query",
    "RelevanceJudgment",
    "ReproducibleEvaluationRunner",
    "save_trec_run",
]


def save_trec_run(retrieval_results: Mapping[Any, Any], filepath: str | Path, run_name: str = "assay") -> None:
    """Write query → ranked ids, or query → id → score, as a TREC run. Ranked ids get descending scores.

    An id that contains white space is an error, because white space separates the columns of a TREC file.
    """
    run = Run(retrieval_results)
    without_minus_0 = {query: {doc: score + 0.0 for doc, score in run[query].items()} for query in run}
    write_run(without_minus_0, Path(filepath), run_name)
