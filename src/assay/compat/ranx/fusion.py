"""ranx's fusion of runs, with its names of methods, norms and parameters; and its search for the best parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.compat.ranx.data import Run
from assay.compat.ranx.differences import DIFFERENCES
from assay.compat.ranx.scoring import label_of, parse_ranx_metric, prepared_qrels, prepared_run
from assay.errors import BadParameter, UnknownName, near_matches
from assay.evaluation import FusedScores
from assay.fusion import BoundFusion, RankedLists, Trained, fuse_runs, parse_fusion
from assay.model import Rankings
from assay.model import Run as EngineRun

WEIGHTED = ("mixed", "w_bordafuse", "w_condorcet", "wmnz", "wsum")
TRAINED = {"bayesfuse": "log_odds", "mapfuse": "map_scores", "posfuse": "probs", "segfuse": "probs"}
"""Methods that learn from judgments → the name of their parameter in ranx."""


@dataclass(frozen=True)
class Range:
    """The values of a parameter to try: from `low` to `high` in steps."""

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
"""The default values to try, which `min_…`, `max_…` and `step` change."""


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
    """The best parameters for `fuse(…, params=…)`; among equally good ones, the last that was tried. With a report, both.

    The score is too optimistic, because it is computed on the queries that the parameters were chosen on.
    `assay.tune_fusion` holds queries out.
    """
    options.pop("show_progress", None)
    lists, judged = RankedLists.of(runs_to_fuse(runs, norm)), prepared_qrels(qrels)
    if method in TRAINED:
        if return_optimization_report:
            raise BadParameter(f"{method} learns from judgments and tries no settings; leave out return_optimization_report")
        return {TRAINED[method]: bound_fusion(method, norm, {})[0].train(lists, judged)}
    trials = list(_trials(method, len(runs), options))
    scores = FusedScores(lists, judged, parse_ranx_metric(metric))
    everything = np.ones(len(scores.query_ids), dtype=bool)
    means = []
    for trial in trials:
        fusion, _ = bound_fusion(method, norm, trial)
        means.append(float(scores.of(fusion, everything if fusion.fusion.is_trained else None).mean()))
    best = _last_best(trials, means)
    fusion, _ = bound_fusion(method, norm, best)
    if fusion.fusion.is_trained:
        best = {"probs": fusion.train(lists, judged), **best}
    if not return_optimization_report:
        return best
    tried = [str(next(iter(trial.values()))) for trial in trials]
    head = next(iter(trials[0]))
    return best, OptimizationReport(method, head, tried, means, label_of(metric), rounding_digits, show_percentages)


def _last_best(trials: Sequence[dict[str, Any]], means: Sequence[float]) -> dict[str, Any]:
    """The best settings; among equally good ones, the last. A warning if they are weights that ranx does not try."""
    best = dict(trials[int(np.flatnonzero(np.array(means) >= max(means) - 1e-12)[-1])])
    if sum(best.get("weights", (1.0,))) != 1.0:
        DIFFERENCES.warn("weights")
    return best


def _trials(method: str, n_runs: int, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All settings to try."""
    if method in WEIGHTED:
        allowed = {"step"}
    elif method in RANGES:
        name = RANGES[method].parameter
        allowed = {f"min_{name}", f"max_{name}", "step"}
    else:
        raise BadParameter(
            f"{method} has no parameters to optimise; choose from {', '.join(sorted({*WEIGHTED, *RANGES, *TRAINED}))}"
        )
    if unknown := options.keys() - allowed:
        raise BadParameter(f"{method} has no option {', '.join(sorted(unknown))}; it has {', '.join(sorted(allowed))}")
    if method in WEIGHTED:
        yield from ({"weights": weights} for weights in _weights(n_runs, options.get("step", 0.1)))
        return
    usual = RANGES[method]
    low, high = options.get(f"min_{name}", usual.low), options.get(f"max_{name}", usual.high)
    step = options.get("step", usual.step)
    if step <= 0 or low > high:
        raise BadParameter(
            f"{method}: there is nothing to try from {low} to {high} in steps of {step}; "
            f"step must be above 0, and max_{name} at least min_{name}"
        )
    is_whole = isinstance(step, int) and isinstance(low, int)
    for number in range(int((high - low) / step + 1e-9) + 1):
        value = low + number * step
        yield {name: value if is_whole else round(value, 10)}


def _weights(n_runs: int, step: float) -> Iterator[tuple[float, ...]]:
    """All weights in whole steps that add up to 1."""
    n_steps = round(1 / step) if 0 < step <= 1 else 0
    if not n_steps or abs(n_steps * step - 1) > 1e-9:
        raise BadParameter(f"step must divide 1 evenly, such as 0.1, not {step!r}")
    for bars in combinations(range(n_steps + n_runs - 1), n_runs - 1):
        ends = (-1, *bars, n_steps + n_runs - 1)
        yield tuple((after - before - 1) / n_steps for before, after in pairwise(ends))


