"""Selection: which queries of a benchmark are asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.errors import BadParameter, NothingSelected, near_matches
from assay.model import LISTED, YES, Query, known_as, tags_of, values_of

MAX_NAMES_LISTED = 10
"""Tags or values that are listed in an error, at most."""


@dataclass(frozen=True)
class Selection:
    """First by tags, then a range, then a sample, then a limit; the order of the queries stays."""

    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Tag → values, any of which will do."""
    range: tuple[int | None, int | None] | None = None
    sample: int | None = None
    seed: int = 0
    limit: int | None = None
    only: frozenset[str] | None = None
    """Query ids, such as those that failed before."""

    def apply(self, queries: Mapping[str, Query]) -> dict[str, Query]:
        """The chosen queries; an error where none is left."""
        chosen = [query for query in queries.values() if self._matches(query)]
        if self.range is not None:
            chosen = chosen[slice(*self.range)]
        if self.sample is not None and self.sample < len(chosen):
            places = np.random.default_rng(self.seed).choice(len(chosen), self.sample, replace=False)
            chosen = [chosen[place] for place in sorted(places.tolist())]
        if self.limit is not None:
            chosen = chosen[: self.limit]
        if not chosen:
            self.check_tags([queries])
            raise NothingSelected(f"no query of {len(queries):,} is left {self._why(len(queries))}")
        return {query.query_id: query for query in chosen}

    def check_tags(self, benchmarks: Iterable[Mapping[str, Query]]) -> None:
        """Refuse tags and values that no query of any benchmark has: they are typed wrongly, even where others fit."""
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
        """A sentence for each tag and each value that is not among those of the queries."""
        for word, values in self.where.items():
            name = known_as(word, known)
            if name in LISTED:
                known = {**known, name: {*known.get(name, ()), *(tag for tag, there in known.items() if YES in there)}}
            if not known.get(name):
                there = f"there are {_list_names(known)}" if known else "queries have no tags at all"
                yield f"no query has the tag {name}; {there}{_suggestion(name, known)}"
                continue
            for value in values:
                if value not in known[name]:
                    there = _list_names(known[name])
                    yield f"no query has {name}={value}; {name} has {there}{_suggestion(value, known[name])}"

    def _matches(self, query: Query) -> bool:
        if self.only is not None and query.query_id not in self.only:
            return False
        tags = tags_of(query) if self.where else {}
        return all(not values_of(tags, name).isdisjoint(values) for name, values in self.where.items())

    def _why(self, n_queries: int) -> str:
        """What left nothing, for tags and values that are there."""
        if self.range is not None and (self.range[0] or 0) >= n_queries:
            return f"after the range {_format_range(self.range)}: places are 0 to {n_queries - 1}" if n_queries else "at all"
        return "after the selection" if len(self.where) < 2 else "after the selection: none has all of these tags together"

    def to_dict(self) -> dict[str, object]:
        """Plain values, as plans record them; only what was chosen."""
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
    """All names where they are few, the first ones where they are many."""
    ordered = sorted(names)
    return ", ".join(ordered[:MAX_NAMES_LISTED]) + (
        f" and {len(ordered) - MAX_NAMES_LISTED:,} more" if len(ordered) > MAX_NAMES_LISTED else ""
    )


def _suggestion(name: str, known: Iterable[str]) -> str:
    """What may have been meant."""
    near = near_matches(name, known)
    return f". Did you mean {' or '.join(near)}?" if near else ""


def parse_range(text: str) -> tuple[int | None, int | None]:
    """`0:500`, `500:`, `:100`."""
    shape = re.fullmatch(r"\s*(\d*)\s*:\s*(\d*)\s*", text)
    if not shape or not (shape[1] or shape[2]):
        raise BadParameter(f"a range is written as start:end, such as 0:500, not {text!r}")
    return int(shape[1]) if shape[1] else None, int(shape[2]) if shape[2] else None


def parse_where(texts: Sequence[str]) -> dict[str, list[str]]:
    """`language=de difficulty=hard,medium`."""
    tags: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        chosen = [value.strip() for value in values.split(",")]
        if not equals or not name.strip() or not all(chosen):
            raise BadParameter(f"a tag is chosen as name=value, such as language=de, not {text!r}")
        tags.setdefault(name.strip(), []).extend(chosen)
    return tags
