"""Selection: which queries of a benchmark to use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.errors import BadParameter, NothingSelected, near_matches
from assay.model import LISTED, NONE, YES, Query, known_as, tags_of, values_of

MAX_NAMES_LISTED = 10
"""The largest number of tags or values that an error lists."""


@dataclass(frozen=True)
class Selection:
    """Selects queries by tags, then a range, then a sample, then a limit. The order of the queries does not change."""

    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Tag → values; a query must have one of them."""
    range: tuple[int | None, int | None] | None = None
    sample: int | None = None
    seed: int = 0
    limit: int | None = None
    only: frozenset[str] | None = None
    """Query ids, such as those of failed queries."""

    def apply(self, queries: Mapping[str, Query]) -> dict[str, Query]:
        """The selected queries; raises NothingSelected if none is left."""
        chosen = [query for query in queries.values() if self._matches(query)]
        if self.range is not None:
            chosen = chosen[slice(*self.range)]
        if self.sample is not None and self.sample < len(chosen):
            by_id = sorted(range(len(chosen)), key=lambda place: chosen[place].query_id)  # the sample ignores their order
            drawn = np.random.default_rng(self.seed).choice(len(chosen), self.sample, replace=False)
            chosen = [chosen[place] for place in sorted(by_id[number] for number in drawn.tolist())]
        if self.limit is not None:
            chosen = chosen[: self.limit]
        if not chosen:
            self.check_tags([queries])
            raise NothingSelected(self._why(len(queries)))
        return {query.query_id: query for query in chosen}

    def check_tags(self, benchmarks: Iterable[Mapping[str, Query]]) -> None:
        """Raise NothingSelected for tags and values that no query has: they are typos, even if other values match."""
        if not self.where:
            return
        known: dict[str, set[str]] = {}
        for queries in benchmarks:
            for query in queries.values():
                for name, value in tags_of(query).items():
                    known.setdefault(name, set()).add(value)
        if unknown := list(self._unknown(known)):
            raise NothingSelected("\n  ".join(unknown))

    def _unknown(self, known: Mapping[str, Collection[str]]) -> Iterator[str]:
        """A sentence for each tag and each value that no query has."""
        for word, values in self.where.items():
            name = known_as(word, known)
            if name in LISTED:
                known = {**known, name: {*known.get(name, ()), *(tag for tag, there in known.items() if YES in there)}}
            if not known.get(name):
                there = f"choose from {_list_names(known)}" if known else "the queries have no tags"
                yield f"no query has the tag {name}.{_suggestion(name, known)}   ({there})"
                continue
            for value in values:
                if value not in {*known[name], NONE}:
                    there = f"choose from {_list_names(known[name])}"
                    yield f"no query has {name}={value}.{_suggestion(value, known[name])}   ({there})"

    def _matches(self, query: Query) -> bool:
        if self.only is not None and query.query_id not in self.only:
            return False
        tags = tags_of(query) if self.where else {}
        return all(not values_of(tags, name).isdisjoint(values) for name, values in self.where.items())

    def _why(self, n_queries: int) -> str:
        """The reason why no query is left, if all tags and values are known."""
        if not n_queries:
            return "the benchmark has no queries"
        none = f"none of the {n_queries:,} queries"
        if self.range is not None and (self.range[0] or 0) >= n_queries:
            return f"{none} is in the range {_format_range(self.range)} (positions go from 0 to {n_queries - 1})"
        return f"{none} has all of the selected tags" if len(self.where) > 1 else f"{none} is in the selection"

    def to_dict(self) -> dict[str, object]:
        """Plain values, as in plans; only the settings that are used."""
        plain: dict[str, object] = {}
        if self.where:
            plain["where"] = {name: list(values) for name, values in self.where.items()}
        if self.range is not None:
            plain["range"] = _format_range(self.range)
        if self.sample is not None:
            plain |= {"sample": self.sample, "seed": self.seed}
        if self.limit is not None:
            plain["limit"] = self.limit
        if self.only is not None:
            plain["only"] = sorted(self.only)
        return plain


def _format_range(ends: tuple[int | None, int | None]) -> str:
    return ":".join("" if end is None else str(end) for end in ends)


def _list_names(names: Iterable[str]) -> str:
    """All names if they are few, else the first ones and how many more there are."""
    ordered = sorted(names)
    return ", ".join(ordered[:MAX_NAMES_LISTED]) + (
        f" and {len(ordered) - MAX_NAMES_LISTED:,} more" if len(ordered) > MAX_NAMES_LISTED else ""
    )


def _suggestion(name: str, known: Iterable[str]) -> str:
    """Similar names, as a question."""
    near = near_matches(name, known)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def parse_range(text: str) -> tuple[int | None, int | None]:
    """Parse `0:500`, `500:` or `:100`."""
    shape = re.fullmatch(r"\s*(\d*)\s*:\s*(\d*)\s*", text)
    if not shape or not (shape[1] or shape[2]):
        raise BadParameter(f"a range must have the form start:end, such as 0:500, not {text!r}")
    return int(shape[1]) if shape[1] else None, int(shape[2]) if shape[2] else None


def parse_where(texts: Sequence[str]) -> dict[str, list[str]]:
    """Parse `language=de difficulty=hard,medium`."""
    tags: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        chosen = [value.strip() for value in values.split(",")]
        if not equals or not name.strip() or not all(chosen):
            raise BadParameter(f"a tag must have the form name=value, such as language=de, not {text!r}")
        tags.setdefault(name.strip(), []).extend(chosen)
    return tags
