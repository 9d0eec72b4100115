"""Sections as the web pages show them: every table and chart has a name under which its rows may be downloaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.charts import Drawing
from assay.reports import Column, Field, Figure, Figures, Grid, Section

Tables = dict[str, Callable[[], Grid]]


@dataclass(frozen=True)
class Shown:
    """A part of a section; where it has rows, what they are called in a download. Charts stand inside one part."""

    content: Any
    name: str = ""
    charts: tuple[Shown, ...] = ()


@dataclass(frozen=True)
class Laid:
    """A section and its parts."""

    anchor: str
    title: str
    lead: str
    parts: tuple[Shown, ...]


def lay_out(sections: Iterable[Section]) -> tuple[tuple[Laid, ...], Tables]:
    """The sections, and name → table."""
    tables: Tables = {}
    found = []
    for section in sections:
        parts = tuple(_shown(part, section.anchor, tables) for part in section.parts)
        found.append(Laid(section.anchor, section.title, section.lead, parts))
    return tuple(found), tables


def _shown(part: Any, anchor: str, tables: Tables) -> Shown:
    if isinstance(part, Grid):
        name = _free(anchor, tables)
        tables[name] = lambda: part
        return Shown(part, name)
    if isinstance(part, Figures):
        return Shown(part, charts=tuple(_shown(figure, anchor, tables) for figure in part.figures))
    if isinstance(part, Figure):
        name = _free(f"{anchor}-{part.kind_of_chart.replace('_', '-')}", tables)
        tables[name] = lambda: all_rows(part.drawing)
        return Shown(part, name)
    return Shown(part)


def _free(name: str, tables: Mapping[str, Any]) -> str:
    """A name that no other table of the page has."""
    number, found = 1, name
    while found in tables:
        number += 1
        found = f"{name}-{number}"
    return found


def all_rows(drawing: Drawing) -> Grid:
    """Every row behind a chart."""
    names = list(dict.fromkeys(name for row in drawing.rows for name in row))
    rows = tuple(tuple(_field(row.get(name)) for name in names) for row in drawing.rows)
    return Grid(drawing.title, tuple(Column(name) for name in names), rows)


def _field(value: Any) -> Field:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return Field("" if value is None else str(value), sort=value if is_number else None)
