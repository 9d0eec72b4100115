"""The forms of gates, of drift and of histories."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from assay.comparison import Unjudged
from assay.monitoring import Drift, Finding, Moved, Point, RunPoint
from assay.schemas.comparison_forms import UNJUDGED, NoiseForm
from assay.schemas.written_form import written_form

MovedForm = written_form("Moved", Moved)
VerdictForm = written_form(
    "Verdict",
    Finding,
    **dict.fromkeys(("rule", "status", "benchmark", "provider"), str),
    **dict.fromkeys(("place", "baseline", "slice"), str | None),
    moved=list[MovedForm],  # type: ignore[valid-type]
)
UnjudgedCaseForm = written_form(
    "UnjudgedCase", Unjudged, *UNJUDGED, unknown=str | None, benchmark=str, provider=str, metric=str
)
PointForm = written_form("Point", Point, "result")


class GuardUse(msgspec.Struct):
    """How often a guard was used."""

    guard: str
    used: int
    of: int
    alpha: float | None
    is_new: bool


class GateFile(msgspec.Struct):
    """What a gate decided."""

    schema: str
    passed: bool
    exit_code: int
    broken: str | None
    baseline: str | None
    counts: dict[str, int]
    verdicts: list[VerdictForm]  # type: ignore[valid-type]
    guards: list[GuardUse]
    notes: list[str]
    unjudged: list[UnjudgedCaseForm]  # type: ignore[valid-type]
    noise: list[NoiseForm] | UnsetType = UNSET  # type: ignore[valid-type]


class RuleCheck(msgspec.Struct):
    """What a rule could notice."""

    rule: str
    place: str | None
    n: int | None
    chance: float | None
    text: str
    warning: str | None
    is_assumed: bool


class GateCheckFile(msgspec.Struct):
    """What the rules of a file could notice."""

    schema: str
    rules: list[RuleCheck]


class Alike(msgspec.Struct):
    """A query, and how similar its two rankings are."""

    query: str
    rbo: float | None


DriftFile = written_form("DriftFile", Drift, schema=str, least_alike=list[Alike], findings=list[str])


class ChangedPart(msgspec.Struct):
    """Something that differs between two evaluations."""

    part: str
    text: str


class Change(msgspec.Struct):
    """A step, a spike or a drift."""

    kind: str
    evaluation: str
    started: str
    place: int
    compared_with: str
    before: float | None
    after: float | None
    is_worse: bool | None
    p: float | None
    is_shown_beyond_queries: bool | None
    worse: list[str]
    n_worse: int
    n_better: int
    changed: list[ChangedPart]


class Series(msgspec.Struct):
    """The values of a provider on a benchmark, the earliest first."""

    benchmark: str
    provider: str
    metric: str
    data: str | None
    points: list[PointForm]  # type: ignore[valid-type]
    changes: list[Change]
    doubt: str | None


class HistoryFile(msgspec.Struct):
    """The values of all evaluations in a store."""

    schema: str
    metric: str
    series: list[Series]


RunForm = written_form("Run", RunPoint, "result", "comparable")


class ChangeSinceForm(msgspec.Struct):
    """How the newest run of a series differs from an earlier run."""

    baseline: str | None
    evaluation: str | None
    place: int | None
    started: str | None
    standing: str | None
    why_not: str | None
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    is_significant: bool | None
    n: int
    worse: list[str]
    n_worse: int
    n_better: int


class SeriesStatus(msgspec.Struct):
    """What is known about the newest run of a series."""

    benchmark: str
    provider: str
    data: str | None
    metric: str
    higher_is_better: bool
    standing: str
    newest: RunForm  # type: ignore[valid-type]
    previous: ChangeSinceForm
    baseline: ChangeSinceForm | None
    error: str | None
    values: list[float | None]
    changes: list[Change]
    compare: list[str] | None


class StatusFile(msgspec.Struct):
    """Every series of a store, what got worse first."""

    schema: str
    heading: str
    counts: dict[str, int]
    series: list[SeriesStatus]
