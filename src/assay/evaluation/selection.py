"""Selection: which queries of a benchmark are asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.errors import BadParameter, NothingSelected
from assay.model.records import Query
from assay.text import some_of


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
            raise NothingSelected(f"no query of {len(queries):,} is left{self._why(queries)}")
        return {query.query_id: query for query in chosen}

    def _matches(self, query: Query) -> bool:
        if self.only is not None and query.query_id not in self.only:
            return False
        tags = query.tags if self.where else {}
        return all(tags.get(name) in values for name, values in self.where.items())

    def _why(self, queries: Mapping[str, Query]) -> str:
        for name, values in self.where.items():
            known = sorted({query.tags[name] for query in queries.values() if name in query.tags})
            if not set(values) & set(known):
                there = f"there is {some_of(known, 10)}" if known else "no query has that tag"
                return f": {name} is never {' or '.join(values)}; {there}"
        return " after the selection"

    def to_dict(self) -> dict[str, object]:
        """Plain values, as plans record them; only what was chosen."""
        plain: dict[str, object] = {}
        if self.where:
            plain["where"] = {name: list(values) for name, values in self.where.items()}
        if self.range is not None:
            plain["range"] = ":".join("" if end is None else str(end) for end in self.range)
        if self.sample is not None:
            plain |= {"sample": self.sample, "seed": self.seed}
        if self.limit is not None:
            plain["limit"] = self.limit
        if self.only is not None:
            plain["only"] = sorted(self.only)
        return plain


def parse_range(text: str) -> tuple[int | None, int | None]:
    """`0:500`, `500:`, `:100`."""
    shape = re.fullmatch(r"\s*(\d*)\s*:\s*(\d*)\s*", text)
    if not shape or not (shape[1] or shape[2]):
        raise BadParameter(f"a range is written as start:end, such as 0:500, not {text!r}")
    return int(shape[1]) if shape[1] else None, int(shape[2]) if shape[2] else None


def parse_where(texts: Sequence[str]) -> dict[str, list[str]]:
    """`language=de difficulty=hard,medium`."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise BadParameter(f"a tag is chosen as name=value, such as language=de, not {text!r}")
        found.setdefault(name.strip(), []).extend(value.strip() for value in values.split(","))
    return found
