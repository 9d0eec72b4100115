"""evaluate: judgments and a run in, a Result out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.datasets import as_source, grade_source
from assay.evaluation.result import Result
from assay.evaluation.scoring import score_views
from assay.metrics._metric import BoundMetric
from assay.metrics._parse import parse_metrics
from assay.model.grading import Grading, grade
from assay.model.policy import Policy
from assay.model.qrels import Qrels
from assay.model.run import Run, as_rankings


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Iterable[str | BoundMetric] | None = None,
    *,
    policy: Policy | None = None,
    name: str = "",
) -> Result:
    """Score a run against judgments. Both may be nested dicts, files, frames, records, or prepared `Qrels` and `Run`."""
    wanted = parse_metrics(metrics)
    policy = policy or Policy()
    judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    return score_grading(grade_run(judgments, run, policy), wanted, policy, name)


def grade_run(qrels: Qrels, run: Any, policy: Policy) -> Grading:
    """Grade a run in whatever shape it comes, the quickest way for that shape."""
    if isinstance(run, Run):
        return grade(run, qrels, policy)
    run = as_source(run)
    quick = None if isinstance(run, Mapping) else grade_source(run, qrels, policy)
    return quick or grade(Run.borrow(as_rankings(run, policy.duplicates)), qrels, policy)


def score_grading(grading: Grading, metrics: list[BoundMetric], policy: Policy, name: str) -> Result:
    """Apply metrics to a graded run."""
    return Result(
        name=name,
        table=score_views({"ranking": grading.run}, metrics),
        metrics=tuple(metrics),
        counts=grading.counts,
        policy=replace(policy, max_grade=grading.run.max_grade or None),
        missing=grading.missing,
        notes=_notes(grading),
    )


def _notes(grading: Grading) -> tuple[str, ...]:
    run = grading.run
    if grading.n_judged == len(grading.missing) and grading.n_extra:
        return ("not one query of the run is judged: do both use the same query ids?",)
    if run.n_retrieved.any() and not len(run.retrieved.rank):
        return ("not one retrieved document occurs in the judgments: do both use the same document ids?",)
    return ()
