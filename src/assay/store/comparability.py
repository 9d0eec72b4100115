"""Comparability: one word for all that must be the same where two figures are compared.

The gate looks at two results and names what differs; history has thousands of figures, and needs a word for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.store.payload import digest_of, pack_json

DECIDED_BY = ("unit", "token_threshold")
"""What of relevance makes figures differ; its counts come from what was retrieved."""


def comparable_of(record: Mapping[str, Any], dataset: str) -> str:
    """A digest of the benchmark (itself a digest), the judgments, the policy, the profile and who decided about relevance.

    Judgments that were made of what was retrieved are each system's own, so they do not count.
    """
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
    }
    return digest_of(pack_json(terms))


def _fingerprints(record: Mapping[str, Any]) -> Any:
    """Of the benchmark's data, which are then part of its digest."""
    return (record.get("provenance", {}).get("dataset") or {}).get("fingerprints")
