"""Chart: the record of a kind of chart, its input (Subject), and its output (Drawing)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from assay.catalog import Described, find_entry, load_entries
from assay.comparison import Comparison
from assay.errors import UnknownName, UsageError
from assay.evaluation import Result
from assay.extras import is_installed
from assay.metrics import BoundMetric
from assay.monitoring import Series
from assay.serialize import to_json
from assay.text import counted, printable, wrapped

MAX_NAMED = 6


@dataclass(frozen=True)
class Subject:
    """The input of a chart; each kind of chart says which parts it needs."""

    results: tuple[Result, ...] = ()
    metric: str = ""
    """A metric in any spelling; if empty, the first that the results share."""
    by: str = ""
    """The tag to slice by."""
    cutoffs: tuple[int, ...] = ()
    series: tuple[Series, ...] = ()
    baselines: Mapping[str, str] = field(default_factory=dict)
    """Evaluation → its name as a baseline."""
    title: str = ""
    comparison: Comparison | None = None
    """The comparison whose decisions are drawn; None: one with the usual options."""
    metrics: tuple[str, ...] = ()
    """The columns of a heat map; if empty, all metrics that the results share."""
    focus: str = ""
    """The series whose intervals and baselines are drawn; if empty, the newest series."""
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Series and evaluation → the address that its point leads to."""

    @property
    def names(self) -> list[str]:
        """The systems, with their benchmarks if there are several benchmarks or two systems have the same name."""
        names = [result.name or "run" for result in self.results]
        if len(set(names)) == len(names) and len({result.benchmark for result in self.results if result.benchmark}) <= 1:
            return names
        return [" · ".join(filter(None, (result.benchmark, name))) for result, name in zip(self.results, names, strict=True)]

    @property
    def shared(self) -> list[BoundMetric]:
        """The metrics that every result has, with a value in at least one; requested metrics come first."""
        first, *others = self.results
        metrics = [
            metric
            for metric in first.metrics
            if metric.name in first.summary
            and all(metric.name in other.summary for other in others)
            and self._has_figures(metric.name)
        ]
        return sorted(metrics, key=lambda metric: metric.name in first.beside)

    @property
    def bound(self) -> BoundMetric:
        """The metric to draw."""
        if self.metric:
            return self.find(self.metric)
        if not self.shared:
            raise UsageError("the results have no metric with values in common")
        return self.shared[0]

    def _has_figures(self, metric: str) -> bool:
        """Whether any result has a value for it. Times that were not measured are in every result, but empty."""
        return any(result.summary[metric] == result.summary[metric] for result in self.results)

    def find(self, metric: str) -> BoundMetric:
        """Find a metric that every result has, in any spelling; the error says which result does not have it."""
        own: dict[str, str] = {}
        for name, result in zip(self.names, self.results, strict=True):
            try:
                own[name] = result.own_name(metric)
            except UnknownName as error:
                if not error.owner:
                    raise
                raise UnknownName("metric", metric, error.near, str(error.hint), owner=printable(name)) from None
        first_name = next(iter(own.values()))
        if lacking := [name for name, own_name in own.items() if own_name != first_name]:
            raise UsageError(f"{metric} means {first_name} in {next(iter(own))}, but {own[lacking[0]]} in {lacking[0]}")
        if first_name not in self.results[0].summary:
            raise UsageError(f"{first_name} is text and cannot be drawn")
        if not self._has_figures(first_name):
            raise UsageError(f"{first_name} cannot be drawn, because it has no value in any of the results")
        return next(bound for bound in self.results[0].metrics if bound.name == first_name)


@dataclass(frozen=True)
class Chart(Described):
    """One kind of chart. The first line of its function's docstring says what it shows."""

    name: str
    function: Callable[[Subject], Drawing]
    n_results: tuple[int, int | None] = (1, None)
    """The smallest and the largest number of results that it can show."""
    needs_series: bool = False
    """Whether it shows stored series instead of results."""
    takes: tuple[str, ...] = ("metric",)
    """The parts of its subject that it uses, besides results: metric, metrics, by, cutoffs."""

    @property
    def needs(self) -> str:
        """What it needs as input, as text."""
        if self.needs_series:
            return "values over time"
        least, most = self.n_results
        if most is None:
            return f"{least} or more results"
        return counted(least, "result") if least == most else f"{least} to {most} results"

    def draw(self, subject: Subject) -> Drawing:
        """Draw the chart; the error says what it needs."""
        if self.needs_series and not subject.series:
            raise UsageError(f"{self.name} needs values over time, but there are none")
        least, most = (0, None) if self.needs_series else self.n_results
        subject, failed = _without_failed(subject)
        n = len(subject.results)
        if n < least or (most is not None and n > most):
            choose = ". Give fewer results, such as one result of an evaluation: latest#bm25" if n > least else ""
            without = f". {failed}" if failed else ""
            raise UsageError(f"{self.name} needs {self.needs}, found {_found(subject.names)}{choose}{without}")
        drawing = self.function(subject)
        return replace(drawing, note=". ".join(filter(None, (drawing.note, failed)))).finished()


def _without_failed(subject: Subject) -> tuple[Subject, str]:
    """The subject without results whose provider failed on every query, and a sentence that names them."""
    names = subject.names
    failed = [name for name, result in zip(names, subject.results, strict=True) if result.is_total_failure]
    if not failed:
        return subject, ""
    working = tuple(result for result in subject.results if not result.is_total_failure)
    some = printable(", ".join(failed[:MAX_NAMED]) + (" …" if len(failed) > MAX_NAMED else ""))
    return replace(subject, results=working), f"Left out because every query failed: {some}"


