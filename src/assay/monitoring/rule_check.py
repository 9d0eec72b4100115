"""Rule check: what each rule of a gate could notice with a number of queries, before it is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.comparison import gains_of
from assay.metrics import BoundMetric
from assay.model import MEAN
from assay.monitoring.case import Case
from assay.monitoring.change_rules import ChangeRule, MarginRule, RatchetRule, verb_of
from assay.monitoring.finding import unit_of
from assay.monitoring.guard import with_guarded_alpha
from assay.monitoring.rule import Rule
from assay.monitoring.rule_scope import FAIL
from assay.monitoring.sensitivity import (
    Spread,
    assumed_spread,
    cases_text,
    chance_of_false_failure,
    chance_to_notice,
    false_failure_text,
    notice_text,
    size_text,
    spread_of,
)
from assay.text import counted

SELDOM, OFTEN = 0.5, 0.05
"""A rule is questionable if it notices less than this share of the drops, or fails more than this share of equal systems."""
USUAL_POWER = 0.8
MOST_QUERIES = 10_000_000


@dataclass(frozen=True)
class RuleCheck:
    """What a rule could notice with `n` queries; `warning` is empty if it is fit for its purpose."""

    rule: Rule
    n: int
    text: str
    warning: str = ""
    chance: float = math.nan
    """The chance to notice twice the margin; for a limit on a drop, the chance that an equally good system fails."""
    is_assumed: bool = False
    """Whether the spread of the differences is assumed, because there are no results of two systems."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "rule": self.rule.text,
            "place": self.rule.terms.place or None,
            "n": self.n,
            "chance": None if math.isnan(self.chance) else self.chance,
            "text": self.text,
            "warning": self.warning or None,
            "is_assumed": self.is_assumed,
        }


def check_rules(rules: Sequence[Rule], n: int | None, case: Case | None = None) -> list[RuleCheck]:
    """What each rule could notice with n queries; by default, with the queries of the result.

    The spread of the differences is that of the result and its baseline, if there are both; otherwise it is assumed.
    """
    guarded = with_guarded_alpha(rules, [case] if case else [])
    n_tested = max(1, sum(isinstance(rule, MarginRule) for rule in rules))
    return [_checked(rule, n, case, n_tested) for rule in guarded]


def _checked(rule: Rule, n: int | None, whole: Case | None, n_tested: int) -> RuleCheck:
    case = whole.within(rule.terms.where) if whole and rule.terms.where else whole
    n = n if n is not None else case.n_queries if case else 0
    if isinstance(rule, MarginRule):
        return _check_margin(rule, n, case, n_tested)
    if isinstance(rule, ChangeRule):
        return _check_change(rule, n, case)
    if isinstance(rule, RatchetRule):
        return RuleCheck(rule, n, "only the observed value decides, so equally good systems fail it too")
    return RuleCheck(rule, n, "no test: it checks what was observed")


def _spread(bound: BoundMetric, case: Case | None) -> Spread:
    low, high = bound.metric.range
    if case is None or case.before is None or bound.name not in case.now or bound.name not in case.before:
        return assumed_spread(high - low)
    gains = gains_of(bound, *case.columns(bound.name))
    return spread_of(gains, high - low) if gains.any() else assumed_spread(high - low)


def _check_margin(rule: MarginRule, n: int, case: Case | None, n_tested: int) -> RuleCheck:
    spread, width = _spread(rule.bound, case), rule.bound.metric.range[1] - rule.bound.metric.range[0]
    margin = rule.margin.value(_baseline_value(rule.bound, case))
    guard = rule.terms.guard
    alpha = guard.chance / guard.changes / n_tested if guard and not guard.is_fresh else (1 - rule.level) / 2
    if rule.bound.metric.aggregation != MEAN or math.isnan(margin) or not margin or not math.isfinite(spread.sd):
        return RuleCheck(rule, n, "what it can notice is unknown without results of two systems")
    chance = chance_to_notice(2 * margin, margin, n, spread, alpha)
    text = notice_text(2 * margin, chance, counted(n, "query"), verb_of(rule.bound)[:-1], unit_of(rule.bound))
    warnings = [_missing_drops(margin, n, spread, alpha, width)] if chance < SELDOM else []
    if math.isfinite(width) and margin < width:
        fewest = math.ceil(math.log((1 - rule.level) / 2) / math.log1p(-margin / width))
        text += f". An equally good result can pass from about {counted(fewest, 'query')} on"
        if n < fewest and rule.terms.undecided == FAIL:
            warnings.append(f"with fewer than {counted(fewest, 'query')}, equally good results are undecided, and fail")
    return RuleCheck(rule, n, text, ". ".join(warnings), chance, spread.is_assumed)


def _missing_drops(margin: float, n: int, spread: Spread, alpha: float, width: float) -> str:
    """The warning of a rule that notices too little, with the queries or the margin that would do."""
    needed = _smallest(lambda size: chance_to_notice(2 * margin, margin, size, spread, alpha) >= USUAL_POWER)
    tenths = _smallest(lambda step: _chance_at(step * margin / 10, n, spread, alpha) >= USUAL_POWER)
    wider = tenths * margin / 10 if tenths else math.inf
    remedies = [f"about {counted(_rounded(needed), 'query')}"] if needed else []
    remedies += [f"a margin of {size_text(wider)}"] if wider < width / 2 else []
    return f"it would miss most drops near its limit. Use {' or '.join(remedies) or 'more queries'}"


def _chance_at(margin: float, n: int, spread: Spread, alpha: float) -> float:
    return chance_to_notice(2 * margin, margin, n, spread, alpha)


def _check_change(rule: ChangeRule, n: int, case: Case | None) -> RuleCheck:
    spread, limit = _spread(rule.bound, case), rule.limit.value(_baseline_value(rule.bound, case))
    chance = math.nan if math.isnan(limit) else chance_of_false_failure(limit, n, spread)
    if rule.bound.metric.aggregation != MEAN or math.isnan(chance):
        return RuleCheck(
            rule, n, "only the observed difference decides; how often is unknown without results of two systems"
        )
    warning = ""
    if chance > OFTEN:
        instead = f"{rule.bound.name} not worse by {rule.limit}{rule.terms}"
        warning = f"it fails equally good systems {cases_text(chance)}. Use a tested rule: {instead}"
    return RuleCheck(rule, n, false_failure_text(chance, counted(n, "query")), warning, chance, spread.is_assumed)


def _baseline_value(bound: BoundMetric, case: Case | None) -> float:
    """The value that per cent refer to; nan if it is unknown. A plain amount does not need it."""
    return case.value_before(bound.name) if case else math.nan


def _smallest(is_enough: Callable[[int], bool]) -> int | None:
    """The smallest whole number that is enough; None if none is."""
    low, high = 0, 1
    while not is_enough(high):
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _rounded(number: int) -> int:
    """Rounded up to two digits, because it is an estimate."""
    step = 10 ** max(0, len(str(number)) - 2)
    return math.ceil(number / step) * step
