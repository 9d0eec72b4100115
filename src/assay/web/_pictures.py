"""Pictures: charts as SVG with what each mark stands for beside it, for the script that shows it under the pointer."""

from __future__ import annotations

import json
from hashlib import blake2b
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from assay.charts import Drawing, themed
from assay.errors import UsageError
from assay.reports import SVG, THEME, alone
from assay.text import install_command, printable
from assay.web._drawing import drawer
from assay.web._kept import LruCache

if TYPE_CHECKING:
    from assay.reports import Figure

MARK, KIND = "graphics-symbol", "aria-roledescription"
NO_MARKS = {"axis", "legend"}
MOST_LETTERS = 32_000_000
"""Of pictures that are kept."""
MOST_MARKS = 2_000
"""Marks that are explained one by one; beyond, the page would be too large."""


_drawn: LruCache[Any] = LruCache(MOST_LETTERS, weight=len)


def picture_of(figure: Figure) -> Any:
    """The chart as markup, in the colours of the page; drawn once, as long as its specification stays the same."""
    written = json.dumps([figure.drawing.spec, figure.group, figure.name], sort_keys=True, default=str)
    key = blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return _drawn.get(key, lambda: _picture(figure))


def _picture(figure: Figure) -> Any:
    from markupsafe import Markup

    ET.register_namespace("", SVG)
    root = ET.fromstring(_spoken_svg(figure.drawing))  # noqa: S314 (of our own making)
    marks = [one for one in root.iter() if one.attrib.get("role") == MARK and one.attrib.get(KIND) not in NO_MARKS]
    marks = [one for one in marks if "aria-label" in one.attrib]
    if len(marks) <= MOST_MARKS:
        for one in marks:
            one.attrib["data-tip"] = printable(one.attrib["aria-label"])
    named = alone(ET.tostring(root, encoding="unicode"), f"{figure.group}{figure.name}")
    return Markup(named)  # noqa: S704 (made of parsed XML)


def _spoken_svg(drawing: Drawing) -> str:
    """The chart with a label on each mark that would say something under the pointer."""
    if find_spec("vl_convert") is None:
        raise UsageError(f"charts need vl-convert-python: {install_command('report')}")
    drawn = themed(_spoken(drawing.spec), THEME)
    return drawer.svg_of({**drawn, "config": {**drawn["config"], "aria": True}})


def _spoken(spec: Any) -> Any:
    """The specification with labels for marks that have a tooltip, and for no others."""
    if isinstance(spec, list):
        return [_spoken(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    found = {name: part if name == "data" else _spoken(part) for name, part in spec.items()}
    if "mark" in found:
        mark = found["mark"] if isinstance(found["mark"], dict) else {"type": found["mark"]}
        found["mark"] = {**mark, "aria": "tooltip" in found.get("encoding", {})}
    return found
