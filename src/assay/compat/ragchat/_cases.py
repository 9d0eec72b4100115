"""Cases: what is relevant to a query, by list and by grade, and what was retrieved for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.compat._credited_once import credited_once
from assay.compat.ragchat._ids import id_list, relevant_grades
from assay.errors import DataError
from assay.metrics import REL, BoundMetric
from assay.model import IDS
from assay.text import shortened

Truth = dict[str, float]
"""Relevant id → grade."""


class Case(NamedTuple):
    """One query. A document that is listed and has no grade is relevant, though it gains nothing."""

    listed: Truth
    """What metrics go by that ask whether a document is relevant, as `hit_at_k` and its neighbours do."""
    graded: Truth
    """What metrics go by that ask how relevant it is, as `ndcg_at_k` does."""
    ranked: list[str]
    """What was retrieved, best first."""

    def truth(self, metric: BoundMetric) -> Truth:
        """What a metric holds the ranking against."""
        return self.listed if _asks_whether(metric) else self.graded


def read_case(query: Mapping[str, Any], hits: Sequence[Any], *, is_graded: bool) -> Case:
    """A query with `relevant_docs`, and its hits; without grades every relevant document counts 1."""
    if not isinstance(query, Mapping) or "relevant_docs" not in query:
        raise DataError(f"a query is a map with relevant_docs, found {shortened(query)}")
    relevant = query["relevant_docs"]
    listed = relevant_grades(relevant, None)
    graded = relevant_grades(relevant, query.get("relevance_grades"))
    if not is_graded:
        graded = {doc: float(grade > 0) for doc, grade in listed.items()}
    ids = id_list(hits) if isinstance(hits, str) else [_id_of(hit) for hit in hits]
    return Case(listed, graded, credited_once(ids))


def own_results(query: Mapping[str, Any]) -> Sequence[Any]:
    """The results that a query brings along."""
    found = query.get("retrieval_results") if isinstance(query, Mapping) else None
    if found is None:
        raise DataError(f"a query without retrieval_results: give them beside the queries, or in each; {shortened(query)}")
    return found


def _asks_whether(metric: BoundMetric) -> bool:
    """Whether a metric has a relevance level, nobody set it, and grades are worth nothing more to it."""
    if REL not in metric.metric.params or metric.params[REL.name] is not None:
        return False
    return metric.params.get("gain", "binary") == "binary"


def _id_of(hit: Any) -> Any:
    if not isinstance(hit, Mapping):
        return hit
    found = next((hit[name] for name in ("id", *IDS) if hit.get(name) is not None), None)
    if found is None:
        raise DataError(f"a retrieved document needs an id, found {shortened(dict(hit))}")
    return found
