"""Resolver: the record of one way to decide about relevance, its input, and its result for a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.catalog import load_entries
from assay.errors import BadParameter, UnknownName, near_matches
from assay.grammar import Param, WrittenName, changed_settings, parse_setting, split_call
from assay.model import Hit, Pack, Query, Span
from assay.relevance.words import WordIndex
from assay.views import Places


@dataclass(frozen=True)
class Ground:
    """Everything that a resolver may read: the queries, their hits, and every kind of ground truth."""

    queries: Mapping[str, Query]
    hits: Mapping[str, Sequence[Hit]]
    """Query → its hits, best first."""
    qrels: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    pack: Pack | None = None
    documents: Mapping[str, str] = field(default_factory=dict)
    """Id → text of the documents that are available."""
    scopes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Group → its documents; a query without a scope may search all documents."""
    document_of: Callable[[str], str] | None = None
    """The document of a retrieved chunk, if chunks are retrieved and documents are judged."""
    spans: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """Query → the spans of files that answer it."""
    places: Places | None = None
    """The places of chunks in their files; None if they are not needed."""
    context: Any = None
    """What a domain knows about the documents, for the resolvers of that domain."""

    @property
    def has_chunks(self) -> bool:
        """Whether documents are chunks of files, or retrieved items say that they are."""
        if self.places is None:
            return False
        if not self.places.are_chunks:
            self.places.numbers([hit.doc_id for hits in self.hits.values() for hit in hits])
        return self.places.are_chunks or self.places.n_read > 0

    def scope_numbers(self, query: Query) -> Ints:
        """The numbers, in the word index, of the documents in the scope of a query; empty if there are none."""
        if query.scope not in self._scope_numbers:
            scope = self.documents if query.scope is None else self.scopes.get(query.scope, ())
            numbers = self.words.numbers(self.documents[doc] for doc in scope if doc in self.documents)
            self._scope_numbers[query.scope] = np.unique(numbers)
        return self._scope_numbers[query.scope]

    def may_find(self, hit: Hit, query: Query) -> bool:
        """Whether a hit is in the scope of the query; a hit that is not a document of the dataset is in every scope."""
        if query.scope is None or not self.scopes or hit.doc_id not in self.documents:
            return True
        if query.scope not in self._members:
            self._members[query.scope] = frozenset(self.scopes.get(query.scope, ()))
        return hit.doc_id in self._members[query.scope]

    def documents_with(self, text: int, query: Query) -> list[str]:
        """The documents in the scope of a query that have the text with this number."""
        return self._by_text(query.scope).get(text, [])

    def _by_text(self, scope: str | None) -> dict[int, list[str]]:
        if scope not in self._owners:
            owners: dict[int, list[str]] = {}
            for doc in self.documents if scope is None else self.scopes.get(scope, ()):
                if doc in self.documents:
                    owners.setdefault(self.words.number[self.documents[doc]], []).append(doc)
            self._owners[scope] = owners
        return self._owners[scope]

    def has_text(self, hit: Hit) -> bool:
        """Whether the text of a hit is known; an empty text does not count."""
        return bool(hit.text) or hit.doc_id in self.documents

    def text_of(self, hit: Hit) -> str:
        """The text of a hit: its own, or the text of its document."""
        return self.documents.get(hit.doc_id, "") if hit.text is None else hit.text

    @cached_property
    def _scope_numbers(self) -> dict[str | None, Ints]:
        return {}

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _owners(self) -> dict[str | None, dict[int, list[str]]]:
        return {}

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """Query → the texts of its hits."""
        return {
            query: [self.text_of(hit) if hit.text is None else hit.text for hit in hits] for query, hits in self.hits.items()
        }

    @cached_property
    def words(self) -> WordIndex:
        """The words of all texts that may be compared; each text is split once."""
        return WordIndex(self.documents.values(), chain.from_iterable(self.texts.values()))

    @cached_property
    def text_numbers(self) -> dict[str, Ints]:
        """Query → the numbers of the texts of its hits in the word index."""
        end = np.cumsum(list(map(len, self.texts.values()))).tolist()
        bounds = zip([0, *end], end, strict=False)
        return {query: self.words.of_others[low:high] for query, (low, high) in zip(self.texts, bounds, strict=True)}


@dataclass(frozen=True)
class Judged:
    """The decision of a resolver about one query."""

    grades: Mapping[str, float]
    """Document → grade, retrieved or not."""
    hidden: Sequence[float] = ()
    """Grades of gold items that no hit covers: they count in recall and in the ideal ranking."""
    n_exact: int = 0
    """Retrieved texts that contain the expected text word for word."""
    n_without_text: int = 0
    """Hits without a text, whose document has no known text either."""
    is_levelled: bool = False
    """Whether different grades were all counted as 1."""
    n_unplaced: int = 0
    """Hits without a known place, if places decide."""
    counted_over: str = "judgments"
    """Where relevant items were counted: judgments, evidence, scope, chunks, retrieved, or another word of a
    domain."""


@dataclass(frozen=True)
class Resolver:
    """One way to decide about relevance."""

    name: str
    meaning: str
    applies: Callable[[Ground, Query], bool]
    """Whether the query has the ground truth that this resolver needs."""
    resolve: Callable[..., dict[str, Judged]]
    """Ground, queries and parameters → the decision about each query."""
    params: tuple[Param, ...] = ()
    needs: str = "an expected answer"
    """What a query needs for this resolver, in words."""
    needs_domain: bool = False
    """Whether it reads `Ground.context`."""
    only_written: tuple[str, ...] = ()
    """Parameters that may name something to load. A value other than the default is accepted only in text that the user
    wrote, not from data."""
    check: Callable[..., None] | None = None
    """Raises if something that the parameters need is not installed. Nothing is loaded."""


@dataclass(frozen=True)
class BoundResolver:
    """A resolver with its parameters."""

    resolver: Resolver
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name without parameters."""
        return self.resolver.name

    def resolve(self, ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
        """Its decisions about these queries."""
        return self.resolver.resolve(ground, queries, **self.params)


@cache
def all_resolvers() -> Mapping[str, Resolver]:
    """Name → resolver, sorted by name."""
    return load_entries("assay.relevance.catalog", Resolver, "assay.relevance")


def parse_resolver(text: str, **defaults: Any) -> BoundResolver:
    """Parse `token(threshold=0.5)`; `defaults` are for parameters that the resolver has and the text does not set."""
    name, arguments = split_call(text)
    known = all_resolvers()
    if name not in known:
        raise UnknownName("resolver", name, near_matches(name, known), f"choose from auto, {', '.join(known)}")
    resolver = known[name]
    settings = {param.name: defaults.get(param.name, param.default) for param in resolver.params}
    for parameter, value in arguments:
        settings |= parse_setting(text, name, resolver.params, parameter, value)
    if not isinstance(text, WrittenName) and any(
        name in resolver.only_written for name in changed_settings(resolver.params, settings)
    ):
        only = ", ".join(resolver.only_written)
        raise BadParameter(f"{name}: {only} is accepted only in text that you write yourself, such as a plan, not from data")
    if resolver.check is not None:
        resolver.check(**settings)
    return BoundResolver(resolver, settings)
