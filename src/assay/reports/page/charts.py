"""Charts of a page: each as a picture, as a specification that a script can draw again, and as rows of data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import numpy as np

from assay.arrays import Floats
from assay.charts import Drawing, draw, themed, to_svg
from assay.errors import AssayError
from assay.metrics import BoundMetric
from assay.reports.page.subject import BenchmarkReport
from assay.reports.table import (
    TITLE,
    Cell,
    Column,
    Mark,
    Paragraph,
    PlainPart,
    Section,
    Table,
    anchor_of,
    columns,
    number,
    words,
)
from assay.text import percent

MAX_ROWS = 200
"""Rows of data that the page shows; the chart has all rows."""
MAX_ROWS_NARROW = 300
"""A chart with more rows is not drawn a second time for narrow screens."""
THEME = "page"
SVG = "http://www.w3.org/2000/svg"
FOR_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that could end a script or be misread in one."""


@dataclass(frozen=True)
class Figure:
    """One chart on a page; `name` is the name of its file in `figures/`."""

    drawing: Drawing
    kind_of_chart: str
    group: str = ""
    metric: str = ""
    part: ClassVar[str] = "figure"

    @property
    def alt(self) -> str:
        """Its description."""
        return self.drawing.alt

    @property
    def name(self) -> str:
        """Its file name: kind and metric."""
        return "-".join(filter(None, (self.kind_of_chart, self.metric)))

    @property
    def is_clickable(self) -> bool:
        """Whether its points are queries."""
        return any("query" in row for row in self.drawing.rows[:1])

    @cached_property
    def svg(self) -> Any:
        """The picture in the page's own colours, as markup that a template does not escape."""
        from markupsafe import Markup

        return Markup(with_own_ids(to_svg(self.drawing, THEME), f"{self.group}{self.name}"))  # noqa: S704 (made of parsed XML)

    @property
    def narrow(self) -> Figure | None:
        """The same for the screen of a phone; None for a chart with so many marks that the page would double in size."""
        if len(self.drawing.rows) > MAX_ROWS_NARROW:
            return None
        return replace(self, drawing=self.drawing.narrowed(), group=f"narrow-{self.group}")

    @property
    def spec(self) -> Any:
        """The specification as JSON that is safe inside a script element."""
        from markupsafe import Markup

        content = {name: value for name, value in themed(self.drawing.spec, THEME).items() if name != "$schema"}
        return Markup(json_for_scripts(content))  # noqa: S704 (escaped for scripts)

    @property
    def data(self) -> Table:
        """Its rows of data; only the first ones if there are many."""
        return rows_table(self.drawing.rows, self.drawing.title, MAX_ROWS)

    def all_rows(self) -> Table:
        """All its rows of data."""
        return rows_table(self.drawing.rows, self.drawing.title)

    def plain(self) -> tuple[PlainPart, ...]:
        """All its rows of data, and its description."""
        return (replace(self.all_rows(), title=self.drawing.title, notes=(self.alt,)),)


@dataclass(frozen=True)
class Figures:
    """Charts that may be side by side."""

    figures: tuple[Figure, ...]
    part: ClassVar[str] = "figures"

    def plain(self) -> tuple[PlainPart, ...]:
        """All rows of data of each chart."""
        return tuple(part for figure in self.figures for part in figure.plain())


def draw_charts(
    report: BenchmarkReport, *kinds: str, metric: str = "", by: str = "", results: Any = None, **more: Any
) -> tuple[Any, ...]:
    """Draw charts of these kinds side by side; a chart that cannot be drawn becomes a sentence."""
    figures, faults = [], []
    name = metric or (report.metrics[0].name if report.metrics else "")
    for kind in kinds:
        try:
            drawing = draw(kind, results or report.shown, metric=name, by=by, **more)
        except AssayError as error:
            faults.append(Paragraph(f"This chart cannot be drawn: {error}.".replace("..", "."), Mark.MUTED))
            continue
        figures.append(Figure(drawing, kind, report.group, f"{name}{'-' + by if by else ''}"))
    return (*([Figures(tuple(figures))] if figures else []), *faults)


