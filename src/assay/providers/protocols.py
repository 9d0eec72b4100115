"""What a retriever is: protocols for type checkers, and `adapt`, which finds out what an object can do.

`adapt` looks for callable methods of these names and does not use isinstance: an object whose `index` is a number
indexes nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay.errors import ProviderError
from assay.model import Document, FeatureTable, Pack, Query
from assay.providers.loading import describe_library_error
from assay.text import shortened

BATCH = 1000
"""Queries that a retriever gets at once, unless it sets `batch`."""
Judged = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""


@dataclass(frozen=True)
class RelevanceRule:
    """How relevance is decided besides the judgments: a pack that knows the evidence, a resolver, and its settings."""

    pack: Pack | None = None
    by: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


BY_JUDGMENTS = RelevanceRule()


class Retriever(Protocol):
    """The only method that a system under test needs. Any method of any protocol may be a coroutine."""

    def search(self, queries: Sequence[Query], k: int) -> Any:
        """For each query, up to k hits, best first."""


class Indexes(Protocol):
    """A retriever that searches the documents that it gets."""

    def index(self, documents: Iterable[Document]) -> Any:
        """Index the documents that may be retrieved."""


class NeedsJudgments(Protocol):
    """A retriever that needs the judgments, such as an oracle."""

    def set_judgments(self, qrels: Judged, relevance: RelevanceRule) -> Any:
        """Set the judgments, and the rule that decides about queries without judgments."""


class NeedsOrder(Protocol):
    """A retriever that reads files whose rows are in the order of the benchmark."""

    def set_order(self, queries: Collection[str], documents: Collection[str]) -> Any:
        """Set the ids of all queries and documents."""


class NeedsFeatures(Protocol):
    """A retriever that ranks the documents of a query by their features, such as a model for learning to rank."""

    def set_features(self, features: FeatureTable) -> Any:
        """Set the features of all documents."""


class ReportsNotes(Protocol):
    """A retriever that has something to say to readers of the result, such as queries that it could not read well."""

    def result_notes(self) -> Any:
        """Sentences for the notes of the result. It is called after the last query."""


class Closes(Protocol):
    """A retriever that has to be closed."""

    def close(self) -> Any:
        """Close everything that is open."""


def _nothing(*_: Any) -> None:
    """Stand in for a method that a retriever does not have."""


@dataclass(frozen=True)
class Adapted:
    """A retriever with the methods of all protocols; methods that it does not have do nothing."""

    retriever: Any
    search: Callable[[Sequence[Query], int], Any]
    index: Callable[[Iterable[Document]], Any] = _nothing
    set_judgments: Callable[[Judged, RelevanceRule], Any] = _nothing
    set_order: Callable[[Collection[str], Collection[str]], Any] = _nothing
    close: Callable[[], Any] = _nothing
    batch: int = BATCH
    result_notes: Callable[[], Any] = _nothing
    set_features: Callable[[FeatureTable], Any] = _nothing

    @property
    def indexes(self) -> bool:
        """Whether it gets the documents."""
        return self.index is not _nothing

    @property
    def needs_judgments(self) -> bool:
        """Whether it gets the judgments."""
        return self.set_judgments is not _nothing

    @property
    def needs_order(self) -> bool:
        """Whether it gets the order of the benchmark."""
        return self.set_order is not _nothing

    @property
    def needs_features(self) -> bool:
        """Whether it gets the features of the documents."""
        return self.set_features is not _nothing

    @property
    def closes(self) -> bool:
        """Whether it has to be closed."""
        return self.close is not _nothing

    @property
    def reports_notes(self) -> bool:
        """Whether it adds notes to the result."""
        return self.result_notes is not _nothing

    def left_open(self) -> Adapted:
        """The same retriever for a caller that does not own it: `close` does nothing."""
        return replace(self, close=_nothing)

    def described(self, name: str) -> Adapted:
        """The same retriever; an error names the method that raised it: `name.search`."""
        return replace(
            self,
            search=_described(f"{name}.search", self.search),
            index=_described(f"{name}.index", self.index),
            close=_described(f"{name}.close", self.close),
        )


def adapt(retriever: object, *, batch: int = BATCH, indexes: bool = True) -> Adapted:
    """What an object can do, found by its methods. An object without `search` is a ProviderError.

    The attributes `batch` (a whole number) and `indexes` (true or false) of the object override the arguments of the same
    names. `know` and `know_order` are the former names of `set_judgments` and `set_order`.
    """
    if isinstance(retriever, Adapted):
        return retriever
    if (search := _method(retriever, "search")) is None:
        raise ProviderError(f"expected a retriever with search(queries, k), found {shortened(retriever)}")
    own_batch, own_indexes = getattr(retriever, "batch", None), getattr(retriever, "indexes", None)
    takes_documents = own_indexes if isinstance(own_indexes, bool) else indexes
    set_judgments = _method(retriever, "set_judgments")
    if set_judgments is None and (know := _method(retriever, "know")) is not None:
        set_judgments = _set_judgments_by(know)
    return Adapted(
        retriever,
        search,
        (takes_documents and _method(retriever, "index")) or _nothing,
        set_judgments or _nothing,
        _method(retriever, "set_order") or _method(retriever, "know_order") or _nothing,
        _method(retriever, "close") or _nothing,
        int(own_batch) if isinstance(own_batch, int) else batch,
        _method(retriever, "result_notes") or _nothing,
        _method(retriever, "set_features") or _nothing,
    )


def is_retriever(target: object) -> bool:
    """Whether an object, or the objects of a class, have a method `search`."""
    return _method(target, "search") is not None


def _method(target: object, name: str) -> Callable[..., Any] | None:
    method = getattr(target, name, None)
    return method if callable(method) else None


def _set_judgments_by(know: Callable[..., Any]) -> Callable[[Judged, RelevanceRule], Any]:
    """`set_judgments` by the former method `know`, which gets the parts of the rule one by one, or only the judgments."""

    def set_judgments(qrels: Judged, relevance: RelevanceRule) -> Any:
        rest = (relevance.pack, relevance.by)
        try:
            inspect.signature(know).bind(qrels, *rest, **relevance.settings)
        except (TypeError, ValueError):
            return know(qrels)
        return know(qrels, *rest, **relevance.settings)

    return set_judgments


def _described(place: str, function: Callable[..., Any]) -> Callable[..., Any]:
    if function is _nothing:
        return function

    def call(*arguments: Any) -> Any:
        with describe_library_error(place):
            returned = function(*arguments)
        return _await_described(place, returned) if inspect.isawaitable(returned) else returned

    return call


async def _await_described(place: str, returned: Awaitable[Any]) -> Any:
    with describe_library_error(place):
        return await returned
