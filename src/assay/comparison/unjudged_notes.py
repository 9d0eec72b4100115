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
    """Judged shares that differ, and verdicts that unjudged documents could reverse.

    They are about the deciding metric. With `every`, each pair has a sentence with its range on each metric. A slice has no
    notes.
    """
    if comparison.part:
        return []
    deciding = [pair for pair in comparison.pairs if pair.metric == comparison.metrics[0].name]
    decided = sorted((pair for pair in deciding if _is_shown(pair)), key=lambda pair: -abs(pair.improvement))
    looked_at = decided[:MAX_PAIRS_NAMED] or (deciding if len(deciding) <= MAX_PAIRS_NAMED else [])
    pairs = comparison.pairs if every else looked_at
    ranges = [_Range(comparison, pair, comparison.unjudged(pair, thorough=every)) for pair in pairs]
    notes = [one.sentence if every else one.doubt for one in ranges]
    shares = _judged_shares([one.unjudged for one in ranges if one.pair.metric == deciding[0].metric])
    return list(dict.fromkeys([*filter(None, notes), *shares]))


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


class _Range(NamedTuple):
    """The range of the difference of one pair in words. It is the lead of the better system, or of b on equal values."""

    comparison: Comparison
    pair: Pair
    unjudged: Unjudged

    @property
    def doubt(self) -> str:
        """That the grades could reverse the verdict on this pair, or that this is unknown; empty if it holds."""
        if not _is_shown(self.pair):
            return ""
        if not self.unjudged.is_known:
            missing = f"It is unknown whether unjudged documents could change this: {self.unjudged.unknown}."
            return missing if self.unjudged.is_missing else ""
        if not self._could_change:
            return ""
        return f"{self._verdict} could be reversed by the {results_text(self.unjudged)}: {self._lead} {self._between}."

    @property
    def sentence(self) -> str:
        """The doubt; if there is none, the range of the lead, or why it is unknown."""
        about = f"{self._lead} over {self._behind} on {self.pair.metric}"
        if not self.unjudged.is_known:
            return f"It is unknown how far unjudged documents could change {about}: {self.unjudged.unknown}."
        if not self.unjudged.n_unjudged:
            return f"All results {_where(self.unjudged)} are judged, so no grade could change {about}."
        return self.doubt or f"Depending on the grades of the {results_text(self.unjudged)}, {about} {self._between}."

    @property
    def _is_b_ahead(self) -> bool:
        return self.pair.improvement >= 0 or math.isnan(self.pair.improvement)

    @property
    def _behind(self) -> str:
        return self.pair.a if self._is_b_ahead else self.pair.b

    @property
    def _lead(self) -> str:
        return f"the lead of {self.pair.b if self._is_b_ahead else self.pair.a}"

    @property
    def _metric(self) -> BoundMetric:
        return self.comparison.metric(self.pair.metric)

    @property
    def _verdict(self) -> str:
        """The part of the verdict that is in doubt."""
        family = [pair for pair in self.comparison.pairs if pair.is_in_family]
        if len(family) == 1:
            return "This"
        on = f" on {self.pair.metric}" if len({pair.metric for pair in family}) > 1 else ""
        if self.pair.better:
            return f"That {self.pair.better} beats {self._behind}{on}"
        return f"The verdict on {self.pair.b}{on}"

    @property
    def _between(self) -> str:
        """`could be between −0.12 and +0.50`; above 0 if the system that is ahead stays ahead."""
        figures, ends = Figures(), (self.unjudged.low, self.unjudged.high)
        if self._is_b_ahead != self._metric.metric.higher_is_better:
            ends = (-self.unjudged.high, -self.unjudged.low)
        low, high = (figures.change(self._metric, end) for end in ends)
        return f"could be between {low} and {high}{at_most(self.unjudged)}"

    @property
    def _could_change(self) -> bool:
        """Whether the range goes beyond 0, or beyond the margin of the claim."""
        if self.pair.claim == "differs":
            return self.unjudged.could_reverse(self.pair.difference)
        margin = self.comparison.how.bound_test.scale
        sign = 1 if self._metric.metric.higher_is_better else -1
        worst, best = sorted(sign * end for end in (self.unjudged.low, self.unjudged.high))
        return worst < -margin - ROUNDING or (self.pair.claim == "equal" and best > margin + ROUNDING)


def results_text(unjudged: Unjudged) -> str:
    """`214 unjudged results in the first 10`; a document counts once for each query that retrieved it."""
    return f"{counted(unjudged.n_unjudged, 'unjudged result')} {_where(unjudged)}"


def _where(unjudged: Unjudged) -> str:
    return "that were retrieved" if unjudged.k is None else f"in the first {unjudged.k:,}"


def at_most(unjudged: Unjudged) -> str:
    """The words after a range that may be too wide."""
    return "" if unjudged.is_exact else " at most"
