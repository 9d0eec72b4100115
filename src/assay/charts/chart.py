"""Chart: the record of a kind of chart, what it is drawn of (Subject), and what comes out of it (Drawing)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from assay.catalog import Described, find_entry, load_entries
from assay.errors import UnknownName, UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.monitoring import Series
from assay.serialize import to_json
from assay.text import counted, printable, some_of, wrapped

MAX_NAMED = 6


@dataclass(frozen=True)
class Subject:
    """What a chart may be about; each kind says what it needs of it."""

    results: tuple[Result, ...] = ()
    metric: str = ""
    """Any spelling; without one, the first that the results share."""
    by: str = ""
    """The tag of slices."""
    cutoffs: tuple[int, ...] = ()
    series: tuple[Series, ...] = ()
    baselines: Mapping[str, str] = field(default_factory=dict)
    """Evaluation → the name it was blessed as."""
    title: str = ""
    metrics: tuple[str, ...] = ()
    """The columns of a heat map; without them, all that the results share."""

    @property
    def names(self) -> list[str]:
        """The systems; with their benchmarks, where these are several or two systems are called the same."""
        names = [result.name or "run" for result in self.results]
        if len(set(names)) == len(names) and len({result.benchmark for result in self.results if result.benchmark}) <= 1:
            return names
        return [" · ".join(filter(None, (result.benchmark, name))) for result, name in zip(self.results, names, strict=True)]

    @property
    def shared(self) -> list[BoundMetric]:
        """Metrics that every result has a figure of, those that were asked for first."""
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
        """The metric that is drawn."""
        if self.metric:
            return self.find(self.metric)
        if not self.shared:
            raise UsageError("the results have no metric with figures in common")
        return self.shared[0]

    def _has_figures(self, metric: str) -> bool:
        """Whether any of the results has a figure of it: a time that nobody took is in all of them, and empty."""
        return any(result.summary[metric] == result.summary[metric] for result in self.results)

    def find(self, metric: str) -> BoundMetric:
        """A metric that every result has, by any spelling; or an error that says which result lacks it."""
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
            raise UsageError(f"{metric} is {first_name} of {next(iter(own))}, but {own[lacking[0]]} of {lacking[0]}")
        if first_name not in self.results[0].summary:
            raise UsageError(f"{first_name} is text, of which there is nothing to draw")
        if not self._has_figures(first_name):
            raise UsageError(f"{first_name} has no figure in {printable(some_of(self.names))}: there is nothing to draw")
        return next(bound for bound in self.results[0].metrics if bound.name == first_name)


@dataclass(frozen=True)
class Chart(Described):
    """One kind of chart. The first line of its function's docstring says what it shows."""

    name: str
    function: Callable[[Subject], Drawing]
    n_results: tuple[int, int | None] = (1, None)
    """How many results it needs, and the most it can show."""
    needs_series: bool = False
    """Whether it shows stored series instead of results."""
    takes: tuple[str, ...] = ("metric",)
    """What of its subject it asks for, besides results: metric, metrics, by, cutoffs."""

    @property
    def needs(self) -> str:
        """What it is drawn of, in words."""
        if self.needs_series:
            return "figures over time"
        least, most = self.n_results
        if most is None:
            return f"{counted(least, 'result')} or more"
        return counted(least, "result") if least == most else f"{least} to {most} results"

    def draw(self, subject: Subject) -> Drawing:
        """The chart; or an error that says what it needs."""
        if self.needs_series and not subject.series:
            raise UsageError(f"{self.name} needs figures over time, and there are none")
        least, most = (0, None) if self.needs_series else self.n_results
        n = len(subject.results)
        if n < least or (most is not None and n > most):
            raise UsageError(f"{self.name} is drawn of {self.needs}, and here {_here(subject.names)}")
        return self.function(subject).finished()


