"""Chart: the record every file of charts ends in, and what a chart is drawn of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from assay.catalog import Described, find_entry, load_entries
from assay.charts._drawing import Drawing, Row, Spec
from assay.errors import UnknownName, UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.monitoring import Series
from assay.text import counted, printable, some_of

MOST_NAMED = 6
__all__ = ["Chart", "Drawing", "Row", "Spec", "Subject", "all_charts", "draw", "find_chart"]


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
        if len(set(names)) == len(names) and len({one.benchmark for one in self.results if one.benchmark}) <= 1:
            return names
        return [" · ".join(filter(None, (one.benchmark, name))) for one, name in zip(self.results, names, strict=True)]

    @property
    def shared(self) -> list[BoundMetric]:
        """Metrics that every result has a figure of, those that were asked for first."""
        first, *others = self.results
        found = [
            metric
            for metric in first.metrics
            if metric.name in first.summary
            and all(metric.name in other.summary for other in others)
            and self._has_figures(metric.name)
        ]
        return sorted(found, key=lambda metric: metric.name in first.beside)

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
                if not error.kind.startswith("metric of"):
                    raise
                raise UnknownName(f"metric of {printable(name)}", metric, error.near, error.hint) from None
        found = next(iter(own.values()))
        if lacking := [name for name, one in own.items() if one != found]:
            raise UsageError(f"{metric} is {found} of {next(iter(own))}, but {own[lacking[0]]} of {lacking[0]}")
        if found not in self.results[0].summary:
            raise UsageError(f"{found} is text, of which there is nothing to draw")
        if not self._has_figures(found):
            raise UsageError(f"{found} has no figure in {printable(some_of(self.names))}: there is nothing to draw")
        return next(bound for bound in self.results[0].metrics if bound.name == found)


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
    named = printable(", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else ""))
    choose = "; one is chosen by its name behind a #, as in latest#bm25" if is_many else ""
    return f"{'are' if is_many else 'is'} {counted(len(names), 'result')} ({named}){choose}"


@cache
def all_charts() -> dict[str, Chart]:
    """Name → chart, sorted by name."""
    return load_entries("assay.charts", Chart, "assay.charts")


def find_chart(kind: str) -> Chart:
    """A chart by its name, with hyphens or underscores; or an error with those that may have been meant."""
    return find_entry("chart", kind.strip().lower().replace("-", "_"), all_charts())


def draw(kind: str, results: Sequence[Result] = (), **about: Any) -> Drawing:
    """A chart by its name: `draw("bars", [a, b], metric="ndcg@10")`."""
    return find_chart(kind).draw(Subject(tuple(results), **about))
