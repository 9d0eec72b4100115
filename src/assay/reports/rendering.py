"""Rendering: the catalog of output formats; each can render any sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from assay.catalog import find_entry, load_entries
from assay.reports.layout import Style
from assay.reports.table import Section


@dataclass(frozen=True)
class Renderer:
    """One output format."""

    name: str
    render: Callable[[Sequence[Section], Style], str] | None
    """None for formats that read results directly (JSON and trec)."""
    meaning: str


@cache
def all_renderers() -> Mapping[str, Renderer]:
    """Name → renderer."""
    return load_entries("assay.reports.renderers", Renderer, "assay.reports")


def find_renderer(name: str) -> Renderer:
    """The renderer of that name."""
    return find_entry("format", name, all_renderers())


def render_sections(sections: Sequence[Section], form: str = "table", style: Style | None = None) -> str:
    """Render sections in a format for people, or as CSV."""
    renderer = find_renderer(form)
    if renderer.render is None:
        raise ValueError(f"{form} renders results, not sections")
    return renderer.render(sections, style or Style())
