"""BenchmarkReport: the content of a page for one benchmark: results, their comparison, and what else is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.comparison import SPANS, Comparison, Figures, sign_of
from assay.datasets import all_formats
from assay.evaluation import QUERY, Confidence, Result, with_intervals
from assay.metrics import BoundMetric
from assay.model import Tags
from assay.monitoring import GateReport
from assay.reports.page.pictures import PicturesOf, no_pictures
from assay.reports.sections.evaluation import without_figures
from assay.reports.sections.moved_queries import metrics_of_queries, moving_metric, reference_of
from assay.text import printable

MAX_VALUES = 12
"""A tag with more values is used for slices only on request."""
MAX_TAGS = 4


WordsOf = Callable[[Result, Sequence[str]], Mapping[str, str]]


def no_words(result: Result, documents: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG001 (what others look up)
    """No texts, because results contain only the ids of documents."""
    return {}


ExpectedOf = Callable[[Result, str], str]


def no_answer(result: Result, query: str) -> str:  # noqa: ARG001 (what others look up)
    """No expected answer, because stored results do not contain them."""
    return ""


SliceLink = Callable[[str, str], str]


def no_link(tag: str, value: str) -> str:  # noqa: ARG001 (what others have)
    """No address, because a file has no page for each slice."""
    return ""


@dataclass(frozen=True)
class BenchmarkReport:
    """Results on one benchmark, with a comparison if there are several."""

    results: tuple[Result, ...]
    comparison: Comparison | None = None
    by: tuple[str, ...] = ()
    """Tags to slice by; if empty, tags that have few values."""
    gate: GateReport | None = None
    group: str = ""
    """A part of its anchors that distinguishes them from those of other benchmarks on the page."""
    figures: Figures = field(default_factory=Figures)
    words_of: WordsOf = field(default=no_words, repr=False)
    """Reads documents: a result and document ids → their texts."""
    expected_of: ExpectedOf = field(default=no_answer, repr=False)
    """Reads expected answers: a result and a query → the answer, empty if there is none."""
    pictures_of: PicturesOf = field(default=no_pictures, repr=False)
    """Reads images: a result, `documents` or `queries`, and ids → pictures."""
    slice_link: SliceLink = field(default=no_link, repr=False)
    """The address of the queries of a slice, by its tag and value."""
    failed: tuple[Result, ...] = ()
    """The systems that failed on every query: they have no values, only errors."""

    @property
    def first(self) -> Result:
        """The first result."""
        return self.results[0]

    @property
    def is_of_log(self) -> bool:
        """Whether rows are users of a search log, which no page shows one by one."""
        return self.first.rows_are != QUERY

    @property
    def shown(self) -> tuple[Result, ...]:
        """The results on the queries that are compared, with only the metrics that are compared."""
        if self.comparison is not None:
            return self.comparison.results
        return tuple(without_figures(result) if result.is_total_failure else result for result in self.results)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(printable(result.name or "run") for result in self.results)

    @cached_property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics to show: those that are compared, or the requested metrics of a single result that have a value."""
        if self.comparison is not None:
            return self.comparison.metrics
        summarised = [metric for metric in self.first.metrics if metric.name in self.first.summary]
        asked = [metric for metric in summarised if metric.name not in self.first.beside] or summarised
        if "chunks" in self.first.provenance:  # as in a comparison of chunkers, span metrics come first
            asked.sort(key=lambda metric: metric.metric.view != SPANS)
        return tuple(asked)

    @cached_property
    def moving(self) -> BoundMetric | None:
        """The metric for per-query views; None if no metric has scores for single queries."""
        if self.comparison is not None:
            return moving_metric(self.comparison)
        shared = self.first.has_shared_times
        own = metrics_of_queries(self.metrics, (self.first,))
        return next((metric for metric in own if not (shared and metric.metric.view == "timing")), None)

    @cached_property
    def pair(self) -> tuple[int, int] | None:
        """The two systems that are compared query by query: the baseline or the first, and the best of the others."""
        if self.comparison is None or self.moving is None:
            return None
        names = [result.name for result in self.results]
        reference, metric, sign = names.index(reference_of(self.comparison)), self.moving.name, sign_of(self.moving)
        others = [place for place in range(len(names)) if place != reference]
        values = {place: sign * self.shown[place].summary[metric] for place in others}
        known = [place for place in others if values[place] == values[place]] or others
        return reference, max(known, key=lambda place: values[place])

    @cached_property
    def looked_at(self) -> tuple[Result, ...]:
        """The results whose queries are shown: two of several, or the only one."""
        return self.shown[:1] if self.pair is None else tuple(self.shown[place] for place in self.pair)

    @cached_property
    def level(self) -> float:
        """The confidence level of the intervals."""
        return 0.95 if self.comparison is None else self.comparison.how.level

    @cached_property
    def intervals(self) -> list[dict[str, Confidence]]:
        """For each system, metric → confidence interval; missing intervals are computed."""
        return [_known_intervals(result, [metric.name for metric in self.metrics], self.level) for result in self.shown]

    def interval(self, place: int, metric: BoundMetric) -> str:
        """The confidence interval of a system's value, `[0.712, 0.845]`; empty if it is unknown."""
        interval = self.intervals[place].get(metric.name)
        if interval is None or interval.low != interval.low or interval.high != interval.high:
            return ""
        return f"[{self.figures.value(metric, interval.low)}, {self.figures.value(metric, interval.high)}]"

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags to slice by: those requested, otherwise tags with few values and enough queries for each."""
        if self.by:
            return self.by
        known = Tags.of(self.shown[:1])
        counts = {name: len(set(known.values(name))) for name in known.names}
        few = [name for name, n in counts.items() if 2 <= n <= min(MAX_VALUES, len(known.by_query) // 2)]
        words = _words_of_format(self.first)
        own = {name: word for name, word in words.items() if word not in known.names}
        return tuple(own.get(name, name) for name in few[:MAX_TAGS])


def _words_of_format(result: Result) -> Mapping[str, str]:
    """Tag → its name in the benchmark's own format, so that readers see the words they wrote."""
    known = all_formats().get((result.provenance.get("dataset") or {}).get("format") or "")
    return known.words if known else {}


def _known_intervals(result: Result, metrics: Sequence[str], level: float) -> dict[str, Confidence]:
    """The intervals of the result; missing ones are computed."""
    own = {name: interval for name, interval in result.intervals.items() if interval.level == level}
    lacking = [name for name in metrics if name not in own]
    return {**own, **(with_intervals(result, level=level, metrics=lacking).intervals if lacking else {})}
