"""BenchmarkReport: what a page is about on one benchmark: results, how they compare, and what is looked at beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.comparison import SPANS, Comparison, Figures, sign_of
from assay.datasets import all_formats
from assay.evaluation import Confidence, Result, with_intervals
from assay.metrics import BoundMetric
from assay.model import Tags
from assay.monitoring import GateReport
from assay.reports.sections.moved_queries import moving_metric, reference_of
from assay.text import printable

MAX_VALUES = 12
"""Values of a tag beyond which nobody sliced by it unless asked."""
MAX_TAGS = 4


WordsOf = Callable[[Result, Sequence[str]], Mapping[str, str]]


def no_words(result: Result, documents: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG001 (what others look up)
    """Nothing: results know the ids of documents alone."""
    return {}


@dataclass(frozen=True)
class BenchmarkReport:
    """Results on one benchmark; with a comparison where there are several."""

    results: tuple[Result, ...]
    comparison: Comparison | None = None
    by: tuple[str, ...] = ()
    """Tags to slice by; none: those that have few values."""
    gate: GateReport | None = None
    group: str = ""
    """What tells its anchors from those of another benchmark on the same page."""
    figures: Figures = field(default_factory=Figures)
    words_of: WordsOf = field(default=no_words, repr=False)
    """Where documents can be read: a result and documents → their text."""

    @property
    def first(self) -> Result:
        """The first result."""
        return self.results[0]

    @property
    def shown(self) -> tuple[Result, ...]:
        """The results over the queries that are compared; they know what is compared, and not what stands beside."""
        return self.results if self.comparison is None else self.comparison.results

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(printable(result.name or "run") for result in self.results)

    @cached_property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """What is shown: what is compared; of one result, what somebody asked for and has a figure."""
        if self.comparison is not None:
            return self.comparison.metrics
        summarised = [metric for metric in self.first.metrics if metric.name in self.first.summary]
        asked = [metric for metric in summarised if metric.name not in self.first.beside] or summarised
        if "chunks" in self.first.provenance:  # as in a comparison of chunkers, what they share comes first
            asked.sort(key=lambda metric: metric.metric.view != SPANS)
        return tuple(asked)

    @cached_property
    def moving(self) -> BoundMetric | None:
        """What queries are looked at by; none where no query has a score of its own."""
        if self.comparison is not None:
            return moving_metric(self.comparison)
        shared = self.first.has_shared_times
        return next((metric for metric in self.metrics if not (shared and metric.metric.view == "timing")), None)

    @cached_property
    def pair(self) -> tuple[int, int] | None:
        """The two systems that are looked at query by query: the baseline, or the first, and the best of the others."""
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
        """Of the intervals."""
        return 0.95 if self.comparison is None else self.comparison.how.level

    @cached_property
    def intervals(self) -> list[dict[str, Confidence]]:
        """For each system, metric → where its figure may lie; what a result lacks is worked out."""
        return [_known_intervals(result, [metric.name for metric in self.metrics], self.level) for result in self.shown]

    def interval(self, place: int, metric: BoundMetric) -> str:
        """Where a system's figure may lie: `[0.712, 0.845]`; nothing where nobody knows."""
        interval = self.intervals[place].get(metric.name)
        if interval is None or interval.low != interval.low or interval.high != interval.high:
            return ""
        return f"[{self.figures.value(metric, interval.low)}, {self.figures.value(metric, interval.high)}]"

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """What queries are sliced by: what was asked for, else tags with few values, none of them nearly everywhere."""
        if self.by:
            return self.by
        known = Tags.of(self.shown[:1])
        counts = {name: len(set(known.values(name))) for name in known.names}
        few = [name for name, n in counts.items() if 2 <= n <= min(MAX_VALUES, len(known.by_query) // 2)]
        words = _words_of_format(self.first)
        own = {name: word for name, word in words.items() if word not in known.names}
        return tuple(own.get(name, name) for name in few[:MAX_TAGS])


def _words_of_format(result: Result) -> Mapping[str, str]:
    """Tag → what the benchmark's own format calls it, so that readers meet the words they wrote."""
    known = all_formats().get((result.provenance.get("dataset") or {}).get("format") or "")
    return known.words if known else {}


def _known_intervals(result: Result, metrics: Sequence[str], level: float) -> dict[str, Confidence]:
    """Intervals as the result has them, and those it lacks worked out."""
    own = {name: interval for name, interval in result.intervals.items() if interval.level == level}
    lacking = [name for name in metrics if name not in own]
    return {**own, **(with_intervals(result, level=level, metrics=lacking).intervals if lacking else {})}
