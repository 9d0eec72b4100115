"""Guard: a bound on the chance that any of many equally good versions fails, over all tested rules of a file.

guard: 5% over 100 changes     each different candidate may fail by chance with 5 % ÷ 100, divided over the tested rules
queries: fresh                 every evaluation draws new queries, so evidence adds up over evaluations instead

A guard covers `not worse by` rules about means, with fresh queries only those whose metric has a largest value. Each result
that a rule is about counts as one more rule.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

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
    from assay.evaluation import Result
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
    """The rules, where each covered rule has its share of the error rate of its guard; without cases, for one result."""
    guarded: list[Rule] = []
    for rule in rules:
        guard = rule.terms.guard
        if guard is None or not _is_covered(rule, guard):
            guarded.append(rule)
            continue
        share = chance_of_each(rules, cases, guard) / (1 if guard.is_fresh else guard.changes)
        alpha = None if guard.is_fresh else min(share, (1 - rule.level) / 2)
        guarded.append(replace(rule, terms=replace(rule.terms, alpha=alpha, by_evidence=guard.is_fresh)))
    return guarded


def chance_of_each(rules: Sequence[Rule], cases: Sequence[Case], guard: Guard) -> float:
    """The chance of the guard, divided by the number of covered rules × results; without cases, for one result."""
    n = len(_tested(rules, cases, guard)) if cases else sum(_is_covered(rule, guard) for rule in rules)
    return guard.chance / max(1, n)


def _is_covered(rule: Rule, guard: Guard) -> TypeGuard[MarginRule]:
    """Whether the guard bounds how often the rule fails."""
    if not isinstance(rule, MarginRule) or rule.terms.guard != guard or not rule.is_about_mean:
        return False
    low, high = rule.bound.metric.range
    return not guard.is_fresh or math.isfinite(high - low)


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
        chance = chance_of_each(rules, cases, guard)
        key, candidate = _key(guard, tested, name), _digest([_scores(rule, case.now) for rule, case in tested])
        entries = list(memory.entries(key)) if memory else []
        evidence = {_slot(rule, case): evidence_of(rule, case) for rule, case in tested} if guard.is_fresh else {}
        own = [verdict for verdict in checked if _is_covered(verdict.rule, guard)]
        is_new = candidate not in {known for known, _ in entries} and (guard.is_fresh or _is_another(own))
        if is_new and memory:
            memory.add(key, candidate, evidence)
        if guard.is_fresh:
            nights = _until(candidate, [*entries, *([(candidate, evidence)] if is_new else [])])
            checked = [_with_evidence(verdict, guard, chance, nights) for verdict in checked]
        alpha = own[0].rule.terms.alpha if own else None
        uses.append(GuardUse(guard, len(entries) + is_new, math.nan if alpha is None else alpha, bool(is_new)))
        notes += [_use_text(uses[-1])] if memory else []
    return checked, uses, notes


def _guards(rules: Sequence[Rule]) -> list[Guard]:
    return list(dict.fromkeys(rule.terms.guard for rule in rules if rule.terms.guard))


def _tested(rules: Sequence[Rule], cases: Sequence[Case], guard: Guard) -> list[tuple[MarginRule, Case]]:
    """The covered rules of a guard, each with the results that it is about."""
    return [
        (rule, case.within(rule.terms.where) if rule.terms.where else case)
        for case in cases
        for rule in rules
        if _is_covered(rule, guard)
        and rule.terms.is_about(case.now.benchmark, case.now.name)
        and rule.bound.name in case.now
    ]


def _is_another(verdicts: Sequence[Verdict]) -> bool:
    """Whether the candidate differs from the baseline in a tested score."""
    return any(verdict.finding.status not in (SAME, SKIPPED) for verdict in verdicts)


def _key(guard: Guard, tested: Sequence[tuple[MarginRule, Case]], name: str) -> str:
    """A guard is about its tested rules and the scores of its baseline; with fresh queries, about the baseline system.

    With fresh queries the scores of the same baseline differ in every evaluation, so its name, configuration and code count.
    """
    if guard.is_fresh:
        systems = sorted({(_slot(rule, case), _system(case.before)) for rule, case in tested})
        return _digest([str(guard), name, systems, BETS.tolist()])
    rules = sorted({rule.text for rule, _ in tested})
    return _digest([str(guard), rules, [_scores(rule, case.before) for rule, case in tested]])


def _system(result: Result | None) -> str:
    """What makes a system another one, as far as it is recorded: its name, configuration, chunker and code version."""
    if result is None:
        return ""
    recorded = result.provenance
    provider, chunks, repository = (recorded.get(part) or {} for part in ("provider", "chunks", "repository"))
    plain = [result.name, provider, chunks.get("chunker"), repository.get("commit")]
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, default=str)


def _until(candidate: str, entries: Sequence[tuple[str, Mapping[str, Night]]]) -> list[Mapping[str, Night]]:
    """What the evaluations say up to this one, so that an evaluation that is checked again keeps its verdict."""
    known = [name for name, _ in entries]
    end = known.index(candidate) + 1 if candidate in known else len(known)
    return [night for _, night in entries[:end]]


def _scores(rule: MarginRule, result: Result | None) -> Any:
    """The scores of a metric by query with their weights, or the parts of a composed value; rounded, ordered by the ids."""
    if result is None:
        return None
    column = result.table.columns[result.own_name(rule.bound.name)]
    figures = np.column_stack([np.asarray(column.score, dtype=float), column.weight]).tolist()
    known = {
        query: [None if figure != figure else round(figure, ROUNDED) for figure in row]
        for query, row in zip(result.query_ids, figures, strict=True)
    }
    return [result.benchmark, rule.text, sorted(known.items())]


def _digest(plain: Any) -> str:
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def _slot(rule: MarginRule, case: Case) -> str:
    return f"{case.now.benchmark}/{case.now.name}: {rule.text}"


def _with_evidence(verdict: Verdict, guard: Guard, chance: float, nights: Sequence[Mapping[str, Night]]) -> Verdict:
    """The verdict of a tested rule by the evidence of all evaluations; `chance` is the share of this rule and result.

    Old evidence alone never fails: the drop of the newest evaluation must be larger than the margin too.
    """
    rule, finding = verdict.rule, verdict.finding
    if not _is_covered(rule, guard) or finding.status == SKIPPED:
        return verdict
    slot = f"{verdict.benchmark}/{verdict.provider}: {rule.text}"
    weighed = weigh([night[slot] for night in nights if slot in night], chance, guard.changes)
    text = f"evidence of a drop {_amount(weighed.evidence)}, an alarm needs {_amount(1 / chance)}"
    if weighed.is_closed:
        text = "the evidence of the earlier drop ends here, because this evaluation has no drop"
    elif weighed.is_alarm and weighed.newest <= finding.limit:
        text += ", but the drop of this evaluation is not above the margin"
    if weighed.is_alarm and min(weighed.drop, weighed.newest) > finding.limit:
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
    other = [rule for rule in own if isinstance(rule, MarginRule) and not _is_covered(rule, guard)]
    no_mean = [rule.text for rule in other if not rule.is_about_mean]
    endless = [rule.text for rule in other if rule.is_about_mean]
    notes = []
    if no_mean:
        notes.append(f"the guard does not cover rules about values that are not means: {_listed(no_mean)}")
    if endless:
        notes.append(
            f"evidence does not add up for metrics without a largest value, so each evaluation decides: {_listed(endless)}"
        )
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
        again = "another baseline system" if use.guard.is_fresh else "a new baseline"
        return f"{state}, so its promise has ended. It starts again with {again}"
    return state if use.is_new else f"{state}; this one has known scores, so it does not count again"
