"""Gating: check results against rules and a baseline; a verdict for each rule, and a report of all verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.comparison import RunNoise, check_comparable, shared_metrics
from assay.errors import (
    AssayError,
    DataError,
    GateFailed,
    NotComparable,
    ProviderError,
    UnknownName,
    UsageError,
    near_matches,
)
from assay.evaluation import NEXT_STEP, Result
from assay.experiments import OUTCOME, notes_on_decided, outcome_of, shared_outcome
from assay.metrics import BoundMetric
from assay.model import NONE, values_of
from assay.monitoring.case import Case, Pairing, pair_results
from assay.monitoring.change_rules import RatchetRule
from assay.monitoring.finding import FAILED, PASSED, SAME, SKIPPED, UNDECIDED, WARNED, Finding
from assay.monitoring.gate_clusters import clustered, notes_on_clusters
from assay.monitoring.gate_noise import noise_of, notes_on_unmeasured
from assay.monitoring.guard import GuardMemory, GuardUse, remember, with_guarded_alpha
from assay.monitoring.history import Best, best_before, series_of
from assay.monitoring.points import StoredPoint
from assay.monitoring.rule import Rule, at_place
from assay.monitoring.rule_file import parse_rules
from assay.monitoring.unjudged import UnjudgedCase, notes_on_unjudged_cases, unjudged_cases, with_judged_shares
from assay.monitoring.value_rules import QueryRule
from assay.monitoring.verdict import Verdict
from assay.text import shortened, some_of


@dataclass(frozen=True)
class GateReport:
    """The verdicts, in the order of results and rules; `is_passed` is true unless a rule failed."""

    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    baseline: str = ""
    """The name of the baseline; empty if there was none."""
    broken: str = ""
    """Why there are no verdicts."""
    exit_code_if_broken: int = field(default=DataError.exit_code, repr=False)
    unjudged: tuple[UnjudgedCase, ...] = ()
    """How far the grades of unjudged documents could move each difference."""
    guards: tuple[GuardUse, ...] = ()
    """How much of each guard is used."""
    noise: tuple[RunNoise, ...] = ()
    """The run-to-run noise in each compared metric, if queries were sent several times."""

    def count(self, status: str) -> int:
        """The number of verdicts with this status."""
        return sum(verdict.status == status for verdict in self.verdicts)

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The failed verdicts."""
        return tuple(verdict for verdict in self.verdicts if verdict.status == FAILED)

    @property
    def is_passed(self) -> bool:
        """Whether no rule failed and the gate is not broken."""
        return not self.broken and not self.failed

    @property
    def exit_code(self) -> int:
        """0: passed; 1: failed; 3, 4 or 6: broken."""
        return self.exit_code_if_broken if self.broken else 0 if self.is_passed else GateFailed.exit_code

    def raise_if_failed(self) -> None:
        """Raise `GateFailed` with the failed rules and the worst queries."""
        from assay.monitoring.wording import gate_text

        if not self.is_passed:
            raise GateFailed(gate_text(self))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        counts = {status: self.count(status) for status in (PASSED, SAME, FAILED, WARNED, UNDECIDED, SKIPPED)}
        return {
            "schema": "assay.gate/1",
            "passed": self.is_passed,
            "exit_code": self.exit_code,
            "broken": self.broken or None,
            "baseline": self.baseline or None,
            "counts": counts,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "guards": [use.to_dict() for use in self.guards],
            "notes": list(self.notes),
            "unjudged": [case.to_dict() for case in self.unjudged],
            **({"noise": [noise.to_dict() for noise in self.noise]} if self.noise else {}),
        }


def gate(
    current: Result | Sequence[Result],
    baseline: Result | Sequence[Result] | None,
    rules: str | Rule | Mapping[str, Any] | Iterable[Any],
    *,
    name: str = "the baseline",
    best: Best | None = None,
    renewal: str = "",
    residuals: bool = False,
    memory: GuardMemory | None = None,
    cluster: str | None = None,
) -> GateReport:
    """Check results against rules and, if there is one, a baseline. Results are paired by benchmark, then by provider.

    A baseline with other data or conventions is a DataError that names the difference; the error ends with the command that
    creates a new baseline, if it is given. `best` has the best values so far, for ratchet rules. `memory` remembers the
    candidates of guards: a store. Rules are texts, maps, or what `parse_rule` returns. With `residuals`, notes have the
    range of every difference over the grades of unjudged documents, not only if a verdict could be reversed. `cluster` is a
    tag: queries that share its value are tested together.
    """
    now, before = _results(current, "current"), [] if baseline is None else _results(baseline, "baseline")
    parsed = parse_rules(rules, recorded=lambda: metrics_of(now))
    if not now:
        raise UsageError("there is no result to check")
    now = with_judged_shares(now, parsed)
    pairing = pair_results(now, before, name) if before else None
    cases = clustered(cases_of(now, pairing, parsed, name, best, renewal), parsed, cluster)
    notes = [*notes_on_clusters(cases), *(pairing.notes + pairing.baseline_notes if pairing else ()), *_version_notes(cases)]
    verdicts, uses, use_notes = remember(parsed, cases, verdicts_of(parsed, cases), name, memory)
    unjudged = unjudged_cases(parsed, cases, thorough=residuals)
    noise = tuple(noise_of(parsed, cases, name))
    notes += [*dict.fromkeys(notes_on_unjudged_cases(unjudged, verdicts, every=residuals)), *use_notes]
    notes += [*(some.sentence for some in noise if some.sentence), *notes_on_unmeasured(cases, name)]
    notes += _notes_on_experiments(parsed, cases, name)
    report = GateReport(tuple(verdicts), tuple(notes), name if before else "", noise=noise)
    return replace(report, unjudged=tuple(unjudged), guards=tuple(uses))


