"""Providers as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.evaluation.answers import Answer
from assay.evaluation.runner import Part
from assay.grammar import REQUIRED, show
from assay.providers._provider import Provider
from assay.reports._cells import Cell, Table
from assay.reports._latency import milliseconds
from assay.reports._layout import Style, with_prose, without_middle
from assay.text import counted, printable, some_of

FIRST = 5
"""Hits of a query that a check shows."""
LONGEST_QUERY = 32
"""Columns for a query in a check."""


def describe_provider(provider: Provider) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "name": provider.name,
        "meaning": provider.meaning,
        "made_of_providers": provider.takes_parts,
        "indexes_documents": provider.indexes,
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


def describe_check(part: Part, answers: Mapping[str, Answer]) -> dict[str, Any]:
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


def render_check(part: Part, answers: Mapping[str, Answer], style: Style) -> str:
    """What came back for a few queries, one line each, and a verdict."""
    rows = []
    for query, answer in answers.items():
        text = without_middle(printable(part.queries[query].text or query), LONGEST_QUERY)
        if answer.error is not None:
            rows.append([Cell(text), Cell("–"), Cell("–"), Cell(f"failed: {printable(answer.error)}")])
        else:
            first = " ".join(map(printable, answer.docs[:FIRST])) + (" …" if len(answer.docs) > FIRST else "")
            rows.append([Cell(text), Cell(f"{len(answer.docs):,}"), Cell(milliseconds(answer.ms)), Cell(first)])
    table = with_prose(Table(["query", "hits", "time", "first hits"], rows, frozenset({0, 3})), style)
    title = f"{printable(part.provider.name)} on {printable(part.dataset.name)}, k = {part.k}"
    return "\n\n".join([style.wrapped(title), table, style.wrapped(_verdict(part, answers))]) + "\n"


def _verdict(part: Part, answers: Mapping[str, Answer]) -> str:
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
