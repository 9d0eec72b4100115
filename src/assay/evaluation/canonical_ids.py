"""Canonical ids: judgments and rankings with one id for each document, if a domain knows several ids for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from assay.files import as_source, brings_hits, hits_of
from assay.model import Hit, Qrels, Rankings, Run


@dataclass(frozen=True)
class CanonicalIds:
    """Replaces ids by canonical ids, which a function returns."""

    id_of: Callable[[str], str]
    """Any id of a document → its canonical id."""

    def of_rankings(self, by_query: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]]:
        """Query → grades or scores by canonical id; the same object if no id changes."""
        changed = {query for query, values in by_query.items() if any(self.id_of(doc_id) != doc_id for doc_id in values)}
        if not changed:
            return by_query
        return {query: self._best(values) if query in changed else values for query, values in by_query.items()}

    def _best(self, values: Mapping[str, float]) -> dict[str, float]:
        """Grades or scores by canonical id; if a document has several ids, the best value counts."""
        by_id: dict[str, float] = {}
        for doc_id, value in values.items():
            own = self.id_of(doc_id)
            by_id[own] = max(value, by_id.get(own, value))
        return by_id

    def of_run(self, run: Any, duplicates: str) -> tuple[Any, list[str]]:
        """A run of any type with canonical ids, and all its original ids; hits keep their texts."""
        source = as_source(run)
        hits = hits_of(source) if brings_hits(source) else None
        if hits is not None:
            retrieved = [hit.doc_id for hit in chain(*hits.values())]
            return {query: self._hits(some) for query, some in hits.items()}, retrieved
        read = source if isinstance(source, Run) else Run(source, duplicates=duplicates)
        by_query = dict(zip(read.query_ids, read.rankings, strict=True))
        canonical = self.of_rankings(by_query)
        retrieved = list(chain.from_iterable(read.rankings))
        if canonical is by_query:
            return read, retrieved
        return Run.borrow(Rankings({query: dict(ranking) for query, ranking in canonical.items()}, read.tag)), retrieved

    def _hits(self, hits: Sequence[Hit]) -> list[Hit]:
        """Hits by canonical id, each at the place of its best hit. Duplicates of one id stay, to be reported later."""
        best: dict[str, Hit] = {}
        for hit in hits:
            own = self.id_of(hit.doc_id)
            if own not in best or hit.score > best[own].score:
                best[own] = hit
        best_ids = {id(hit) for hit in best.values()}
        same = {hit.doc_id for hit in best.values()}
        return [replace(hit, doc_id=self.id_of(hit.doc_id)) for hit in hits if id(hit) in best_ids or hit.doc_id in same]

    def of_judgments(self, qrels: Qrels) -> Qrels:
        """Judgments by canonical id; judgments with subtopics do not change."""
        if qrels.subtopics is not None:
            return qrels
        judged = {query: qrels[query] for query in qrels}
        canonical = self.of_rankings(judged)
        return qrels if canonical is judged else Qrels(canonical)