def cases_of(
    now: Sequence[Result],
    pairing: Pairing | None,
    rules: Sequence[Rule],
    name: str = "the baseline",
    best: Best | None = None,
    renewal: str = "",
) -> list[Case]:
    """The results with their baselines; an error if they cannot be compared, or if a rule is about none of them."""
    for result in now:
        check_not_all_failed(result)
        _check_has_verdict(result)
    pairs = pairing.pairs if pairing else tuple((result, None) for result in now)
    cases = [case_of(result, other, rules, name, best or {}, renewal) for result, other in pairs]
    check_rules_apply(rules, cases)
    return cases


def metrics_of(current: Result | Sequence[Result]) -> list[BoundMetric]:
    """All metrics of the results to check."""
    return [metric for result in _results(current, "current") for metric in result.metrics]


def _results(value: Any, name: str) -> list[Result]:
    """A list of results; anything that is not a result or a list of results is a UsageError."""
    results = [value] if isinstance(value, Result) else list(value) if isinstance(value, list | tuple) else None
    if results is None or not all(isinstance(result, Result) for result in results):
        raise UsageError(
            f"{name} must be a result of assay.evaluate or assay.run, or a list of results, not {shortened(value)}. "
            "For plain values, use detect_metric_anomalies"
        )
    return results


def verdicts_of(rules: Sequence[Rule], cases: Sequence[Case]) -> list[Verdict]:
    """The verdict of each rule for each result that it applies to."""
    guarded = with_guarded_alpha(rules, cases)
    return [
        Verdict(rule, case.now.benchmark, case.now.name, _check_rule(rule, case), case.before.name if case.before else "")
        for case in cases
        for rule in guarded
        if rule.terms.is_about(case.now.benchmark, case.now.name) and _is_applicable(rule, case)
    ]


def check_not_all_failed(result: Result) -> None:
    """Raise a ProviderError if every query failed: the provider is broken, which is not the same as worse."""
    if result.is_total_failure:
        query, why = next(iter(result.failures.items()))
        first = f"The first error, for {query}: {why}"
        raise ProviderError(f"every query failed, so there is nothing to check. {first}", source=result.name)


def _check_has_verdict(result: Result) -> None:
    """Raise a DataError for an experiment whose variants are not comparable, or that nobody took part in."""
    if OUTCOME not in result.provenance:
        return
    outcome, source = outcome_of(result), result.benchmark or result.name
    if outcome is None:
        raise DataError("the experiment is damaged, so its verdict is not known. Compare the log again", source=source)
    if outcome.withheld:
        raise DataError(f"the experiment has no verdict: {outcome.withheld}", source=source)


def case_of(now: Result, before: Result | None, rules: Sequence[Rule], name: str, best: Best, renewal: str = "") -> Case:
    """A result and its baseline on the same queries in the same order; a DataError if they cannot be compared."""
    known = {metric: figure for (benchmark, provider, metric), figure in best.items() if (benchmark, provider) == _key(now)}
    if before is None:
        return Case(now, None, known)
    about = [rule for rule in rules if rule.terms.is_about(now.benchmark, now.name)]
    compared_rules = [rule for rule in about if rule.metric and rule.needs_baseline and rule.metric.name in now]
    for rule in compared_rules:
        if rule.metric and rule.metric.name not in before:
            there = some_of(list(before.summary), 10)
            raise at_place(
                DataError(f"{name} has no {rule.metric.name} (it has {there}). Bless a result that has it"),
                rule.terms.place,
            )
    metrics = [rule.metric for rule in compared_rules if rule.metric]
    sides = [before.renamed(name), now.renamed("this result")]
    try:
        check_comparable(sides, shared_metrics(sides, metrics) if metrics else ())
    except AssayError as error:
        message = "; ".join(error.differences) if isinstance(error, NotComparable) else str(error)
        renewed = (
            f"To make this result the baseline: {renewal}" if renewal else "Create a new baseline on the data of this result"
        )
        raise DataError(f"{name} cannot be compared with this result: {message.rstrip('.')}. {renewed}") from None
    case = Case(now, before, known, outcome=shared_outcome(before, now))
    return case if case.has_own_rows else replace(case, before=before.subset(queries=now.query_ids))


def _key(result: Result) -> tuple[str, str]:
    return result.benchmark, result.name


