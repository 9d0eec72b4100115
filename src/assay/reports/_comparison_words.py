"""The words and figures of a comparison, as people read them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.comparison.comparison import Comparison
from assay.comparison.pair import Pair
from assay.metrics._metric import BoundMetric
from assay.reports._latency import milliseconds
from assay.text import counted, printable

BETTER, WORSE, SHOWN, UNKNOWN = "▲", "▼", "✓", "–"
UNITS = {"bootstrap": "resamples"}
"""What a test draws, where it is not permutations."""


@dataclass(frozen=True)
class Figures:
    """Figures with few digits. None leaves their number to us: 3, as the verdict has them."""

    digits: int | None = None

    def value(self, metric: BoundMetric, value: float) -> str:
        """A figure of a system; a dash where there is none. Times have their unit."""
        if math.isnan(value):
            return UNKNOWN
        if self.digits is None and metric.metric.view == "timing":
            return milliseconds(value)
        if metric.metric.aggregation.is_total and float(value).is_integer():
            return str(int(value))
        return f"{value:.{3 if self.digits is None else self.digits}f}"

    def change(self, metric: BoundMetric, value: float) -> str:
        """A difference, with its sign."""
        if math.isnan(value):
            return UNKNOWN
        return "+-"[value < 0] + self.value(metric, abs(value)) if math.isfinite(value) else f"{value:+}"

    def interval(self, metric: BoundMetric, pair: Pair) -> str:
        """Where the difference may lie."""
        if math.isnan(pair.low):
            return UNKNOWN
        return f"{self.change(metric, pair.low)} … {self.change(metric, pair.high)}"


def p_short(p: float) -> str:
    """A p in a column."""
    return UNKNOWN if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def effect_text(effect: float) -> str:
    """Cohen's d; without end where the difference is the same on every query."""
    if math.isnan(effect):
        return UNKNOWN
    return f"{effect:.2f}" if math.isfinite(effect) else "-∞" if effect < 0 else "∞"


def record_text(pair: Pair) -> str:
    """On how many queries b is better, as good, and worse."""
    return f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}"


def mark(pair: Pair) -> str:
    """What is sure about b: better, worse, or what the test was to show; nothing where nothing is."""
    if pair.claim != "differs":
        return SHOWN if pair.is_significant else ""
    return "" if pair.better is None else BETTER if pair.better == pair.b else WORSE


def level_text(comparison: Comparison) -> str:
    """`95 %`."""
    return f"{100 * comparison.how.level:g} %"


def title_of(comparison: Comparison) -> str:
    """The benchmark and its version, and the slice; empty for runs and judgments in files."""
    first = comparison.results[0]
    version = first.provenance.get("dataset", {}).get("version", "")
    parts = [f"{first.benchmark} {version}".strip() if first.benchmark else "", comparison.part]
    return printable(" · ".join(part for part in parts if part))


def head_line(comparison: Comparison) -> str:
    """What the figures rest on: baseline, queries, test, correction, intervals, seed."""
    how = comparison.how
    parts = [f"baseline {how.baseline}"] if how.baseline is not None else []
    parts += [n_queries_text(comparison), test_text(comparison), correction_text(comparison)]
    parts += [f"{level_text(comparison)} intervals by {how.interval_method}", f"seed {how.seed}"]
    return printable(" · ".join(part for part in parts if part))


def n_queries_text(comparison: Comparison) -> str:
    """`54 queries`, or `52 of 54 queries` where some that were judged do not count."""
    n = len(comparison.query_ids)
    judged = max((result.counts.get("judged", 0) for result in comparison.results), default=0)
    return counted(n, "query") if comparison.part or judged <= n else f"{n:,} of {counted(judged, 'query')}"


def test_text(comparison: Comparison) -> str:
    """The test, and how much it draws; all ways to change sides where these are few."""
    test = comparison.how.bound_test
    words = test.test.name.replace("_", " ")
    others = {name: value for name, value in test.params.items() if name != "resamples"}
    changed = [f"{name} {value}" for name, value in others.items() if value != _default(test.test.params, name)]
    if resamples := test.params.get("resamples"):
        is_exact = test.test.name == "randomization" and 2.0 ** len(comparison.query_ids) <= max(resamples, 2**16)
        unit = UNITS.get(test.test.name, "permutations")
        changed.append(f"all {unit}" if is_exact else f"{resamples:,} {unit}")
    return ", ".join([f"{words} test", *changed])


def _default(params: tuple[object, ...], name: str) -> object:
    return next((getattr(param, "default", None) for param in params if getattr(param, "name", "") == name), None)


def correction_text(comparison: Comparison) -> str:
    """`Holm over 4`; nothing where one comparison needs no correction."""
    n, how = comparison.n_comparisons, comparison.how
    if how.bound_test.test.is_for_many:
        return f"corrected for {counted(len(comparison.names), 'system')}" if n else ""
    if n < 2:
        return ""
    return f"{n} comparisons, not corrected" if how.correcting.name == "none" else f"{how.correcting.title} over {n}"


def legend(comparison: Comparison) -> str:
    """What the signs mean, if there are any."""
    marks = {mark(pair) for pair in comparison.pairs} - {""}
    is_corrected = correction_text(comparison) and not correction_text(comparison).endswith("not corrected")
    limit = f"p ≤ {comparison.how.alpha:g}{' after correction' if is_corrected else ''}"
    if SHOWN in marks:
        claims = {"not_worse": "shown to be not worse", "equal": "shown to be practically equal"}
        return f"{SHOWN} {claims[comparison.pairs[0].claim]}: {limit}."
    words = [f"{sign} {word}" for sign, word in ((BETTER, "better"), (WORSE, "worse")) if sign in marks]
    return f"{', '.join(words)}: {limit}." if words else ""
