"""The verdict: the conclusion of a comparison in one or two sentences; and numbers formatted for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.comparison.differences import Difference
from assay.comparison.pairs import Pair
from assay.metrics import BoundMetric
from assay.stats import Correction, FieldOutcome
from assay.text import counted, decimals, milliseconds, printable, shorten_middle, with_minus

if TYPE_CHECKING:
    from assay.comparison.comparison import Comparison


UNKNOWN = "–"
ROUNDING = 1e-12
"""A smaller difference is a rounding error of floats and counts as 0."""


@dataclass(frozen=True)
class Figures:
    """Formats values. Without `digits`: three decimals, or two significant digits if the decimals would all be 0."""

    digits: int | None = None

    def value(self, metric: BoundMetric, value: float) -> str:
        """The value of a system; a dash if there is none. Times have a unit."""
        if math.isnan(value):
            return UNKNOWN
        if metric.metric.view == "timing" and self.digits is None:
            return milliseconds(value)
        if metric.metric.aggregation.is_total and float(value).is_integer():
            return with_minus(str(int(value)))
        return with_minus(decimals(value) if self.digits is None else f"{value:.{self.digits}f}")

    def change(self, metric: BoundMetric, value: float) -> str:
        """A difference, with its sign: a plus or a minus."""
        if math.isnan(value):
            return UNKNOWN
        if abs(value) < ROUNDING:
            value = 0.0
        return "+−"[value < 0] + (self.value(metric, abs(value)) if math.isfinite(value) else f"{abs(value)}")

    def interval(self, metric: BoundMetric, pair: Difference) -> str:
        """The interval of the difference."""
        if math.isnan(pair.low):
            return UNKNOWN
        return f"{self.change(metric, pair.low)} … {self.change(metric, pair.high)}"


def p_text(p: float, draws: int = 0) -> str:
    """The p value as text, with the digits that do not depend on random draws."""
    if math.isnan(p):
        return "p undefined"
    return "p < 0.001" if p < 0.001 else f"p = {p_digits(p, draws)}"


def f_text(outcome: FieldOutcome) -> str:
    """`F(2, 78) = 12.34, ` of an analysis of variance; empty for other tests."""
    if not outcome.df:
        return ""
    size = "∞" if math.isinf(outcome.statistic) else f"{outcome.statistic:.2f}"
    return f"F({outcome.df[0]}, {outcome.df[1]:,}) = {size}, "


def p_digits(p: float, draws: int = 0) -> str:
    """P with three decimals, or with as many as stay the same if it is counted again from other random draws."""
    error = math.sqrt(p * (1 - p) / draws) if draws else 0.0
    return f"{p:.{3 if error < LARGEST_ERROR else 2}f}"


LARGEST_ERROR = 0.0005
"""The third decimal of p is shown if its standard error is below this."""
MAX_NAME_WIDTH = 160
"""Characters of a system's name in a sentence."""
MAX_PAIRS_NAMED = 3
"""The largest number of pairs that a sentence names."""


def changed_system(comparison: Comparison) -> str:
    """The system, if an earlier and a later run of the same system are compared; else empty."""
    if len(comparison.results) != 2:
        return ""
    before, now = (comparison.results[comparison.aligned.place(name)] for name in _ends(comparison))
    times = [str(result.provenance.get("started", "")) for result in (before, now)]
    is_later = before.system == now.system and "" < times[0] < times[1]
    return shorten_middle(printable(now.system), MAX_NAME_WIDTH) if is_later else ""


def _ends(comparison: Comparison) -> tuple[str, str]:
    return comparison.pairs[0].a, comparison.pairs[0].b


def change_sentence(system: str, metric: BoundMetric, pair: Pair, since: str = "") -> str:
    """How a system changed from an earlier run (a), which `since` names, to a later one (b); without a full stop."""
    since = f" since {since}" if since else ""
    if pair.is_same:
        return f"{system} did not change on any query{since}: {pair.metric} is the same"
    if pair.better:
        which = "better" if pair.improvement > 0 else "worse"
        return f"{system} got {which}{since} on {pair.metric} by {lead_text(metric, pair)}, {_p(pair)}"
    return f"{system} is not shown to have changed{since} on {pair.metric}: {difference_text(metric, pair)}"


def standing_of(metric: BoundMetric, pair: Pair) -> str:
    """How b stands to a: `worse` or `better` if this is shown, `lower` or `higher` if only the values differ, or `same`."""
    if pair.better is not None:
        return "better" if pair.improvement > 0 else "worse"
    figures = Figures()
    if pair.is_same or figures.change(metric, pair.difference) == figures.change(metric, 0.0):
        return "same"
    return "" if math.isnan(pair.difference) else "lower" if pair.difference < 0 else "higher"


def lead_text(metric: BoundMetric, pair: Difference) -> str:
    """`0.197 [0.096, 0.298]`: the size of a difference with its interval, without a sign."""
    figures = Figures()
    ends = sorted(math.copysign(1, pair.difference) * end for end in (pair.low, pair.high))
    interval = "" if math.isnan(pair.low) else f" [{', '.join(figures.value(metric, end) for end in ends)}]"
    return f"{figures.value(metric, abs(pair.difference))}{interval}"