def check_rules_apply(rules: Sequence[Rule], cases: Sequence[Case]) -> None:
    """Raise an error for a rule about a metric, a tag or a benchmark that no result has, because it is a typo."""
    for rule in rules:
        about = [case for case in cases if rule.terms.is_about(case.now.benchmark, case.now.name)]
        if not about:
            known = sorted({name for case in cases for name in (*_key(case.now), "/".join(_key(case.now))) if name})
            error: AssayError = UnknownName(
                "result", rule.terms.on, near_matches(rule.terms.on, known), f"choose from {', '.join(known)}"
            )
            raise at_place(error, rule.terms.place)
        if rule.metric and not any(rule.metric.name in case.now for case in about):
            known = list(about[0].now.summary)
            near = near_matches(rule.metric.name, known)
            hint = f"choose from {', '.join(known)}"
            raise at_place(UnknownName("metric of these results", rule.metric.name, near, hint), rule.terms.place)
        _check_tags_known(rule, about)


def _check_tags_known(rule: Rule, cases: Sequence[Case]) -> None:
    """Raise an error for tags and values that no query has."""
    for tag, values in rule.terms.where:
        known = {value for case in cases for tags in case.tags.by_query.values() for value in values_of(tags, tag)}
        if not known - {NONE}:
            names = sorted({name for case in cases for name in case.tags.names})
            raise at_place(UnknownName("tag", tag, near_matches(tag, names), _known_names(names)), rule.terms.place)
        for value in values:
            if value not in known:
                near = near_matches(value, known)
                raise at_place(UnknownName(f"value of {tag}", value, near, _known_names(sorted(known))), rule.terms.place)


def _known_names(names: Sequence[str]) -> str:
    return f"choose from {', '.join(names[:10])}{' …' if len(names) > 10 else ''}" if names else "the queries have no tags"


def _is_applicable(rule: Rule, case: Case) -> bool:
    """Whether this result has the metric and the tags of the rule. At least one result has them."""
    if rule.metric and rule.metric.name not in case.now:
        return False
    return not rule.terms.where or bool(case.within(rule.terms.where).n_queries)


def check_has_judgments(rule: Rule, result: Result) -> None:
    """Raise a DataError if a rule needs judgments and the result has none: a gate must not pass because nothing is known."""
    if not result.is_unjudged:
        return
    name = rule.metric.name if rule.metric else ""
    is_about_time = rule.metric is not None and rule.metric.metric.view == "timing"
    if isinstance(rule, QueryRule) or (name and math.isnan(result.summary.get(name, 0.0)) and not is_about_time):
        what = f"{name or 'a hit'} needs judgments, and the queries of {result.benchmark or 'the result'} have none"
        raise DataError(f"{what}, so the rule cannot be checked. To choose what to judge: {NEXT_STEP}", source=result.name)


def _check_rule(rule: Rule, case: Case) -> Finding:
    try:
        check_has_judgments(rule, case.now)
        finding = rule.check(case.within(rule.terms.where) if rule.terms.where else case)
        unit = case.compared_unit(rule.metric) if rule.needs_baseline and rule.metric else case.unit
        return finding if unit == finding.unit else replace(finding, unit=unit)
    except AssayError as error:
        raise at_place(error, rule.terms.place) from None


def _notes_on_experiments(rules: Sequence[Rule], cases: Sequence[Case], name: str) -> list[str]:
    """Notes on the metrics that rules compare between variants of an experiment; equal notes once."""
    notes: list[str] = []
    for case in cases:
        about = [rule for rule in rules if rule.needs_baseline and rule.terms.is_about(case.now.benchmark, case.now.name)]
        metrics = dict.fromkeys(rule.metric.name for rule in about if rule.metric and not rule.terms.where)
        known = [metric for metric in metrics if metric in case.now]
        notes += [] if case.before is None else notes_on_decided(case.before, case.now, known, name)
    return list(dict.fromkeys(notes))


def _version_notes(cases: Sequence[Case]) -> list[str]:
    """A note if the baseline was created by another version, which may score differently."""
    notes = []
    for case in cases:
        versions = [result.provenance.get("assay") for result in (case.before, case.now) if result is not None]
        if len(versions) == 2 and all(versions) and versions[0] != versions[1]:
            created = f"the baseline was created with assay {versions[0]} and this result with assay {versions[1]}"
            notes.append(f"{created}, which may score differently")
    return list(dict.fromkeys(notes))


def broken_gate(error: AssayError, baseline: str = "") -> GateReport:
    """The report of a gate that could not be checked, so that output files say so too."""
    return GateReport((), (), baseline, str(error), error.exit_code)


def best_so_far(
    rules: Iterable[Rule], history: Callable[[str], Iterable[StoredPoint]], evaluation: str
) -> dict[tuple[str, str, str], float]:
    """Benchmark, provider and metric → the best value before an evaluation, on the same data.

    `history` returns the points of a metric, like `Store.history`; it is called only if there are ratchet rules.
    """
    metrics = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, RatchetRule)}
    return best_before([series for name, bound in metrics.items() for series in series_of(history(name), bound)], evaluation)
