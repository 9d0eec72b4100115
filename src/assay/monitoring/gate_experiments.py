"""Experiments in a gate: a note on which differences are those of an experiment, and on which ones could not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.experiments import ESTIMATION_METHODS, OUTCOME, Experiment
from assay.metrics import BoundMetric
from assay.monitoring.case import Case
from assay.monitoring.rule import Rule


def notes_on_experiments(rules: Sequence[Rule], cases: Sequence[Case], name: str) -> list[str]:
    """Notes on the compared metrics of each case; equal notes once. `name` is the baseline."""
    notes = (note for case in cases if case.before is not None for note in _notes(_compared(rules, case), case, name))
    return list(dict.fromkeys(notes))


def _compared(rules: Sequence[Rule], case: Case) -> list[BoundMetric]:
    """The metrics that rules compare with the baseline."""
    about = [rule for rule in rules if rule.needs_baseline and rule.terms.is_about(case.now.benchmark, case.now.name)]
    metrics = {rule.metric.name: rule.metric for rule in about if rule.metric and not rule.terms.where}
    return [metric for metric in metrics.values() if metric.name in case.now]


def _notes(metrics: Sequence[BoundMetric], case: Case, name: str) -> Iterator[str]:
    if not metrics or case.before is None or case.before.name == case.now.name:
        return
    decided = [metric for metric in metrics if case.decided(metric) is not None]
    if isinstance(case.outcome, Experiment):
        yield from _how_decided(case.outcome, case, decided)
    names = ", ".join(metric.name for metric in metrics if metric not in decided)
    if case.outcome is not None and names:
        who = f"{case.now.name} with {case.before.name} on {names}"
        yield f"the experiment {case.outcome.name} did not compare {who}, so the values without adjustment are compared"
    elif case.outcome is None and any(OUTCOME in result.provenance for result in (case.before, case.now)):
        who = f"{case.now.name} and the baseline {name} are not variants of one experiment"
        yield f"{who}, so the values without adjustment are compared"


def _how_decided(experiment: Experiment, case: Case, metrics: Sequence[BoundMetric]) -> Iterator[str]:
    """How the experiment estimated these metrics, and which p is corrected."""
    pairs = [pair for metric in metrics if (pair := case.decided(metric)) is not None]
    for method in dict.fromkeys(pair.interval for pair in pairs):
        of = ", ".join(pair.metric for pair in pairs if pair.interval == method)
        yield f"{of}: as in the experiment {experiment.name} ({ESTIMATION_METHODS[method]})"
    if experiment.n_comparisons > 1 and (corrected := [pair.metric for pair in pairs if pair.is_in_family]):
        yield f"{', '.join(corrected)}: p is corrected for the {experiment.n_comparisons} comparisons of the experiment"
