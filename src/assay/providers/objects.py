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
"""Names of the attribute in which retrievers store the number of hits to return."""


def retriever_in_code(methods: Sequence[str], what: str) -> dict[str, Any]:
    """The record fields that are the same for all retrievers named by `module:name` that have one of these methods."""
    return {
        **ASKED_ALONE,
        "params": (named_in_code("retriever"), *READING, TIMEOUT),
        "short_for": "retriever",
        "check": lambda retriever, **_: check_object(retriever, methods, what),
        "sources": lambda retriever, **_: files_of(retriever),
        "heeds_scope": False,
    }


def check_object(name: str, methods: Sequence[str], what: str) -> None:
    """Raise unless `module:name` has one of the methods or can be called to get such an object; it is not called."""
    target = load_named(name)
    if not is_fitting(target, methods) and not _is_maker(target):
        raise _unfit(name, target, methods, what)


def load_object(name: str, methods: Sequence[str], what: str) -> Any:
    """The object that `module:name` names or, for a function without parameters or a class, the object that it returns."""
    target = load_named(name)
    if not is_fitting(target, methods) and _is_maker(target):
        with describe_library_error(name):
            target = EventLoop().result(target())
    if not is_fitting(target, methods):
        raise _unfit(name, target, methods, what)
    return target


def is_fitting(target: Any, methods: Sequence[str]) -> bool:
    """Whether an object has one of the methods; a class does not count as an object."""
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
    any_method = f"{'one of the methods' if len(methods) > 1 else 'the method'} {', '.join(methods)}"
    expected = f"expected an object with {any_method}, or a function without parameters that returns such an object"
    return ProviderError(f"{name} is not a {what}: {expected}; found {shortened(target)}")


def call_first(target: Any, methods: Sequence[str], *arguments: Any, **by_name: Any) -> Any:
    """The result of the first method that exists and is implemented; a coroutine is not awaited."""
    there = [method for name in methods if callable(method := getattr(target, name, None))]
    for method in there[:-1]:
        try:
            return method(*arguments, **by_name)
        except NotImplementedError:
            continue
    return there[-1](*arguments, **by_name)


class ByDepth:
    """Copies of an object that stores its number of hits: one copy per k. The user's object is not changed."""

    def __init__(self, target: Any, adjusted: Callable[[Any, int], Any]) -> None:
        self._target, self._adjusted = target, adjusted
        self._copies: dict[int, Any] = {}

    def __getitem__(self, k: int) -> Any:
        if k not in self._copies:
            self._copies[k] = self._adjusted(self._target, k)
        return self._copies[k]


def with_depth(target: Any, k: int) -> Any:
    """A copy that returns k hits; the object itself if it does not store a number of hits."""
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
