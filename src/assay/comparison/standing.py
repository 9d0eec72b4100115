"""Standing: what a comparison of several systems says about the best one, and which systems are not told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.comparison.comparison import Comparison
from assay.comparison.letters import undistinguished
from assay.comparison.pairs import Pair
from assay.comparison.verdict import Figures, correction_text, p_text
from assay.text import counted

MAX_NAMED = 4
"""Systems that a sentence names; further ones are counted."""


def top_verdict(comparison: Comparison, metric: str) -> str:
    """Who leads on a metric, whom the leader beats, and from whom it is not told apart.

    For two systems, or if nothing was tested, it is the verdict of the comparison.
    """
    pairs = [pair for pair in comparison.pairs if pair.metric == metric]
    if len(comparison.names) < 3 or all(math.isnan(pair.p) for pair in pairs):
        return comparison.verdict
    leader = comparison.best(metric)
    with_leader = {_other(pair, leader): pair for pair in pairs if leader in (pair.a, pair.b)}
    order = [name for name in by_value(comparison, metric) if name in with_leader]
    beaten = [name for name in order if with_leader[name].better == leader]
    open_ = [name for name in order if name not in beaten]
    value = Figures().value(comparison.metric(metric), comparison.value(leader, metric))
    how = correction_text(comparison)
    corrected = f" ({how})" if how else ""
    if not beaten:
        lead = f"No system is shown to be the best on {metric}: {leader} leads with {value}"
        return f"{lead}, but it is not told apart from {some_names(open_)}{corrected}."
    nearest = _lead(comparison, with_leader[beaten[0]])
    if not open_:
        others = f"both other systems{corrected}" if len(beaten) == 2 else f"all {len(beaten)} other systems{corrected}"
        return f"{leader} is the best on {metric} with {value}: it beats {others}. The nearest is {beaten[0]}, {nearest}."
    sentences = [f"{leader} leads on {metric} with {value}", f"It is not told apart from {some_names(open_)}"]
    if len(beaten) == 1:
        sentences.append(f"It beats {beaten[0]} {nearest}{corrected}")
    else:
        sentences.append(f"It beats {some_names(beaten)}{corrected}; the nearest of them is {beaten[0]}, {nearest}")
    return ". ".join(sentences) + "."


def alike_groups(comparison: Comparison, metric: str) -> list[list[str]]:
    """Groups of systems that are not told apart on a metric, the best first. Every system is in at least one group.

    Two systems share a group exactly if the comparison does not tell them apart. A group may have a single system.
    """
    order = by_value(comparison, metric)
    alike = [(pair.a, pair.b) for pair in comparison.pairs if pair.metric == metric and not pair.better]
    groups = undistinguished(order, alike)
    joined = {name for group in groups for name in group}
    groups += [[name] for name in order if name not in joined]
    place = {name: number for number, name in enumerate(order)}
    return sorted(groups, key=lambda group: [place[name] for name in group])


def by_value(comparison: Comparison, metric: str) -> list[str]:
    """The systems, the best first; systems with equal values stay in their order."""
    sign = -1 if comparison.metric(metric).metric.higher_is_better else 1
    return sorted(comparison.names, key=lambda name: sign * comparison.value(name, metric))


def some_names(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b, c, d and 3 more systems`."""
    shown, more = names[:MAX_NAMED], len(names) - MAX_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {counted(more, 'more system')}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _other(pair: Pair, name: str) -> str:
    return pair.b if pair.a == name else pair.a


def _lead(comparison: Comparison, pair: Pair) -> str:
    """`by 0.040 [0.010, 0.070], p = 0.003`."""
    figures, metric = Figures(), comparison.metric(pair.metric)
    ends = sorted(math.copysign(1, pair.difference) * end for end in (pair.low, pair.high))
    interval = "" if math.isnan(pair.low) else f" [{', '.join(figures.value(metric, end) for end in ends)}]"
    return f"by {figures.value(metric, abs(pair.difference))}{interval}, {p_text(pair.p_corrected, pair.draws)}"
