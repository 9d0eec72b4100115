"""Fusion: the record of one way to fuse, how it is parsed with its parameters and weights, and fusing runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, TypedDict, Unpack

import numpy as np

from assay.arrays import Floats
from assay.catalog import Described, find_by_any_name, load_entries
from assay.errors import BadParameter, DataError, UsageError
from assay.fusion.lists import RankedLists, all_queries, as_runs
from assay.fusion.normalise import normalised
from assay.fusion.ordering import Ordered, fused_run
from assay.fusion.training import Training
from assay.grammar import Param, changed_settings, numbers, parse_setting, show, split_call, written
from assay.model import JudgmentSource, Qrels, Run, RunSource

UNUSED_SETTINGS = {
    "norm": "it uses only ranks, so scores need no normalisation. Remove norm, or use comb_sum",
    "weights": "all runs count equally. Remove weights, or use rrf or weighted_sum",
}
"""Why some fusions do not have a parameter that others have."""


@dataclass(frozen=True)
class Trained:
    """What a fusion learned from judgments: an array for each run."""

    method: str
    values: tuple[Floats, ...]
    n_queries: int
    """The number of judged queries that it learned from."""


@dataclass(frozen=True)
class Fusion(Described):
    """One way to fuse. The docstring of its function says how a document is scored, then the edge cases."""

    name: str
    function: Callable[..., Floats]
    """`RankedLists`, what was learned (if it is trained), and parameters → the score of each pair."""
    params: tuple[Param, ...] = ()
    aliases: tuple[str, ...] = ()
    train: Callable[..., tuple[Floats, ...]] | None = None
    """`Training` and parameters → what is learned about each run."""
    tries: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Values that tuning tries for some parameters; it tries weights and normalisations anyway."""
    weighted: str = ""
    """Name of the same fusion with weights."""
    cite: str = ""

    @property
    def is_trained(self) -> bool:
        """Whether it has to learn from judgments first."""
        return self.train is not None

    @property
    def takes_weights(self) -> bool:
        """Whether it has weights for runs."""
        return any(param.name == "weights" for param in self.params)

    def bind(self, **settings: Any) -> BoundFusion:
        """The fusion with these values of parameters, and defaults for the others."""
        return BoundFusion(self, {param.name: settings.get(param.name, param.default) for param in self.params})


