"""Run-to-run noise in a gate: in the metrics that rules compare with the baseline, and noise that was not measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.comparison import RunNoise, noise_in, unmeasured_noise
from assay.monitoring.case import Case
from assay.monitoring.rule import Rule


def noise_of(rules: Sequence[Rule], cases: Sequence[Case], name: str) -> Iterator[RunNoise]:
    """The noise in the difference to the baseline, on each metric that a rule compares; nothing without repeats."""
    for case in cases:
        if case.before is None:
            continue
        about = [rule for rule in rules if rule.needs_baseline and rule.terms.is_about(case.now.benchmark, case.now.name)]
        metrics = {rule.metric.name: rule.metric for rule in about if rule.metric}
        for metric in metrics.values():
            if metric.name not in case.now or metric.name not in case.before:
                continue
            if (noise := noise_in(metric, case.before.renamed(name), case.now)) is not None:
                yield noise


def notes_on_unmeasured(cases: Sequence[Case], name: str) -> list[str]:
    """A note if the baseline has the same configuration but other rankings, and nothing was repeated."""
    both = [(case.before.renamed(name), case.now) for case in cases if case.before is not None]
    return [note for before, now in both for note in unmeasured_noise([before, now], [(name, now.name)])]