def difference_text(metric: BoundMetric, pair: Difference) -> str:
    """`−0.197 [−0.298, −0.096], p < 0.001`; no p if no query differs."""
    figures = Figures()
    ends = ", ".join(figures.change(metric, end) for end in (pair.low, pair.high))
    interval = "" if math.isnan(pair.low) else f" [{ends}]"
    p = "" if pair.is_same else f", {_p(pair)}"
    return f"{figures.change(metric, pair.difference)}{interval}{p}"


def verdict_on(comparison: Comparison) -> str:
    """The verdict on the metrics that decide: the first metric in full, then the other metrics in short."""
    return _Verdict(comparison).text


class _Verdict:
    """The sentences about one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.test = comparison.how.bound_test
        self.figures = Figures()
        self.system = changed_system(comparison)
        """The system whose earlier and later run are compared; empty if systems are compared."""

    @property
    def text(self) -> str:
        """All sentences."""
        family = {pair.metric for pair in self.comparison.pairs if pair.is_in_family}
        first, *others = (metric.name for metric in self.comparison.metrics if metric.name in family)
        sentences = [self._on_metric(first)]
        if self.test.test.claim != "differs":
            return " ".join([*sentences, *map(self._on_metric, others)])
        return " ".join([*sentences, *self._on_others(first, others)])

    def _pairs(self, metric: str) -> list[Pair]:
        return [pair for pair in self.comparison.pairs if pair.metric == metric]

    def _on_metric(self, metric: str) -> str:
        pairs = self._pairs(metric)
        if reason := self._no_verdict_reason(pairs):
            return reason
        if self.test.test.claim != "differs":
            return self._on_claim(pairs)
        decided = sorted((pair for pair in pairs if pair.better), key=lambda pair: -abs(pair.improvement))
        split = [pair for pair in pairs if pair.is_split]
        open_ = [pair for pair in pairs if not pair.better and not pair.is_split]
        clauses = [self._decided(pair) for pair in decided[:MAX_PAIRS_NAMED]]
        if len(decided) > MAX_PAIRS_NAMED:
            clauses.append(f"{len(decided) - MAX_PAIRS_NAMED} more pairs differ")
        clauses += [self._split(pair) for pair in split[:MAX_PAIRS_NAMED]]
        if not clauses:
            lead = f"No system is shown to be better than another on {metric}" if len(pairs) > 1 else self._open(pairs[0])
            return f"{lead}{self._corrected()}."
        sentence = "; ".join(clauses) + self._corrected()
        sentence = sentence if decided else f"O{sentence[1:]}"  # on …, at the beginning
        return f"{sentence}; no difference is shown between {pair_names(open_)}." if open_ else f"{sentence}."

    def _no_verdict_reason(self, pairs: Sequence[Pair]) -> str:
        """Why there is no verdict on these pairs; empty if there is one."""
        metric = pairs[0].metric
        if all(pair.n == 0 for pair in pairs):
            if any(result.is_unjudged for result in self.comparison.results):
                return f"{metric} cannot be compared: the queries have no judgments."
            return f"{metric} cannot be compared: no query has a score in both systems."
        if not all(math.isnan(pair.p) for pair in pairs):
            return ""
        p = self.comparison.p_overall(metric)
        if not math.isnan(p):
            which = "differ" if self.comparison.how.is_significant(p) else "are not shown to differ"
            statistic = f_text(self.comparison.fields[metric])
            return f"The systems {which} on {metric}, {statistic}{p_text(p)}; {self.test.name} does not test single pairs."
        return f"{metric} cannot be tested: {pairs[0].untested or 'the test has no result'}."

    def _value(self, pair: Pair, value: float) -> str:
        return self.figures.value(self.comparison.metric(pair.metric), value)

    def _change(self, pair: Pair, value: float) -> str:
        return self.figures.change(self.comparison.metric(pair.metric), value)

    def _decided(self, pair: Pair) -> str:
        """The winner and the size of its lead, with the interval of the lead, for every direction of the metric."""
        loser = pair.a if pair.better == pair.b else pair.b
        metric = self.comparison.metric(pair.metric)
        if self.system:
            return change_sentence(self.system, metric, pair)
        return f"{pair.better} beats {loser} on {pair.metric} by {lead_text(metric, pair)}, {_p(pair)}"

    def _split(self, pair: Pair) -> str:
        """The test favours one system, but the other has the better mean."""
        ahead, behind = (pair.b, pair.a) if pair.direction > 0 else (pair.a, pair.b)
        values = {pair.a: self._value(pair, pair.value_a), pair.b: self._value(pair, pair.value_b)}
        means = f"{behind} has the better mean ({values[behind]} against {values[ahead]})"
        if pair.improvement == 0:
            means = "both have the same mean"
        words = self.test.test.ahead.format(ahead=ahead, behind=behind)
        return f"on {pair.metric}, {words} ({_p(pair)}), but {means}"

    def _open(self, pair: Pair) -> str:
        metric = self.comparison.metric(pair.metric)
        if self.system:
            return change_sentence(self.system, metric, pair)
        if pair.is_same:
            return f"{pair.b} and {pair.a} have the same {pair.metric} on every query"
        return f"{pair.b} is not shown to differ from {pair.a} on {pair.metric}: {difference_text(metric, pair)}"

    def _on_claim(self, pairs: Sequence[Pair]) -> str:
        """The sentence for tests of "not worse" and "equal"."""
        margin = f"{self.test.scale:g}"
        if self.comparison.metric(pairs[0].metric).metric.view == "timing":
            margin += " ms"
        words = {"not_worse": f"at most {margin} worse than {{a}}", "equal": f"within {margin} of {{a}}"}
        claims: list[str] = []
        for pair in pairs:
            claim = f"{pair.b} is {words[pair.claim].format(a=pair.a)} on {pair.metric}"
            unsure = f"{'i' if claims else 'I'}t is not shown that "
            change = f"{self._change(pair, pair.difference)}, {_p(pair)}"
            claims.append(f"{'' if pair.is_significant else unsure}{claim} ({change})")
        return "; ".join(claims) + f"{self._corrected()}."

    def _corrected(self) -> str:
        words = correction_text(self.comparison)
        return f" ({words})" if words else ""

    def _on_others(self, first: str, metrics: Sequence[str]) -> list[str]:
        """The other metrics, grouped by outcome."""
        leader = self._winner(first)
        silent = [reason for metric in metrics if (reason := self._no_verdict_reason(self._pairs(metric)))]
        metrics_of: dict[str, list[str]] = {}
        for metric in metrics:
            pairs, winner = self._pairs(metric), self._winner(metric)
            if self._no_verdict_reason(pairs):
                continue
            if winner is not None:
                outcome = self._other_outcome(winner, is_same=winner == leader)
            elif any(pair.better or pair.is_split for pair in pairs):
                outcome = "some systems differ"
            else:
                outcome = "no difference is shown"
            metrics_of.setdefault(outcome, []).append(metric)
        return [*(f"On {listed(names)}, {outcome}." for outcome, names in metrics_of.items()), *silent]

    def _other_outcome(self, winner: str, *, is_same: bool) -> str:
        """The outcome on another metric than the first; `is_same` if the first has the same winner."""
        if not self.system:
            return f"{winner} is better too" if is_same else f"however, {winner} is better"
        which = "better" if winner == _ends(self.comparison)[1] else "worse"
        return f"it got {which} too" if is_same else f"however, it got {which}"

    def _winner(self, metric: str) -> str | None:
        """The system with the best value, if it is shown to be better than every system it was compared with."""
        pairs = self._pairs(metric)
        if not any(pair.better for pair in pairs):
            return None
        best = self.comparison.best(metric)
        return best if all(pair.better == best for pair in pairs if best in (pair.a, pair.b)) else None


def _p(pair: Difference) -> str:
    return p_text(pair.p_corrected, pair.draws)


def correction_text(comparison: Comparison) -> str:
    """What p was corrected for: `Holm over all 3 pairs`; empty if there is one comparison, which needs no correction."""
    if comparison.how.bound_test.test.is_for_many:
        is_one = comparison.n_families < 2 and (len(comparison.names) == 2 or not comparison.n_comparisons)
        return "" if is_one else corrected_for_many(comparison)
    if comparison.n_comparisons < 2:
        return ""
    return corrected_over(comparison.how.correcting, _family(comparison))


def corrected_over(correction: Correction, family: str) -> str:
    """`Holm over all 3 pairs`, `all 3 pairs, not corrected`."""
    return f"{family}, not corrected" if correction.name == "none" else f"{correction.title} over {family}"


def _family(comparison: Comparison) -> str:
    """The family in words: `all 3 pairs`, `2 systems against bm25`, `6 comparisons (2 metrics)`."""
    n, baseline = comparison.n_comparisons, comparison.how.baseline
    if comparison.part:
        return f"{n:,} comparisons in all slices"
    tested = [pair for pair in comparison.pairs if pair.is_in_family and not math.isnan(pair.p)]
    n_metrics = len({pair.metric for pair in tested})
    if n_metrics > 1:
        return f"{n:,} comparisons ({n_metrics} metrics)"
    if baseline is not None:
        return f"{counted(n, 'system')} against {baseline}"
    is_every = n == sum(pair.metric == tested[0].metric for pair in comparison.pairs)
    return f"{'all ' if is_every else ''}{counted(n, 'pair')}"


def corrected_for_many(comparison: Comparison) -> str:
    """What a test for many systems was corrected for: the systems, and the metrics if there are several."""
    is_left = comparison.n_families < 2 or comparison.how.correcting.name == "none"
    also = "" if is_left else f" and {comparison.families}"
    return f"corrected for {counted(len(comparison.names), 'system')}{also}"


def pair_names(pairs: Sequence[Pair]) -> str:
    """The names of the first few pairs."""
    some = [f"{pair.a} and {pair.b}" for pair in pairs[:MAX_PAIRS_NAMED]]
    return ", ".join(some) + (f" and {len(pairs) - MAX_PAIRS_NAMED} more pairs" if len(pairs) > MAX_PAIRS_NAMED else "")


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
