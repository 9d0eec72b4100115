"""assay: how good is this retrieval, and did the last change make it better?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay.comparison.compare import compare
    from assay.comparison.comparison import Comparison
    from assay.comparison.leaderboard import BenchmarkComparison
    from assay.comparison.multilingual import evaluate_multilingual_model
    from assay.datasets._dataset import BenchmarkDataset
    from assay.datasets._format import load_dataset
    from assay.datasets._hpo import load_hpo
    from assay.datasets._read_ontology import load_ontology
    from assay.errors import (
        AssayError,
        BadParameter,
        DataError,
        GateFailed,
        NothingSelected,
        ProviderError,
        StoreError,
        UnknownName,
        UsageError,
    )
    from assay.evaluation.evaluate import evaluate
    from assay.evaluation.evaluate_answers import evaluate_answers
    from assay.evaluation.fusion_tuning import tune_fusion
    from assay.evaluation.intervals import with_intervals
    from assay.evaluation.judging import Relevance
    from assay.evaluation.reproducible import ReproducibleEvaluationRunner
    from assay.evaluation.result import Result
    from assay.evaluation.routing import evaluate_routing
    from assay.evaluation.run import run
    from assay.fusion._fuse import fuse
    from assay.metrics._own import metric
    from assay.model.policy import Policy
    from assay.model.profile import Profile
    from assay.model.profiles import find_profile
    from assay.model.qrels import Qrels
    from assay.model.records import Document, Hit, Query, RelevanceJudgment, Span
    from assay.model.run import Run
    from assay.reports._explanations import why

__all__ = [
    "AssayError",
    "BadParameter",
    "BenchmarkComparison",
    "BenchmarkDataset",
    "Comparison",
    "DataError",
    "Document",
    "GateFailed",
    "Hit",
    "NothingSelected",
    "Policy",
    "Profile",
    "ProviderError",
    "Qrels",
    "Query",
    "Relevance",
    "RelevanceJudgment",
    "ReproducibleEvaluationRunner",
    "Result",
    "Run",
    "Span",
    "StoreError",
    "UnknownName",
    "UsageError",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_answers",
    "evaluate_multilingual_model",
    "evaluate_routing",
    "find_profile",
    "fuse",
    "load_dataset",
    "load_hpo",
    "load_ontology",
    "metric",
    "run",
    "tune_fusion",
    "why",
    "with_intervals",
]

_HOMES = {
    "AssayError": "assay.errors",
    "BadParameter": "assay.errors",
    "BenchmarkComparison": "assay.comparison.leaderboard",
    "BenchmarkDataset": "assay.datasets._dataset",
    "Comparison": "assay.comparison.comparison",
    "DataError": "assay.errors",
    "Document": "assay.model.records",
    "GateFailed": "assay.errors",
    "Hit": "assay.model.records",
    "NothingSelected": "assay.errors",
    "Policy": "assay.model.policy",
    "Profile": "assay.model.profile",
    "ProviderError": "assay.errors",
    "Qrels": "assay.model.qrels",
    "Query": "assay.model.records",
    "Relevance": "assay.evaluation.judging",
    "RelevanceJudgment": "assay.model.records",
    "ReproducibleEvaluationRunner": "assay.evaluation.reproducible",
    "Result": "assay.evaluation.result",
    "Run": "assay.model.run",
    "Span": "assay.model.records",
    "StoreError": "assay.errors",
    "UnknownName": "assay.errors",
    "UsageError": "assay.errors",
    "compare": "assay.comparison.compare",
    "evaluate": "assay.evaluation.evaluate",
    "evaluate_answers": "assay.evaluation.evaluate_answers",
    "evaluate_multilingual_model": "assay.comparison.multilingual",
    "evaluate_routing": "assay.evaluation.routing",
    "find_profile": "assay.model.profiles",
    "fuse": "assay.fusion._fuse",
    "load_dataset": "assay.datasets._format",
    "load_hpo": "assay.datasets._hpo",
    "load_ontology": "assay.datasets._read_ontology",
    "metric": "assay.metrics._own",
    "run": "assay.evaluation.run",
    "tune_fusion": "assay.evaluation.fusion_tuning",
    "why": "assay.reports._explanations",
    "with_intervals": "assay.evaluation.intervals",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import assay` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    if name in ("Qrels", "Run", "fuse"):
        importlib.import_module("assay.datasets")  # teaches them to read files and frames
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
