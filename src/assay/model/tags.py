"""Tags: what queries can be sliced by, and the slice of each query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from assay.errors import UnknownName, UsageError, near_matches
from assay.model.records import LISTED, YES, Query
from assay.model.times import AGE_BINS
from assay.text import counted, words_of

NONE = "(none)"
"""The value of a tag that a query does not have."""
LENGTH, LANGUAGE = "length", "language"
ORIGIN, SYNTHETIC = "origin", "synthetic"
"""The tag that says where a query comes from, and its value for queries that a model wrote."""
GENERATED_FROM, GENERATED_BY = "generated_from", "generated_by"
"""The document that a synthetic query was written for, which is not a judgment, and the model that wrote it."""
LENGTHS = ((3, "short"), (7, "medium"))
"""The most words of a short and of a medium query; a query with more words is long."""
TAG_ALIASES = {"type": "query_type", "category": "query_type", "question_type": "query_type"}
"""Other names of tags."""
KNOWN_ORDER = {
    word: place
    for place, words in enumerate(("trivial", "easy short low", "medium moderate", "hard long high", "expert extreme"))
    for word in words.split()
} | {name: place for place, name in enumerate(AGE_BINS)}
"""Values with a natural order."""
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
"""How tags write numbers."""


class HasQueries(Protocol):
    """Anything that has queries, such as a result."""

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The ids of its queries."""

    @property
    def queries(self) -> Mapping[str, Query]:
        """Query id → query, as far as the queries are known."""


