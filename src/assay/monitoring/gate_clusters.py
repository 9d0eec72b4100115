"""Clusters of queries in a gate: queries that share a value of a tag are tested together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.errors import UsageError
from assay.evaluation import clusters_inside, clusters_of
from assay.monitoring.case import Case
from assay.monitoring.rule import Rule
from assay.text import counted


def clustered(cases: Sequence[Case], rules: Sequence[Rule], cluster: str | None) -> list[Case]:
    """The cases with clusters by a tag; unchanged without a tag. An unknown tag is an error with the known ones.

    Rules for fresh queries add up the evidence of single queries, so they are refused.
    """
    if not cluster:
        return list(cases)
    if any(rule.terms.guard is not None and rule.terms.guard.is_fresh for rule in rules):
        raise UsageError("queries: fresh adds up the evidence of single queries, so it cannot be used with --cluster")
    for case in cases:
        clusters_of([case.now, *([case.before] if case.before else [])], cluster)
    return [replace(case, cluster=cluster) for case in cases]


def notes_on_clusters(cases: Sequence[Case]) -> list[str]:
    """How many clusters there are; equal notes once."""
    notes = []
    for case in cases:
        if case.cluster:
            n = clusters_inside([case.now, *([case.before] if case.before else [])], case.cluster).n
            notes.append(f"{counted(case.n_queries, case.unit)} in {counted(n, 'cluster')} by {case.cluster}")
    return list(dict.fromkeys(notes))