METHODS = (
    *("min", "max", "med", "sum", "anz", "mnz", "gmnz", "isr", "log_isr", "logn_isr", "rrf", "rbc", "wmnz", "mixed"),
    *("wsum", "mapfuse", "posfuse", "probfuse", "segfuse", "slidefuse", "bayesfuse", "bordafuse", "w_bordafuse"),
    *("condorcet", "w_condorcet"),
)
RUN_NAMES = {
    **{method: f"comb_{method}" for method in ("min", "max", "med", "sum", "anz", "mnz", "gmnz")},
    "wsum": "weighted_sum",
    "w_bordafuse": "weighted_bordafuse",
    "w_condorcet": "weighted_condorcet",
}
"""Method → the name of the fused run in ranx; with any other method, the run has the name of the method."""
NORMS = {
    "min-max": "min_max",
    "min_max": "min_max",
    "min-max-inverted": "min_max",
    "min_max_inverted": "min_max",
    "max": "max",
    "sum": "sum",
    "zmuv": "z_score",
    "rank": "rank",
    "borda": "borda",
}
"""Name in ranx → name in assay. The inverted norms are for distances, for which smaller is better."""


def fuse(
    runs: Sequence[Any], norm: str | None = "min-max", method: str = "wsum", params: Mapping[str, Any] | None = None
) -> Run:
    """Fuse several runs into one, best first. `params` are the parameters of the method, as `optimize_fusion` returns them.

    Methods that use only ranks need no norm. Weights that are not given are equal.
    """
    fusion, trained = bound_fusion(method, norm, params or {})
    prepared = runs_to_fuse(runs, norm)
    name = RUN_NAMES.get(method, method)
    fused = fuse_runs(prepared, fusion, trained, name)
    if any(len(set(ranking.values())) < len(ranking) for ranking in fused.rankings):
        DIFFERENCES.warn("fused ties")
    return Run.of(fused, name)


def _has_one_score(run: EngineRun) -> bool:
    """Whether the best and the worst score of a query are equal."""
    return any(ranking and max(ranking.values()) == min(ranking.values()) for ranking in run.rankings)


def bound_fusion(method: str, norm: str | None, params: Mapping[str, Any]) -> tuple[BoundFusion, Trained | None]:
    """The fusion that ranx's names mean, with what it has learned if the method learns."""
    if method not in METHODS:
        raise UnknownName("fusion", method, near_matches(method, METHODS), f"choose from {', '.join(METHODS)}")
    if norm is not None and norm not in NORMS:
        raise UnknownName("norm", norm, near_matches(norm, NORMS), f"choose from {', '.join(NORMS)}, None")
    learnt = [value for value in params.values() if isinstance(value, Trained)]
    settings = {name: value for name, value in params.items() if not isinstance(value, Trained)}
    fusion = parse_fusion(method, **settings)
    if "norm" in fusion.params:
        fusion = parse_fusion(method, **settings, norm=NORMS[norm] if norm else "none")
    elif norm == "borda":
        raise BadParameter(
            f"{method} uses ranks, but the norm borda also ranks documents that are missing from a run; use norm=None"
        )
    return fusion, learnt[0] if learnt else None


def runs_to_fuse(runs: Sequence[Any], norm: str | None) -> list[EngineRun]:
    """The runs in the form that the engine uses; scores are negated if smaller is better."""
    if len(runs) < 2:
        raise BadParameter(f"fusion needs at least two runs, not {len(runs)}")
    prepared = [prepared_run(run) for run in runs]
    if norm and NORMS.get(norm) == "min_max" and any(map(_has_one_score, prepared)):
        DIFFERENCES.warn("min-max")
    return [_negated(run) for run in prepared] if norm and norm.endswith("inverted") else prepared


def _negated(run: EngineRun) -> EngineRun:
    by_query = {
        query: {doc: -score for doc, score in ranking.items()}
        for query, ranking in zip(run.query_ids, run.rankings, strict=True)
    }
    return EngineRun.borrow(Rankings(by_query, run.tag))


@dataclass
class OptimizationReport:
    """Settings and scores in the order in which they were tried; the chosen one is marked."""

    method: str
    parameter: str
    configs: list[str]
    results: list[float]
    metric: str
    rounding_digits: int = 3
    show_percentages: bool = False

    def to_table(self) -> str:
        """The table as text."""
        digits = max(0, self.rounding_digits - 2) if self.show_percentages else self.rounding_digits
        scores = [f"{score * 100 if self.show_percentages else score:.{digits}f}" for score in self.results]
        best = max((place for place, score in enumerate(self.results) if score >= max(self.results) - 1e-12), default=-1)
        rows = [(self.parameter, self.metric), *zip(self.configs, scores, strict=True)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [f"{setting:<{widths[0]}}  {score:>{widths[1]}}" for setting, score in rows]
        lines = [f"{line} *" if place - 1 == best else line for place, line in enumerate(lines)]
        return "\n".join([self.method, *lines])

    def __repr__(self) -> str:
        return self.to_table()

    def __str__(self) -> str:
        return self.to_table()
