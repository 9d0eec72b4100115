"""best: the figures that rules with a ratchet are held against."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assay.monitoring.history import StoredPoint, best_before, series_of
from assay.monitoring.rule import Rule
from assay.monitoring.rule_ratchet import RatchetRule


def best_so_far(
    rules: Iterable[Rule], history: Callable[[str], Iterable[StoredPoint]], evaluation: str
) -> dict[tuple[str, str, str], float]:
    """Benchmark, provider and metric → the best figure before an evaluation, on the data that it was on.

    `history` gives the points of a metric, as `Store.history` does; it is not asked where no rule has a ratchet.
    """
    metrics = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, RatchetRule)}
    return best_before([one for name, bound in metrics.items() for one in series_of(history(name), bound)], evaluation)
