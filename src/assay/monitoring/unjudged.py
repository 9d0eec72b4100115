"""Unjudged documents of gated results: whether their grades could reverse a verdict of the gate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.comparison import Figures, Unjudged, at_most, results_text, unjudged_between
from assay.evaluation import Result, with_judged
from assay.metrics import BoundMetric
from assay.monitoring.case import Case
from assay.monitoring.finding import FAILED, PASSED
from assay.monitoring.rule import ComparedRule, Rule
from assay.monitoring.rule_scope import exceeds

if TYPE_CHECKING:
    from assay.monitoring.verdict import Verdict

BEFORE, NOW = "the baseline", "this result"


@dataclass(frozen=True)
class UnjudgedCase:
    """The range of the difference between a result and the baseline on one metric."""

    benchmark: str
    provider: str
    bound: BoundMetric
    range: Unjudged

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        about = {"benchmark": self.benchmark, "provider": self.provider, "metric": self.bound.name}
        return {**about, **self.range.to_dict()}


def with_judged_shares(results: Iterable[Result], rules: Iterable[Rule]) -> list[Result]:
    """The results with the judged shares that rules are about, even if they were not scored."""
    shares = [(rule.terms, rule.metric) for rule in rules if rule.metric and rule.metric.metric.name == "judged"]
    changed = []
    for result in results:
        for terms, metric in shares:
            result = with_judged(result, metric) if terms.is_about(result.benchmark, result.name) else result
        changed.append(result)
    return changed


def unjudged_cases(rules: Iterable[Rule], cases: Iterable[Case], *, thorough: bool) -> list[UnjudgedCase]:
    """The ranges on the metrics that rules compare with the baseline, on all queries."""
    compared = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, ComparedRule) and not rule.terms.where}
    return [
        UnjudgedCase(case.now.benchmark, case.now.name, metric, _range(case.before, case.now, metric, thorough=thorough))
        for case in cases
        if case.before is not None
        for name, metric in compared.items()
        if metric.metric.view == "ranking" and name in case.now and name in case.before
    ]


def _range(before: Result, now: Result, metric: BoundMetric, *, thorough: bool) -> Unjudged:
    return unjudged_between(before.renamed(BEFORE), now.renamed(NOW), metric, thorough=thorough)


def notes_on_unjudged_cases(
    known: Sequence[UnjudgedCase], verdicts: Sequence[Verdict], *, every: bool = False
) -> Iterator[str]:
    """Verdicts that could be reversed, and judged shares that differ; with `every`, all ranges."""
    has_several = len({(case.benchmark, case.provider) for case in known}) > 1
    for case in known:
        who = f"{'/'.join(filter(None, (case.benchmark, case.provider)))}: " if has_several else ""
        mine = [verdict for verdict in verdicts if (verdict.benchmark, verdict.provider) == (case.benchmark, case.provider)]
        reversible = [verdict for verdict in mine if _could_reverse(verdict, case)]
        for verdict in reversible:
            yield f"{who}{verdict.mark} of {verdict.rule.text} could be reversed by the {_range_text(case)}"
        if every and not reversible:
            yield f"{who}{_known_text(case)}"
        if case.range.are_apart:
            shares = f"{BEFORE} {case.range.judged_a:.2f}, {NOW} {case.range.judged_b:.2f}"
            yield f"{who}judged@{case.range.depth}: {shares}"


def _could_reverse(verdict: Verdict, case: UnjudgedCase) -> bool:
    """Whether the range goes beyond the limit of the rule, on the other side than the difference."""
    rule, limit = verdict.rule, verdict.finding.limit
    is_other = not isinstance(rule, ComparedRule) or rule.bound.name != case.bound.name or bool(rule.terms.where)
    if is_other or not case.range.is_known or verdict.finding.status not in (PASSED, FAILED):
        return False
    sign = 1 if case.bound.metric.higher_is_better else -1
    worst, best = sorted(sign * end for end in (case.range.low, case.range.high))
    return exceeds(-worst, limit) if verdict.finding.status == PASSED else not exceeds(-best, limit)


def _range_text(case: UnjudgedCase) -> str:
    figures = Figures()
    ends = " and ".join(figures.change(case.bound, end) for end in (case.range.low, case.range.high))
    return f"{results_text(case.range)}: the difference could be between {ends}{at_most(case.range)}"


def _known_text(case: UnjudgedCase) -> str:
    if not case.range.is_known:
        return f"what unjudged documents could change about {case.bound.name} is unknown: {case.range.unknown}"
    if not case.range.n_unjudged:
        return f"no document that {case.bound.name} reads is unjudged"
    return f"{case.bound.name}, with other grades for the {_range_text(case)}"
