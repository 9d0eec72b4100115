"""remarks: how the figures of a comparison came about, where that is not what a reader would think."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.comparison.verdict import pair_names
from assay.stats import AVERAGED
from assay.text import percent

if TYPE_CHECKING:
    from assay.comparison.comparison import Comparison


def remarks_on(comparison: Comparison) -> Iterator[str]:
    """Probabilities of a Bayesian test, pairs not tested, figures that are no mean, and tests with too few queries."""
    if comparison.how.bound_test.test.name == "bayesian":
        yield from _probabilities(comparison)
    for metric in comparison.metrics:
        pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
        untested = [pair for pair in pairs if pair.untested]
        if 0 < len(untested) < len(pairs):  # of all, the verdict tells
            yield f"{metric.name} of {pair_names(untested)} is not tested ({untested[0].untested})."
    whole = [metric.name for metric in comparison.metrics if metric.metric.aggregation not in AVERAGED]
    if whole := [name for name in whole if any(pair.metric == name and pair.draws for pair in comparison.pairs)]:
        is_or_are = "is no mean" if len(whole) == 1 else "are no means"
        names = f"{', '.join(whole[:-1])} and {whole[-1]}" if len(whole) > 1 else whole[0]
        yield f"{names} {is_or_are} over queries: interval and p are by paired bootstrap of the figure itself."
    tested = [pair.n for pair in comparison.pairs if pair.n and not pair.untested]
    if tested and (caution := comparison.how.bound_test.caution(min(tested))):
        yield caution


def _probabilities(comparison: Comparison) -> Iterator[str]:
    """For each pair: how probable it is that b is better, practically equal, or worse."""
    rope = comparison.how.bound_test.params["rope"]
    by = f" by more than {rope:g}" if rope else ""
    for pair in comparison.pairs:
        if pair.untested:
            continue
        better, equal = pair.p_better, pair.p_equal
        same = f", practically equal with {percent(equal, 1)}" if rope else ""
        worse = max(0.0, 1 - better - equal)
        claim = f"{pair.b} is better than {pair.a} on {pair.metric}{by}"
        yield f"{claim} with probability {percent(better, 1)}{same}, worse with {percent(worse, 1)}."
