"""Preflight of what the reader noted: what it mended, and what it could not use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.datasets._check_spans import stale_sentences
from assay.datasets._dataset import BenchmarkDataset, Repair
from assay.datasets._finding import Case, Cases, Finding
from assay.text import counted

PLACE = re.compile(r"(?:query|question|case) (?P<name>.+)|(?P<scope>.+), question (?P<number>\d+)", re.DOTALL)
"""How readers name a query in the place of a note."""


def check_repairs(dataset: BenchmarkDataset) -> Iterator[Finding]:
    """A loss is an error where a query has no ground truth left. Stale spans have a finding of their own."""
    mended, lost, bereft = Cases("repaired"), Cases("lost"), Cases("ground-truth-lost")
    told = stale_sentences(dataset) if any(repair.is_loss for repair in dataset.repairs) else set()
    for repair in dataset.repairs:
        if repair.is_loss and repair.what in told:
            continue
        query = _query_of(repair, dataset) if repair.is_loss else None
        is_bereft = query is not None and not _has_truth(dataset, query)
        (bereft if is_bereft else lost if repair.is_loss else mended).add(Case(repair.place, repair.what, query))
    n_queries = len({case.query for case in bereft.kept})
    more = " or more" if len(bereft) > len(bereft.kept) else ""
    yield from bereft.finding(f"{counted(n_queries, 'query')}{more} lost all ground truth while the file was read")
    yield from lost.finding(f"{counted(len(lost), 'part')} of the file lost: not used, or not where the file says")
    yield from mended.finding(f"{counted(len(mended), 'part')} of the file mended while it was read")


def _query_of(repair: Repair, dataset: BenchmarkDataset) -> str | None:
    """The query that a note is about, where its place names one."""
    match = PLACE.fullmatch(repair.place)
    if match is None:
        return None
    name = match["name"] or f"{match['scope']}/q{match['number']}"
    return name if name in dataset.queries else None


def _has_truth(dataset: BenchmarkDataset, key: str) -> bool:
    query = dataset.queries[key]
    return bool(dataset.qrels.get(key) or query.evidence or query.expected or dataset.spans.get(key))
