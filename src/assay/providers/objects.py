"""Objects: the retriever, pipeline or client that a user names in Python code, and how it is called."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from assay.errors import ProviderError
from assay.providers.adapters import ASKED_ALONE, READING, TIMEOUT, named_in_code
from assay.providers.event_loop import EventLoop
from assay.providers.loading import describe_library_error, files_of, load_named
from assay.text import shortened

DEPTHS = ("similarity_top_k", "top_k", "k", "n_results", "limit", "top_n")
"""What retrievers call the number of hits they return, where they keep it themselves."""


def retriever_in_code(methods: Sequence[str], what: str) -> dict[str, Any]:
    """The fields of a record that all retrievers have alike that `module:name` names, with one of these methods."""
    return {
        **ASKED_ALONE,
        "params": (named_in_code("retriever"), *READING, TIMEOUT),
        "short_for": "retriever",
        "check": lambda retriever, **_: check_object(retriever, methods, what),
        "sources": lambda retriever, **_: files_of(retriever),
        "heeds_scope": False,
    }


def check_object(name: str, methods: Sequence[str], what: str) -> None:
    """Raise unless `module:name` is there and is what it should be, or can be called for it; it is not called."""
    target = load_named(name)
    if not is_fitting(target, methods) and not _is_maker(target):
        raise _unfit(name, target, methods, what)


def load_object(name: str, methods: Sequence[str], what: str) -> Any:
    """What `module:name` names; or what it gives, where it is a function without parameters or a class."""
    target = load_named(name)
    if not is_fitting(target, methods) and _is_maker(target):
        with describe_library_error(name):
            target = EventLoop().result(target())
    if not is_fitting(target, methods):
        raise _unfit(name, target, methods, what)
    return target


def is_fitting(target: Any, methods: Sequence[str]) -> bool:
    """Whether an object has one of the methods; a class is not yet an object."""
    return not inspect.isclass(target) and any(callable(getattr(target, method, None)) for method in methods)


def _is_maker(target: Any) -> bool:
    """Whether it can be called without arguments."""
    if not callable(target):
        return False
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return True
    return not any(
        parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        for parameter in parameters
    )


def _unfit(name: str, target: Any, methods: Sequence[str], what: str) -> ProviderError:
    expected = f"expected an object with {' or '.join(methods)}, or a function without parameters that makes it"
    return ProviderError(f"{name} is no {what}: {expected}; found {shortened(target)}")


def call_first(target: Any, methods: Sequence[str], *arguments: Any, **by_name: Any) -> Any:
    """The answer of the first method that is there and implemented; a coroutine is handed on."""
    there = [method for name in methods if callable(method := getattr(target, name, None))]
    for method in there[:-1]:
        try:
            return method(*arguments, **by_name)
        except NotImplementedError:
            continue
    return there[-1](*arguments, **by_name)


class ByDepth:
    """An object that keeps its number of hits itself: for each k a copy that is set to it; the user's own stays as it is."""

    def __init__(self, target: Any, adjusted: Callable[[Any, int], Any]) -> None:
        self._target, self._adjusted = target, adjusted
        self._copies: dict[int, Any] = {}

    def __getitem__(self, k: int) -> Any:
        if k not in self._copies:
            self._copies[k] = self._adjusted(self._target, k)
        return self._copies[k]


def with_depth(target: Any, k: int) -> Any:
    """A copy that returns k hits; the object itself where it keeps no such number."""
    name = next((name for name in DEPTHS if _is_count(getattr(target, name, None))), None)
    return target if name is None else with_setting(target, name, k)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def with_setting(target: Any, name: str, value: Any) -> Any:
    """A shallow copy with one attribute changed."""
    if callable(copied := getattr(target, "model_copy", None)):  # of pydantic, which guards its attributes
        return copied(update={name: value})
    changed = copy.copy(target)
    setattr(changed, name, value)
    return changed
