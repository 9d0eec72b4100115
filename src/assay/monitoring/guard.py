"""Guard: a bound on the chance that any of many equally good versions fails, over all tested rules of a file.

guard: 5% over 100 changes     each different candidate may fail by chance with 5 % ÷ 100, divided over the tested rules
queries: fresh                 every evaluation draws new queries, so evidence adds up over evaluations instead
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from assay.errors import BadParameter
from assay.grammar import show
from assay.monitoring.change_rules import ChangeRule, MarginRule, RatchetRule
from assay.monitoring.finding import FAILED, SAME, SKIPPED, UNDECIDED
from assay.monitoring.night_evidence import ALARM_CHANCE, BETS, MAX_NIGHTS, Night, evidence_of, weigh
from assay.monitoring.rule import Rule
from assay.monitoring.rule_scope import FAIL, Guard
from assay.monitoring.value_rules import LimitRule, QueryRule
from assay.text import counted

if TYPE_CHECKING:
    from assay.monitoring.case import Case
    from assay.monitoring.verdict import Verdict

_GUARD = re.compile(r"(?P<chance>\d+(?:\.\d+)?)\s*%\s+over\s+(?P<changes>\d{1,6})\s+changes?", re.IGNORECASE)
MAX_LISTED, MOST_SHOWN = 5, 1_000_000
ROUNDED = 12
"""Scores that are equal in so many decimals are equal."""


class GuardMemory(Protocol):
    """Remembers the candidates of guards: `Store.guards`."""

    def entries(self, key: str) -> Sequence[tuple[str, Mapping[str, Night]]]:
        """The candidates of a guard with what each says about the rules, oldest first."""

    def add(self, key: str, candidate: str, evidence: Mapping[str, Night]) -> None:
        """Remember a candidate; nothing happens if it is known."""


@dataclass(frozen=True)
class GuardUse:
    """How much of a guard is used, with the candidate that was just checked."""

    guard: Guard
    used: int
    alpha: float
    """The error rate of each tested rule; nan if evidence adds up instead."""
    is_new: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        alpha = None if self.guard.is_fresh else self.alpha
        return {"guard": str(self.guard), "used": self.used, "of": self.guard.changes, "alpha": alpha, "is_new": self.is_new}


def parse_guard(text: str, source: str, *, is_fresh: bool = False) -> Guard:
    """Parse `5% over 100 changes`; a BadParameter with an example if it is not readable."""
    shape = _GUARD.fullmatch(text.strip())
    chance, changes = (float(shape["chance"]) / 100, int(shape["changes"])) if shape else (0.0, 0)
    if not (0 < chance < 1 and changes):
        raise BadParameter(
            f"{source}: guard must be a chance and a number of changes, such as 5% over 100 changes, not {text}"
        )
    return Guard(round(chance, 9), changes, is_fresh)


def parse_queries_kind(text: str, source: str) -> bool:
    """Whether every evaluation draws fresh queries: `fresh` or `fixed`."""
    if text.strip().lower() not in ("fresh", "fixed"):
        raise BadParameter(f"{source}: queries must be fresh (new queries in every evaluation) or fixed, not {text}")
    return text.strip().lower() == "fresh"


def usual_guard() -> Guard:
    """The guard of a file with fresh queries that names none."""
    return Guard(ALARM_CHANCE, MAX_NIGHTS, is_fresh=True)


def with_guarded_alpha(rules: Sequence[Rule], cases: Sequence[Case]) -> list[Rule]:
    """The rules, where each tested rule with a guard has its share of the error rate."""
    n_tested = {guard: sum(1 for _ in _tested(rules, cases, guard)) for guard in _guards(rules)}
    guarded = []
    for rule in rules:
        guard = rule.terms.guard
        if guard is None or not isinstance(rule, MarginRule):
            guarded.append(rule)
            continue
        alpha = 0.0 if guard.is_fresh else guard.chance / guard.changes / max(1, n_tested[guard])
        guarded.append(replace(rule, terms=replace(rule.terms, alpha=min(alpha, (1 - rule.level) / 2))))
    return guarded


def remember(
    rules: Sequence[Rule], cases: Sequence[Case], verdicts: Sequence[Verdict], name: str, memory: GuardMemory | None
) -> tuple[list[Verdict], list[GuardUse], list[str]]:
    """Count this candidate for each guard; returns verdicts with the evidence of earlier evaluations, the use, and notes."""
    checked, uses, notes = list(verdicts), [], []
    for guard in _guards(rules):
        tested = list(_tested(rules, cases, guard))
        notes += _outside(rules, guard)
        if not tested or all(case.before is None for _, case in tested):
            continue
        if memory is None:
            notes.append(f"the guard {guard} needs a store to count changes. Name one with --store, or set ASSAY_STORE")
        key, candidate = _key(guard, tested, name), _digest([_scores(rule, case.now) for rule, case in tested])
        entries = list(memory.entries(key)) if memory else []
        evidence = {_slot(rule, case): evidence_of(rule, case) for rule, case in tested} if guard.is_fresh else {}
        own = [verdict for verdict in checked if verdict.rule.terms.guard == guard and isinstance(verdict.rule, MarginRule)]
        is_new = candidate not in {known for known, _ in entries} and (guard.is_fresh or _is_another(own))
        if is_new and memory:
            memory.add(key, candidate, evidence)
        nights = [known for _, known in entries] + ([evidence] if is_new else [])
        if guard.is_fresh:
            checked = [_with_evidence(verdict, guard, nights) for verdict in checked]
        alpha = own[0].rule.terms.alpha if own else None
        uses.append(GuardUse(guard, len(entries) + is_new, alpha or 0.0, bool(is_new)))
        notes += [_use_text(uses[-1])] if memory else []
    return checked, uses, notes


def _guards(rules: Sequence[Rule]) -> list[Guard]:
    return list(dict.fromkeys(rule.terms.guard for rule in rules if rule.terms.guard))


def _tested(rules: Sequence[Rule], cases: Sequence[Case], guard: Guard) -> list[tuple[MarginRule, Case]]:
    """The tested rules of a guard, each with the results that it is about."""
    return [
        (rule, case.within(rule.terms.where) if rule.terms.where else case)
        for case in cases
        for rule in rules
        if isinstance(rule, MarginRule)
        and rule.terms.guard == guard
        and rule.terms.is_about(case.now.benchmark, case.now.name)
        and rule.bound.name in case.now
    ]


def _is_another(verdicts: Sequence[Verdict]) -> bool:
    """Whether the candidate differs from the baseline in a tested score."""
    return any(verdict.finding.status not in (SAME, SKIPPED) for verdict in verdicts)


def _key(guard: Guard, tested: Sequence[tuple[MarginRule, Case]], name: str) -> str:
    """A guard is about its tested rules and the scores of its baseline; with fresh queries, about the baseline's name."""
    rules = sorted({rule.text for rule, _ in tested})
    baseline: Any = [name, *BETS.tolist()] if guard.is_fresh else [_scores(rule, case.before) for rule, case in tested]
    return _digest([str(guard), guard.is_fresh, rules, baseline])


