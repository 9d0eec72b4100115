"""python: a function, a class or an object in Python code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, positive
from assay.model import Hit, Query
from assay.providers.event_loop import EventLoop
from assay.providers.loading import describe_library_error, files_of, load_named, parse_function
from assay.providers.protocols import Adapted, Retriever, adapt, is_retriever
from assay.providers.provider import Provider
from assay.providers.responses import Answers, answers_from, hits_from
from assay.providers.retriever import PermanentFailure
from assay.text import shortened

DEPTHS = ("k", "top_k", "topk", "n", "limit", "n_results", "num_results", "size", "top_n")
"""Common names for the parameter with the number of hits."""

SEARCHES = "A search function needs parameters: def search(query, k)"
DEFAULTS = "Give all other parameters a default value, or write a function that needs only the query and k"


class QueryText(str):
    """The text of a query with access to its other fields: `query.lower()` works, and so does `query.scope`."""

    __slots__ = ("query",)
    query: Query

    def __getattr__(self, name: str) -> Any:
        """A field of the query that a text does not have."""
        if name == "query":
            raise AttributeError(name)
        return getattr(self.query, name)


class FunctionRetriever:
    """Calls a function with one query at a time, from any thread."""

    batch = 1

    def __init__(self, name: str, function: Callable[..., Any], timeout: float | None = None) -> None:
        self._name, self._function, self._timeout = name, function, timeout
        self._as_asked, self._depth = _signature(function)
        self._event_loop = EventLoop()

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """Call the function for each query in turn."""
        return [self._search(query, k) for query in queries]

    def _search(self, query: Query, k: int) -> list[Hit]:
        asked = self._as_asked(query)
        positional = (asked, k) if self._depth == "" else (asked,)
        by_name = {self._depth: k} if self._depth else {}
        with describe_library_error(self._name):
            answer = self._event_loop.result(self._function(*positional, **by_name), self._timeout)
            answer = list(answer) if inspect.isgenerator(answer) else answer
        try:
            return hits_from(answer, k)
        except PermanentFailure as error:
            raise PermanentFailure(f"{self._name}: {error}") from None


def _object_retriever(name: str, target: Any, timeout: float | None) -> Adapted:
    """An object that is itself a retriever. It gets all queries of a batch at once, and `timeout` seconds for each."""
    own, loop = adapt(target), EventLoop()

    def search(queries: Sequence[Query], k: int) -> Answers:
        seconds = None if timeout is None else timeout * max(len(queries), 1)
        with describe_library_error(f"{name}.search"):
            answers = loop.result(own.search(queries, k), seconds)
        return answers_from(answers, queries, k)

    return replace(own.described(name), search=search)


def _signature(function: Callable[..., Any]) -> tuple[Callable[[Query], Any], str | None]:
    """How to pass the query, and the parameter for k: "" for the second position, None if the function has none."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built in, without a signature
        return _text, ""
    parameters = list(signature.parameters.values())
    first = parameters[0] if parameters else None
    if first is None or first.kind is first.KEYWORD_ONLY:
        raise ProviderError(f"the first parameter must be the query, as in (query, k), not {signature}")
    rest = parameters[1:]
    depth = next(
        (
            parameter.name
            for parameter in rest
            if parameter.name in DEPTHS and parameter.kind is not parameter.POSITIONAL_ONLY
        ),
        None,
    )
    if depth is None and any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        depth = ""
    if depth is None and rest and rest[0].kind in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        depth = "" if rest[0].default is first.empty or rest[0].name in DEPTHS else None
    depth_name = depth or (rest[0].name if depth == "" and rest else "")
    if more := [name for name in _needed(rest) if name != depth_name]:
        raise ProviderError(
            f"assay passes only the query and k, but the function also needs {' and '.join(more)}. {DEFAULTS}"
        )
    return _asked_as(first), depth


