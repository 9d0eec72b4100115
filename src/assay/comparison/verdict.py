"""verdict: what a comparison allows to be said, in one or two sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.comparison.pair import Pair

if TYPE_CHECKING:
    from assay.comparison.comparison import Comparison

UNDECIDED = "not decisive"


def verdict_on(comparison: Comparison) -> str:
    """The first metric in full, the others in a clause, and what stays open."""
    first, *others = comparison.metrics
    said = [_on_metric(comparison, first.name)]
    if others:
        said += _on_others(comparison, [metric.name for metric in others])
    return " ".join(said)


def _on_metric(comparison: Comparison, metric: str) -> str:
    pairs = [pair for pair in comparison.pairs if pair.metric == metric]
    if all(pair.n == 0 for pair in pairs):
        return f"Nothing can be said about {metric}: no query has a score in both systems."
    if all(math.isnan(pair.p) for pair in pairs):
        return _on_all(comparison, metric)
    if comparison.how.bound_test.test.claim != "differs":
        return _on_claim(comparison, pairs)
    decided = [pair for pair in pairs if pair.better]
    open_ = [pair for pair in pairs if not pair.better]
    clauses = [_clause(pair) for pair in sorted(decided, key=lambda pair: -abs(pair.improvement))[:3]]
    if len(decided) > 3:
        clauses.append(f"{len(decided) - 3} more pairs differ")
    if not decided:
        lead = f"No system is shown to be better on {metric}" if len(pairs) > 1 else _open(pairs[0])
        return f"{lead}{_corrected(comparison)}."
    told = "; ".join(clauses) + _corrected(comparison)
    if open_:
        told += f"; the order of {_names(open_)} is {UNDECIDED}"
    return f"{told}."


def _on_all(comparison: Comparison, metric: str) -> str:
    """What a test allows to be said that looks at all systems together and at no pair."""
    p = comparison.fields[metric].p if metric in comparison.fields else math.nan
    if math.isnan(p):
        return f"Nothing can be said about {metric}: the test has no answer there."
    which = "differ" if p <= comparison.how.alpha else "are not shown to differ"
    return f"The systems {which} on {metric}, {p_text(p)}; {comparison.how.bound_test.name} does not say which of them."


def _clause(pair: Pair) -> str:
    better, worse = (pair.b, pair.a) if pair.improvement > 0 else (pair.a, pair.b)
    sign = 1 if better == pair.b else -1
    by = abs(pair.difference)
    ends = sorted((sign * pair.low, sign * pair.high), key=abs) if not math.isnan(pair.low) else []
    low_is_better = (pair.difference > 0) != (pair.improvement > 0)
    ends = sorted(-end for end in ends) if low_is_better else sorted(ends)
    interval = f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else ""
    return f"{better} beats {worse} on {pair.metric} by {by:.3f}{interval}, {p_text(pair.p_corrected)}"


def _open(pair: Pair) -> str:
    if pair.difference == 0 and not pair.wins and not pair.losses:
        return f"{pair.b} and {pair.a} have the same {pair.metric} on every query"
    interval = "" if math.isnan(pair.low) else f" [{pair.low:+.3f}, {pair.high:+.3f}]"
    return (
        f"Whether {pair.b} is better than {pair.a} on {pair.metric} is {UNDECIDED}: "
        f"{pair.difference:+.3f}{interval}, {p_text(pair.p_corrected)}"
    )


def _on_claim(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    """What tests for "not worse" and "equal" allow to be said."""
    margin = comparison.how.bound_test.params["margin"]
    words = {
        "not_worse": f"not worse than {{a}} by more than {margin:g}",
        "equal": f"within {margin:g} of {{a}}",
    }[comparison.how.bound_test.test.claim]
    told = []
    for pair in pairs:
        claim = words.format(a=pair.a)
        is_shown = f"is {claim}" if pair.is_significant else f"is not shown to be {claim}"
        told.append(f"{pair.b} {is_shown} on {pair.metric} ({pair.difference:+.3f}, {p_text(pair.p_corrected)})")
    return "; ".join(told) + f"{_corrected(comparison)}."


def _corrected(comparison: Comparison) -> str:
    n = comparison.n_comparisons
    if comparison.how.bound_test.test.is_for_many:
        n_systems = len(comparison.names)
        return f" (corrected for {n_systems} systems)" if n_systems > 2 else ""
    return f" ({comparison.how.correcting.title}, {n} comparisons)" if n > 1 else ""


def _names(pairs: Sequence[Pair]) -> str:
    some = [f"{pair.a} and {pair.b}" for pair in pairs[:3]]
    return ", ".join(some) + (f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else "")


def _on_others(comparison: Comparison, metrics: Sequence[str]) -> list[str]:
    if comparison.how.bound_test.test.claim != "differs":
        return [_on_metric(comparison, metric) for metric in metrics]
    by_winner: dict[str, list[str]] = {}
    for metric in metrics:
        pairs = [pair for pair in comparison.pairs if pair.metric == metric]
        if all(math.isnan(pair.p) for pair in pairs):
            by_winner.setdefault(_on_all(comparison, metric), [])
            continue
        winners = {pair.better for pair in pairs}
        best = comparison.best(metric) if any(winners) else None
        beaten = [pair for pair in pairs if best and pair.better == best]
        if best and len(beaten) == sum(best in (pair.a, pair.b) for pair in pairs):
            by_winner.setdefault(f"{best} is better as well", []).append(metric)
        elif any(winners):
            by_winner.setdefault("some systems differ", []).append(metric)
        else:
            by_winner.setdefault("nothing is decided", []).append(metric)
    return [f"On {_listed(names)} {what}." if names else what for what, names in by_winner.items()]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def p_text(p: float) -> str:
    """A p as people write it."""
    if math.isnan(p):
        return "p undefined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
