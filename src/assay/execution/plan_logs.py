"""Logs of a plan: the search logs that a plan scores instead of benchmarks and providers, or reads as experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import BadParameter, UsageError
from assay.evaluation import Result, with_intervals
from assay.execution.plan_file import PlanFaults, known_keys, parse_flag, parse_list, parse_number, parse_texts, parse_whole
from assay.experiments import (
    ExperimentOptions,
    check_experiment_metrics,
    check_interleaving_settings,
    compare_variants,
    results_of,
    score_interleaving,
)
from assay.logs import CLUSTERS, evaluate_log, parse_log_metrics
from assay.metrics import BoundMetric

if TYPE_CHECKING:
    from assay.execution.plan import Plan

KINDS = ("experiment", "interleaving")
"""Keys that say what a log is; without settings, they have no value, or true."""
LOG_KEYS = ("path", "name", "first_rank", "most_per_hour", "cluster", *KINDS)
EXPERIMENT_KEYS = ("by", "control", "split", "start", "sequential", "window", "correction", "correct_metrics")
INTERLEAVING_KEYS = ("names", "test")
FOR_LOGS = ("logs", "columns", "metrics", "by", "outputs", "statistical_analysis", "retrieval_metrics")
"""Keys of a plan that logs use."""
ABOUT_RUNNING = (
    *("concurrency", "timeout", "index_timeout", "retries", "batch_size", "cache", "parallel_processing", "strict"),
    "seed",
)
"""Keys about how queries are sent. Logs need none of them, and they change no number, so there is only a note."""
ONLY_FOR_COMPARISONS = ("significance_testing", "correct_metrics")
"""Keys of `statistical_analysis` that are about the comparison of providers."""


@dataclass(frozen=True)
class PlannedLog:
    """A log that a plan scores, or reads as an experiment."""

    paths: tuple[str, ...]
    """Its parts, usually one file."""
    name: str = ""
    """The name of the result or of the experiment; empty: the name of the file."""
    first_rank: int = 1
    most_per_hour: int | None = None
    cluster: str | None = None
    """What intervals are about, such as `session`; None: the usual choice."""
    experiment: Mapping[str, Any] | None = None
    """The settings of an A/B test, as written; None: the log is not one."""
    interleaving: Mapping[str, Any] | None = None
    """The settings of interleaved rankings, as written; None: the log has none."""

    @property
    def kind(self) -> str:
        """`log`, `experiment` or `interleaving`."""
        if self.experiment is not None:
            return "experiment"
        return "log" if self.interleaving is None else "interleaving"

    def describe(self) -> dict[str, Any]:
        """Plain values, as recorded."""
        values = {
            "path": list(self.paths),
            "name": self.name or None,
            "most_per_hour": self.most_per_hour,
            "cluster": self.cluster,
            "experiment": self.experiment,
            "interleaving": self.interleaving,
        }
        shown = {name: value for name, value in values.items() if value is not None}
        return {**shown, **({"first_rank": 0} if self.first_rank == 0 else {})}


def describe_logs(plan: Plan) -> dict[str, Any]:
    """Everything that affects the scores of the logs of a plan, as plain values."""
    return {
        "logs": [log.describe() for log in plan.logs],
        **({"columns": dict(plan.columns)} if plan.columns else {}),
        "metrics": [metric.name for metric in plan.metrics],
        **({"by": list(plan.by)} if plan.by else {}),
        "level": plan.statistics.level,
    }


def parse_logs(values: Mapping[str, Any], where: str, faults: PlanFaults) -> tuple[PlannedLog, ...]:
    """The logs; other keys of the plan must fit them."""
    others = [key for key in values if key not in (*FOR_LOGS, *ABOUT_RUNNING)]
    if others:
        raise BadParameter(
            f"{where}: logs and {' and '.join(others)} are in one plan, but a log has no {others[0]}. Write two plans"
        )
    place = f"{where}: logs"
    logs = [_parse_log(entry, place, faults) for entry in parse_list(values["logs"], "logs", where, "week-12.parquet")]
    different = [log for place, log in enumerate(logs) if log not in logs[:place]]
    for log in different:
        faults.note_repeated("log", [" ".join(log.paths)] * logs.count(log))
    _check_used(values, different, where, faults)
    return tuple(different)


def _check_used(values: Mapping[str, Any], logs: Sequence[PlannedLog], where: str, faults: PlanFaults) -> None:
    """Errors for metrics and slices that no log uses, and notes on other settings without effect."""
    plain, kinds = [log for log in logs if log.kind == "log"], {log.kind for log in logs}
    if values.get("metrics") is not None and kinds == {"interleaving"}:
        why = "because every log has interleaved rankings, which are compared by wins"
        faults.add(BadParameter(f"{where}: metrics has no effect, {why}. Leave it out"))
    if values.get("by") and not plain:
        advice = "To name the column with the variant, write it in the experiment, as in experiment: {by: variant}"
        faults.add(BadParameter(f"{where}: by has no effect, because experiments are not split. {advice}"))
    statistics = values.get("statistical_analysis") or {}
    if "experiment" in kinds and statistics.get("correct_metrics") is not None:
        advice = "write it in the experiment, as in experiment: {correct_metrics: true}"
        faults.add(BadParameter(f"{where}: statistical_analysis: correct_metrics has no effect on logs. Instead, {advice}"))
    unused = [key for key in values if key in ABOUT_RUNNING]
    unused += [key for key in ONLY_FOR_COMPARISONS if statistics.get(key) is not None]
    unused += ["confidence_intervals"] if not plain and statistics.get("confidence_intervals") is not None else []
    if unused:
        faults.note(f"{', '.join(unused)} {'has' if len(unused) == 1 else 'have'} no effect on logs")
    for key, is_used in (("by", values.get("by")), ("confidence_intervals", statistics.get("confidence_intervals"))):
        if is_used and plain and len(plain) < len(logs):
            names = ", ".join(path for log in plain for path in log.paths)
            faults.note(f"{key} is only for {names}, and not for experiments and interleaving")


def _parse_log(entry: Any, place: str, faults: PlanFaults) -> PlannedLog:
    if isinstance(entry, str):
        entry = {"path": entry}
    if isinstance(entry, Mapping):
        entry = {key: {} if key in KINDS and value in (None, True) else value for key, value in entry.items()}
    block = known_keys(entry, LOG_KEYS, place, faults)
    if "path" not in block:
        raise BadParameter(f"{place}: path is missing. Write, for example, logs: [{{path: week-12.parquet, name: shop}}]")
    name = block.get("name", "")
    if not isinstance(name, str):
        raise BadParameter(f"{place}: name must be text, not {name!r}")
    first_rank = parse_whole(block.get("first_rank", 1), "first_rank", place, least=0, most=1)
    if "experiment" in block and "interleaving" in block:
        raise BadParameter(f"{place}: experiment and interleaving are two ways to read a log. Write two entries")
    return PlannedLog(
        tuple(parse_texts(block["path"], "path", place, "week-12.parquet")),
        name,
        1 if first_rank is None else first_rank,
        parse_whole(block.get("most_per_hour"), "most_per_hour", place),
        _parse_cluster(block, place),
        _parse_experiment(block["experiment"], f"{place}: experiment", faults) if "experiment" in block else None,
        _parse_interleaving(block["interleaving"], f"{place}: interleaving", faults) if "interleaving" in block else None,
    )


def _parse_cluster(block: Mapping[str, Any], place: str) -> str | None:
    """What intervals of a log are about, if the plan says so."""
    if (cluster := block.get("cluster")) is None:
        return None
    if kind := next((kind for kind in KINDS if kind in block), ""):
        raise BadParameter(f"{place}: cluster is for logs without {kind}")
    if cluster not in CLUSTERS:
        raise BadParameter(f"{place}: cluster must be one of {', '.join(CLUSTERS)}, not {cluster!r}")
    return str(cluster)


def _parse_experiment(content: Any, place: str, faults: PlanFaults) -> dict[str, Any]:
    """The settings of an A/B test; they are checked here, so that a wrong one is found before a log is read."""
    block = known_keys(content, EXPERIMENT_KEYS, place, faults)
    for name in ("sequential", "correct_metrics"):
        if name in block:
            block[name] = parse_flag(block[name], name, place)
    if "window" in block:
        block["window"] = parse_number(block["window"], "window", place)
    for name in ("by", "control", "start", "correction"):
        if name in block:
            block[name] = _text(block[name], name, place)
    if "window" in block and not block.get("sequential"):
        faults.add(BadParameter(f"{place}: window is for sequential: true"))
    faults.attempt(_options_of, block, 0.05)
    return block


def _parse_interleaving(content: Any, place: str, faults: PlanFaults) -> dict[str, Any]:
    """The names of both rankings and the test."""
    block = known_keys(content, INTERLEAVING_KEYS, place, faults)
    if "names" in block:
        block["names"] = parse_texts(block["names"], "names", place, "bm25, dense")
    if "test" in block:
        block["test"] = _text(block["test"], "test", place)
    try:
        check_interleaving_settings(**block)
    except UsageError as error:
        faults.add(BadParameter(f"{place}: {error}"))
    return block


def _text(value: Any, name: str, place: str) -> str:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    raise BadParameter(f"{place}: {name} must be text, not {value!r}")


def _options_of(block: Mapping[str, Any], alpha: float) -> ExperimentOptions:
    return ExperimentOptions(**{name: value for name, value in block.items() if name != "by"}, alpha=alpha)


def metrics_of_logs(value: Any, logs: Sequence[PlannedLog], where: str, faults: PlanFaults) -> list[BoundMetric]:
    """The metrics, each of which must fit the logs; empty for the default metrics. Errors are collected."""
    names = [] if value is None else faults.attempt(parse_texts, value, "metrics", where, "ctr@10") or []
    parsed = (faults.attempt(parse_log_metrics, name) for name in names)
    metrics = [metric for some in parsed for metric in some or ()]
    for log in logs:
        if log.experiment is not None:
            faults.attempt(check_experiment_metrics, metrics, is_sequential=bool(log.experiment.get("sequential")))
    return metrics


def score_logs(plan: Plan) -> list[Result]:
    """A result for each log, with its intervals; for an experiment, a result for each variant or ranking."""
    read = {"log": _score_log, "experiment": _compare_variants, "interleaving": _score_interleaving}
    return [result for log in plan.logs for result in read[log.kind](log, plan)]


def _score_log(log: PlannedLog, plan: Plan) -> list[Result]:
    statistics, metrics = plan.statistics, list(plan.metrics) or None
    result = evaluate_log(_source(log), metrics, by=plan.by, name=log.name, cluster=log.cluster, **_limits(log))
    return [with_intervals(result, statistics.confidence_intervals or "none", statistics.level)]


def _compare_variants(log: PlannedLog, plan: Plan) -> list[Result]:
    settings, metrics = log.experiment or {}, list(plan.metrics) or None
    how = _options_of(settings, _alpha(plan))
    return results_of(
        compare_variants(_source(log), metrics, how, by=settings.get("by", ""), name=_name(log), **_limits(log))
    )


def _score_interleaving(log: PlannedLog, plan: Plan) -> list[Result]:
    settings = log.interleaving or {}
    return results_of(score_interleaving(_source(log), **settings, alpha=_alpha(plan), name=_name(log), **_limits(log)))


def _source(log: PlannedLog) -> str | list[str]:
    return log.paths[0] if len(log.paths) == 1 else list(log.paths)


def _name(log: PlannedLog) -> str:
    return log.name or Path(log.paths[0]).stem


def _limits(log: PlannedLog) -> dict[str, Any]:
    return {"first_rank": log.first_rank, "most_per_hour": log.most_per_hour}


def _alpha(plan: Plan) -> float:
    """The largest significant p, from the level of the intervals."""
    return round(1 - plan.statistics.level, 12)
