"""The forms of comparisons, of the power of a comparison, and of the plan of an experiment."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from assay.comparison import Pair, RunNoise, Unjudged
from assay.evaluation import SavedInterval
from assay.schemas.written_form import Optional, written_form
from assay.stats import Design, Power

Figures = dict[str, dict[str, float | None]]
"""System → metric → value, or query → system → score."""
UNJUDGED = ("metric", "a", "b", "are_apart", "is_missing")
"""Fields of Unjudged that are not written."""
UnjudgedForm = written_form("Unjudged", Unjudged, *UNJUDGED, unknown=str | None)
DECISION = {"is_significant": bool | None, "better": str | None}
PairForm = written_form("Pair", Pair, **DECISION, unjudged=Optional(UnjudgedForm))
SlicePairForm = written_form("SlicePair", Pair, **DECISION, by=str, slice=str)
NoiseForm = written_form("Noise", RunNoise, is_lower_bound=bool)
DesignForm = written_form("Design", Design)


class How(msgspec.Struct):
    """How systems were compared."""

    baseline: str | None
    test: str
    correction: str
    alpha: float
    interval: str
    correct_metrics: bool
    tolerance: float
    rope: float
    seed: int
    cluster: str | UnsetType = UNSET
    test_of_estimates: str | UnsetType = UNSET
    test_of_all_lists: str | UnsetType = UNSET


class Overall(msgspec.Struct):
    """The test of all systems together."""

    statistic: float | None
    df: list[float | None]
    p: float | None
    p_corrected: float | None


class Place(msgspec.Struct):
    """The grade of a relevant document, and its rank in both systems."""

    grade: float
    rank_a: int | None
    rank_b: int | None


class Mover(msgspec.Struct):
    """A query whose score changed much."""

    query: str
    text: str
    metric: str
    a: str
    b: str
    score_a: float | None
    score_b: float | None
    difference: float | None
    improvement: float | None
    error_a: str | None
    error_b: str | None
    ranking_a: list[str]
    ranking_b: list[str]
    relevant: dict[str, Place]


class ComparedSlices(msgspec.Struct):
    """The comparison in each slice."""

    n_comparisons: int
    correction: str
    verdict: str
    remarks: list[str]
    slices: list[SlicePairForm]  # type: ignore[valid-type]


class ComparisonForm(msgspec.Struct):
    """One comparison."""

    systems: list[str]
    metrics: list[str]
    n_queries: int
    how: How
    n_comparisons: int
    summary: Figures
    failed: dict[str, int]
    pairs: list[PairForm]  # type: ignore[valid-type]
    verdict: str
    doubts: list[str]
    notes: list[str]
    remarks: list[str]
    intervals: dict[str, dict[str, SavedInterval]]
    per_query: dict[str, Figures]
    benchmark: str | UnsetType = UNSET
    slice: str | UnsetType = UNSET
    n_left_out: int | UnsetType = UNSET
    n_clusters: int | UnsetType = UNSET
    judgments: list[dict[str, Any]] | UnsetType = UNSET
    noise: list[NoiseForm] | UnsetType = UNSET  # type: ignore[valid-type]
    overall: dict[str, Overall] | UnsetType = UNSET
    movers: list[Mover] | UnsetType = UNSET
    slices: ComparedSlices | UnsetType = UNSET
    worst_slices: dict[str, Any] | UnsetType = UNSET
    agreement: list[dict[str, Any]] | UnsetType = UNSET
    stability: list[dict[str, Any]] | UnsetType = UNSET


class ComparisonFile(msgspec.Struct):
    """Comparisons, one for each benchmark."""

    schema: str
    comparisons: list[ComparisonForm]


class Needed(msgspec.Struct):
    """The number of queries that detect a difference."""

    target: float
    needed: int | None


StudyForm = written_form(
    "Study",
    Power,
    **dict.fromkeys(("metric", "a", "b", "verdict", "sentence"), str),
    **dict.fromkeys(("difference", "low", "high", "p"), float | None),
    n_changed=int,
    others=list[Needed],
    benchmark=Optional(str),
)


class PowerFile(msgspec.Struct):
    """What the queries of comparisons can detect."""

    schema: str
    studies: list[StudyForm]  # type: ignore[valid-type]


class QueryPlanFile(msgspec.Struct):
    """The number of queries that an experiment needs."""

    schema: str
    power: float
    alpha: float
    guess: str
    designs: list[DesignForm]  # type: ignore[valid-type]


class TestedPair(msgspec.Struct):
    """Two systems."""

    a: str
    b: str
    difference: float | None
    p: float | None


class Discrimination(msgspec.Struct):
    """How many pairs a metric tells apart."""

    metric: str
    share: float | None
    n_apart: int
    n_pairs: int
    median_p: float | None
    smallest_difference: float | None
    pairs: list[TestedPair]


class DiscriminationGroup(msgspec.Struct):
    """The metrics on one benchmark."""

    systems: list[str]
    n_queries: int
    test: str
    alpha: float
    seed: int
    metrics: list[Discrimination]
    left_out: list[str]


class DiscriminationFile(msgspec.Struct):
    """Which metrics tell systems apart."""

    schema: str
    groups: list[DiscriminationGroup]
