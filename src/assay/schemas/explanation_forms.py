"""The forms of explanations, and of the report on a user's metric code."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType


class MovedScore(msgspec.Struct):
    """A query whose score differs; null if it is not counted."""

    query: str
    ours: float | None
    theirs: float | None
    highest: float | UnsetType | None = UNSET


class Figure(msgspec.Struct):
    """The value with a tool or with conventions."""

    tool: str | None
    with_option: bool
    value: float | None
    band: list[float | None] | None
    fault: str | None
    is_lacking: bool
    is_undefined: bool
    conventions: list[str]
    reproduce: str | None
    n_queries_changed: int
    queries: list[MovedScore]


class MetricExplanation(msgspec.Struct):
    """What gives a metric its value."""

    metric: str
    start: str
    value: float | None
    expected: float | None
    given: str | None
    matches: list[Figure]
    is_cut: bool
    nearest: Figure | None
    tools: list[Figure]
    conventions: list[Figure]
    notes: list[str]
    is_coincidence: bool
    """Whether only a pair of conventions gives the number."""
    tie_band: list[float | None] | None
    """The lowest and highest value over all orders of ties, if only an order of ties gives the number."""


class Finding(msgspec.Struct):
    """Something in which two results differ."""

    what: str
    first: str
    second: str
    matters: bool


class Redefined(msgspec.Struct):
    """Two metrics of the same name."""

    first: str
    second: str
    values: list[float | None]
    words: str


class ComparedMetric(msgspec.Struct):
    """A metric that both results have."""

    first: float | None
    second: float | None
    first_shared: float | None
    second_shared: float | None
    only_first: list[str]
    only_second: list[str]
    moved: dict[str, list[float | None]]


class Difference(msgspec.Struct):
    """Why two results differ."""

    first: str
    second: str
    verdict: str
    findings: list[Finding]
    same_judgments: bool | None
    same_rankings: bool | None
    fingerprints: list[dict[str, str]]
    redefined: list[Redefined]
    metrics: dict[str, ComparedMetric]


class WhyFile(msgspec.Struct):
    """Explanations of metrics, or of the differences of results."""

    schema: str
    metrics: list[MetricExplanation] | UnsetType = UNSET
    results: list[Difference] | UnsetType = UNSET


class Counts(msgspec.Struct):
    """Numbers of cases."""

    agree: int
    wrong: int
    skipped: int


class Convention(msgspec.Struct):
    """A convention that an answer follows."""

    topic: str
    convention: str


class Case(msgspec.Struct):
    """One case, and the answer to it."""

    id: str
    topic: str
    metric: str
    verdict: str
    value: Any
    error: str
    says: str
    conventions: list[Convention]
    expected: dict[str, list[str]]
    reason: str
    working: str


class Topic(msgspec.Struct):
    """The conventions that the code follows in a topic."""

    topic: str
    conventions: list[str]
    mixed: bool
    seen: dict[str, list[str]]
    in_assay: str


class ConformanceFile(msgspec.Struct):
    """The report on metric code."""

    schema: str
    passed: bool
    counts: Counts
    tolerance: float
    diagnosis: str
    cases: list[Case]
    conventions: list[Topic]
    profiles: dict[str, int]
