"""The forms of files that users write: plans and rules. An editor checks a YAML file against their schemas.

A text with `${NAME}` may stand for any single value, because environment variables are filled in when a plan is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import UNSET, Meta, UnsetType

from assay.model import Policy

VARIABLE = r"\$\{"
FLAG_WORDS = ("true", "false", "yes", "no", "on", "off")
WORDS = "|".join(spelling for word in FLAG_WORDS for spelling in (word, word.title(), word.upper()))
Name = Annotated[str, Meta(min_length=1)]
Names = Name | list[Name]
Flag = bool | Annotated[str, Meta(pattern=rf"^({WORDS})$|{VARIABLE}")] | None
Whole = Annotated[int, Meta(ge=0)] | Annotated[str, Meta(pattern=rf"^[0-9]+$|{VARIABLE}")] | None
Amount = int | float | Annotated[str, Meta(pattern=rf"^[-+0-9.]|{VARIABLE}")] | None
Entries = Name | dict[str, Any] | list[Name | dict[str, Any]]
"""Providers or chunkers: `bm25(k1=0.9)`, `{bm25: {k1: 0.9}}`, or a list."""
Severity = Literal["warn", "fail"]


def _policy_field(field: Field[Any]) -> tuple[str, Any, Any]:
    """A field of a policy; its choices can be written with - or _."""
    if choices := field.metadata.get("choices"):
        spellings = tuple(dict.fromkeys(spelling for choice in choices for spelling in (choice, choice.replace("_", "-"))))
        return field.name, Union[Literal[spellings], None, UnsetType], UNSET  # noqa: UP007 (known only at run time)
    return field.name, Union[Flag if isinstance(field.default, bool) else Amount, UnsetType], UNSET  # noqa: UP007


def _policy_fields() -> Iterator[tuple[str, Any, Any]]:
    return map(_policy_field, fields(Policy))


PolicyBlock = msgspec.defstruct("PolicyBlock", _policy_fields(), forbid_unknown_fields=True)


class SelectionBlock(msgspec.Struct, forbid_unknown_fields=True):
    """Which queries are sent."""

    limit: Whole | UnsetType = UNSET
    sample: Whole | UnsetType = UNSET
    seed: Whole | UnsetType = UNSET
    where: dict[str, Any] | Names | UnsetType | None = UNSET
    range: str | UnsetType | None = UNSET


class RelevanceBlock(msgspec.Struct, forbid_unknown_fields=True):
    """How relevance is decided."""

    by: Name | UnsetType = UNSET
    unit: Literal["as_retrieved", "chunk", "document"] | UnsetType = UNSET
    id_map: str | dict[str, Any] | UnsetType | None = UNSET
    missing_documents: Literal["keep", "drop"] | UnsetType = UNSET


class StatisticsBlock(msgspec.Struct, forbid_unknown_fields=True):
    """Intervals and tests; true stands for the usual method."""

    confidence_intervals: bool | str | UnsetType | None = UNSET
    significance_testing: bool | str | UnsetType | None = UNSET
    correct_metrics: Flag | UnsetType = UNSET
    alpha_level: Amount | UnsetType = UNSET


class PerformanceBlock(msgspec.Struct, forbid_unknown_fields=True):
    """Settings that affect only speed."""

    batch_size: Whole | UnsetType = UNSET
    caching_enabled: Flag | UnsetType = UNSET
    parallel_processing: Flag | UnsetType = UNSET


class MetricsBlock(msgspec.Struct, forbid_unknown_fields=True):
    """`retrieval_metrics`: another way to write metrics and statistics."""

    enabled_metrics: Names | UnsetType | None = UNSET
    graded_relevance: Flag | UnsetType = UNSET
    statistical_analysis: StatisticsBlock | UnsetType | None = UNSET
    performance: PerformanceBlock | UnsetType | None = UNSET


class ExperimentBlock(msgspec.Struct, forbid_unknown_fields=True):
    """The settings of an A/B test in a log."""

    by: Name | UnsetType = UNSET
    control: Name | int | UnsetType = UNSET
    split: Name | dict[str, float] | UnsetType = UNSET
    start: Name | UnsetType = UNSET
    sequential: bool | UnsetType = UNSET
    window: float | UnsetType = UNSET
    correction: Name | UnsetType = UNSET
    correct_metrics: bool | UnsetType = UNSET


class InterleavingBlock(msgspec.Struct, forbid_unknown_fields=True):
    """The settings of interleaved rankings in a log."""

    names: list[Name] | UnsetType = UNSET
    test: Name | UnsetType = UNSET


class LogBlock(msgspec.Struct, forbid_unknown_fields=True):
    """A search log that a plan scores, or reads as an experiment."""

    path: Names
    name: str | UnsetType | None = UNSET
    first_rank: Whole | UnsetType = UNSET
    most_per_hour: Whole | UnsetType = UNSET
    cluster: Name | UnsetType = UNSET
    experiment: ExperimentBlock | bool | UnsetType | None = UNSET
    interleaving: InterleavingBlock | bool | UnsetType | None = UNSET


class PlanFile(msgspec.Struct, forbid_unknown_fields=True):
    """A plan of an evaluation. Flags of assay eval can set keys that are missing here."""

    benchmarks: Names | UnsetType | None = UNSET
    queries: Names | UnsetType | None = UNSET
    logs: Name | LogBlock | list[Name | LogBlock] | UnsetType | None = UNSET
    dataset_format: str | UnsetType | None = UNSET
    documents: Name | UnsetType | None = UNSET
    columns: Names | dict[str, Any] | UnsetType | None = UNSET
    lenient: bool | int | float | str | UnsetType | None = UNSET
    as_of: str | int | float | UnsetType | None = UNSET
    vectors: Name | UnsetType | None = UNSET
    popularity: Name | UnsetType | None = UNSET
    chunkers: Entries | UnsetType | None = UNSET
    providers: Entries | UnsetType | None = UNSET
    metrics: Names | UnsetType | None = UNSET
    k: Whole | UnsetType = UNSET
    relevance: Name | RelevanceBlock | UnsetType | None = UNSET
    unit: Literal["as_retrieved", "chunk", "document"] | UnsetType | None = UNSET
    id_map: str | dict[str, Any] | UnsetType | None = UNSET
    profile: Name | UnsetType | None = UNSET
    policy: PolicyBlock | UnsetType | None = UNSET  # type: ignore[valid-type]
    selection: SelectionBlock | UnsetType | None = UNSET
    concurrency: Whole | UnsetType = UNSET
    timeout: Amount | UnsetType = UNSET
    index_timeout: Amount | UnsetType = UNSET
    retries: Whole | UnsetType = UNSET
    batch_size: Whole | UnsetType = UNSET
    cache: Flag | UnsetType = UNSET
    strict: Flag | UnsetType = UNSET
    outputs: Names | UnsetType | None = UNSET
    seed: Whole | UnsetType = UNSET
    statistical_analysis: StatisticsBlock | UnsetType | None = UNSET
    retrieval_metrics: MetricsBlock | UnsetType | None = UNSET
    by: Names | UnsetType | None = UNSET
    repeats: Whole | UnsetType = UNSET
    missing_documents: Literal["keep", "drop"] | UnsetType | None = UNSET
    ontology: str | UnsetType | None = UNSET
    annotations: str | UnsetType | None = UNSET
    labels: Any = UNSET
    fields: Any = UNSET


class RuleMap(msgspec.Struct, forbid_unknown_fields=True):
    """A rule as a map: `{rule: mrr >= 0.3, severity: warn}`; or `{warn: mrr >= 0.3}` alone."""

    rule: Name | UnsetType = UNSET
    severity: Severity | UnsetType = UNSET
    undecided: Severity | UnsetType = UNSET
    where: dict[str, Any] | Names | UnsetType = UNSET
    on: str | UnsetType = UNSET
    warn: Name | UnsetType = UNSET
    fail: Name | UnsetType = UNSET


ONE_RULE = {
    "oneOf": [
        {"required": ["rule"], "properties": {"warn": False, "fail": False}},
        {"required": ["warn"], "maxProperties": 1},
        {"required": ["fail"], "maxProperties": 1},
    ]
}
"""Which keys of a rule go together; msgspec cannot express this."""
Rules = Annotated[list[Name | RuleMap], Meta(min_length=1)]


class RulesMap(msgspec.Struct, forbid_unknown_fields=True):
    """Rules with what applies to all of them."""

    rules: Rules
    undecided: Severity | UnsetType = UNSET
    guard: str | UnsetType = UNSET
    queries: Literal["fresh", "fixed"] | UnsetType = UNSET


RulesFile = RulesMap | Rules
"""A file of rules: a map, or only the list."""
