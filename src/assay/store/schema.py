"""Schema: the tables of a store, the same in SQLite and PostgreSQL.

Their names begin with assay_, because a database may have other tables. This is the newest layout. Every change to it also
needs a new migration; see `migrations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from assay.store.packing import digest_of, pack_json

METADATA = MetaData()
"""All tables."""

SCHEMA = Table(
    "assay_schema",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("migrated", Text, nullable=False),
    Column("assay", Text, nullable=False),
)
"""One row for each migration that was done; the largest version is that of the layout."""

PAYLOADS = Table(
    "assay_payloads",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)
"""Scores, rankings, queries and grades, compressed, by digest: equal rankings are stored once."""

DATASETS = Table(
    "assay_datasets",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("queries", Text, ForeignKey("assay_payloads.digest"), index=True),
)
"""Benchmarks of results: name, version and fingerprints as JSON, and the queries with their tags."""

EVALUATIONS = Table(
    "assay_evaluations",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("started", Text, nullable=False),
    Column("saved", Text, nullable=False),
    Column("plan", LargeBinary, nullable=False),
    Column("identity", Text),
    Index("assay_evaluations_saved", "saved", "number"),
    Index("assay_evaluations_identity", "identity", unique=True),
    sqlite_autoincrement=True,
)
"""One row for each `assay eval`; `digest` is the digest of the plan and of all its results.

`identity` is equal if an evaluation was interrupted after it was saved and then resumed; None if unknown.
"""

RESULTS = Table(
    "assay_results",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("evaluation", Integer, ForeignKey("assay_evaluations.number", ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("benchmark", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("n_queries", Integer, nullable=False),
    Column("n_failed", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("dataset", Text, ForeignKey("assay_datasets.digest"), nullable=False, index=True),
    Column("scores", Text, ForeignKey("assay_payloads.digest"), nullable=False, index=True),
    Column("rankings", Text, ForeignKey("assay_payloads.digest"), index=True),
    Column("relevant", Text, ForeignKey("assay_payloads.digest"), index=True),
    Column("comparable", Text),
    Column("blessed", Text),
    Column("rows_are", Text, nullable=False, server_default="query"),
    UniqueConstraint("evaluation", "place"),
    Index("assay_results_series", "benchmark", "provider", "started"),
    sqlite_autoincrement=True,
)
"""One row for each benchmark and provider; `place` is its position in the evaluation.

`comparable` is equal if values can be compared; `blessed` is when a result was last made a baseline, if ever; `rows_are`
says what `n_queries` counts: queries, or users of a search log.
"""

FIGURES = Table(
    "assay_figures",
    METADATA,
    Column("result", Integer, ForeignKey("assay_results.number", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("metric", Text, nullable=False),
    Column("value", Float(53)),
    Column("low", Float(53)),
    Column("high", Float(53)),
    Column("n", Integer, nullable=False),
    Column("documents_read", Text),
)
"""The summaries, for lists and history; None if undefined.

`documents_read` is a digest of what the metric read about documents, such as their tags; None if it read nothing.
"""

TAGS = Table(
    "assay_tags",
    METADATA,
    Column("evaluation", Integer, ForeignKey("assay_evaluations.number", ondelete="CASCADE"), primary_key=True),
    Column("tag", Text, primary_key=True, index=True),
)
NOTES = Table(
    "assay_notes",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("evaluation", Integer, ForeignKey("assay_evaluations.number", ondelete="CASCADE"), nullable=False, index=True),
    Column("text", Text, nullable=False),
    Column("written", Text, nullable=False),
)
BASELINES = Table(
    "assay_baselines",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("evaluation", Integer, ForeignKey("assay_evaluations.number"), nullable=False, index=True),
    Column("part", Text, nullable=False),
    Column("blessed", Text, nullable=False),
)
"""Baselines by name; `part` is a result of the evaluation, or empty for all results."""

JUDGMENTS = Table(
    "assay_judgments",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("benchmark", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("grade", Float(53), nullable=False),
    Column("reason", Text, nullable=False),
    Column("judged", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text_digest", Text, nullable=False),
    Column("pool", Text, nullable=False),
    Column("probability", Float(53)),
    Column("is_settled", Boolean, nullable=False, server_default=false()),
)
"""Grades given after an evaluation, one for each judge, kind and pair; `kind` is people, model or rule, `judged` the time.

