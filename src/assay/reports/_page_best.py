"""The best of many systems in a sentence: who it is, and whom it is not told apart from."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.comparison import Comparison, Figures
from assay.text import counted

FEWEST = 3
"""Systems from which on pairs do not say at a glance which is best."""
MOST_NAMED = 6


def best_sentence(comparison: Comparison) -> str:
    """`hybrid is best on map (0.412); not told apart from it: dense.`; empty where pairs say it, or nobody knows."""
    metric = comparison.metrics[0]
    pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
    is_open = comparison.how.baseline is not None or comparison.how.bound_test.test.claim != "differs"
    if len(comparison.names) < FEWEST or is_open or all(math.isnan(pair.p) for pair in pairs):
        return ""
    best = comparison.best(metric.name)
    beside = [(pair, pair.b if pair.a == best else pair.a) for pair in pairs if best in (pair.a, pair.b)]
    equals = [name for pair, name in beside if pair.better != best]
    figure = Figures().value(metric, comparison.value(best, metric.name))
    lead = f"{best} has the best {metric.name} ({figure})"
    if not equals:
        return f"{lead}, and is shown to be better than each of the other {len(beside)} systems."
    if len(equals) == len(beside):
        return f"{lead}, but is not shown to be better than any other system."
    order = sorted(equals, key=lambda name: -_sign(comparison) * comparison.value(name, metric.name))
    rest = counted(len(beside) - len(equals), "other system")
    return f"{lead}. Not told apart from it: {_named(order)}; it is shown to be better than {rest}."


def _sign(comparison: Comparison) -> int:
    return 1 if comparison.metrics[0].metric.higher_is_better else -1


def _named(names: Sequence[str]) -> str:
    """The first few by name, and how many more."""
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