def json_for_scripts(content: Any) -> str:
    """JSON that is safe inside a script element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    for letter, escaped in FOR_SCRIPTS.items():
        text = text.replace(letter, escaped)
    return text.encode("utf-8", "replace").decode("utf-8")


def with_own_ids(svg: str, name: str) -> str:
    """The picture with unique ids, so that several pictures can be on one page.

    Labels of single marks are removed: for screen readers the picture is one image, with its description next to it.
    """
    ET.register_namespace("", SVG)
    root = ET.fromstring(svg)  # noqa: S314 (of our own making)
    ids = {element.attrib["id"]: f"{name}-{number}" for number, element in enumerate(root.iter()) if "id" in element.attrib}
    for element in root.iter():
        for attribute, value in list(element.attrib.items()):
            if attribute.startswith("aria-") or attribute == "role":
                del element.attrib[attribute]
            elif attribute == "id":
                element.attrib[attribute] = ids[value]
            elif value.startswith("url(#") and value[5:-1] in ids:
                element.attrib[attribute] = f"url(#{ids[value[5:-1]]})"
    root.attrib["aria-hidden"] = "true"
    root.attrib["focusable"] = "false"
    return ET.tostring(root, encoding="unicode")


def rows_table(rows: Sequence[Mapping[str, Any]], label: str, most: int | None = None) -> Table:
    """Plain rows as a table, at most this many; CSV has every digit."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    first = rows[0] if rows else {}
    heads = tuple(Column(name, kind="number" if isinstance(first.get(name), int | float) else "text") for name in names)
    shown = tuple(tuple(_cell(row.get(name)) for name in names) for row in rows[:most])
    notes = (f"The first {len(shown):,} of {len(rows):,} rows.",) if len(shown) < len(rows) else ()
    return Table(heads, shown, label, notes=notes)


def _cell(value: Any) -> Cell:
    exact = ((TITLE, value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)),)
    if value is None or value != value:
        return Cell("–", value="")
    if isinstance(value, bool):
        return Cell("yes" if value else "no", values=exact)
    if isinstance(value, int):
        return number(f"{value:,}", value, values=exact)
    return number(f"{value:.4f}", value, values=exact) if isinstance(value, float) else words(str(value), values=exact)


BINS = 10
QUANTILES = (("min", 0.0), ("lower quartile", 0.25), ("median", 0.5), ("upper quartile", 0.75), ("max", 1.0))


def scores_section(report: BenchmarkReport) -> Section | None:
    """How many queries have which score, for each system; for two systems also the differences."""
    metric = report.moving
    if metric is None:
        return None
    scores = [_scores(report, place, metric) for place in range(len(report.shown))]
    parts: list[Any] = [_spread(report, metric, scores)]
    if metric.metric.range == (0.0, 1.0):
        parts.insert(0, _histogram(report, metric, scores))
    if report.pair is not None:
        parts += draw_charts(report, "difference_histogram", metric=metric.name, results=report.looked_at)
    return Section(anchor_of("scores", report.group), "Score distributions", tuple(parts))


def _scores(report: BenchmarkReport, place: int, metric: BoundMetric) -> Floats:
    column = report.shown[place].table.columns[metric.name].score.astype(float)
    return column[~np.isnan(column)]


def _histogram(report: BenchmarkReport, metric: BoundMetric, scores: list[Floats]) -> Table:
    """Counts and shares of queries in each tenth; scores of exactly 0 and exactly 1 have their own rows."""
    edges = [step / BINS for step in range(BINS + 1)]
    counts = [_counts(some, edges) for some in scores]
    heads = ["0", *(f"{low:.1f} – {high:.1f}" for low, high in pairwise(edges)), "1"]
    rows = []
    for place, head in enumerate(heads):
        fields = []
        for some in counts:
            share = some[place] / max(1, sum(some))
            fields.append(number(f"{some[place]:,} ({percent(share)})", some[place], share=share))
        rows.append((Cell(head, value=place), *fields))
    label = f"Queries by {metric.name}"
    note = "Scores of exactly 0 and exactly 1 have their own rows and are not in the ranges."
    return Table(columns(Column(metric.name, kind="text"), *report.names), tuple(rows), label, title=label, notes=(note,))


def _counts(scores: Floats, edges: list[float]) -> list[int]:
    """The number of queries with score 0, in each tenth, and with score 1."""
    inside = scores[(scores > 0) & (scores < 1)]
    tenths = np.clip((inside * (len(edges) - 1)).astype(int), 0, len(edges) - 2)
    counts = np.bincount(tenths, minlength=len(edges) - 1).tolist()
    return [int((scores <= 0).sum()), *counts, int((scores >= 1).sum())]


def _spread(report: BenchmarkReport, metric: BoundMetric, scores: list[Floats]) -> Table:
    """The quantiles of each system's scores."""
    rows = []
    for name, some in zip(report.names, scores, strict=True):
        values = [float(np.quantile(some, at)) if len(some) else math.nan for _, at in QUANTILES]
        fields = [number(report.figures.value(metric, value), value) for value in values]
        rows.append((words(name), number(f"{len(some):,}", len(some)), *fields))
    heads = ["system", "queries", *(name for name, _ in QUANTILES)]
    return Table(columns(*heads), tuple(rows), f"Spread of {metric.name}")