@dataclass(frozen=True)
class Slice:
    """Queries that share a value of a tag, or of several tags."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    queries: tuple[str, ...]
    words: tuple[str, ...] = field(default=(), compare=False)
    """The names of the tags as the user wrote them, such as `category` for `query_type`; empty: their own names."""

    @property
    def n(self) -> int:
        """The number of queries."""
        return len(self.queries)

    @property
    def label(self) -> str:
        """`language=de difficulty=hard`: the form that `--where` reads, with tag names as the user wrote them."""
        return " ".join(f"{name}={value}" for name, value in zip(self.words or self.names, self.values, strict=True))

    @property
    def value(self) -> str:
        """`de`, or `de*hard` if tags are crossed."""
        return "*".join(self.values)

    @property
    def is_tagged(self) -> bool:
        """Whether its queries have all the tags."""
        return NONE not in self.values


@dataclass(frozen=True)
class Tags:
    """Query → tag → value, for the queries of results."""

    by_query: Mapping[str, Mapping[str, str]]
    listed: Mapping[str, int] = field(default_factory=dict)
    """Fields with a list of values, and in how many queries. Such fields are not tags."""

    @classmethod
    def of(cls, results: Iterable[HasQueries]) -> Tags:
        """The tags of all queries that any of the results has scored."""
        by_query: dict[str, Mapping[str, str]] = {}
        lists: dict[str, tuple[str, ...]] = {}
        for result in results:
            for query in result.query_ids:
                if not by_query.get(query):
                    known = result.queries.get(query)
                    by_query[query] = {} if known is None else tags_of(known)
                    lists[query] = () if known is None else known.listed
        return cls(by_query, Counter(name for names in lists.values() for name in names))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All tags, sorted."""
        return tuple(sorted({name for tags in self.by_query.values() for name in tags}))

    def named(self, word: str) -> str:
        """The tag that a word means; an error if the queries have no such tag."""
        if self.listed.get(word) and word not in self.names:
            if word in LISTED and (each := [name for name in self.names if YES in self.values(name)]):
                raise UsageError(
                    f"cannot slice by {word}: it is a list in {counted(self.listed[word], 'query')}, and a query can be in "
                    f"only one slice. Slice by one of its entries, such as {' or '.join(each[:3])}. "
                    "An entry has the values yes and (none)"
                )
            raise UsageError(
                f"cannot slice by {word}: it is a list in {counted(self.listed[word], 'query')}, and a query can be in only "
                "one slice. Give each query one value: text, a number, true or false"
            )
        if not self.names:
            raise UsageError(
                f"cannot slice by {word}: the queries have no tags, because judgments and runs do not contain any. "
                "Use --dataset or assay eval"
            )
        name = known_as(word, self.names)
        if name not in self.names:
            raise UnknownName("tag", word, near_matches(word, self.names), f"choose from {', '.join(self.names)}")
        return name

    def kept_apart(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The tags, preceded by the language if a slice would otherwise mix queries of several languages."""
        mixed = any(len({self.by_query[query].get(LANGUAGE) for query in part.queries}) > 1 for part in self.slices(names))
        return (LANGUAGE, *names) if mixed else names

    def crossed(self, by: str) -> tuple[str, ...]:
        """The tags of `language*difficulty`, each once."""
        return tuple(dict.fromkeys(self.named(word.strip()) for word in by.split("*")))

    def words(self, by: str | Iterable[str]) -> dict[str, str]:
        """Tag → its name as the user wrote it. If the user wrote two names for a tag, the first counts."""
        asked = [word.strip() for crossing in asked_for(by) for word in crossing.split("*")]
        return {self.named(word): word for word in reversed(asked)}

    def values(self, name: str) -> list[str]:
        """The value of a tag for each query."""
        return [tags.get(name, NONE) for tags in self.by_query.values()]

    def slices(self, names: Sequence[str], words: Mapping[str, str] | None = None) -> tuple[Slice, ...]:
        """A slice for each combination of values that occurs, in order; queries without a tag come last.

        `words` maps tags to the names to use in labels.
        """
        called = tuple((words or {}).get(name, name) for name in names) if words else ()
        queries_by_values: dict[tuple[str, ...], list[str]] = {}
        for query, *values in zip(self.by_query, *map(self.values, names), strict=True):
            queries_by_values.setdefault(tuple(values), []).append(query)
        ordered = sorted(queries_by_values, key=lambda values: list(map(_place, values)))
        return tuple(Slice(tuple(names), values, tuple(queries_by_values[values]), called) for values in ordered)


def known_as(word: str, known: Collection[str]) -> str:
    """The tag that a word means, if it is not a tag itself: `category` means `query_type`."""
    return word if word in known else TAG_ALIASES.get(word, word)


def values_of(tags: Mapping[str, str], word: str) -> set[str]:
    """The values that a query has for the tag that a word means: `(none)` without the tag.

    `tag` also gives all tags from a list of tags.
    """
    own = tags.get(known_as(word, tags))
    listed = {name for name, value in tags.items() if value == YES} if word in LISTED else set()
    return listed or {NONE} if own is None else {own, *listed}


def tags_of(query: Query) -> dict[str, str]:
    """The tags of a query. `length` is computed from its text, unless it has a tag of that name."""
    tags = query.tags
    n_words = len(words_of(query.text))
    if n_words and LENGTH not in tags:
        tags[LENGTH] = next((name for most, name in LENGTHS if n_words <= most), "long")
    return tags


def asked_for(by: str | Iterable[str]) -> list[str]:
    """The requested slicings: `language, difficulty` are two; `language*difficulty` is one."""
    words = [by] if isinstance(by, str) else list(by)
    parts = [part.strip() for word in words for part in word.split(",") if part.strip()]
    if not parts:
        raise UsageError("give a tag to slice by, such as language; to combine two tags, write language*difficulty")
    return list(dict.fromkeys(parts))


def _place(value: str) -> tuple[int, float, str]:
    """The sort key of a value: easy before hard, 2 before 10, 0.2 before 0.7, words alphabetically, missing values last."""
    if value == NONE:
        return 3, 0.0, value
    if value in KNOWN_ORDER:
        return 0, KNOWN_ORDER[value], value
    return (1, float(value), value) if NUMBER.fullmatch(value) else (2, 0.0, value)
