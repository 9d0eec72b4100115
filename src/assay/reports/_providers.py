"""Providers as people read them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from assay.evaluation.answers import Answer
from assay.grammar import REQUIRED, show
from assay.model.records import Query
from assay.providers._provider import Provider
from assay.reports._cells import Cell, Table
from assay.reports._layout import Style, with_prose
from assay.text import printable


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


def render_check(
    name: str, queries: Mapping[str, Query], answers: Mapping[str, Answer], known: Collection[str], style: Style
) -> str:
    """What came back for a few queries, and whether the ids are known."""
    n_failed = sum(answer.error is not None for answer in answers.values())
    verdict = (
        f"{printable(name)} answers" if not n_failed else f"{printable(name)} fails on {n_failed} of {len(answers)} queries"
    )
    lines = [verdict]
    for query_id, answer in answers.items():
        said = (
            answer.error if answer.error is not None else ", ".join(answer.docs[:5]) + (" …" if len(answer.docs) > 5 else "")
        )
        lines.append(
            style.wrapped(f"  {printable(queries[query_id].text or query_id)}: {printable(said)} ({answer.ms:.0f} ms)")
        )
    ids = [doc for answer in answers.values() for doc in answer.docs]
    if ids and not any(doc in known for doc in ids):
        lines.append(f"none of these ids is a document of the benchmark: {printable(ids[0])}")
    return "\n".join(lines) + "\n"
