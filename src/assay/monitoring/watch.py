"""Watch: check the newest result of each series against rules, and create alerts, each of which is sent once.

A problem in one series does not hide problems in others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from assay.errors import DataError, ProviderError
from assay.evaluation import Result
from assay.monitoring.case import Case, Pairing, pair_results
from assay.monitoring.finding import FAILED, SKIPPED, WARNED
from assay.monitoring.gating import GateReport, case_of, check_not_all_failed, check_rules_apply, verdicts_of
from assay.monitoring.guard import GuardMemory, remember
from assay.monitoring.history import Best, Series
from assay.monitoring.marks import change_details, change_values
from assay.monitoring.rule import Rule
from assay.monitoring.steps import SPIKE
from assay.monitoring.wording import moved_text
from assay.text import counted


@dataclass(frozen=True)
class WatchReport:
    """Alerts, and what could not be checked."""

    alerts: tuple[Alert, ...] = ()
    unchecked: tuple[str, ...] = ()
    """Rules without a baseline to compare with."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class NewestResults:
    """The results of one evaluation, and whether each is the newest of its series."""

    results: tuple[Result, ...]
    is_newest: tuple[bool, ...]
    best: Best = field(default_factory=dict)
    """The best values before this evaluation."""


def check_newest(
    evaluations: Sequence[NewestResults],
    baseline: Sequence[Result] | None,
    rules: Sequence[Rule],
    *,
    name: str = "the baseline",
    memory: GuardMemory | None = None,
) -> WatchReport:
    """Check the newest results against rules; the results of one evaluation are paired with the baseline as in the gate.

    Guards count as in the gate, with all results of the evaluation, so a candidate that the gate has counted does not count
    again. A provider that failed on every query, and a baseline that cannot be compared, are alerts for that result only. A
    rule about something that no result has is an error, as in the gate.
    """
    newest = [
        result
        for evaluation in evaluations
        for result, is_newest in zip(evaluation.results, evaluation.is_newest, strict=True)
        if is_newest
    ]
    check_rules_apply(rules, [Case(result) for result in newest])
    alerts: list[Alert] = []
    unchecked: list[str] = []
    notes: list[str] = []
    for evaluation in evaluations:
        pairing, pairing_alerts = _paired(evaluation, baseline, name)
        alerts += pairing_alerts
        notes += pairing.notes
        checked = _check_evaluation(evaluation, pairing, rules, name, memory)
        alerts += checked.alerts
        unchecked += checked.unchecked
        notes += checked.notes
    return WatchReport(tuple(alerts), tuple(dict.fromkeys(unchecked)), tuple(dict.fromkeys(notes)))


def _paired(newest: NewestResults, baseline: Sequence[Result] | None, name: str) -> tuple[Pairing, list[Alert]]:
    """The results with their baselines; without baselines, and with an alert, if the choice is unclear."""
    alone = Pairing(tuple((result, None) for result in newest.results))
    if not baseline:
        return alone, []
    try:
        return pair_results(newest.results, baseline, name), []
    except DataError as error:
        about = ", ".join(_about_result(result) for result in newest.results)
        return alone, [_broken_alert(about, error)]


def _check_evaluation(
    evaluation: NewestResults, pairing: Pairing, rules: Sequence[Rule], name: str, memory: GuardMemory | None
) -> WatchReport:
    """Check the newest results of an evaluation. A guard is about all results, so its rules are checked on all of them."""
    others = {id(result): other for result, other in pairing.pairs}
    has_guard = any(rule.terms.guard for rule in rules)
    alerts: dict[tuple[str, str], list[Alert]] = {}
    newest: list[tuple[str, str]] = []
    cases: list[Case] = []
    for result, is_newest in zip(evaluation.results, evaluation.is_newest, strict=True):
        newest += [(result.benchmark, result.name)] if is_newest else []
        if is_newest or has_guard:
            case, alert = _case_or_alert(result, others[id(result)], rules, name, evaluation.best)
            cases += [case] if case else []
            alerts[result.benchmark, result.name] = [alert] if alert else []
    verdicts, _, notes = remember(rules, cases, verdicts_of(rules, cases), name, memory)
    skipped: list[str] = []
    for who in newest:
        own = tuple(verdict for verdict in verdicts if (verdict.benchmark, verdict.provider) == who)
        skipped += [] if alerts[who] else [verdict.rule.text for verdict in own if verdict.status == SKIPPED]
        alerts[who] += alerts_of_rules(GateReport(own))
    return WatchReport(tuple(alert for who in newest for alert in alerts[who]), tuple(skipped), tuple(notes))


