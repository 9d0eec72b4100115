"""Menus: choices that depend on each other. A choice that does not fit falls back to one that does, and a note says so."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from assay.errors import UnknownName, near_matches
from assay.text import printable, shorten_middle
from assay.web.page import PageRequest

MAX_NAMED = 10
"""Names that an error lists."""
LONGEST_NAME = 60
"""The largest width of a name in a note."""


def named(name: str) -> str:
    """A name in a sentence."""
    return shorten_middle(printable(name), LONGEST_NAME)


@dataclass
class Choices:
    """The choices of a request. `request` is the same without what did not fit, so that the links of the page are clean."""

    request: PageRequest
    notes: list[str] = field(default_factory=list)
    """What did not fit, and what is shown instead."""

    def one(self, name: str, fitting: Collection[str], usual: str, known: Collection[str], *, note: str, kind: str) -> str:
        """The chosen value, or the usual one if it does not fit. A value that is unknown everywhere is an error."""
        value = self.request.get(name)
        if not value or value in fitting:
            return value or usual
        if value not in known:
            near = near_matches(value, list(fitting)) or near_matches(value, list(dict.fromkeys(known)))
            raise UnknownName(kind, value[:200], near, "the menus list what there is")
        return self.instead(name, usual, note)

    def several(self, name: str, fitting: Collection[str]) -> list[str]:
        """The chosen values that fit; others are left out."""
        chosen = [value for value in dict.fromkeys(self.request.get_all(name)) if value in fitting]
        others = tuple((key, value) for key, value in self.request.params if key != name)
        self.request = replace(self.request, params=(*others, *((name, value) for value in chosen)))
        return chosen

    def instead(self, name: str, usual: str, note: str = "") -> str:
        """Another value in place of one that does not fit; without a note if nothing is shown instead."""
        params = tuple((key, value) for key, value in self.request.params if key != name)
        self.request = replace(self.request, params=params)
        self.notes += [note] if note else []
        return usual


def benchmark_of(request: PageRequest, names: Sequence[str], newest: str) -> str:
    """The chosen benchmark, or that of the newest result; an unknown one is an error."""
    benchmark = request.get("benchmark", newest)
    if benchmark and benchmark not in names:
        hint = f"choose from {', '.join(map(named, names[:MAX_NAMED]))}" if names else "the store is empty"
        raise UnknownName("benchmark in the store", benchmark[:200], near_matches(benchmark, names), hint)
    return benchmark
