"""The form of saved results: the fields that they have in a file, in an export and in the store.

Unknown fields are an error, except in provenance, relevance and what providers report. These may have more fields than are
listed here; the fields that are listed must have the right type.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import msgspec

from assay.errors import UsageError
from assay.model import Policy
from assay.schema import Count, Number, SchemaError, at_key, check_depth, check_plain

SCHEMA = "assay.result/1"
COUNT_NAMES = ("judged", "scored", "missing", "without_relevant", "extra")
"""The counts that every result has."""
POLICY_FIELDS = frozenset(field.name for field in fields(Policy))

Scores = dict[str, dict[str, float | str | None]]
"""Query → metric → score."""
Pairs = dict[str, dict[str, float]]
"""Query → document → number."""


class SavedInterval(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A confidence interval; an unknown end is null."""

    low: float | None
    high: float | None
    level: float
    method: str
    cluster: str = ""
    n_clusters: Count = 0


class SavedDirection(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Whether higher is better for a custom metric."""

    higher_is_better: bool


class SavedQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The text of a query, and the tags that it can be sliced by."""

    text: str
    tags: dict[str, str]


class SavedDataset(msgspec.Struct, frozen=True):
    """The fields of the dataset that are read from a provenance."""

    name: str = ""
    version: str = ""
    format: str = ""
    fingerprints: dict[str, str] = {}


class SavedProvider(msgspec.Struct, frozen=True):
    """The fields of the provider that are read."""

    name: str = ""
    configuration: dict[str, Any] = {}


class SavedRepository(msgspec.Struct, frozen=True):
    """The fields of the repository that are read; `dirty` is null if it is unknown whether files differ from the commit."""

    commit: str
    dirty: bool | None = False


class SavedChunks(msgspec.Struct, frozen=True):
    """The fields about chunking that are read."""

    n: Count
    seconds: float
    chunker: Any = None
    characters: dict[str, float | None] = {}
    tokens: dict[str, float | None] = {}
    remarks: dict[str, Count] = {}


class SavedExpert(msgspec.Struct, frozen=True):
    """How often one expert was chosen, and how often it should have been."""

    expert: str
    routed: Count
    optimal: Count
    right: Count
    precision: float | None
    recall: float | None


class SavedGate(msgspec.Struct, frozen=True):
    """The counts of a retrieval gate."""

    saved: Count
    wrongly_skipped: Count
    wasted: Count
    retrieved: Count


class SavedRouting(msgspec.Struct, frozen=True):
    """The fields about routing that are read."""

    experts: list[SavedExpert] = []
    confusion: dict[str, dict[str, Count]] = {}
    gate: SavedGate | None = None


class SavedProvenance(msgspec.Struct, frozen=True):
    """The fields of a provenance that are read."""

    dataset: SavedDataset = SavedDataset()
    provider: SavedProvider = SavedProvider()
    chunks: SavedChunks | msgspec.UnsetType = msgspec.UNSET
    routing: SavedRouting = SavedRouting()
    latency_ms: dict[str, float | None] | None = None
    seconds: dict[str, float | None] | None = None
    counts: dict[str, Count] | None = None
    queries_per_second: float | None = None
    repository: SavedRepository | None = None
    packages: dict[str, str] = {}
    final: list[str] = []
    evaluation: str | None = None
    started: str | None = None
    finished: str | None = None
    k: Count | None = None
    longest_ranking: Count | None = None
    repeats: Count | None = None
    seed: Number | str | None = None
    assay: str = ""
    python: str = ""
    platform: str = ""


class SavedRelevance(msgspec.Struct, frozen=True):
    """The fields about relevance that are read."""

    strategy_used: str = "qrels"
    strategy_counts: dict[str, Count] = {}
    relevant: Count | None = None
    token_threshold: float | None = None
    semantic_threshold: float | None = None
    semantic_model: str | None = None
    unit: str | None = None
    documents_read: dict[str, dict[str, str]] = {}


class SavedRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """All of a result except its scores, queries and rankings."""

    name: str
    summary: dict[str, float | None]
    counts: dict[str, Count]
    policy: dict[str, Any]
    missing: list[str]
    notes: list[str]
    profile: str = ""
    policies: dict[str, dict[str, Any]] = {}
    tie_bands: dict[str, dict[str, float | str | None]] = {}
    residuals: dict[str, dict[str, float | str | None]] = {}
    intervals: dict[str, SavedInterval] = {}
    beside: list[str] = []
    benchmark: str = ""
    ties: dict[str, Any] = {}
    relevance: dict[str, Any] = {}
    failures: dict[str, str] = {}
    provenance: dict[str, Any] = {}
    made_of: dict[str, list[list[float | None]]] = {}
    repeats: dict[str, list[list[float | None]]] = {}
    fingerprints: dict[str, str] = {}
    own_metrics: dict[str, SavedDirection] = {}
    nonrelevant: dict[str, dict[str, Number]] = {}
    said: dict[str, dict[str, Any]] = {}

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if lacking := [name for name in COUNT_NAMES if name not in self.counts]:
            raise SchemaError("required field is missing", f"counts.{lacking[0]}")
        self.policy_of()
        for name, changes in self.policies.items():
            if unknown := sorted(changes.keys() - POLICY_FIELDS):
                raise SchemaError(f"no convention is called {unknown[0]!r}", at_key("policies", name))
        for name in ("ties", "provenance", "relevance", "said"):
            check_depth(getattr(self, name), name)
        check_plain(self.provenance, SavedProvenance, "provenance")
        check_plain(self.relevance, SavedRelevance, "relevance")
        if self.relevance.get("strategy_used") == "mixed" and "strategy_counts" not in self.relevance:
            raise SchemaError("required field is missing", "relevance.strategy_counts")

    def is_higher_better(self, metric: str) -> bool:
        """Whether higher is better for a metric that is not in the catalog; true unless the record says otherwise."""
        own_metric = self.own_metrics.get(metric)
        return own_metric is None or own_metric.higher_is_better

    def policy_of(self) -> Policy:
        """The policy; a SchemaError if a value is not valid."""
        if unknown := sorted(self.policy.keys() - POLICY_FIELDS):
            raise SchemaError(f"no convention is called {unknown[0]!r}", "policy")
        try:
            return Policy(**self.policy)
        except (UsageError, TypeError) as error:  # a value that is not hashable raises TypeError
            raise SchemaError(str(error), "policy") from None


class SavedResult(SavedRecord, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A whole result, as `Result.to_dict` returns it."""

    per_query: Scores
    queries: dict[str, SavedQuery] = {}
    run: Pairs = {}
    reruns: dict[str, list[dict[str, float]]] = {}
    relevant: Pairs = {}
    per_query_bands: dict[str, Any] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = iter(self.per_query.items())
        first = next(rows, None)
        if first is None:
            return
        names = first[1].keys()
        for query, row in rows:
            if row.keys() != names:
                odd = min(row.keys() ^ names)
                raise SchemaError(
                    f"expected the same metrics as for {first[0]!r}, found a difference in {odd!r}",
                    at_key("per_query", query),
                )
        if unknown := self.summary.keys() - names:
            raise SchemaError("no query has a score for this metric", at_key("summary", min(unknown)))
        for name in names:
            kinds = {type(row[name]) for row in self.per_query.values()}
            if str in kinds and len(kinds) > 1:
                raise SchemaError(f"expected numbers or texts for {name!r}, found both", "per_query")


class SavedFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A file of saved results."""

    schema: str
    results: Annotated[list[SavedResult], msgspec.Meta(min_length=1)]
    slices: Any = None
    risk_coverage: Any = None