def _case_or_alert(
    result: Result, other: Result | None, rules: Sequence[Rule], name: str, best: Best
) -> tuple[Case | None, Alert | None]:
    """A result with its baseline; an alert and no baseline if it cannot be compared, only an alert if every query failed."""
    try:
        check_not_all_failed(result)
        return case_of(result, other, rules, name, best), None
    except ProviderError as error:
        message = f"{_about_result(result)}: {error.what}"
        details = {"benchmark": result.benchmark, "provider": result.name, "error": str(error)}
        return None, Alert(f"rule {_about_result(result)} every query failed", "failed", message, details)
    except DataError as error:
        return case_of(result, None, rules, name, best), _broken_alert(_about_result(result), error)


def _broken_alert(about: str, error: DataError) -> Alert:
    return Alert(f"rule {about} cannot be compared", "broken", f"{about}: {error}", {"error": str(error)})


def _about_result(result: Result) -> str:
    return "/".join(filter(None, (result.benchmark, result.name)))


# Alerts

SHOWN_QUERIES = 3


@dataclass(frozen=True)
class Alert:
    """One event. `key` stays the same as long as the event lasts."""

    key: str
    kind: str
    """`rule`, `step`, `spike`, `drift`, `failed` (every query failed) or `broken` (cannot be compared)."""
    text: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"key": self.key, "kind": self.kind, "text": self.text, **self.details}


def alerts_of_rules(report: GateReport) -> list[Alert]:
    """One alert for each rule and result that failed or warned. It stays the same until the rule passes again."""
    alerts = []
    for verdict in report.verdicts:
        if verdict.status not in (FAILED, WARNED):
            continue
        about = "/".join(filter(None, (verdict.benchmark, verdict.provider)))
        moved = "".join(f"\n  {moved_text(query)}" for query in verdict.finding.moved[:SHOWN_QUERIES])
        text = f"{verdict.mark} {about}: {verdict.rule.text}: {verdict.summary}{moved}"
        alerts.append(Alert(f"rule {about} {verdict.rule.text}", "rule", text, verdict.to_dict()))
    return alerts


def alerts_of_series(series: Iterable[Series]) -> list[Alert]:
    """The newest change of each series, if it is worse; it stays the same until the next change."""
    alerts = []
    for metric_series in series:
        if not metric_series.changes or not metric_series.changes[-1].is_worse:
            continue
        change = metric_series.changes[-1]
        if change.kind == SPIKE:
            continue  # the values have returned
        about = "/".join(filter(None, (metric_series.benchmark, metric_series.provider)))
        metric, evaluation = metric_series.metric, change.point.evaluation
        values = change_values(change, metric_series.bound)
        moved = f"is {change.direction} on these queries" if change.is_only_seen else "got worse"
        head = f"{about}: {metric} {moved}: {values}, a {change.kind} in {evaluation}"
        details = {
            "benchmark": metric_series.benchmark,
            "provider": metric_series.provider,
            "metric": metric,
            **change.to_dict(),
        }
        details["change"] = details.pop("kind")
        text = "".join([head, *(f"\n  {line}" for line in change_details(change))])
        alerts.append(Alert(f"change {about} {metric} {evaluation}", change.kind, text, details))
    return alerts


def unsent_alerts(alerts: Sequence[Alert], sent: Collection[str]) -> list[Alert]:
    """Alerts that have not been sent yet, each once."""
    known = set(sent)
    return list({alert.key: alert for alert in alerts if alert.key not in known}.values())


def lasting_keys(alerts: Sequence[Alert], sent: Iterable[str]) -> list[str]:
    """Keys to remember: those of rules while they fail, so that a later failure is sent again; those of changes always."""
    lasting = {alert.key for alert in alerts}
    return [key for key in dict.fromkeys(sent) if key in lasting or key.startswith("change ")]


def alert_message(alerts: Sequence[Alert]) -> dict[str, Any]:
    """The content of a webhook call: `text` for Slack and similar services, and the alerts as data.

    In such text, & < and > are escaped, because markup in a query could notify everyone on a channel.
    """
    head = f"assay: {counted(len(alerts), 'alert')}"
    text = "\n".join([head, *(f"• {alert.text}" for alert in alerts)])
    return {"text": escape(text), "alerts": [alert.to_dict() for alert in alerts]}
