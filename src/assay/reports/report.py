"""Report: results, and how to show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.reports.layout import Style
from assay.text import milliseconds, printable, with_minus

if TYPE_CHECKING:
    from assay.comparison import Sliced

UNIT = " ms"


@dataclass(frozen=True)
class Report:
    """The results of several runs over the same judgments and metrics."""

    results: Sequence[Result]
    per_query: bool = False
    digits: int | None = None
    """Decimals; None leaves it to the format (4 in formats for people, all decimals in formats for programs)."""
    width: int | None = None
    """Columns of the terminal; None if the output does not go to a terminal."""
    colour: bool = False
    points_on: bool = True
    """Whether notes mention options that show more."""
    beside: frozenset[str] = frozenset()
    """Metrics that say how far to trust the others, not how good a run is; none of their values is marked as best."""
    title: str = ""
    """What the report is about, on one line."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What JSON contains besides the results."""
    remarks: Sequence[str] = ()
    """Sentences that come before all notes on the results."""
    rows_are: str = "run"
    """What a row of the table is: a run, or a provider."""
    heads: Mapping[str, str] = field(default_factory=dict)
    """Metric → its column heading if that is not its name; a heading that ends in ` ms` removes the unit from the cells."""
    hidden: frozenset[str] = frozenset()
    """Metrics that the table leaves out, because another metric in it says the same."""
    slices: Sequence[Sliced] = ()
    """The values by the tags of queries, below the scores."""
    next_step: str = ""
    """A command to continue with, at the very end; it is never broken into lines, so that it can be pasted."""

    @property
    def style(self) -> Style:
        """How text is laid out for the reader."""
        return Style(self.width, self.colour)

    @cached_property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics to show, in the requested order."""
        return self.results[0].metrics

    @cached_property
    def shown(self) -> list[BoundMetric]:
        """Metrics with a summary. Text metrics have none, and metrics in `beside` are left out if they have no value."""
        return [metric for metric in self.metrics if metric.metric.aggregation.summarise and self._has_figures(metric)]

    def _has_figures(self, metric: BoundMetric) -> bool:
        if metric.name in self.hidden:
            return False
        figures = [result.summary[metric.name] for result in self.results]
        return metric.name not in self.beside or not all(figure != figure for figure in figures)

    def label(self, result: Result) -> str:
        """The name of a run, on one line and without control characters; a run without a name is called run."""
        return printable(result.name or self.rows_are)

    def text(self, metric: BoundMetric, value: float | str) -> str:
        """A score or summary for people; times have their unit."""
        if self.digits is None and metric.metric.view == "timing" and not isinstance(value, str) and value == value:
            return milliseconds(value)
        return self.figure(metric, value) if isinstance(value, str) else with_minus(self.figure(metric, value))

    def head(self, metric: BoundMetric) -> str:
        """The column heading of a metric."""
        return self.heads.get(metric.name, metric.name)

    def cell(self, metric: BoundMetric, value: float | str) -> str:
        """A summary in its column, without the unit if the heading has it."""
        text = self.text(metric, value)
        return text.removesuffix(UNIT) if self.head(metric).endswith(UNIT) else text

    def figure(self, metric: BoundMetric, value: float | str) -> str:
        """A score or summary with few digits and without a unit."""
        if isinstance(value, str):
            return printable(value)
        return "–" if value != value else self._figure(metric, value, 4 if self.digits is None else self.digits)

    def exact(self, metric: BoundMetric, value: float | str) -> str:
        """A score or summary for programs: every digit unless fewer are requested; empty if there is none."""
        if isinstance(value, str):
            return printable(value)
        return "" if value != value else self._figure(metric, value, self.digits)

    def _figure(self, metric: BoundMetric, value: float, digits: int | None) -> str:
        if metric.metric.aggregation.is_total and float(value).is_integer():
            return str(int(value))
        return str(value) if digits is None else f"{value:.{digits}f}"

    def best(self, metric: BoundMetric) -> set[int]:
        """The indexes of the results with the best summary; none if there is nothing to compare."""
        values = {number: result.summary[metric.name] for number, result in enumerate(self.results)}
        scored = {number: value for number, value in values.items() if value == value}
        if len(set(scored.values())) < 2 or metric.metric.aggregation.is_total or metric.name in self.beside:
            return set()
        target = max(scored.values()) if metric.metric.higher_is_better else min(scored.values())
        return {number for number, value in scored.items() if value == target}
