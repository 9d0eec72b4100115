"""Providers as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.execution import Part, Response
from assay.grammar import REQUIRED, show
from assay.providers import Provider
from assay.reports._cells import Cell, Table
from assay.reports._layout import Style, with_prose, without_middle
from assay.text import counted, display_width, milliseconds, printable, some_of

FIRST = 5
"""Hits of a query that a check shows."""
LONGEST_QUERY = 32
"""Columns for a query in a check."""
WIDEST_TIME = 8
"""Columns for a time in a check: `1,234 ms`."""


def describe_provider(provider: Provider) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "name": provider.name,
        "meaning": provider.meaning,
        "made_of_providers": provider.takes_parts,
        "indexes_documents": provider.indexes is not False,
        "parameters": [
            {
                "name": one.name,
                "default": None if one.default is REQUIRED else one.default,
                "needed": one.default is REQUIRED,
                "meaning": one.meaning,
            }
            for one in provider.params
        ],
    }


def render_providers(providers: Mapping[str, Provider], style: Style) -> str:
    """All of them, one line each."""
    rows = [[Cell(one.name), Cell(one.meaning)] for one in providers.values()]
    return with_prose(Table(["provider", "what it is"], rows, frozenset({0, 1})), style) + "\n"


def render_provider(provider: Provider, style: Style) -> str:
    """One of them in full."""
    rows = [[Cell(one.name), Cell(_default(one.default)), Cell(one.meaning)] for one in provider.params]
    parts = [style.wrapped(f"{provider.name}: {provider.meaning}")]
    if rows:
        parts.append(with_prose(Table(["parameter", "default", "meaning"], rows, frozenset({0, 1, 2})), style))
    if provider.takes_parts:
        inside = ", ".join(provider.default_parts) or "bm25"
        parts.append(f"made of other providers: {provider.name}({inside})")
    return "\n\n".join(parts) + "\n"


def _default(value: Any) -> str:
    return "needed" if value is REQUIRED else "" if value in (None, "") else show(value)


def describe_check(part: Part, answers: Mapping[str, Response]) -> dict[str, Any]:
    """Plain JSON values of a check: query → what came back."""
    return {
        query: {
            "docs": answer.docs,
            "scores": answer.scores,
            "ms": answer.ms,
            "error": answer.error,
            "unknown": [doc for doc in answer.docs if doc not in part.dataset.documents],
        }
        for query, answer in answers.items()
    }


@dataclass(frozen=True)
class CheckReport:
    """What comes back for a few queries, line by line as it comes: columns have their width beforehand."""

    part: Part
    style: Style

    def head(self) -> str:
        """What is asked, and the heads of the columns."""
        title = f"{printable(self.part.provider.name)} on {printable(self.part.dataset.name)}, k = {self.part.k}"
        return f"{self.style.wrapped(title)}\n\n{self._set()}\n"

    def row(self, answer: Response) -> str:
        """What came back for a query."""
        text = self._query(answer.query)
        if answer.error is not None:
            cells = [text, "–", "–", f"failed: {printable(answer.error)}"]
        else:
            first = " ".join(map(printable, answer.docs[:FIRST])) + (" …" if len(answer.docs) > FIRST else "")
            cells = [text, f"{len(answer.docs):,}", milliseconds(answer.ms), first]
        return self._set(list(map(Cell, cells))).removeprefix(self._set() + "\n")

    def verdict(self, answers: Mapping[str, Response]) -> str:
        """Whether it works."""
        return f"\n{self.style.wrapped(_verdict(self.part, answers))}\n"

    def _query(self, query: str) -> str:
        return without_middle(printable(self.part.queries[query].text or query), LONGEST_QUERY)

    def _set(self, *rows: list[Cell]) -> str:
        """The heads, and these rows below them."""
        longest = max(display_width(self._query(query)) for query in self.part.queries)
        head = ["query".ljust(longest), "hits".rjust(len(f"{self.part.k:,}")), "time".rjust(WIDEST_TIME), "first hits"]
        return with_prose(Table(head, list(rows), frozenset({0, 3})), self.style)


def _verdict(part: Part, answers: Mapping[str, Response]) -> str:
    """Whether it works, and what looks wrong although it does."""
    name, n_failed = printable(part.provider.name), sum(answer.error is not None for answer in answers.values())
    if n_failed:
        return f"{name} fails on {n_failed:,} of {counted(len(answers), 'query')}."
    ids = [doc for answer in answers.values() for doc in answer.docs]
    if not ids:
        return f"{name} answers, but found nothing for any query."
    unknown = [doc for doc in ids if doc not in part.dataset.documents] if part.dataset.documents else []
    if len(unknown) == len(ids):
        ours, theirs = printable(ids[0]), printable(next(iter(part.dataset.documents)))
        return f"{name} answers, but none of its ids is a document of the benchmark: it returns {ours}, there are {theirs} …"
    if unknown:
        share = f"{len(unknown):,} of {len(ids):,} ids"
        return f"{name} answers, but {share} are no documents of the benchmark: {printable(some_of(unknown))}"
    return f"{name} answers."
