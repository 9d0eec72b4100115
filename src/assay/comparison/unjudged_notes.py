"""Notes on unjudged documents: whether they could reverse a verdict, in sentences for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.comparison.pairs import Pair
from assay.comparison.unjudged import ROUNDING, Unjudged
from assay.comparison.verdict import MAX_PAIRS_NAMED, Figures
from assay.metrics import BoundMetric
from assay.text import counted

if TYPE_CHECKING:
    from assay.comparison.comparison import Comparison


def notes_on_unjudged(comparison: Comparison, *, every: bool = False) -> list[str]:
    """Judged shares that differ, and verdicts that unjudged documents could reverse; with `every`, the range of each pair.

    They are about the deciding metric. A slice has no notes.
    """
    if comparison.part:
        return []
    metric = comparison.metrics[0]
    pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
    decided = sorted((pair for pair in pairs if _is_shown(pair)), key=lambda pair: -abs(pair.improvement))
    looked_at = decided[:MAX_PAIRS_NAMED] or (pairs if len(pairs) <= MAX_PAIRS_NAMED else [])
    known = {id(pair): comparison.unjudged(pair, thorough=every) for pair in (pairs if every else looked_at)}
    doubts = _Doubts(metric, comparison.how.bound_test.scale, is_only=len(pairs) == 1, has_ranges=every)
    notes = [range_text(known[id(pair)], metric, pair.difference) for pair in pairs] if every else []
    notes += [note for pair in decided[:MAX_PAIRS_NAMED] for note in doubts.on(pair, known[id(pair)])]
    return list(dict.fromkeys([*notes, *_judged_shares([*known.values()])]))


def _is_shown(pair: Pair) -> bool:
    """Whether the verdict says something about the pair that grades could reverse."""
    return bool(pair.better) if pair.claim == "differs" else pair.is_significant


def _judged_shares(pairs: Sequence[Unjudged]) -> Iterator[str]:
    """`judged@10: bm25 1.00, dense 0.30.`."""
    if not any(pair.are_apart for pair in pairs):
        return
    shares: dict[str, float] = {}
    for pair in pairs:
        shares |= {pair.a: pair.judged_a, pair.b: pair.judged_b}
    listed = ", ".join(f"{name} {share:.2f}" for name, share in shares.items() if not math.isnan(share))
    yield f"judged@{pairs[0].depth}: {listed}."


class _Doubts(NamedTuple):
    """Sentences about verdicts that unjudged documents could reverse, or whose range is unknown."""

    metric: BoundMetric
    margin: float
    is_only: bool
    """Whether the verdict is about one pair."""
    has_ranges: bool
    """Whether other sentences have the ranges already."""

    def on(self, pair: Pair, unjudged: Unjudged) -> Iterator[str]:
        """The sentence about one pair; nothing if the verdict holds for all grades."""
        if not unjudged.is_known:
            if unjudged.is_missing and not self.has_ranges:
                yield f"It is unknown whether unjudged documents could change this: {unjudged.unknown}."
            return
        if not self._could_change(pair, unjudged):
            return
        ends = (unjudged.low, unjudged.high)
        what, whose = f"The verdict on {pair.b}", "difference"
        if pair.better:
            loser = pair.a if pair.better == pair.b else pair.b
            ends = ends if pair.difference > 0 else (-unjudged.high, -unjudged.low)
            what, whose = f"That {pair.better} beats {loser}", f"lead of {pair.better}"
        what = "This" if self.is_only else what
        if self.has_ranges:
            yield f"{what} could be reversed."
        else:
            between = between_text(unjudged, self.metric, *ends)
            yield f"{what} could be reversed by the {documents_text(unjudged)}: the {whose} {between}."

    def _could_change(self, pair: Pair, unjudged: Unjudged) -> bool:
        """Whether the range goes beyond 0, or beyond the margin of the claim."""
        if pair.claim == "differs":
            return unjudged.could_reverse(pair.difference)
        sign = 1 if self.metric.metric.higher_is_better else -1
        worst, best = sorted(sign * end for end in (unjudged.low, unjudged.high))
        return worst < -self.margin - ROUNDING or (pair.claim == "equal" and best > self.margin + ROUNDING)


def documents_text(unjudged: Unjudged) -> str:
    """`214 unjudged documents in the first 10`."""
    where = "that were retrieved" if unjudged.k is None else f"in the first {unjudged.k:,}"
    return f"{counted(unjudged.n_unjudged, 'unjudged document')} {where}"


def between_text(unjudged: Unjudged, metric: BoundMetric, low: float, high: float) -> str:
    """`could be between −0.12 and +0.50`; `at most` if the range may be too wide."""
    figures = Figures()
    return f"could be between {figures.change(metric, low)} and {figures.change(metric, high)}{at_most(unjudged)}"


def at_most(unjudged: Unjudged) -> str:
    """The words after a range that may be too wide."""
    return "" if unjudged.is_exact else " at most"


def range_text(unjudged: Unjudged, metric: BoundMetric, difference: float) -> str:
    """The range of the difference in one sentence, or why it is unknown."""
    what = f"{unjudged.b} − {unjudged.a} on {unjudged.metric}"
    if not unjudged.is_known:
        return f"The range of {what} over the grades of unjudged documents is unknown: {unjudged.unknown}."
    if not unjudged.n_unjudged:
        where = "that were retrieved" if unjudged.k is None else f"in the first {unjudged.k:,}"
        return f"All documents {where} are judged, so {what} is {Figures().change(metric, difference)} in any case."
    between = between_text(unjudged, metric, unjudged.low, unjudged.high)
    return f"Depending on the grades of the {documents_text(unjudged)}, {what} {between}."