def _found(names: Sequence[str]) -> str:
    """The number of results that were found, with their names."""
    if not names:
        return "none"
    named = printable(", ".join(names[:MAX_NAMED]) + (" …" if len(names) > MAX_NAMED else ""))
    return f"{len(names):,} ({named})"


@cache
def all_charts() -> dict[str, Chart]:
    """Name → chart, sorted by name."""
    return dict(load_entries("assay.charts.catalog", Chart, "assay.charts"))


def find_chart(kind: str) -> Chart:
    """Find a chart by its name, with hyphens or underscores; the error lists similar names."""
    return find_entry("chart", kind.strip().lower().replace("-", "_"), all_charts())


def draw(kind: str, results: Sequence[Result] = (), **about: Any) -> Drawing:
    """Draw a chart by its name: `draw("bars", [a, b], metric="ndcg@10")`."""
    return find_chart(kind).draw(Subject(tuple(results), **about))


Spec = dict[str, Any]
Row = Mapping[str, Any]
TITLE_WIDTH, NOTE_WIDTH = 64, 84
"""Characters per line of the title and the note."""
NARROW = 340
"""Width of a whole chart on the screen of a phone, in points."""
NARROW_PLOT = 190
"""Width of its plot if rows have a fixed height, because names are next to it."""
NARROW_TITLE, NARROW_NOTE = 38, 54
NARROW_LABEL = 110
"""Width of a name next to a narrow plot, in points."""
UNFIT = {
    **dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A))),
}
"""Characters that XML forbids, and marks that change the direction of text, which can make one name look like another."""
BACKSLASH = "\N{SET MINUS}"
"""A character that looks like a backslash."""


@dataclass(frozen=True, repr=False)
class Drawing:
    """A chart: its specification, its description, and its data as rows."""

    spec: Spec
    title: str
    alt: str
    """The description for a reader who cannot see it: the values, in a sentence or two."""
    rows: tuple[Row, ...]
    """The data as a table: the same as in the specification, with readable names."""
    note: str = ""
    """What the reader must know, below the title: that points were counted in cells, or where values come from."""

    def save(self, path: str | Path) -> None:
        """Write a file; the extension sets the format: svg, png, pdf, json (the specification) or csv (the rows)."""
        from assay.atomic_write import atomic_write
        from assay.charts.rendering import render

        content = render(self, Path(path).suffix.lower().removeprefix("."))
        with atomic_write(Path(path)) as file:
            file.write(content)

    def __repr__(self) -> str:
        return f"Drawing({printable(self.title)})"

    def _repr_html_(self) -> str | None:
        """The chart in a notebook, on white; None if the package that draws it is missing."""
        from assay.charts.rendering import render

        if not is_installed("report"):
            return None
        return render(replace(self, spec={**self.spec, "background": "white"}), "svg").decode()

    def finished(self) -> Drawing:
        """The same with its texts in the specification, and without harmful characters or values that JSON forbids."""
        note = f"{self.note}." if self.note else ""
        alt = harmless(" ".join(filter(None, (self.alt, note))))
        head: Spec = {"text": _lines(self.title, TITLE_WIDTH)}
        if self.note:
            head["subtitle"] = _lines(self.note, NOTE_WIDTH)
        spec = _harmless(to_json({**self.spec, "title": head, "description": alt}))
        return replace(self, spec=spec, title=harmless(self.title), alt=alt, rows=tuple(_harmless(to_json(self.rows))))

    def sized(self, width: int | None = None, height: int | None = None) -> Drawing:
        """The same with a plot of this width and height in points; a size that is not given stays."""
        sizes = {name: size for name, size in (("width", width), ("height", height)) if size is not None}
        return replace(self, spec={**self.spec, **sizes})

    def narrowed(self) -> Drawing:
        """The same for the screen of a phone: a narrow plot, with the legend below it and texts on more lines."""
        legend = {"orient": "bottom", "columns": 1, "direction": "vertical"}
        axis = {"labelLimit": NARROW_LABEL}
        spec = {**self.spec, "config": {"legend": legend, "axis": axis}}
        width, height = self.spec.get("width"), self.spec.get("height")
        if isinstance(width, int) and isinstance(height, int):
            spec |= {"width": NARROW, "autosize": {"type": "fit-x", "contains": "padding"}}
        elif isinstance(width, int):
            spec |= {"width": NARROW_PLOT}
        head = {"text": _lines(self.title, NARROW_TITLE)}
        if self.note:
            head["subtitle"] = _lines(self.note, NARROW_NOTE)
        return replace(self, spec={**spec, "title": head})


def harmless(text: str) -> str:
    """The text on one line, without characters that XML forbids, because they crash the chart renderer."""
    return printable(text).translate(UNFIT)


def _harmless(part: Any) -> Any:
    """JSON values with all texts made harmless, at any depth."""
    if isinstance(part, str):
        return harmless(part)
    if isinstance(part, dict):
        return {name: _heading(value) if name == "title" else _harmless(value) for name, value in part.items()}
    return [_harmless(value) for value in part] if isinstance(part, list) else part


def _heading(title: Any) -> Any:
    """A title without backslashes, because Vega-Lite copies titles into formulas, where backslashes are special."""
    return harmless(title).replace("\\", BACKSLASH) if isinstance(title, str) else _harmless(title)


def _lines(text: str, width: int) -> list[str]:
    return wrapped(harmless(text), width).split("\n")
