"""assay: how good is this retrieval, and did the last change make it better?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay.errors import AssayError, BadParameter, DataError, UnknownName, UsageError
    from assay.evaluation.evaluate import evaluate
    from assay.evaluation.result import Result
    from assay.evaluation.why import why
    from assay.model.policy import Policy
    from assay.model.profile import Profile
    from assay.model.profiles import find_profile
    from assay.model.qrels import Qrels
    from assay.model.run import Run

__all__ = [
    "AssayError",
    "BadParameter",
    "DataError",
    "Policy",
    "Profile",
    "Qrels",
    "Result",
    "Run",
    "UnknownName",
    "UsageError",
    "__version__",
    "evaluate",
    "find_profile",
    "why",
]

_HOMES = {
    "AssayError": "assay.errors",
    "BadParameter": "assay.errors",
    "DataError": "assay.errors",
    "Policy": "assay.model.policy",
    "Profile": "assay.model.profile",
    "Qrels": "assay.model.qrels",
    "Result": "assay.evaluation.result",
    "Run": "assay.model.run",
    "UnknownName": "assay.errors",
    "UsageError": "assay.errors",
    "evaluate": "assay.evaluation.evaluate",
    "find_profile": "assay.model.profiles",
    "why": "assay.evaluation.why",
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