@dataclass(frozen=True)
class BoundFusion:
    """A fusion with its parameters."""

    fusion: Fusion
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its text: `rrf(k=10)`."""
        return written(self.fusion.name, changed_settings(self.fusion.params, self.params))

    @property
    def _own(self) -> dict[str, Any]:
        return {name: value for name, value in self.params.items() if name != "norm"}

    def _prepared(self, lists: RankedLists) -> RankedLists:
        return normalised(lists, self.params["norm"]) if "norm" in self.params else lists

    def train(self, lists: RankedLists, qrels: Qrels) -> Trained:
        """What it learns from the judged queries among these."""
        if self.fusion.train is None:
            raise UsageError(f"{self.fusion.name} does not learn from judgments. Use it without training")
        training = Training.of(self._prepared(lists), qrels)
        return Trained(self.fusion.name, self.fusion.train(training, **self._own), len(training.judged))

    def score(self, lists: RankedLists, trained: Trained | None = None) -> Floats:
        """The score of each pair; a score that is not a finite number is an error."""
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            values = self._score(lists, trained)
        if not np.isfinite(values).all():
            raise DataError(
                f"{self.name}: scores, weights or parameters are too large, so that fused scores are not finite numbers. "
                "Use norm=min_max to normalise scores, or rrf, which uses only ranks"
            )
        return values

    def _score(self, lists: RankedLists, trained: Trained | None) -> Floats:
        if not self.fusion.is_trained:
            return self.fusion.function(self._prepared(lists), **self._own)
        if trained is None or trained.method != self.fusion.name:
            raise UsageError(
                f"{self.fusion.name} has to learn from judgments first: pass trained=train(runs, qrels, "
                f"{self.fusion.name!r}), or --qrels on the command line"
            )
        if len(trained.values) != lists.n_runs:
            raise BadParameter(
                f"{self.fusion.name} was trained on {len(trained.values)} runs and cannot fuse {lists.n_runs}. "
                "Train and fuse the same runs in the same order"
            )
        return self.fusion.function(self._prepared(lists), trained.values, **self._own)


@cache
def all_fusions() -> dict[str, Fusion]:
    """Name → fusion, sorted by name."""
    return dict(load_entries("assay.fusion.catalog", Fusion, "assay.fusion"))


def find_fusion(name: str) -> Fusion:
    """The fusion with this name or alias."""
    return find_by_any_name("fusion", name, all_fusions())


def parse_fusion(text: str, **settings: Any) -> BoundFusion:
    """Parse `rrf`, `rrf(k=10)`, `comb_mnz(norm=z_score)`; other settings are values or text.

    If a fusion without weights gets weights, the same fusion with weights is used: comb_mnz becomes weighted_mnz.
    """
    name, settled = split_call(text)
    fusion = find_fusion(name)
    asked = [*settled, *((key, _as_text(value)) for key, value in settings.items())]
    if fusion.weighted and any(key.lower() == "weights" and value not in ("", "[]") for key, value in asked):
        fusion = find_fusion(fusion.weighted)
    params: dict[str, Any] = {}
    for setting, value in asked:
        _check_is_needed(fusion, setting.lower())
        params |= parse_setting(text, fusion.name, fusion.params, setting, value)
    return fusion.bind(**params)


def _check_is_needed(fusion: Fusion, setting: str) -> None:
    """Raise, with the reason, if a fusion gets a norm or weights that it does not have."""
    if setting not in UNUSED_SETTINGS or any(setting in (param.name, *param.aliases) for param in fusion.params):
        return
    raise BadParameter(f"{fusion.name} has no parameter {setting!r}: {UNUSED_SETTINGS[setting]}")


def _as_text(value: Any) -> str:
    return show(tuple(value)) if isinstance(value, list | tuple) else value if isinstance(value, str) else show(value)


BLOCKS_AT_ONCE = 2
"""Blocks that are processed in parallel; NumPy sorts them in parallel, but only one thread can look up documents."""


class FusionSettings(TypedDict, total=False):
    """The parameters of all bundled methods, as keywords. Those of other methods are written: `mine(depth=3)`."""

    k: float
    rank_constant: float
    norm: str
    normalisation: str
    weights: Sequence[float] | str
    gamma: float
    sigma: float
    p: float
    phi: float
    segments: int
    n_segments: int
    window: int
    w: int


def fuse(
    runs: Sequence[RunSource],
    method: str | BoundFusion = "rrf",
    *,
    trained: Trained | None = None,
    depth: int = 0,
    **settings: Unpack[FusionSettings],
) -> Run:
    """Fuse runs into one, best first; equal scores are ordered by id. Runs may have different queries.

    Settings are the parameters of the method: `fuse(runs, "comb_mnz", norm="z_score")`. A method that learns from judgments
    needs the result of `train`. `depth` is the number of documents kept per query; 0 keeps all.
    """
    bound = method if isinstance(method, BoundFusion) else parse_fusion(method, **settings)
    return fuse_runs(as_runs(runs), bound, trained, bound.fusion.name, depth)


def fuse_runs(runs: Sequence[Run], fusion: BoundFusion, trained: Trained | None, tag: str, depth: int = 0) -> Run:
    """Fuse prepared runs into one, block by block; two blocks of queries are processed in parallel."""

    def ordered(lists: RankedLists) -> Ordered:
        return lists.ordered(fusion.score(lists, trained), depth)

    waiting = RankedLists.in_blocks(runs)
    blocks: list[Ordered] = []
    with ThreadPoolExecutor(BLOCKS_AT_ONCE) as pool:
        while some := list(islice(waiting, BLOCKS_AT_ONCE)):
            blocks += pool.map(ordered, some)
    return fused_run(all_queries(runs), blocks, tag)


def train(
    runs: Sequence[RunSource],
    qrels: JudgmentSource,
    method: str | BoundFusion,
    **settings: Unpack[FusionSettings],
) -> Trained:
    """What a method learns from runs and judgments, for fusing the same runs on other queries.

    Scores on the queries that it learned from are too high; `tune_fusion` scores held-out queries.
    """
    bound = method if isinstance(method, BoundFusion) else parse_fusion(method, **settings)
    return bound.train(RankedLists.of(runs), qrels if isinstance(qrels, Qrels) else Qrels(qrels))


EXPECTED_WEIGHTS = "a list of numbers of at least 0, one per run and not all 0, as in [0.7, 0.3]"


def parse_weights(text: str) -> tuple[float, ...]:
    """Several numbers of at least 0, not all of them 0."""
    try:
        weights = numbers(text)
    except ValueError:
        raise ValueError(EXPECTED_WEIGHTS) from None
    if min(weights) < 0 or not any(weights):
        raise ValueError(EXPECTED_WEIGHTS)
    return weights


WEIGHTS = Param("weights", parse_weights, (), "one number per run; empty: equal weights")
