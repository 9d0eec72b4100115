"""Render charts as SVG, PNG or PDF, without a browser or network access."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any
from xml.sax.saxutils import quoteattr

from assay.charts.chart import Drawing
from assay.charts.spec import INK, themed
from assay.errors import UnknownName, near_matches
from assay.extras import check_extra
from assay.masking import has_secrets, mask, mask_nested
from assay.text import spreadsheet_cell

PICTURES = ("svg", "png", "pdf")
SCALE = 2.0
"""Pixels of a PNG per point of the chart."""
OFFLINE: dict[str, Any] = {"allowed_base_urls": []}
"""Nothing may be fetched while a chart is drawn; our charts contain all their data."""


def render(drawing: Drawing, kind: str, theme: str = "light") -> bytes:
    """The content of a file with the chart: svg, png, pdf, json (the specification) or csv (the rows)."""
    known = renderings()
    if kind not in known:
        raise UnknownName("chart format", kind, near_matches(kind, known), f"choose from {', '.join(known)}")
    if theme not in INK:
        raise UnknownName("theme", theme, near_matches(theme, INK), f"choose from {', '.join(INK)}")
    return known[kind](_masked(drawing), theme)


def _masked(drawing: Drawing) -> Drawing:
    """The chart without secrets; this happens before rendering, because a picture cannot be searched for text."""
    if not has_secrets():
        return drawing
    return replace(drawing, spec=mask_nested(drawing.spec), alt=mask(drawing.alt), rows=mask_nested(drawing.rows))


def require(kind: str) -> None:
    """Raise an error at once if a kind of file needs a package that is missing."""
    if kind in PICTURES:
        _converter()


@cache
def renderings() -> dict[str, Callable[[Drawing, str], bytes]]:
    """File extension → the function that renders such a file."""
    return {"svg": _svg, "png": _png, "pdf": _pdf, "json": _json, "csv": _csv}


def to_svg(drawing: Drawing, theme: str = "light") -> str:
    """The chart as SVG, with its description for screen readers."""
    drawn = str(_converter().vegalite_to_svg(themed(drawing.spec, theme), **OFFLINE))
    words = f'<svg role="img" aria-label={quoteattr(drawing.alt)} '
    return drawn.replace("<svg ", words, 1)


def _svg(drawing: Drawing, theme: str) -> bytes:
    return to_svg(drawing, theme).encode()


def _png(drawing: Drawing, theme: str) -> bytes:
    return bytes(_converter().vegalite_to_png(themed(drawing.spec, theme), scale=SCALE, **OFFLINE))


def _pdf(drawing: Drawing, theme: str) -> bytes:
    return bytes(_converter().vegalite_to_pdf(themed(drawing.spec, theme), **OFFLINE))


def _json(drawing: Drawing, theme: str) -> bytes:
    return (json.dumps(themed(drawing.spec, theme), indent=2, ensure_ascii=False) + "\n").encode()


def _csv(drawing: Drawing, theme: str) -> bytes:  # noqa: ARG001 (rows have no colours)
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in drawing.rows for name in row))
    writer = csv.DictWriter(text, fieldnames=names, lineterminator="\n")
    writer.writerow({name: spreadsheet_cell(name) for name in names})
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in drawing.rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """The value; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return spreadsheet_cell(value) if isinstance(value, str) else value


def _converter() -> Any:
    check_extra("charts need", "report", "vl_convert")
    import vl_convert

    return vl_convert
