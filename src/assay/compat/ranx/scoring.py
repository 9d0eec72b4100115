"""evaluate as in ranx, and its metric names: `ndcg@10`, `map@100-l2`, `rbp.95`, or any metric name of assay."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.compat.ranx.data import ByQuery, Qrels, Run, warn_of_change
from assay.compat.ranx.differences import DIFFERENCES
from assay.compat.ranx.files import grades_of_rows, is_by_position, ranking_of_rows, rows_of_arrays
from assay.errors import BadParameter, DataError
from assay.evaluation import RANX
from assay.grammar import WrittenName
from assay.metrics import BoundMetric, all_metrics, parse_metric
from assay.model import MEAN, Column, Policy, as_rankings, text_id
from assay.model import Qrels as EngineQrels
from assay.model import Run as EngineRun
from assay.views import rank_all, settle

Scores = dict[str, Floats]
"""Metric name as given → one score per query."""


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

    Queries are in the order of the judgments, which `Qrels` sorts. `return_std` adds the standard deviation to each mean.
    Judgments and runs may be `Qrels` and `Run`, nested dicts, or anything that assay reads. In arrays and typed lists,
    queries are paired by position, and the rows of a run are its ranking.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise BadParameter("expected at least one metric, found none")
    query_ids, scores = score_run(qrels, run, names, make_comparable)
    if isinstance(run, Run) and save_results_in_run:
        _save(run, query_ids, scores, with_std=return_std and return_mean)
    shaped = {name: _mean_and_deviation(values, return_mean, return_std) for name, values in scores.items()}
    return shaped[names[0]] if len(names) == 1 else shaped


def score_run(qrels: Any, run: Any, names: Iterable[str], make_comparable: bool) -> tuple[tuple[str, ...], Scores]:
    """The queries, and their scores by every metric."""
    bound = {name: parse_ranx_metric(name) for name in names}
    policy = replace(RANX.policy, ties=run.ties if isinstance(run, Run) else "reverse_order")
    if make_comparable:
        policy = replace(policy, **RANX.option.settings)
    query_ids, judged, ranked = _prepared(qrels, run)
    if make_comparable and isinstance(run, Run):
        warn_of_change(run, query_ids)
    _warn_of_differences(judged, ranked, {metric.metric.name for metric in bound.values()})
    if is_by_position(qrels) and any(metric.metric.name == "ndcg" for metric in bound.values()):
        _warn_of_unsorted(rows_of_arrays(qrels))
    policies = {name: policy_for(metric, policy) for name, metric in bound.items()}
    rule = policy.rank_rule
    rankings = rank_all(ranked, judged, [rule])[rule]
    views = {policy: _settle_ties(rankings, policy) for policy in set(policies.values())}
    scores = {
        name: np.asarray(Column.of(metric.score(views[policies[name]]), metric.metric.aggregation).score, dtype=float)
        for name, metric in bound.items()
    }
    return query_ids, scores


def _prepared(qrels: Any, run: Any) -> tuple[tuple[str, ...], EngineQrels, EngineRun]:
    """The ids of the queries, and both sides in the form that the engine uses."""
    if is_by_position(qrels) or is_by_position(run):
        return _paired_by_position(qrels, run)
    if type(qrels) is type(run) is dict and qrels.keys() == run.keys() and list(qrels) != list(run):
        DIFFERENCES.warn("order of queries")
    for each in (qrels, run):
        if isinstance(each, ByQuery):
            each.sort()
    judged = prepared_qrels(qrels)
    return judged.query_ids, judged, prepared_run(run)


def _paired_by_position(qrels: Any, run: Any) -> tuple[tuple[str, ...], EngineQrels, EngineRun]:
    """Arrays have no ids of queries: the first query of one side is the first of the other, as in ranx."""
    judged, ranked = _rows(qrels, Qrels), _rows(run, Run)
    if len(judged) != len(ranked):
        raise DataError(
            f"arrays are paired by position, so both sides need the same number of queries: the judgments have "
            f"{len(judged)}, and the run has {len(ranked)}"
        )
    named = next((side for side in (run, qrels) if isinstance(side, Mapping)), None)
    ids = tuple(map(str, range(len(judged)) if named is None else named))
    grades = {query: grades_of_rows(rows, query) for query, rows in zip(ids, judged, strict=True)}
    rankings = {query: ranking_of_rows(rows, grades[query], query) for query, rows in zip(ids, ranked, strict=True)}
    return ids, EngineQrels(grades), EngineRun.borrow(as_rankings(rankings))


def _rows(source: Any, kind: type[Qrels | Run]) -> Sequence[Floats]:
    """The rows of each query; a dict keeps the order of its queries."""
    if is_by_position(source):
        return rows_of_arrays(source)
    if isinstance(source, ByQuery):
        return source.to_typed_list()
    if not isinstance(source, Mapping):
        raise DataError(f"an array needs another array, a typed list, a dict, Qrels or Run, not {type(source).__name__}")
    by_query = kind(source)
    ordered = dict(zip(by_query, by_query.to_typed_list(), strict=True))
    return [ordered[text_id(query)] for query in source]


def _warn_of_differences(judged: EngineQrels, ranked: EngineRun, names: Collection[str]) -> None:
    """Warn of judgments for which ranx gives other scores."""
    if np.any(judged.grades % 1):
        DIFFERENCES.warn("fraction")
    if "bpref" not in names:
        return
    counts = (
        np.bincount(judged.query_of[is_so], minlength=len(judged)) for is_so in (judged.grades > 0, judged.grades <= 0)
    )
    n_relevant, n_not_relevant = counts
    rankings = dict(zip(ranked.query_ids, ranked.rankings, strict=True))
    without = (judged.query_ids[place] for place in np.flatnonzero((n_not_relevant == 0) & (n_relevant > 0)))
    if any(judged[query].keys() & rankings.get(query, {}).keys() for query in without):
        DIFFERENCES.warn("bpref without non-relevant")
    empty = np.flatnonzero(n_relevant == 0)
    if len(empty) and np.any(n_relevant[empty[0] :]):
        DIFFERENCES.warn("bpref without relevant")


def _warn_of_unsorted(judged: Iterable[Floats]) -> None:
    """Warn if judgments in an array are not sorted by grade, which ranx takes as the ideal ranking."""
    if any(np.any(np.diff(rows[:, 1]) > 0) for rows in judged):
        DIFFERENCES.warn("unsorted array")


def prepared_qrels(qrels: Any) -> EngineQrels:
    """Judgments in the form that the engine uses, in input order."""
    if isinstance(qrels, Qrels):
        return qrels.prepared
    return qrels if isinstance(qrels, EngineQrels) else EngineQrels(qrels)


def prepared_run(run: Any) -> EngineRun:
    """A run in the form that the engine uses."""
    if isinstance(run, Run):
        return run.prepared
    return run if isinstance(run, EngineRun) else EngineRun.borrow(as_rankings(run))


def _settle_ties(rankings: Any, policy: Policy) -> Any:
    try:
        return settle(rankings, policy).run
    except DataError as error:
        raise DataError(
            f"{error}. Judgments and run must have the same queries. With make_comparable=True, missing queries count as "
            "empty rankings, and queries without judgments are left out"
        ) from None


def _save(run: Run, query_ids: tuple[str, ...], scores: Mapping[str, Floats], *, with_std: bool) -> None:
    for name, values in scores.items():
        run.mean_scores[name] = mean_score(values)
        if with_std:
            run.std_scores[name] = _deviation(values)
        run.scores[name] = dict(zip(query_ids, values.tolist(), strict=True))


def _mean_and_deviation(values: Floats, return_mean: bool, return_std: bool) -> Any:
    if not return_mean:
        return values
    mean = mean_score(values)
    return {"mean": mean, "std": _deviation(values)} if return_std else mean


def mean_score(values: Floats) -> float:
    """The mean; 0.0 without queries."""
    return float(np.mean(values)) if len(values) else 0.0


def _deviation(values: Floats) -> float:
    return float(np.std(values)) if len(values) else 0.0


@dataclass(frozen=True)
class RanxMetric:
    """A metric of ranx: the metric of assay with its settings, and the metric to use without a cutoff."""

    metric: str
    label: str
    settings: tuple[tuple[str, Any], ...] = ()
    uncut: str = ""
    takes_cutoff: bool = True


RANX_METRICS = {
    "hits": RanxMetric("num_rel_ret", "Hits"),
    "hit_rate": RanxMetric("hit", "Hit Rate"),
    "precision": RanxMetric("precision", "P", uncut="set_precision"),
    "recall": RanxMetric("recall", "Recall"),
    "f1": RanxMetric("f", "F1", (("beta", 1.0),), uncut="set_f"),
    "r-precision": RanxMetric("rprec", "R-Prec", takes_cutoff=False),
    "mrr": RanxMetric("mrr", "MRR"),
    "map": RanxMetric("map", "MAP"),
    "dcg": RanxMetric("dcg", "DCG"),
    "dcg_burges": RanxMetric("dcg", "DCG Burges", (("gain", "exp"),)),
    "ndcg": RanxMetric("ndcg", "NDCG"),
    "ndcg_burges": RanxMetric("ndcg", "NDCG Burges", (("gain", "exp"),)),
    "bpref": RanxMetric("bpref", "BPref", takes_cutoff=False),
}
_PLAIN = re.compile(rf"(?P<name>{'|'.join(map(re.escape, RANX_METRICS))})(?:@(?P<k>\d+))?(?:-l(?P<level>\d+))?", re.ASCII)
_LEVEL_FIRST = re.compile(rf"(?P<name>{'|'.join(map(re.escape, RANX_METRICS))})-l(?P<level>\d+)@(?P<k>\d+)", re.ASCII)
_RBP = re.compile(r"rbp[.@](?P<p>\d+)(?:-l(?P<level>\d+))?", re.ASCII)


def parse_ranx_metric(text: str) -> BoundMetric:
    """The metric that ranx means. A cutoff of 0 means no cutoff; `rbp` without a persistence is an error, as in ranx."""
    if not isinstance(text, str):
        raise BadParameter(f"a metric must be a name such as 'ndcg@10', not {text!r}")
    if shape := _RBP.fullmatch(text):
        return all_metrics()["rbp"].bind(p=float(f"0.{shape['p']}"), gain="grade", **_level(shape["level"]))
    if text.partition("-l")[0] == "rbp":
        raise BadParameter(f"{text}: rbp needs a persistence, such as rbp.95")
    if shape := _LEVEL_FIRST.fullmatch(text):
        raise BadParameter(f"{text}: the level must come last, as in {shape['name']}@{shape['k']}-l{shape['level']}")
    if not (shape := _PLAIN.fullmatch(text)):
        return _other(text)
    known, k = RANX_METRICS[shape["name"]], int(shape["k"] or 0)
    if k and not known.takes_cutoff:
        raise BadParameter(f"{text}: {shape['name']} has no cutoff")
    metric = all_metrics()[known.uncut if known.uncut and not k else known.metric]
    settings = {**dict(known.settings), **({"k": k} if k else {}), **_level(shape["level"])}
    return metric.bind(**settings)


def _other(text: str) -> BoundMetric:
    """A metric that ranx does not have. Its summary must be the mean of scores of rankings, like all metrics of ranx."""
    metric = parse_metric(WrittenName(text))
    if metric.metric.view != "ranking":
        raise BadParameter(f"{text} is not a metric of rankings, but evaluate needs one, such as ndcg@10")
    if metric.metric.aggregation is not MEAN:
        raise BadParameter(f"{text} is not a mean over queries; use assay.evaluate(qrels, run, {metric.name!r})")
    return metric


def _level(text: str | None) -> dict[str, float]:
    """The relevance level as a setting; `-l1` means the default in ranx."""
    return {"rel": float(text)} if text and int(text) != 1 else {}


def policy_for(metric: BoundMetric, policy: Policy) -> Policy:
    """The policy with ranx's deviations for a metric."""
    variant = RANX.variant(metric.metric.name, metric.params)
    return replace(policy, **variant.policy) if variant else policy


def label_of(text: str) -> str:
    """The heading of a metric in a table: `NDCG@10`, `MAP@100-l2`, `RBP.95`."""
    if text.startswith("rbp"):
        return f"RBP{text[3:]}"
    name = re.split(r"@|-l(?=\d)", text)[0]
    return f"{RANX_METRICS[name].label}{text[len(name) :]}" if name in RANX_METRICS else text