`key` is a digest of benchmark, query, document, judge and kind, because ids may be too long for an index. `text_digest` is
the digest of the text that was shown, `probability` that with which the document was drawn from its `pool`. A settled grade
counts instead of those of single judges; it has a key of its own.
"""

UNDECIDED = Table(
    "assay_undecided",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("benchmark", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("judged", Text, nullable=False),
    Column("text_digest", Text, nullable=False),
    Column("pool", Text, nullable=False),
)
"""Pairs that a person could not grade; `key` is a digest of benchmark, query, document and judge."""

QUERY_NOTES = Table(
    "assay_query_notes",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("benchmark", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("written", Text, nullable=False),
)
"""Notes and tags of queries; `kind` is note or tag, `key` a digest of benchmark, query, kind and text."""

GUARDS = Table(
    "assay_guards",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("guard", Text, nullable=False),
    Column("candidate", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("checked", Text, nullable=False),
    UniqueConstraint("guard", "candidate"),
    sqlite_autoincrement=True,
)
"""The different candidates that the guard of a gate has checked; `guard` is a digest of rules, guard and baseline."""


# Comparability: a digest of everything that must be equal if two values are compared. The gate compares two results and
# names the differences; history has thousands of values and needs a digest for each.

DECIDED_BY = ("unit", "token_threshold")
"""The fields of relevance that affect values; the other fields depend on what was retrieved."""
LATER_DECIDED_BY = ("semantic_threshold", "semantic_model")
"""More such fields. They count only if a result has them, so that digests of other results stay as they are."""


def comparable_of(record: Mapping[str, Any], dataset: str) -> str:
    """A digest of the benchmark (itself a digest), the judgments, the policy, the profile and how relevance was decided.

    Judgments that depend on what was retrieved differ for each system, so they do not count. Values of search logs can be
    compared although each log has other users; wins of interleaved rankings only within one log.
    """
    provenance = record.get("provenance", {})
    if "log" in provenance:
        is_paired = "wins_a" in (provenance.get("experiment") or {})
        return digest_of(pack_json(record.get("fingerprints", {})) if is_paired else b"search log")
    relevance = record.get("relevance", {})
    strategy = str(relevance.get("strategy_used", "qrels"))
    is_judged_before = strategy == "qrels" and not _fingerprints(record)
    terms = {
        "dataset": dataset,
        "judgments": record.get("fingerprints", {}).get("judgments") if is_judged_before else None,
        "policy": dict(sorted(record.get("policy", {}).items())),
        "policies": record.get("policies"),
        "profile": record.get("profile", ""),
        "strategy": strategy,
        **{name: relevance.get(name) for name in DECIDED_BY},
        **{name: relevance[name] for name in LATER_DECIDED_BY if name in relevance},
    }
    return digest_of(pack_json(terms))


def documents_read_of(record: Mapping[str, Any], metric: str) -> str | None:
    """A digest of what a metric read about documents; None if nothing is recorded."""
    read = (record.get("relevance", {}).get("documents_read") or {}).get(metric)
    return digest_of(pack_json(dict(sorted(read.items())))) if read else None


def with_documents_read(comparable: str | None, documents_read: str | None) -> str:
    """A digest that is equal if values of one metric can be compared: that of the results, and what the metric read."""
    return f"{comparable or ''}:{documents_read}" if documents_read else comparable or ""


def _fingerprints(record: Mapping[str, Any]) -> Any:
    """The fingerprints of the data of the benchmark, which are part of its digest."""
    return (record.get("provenance", {}).get("dataset") or {}).get("fingerprints")
