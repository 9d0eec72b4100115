"""The words and figures of a comparison, as people read them."""

from __future__ import annotations

import math

from assay.comparison import UNKNOWN, Comparison, Pair, corrected_for_many
from assay.stats import AVERAGED
from assay.text import counted, printable, with_minus

BETTER, WORSE, SHOWN, SPLIT = "▲", "▼", "✓", "◇"
UNITS = {"bootstrap": "resamples"}
"""What a test draws, where it is not permutations."""


def p_short(p: float) -> str:
    """A p in a column."""
    return UNKNOWN if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def effect_text(effect: float) -> str:
    """Cohen's d; without end where the difference is the same on every query."""
    if math.isnan(effect):
        return UNKNOWN
    return with_minus(f"{effect:.2f}" if math.isfinite(effect) else "-∞" if effect < 0 else "∞")


def record_text(pair: Pair) -> str:
    """On how many queries b is better, as good, and worse; a dash where no query has a figure of its own."""
    if pair.n and not pair.wins + pair.ties + pair.losses:
        return UNKNOWN
    return f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}"


def mark(pair: Pair) -> str:
    """What is sure about b: better, worse, or what the test was to show; nothing where nothing is."""
    if pair.claim != "differs":
        return SHOWN if pair.is_significant else ""
    if pair.better is None:
        return SPLIT if pair.is_split else ""
    return BETTER if pair.better == pair.b else WORSE


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
    alone = ", not corrected" if is_corrected(comparison) else ""
    parts += [f"{level_text(comparison)} intervals by {how.interval_method}{alone}", f"seed {how.seed}"]
    return printable(" · ".join(part for part in parts if part))


def n_queries_text(comparison: Comparison) -> str:
    """`54 queries`, or `52 of 54 queries` where some that were judged do not count; and how many nobody failed on."""
    n = len(comparison.query_ids)
    judged = max((result.counts.get("judged", 0) for result in comparison.results), default=0)
    text = counted(n, "query") if comparison.part or judged <= n else f"{n:,} of {counted(judged, 'query')}"
    n_failed = sum(any(query in result.failures for result in comparison.results) for query in comparison.query_ids)
    return f"{text}, {n - n_failed:,} answered by all" if n_failed else text


def test_text(comparison: Comparison) -> str:
    """The test, and how much it drew: all there is, where that is little."""
    test = comparison.how.bound_test
    words = test.test.name.replace("_", " ")
    others = {name: value for name, value in test.params.items() if name != "resamples"}
    changed = [f"{name} {value}" for name, value in others.items() if value != _default(test.test.params, name)]
    if "resamples" in test.params:
        changed.append(f"{_draws_text(comparison)} {UNITS.get(test.test.name, 'permutations')}")
    return ", ".join([f"{words} test", *changed])


def _draws_text(comparison: Comparison) -> str:
    """`100,000`, `all`, or `up to 100,000` where few differences need no more; of what the test itself has looked at."""
    averages = {metric.name for metric in comparison.metrics if metric.metric.aggregation in AVERAGED}
    draws = {pair.draws for pair in comparison.pairs if pair.metric in averages and not math.isnan(pair.p)}
    if draws and not any(draws):
        return "all"
    return f"{'up to ' if 0 in draws else ''}{comparison.how.bound_test.params['resamples']:,}"


def is_corrected(comparison: Comparison) -> bool:
    """Whether p was made up for many comparisons."""
    text = correction_text(comparison)
    return bool(text) and not text.endswith("not corrected")


def _default(params: tuple[object, ...], name: str) -> object:
    return next((getattr(param, "default", None) for param in params if getattr(param, "name", "") == name), None)


def correction_text(comparison: Comparison) -> str:
    """`Holm over 4`; nothing where one comparison needs no correction."""
    n, how = comparison.n_comparisons, comparison.how
    if how.bound_test.test.is_for_many:
        return corrected_for_many(comparison) if n or len(comparison.fields) > 1 else ""
    if n < 2:
        return ""
    return f"{n} comparisons, not corrected" if how.correcting.name == "none" else f"{how.correcting.title} over {n}"


def legend(comparison: Comparison) -> str:
    """What the signs mean, if there are any."""
    marks = {mark(pair) for pair in comparison.pairs} - {""}
    limit = f"p ≤ {comparison.how.alpha:g}{' after correction' if is_corrected(comparison) else ''}"
    if SHOWN in marks:
        claims = {"not_worse": "shown to be not worse", "equal": "shown to be practically equal"}
        return f"{SHOWN} {claims[comparison.pairs[0].claim]}: {limit}."
    signs = ((BETTER, "better"), (WORSE, "worse"), (SPLIT, "differs, but the test and the mean disagree who is better"))
    words = [f"{sign} {word}" for sign, word in signs if sign in marks]
    return f"{', '.join(words)}: {limit}." if words else ""
