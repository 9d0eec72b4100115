"""optimize_fusion: the parameters by which a fusion scores best on judged queries, tried one after another as ranx does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.compat.ranx._evaluate import prepared_qrels
from assay.compat.ranx._fuse import bound_fusion, runs_to_fuse
from assay.compat.ranx._metrics import label_of, parse_ranx_metric
from assay.compat.ranx._optimization_report import OptimizationReport
from assay.errors import BadParameter
from assay.evaluation import FusedScores
from assay.fusion import Lists

WEIGHTED = ("mixed", "w_bordafuse", "w_condorcet", "wmnz", "wsum")
LEARNT = {"bayesfuse": "log_odds", "mapfuse": "map_scores", "posfuse": "probs", "segfuse": "probs"}
"""Methods that only learn → what ranx calls that."""


@dataclass(frozen=True)
class Range:
    """The values of one parameter that are tried: from `low` to `high` in steps."""

    parameter: str
    low: float
    high: float
    step: float


RANGES = {
    "rrf": Range("k", 10, 100, 10),
    "rbc": Range("phi", 0.01, 0.99, 0.01),
    "gmnz": Range("gamma", 0.01, 1.0, 0.01),
    "logn_isr": Range("sigma", 0.01, 1.0, 0.01),
    "probfuse": Range("n_segments", 1, 100, 1),
    "slidefuse": Range("w", 1, 100, 1),
}
"""What is tried unless `min_…`, `max_…` and `step` say otherwise."""


def optimize_fusion(
    qrels: Any,
    runs: Sequence[Any],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    **options: Any,
) -> Any:
    """The best parameters, for `fuse(…, params=…)`; of equals the last that was tried. With a report, both.

    The score is that of the queries it was chosen by, which flatters it; `assay.tune_fusion` holds queries out.
    """
    options.pop("show_progress", None)
    lists, judged = Lists.of(runs_to_fuse(runs, norm)), prepared_qrels(qrels)
    if method in LEARNT:
        if return_optimization_report:
            raise BadParameter(f"{method} learns from judgments, and has no parameters to report on")
        return {LEARNT[method]: bound_fusion(method, norm, {})[0].train(lists, judged)}
    trials = list(_trials(method, len(runs), options))
    scores = FusedScores(lists, judged, parse_ranx_metric(metric))
    everything = np.ones(len(scores.query_ids), dtype=bool)
    means = []
    for trial in trials:
        fusion, _ = bound_fusion(method, norm, trial)
        means.append(float(scores.of(fusion, everything if fusion.fusion.is_trained else None).mean()))
    best = dict(trials[int(np.flatnonzero(np.array(means) >= max(means) - 1e-12)[-1])])
    fusion, _ = bound_fusion(method, norm, best)
    if fusion.fusion.is_trained:
        best = {"probs": fusion.train(lists, judged), **best}
    if not return_optimization_report:
        return best
    tried = [str(next(iter(trial.values()))) for trial in trials]
    head = next(iter(trials[0]))
    return best, OptimizationReport(method, head, tried, means, label_of(metric), rounding_digits, show_percentages)


def _trials(method: str, n_runs: int, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every setting to try."""
    if method in WEIGHTED:
        allowed = {"step"}
    elif method in RANGES:
        name = RANGES[method].parameter
        allowed = {f"min_{name}", f"max_{name}", "step"}
    else:
        raise BadParameter(f"{method} has nothing to optimise; there are {', '.join(sorted({*WEIGHTED, *RANGES, *LEARNT}))}")
    if unknown := options.keys() - allowed:
        raise BadParameter(f"{method} has no option {', '.join(sorted(unknown))}; it has {', '.join(sorted(allowed))}")
    if method in WEIGHTED:
        yield from ({"weights": weights} for weights in _weights(n_runs, options.get("step", 0.1)))
        return
    usual = RANGES[method]
    low, high = options.get(f"min_{name}", usual.low), options.get(f"max_{name}", usual.high)
    step = options.get("step", usual.step)
    if step <= 0 or low > high:
        raise BadParameter(f"{method}: from {low} to {high} in steps of {step} there is nothing to try")
    is_whole = isinstance(step, int) and isinstance(low, int)
    for number in range(int((high - low) / step + 1e-9) + 1):
        value = low + number * step
        yield {name: value if is_whole else round(value, 10)}


def _weights(n_runs: int, step: float) -> Iterator[tuple[float, ...]]:
    """All weights in whole steps that add up to 1."""
    n_steps = round(1 / step) if 0 < step <= 1 else 0
    if not n_steps or abs(n_steps * step - 1) > 1e-9:
        raise BadParameter(f"step divides 1 evenly, such as 0.1, not {step!r}")
    for bars in combinations(range(n_steps + n_runs - 1), n_runs - 1):
        ends = (-1, *bars, n_steps + n_runs - 1)
        yield tuple((after - before - 1) / n_steps for before, after in pairwise(ends))
