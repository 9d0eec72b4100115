"""assay: how good is this retrieval, and did the last change make it better?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay.datasets._dataset import BenchmarkDataset
    from assay.datasets._format import load_dataset
    from assay.errors import AssayError, BadParameter, DataError, NothingSelected, ProviderError, UnknownName, UsageError
    from assay.evaluation.conduct import run
    from assay.evaluation.evaluate import evaluate
    from assay.evaluation.judging import Relevance
    from assay.evaluation.reproducible import ReproducibleEvaluationRunner
    from assay.evaluation.result import Result
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
    "BenchmarkDataset",
    "DataError",
    "Document",
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
    "UnknownName",
    "UsageError",
    "__version__",
    "evaluate",
    "find_profile",
    "load_dataset",
    "run",
    "why",
]

_HOMES = {
    "AssayError": "assay.errors",
    "BadParameter": "assay.errors",
    "BenchmarkDataset": "assay.datasets._dataset",
    "DataError": "assay.errors",
    "Document": "assay.model.records",
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
    "UnknownName": "assay.errors",
    "UsageError": "assay.errors",
    "evaluate": "assay.evaluation.evaluate",
    "find_profile": "assay.model.profiles",
    "load_dataset": "assay.datasets._format",
    "run": "assay.evaluation.conduct",
    "why": "assay.reports._explanations",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import assay` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    if name in ("Qrels", "Run"):
        importlib.import_module("assay.datasets")  # teaches them to read files and frames
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
