"""Rule check: what each rule of a gate could notice with a number of queries, before it is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from assay.comparison import gains_of, is_about_users
from assay.metrics import BoundMetric
from assay.model import MEAN
from assay.monitoring.case import LEVEL, Case
from assay.monitoring.change_rules import ChangeRule, MarginRule, RatchetRule, verb_of
from assay.monitoring.finding import unit_of
from assay.monitoring.guard import chance_of_each, with_guarded_alpha
from assay.monitoring.rule import Rule
from assay.monitoring.rule_scope import FAIL, WARN
from assay.monitoring.sensitivity import (
    Spread,
    assumed_spread,
    cases_text,
    chance_of_false_failure,
    chance_to_notice,
    false_failure_text,
    notice_text,
    rounded_up,
    size_text,
    spread_of,
    unseen_share,
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


def check_rules(rules: Sequence[Rule], n: int | None, cases: Sequence[Case] = ()) -> list[RuleCheck]:
    """What each rule could notice with n queries at the error rate of the gate; by default, with the queries of the results.

    The spread of the differences is that of the first result with a baseline that the rule is about; else it is assumed.
    If a rule is about a slice, n is the number of queries in the slice.
    """
    return [_checked(rule, n, cases, rules) for rule in with_guarded_alpha(rules, cases)]


def _checked(rule: Rule, n: int | None, cases: Sequence[Case], rules: Sequence[Rule]) -> RuleCheck:
    about = [case for case in cases if rule.terms.is_about(case.now.benchmark, case.now.name)]
    whole = next((case for case in about if case.before is not None), about[0] if about else None)
    case = whole.within(rule.terms.where) if whole and rule.terms.where else whole
    units = counted(n if n is not None else case.n_queries if case else 0, case.unit if case else "query")
    units += " in the slice" if n is not None and rule.terms.where else ""
    n = n if n is not None else case.n_queries if case else 0
    if isinstance(rule, MarginRule):
        if rule.terms.by_evidence and rule.terms.guard:
            needed = 1 / chance_of_each(rules, cases, rule.terms.guard)
            return RuleCheck(rule, n, f"evidence decides: it adds up over evaluations, and an alarm needs {needed:,.0f}")
        return (_check_users if is_about_users(rule.bound) else _check_margin)(rule, n, case, units)
    if isinstance(rule, ChangeRule):
        return _check_change(rule, n, case, units)
    if isinstance(rule, RatchetRule):
        return RuleCheck(rule, n, "only the observed value decides, so equally good systems fail it too")
    return RuleCheck(rule, n, "no test: it checks what was observed")


def _spread(bound: BoundMetric, case: Case | None) -> Spread:
    low, high = bound.metric.range
    if case is None or case.before is None or bound.name not in case.now or bound.name not in case.before:
        return assumed_spread(high - low)
    if is_about_users(bound):
        return assumed_spread(high - low)
    gains = gains_of(bound, *case.columns(bound.name))
    return spread_of(gains, high - low) if gains.any() else assumed_spread(high - low)


def _check_users(rule: MarginRule, n: int, case: Case | None, units: str) -> RuleCheck:
    """For a search log, the interval of the difference to the baseline says what the rule can notice."""
    if case is None or case.before is None or rule.bound.name not in case.now or rule.bound.name not in case.before or not n:
        return RuleCheck(rule, n, "what it can notice is unknown without results of two logs")
    margin, pair = rule.margin.value(_baseline_value(rule.bound, case)), case.difference(rule.bound)
    z = NormalDist().inv_cdf((1 + case.compared_level(rule.bound)) / 2)
    error = (pair.high - pair.low) / (2 * z) * math.sqrt(case.n_queries / n)
    chance = NormalDist().cdf(2 * margin / error - NormalDist().inv_cdf((1 + rule.level) / 2)) if error > 0 else math.nan
    text = notice_text(margin, chance, units, verb_of(rule.bound)[:-1], unit_of(rule.bound))
    warning = "it would miss most drops near its limit. Use more users, or a larger margin" if chance < SELDOM else ""
    return RuleCheck(rule, n, text or "what it can notice is unknown, because no value varies", warning, chance)


def _check_margin(rule: MarginRule, n: int, case: Case | None, units: str) -> RuleCheck:
    spread, width = _spread(rule.bound, case), rule.bound.metric.range[1] - rule.bound.metric.range[0]
    margin = rule.margin.value(_baseline_value(rule.bound, case))
    alpha = (1 - rule.level) / 2 if rule.terms.alpha is None else rule.terms.alpha
    if not rule.is_about_mean or math.isnan(margin) or not margin or not math.isfinite(spread.sd):
        return RuleCheck(rule, n, "what it can notice is unknown without results of two systems")
    chance = chance_to_notice(2 * margin, margin, n, spread, alpha)
    text = notice_text(margin, chance, units, verb_of(rule.bound)[:-1], unit_of(rule.bound))
    fewest = 0
    if math.isfinite(width) and margin < width:
        fewest = math.ceil(math.log((1 - rule.level) / 2) / math.log1p(-margin / width))
        text += f". An equally good result can pass from about {counted(fewest, 'query')} on"
    warnings = [_missing_drops(margin, n, spread, alpha, width, fewest)] if chance < SELDOM else []
    if n < fewest:
        fails = ", and fails" if rule.terms.undecided == FAIL else ""
        usual = "an equally good result is usually undecided"
        warnings.append(f"with fewer than {counted(fewest, 'query')}, {usual}{fails}")
    return RuleCheck(rule, n, text, "; ".join(warnings), chance, spread.is_assumed)


def _missing_drops(margin: float, n: int, spread: Spread, alpha: float, width: float, fewest: int) -> str:
    """The warning of a rule that notices too little, with the queries or the margin that would do."""
    needed = _smallest(lambda size: chance_to_notice(2 * margin, margin, size, spread, alpha) >= USUAL_POWER)
    tenths = _smallest(lambda step: _chance_at(step * margin / 10, n, spread, alpha) >= USUAL_POWER)
    passing = width * unseen_share(n, (1 - LEVEL) / 2) if math.isfinite(width) else 0.0
    wider = max(tenths * margin / 10, passing) if tenths else math.inf
    remedies = [f"about {counted(rounded_up(max(needed, fewest)), 'query')}"] if needed else []
    remedies += [f"a margin of {size_text(wider)}"] if wider < width / 2 else []
    return f"it would miss most drops near its limit. Use {' or '.join(remedies) or 'more queries'}"


def _chance_at(margin: float, n: int, spread: Spread, alpha: float) -> float:
    return chance_to_notice(2 * margin, margin, n, spread, alpha)


def _check_change(rule: ChangeRule, n: int, case: Case | None, units: str) -> RuleCheck:
    spread, limit = _spread(rule.bound, case), rule.limit.value(_baseline_value(rule.bound, case))
    chance = math.nan if math.isnan(limit) else chance_of_false_failure(limit, n, spread)
    if rule.bound.metric.aggregation != MEAN or math.isnan(chance):
        return RuleCheck(
            rule, n, "only the observed difference decides; how often is unknown without results of two systems"
        )
    warning = ""
    if chance > OFTEN:
        instead = f"{rule.bound.name} not worse by {rule.limit}{rule.terms}"
        effect = "warns about" if rule.terms.severity == WARN else "fails"
        warning = f"it {effect} equally good systems {cases_text(chance)}. Use a tested rule: {instead}"
    return RuleCheck(rule, n, false_failure_text(chance, units), warning, chance, spread.is_assumed)


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