def _scores(rule: MarginRule, result: Any) -> Any:
    """The scores of a metric by query, rounded, in the order of the ids."""
    if result is None:
        return None
    column = np.asarray(result.table.columns[result.own_name(rule.bound.name)].score, dtype=float)
    known = {
        query: None if score != score else round(score, ROUNDED)
        for query, score in zip(result.query_ids, column.tolist(), strict=True)
    }
    return [result.benchmark, rule.text, sorted(known.items())]


def _digest(plain: Any) -> str:
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def _slot(rule: MarginRule, case: Case) -> str:
    return f"{case.now.benchmark}/{case.now.name}: {rule.text}"


def _with_evidence(verdict: Verdict, guard: Guard, nights: Sequence[Mapping[str, Night]]) -> Verdict:
    """The verdict of a tested rule by the evidence of all evaluations."""
    rule, finding = verdict.rule, verdict.finding
    if not isinstance(rule, MarginRule) or rule.terms.guard != guard or finding.status == SKIPPED:
        return verdict
    slot = f"{verdict.benchmark}/{verdict.provider}: {rule.text}"
    weighed = weigh([night[slot] for night in nights if slot in night], guard.chance, guard.changes)
    text = f"evidence of a drop {_amount(weighed.evidence)}, an alarm needs {_amount(1 / guard.chance)}"
    if weighed.is_alarm and weighed.drop > finding.limit:
        over = f"over the last {weighed.nights} evaluations" if weighed.nights > 1 else "in this evaluation"
        since = f"a mean drop of {show(float(f'{weighed.drop:.3g}'))} {over}"
        changed = replace(finding, status=FAILED, reason=f"{text}: {since}", sees="", needed=None)
    elif finding.status == UNDECIDED:
        changed = replace(finding, reason=f"undecided, {text}", sees="")
    else:
        changed = replace(finding, sees=text)
    return replace(verdict, finding=changed)


def _amount(evidence: float) -> str:
    """Two digits that matter; large evidence is only large."""
    if evidence > MOST_SHOWN:
        return f"over {MOST_SHOWN:,}"
    return f"{evidence:,.0f}" if evidence >= 10 else f"{evidence:.2g}"


def _outside(rules: Sequence[Rule], guard: Guard) -> list[str]:
    """A note about the rules that the guard does not cover, because only the observed value decides."""
    own = [rule for rule in rules if rule.terms.guard == guard and rule.terms.severity == FAIL]
    untested = [rule.text for rule in own if isinstance(rule, ChangeRule | LimitRule | QueryRule | RatchetRule)]
    doubtful = [rule.text for rule in own if isinstance(rule, MarginRule) and rule.terms.undecided == FAIL]
    notes = []
    if untested:
        notes.append(f"the guard does not cover rules without a test: {_listed(untested)}")
    if doubtful:
        notes.append(f"the guard does not cover undecided rules, which fail here: {_listed(doubtful)}")
    return notes


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MAX_LISTED]) + (" …" if len(texts) > MAX_LISTED else "")


def _use_text(use: GuardUse) -> str:
    unit = "evaluation" if use.guard.is_fresh else "different candidate"
    state = f"guard {use.guard}: {counted(use.used, unit)} of {use.guard.changes} checked"
    if use.used > use.guard.changes:
        return f"{state}, so its promise has ended. It starts again with a new baseline"
    return state if use.is_new else f"{state}; this one has known scores, so it does not count again"
