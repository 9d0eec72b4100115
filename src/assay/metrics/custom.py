"""Metrics of one's own: a function of a ranking becomes a metric that is scored, compared and gated like any other."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError, BadParameter, DataError, UnknownName, UsageError, near_matches
from assay.grammar import REQUIRED, Param, WrittenName, flag, number
from assay.metrics.definition import CUTOFF, CUTOFF_NEEDED, GradedRun, Metric, Scores
from assay.metrics.registry import register
from assay.text import counted

Function = Callable[..., Any]
PREFIX = "python:"
ONLY_WRITTEN = "python: is loaded only where you write it: an argument, a plan, a rules file, your own Python code"


@dataclass(frozen=True)
class OwnMetric(Metric):
    """A metric that somebody made; the first line of the function's docstring says what it tells."""

    @property
    def is_own(self) -> bool:
        """Always."""
        return True

    def __post_init__(self) -> None:
        object.__setattr__(self, "meaning", (inspect.getdoc(self.function) or "").partition("\n")[0])
        super().__post_init__()


def metric(
    function: Function | None = None,
    *,
    name: str = "",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 (what it is called in a record)
    higher_is_better: bool = True,
) -> Any:
    """Make a function a metric: `function(run)` gives one score for each query of a GradedRun.

    Further arguments are parameters of the metric: `k` is its cutoff, others are numbers, words, or true and false, as their
    defaults are. The summary is the mean. From then on its name is known like any other: `top_two@5`. What comes back is the
    metric; with settings and without a function, what makes one of a function.
    """

    def made(function: Function) -> OwnMetric:
        called = name or function.__name__
        if not called.replace("_", "").isalnum() or not called[0].isalpha():
            raise BadParameter(f"a metric's name has letters, digits and underscores, not {called!r}; give it a name=")
        arguments = list(inspect.signature(function).parameters.values())
        if not arguments:
            raise BadParameter(f"{called} takes no argument; a metric is a function of a run, as in def {called}(run)")
        params = tuple(
            _param(argument)
            for argument in arguments[1:]
            if argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
        )
        own = OwnMetric(
            called, _checked(function, called), params, range=range, higher_is_better=higher_is_better, is_monotone=False
        )
        register(own)
        return own

    return made if function is None else made(function)


def load_metric(text: WrittenName) -> str:
    """`python:my_metrics:top_two@5` → `top_two@5`, once that is known. Imports the module, so only what the user wrote."""
    if not isinstance(text, WrittenName):
        raise UnknownName("metric", text, hint=ONLY_WRITTEN)
    module, colon, rest = text.removeprefix(PREFIX).partition(":")
    name = rest.partition("@")[0].partition("(")[0].strip()
    if not colon or not name:
        raise BadParameter(f"{text}: write python:module:name, as in python:my_metrics:top_two")
    metric = getattr(_module(text, module), name, None)
    if not isinstance(metric, Metric):
        known = [key for key, value in vars(sys.modules[module]).items() if isinstance(value, Metric)]
        near = near_matches(name, known) or known
        raise UsageError(f"{text}: {module} has no metric {name}; it has {', '.join(near) or 'none'} (see assay.metric)")
    register(metric)
    return metric.name + rest[len(name) :]


def unknown_function(_: GradedRun) -> Scores:
    """A metric that is known by its stored figures alone."""
    raise UsageError("a metric of somebody's own can only be scored where it is made; name it as python:module:name")


def _module(text: str, name: str) -> Any:
    """The module, from the current folder too."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(f"{text}: module {name} cannot be imported: {type(error).__name__}: {error}") from error


def _param(argument: inspect.Parameter) -> Param:
    """The parameter that an argument stands for; its default says what it may be."""
    default = REQUIRED if argument.default is inspect.Parameter.empty else argument.default
    if argument.name == "k":
        return CUTOFF_NEEDED if default is REQUIRED else CUTOFF
    meaning = f"the argument {argument.name} of the function"
    if isinstance(default, bool):
        return Param(argument.name, flag, default, meaning)
    if isinstance(default, int | float) or default is None:
        return Param(argument.name, number, default, meaning)
    return Param(argument.name, str, default, meaning)


def _checked(function: Function, name: str) -> Callable[..., Scores]:
    """The function, and a word if it does not give one number for each query."""

    @wraps(function)
    def score(run: GradedRun, **params: Any) -> Scores:
        try:
            scores = np.asarray(function(run, **params))
        except (AssayError, MemoryError):
            raise
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
            raise UsageError(f"the metric {name} failed: {fault}") from error
        if scores.shape != (run.n_queries,) or scores.dtype.kind not in "biuf":
            expected = f"one number for each of {counted(run.n_queries, 'query')}"
            raise DataError(f"{name} gives {expected}, not {scores.dtype} of shape {scores.shape}")
        return scores.astype(float)

    return score
