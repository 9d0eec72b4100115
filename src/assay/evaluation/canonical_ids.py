"""Canonical ids: one id for each document, if a domain knows several; and query ids for runs that have texts of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from assay.datasets import BenchmarkDataset
from assay.files import FileSource, as_source, brings_hits, first_query, hits_of, is_large
from assay.model import Hit, Qrels, Rankings, Run
from assay.text import counted


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


def with_query_ids(run: Any, dataset: BenchmarkDataset, duplicates: str) -> tuple[Any, tuple[str, ...]]:
    """The run with query ids, and a note, if none of its queries is an id and some are texts; otherwise the run itself.

    A text of several queries is matched with none of them. Case and white space do not count.
    """
    source = as_source(run)
    ids_by_text = _ids_by_text(dataset)
    if not ids_by_text or not _may_have_texts(source, dataset):
        return source, ()
    hits = hits_of(source) if brings_hits(source) else None
    if hits is not None:
        renamed, notes = _renamed(hits, dataset, ids_by_text)
        return (
            (renamed, (*source.notes, *notes)) if isinstance(source, FileSource) else (renamed if notes else source, notes)
        )
    read = source if isinstance(source, Run) else Run(source, duplicates=duplicates)
    rankings, notes = _renamed(dict(zip(read.query_ids, read.rankings, strict=True)), dataset, ids_by_text)
    return (Run.borrow(Rankings(rankings, read.tag, notes=read.notes)), notes) if notes else (source, ())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _ids_by_text(dataset: BenchmarkDataset) -> dict[str, str]:
    """Text → the id of the only query that has it; empty texts are left out."""
    texts = {query_id: _folded(query.text) for query_id, query in dataset.queries.items()}
    counts = Counter(texts.values())
    return {text: query_id for query_id, text in texts.items() if text and counts[text] == 1}


def _may_have_texts(source: Any, dataset: BenchmarkDataset) -> bool:
    """Whether the queries may be texts. Of a file, only the first query is read, because ids are the usual case."""
    if not isinstance(source, FileSource):
        return isinstance(source, Mapping) and not any(query in source for query in dataset.queries)
    first = first_query(source)
    return first is None or (first not in dataset.queries and " " in first and not is_large(source))


def _renamed(
    by_query: Mapping[str, Any], dataset: BenchmarkDataset, ids_by_text: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Query id → ranking, and a note; unchanged if a query is an id or no text matches.

    Queries that the benchmark does not have keep their text. Of texts that differ only in case, the last counts.
    """
    ids = {query: ids_by_text.get(_folded(query), query) for query in by_query}
    is_by_id = any(query in dataset.queries or query in dataset.qrels for query in by_query)
    if is_by_id or all(query == own for query, own in ids.items()):
        return dict(by_query), ()
    renamed = {ids[query]: ranking for query, ranking in by_query.items()}
    n_matched, n_same = sum(query != own for query, own in ids.items()), len(by_query) - len(renamed)
    note = f"the run has texts of queries instead of ids: {n_matched} of {counted(len(by_query), 'query')} matched by text"
    same = f", {counted(n_same, 'earlier ranking')} of the same texts left out" if n_same else ""
    return renamed, (f"{note}{same}.",)
