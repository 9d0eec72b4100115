"""What a set of queries can tell two systems apart by, in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.comparison.comparison import Comparison
from assay.errors import UsageError
from assay.model.scores import MEAN
from assay.reports._comparison_words import Figures, title_of
from assay.reports._layout import Style
from assay.reports.json import written
from assay.stats._power import Power
from assay.text import counted, printable

SCHEMA = "assay.power/1"


@dataclass(frozen=True)
class PowerStudy:
    """Two systems on one metric, and what their queries can tell."""

    comparison: Comparison
    metric: str
    power: Power

    @property
    def systems(self) -> tuple[str, str]:
        """The first and the second system."""
        first, second = self.comparison.names
        return first, second


def differences_of(comparison: Comparison, metric: str) -> list[float]:
    """Second minus first system on every query that has a score in both; their mean must be what the metric reports."""
    bound = comparison.metric(metric)
    if bound.metric.aggregation != MEAN:
        raise UsageError(f"power is about means over queries, and {bound.name} is none ({bound.metric.aggregation})")
    scores = comparison.aligned.scores(bound.name)
    found = [second - first for first, second in scores.tolist() if math.isfinite(first) and math.isfinite(second)]
    if len(found) < 2:
        raise UsageError(f"{bound.name}: two queries with a score in both systems are the least, and here are {len(found)}")
    return found


def render_power(studies: Sequence[PowerStudy], style: Style) -> str:
    """A paragraph for each metric."""
    return "\n\n".join(style.wrapped(printable(_paragraph(study))) for study in studies) + "\n"


def _paragraph(study: PowerStudy) -> str:
    found, metric = study.power, study.comparison.metric(study.metric)
    first, second = study.systems
    figures = Figures()
    change = figures.change(metric, found.effect)
    title = title_of(study.comparison)
    lead = (
        f"{f'{title}, ' if title else ''}{metric.name}: from {first} to {second} the mean changes by "
        f"{change} over {counted(found.n, 'query')} "
        f"(standard deviation {figures.value(metric, found.sd)})."
    )
    again = f"As many other queries would find a change of {change} again {100 * found.achieved:.0f} % of the time"
    return f"{lead} {found.sentence} {again} (paired t-test, alpha {found.alpha:g})."


def power_to_json(studies: Sequence[PowerStudy]) -> str:
    """Everything, for programs."""
    return written({"schema": SCHEMA, "studies": [_plain(study) for study in studies]})


def _plain(study: PowerStudy) -> dict[str, Any]:
    first, second = study.systems
    benchmark = study.comparison.results[0].benchmark
    about = {"benchmark": benchmark} if benchmark else {}
    plain = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in asdict(study.power).items()
    }
    return {**about, "metric": study.metric, "a": first, "b": second, **plain, "sentence": study.power.sentence}
