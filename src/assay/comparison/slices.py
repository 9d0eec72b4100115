"""slices: the values of every system on queries that share a tag, and their means and variances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.comparison.alignment import shared_metrics
from assay.comparison.options import place_of
from assay.comparison.own_samples import with_own_sample
from assay.errors import UsageError
from assay.evaluation import Result, with_intervals
from assay.metrics import BoundMetric, WrittenMetric
from assay.model import LANGUAGE, MEAN, NONE, Column, Slice, Tags, asked_for
from assay.serialize import to_json
from assay.stats import UNKNOWN_VARIANCE, GroupVariance, group_variance


@dataclass(frozen=True)
class Part:
    """One slice, and the result of each system on its queries."""

    slice: Slice
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Sliced:
    """All slices by one tag or by crossed tags. Systems and metrics are those of `whole`."""

    by: str
    parts: tuple[Part, ...]
    whole: tuple[Result, ...]
    """The result of each system on all queries."""
    head: str = ""
    """The tags as the user wrote them: `category` for `query_type`."""
    is_multilingual: bool = False
    """Whether the benchmarks are in several languages: then no mean mixes languages."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(result.name for result in self.whole)

    @property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics."""
        return self.whole[0].metrics

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, if another tag is crossed with them and each has its own means; else empty."""
        if not self.is_multilingual or len(self.parts[0].slice.names) < 2 or LANGUAGE not in self.parts[0].slice.names:
            return ()
        return tuple(dict.fromkeys(_language(part.slice) for part in self.parts if part.slice.is_tagged))

    def means(self, metric: str, system: str | None = None, language: str | None = None) -> dict[str, float]:
        """Slice → value of a system (by default the first), for queries with the tag, in one language or in all."""
        place = 0 if system is None else place_of(system, self.systems)
        tagged = [part for part in self.parts if part.slice.is_tagged]
        parts = tagged if language is None else [part for part in tagged if _language(part.slice) == language]
        return {part.slice.value: part.results[place][metric] for part in parts}

    def macro(self, metric: str, system: str | None = None, language: str | None = None) -> float:
        """Mean over slices: each slice has the same weight. Queries without the tag do not count.

        If a tag is crossed with several languages, there is one mean for each language and none over all.
        """
        if self.languages and language is None:
            return math.nan
        defined = _defined(self.means(metric, system, language))
        return float(np.mean(defined)) if defined else math.nan

    def micro(self, metric: str, system: str | None = None) -> float:
        """Mean over all queries, including those without the tag; nan if there are several languages."""
        if self.is_multilingual:
            return math.nan
        return self.whole[0 if system is None else place_of(system, self.systems)][metric]

    def variance(self, metric: str, system: str | None = None, language: str | None = None) -> float:
        """Population variance of the values of the slices. Sampling alone makes it larger than 0.

        By language, this is the cross-lingual variance. Like means, it is never over slices of several languages.
        `spread` has the part that is more than sampling.
        """
        if self.languages and language is None:
            return math.nan
        defined = _defined(self.means(metric, system, language))
        return float(np.var(defined)) if defined else math.nan

    def spread(self, metric: str, system: str | None = None, language: str | None = None) -> GroupVariance:
        """How much of the variance is more than sampling; unknown if the value of the metric is not a mean over queries."""
        place = 0 if system is None else place_of(system, self.systems)
        parts = [part for part in self.parts if part.slice.is_tagged]
        if language is not None:
            parts = [part for part in parts if _language(part.slice) == language]
        name = self.whole[place].own_name(metric)
        columns = [part.results[place].table.columns[name] for part in parts]
        return UNKNOWN_VARIANCE if self.languages and language is None else spread_of(columns)

    def rows(self) -> list[dict[str, Any]]:
        """A row of plain values for each slice, system and metric, for example for `pandas.DataFrame(sliced.rows())`."""
        return [
            {"by": self.by, "slice": part.slice.value, "system": result.name, **_row(result, metric)}
            for part in self.parts
            for result in part.results
            for metric in self.metrics
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        figures = {"macro": self.macro, "micro": self.micro, "variance": self.variance}
        if self.by == "language":
            figures["cross_lingual_variance"] = self.variance
        plain: dict[str, Any] = {"by": self.by, "slices": self.rows()}
        for name, figure in figures.items():
            plain[name] = {
                system: {metric.name: to_json(figure(metric.name, system)) for metric in self.metrics}
                for system in self.systems
            }
        plain["spread"] = self._spreads()
        if self.languages:
            plain["by_language"] = {language: self._of_language(language) for language in self.languages}
        return plain

    def _of_language(self, language: str) -> dict[str, Any]:
        figures = {"macro": self.macro, "variance": self.variance}
        means = {
            name: {
                system: {metric.name: to_json(figure(metric.name, system, language)) for metric in self.metrics}
                for system in self.systems
            }
            for name, figure in figures.items()
        }
        return {**means, "spread": self._spreads(language)}

    def _spreads(self, language: str | None = None) -> dict[str, Any]:
        return {
            system: {metric.name: self.spread(metric.name, system, language).to_dict() for metric in self.metrics}
            for system in self.systems
        }


def spread_of(columns: Sequence[Column]) -> GroupVariance:
    """How much the means of a metric differ between groups of queries, such as languages, beyond sampling.

    Unknown if its value is not a mean over queries. Groups without a score do not count.
    """
    if any(column.aggregation != MEAN for column in columns):
        return UNKNOWN_VARIANCE
    scores = [np.asarray(column.score[column.counts], dtype=float) for column in columns]
    return group_variance([score for score in scores if len(score)])


def slice_results(
    results: Result | Sequence[Result],
    by: str | Iterable[str],
    *,
    metrics: Sequence[WrittenMetric] | None = None,
    interval: str = "auto",
    level: float = 0.95,
    seed: int = 0,
    cluster: str | None = None,
) -> tuple[Sliced, ...]:
    """The values by each requested tag; `language*difficulty` crosses two.

    Results of one system on several benchmarks are merged, and `benchmark` becomes a tag. If the benchmarks are in several
    languages, every slice has only one language: easy queries in German and easy queries in French are two slices.
    With the interval `none`, there are no intervals. `cluster` is a tag: queries that share its value vary together.
    """
    asked_about = [results] if isinstance(results, Result) else list(results)
    if not (merged := _merge_benchmarks(asked_about)):
        raise UsageError("there is no result to slice")
    shared = shared_metrics(merged, metrics)
    tags = Tags.of(merged)
    is_multilingual = _are_multilingual(asked_about)
    asked, words = [tags.crossed(names) for names in asked_for(by)], tags.words(by)
    whole = tuple(result.subset(metrics=shared) for result in merged)

    def part_of(slice_: Slice) -> Part:
        some = (with_own_sample(result.subset(queries=slice_.queries)) for result in whole)
        return Part(slice_, tuple(with_intervals(result, interval, level, seed, cluster=cluster) for result in some))

    return tuple(
        Sliced(
            "*".join(names),
            tuple(part_of(slice_) for slice_ in tags.slices(names, words)),
            whole,
            "*".join(words.get(name, name) for name in names),
            is_multilingual,
        )
        for names in dict.fromkeys(map(tags.kept_apart, asked) if is_multilingual else asked)
    )


def _merge_benchmarks(results: Sequence[Result]) -> list[Result]:
    """One result for each system over all its benchmarks; unchanged if there is only one benchmark."""
    if len({result.benchmark for result in results}) < 2:
        return list(results)
    by_name: dict[str, list[Result]] = {}
    for result in results:
        by_name.setdefault(result.name, []).append(result)
    return [first.merge(*others) for first, *others in by_name.values()]


def _are_multilingual(results: Sequence[Result]) -> bool:
    """Whether each benchmark has one language, and the languages differ."""
    by_benchmark: dict[str, set[str]] = {}
    for result in results:
        by_benchmark.setdefault(result.benchmark, set()).update(Tags.of([result]).values(LANGUAGE))
    languages = list(by_benchmark.values())
    return all(len(codes) == 1 for codes in languages) and len(set().union(*languages) - {NONE}) > 1


def _language(slice_: Slice) -> str:
    return dict(zip(slice_.names, slice_.values, strict=True)).get(LANGUAGE, NONE)


def _row(result: Result, metric: BoundMetric) -> dict[str, Any]:
    interval = result.intervals.get(metric.name)
    ends = interval.to_dict() if interval else {"low": None, "high": None, "method": "none"}
    return {
        "metric": metric.name,
        "n": n_counted(result, metric),
        "value": to_json(result[metric.name]),
        **{name: ends[name] for name in ("low", "high", "method")},
    }


def n_counted(result: Result, metric: BoundMetric) -> int:
    """How many queries count for the value of a metric."""
    return int(np.count_nonzero(result.table.columns[metric.name].counts))


def _defined(means: dict[str, float]) -> list[float]:
    return [mean for mean in means.values() if not math.isnan(mean)]
