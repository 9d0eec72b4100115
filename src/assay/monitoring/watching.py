"""watching: rules held for the newest result of each series, one by one, so that what is wrong with one hides no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.errors import DataError, ProviderError
from assay.evaluation import Result
from assay.monitoring._gate import GateReport, case_of, refuse_pointless, refuse_total_failure, verdicts_of
from assay.monitoring.alerts import Alert, alerts_of_rules
from assay.monitoring.case import Case
from assay.monitoring.finding import SKIPPED
from assay.monitoring.history import Best
from assay.monitoring.pairing import Pairing, pair_results
from assay.monitoring.rule import Rule


@dataclass(frozen=True)
class Checked:
    """What is to be told, and what could not be checked, in words."""

    alerts: tuple[Alert, ...] = ()
    unchecked: tuple[str, ...] = ()
    """Rules that had nothing to compare with."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Newest:
    """The results of one evaluation, and which of them are the newest of their series."""

    results: tuple[Result, ...]
    is_newest: tuple[bool, ...]
    best: Best = field(default_factory=dict)
    """The best figures before this evaluation."""


def check_newest(
    evaluations: Sequence[Newest],
    baseline: Sequence[Result] | None,
    rules: Sequence[Rule],
    *,
    name: str = "the baseline",
) -> Checked:
    """Hold the newest results against rules; results of one evaluation pair with the baseline's as in the gate.

    A provider that answered nothing, and a baseline that cannot be compared, are alerts of that result alone. A rule about
    what no result has is an error, as in the gate.
    """
    newest = [
        result for one in evaluations for result, is_newest in zip(one.results, one.is_newest, strict=True) if is_newest
    ]
    refuse_pointless(rules, [Case(result) for result in newest])
    alerts: list[Alert] = []
    unchecked: list[str] = []
    notes: list[str] = []
    for one in evaluations:
        pairing, said = _paired(one, baseline, name)
        alerts += said
        notes += pairing.notes
        others = {id(result): other for result, other in pairing.pairs}
        for result, is_newest in zip(one.results, one.is_newest, strict=True):
            if is_newest:
                checked = _checked(result, others[id(result)], rules, name, one.best)
                alerts += checked.alerts
                unchecked += checked.unchecked
    return Checked(tuple(alerts), tuple(dict.fromkeys(unchecked)), tuple(dict.fromkeys(notes)))


def _paired(one: Newest, baseline: Sequence[Result] | None, name: str) -> tuple[Pairing, list[Alert]]:
    """The results with the baseline's; with none, and an alert, where nobody can say which is meant."""
    alone = Pairing(tuple((result, None) for result in one.results))
    if not baseline:
        return alone, []
    try:
        pairing = pair_results(one.results, baseline, name)
    except DataError as error:
        about = ", ".join(_about(result) for result in one.results)
        return alone, [_broken(about, error)]
    notes = [note for note in pairing.notes if not note.endswith(NOT_NOW)]
    return Pairing(pairing.pairs, tuple(notes)), []


NOT_NOW = "which was not evaluated now"
"""Of no interest here: each series has its newest result, from whichever evaluation."""


def _checked(result: Result, other: Result | None, rules: Sequence[Rule], name: str, best: Best) -> Checked:
    """One result. Where its baseline cannot be compared, rules that need none are still held."""
    try:
        refuse_total_failure(result)
    except ProviderError as error:
        said = f"{_about(result)}: {error}"
        details = {"benchmark": result.benchmark, "provider": result.name, "error": str(error)}
        return Checked((Alert(f"rule {_about(result)} every query failed", "failed", said, details),))
    broken: list[Alert] = []
    try:
        verdicts = verdicts_of(rules, [case_of(result, other, rules, name, best)])
    except DataError as error:
        broken = [_broken(_about(result), error)]
        verdicts = verdicts_of(rules, [case_of(result, None, rules, name, best)])
    skipped = [] if broken else [verdict.rule.text for verdict in verdicts if verdict.status == SKIPPED]
    return Checked((*broken, *alerts_of_rules(GateReport(tuple(verdicts)))), tuple(skipped))


def _broken(about: str, error: DataError) -> Alert:
    return Alert(f"rule {about} cannot be compared", "broken", f"{about}: cannot be checked: {error}", {"error": str(error)})


def _about(result: Result) -> str:
    return "/".join(filter(None, (result.benchmark, result.name)))
