"""fuse: ranx's fusion of runs, by its names of methods, norms and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.compat.ranx._evaluate import prepared_run
from assay.compat.ranx._run import Run
from assay.errors import BadParameter, UnknownName, near_matches
from assay.fusion import BoundFusion, Trained, fuse_runs, parse_fusion
from assay.model import Rankings
from assay.model import Run as EngineRun

METHODS = (
    *("min", "max", "med", "sum", "anz", "mnz", "gmnz", "isr", "log_isr", "logn_isr", "rrf", "rbc", "wmnz", "mixed"),
    *("wsum", "mapfuse", "posfuse", "probfuse", "segfuse", "slidefuse", "bayesfuse", "bordafuse", "w_bordafuse"),
    *("condorcet", "w_condorcet"),
)
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
"""ranx's name → ours. Inverted is for distances, of which the smallest is the best."""


def fuse(
    runs: Sequence[Any], norm: str | None = "min-max", method: str = "wsum", params: Mapping[str, Any] | None = None
) -> Run:
    """One run out of several, best first. `params` are the method's, such as those that `optimize_fusion` gives.

    Methods that go by ranks alone do without a norm; weights that are not given are all alike.
    """
    fusion, trained = bound_fusion(method, norm, params or {})
    return Run.of(fuse_runs(runs_to_fuse(runs, norm), fusion, trained, method), method)


def bound_fusion(method: str, norm: str | None, params: Mapping[str, Any]) -> tuple[BoundFusion, Trained | None]:
    """The fusion that ranx's names stand for, and what it has learnt where it is one that learns."""
    if method not in METHODS:
        raise UnknownName("fusion", method, near_matches(method, METHODS), f"there are {', '.join(METHODS)}")
    if norm is not None and norm not in NORMS:
        raise UnknownName("norm", norm, near_matches(norm, NORMS), f"there are {', '.join(NORMS)}, and None")
    learnt = [value for value in params.values() if isinstance(value, Trained)]
    settings = {name: value for name, value in params.items() if not isinstance(value, Trained)}
    fusion = parse_fusion(method, **settings)
    if "norm" in fusion.params:
        fusion = parse_fusion(method, **settings, norm=NORMS[norm] if norm else "none")
    elif norm == "borda":
        raise BadParameter(
            f"{method} goes by ranks, and the norm borda gives a rank to documents a run lacks; use norm=None"
        )
    return fusion, learnt[0] if learnt else None


def runs_to_fuse(runs: Sequence[Any], norm: str | None) -> list[EngineRun]:
    """The runs as the engine has them; turned round where small scores are the good ones."""
    if len(runs) < 2:
        raise BadParameter(f"fusion needs two runs or more, not {len(runs)}")
    prepared = [prepared_run(run) for run in runs]
    return [_turned_round(run) for run in prepared] if norm and norm.endswith("inverted") else prepared


def _turned_round(run: EngineRun) -> EngineRun:
    by_query = {
        query: {doc: -score for doc, score in ranking.items()}
        for query, ranking in zip(run.query_ids, run.rankings, strict=True)
    }
    return EngineRun.borrow(Rankings(by_query, run.tag))
