"""Your own metrics: a function becomes a metric that is scored, compared and gated like any other."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, overload

import numpy as np

from assay.errors import AssayError, BadParameter, DataError, UnknownName, UsageError, near_matches
from assay.grammar import REQUIRED, Param, WrittenName, flag, number
from assay.metrics.definition import CUTOFF, CUTOFF_NEEDED, GradedRun, Metric, Scores
from assay.metrics.registry import register
from assay.text import counted

Function = Callable[..., Any]
PREFIX = "python:"
ONLY_WRITTEN = "python: names are loaded only from what you write: an argument, a plan, a rules file or your own Python code"


@dataclass(frozen=True, eq=False, repr=False)
class OwnMetric(Metric):
    """A metric made by the user. Its meaning is the first line of the docstring of its function."""

    @property
    def is_own(self) -> bool:
        """Always true."""
        return True

    def __post_init__(self) -> None:
        object.__setattr__(self, "meaning", (inspect.getdoc(self.function) or "").partition("\n")[0])
        super().__post_init__()


@overload
def metric(  # noqa: D418 (here all that is public is explained)
    function: Function,
    *,
    name: str = "",
    range: tuple[float, float] = (0.0, 1.0),
    higher_is_better: bool = True,
) -> OwnMetric:
    """Turn a function into a metric with these settings."""


@overload
def metric(  # noqa: D418
    function: None = None,
    *,
    name: str = "",
    range: tuple[float, float] = (0.0, 1.0),
    higher_is_better: bool = True,
) -> Callable[[Function], OwnMetric]:
    """Return a decorator that turns a function into a metric with these settings."""


def metric(
    function: Function | None = None,
    *,
    name: str = "",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 (what it is called in a record)
    higher_is_better: bool = True,
) -> OwnMetric | Callable[[Function], OwnMetric]:
    """Turn a function into a metric: `function(run)` returns one score for each query of a GradedRun.

    Further arguments of the function are parameters of the metric: `k` is its cutoff, and the default of another argument
    decides whether it is a number, a word, or true or false. The summary is the mean. Afterwards the name works like any
    other: `top_two@5`. Returns the metric, or a decorator if only settings are given.
    """

    def made(function: Function) -> OwnMetric:
        _check_function(function)
        called = name or function.__name__
        if not called.replace("_", "").isalnum() or not called[0].isalpha():
            raise BadParameter(
                f"a metric name must start with a letter and have only letters, digits and underscores, not {called!r}. "
                "Set the name with name="
            )
        arguments = list(inspect.signature(function).parameters.values())
        if not arguments:
            raise BadParameter(f"{called} must have an argument for the run, as in def {called}(run)")
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


def _check_function(value: object) -> None:
    if not callable(value):
        raise BadParameter(
            f"assay.metric makes a metric of your own from a function, not from {value!r}. "
            "Functions such as assay.evaluate take the names of metrics as text"
        )


def is_import(text: str) -> bool:
    """Whether a text may name a metric that is imported when the text is parsed."""
    return PREFIX in text


def load_metric(text: WrittenName) -> str:
    """`python:my_metrics:top_two@5` → `top_two@5`, now registered. Imports the module, so the user must have written it."""
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
        raise UsageError(
            f"{text}: no metric in {module} is called {name!r}. It has: {', '.join(near) or 'none'}   (see assay.metric)"
        )
    register(metric)
    return metric.name + rest[len(name) :]


def unknown_function(_: GradedRun) -> Scores:
    """Raise an error: only stored scores of this metric are known."""
    raise UsageError("this metric is not built in, so scoring needs its code. Name it as python:module:name")


def _module(text: str, name: str) -> Any:
    """Import the module; it may be in the current folder."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(f"{text}: module {name} cannot be imported: {type(error).__name__}: {error}") from error


def _param(argument: inspect.Parameter) -> Param:
    """The parameter for an argument of the function; the default decides its type."""
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
    """The function, with an error if it does not return one number for each query."""

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
            expected = f"one number per query ({counted(run.n_queries, 'query')})"
            raise DataError(f"{name} must return {expected}, not {scores.dtype} of shape {scores.shape}")
        return scores.astype(float)

    return score
