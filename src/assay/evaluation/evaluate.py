"""evaluate: judgments and a run in, a Result out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.datasets import FileSource, as_source, grade_source
from assay.errors import BadParameter, UsageError
from assay.evaluation.result import Result
from assay.evaluation.scoring import score_views
from assay.metrics._metric import BoundMetric
from assay.metrics._param import GAIN_LEVEL
from assay.metrics._parse import parse_metrics
from assay.model.grading import Grading, grade
from assay.model.policy import Policy
from assay.model.qrels import Qrels
from assay.model.run import Run, as_rankings
from assay.text import shortened


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
    policy = Policy() if policy is None else policy
    if not isinstance(policy, Policy):
        raise BadParameter(f"policy is a Policy, such as Policy(ties='docid_asc'), not {shortened(policy)}")
    if isinstance(qrels, Run) or isinstance(run, Qrels):
        raise UsageError("judgments come first, then the run: evaluate(qrels, run)")
    judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    run = as_source(run)
    grading = grade_run(judgments, run, policy)
    return score_grading(grading, wanted, policy, name, notes_on(grading, judgments, run, policy))


def grade_run(qrels: Qrels, run: Any, policy: Policy) -> Grading:
    """Grade a run in whatever shape it comes, the quickest way for that shape."""
    if isinstance(run, Run):
        return grade(run, qrels, policy)
    quick = None if isinstance(run, Mapping) else grade_source(run, qrels, policy)
    return quick or grade(Run.borrow(as_rankings(run, policy.duplicates)), qrels, policy)


def score_grading(
    grading: Grading, metrics: list[BoundMetric], policy: Policy, name: str, notes: tuple[str, ...] = ()
) -> Result:
    """Apply metrics to a graded run."""
    return Result(
        name=name,
        table=score_views({"ranking": grading.run}, metrics),
        metrics=tuple(metrics),
        counts=grading.counts,
        policy=replace(policy, max_grade=grading.run.max_grade or None),
        missing=grading.missing,
        notes=(*notes, *_level_notes(metrics, policy)),
    )


def notes_on(grading: Grading, qrels: Qrels, run: Any, policy: Policy) -> tuple[str, ...]:
    """What hints at a mistake: ids that never match, grades beyond the scale."""
    found = []
    if grading.n_judged == len(grading.missing) and grading.n_extra:
        found.append("not one query of the run is judged: do both use the same query ids?")
    elif grading.run.n_retrieved.any() and not len(grading.run.retrieved.rank):
        found.append(f"not one retrieved document occurs in the judgments{_example_ids(qrels, run)}.")
    if policy.max_grade is not None and qrels.max_grade > policy.max_grade:
        found.append(f"grades above {policy.max_grade:g}, the largest allowed, count as {policy.max_grade:g}.")
    return tuple(found)


def _example_ids(qrels: Qrels, run: Any) -> str:
    """An id of each side, to see what is different about them."""
    if isinstance(run, FileSource):
        fields = run.first_line.split() if run.kind == "trec" else []
        ours = fields[2].decode("utf-8", "replace") if len(fields) > 2 else None
    else:
        ours = next((doc for ranking in run.values() for doc in ranking), None) if isinstance(run, Mapping) else None
    if ours is None or not qrels.docs:
        return ": do both use the same document ids?"
    return f": the run has ids like {str(ours)!r}, the judgments like {qrels.docs[0]!r}"


def _level_notes(metrics: list[BoundMetric], policy: Policy) -> list[str]:
    """Metrics that weigh grades have no level, so the policy's does not reach them."""
    heedless = [metric for metric in metrics if GAIN_LEVEL in metric.metric.params and metric.params["rel"] is None]
    if policy.rel is None or not heedless:
        return []
    cut = heedless[0].metric.bind(**{**heedless[0].params, "rel": policy.rel}).name
    names = ", ".join(metric.name for metric in heedless)
    return [f"the level does not change {names}, which weighs every grade; {cut} does."]
