"""Remarks: how the numbers of a comparison were computed, if that is not obvious."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.comparison.estimate_remarks import estimate_remarks
from assay.comparison.run_noise import noise_sentences, unmeasured_noise
from assay.comparison.verdict import pair_names
from assay.stats import AVERAGED
from assay.text import counted, percent

if TYPE_CHECKING:
    from assay.comparison.comparison import Comparison

MIN_CLUSTERS = 6
"""With fewer clusters, no randomisation test can give p ≤ 0.05."""
FEW_CLUSTERS = "With {n}, p of a two-sided randomisation test is at least {p:g}, however large the difference is."


def remarks_on(comparison: Comparison) -> Iterator[str]:
    """Remarks on Bayesian probabilities, untested pairs, values that are not means, and tests with too few queries."""
    if comparison.how.bound_test.test.is_bayesian:
        yield from _probabilities(comparison)
    for metric in comparison.metrics:
        pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
        untested = [pair for pair in pairs if pair.untested]
        if 0 < len(untested) < len(pairs):  # if no pair is tested, the verdict says so
            yield f"{metric.name} of {pair_names(untested)} is not tested ({untested[0].untested})."
    whole = [metric.name for metric in comparison.metrics if metric.metric.aggregation not in AVERAGED]
    if whole := [name for name in whole if any(pair.metric == name and pair.draws for pair in comparison.pairs)]:
        are = "is not a mean over queries" if len(whole) == 1 else "are not means over queries"
        names = f"{', '.join(whole[:-1])} and {whole[-1]}" if len(whole) > 1 else whole[0]
        yield f"{names} {are}: the interval and p are from a paired bootstrap of the value itself."
    yield from estimate_remarks(comparison)
    tested = [pair.n for pair in comparison.pairs if pair.n and not pair.untested]
    tested += [comparison.clusters.n] if tested and comparison.clusters is not None else []
    if tested and (caution := comparison.how.bound_test.caution(min(tested))):
        yield caution
    if comparison.clusters is not None and comparison.clusters.n < MIN_CLUSTERS:
        yield FEW_CLUSTERS.format(n=counted(comparison.clusters.n, "cluster"), p=2 / 2**comparison.clusters.n)
    yield from _noise_remarks(comparison)


def _noise_remarks(comparison: Comparison) -> Iterator[str]:
    """Run-to-run noise on the first metric: of each pair if all systems are compared with one, else of each system."""
    of_pairs = comparison.how.baseline is not None or len(comparison.names) == 2
    if comparison.metrics:
        yield from noise_sentences(comparison.noise, comparison.metrics[0].name, of_pairs=of_pairs)
    if not comparison.part:
        yield from unmeasured_noise(comparison.results, comparison.compared)


def _probabilities(comparison: Comparison) -> Iterator[str]:
    """For each pair: the probability that b is better, practically equal, or worse."""
    rope = comparison.how.bound_test.params["rope"]
    by = f" by more than {rope:g}" if rope else ""
    for pair in comparison.pairs:
        if pair.untested or math.isnan(pair.p_better):
            continue
        better, equal = pair.p_better, pair.p_equal
        same = f", practically equal with {percent(equal, 1)}" if rope else ""
        worse = max(0.0, 1 - better - equal)
        claim = f"{pair.b} is better than {pair.a} on {pair.metric}{by}"
        yield f"{claim} with probability {percent(better, 1)}{same}, worse with {percent(worse, 1)}."
