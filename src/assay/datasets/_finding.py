"""Finding: one kind of thing that is wrong with a dataset or a run, how often, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from assay.datasets._finding_codes import CODES

MOST_CASES = 20
"""So many cases of a code are kept; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Case:
    """One place where something is wrong, and what was found there."""

    place: str
    """`file:line` where known, else words: query q7, document d3, judgment q7/d3, run, query q7."""
    found: str = ""
    query: str | None = None
    document: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Plain values; what is not known is left out."""
        named = {"place": self.place, "found": self.found, "query": self.query, "document": self.document}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Finding:
    """Everything of one code: what is wrong, how often, the first places, and what to do."""

    code: str
    message: str
    count: int = 1
    cases: tuple[Case, ...] = ()
    """At most twenty of them."""

    @property
    def severity(self) -> str:
        """`error`: numbers would be wrong, or cannot be had; `warning`: worth a look."""
        return CODES[self.code].severity

    @property
    def advice(self) -> str:
        """What to do."""
        return CODES[self.code].advice

    @property
    def places(self) -> tuple[str, ...]:
        """Where, at most twenty places."""
        return tuple(case.place for case in self.cases)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "cases": [case.to_dict() for case in self.cases],
            "advice": self.advice,
        }


class Cases:
    """Counts cases of one code, and keeps the first twenty."""

    def __init__(self, code: str) -> None:
        self.code, self.count = code, 0
        self.kept: list[Case] = []

    def __len__(self) -> int:
        return self.count

    def add(self, case: Case) -> None:
        """Note one."""
        self.count += 1
        if len(self.kept) < MOST_CASES:
            self.kept.append(case)

    def about_query(self, query: str, found: str = "") -> None:
        """Something is wrong with a query."""
        self.add(Case(f"query {query}", found, query=query))

    def about_document(self, document: str, found: str = "") -> None:
        """Something is wrong with a document."""
        self.add(Case(f"document {document}", found, document=document))

    def about_judgment(self, query: str, document: str, found: str = "") -> None:
        """Something is wrong with what a query's ground truth says of a document."""
        self.add(Case(f"judgment {query}/{document}", found, query, document))

    def about_run(self, query: str, found: str = "", document: str | None = None) -> None:
        """Something is wrong with what a run has for a query."""
        self.add(Case(f"run, query {query}", found, query, document))

    def finding(self, message: str) -> list[Finding]:
        """What was found; nothing if there was no case."""
        return [Finding(self.code, message, self.count, tuple(self.kept))] if self.count else []


def unplaced(code: str, message: str, count: int = 1) -> list[Finding]:
    """Something that is wrong as a whole."""
    return [Finding(code, message, count)]


def first(ids: Iterable[str], most: int = 3) -> str:
    """A few ids, in quotes, and an ellipsis if there are more."""
    some = list(islice(ids, most + 1))
    return ", ".join(map(repr, some[:most])) + (" …" if len(some) > most else "")
