"""leaderboard: rank several runs by their values on each metric, whether higher or lower is better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Unpack

from assay.comparison.comparing import compare_results
from assay.comparison.comparison import Comparison
from assay.comparison.options import ComparisonOptions, ComparisonSettings
from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.evaluation import Result
from assay.frames import Columns, Tables, Tabular
from assay.grammar import WrittenName
from assay.metrics import BoundMetric, find_metric, parse_metric
from assay.serialize import to_json
from assay.text import shortened

FIGURE_KEYS = ("summary", "metrics", "aggregate_metrics", "aggregated_metrics")
"""Keys under which dicts may store the values of a run."""


@dataclass(frozen=True)
class Leaderboard(Tabular):
    """`board["ndcg@10"]` is run → value, best run first; `board.best("ndcg@10")` is the name of the best run."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    """The metrics that every run has."""
    figures: Mapping[str, Mapping[str, float]]
    """Metric → run → value, best first; for an unknown metric in the given order."""
    comparison: Comparison | None = field(default=None, repr=False)
    """The comparison query by query, with tests; None if runs are given as values only."""
    known: Mapping[str, BoundMetric] = field(default_factory=dict, repr=False)
    """The metrics of results, which may include custom metrics."""

    def __getitem__(self, metric: str) -> dict[str, float]:
        return dict(self.figures[self._name(metric)])

    def best(self, metric: str) -> str:
        """The run with the best value; of equal runs, the first one. An error if the metric is unknown."""
        name = self._name(metric)
        if not _direction(name, self.known):
            find_metric(name)  # raises an error with similar names
        return next(iter(self.figures[name]))

    @property
    def verdict(self) -> str:
        """The conclusion about the runs. Values only do not show whether a difference is significant."""
        if self.comparison is not None:
            return self.comparison.verdict
        leads = [f"{self.best(metric)} has the best {metric}" for metric in self.metrics if _direction(metric, self.known)]
        claims = "; ".join(leads) or "None of these metrics is known"
        return f"{claims}. To test whether the differences are significant, compare results with scores for each query."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain: dict[str, Any] = {
            "runs": list(self.runs),
            "metrics": {metric: to_json(by_run) for metric, by_run in self.figures.items()},
            "best": {metric: self.best(metric) for metric in self.metrics if _direction(metric, self.known)},
            "verdict": self.verdict,
        }
        return plain if self.comparison is None else {**plain, "comparison": self.comparison.to_dict()}

    def _tables(self) -> Tables:
        return {"runs": self._run_columns}

    def _run_columns(self) -> Columns:
        """A row for each run, with its value by each metric."""
        figures = {metric: [by_run[run] for run in self.runs] for metric, by_run in self.figures.items()}
        return {"run": list(self.runs), **figures}

    def _name(self, metric: str) -> str:
        name = metric if metric in self.figures else find_metric(metric).name
        if name not in self.figures:
            raise UnknownName("metric of these runs", metric, near_matches(metric, self.metrics), _available(self.metrics))
        return name


class BenchmarkComparison:
    """Compares runs by name, each a Result or a dict of values such as {"ndcg@10": 0.85, "map@10": 0.80}."""

    @staticmethod
    def compare_runs(runs_results: Mapping[str, Any], **how: Unpack[ComparisonSettings]) -> Leaderboard:
        """Rank all runs on shared metrics. Results are also compared query by query; `how` are `ComparisonOptions`."""
        if not isinstance(runs_results, Mapping) or len(runs_results) < 2:
            raise UsageError("compare_runs needs at least two runs by name, as in {'baseline': a, 'model_v1': b}")
        figures = {str(name): _figures(str(name), run) for name, run in runs_results.items()}
        first, *others = figures.values()
        shared = [metric for metric in first if all(metric in other for other in others)]
        if not shared:
            raise UsageError("the runs have no metric in common")
        known = _metrics_by_name(runs_results)
        board = {metric: _rank_runs(metric, {name: of[metric] for name, of in figures.items()}, known) for metric in shared}
        return Leaderboard(tuple(figures), tuple(shared), board, _comparison(runs_results, how), known)

    @staticmethod
    def find_best_run(runs_results: Mapping[str, Any], metric: str = "ndcg@10") -> str:
        """The name of the best run on a metric: the lowest value for latency, the highest for most other metrics."""
        if not isinstance(runs_results, Mapping) or not runs_results:
            raise UsageError("find_best_run needs at least one run by name, as in {'baseline': a}")
        values: dict[str, float] = {}
        known = _metrics_by_name(runs_results)
        metric_name = metric if metric in known else parse_metric(WrittenName(metric)).name
        for name, run in runs_results.items():
            figures = _figures(str(name), run)
            if metric_name not in figures:
                raise UnknownName(f"metric of {name}", metric, near_matches(metric, figures), _available(figures))
            values[str(name)] = figures[metric_name]
        best = next(iter(_rank_runs(metric_name, values, known)))
        if math.isnan(values[best]):
            raise DataError(f"{metric_name} has no value for any run")
        return best


def _comparison(runs: Mapping[str, Any], how: Mapping[str, Any]) -> Comparison | None:
    """The comparison query by query, if all runs are results."""
    if not all(isinstance(run, Result) for run in runs.values()):
        if how:
            raise UsageError(f"{', '.join(how)} needs the scores of each query: pass results, not only values")
        return None
    return compare_results([run.renamed(str(name)) for name, run in runs.items()], ComparisonOptions(**how))


def _available(metrics: Any) -> str:
    return f"choose from {', '.join(metrics)}"


def _metrics_by_name(runs: Mapping[str, Any]) -> dict[str, BoundMetric]:
    """The metrics of those runs that are results."""
    results = [run for run in runs.values() if isinstance(run, Result)]
    return {metric.name: metric for result in reversed(results) for metric in result.metrics}


def _direction(metric: str, known: Mapping[str, BoundMetric]) -> int:
    """1 if higher is better, -1 if lower is better, 0 for an unknown metric."""
    try:
        return 1 if (known.get(metric) or find_metric(metric)).metric.higher_is_better else -1
    except UsageError:
        return 0


def _rank_runs(metric: str, by_run: Mapping[str, float], known: Mapping[str, BoundMetric]) -> dict[str, float]:
    """The runs, best first; runs without a value come last."""
    sign = _direction(metric, known)
    return dict(sorted(by_run.items(), key=lambda pair: (math.isnan(pair[1]), -sign * pair[1])))


def _figures(name: str, run: Any) -> dict[str, float]:
    """Metric → value, with known metrics under their canonical name. Values that are not numbers are ignored."""
    if isinstance(run, Result):
        return {metric: value for metric, value in run.summary.items() if metric not in run.beside}
    if not isinstance(run, Mapping):
        raise DataError(f"{name}: expected a result or a dict of values by metric, found {shortened(run)}")
    plain: Mapping[Any, Any] = next((run[key] for key in FIGURE_KEYS if isinstance(run.get(key), Mapping)), run)
    figures = {
        find_metric(str(metric)).name if _direction(str(metric), {}) else str(metric): float(value)
        for metric, value in plain.items()
        if isinstance(value, Real) and not isinstance(value, bool)
    }
    if not figures:
        raise DataError(f"{name}: expected values by metric, as in {{'ndcg@10': 0.85}}, found {shortened(run)}")
    return figures