def _needed(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """The required parameters."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter.name for parameter in parameters if parameter.default is parameter.empty and parameter.kind not in variable
    ]


def _asked_as(first: inspect.Parameter) -> Callable[[Query], Any]:
    """The Query if the parameter has that annotation, a QueryText if it is called `query`, otherwise the plain text."""
    annotation = first.annotation
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if name.rpartition(".")[2].strip("'\"") == "Query":
        return _record
    return _knowing_text if first.name == "query" and annotation is first.empty else _text


def _record(query: Query) -> Query:
    return query


def _text(query: Query) -> str:
    return query.text


def _knowing_text(query: Query) -> str:
    text = QueryText(query.text)
    text.query = query
    return text


def make_retriever(function: str, timeout: float | None = None) -> Retriever:
    """A retriever for `module:name`: a search function, an object or class with `search`, or a function that returns one."""
    target = load_named(function)
    if _makes_another(target):
        check_made(function, target)
        with describe_library_error(function):
            made = target()
        if not is_retriever(made) and not callable(made):
            raise _not_a_retriever(function, target, made)
        target = made
    if is_retriever(target):
        return _object_retriever(function, target, timeout)
    check_function(function, target)
    return FunctionRetriever(function, target, timeout)


def _not_a_retriever(name: str, maker: Any, made: Any) -> PermanentFailure:
    if inspect.isclass(maker):
        return PermanentFailure(f"the class {name} needs a method search(queries, k)")
    reason = "it has no parameters, so assay calls it once to get the retriever"
    return PermanentFailure(f"{name} must return a retriever, not {shortened(made)}: {reason}. {SEARCHES}")


def _makes_another(target: Any) -> bool:
    """Whether to call it to get a retriever: a class, or a function without parameters."""
    if inspect.isclass(target):
        return True
    try:
        return inspect.isroutine(target) and not inspect.signature(target).parameters
    except (TypeError, ValueError):  # built in, without a signature
        return False


def check_made(name: str, maker: Any) -> None:
    """Raise if a class cannot be called without arguments."""
    try:
        missing = _needed(inspect.signature(maker).parameters.values())
    except (TypeError, ValueError):  # built in, without a signature
        return
    if missing:
        module, _, own = name.partition(":")
        advice = f"Write a function, def make(): return {own}(…), and use python:{module}:make"
        raise ProviderError(f"assay creates {name} without arguments, but it needs {' and '.join(missing)}. {advice}")


def check_function(name: str, function: Any) -> None:
    """Raise unless it is a function whose first parameter is the query."""
    if not callable(function):
        raise ProviderError(f"{name} must be a function or an object with search(queries, k), not {shortened(function)}")
    try:
        _signature(function)
    except ProviderError as error:
        raise ProviderError(f"{name}: {error}") from None


def check_named(function: str, **_: Any) -> None:
    """Raise unless the module can be imported and has the name. An object of a class is checked when it is created."""
    target = load_named(function)
    if _makes_another(target):
        check_made(function, target)
    elif not is_retriever(target):
        check_function(function, target)


def receives_scopes(function: str, **_: Any) -> bool:
    """Whether it gets more of a query than its text. True if it cannot be loaded; `check_named` reports that error."""
    try:
        target = load_named(function)
        return is_retriever(target) or _makes_another(target) or _signature(target)[0] is not _text
    except ProviderError:
        return True


def takes_documents(function: str, **_: Any) -> bool:
    """Whether it certainly indexes documents: a class or object that has `index`."""
    try:
        target = load_named(function)
    except ProviderError:
        return False
    return is_retriever(target) and adapt(target).indexes


PROVIDER = Provider(
    "python",
    "a Python function search(query, k), or a class or object with search and optionally index",
    make_retriever,
    params=(
        Param("function", parse_function, REQUIRED, "module:name; modules in the current folder are found too"),
        Param("timeout", positive, None, "seconds until a coroutine is cancelled (default: the timeout of the evaluation)"),
    ),
    indexes=takes_documents,
    is_repeatable=False,
    short_for="function",
    check=check_named,
    sources=lambda function, **_: files_of(function),
    heeds_scope=receives_scopes,
)
