"""Notes of a gate on experiments: which differences are those of an experiment, and which ones could not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.comparison import Pair
from assay.evaluation import Result
from assay.experiments.decided_pairs import decided_pair, shared_outcome
from assay.experiments.experiment import Experiment
from assay.experiments.outcome_results import OUTCOME
from assay.experiments.variant_difference import ESTIMATION_METHODS


def notes_on_decided(before: Result, now: Result, metrics: Sequence[str], baseline: str) -> Iterator[str]:
    """Notes on the metrics on which a gate compares `now` with `before`, which it calls `baseline`."""
    outcome = shared_outcome(before, now)
    if outcome is None:
        if metrics and any(OUTCOME in result.provenance for result in (before, now)):
            yield f"the baseline {baseline} is not of the same experiment, so the values without adjustment are compared"
        return
    if before.name == now.name:
        return
    known = {metric: decided_pair(outcome, metric, before, now) for metric in metrics}
    if isinstance(outcome, Experiment):
        yield from _how_decided(outcome, [pair for pair in known.values() if pair is not None])
    if others := ", ".join(metric for metric, pair in known.items() if pair is None):
        what = f"did not compare {now.name} with {before.name} on {others}"
        yield f"the experiment {outcome.name} {what}, so the values without adjustment are compared"


def _how_decided(experiment: Experiment, pairs: Sequence[Pair]) -> Iterator[str]:
    """How the experiment estimated these differences, and which p is corrected."""
    for method in dict.fromkeys(pair.interval for pair in pairs):
        metrics = ", ".join(pair.metric for pair in pairs if pair.interval == method)
        yield f"{metrics}: as in the experiment {experiment.name} ({ESTIMATION_METHODS[method]})"
    corrected = ", ".join(pair.metric for pair in pairs if pair.is_in_family)
    if corrected and experiment.n_comparisons > 1:
        yield f"{corrected}: p is corrected for the {experiment.n_comparisons} comparisons of the experiment"
