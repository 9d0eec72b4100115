"""Power analysis: which difference between two systems a set of queries can detect, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from assay.comparison import SHARED_TIMES, Comparison, Figures, Pair
from assay.errors import UsageError
from assay.model import MEAN
from assay.reports.json_output import json_text
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.sections.comparison import title_of
from assay.reports.table import Paragraph, Section, table_from_rows, table_section
from assay.serialize import to_json
from assay.stats import Power, analyse_power, queries_needed
from assay.text import counted, rounded_up

SCHEMA = "assay.power/1"


DECISION = ("difference", "low", "high", "p", "n_changed")
"""Fields of a pair that are the same here as in `assay compare`."""
SMALL_EFFECT = 0.01
"""A small difference that is included, unless the observed one is about as large."""
ABOUT_AS_LARGE = 0.2
"""Differences within this share of each other need about the same number of queries."""
ESTIMATES = ("achieved", "detectable", "needed")
"""Fields that are unknown if so few queries changed that p cannot be small enough."""


@dataclass(frozen=True)
class PowerOptions:
    """The difference to detect, and how reliably."""

    effect: float | None = None
    """The difference to detect; None: the observed difference, and a small one."""
    power: float = 0.8
    alpha: float = 0.05
    seed: int = 0


@dataclass(frozen=True)
class PowerStudy:
    """Two systems on one metric, and which differences their queries can detect."""

    comparison: Comparison
    metric: str
    power: Power
    others: Mapping[float, int] = field(default_factory=dict)
    """Other differences → number of queries needed to detect them."""

    @property
    def systems(self) -> tuple[str, str]:
        """The first and the second system."""
        first, second = self.comparison.names
        return first, second

    @property
    def pair(self) -> Pair:
        """The decision about the two systems, as `assay compare` shows it."""
        return self.comparison.pair(self.metric, *self.systems)

    @property
    def has_too_few_changes(self) -> bool:
        """Whether so few queries changed that p is above alpha, however large the changes are."""
        return least_p(self.pair) > self.power.alpha


def least_p(pair: Pair) -> float:
    """The smallest p that a randomisation test can have with the queries that changed."""
    return min(1.0, 2.0 ** (1 - pair.n_changed))


def differences_of(comparison: Comparison, metric: str) -> list[float]:
    """Second minus first system on every query with a score in both; the metric must be a mean over queries."""
    bound = comparison.metric(metric)
    if bound.metric.aggregation != MEAN:
        name = f"{bound.name} ({bound.metric.aggregation})"
        raise UsageError(f"power analysis needs a metric that is a mean over queries, not {name}")
    if bound.metric.view == "timing" and any(result.has_shared_times for result in comparison.results):
        raise UsageError(f"{bound.name}: {SHARED_TIMES}")
    scores = comparison.aligned.scores(bound.name)
    differences = [second - first for first, second in scores.tolist() if math.isfinite(first) and math.isfinite(second)]
    if len(differences) < 2:
        raise UsageError(f"{bound.name}: expected at least 2 queries with a score in both systems, found {len(differences)}")
    return differences


def study_power(comparison: Comparison, metric: str, asked: PowerOptions) -> PowerStudy:
    """Which differences the queries of two systems can detect; by default the observed difference and a small one."""
    differences, chosen = differences_of(comparison, metric), (asked.power, asked.alpha, asked.seed)
    power = analyse_power(differences, asked.effect, *chosen)
    is_timing = comparison.metric(metric).metric.view == "timing"
    is_small = abs(abs(power.effect) - SMALL_EFFECT) <= ABOUT_AS_LARGE * SMALL_EFFECT
    if asked.effect is not None or is_timing or is_small:
        return PowerStudy(comparison, metric, power)
    return PowerStudy(comparison, metric, power, {SMALL_EFFECT: queries_needed(differences, SMALL_EFFECT, *chosen)})


def render_power(studies: Sequence[PowerStudy], form: str, style: Style) -> str:
    """A paragraph for each metric; JSON and CSV have the values."""
    if form == "json":
        return json_text({"schema": SCHEMA, "studies": [_plain(study) for study in studies]})
    if form == "csv":
        rows = [{name: value for name, value in _plain(study).items() if name != "others"} for study in studies]
        return render_sections([table_section(table_from_rows(rows))], form, style)
    return render_sections([Section(parts=(Paragraph(_paragraph(study)),)) for study in studies], form, style)


def _paragraph(study: PowerStudy) -> str:
    power, metric = study.power, study.comparison.metric(study.metric)
    figures = Figures()
    change = figures.change(metric, power.effect)
    title = title_of(study.comparison)
    head = f"{title}: {study.comparison.verdict}" if title else study.comparison.verdict
    if not study.pair.n_changed:
        unseen = 1 - (power.alpha / 2) ** (1 / power.n)
        return (
            f"{head} No score differs, so the spread of differences is unknown. With {counted(power.n, 'query')}, "
            f"a change that touches up to {100 * unseen:.1f} % of queries could go unseen."
        )
    spread = (
        f"The differences have a standard deviation of {figures.value(metric, power.sd)} over {counted(power.n, 'query')}."
    )
    if study.has_too_few_changes:
        return f"{head} {_sentence(study)}"
    lead = f"{head} {spread}"
    again = (
        f"With the same number of other queries, the test would detect a change of {change} "
        f"in {100 * power.achieved:.0f} % of cases"
    )
    return f"{lead} {_sentence(study)} {again} (paired t-test, alpha {power.alpha:g})."


def _sentence(study: PowerStudy) -> str:
    """Which differences the queries can detect; times have their unit."""
    if study.pair.n_changed and study.has_too_few_changes:
        return _too_few_changes(study)
    metric, figures = study.comparison.metric(study.metric), Figures()
    show = partial(figures.value, metric) if metric.metric.view == "timing" else None
    return study.power.told(show, study.others)


def _too_few_changes(study: PowerStudy) -> str:
    """Why no difference can be detected, and how many queries would be needed for enough changes."""
    pair, alpha = study.pair, study.power.alpha
    enough = 1 + math.ceil(-math.log2(alpha))
    needed = counted(rounded_up(math.ceil(enough * pair.n / pair.n_changed)), "query")
    return (
        f"{pair.n_changed} of {counted(pair.n, 'query')} changed. With so few changes, p is at least "
        f"{least_p(pair):.2g}, so the test cannot detect any difference. At this rate, you need about {needed} before p can "
        f"be {alpha:g} or less."
    )


def _plain(study: PowerStudy) -> dict[str, Any]:
    first, second = study.systems
    benchmark = study.comparison.results[0].benchmark
    about = {"benchmark": benchmark} if benchmark else {}
    others = [{"target": target, "needed": needed} for target, needed in study.others.items()]
    plain = {**to_json(study.power), "others": others}
    if study.has_too_few_changes:
        plain |= {**dict.fromkeys(ESTIMATES), "others": []}
    decision = to_json({name: getattr(study.pair, name) for name in DECISION})
    words = {"verdict": study.comparison.verdict, "sentence": _sentence(study)}
    return {**about, "metric": study.metric, "a": first, "b": second, **decision, **plain, **words}
