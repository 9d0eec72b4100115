"""`src.evaluation.benchmark`: datasets, reproducible evaluation, comparison, and rankings as a TREC run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from assay.comparison import BenchmarkComparison as EngineComparison
from assay.compat.arguments import AGAIN
from assay.compat.loop.differences import DIFFERENCES
from assay.compat.loop.metrics import checked_sides, once
from assay.datasets import BenchmarkDataset as EngineDataset
from assay.evaluation import ReproducibleEvaluationRunner as EngineRunner
from assay.evaluation import Result
from assay.files import write_run
from assay.model import Document, Query, RelevanceJudgment, Run, text_id

__all__ = [
    "BenchmarkComparison",
    "BenchmarkDataset",
    "Document",
    "Query",
    "RelevanceJudgment",
    "ReproducibleEvaluationRunner",
    "save_trec_run",
]


class BenchmarkDataset(EngineDataset):
    """assay's dataset; files are called `filepath`, as in the original."""

    @classmethod
    def from_json(cls, filepath: str | Path) -> BenchmarkDataset:
        """Read the JSON layout that `save_json` writes."""
        return cls._of(EngineDataset.from_json(filepath))

    @classmethod
    def from_trec_qrels(cls, filepath: str | Path, name: str = "", version: str = "1.0") -> BenchmarkDataset:
        """Read judgments alone from TREC qrels."""
        return cls._of(EngineDataset.from_trec_qrels(filepath, name, version))

    @classmethod
    def _of(cls, dataset: EngineDataset) -> BenchmarkDataset:
        return cls(**{field.name: getattr(dataset, field.name) for field in fields(dataset)})

    def save_json(self, filepath: str | Path) -> None:
        """Write everything as one JSON file."""
        super().save_json(filepath)

    def save_trec_qrels(self, filepath: str | Path) -> None:
        """Write the judgments as TREC qrels."""
        super().save_trec_qrels(filepath)


class ReproducibleEvaluationRunner(EngineRunner):
    """assay's runner, with the original names of the arguments. A document that is retrieved twice is credited once."""

    def evaluate_run(  # type: ignore[override]  # the original names of the arguments
        self, retrieval_results: Mapping[str, Any], metrics_module: Any = None
    ) -> Result:
        """Score query → ranked ids. `metrics_module` is `assay.compat.loop.metrics`, or a list of metric names."""
        credited = {query: self._credited(query, ids) for query, ids in retrieval_results.items()}
        result = super().evaluate_run(credited, metrics_module)
        if result.missing:
            DIFFERENCES.warn("no results")
        return result

    def _credited(self, query: Any, ids: Any) -> Any:
        """The ids, each once. Documents with grade 0 are not relevant, and no warning is needed for them here."""
        gold = {doc for doc, grade in self.dataset.qrels.get(text_id(query), {}).items() if grade > 0}
        is_list = isinstance(ids, Sequence) and not isinstance(ids, str)
        return checked_sides(ids, gold, len(ids))[0] if is_list else ids

    def save_results(self, filepath: str | Path) -> None:
        """Write all results so far as JSON."""
        super().save_results(filepath)


class BenchmarkComparison(EngineComparison):
    """assay's comparison of runs. It knows for which metrics a lower value is better."""

    @staticmethod
    def find_best_run(runs_results: Mapping[str, Any], metric: str = "ndcg@10") -> str:
        """The name of the best run on a metric: the lowest value for latency, the highest for most other metrics."""
        best = EngineComparison.find_best_run(runs_results, metric)
        values = {name: run[metric] for name, run in runs_results.items() if metric in run}
        if best in values and any(value > values[best] for value in values.values()):
            DIFFERENCES.warn("lower is better")
        return best


def save_trec_run(retrieval_results: Mapping[Any, Any], filepath: str | Path, run_name: str = "assay") -> None:
    """Write query → ranked ids, or query → id → score, as a TREC run. Ranked ids get descending scores.

    An id that contains white space is an error, because white space separates the columns of a TREC file. A TREC file has
    each document of a query once, so later ones are left out.
    """
    run = Run({query: _without_repeated(ids) for query, ids in retrieval_results.items()})
    without_minus_0 = {query: {doc: score + 0.0 for doc, score in run[query].items()} for query in run}
    write_run(without_minus_0, Path(filepath), run_name)


def _without_repeated(ids: Any) -> Any:
    """The ids without those that `once` replaces."""
    credited = once(ids)
    if credited is ids:
        return ids
    DIFFERENCES.warn("twice in a file")
    return [id_ for id_ in credited if not id_.startswith(AGAIN)]
