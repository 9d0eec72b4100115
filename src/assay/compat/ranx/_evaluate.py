"""evaluate: ranx's scores of a run, as one number, a dictionary or arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.compat.ranx._metrics import parse_ranx_metric, policy_for
from assay.compat.ranx._qrels import Qrels
from assay.compat.ranx._run import Run
from assay.errors import BadParameter, DataError
from assay.evaluation import RANX
from assay.model import Column, Policy, as_rankings
from assay.model import Qrels as EngineQrels
from assay.model import Run as EngineRun
from assay.views import rank_all, settle

Scores = dict[str, Floats]
"""Metric as it was written → one score per query."""


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Iterable[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,  # noqa: ARG001 (one is enough)
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Score a run: a float for one metric, a dictionary for several; arrays over queries without `return_mean`.

    Queries stand in the order of the judgments, which `Qrels` sorts. With `return_std` there are mean and std of each.
    Judgments and runs may be `Qrels` and `Run`, nested dicts, or anything that assay reads.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise BadParameter("no metric was given")
    query_ids, scores = score_run(qrels, run, names, make_comparable)
    if isinstance(run, Run) and save_results_in_run:
        _save(run, query_ids, scores, with_std=return_std and return_mean)
    shaped = {name: _shaped(values, return_mean, return_std) for name, values in scores.items()}
    return shaped[names[0]] if len(names) == 1 else shaped


def score_run(qrels: Any, run: Any, names: Iterable[str], make_comparable: bool) -> tuple[tuple[str, ...], Scores]:
    """The queries, and the score of each by every metric."""
    bound = {name: parse_ranx_metric(name) for name in names}
    policy = replace(RANX.policy, ties=run.ties if isinstance(run, Run) else "reverse_order")
    if make_comparable:
        policy = replace(policy, **RANX.option.settings)
    judged, ranked = prepared_qrels(qrels), prepared_run(run)
    policies = {name: policy_for(metric, policy) for name, metric in bound.items()}
    rule = policy.rank_rule
    found = rank_all(ranked, judged, [rule])[rule]
    views = {one: _settled(found, one) for one in set(policies.values())}
    scores = {
        name: np.asarray(Column.of(metric.score(views[policies[name]]), metric.metric.aggregation).score, dtype=float)
        for name, metric in bound.items()
    }
    return judged.query_ids, scores


def prepared_qrels(qrels: Any) -> EngineQrels:
    """Judgments as the engine has them, in the order they come in."""
    if isinstance(qrels, Qrels):
        return qrels.prepared
    return qrels if isinstance(qrels, EngineQrels) else EngineQrels(qrels)


def prepared_run(run: Any) -> EngineRun:
    """A run as the engine has it."""
    if isinstance(run, Run):
        return run.prepared
    return run if isinstance(run, EngineRun) else EngineRun.borrow(as_rankings(run))


def _settled(found: Any, policy: Policy) -> Any:
    try:
        return settle(found, policy).run
    except DataError as error:
        raise DataError(
            f"{error}. Judgments and run must have the same queries; make_comparable=True scores missing ones as empty "
            "and leaves out those without judgments"
        ) from None


def _save(run: Run, query_ids: tuple[str, ...], scores: Mapping[str, Floats], *, with_std: bool) -> None:
    for name, values in scores.items():
        run.mean_scores[name] = mean_score(values)
        if with_std:
            run.std_scores[name] = _deviation(values)
        run.scores[name] = dict(zip(query_ids, values.tolist(), strict=True))


def _shaped(values: Floats, return_mean: bool, return_std: bool) -> Any:
    if not return_mean:
        return values
    mean = mean_score(values)
    return {"mean": mean, "std": _deviation(values)} if return_std else mean


def mean_score(values: Floats) -> float:
    """The mean; 0.0 of no queries."""
    return float(np.mean(values)) if len(values) else 0.0


def _deviation(values: Floats) -> float:
    return float(np.std(values)) if len(values) else 0.0