def _here(names: Sequence[str]) -> str:
    """What there is instead."""
    if not names:
        return "is none"
    is_many = len(names) > 1
    named = printable(", ".join(names[:MAX_NAMED]) + (" …" if len(names) > MAX_NAMED else ""))
    choose = "; one is chosen by its name behind a #, as in latest#bm25" if is_many else ""
    return f"{'are' if is_many else 'is'} {counted(len(names), 'result')} ({named}){choose}"


@cache
def all_charts() -> dict[str, Chart]:
    """Name → chart, sorted by name."""
    return dict(load_entries("assay.charts.catalog", Chart, "assay.charts"))


def find_chart(kind: str) -> Chart:
    """A chart by its name, with hyphens or underscores; or an error with those that may have been meant."""
    return find_entry("chart", kind.strip().lower().replace("-", "_"), all_charts())


def draw(kind: str, results: Sequence[Result] = (), **about: Any) -> Drawing:
    """A chart by its name: `draw("bars", [a, b], metric="ndcg@10")`."""
    return find_chart(kind).draw(Subject(tuple(results), **about))


Spec = dict[str, Any]
Row = Mapping[str, Any]
TITLE_WIDTH, NOTE_WIDTH = 64, 84
"""Letters of a line of them."""
NARROW = 340
"""Points of a chart on the screen of a phone, with all that stands around it."""
NARROW_PLOT = 190
"""Points of its plot, where rows have a fixed height: names stand beside it."""
NARROW_TITLE, NARROW_NOTE = 38, 54
NARROW_LABEL = 110
"""Points of a name beside a narrow plot."""
UNFIT = {
    **dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A))),
}
"""What no XML may hold, and marks that turn the direction of writing, by which one name can look like another."""
BACKSLASH = "\N{SET MINUS}"
"""Looks like one, and is none."""


@dataclass(frozen=True)
class Drawing:
    """A chart: what draws it, what it says in words, and the rows behind it."""

    spec: Spec
    title: str
    alt: str
    """What a reader who does not see it is told: the figures, in a sentence or two."""
    rows: tuple[Row, ...]
    """The data as a table; the same as in the specification, with names that people read."""
    note: str = ""
    """What one should know to read it, below its title: that points were counted in cells, where figures are from."""

    def finished(self) -> Drawing:
        """The same with its words in the specification, and nothing in it that could do harm or be no JSON."""
        note = f"{self.note}." if self.note else ""
        alt = harmless(" ".join(filter(None, (self.alt, note))))
        head: Spec = {"text": _lines(self.title, TITLE_WIDTH)}
        if self.note:
            head["subtitle"] = _lines(self.note, NOTE_WIDTH)
        spec = _harmless(to_json({**self.spec, "title": head, "description": alt}))
        return replace(self, spec=spec, title=harmless(self.title), alt=alt, rows=tuple(_harmless(to_json(self.rows))))

    def sized(self, width: int | None = None, height: int | None = None) -> Drawing:
        """The same, its plot so many points wide and high; what is not given stays."""
        sizes = {name: size for name, size in (("width", width), ("height", height)) if size is not None}
        return replace(self, spec={**self.spec, **sizes})

    def narrowed(self) -> Drawing:
        """The same for the screen of a phone: a narrow plot, what the colours mean below it, and its words on more lines."""
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
    """The text on one line, without what no XML may hold: what draws charts dies of it."""
    return printable(text).translate(UNFIT)


def _harmless(part: Any) -> Any:
    """JSON values, their texts without what does harm, however deep."""
    if isinstance(part, str):
        return harmless(part)
    if isinstance(part, dict):
        return {name: _heading(value) if name == "title" else _harmless(value) for name, value in part.items()}
    return [_harmless(value) for value in part] if isinstance(part, list) else part


def _heading(title: Any) -> Any:
    """What stands at an axis or in a tooltip, without backslashes: Vega-Lite copies it into formulas, where they count."""
    return harmless(title).replace("\\", BACKSLASH) if isinstance(title, str) else _harmless(title)


def _lines(text: str, width: int) -> list[str]:
    return wrapped(harmless(text), width).split("\n")
