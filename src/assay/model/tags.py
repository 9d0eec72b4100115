"""tags: what queries can be sliced by, and which slice each query is in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from assay.errors import UnknownName, UsageError, near_matches
from assay.model.records import Query
from assay.text import words_of

NONE = "(none)"
"""The value of a tag that a query does not have."""
LENGTH, LANGUAGE = "length", "language"
LENGTHS = ((3, "short"), (7, "medium"))
"""Words up to which a query is called so; beyond, it is long."""
ALSO = {"type": "query_type", "category": "query_type"}
"""Other words for tags."""
KNOWN_ORDER = {
    word: place
    for place, words in enumerate(("trivial", "easy short low", "medium moderate", "hard long high", "expert extreme"))
    for word in words.split()
}
"""Values that have an order of their own."""


class KnowsQueries(Protocol):
    """Anything that is about queries, such as a result."""

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries it is about."""

    @property
    def queries(self) -> Mapping[str, Query]:
        """What is known of them."""


@dataclass(frozen=True)
class Slice:
    """Queries that share a value of a tag, or of several tags."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    queries: tuple[str, ...]

    @property
    def n(self) -> int:
        """How many queries it has."""
        return len(self.queries)

    @property
    def label(self) -> str:
        """`language=de difficulty=hard`, as `--where` is written."""
        return " ".join(f"{name}={value}" for name, value in zip(self.names, self.values, strict=True))

    @property
    def value(self) -> str:
        """`de`, or `de*hard` where tags are crossed."""
        return "*".join(self.values)

    @property
    def is_tagged(self) -> bool:
        """Whether its queries have all the tags."""
        return NONE not in self.values


@dataclass(frozen=True)
class Tags:
    """Query → tag → value, for the queries that results are about."""

    by_query: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, results: Iterable[KnowsQueries]) -> Tags:
        """The tags of all queries that any of the results has scored."""
        by_query: dict[str, Mapping[str, str]] = {}
        for result in results:
            for query in result.query_ids:
                if not by_query.get(query):
                    by_query[query] = tags_of(result.queries[query]) if query in result.queries else {}
        return cls(by_query)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All tags, sorted."""
        return tuple(sorted({name for tags in self.by_query.values() for name in tags}))

    def named(self, word: str) -> str:
        """The tag that a word stands for."""
        if not self.names:
            raise UsageError(
                f"nothing is known about the queries, so they cannot be sliced by {word}: "
                "assay eval and --dataset know their tags, judgments and runs alone do not"
            )
        name = known_as(word, self.names)
        if name not in self.names:
            raise UnknownName("tag", word, near_matches(word, self.names), f"the queries have {', '.join(self.names)}")
        return name

    def kept_apart(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The tags, with the language before them where a slice would else mix queries of several languages."""
        mixed = any(len({self.by_query[query].get(LANGUAGE) for query in one.queries}) > 1 for one in self.slices(names))
        return (LANGUAGE, *names) if mixed else names

    def crossed(self, by: str) -> tuple[str, ...]:
        """The tags of `language*difficulty`, each once."""
        return tuple(dict.fromkeys(self.named(word.strip()) for word in by.split("*")))

    def values(self, name: str) -> list[str]:
        """Of each query: the value of a tag."""
        return [tags.get(name, NONE) for tags in self.by_query.values()]

    def slices(self, names: Sequence[str]) -> tuple[Slice, ...]:
        """Every combination of values that occurs, in order; queries without a tag come last."""
        found: dict[tuple[str, ...], list[str]] = {}
        for query, *values in zip(self.by_query, *map(self.values, names), strict=True):
            found.setdefault(tuple(values), []).append(query)
        ordered = sorted(found, key=lambda values: list(map(_place, values)))
        return tuple(Slice(tuple(names), values, tuple(found[values])) for values in ordered)


def known_as(word: str, known: Collection[str]) -> str:
    """The tag that a word stands for, if it is no tag itself: `category` is what others call the type of a query."""
    return word if word in known else ALSO.get(word, word)


def tags_of(query: Query) -> dict[str, str]:
    """The tags of a query; `length` follows from its text, unless it has a tag of that name."""
    tags = query.tags
    n_words = len(words_of(query.text))
    if n_words and LENGTH not in tags:
        tags[LENGTH] = next((name for most, name in LENGTHS if n_words <= most), "long")
    return tags


def asked_for(by: str | Iterable[str]) -> list[str]:
    """`language difficulty` as words, each to be sliced by alone; `language*difficulty` stays together."""
    words = [by] if isinstance(by, str) else list(by)
    found = [part.strip() for word in words for part in word.split(",") if part.strip()]
    if not found:
        raise UsageError("say what to slice by: a tag such as language, or several, crossed as in language*difficulty")
    return list(dict.fromkeys(found))


def _place(value: str) -> tuple[int, float, str]:
    """Easy before hard, 2 before 10, words by the alphabet, nothing last."""
    if value == NONE:
        return 3, 0.0, value
    if value in KNOWN_ORDER:
        return 0, KNOWN_ORDER[value], value
    return (1, float(value), value) if value.isdecimal() and len(value) < 300 else (2, 0.0, value)
