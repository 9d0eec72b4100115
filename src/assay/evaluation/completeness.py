"""Completeness of benchmarks: queries without text, relevant documents that are missing, and complete judgments.

One rule for all commands: a query without text cannot be sent, unless it has an image or another file, so it is left out of
all scores. A relevant document that is
not among the documents stays in the ideal ranking unless its judgment is dropped. Both are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from assay.datasets import BenchmarkDataset
from assay.evaluation.domains import DomainContext, has_domain
from assay.evaluation.result import Result
from assay.files import as_source, brings_hits, hits_of
from assay.model import Qrels, Query, Run
from assay.text import counted, some_of

KEEP, DROP = "keep", "drop"
MISSING_DOCUMENTS = (KEEP, DROP)
"""What to do with the judgment of a relevant document that is not among the documents; the first is the default."""


def queries_without_text(dataset: BenchmarkDataset) -> list[str]:
    """The queries that are left out, and the judged ids that are not queries; none if no query of the dataset has a text."""
    if all(query.is_empty for query in dataset.queries.values()):
        return []
    from assay.datasets import queries_to_send

    sent = queries_to_send(dataset)
    return [key for key in dict.fromkeys((*dataset.queries, *dataset.qrels, *dataset.spans)) if key not in sent]


def without_queries(dataset: BenchmarkDataset, left_out: Collection[str]) -> BenchmarkDataset:
    """The dataset without these queries and their judgments."""
    if not left_out:
        return dataset
    names = frozenset(left_out)
    return replace(
        dataset,
        queries={key: query for key, query in dataset.queries.items() if key not in names},
        qrels={key: judged for key, judged in dataset.qrels.items() if key not in names},
    )


def run_without_queries(run: Any, left_out: Collection[str], duplicates: str) -> Any:
    """The run without the rankings of these queries, so that they do not count as queries without judgments."""
    if not left_out:
        return run
    source = as_source(run)
    names = frozenset(left_out)
    hits = hits_of(source) if brings_hits(source) else None
    if hits is not None:
        return {query: some for query, some in hits.items() if query not in names}
    read = source if isinstance(source, Run) else Run(source, duplicates=duplicates)
    return read.without_queries(names)


def with_left_out_queries(result: Result, dataset: BenchmarkDataset) -> Result:
    """The result with a note on the queries that are left out because they have no text, and with their number."""
    left_out = queries_without_text(dataset)
    if not left_out:
        return result
    notes = (*notes_on_left_out_queries(dataset), *result.notes)
    return result.with_fields(notes=notes, relevance={**result.relevance, "queries_without_text": len(left_out)})


def notes_on_left_out_queries(dataset: BenchmarkDataset) -> list[str]:
    """A note on the queries that are left out because they have no text; none if all queries count."""
    left_out = queries_without_text(dataset)
    if not left_out:
        return []
    noun = "judged query" if all(_is_judged(dataset, key) for key in left_out) else "query"
    verbs = ("has", "is") if len(left_out) == 1 else ("have", "are")
    return [f"{counted(len(left_out), noun)} {verbs[0]} no text and {verbs[1]} left out ({some_of(left_out)})."]


def scored_judgments(dataset: BenchmarkDataset) -> Qrels:
    """The judgments of the queries that are scored."""
    return without_queries(dataset, queries_without_text(dataset)).judged()


def _is_judged(dataset: BenchmarkDataset, key: str) -> bool:
    from assay.datasets import has_ground_truth

    return key in dataset.qrels or has_ground_truth(dataset, key, dataset.queries.get(key, Query(key)))


@dataclass(frozen=True)
class MissingDocuments:
    """The relevant documents that are not among the documents, and what was done with their judgments."""

    rule: str = KEEP
    n_documents: int = 0
    """The number of judgments: a document that is relevant to two queries counts twice."""
    n_queries: int = 0
    n_emptied: int = 0
    """The number of queries that have no relevant document left after judgments were dropped."""
    why_unknown: str = ""
    """Why it cannot be known which documents are missing; empty if it can."""
    examples: str = ""
    """A judged id and the id of a document, if no judged id is the id of a document."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know; empty if no document is missing."""
        if self.rule == DROP and self.why_unknown:
            return (f"missing_documents=drop has no effect, because {self.why_unknown}.",)
        if not self.n_documents:
            return ()
        if self.examples:
            fate = ", so all judgments of relevant documents are removed" if self.rule == DROP else ""
            return (f"none of the judged documents is among the documents{fate}: {self.examples}{self._emptied}.",)
        from assay.datasets import describe_missing

        missing = describe_missing(self.n_documents, self.n_queries)
        is_one = self.n_documents == 1
        if self.rule == DROP:
            return (f"{missing}, and {'its judgment is' if is_one else 'their judgments are'} removed{self._emptied}.",)
        fate = "It counts as not found" if is_one else "They count as not found"
        what = "its judgment" if is_one else "their judgments"
        return (f"{missing}. {fate}. To remove {what}, add --missing-documents drop.",)

    @property
    def _emptied(self) -> str:
        """What happens to queries without a relevant document; true with every rule for such queries."""
        if not self.n_emptied:
            return ""
        have, them = ("has", "it") if self.n_emptied == 1 else ("have", "them")
        score = "scores" if self.n_emptied == 1 else "score"
        left = f"{counted(self.n_emptied, 'query')} {have} no relevant document left"
        return f"; {left} and {score} 0, unless --no-relevant skip leaves {them} out"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a result; empty if there is nothing to record."""
        counts = {"relevant_documents_missing": self.n_documents, "queries_with_missing": self.n_queries}
        return {
            **({"missing_documents": self.rule} if self.rule != KEEP else {}),
            **(counts if self.n_documents else {}),
        }


def apply_missing_documents(
    dataset: BenchmarkDataset,
    rule: str,
    context: DomainContext,
    strategies: Mapping[str, str],
    document_of: Callable[[str], str] | None = None,
) -> tuple[BenchmarkDataset, MissingDocuments]:
    """The dataset to score, and what is missing. `strategies` says which resolver decides about each query.

    A document is there if it is a document of the benchmark, if a document of the benchmark is a chunk of it, or if it was
    cut into chunks. `document_of` returns the document of a chunk, if chunks are retrieved.
    """
    by_id = [query for query, name in strategies.items() if name == BY_JUDGMENTS and query in dataset.qrels]
    if why := _why_unknown(dataset, rule, context, is_by_id=bool(by_id)):
        return dataset, MissingDocuments(rule, why_unknown=why)
    known = _known_documents(dataset, document_of)
    absent = {
        query: [doc for doc, grade in dataset.qrels[query].items() if grade > 0 and doc not in known] for query in by_id
    }
    absent = {query: docs for query, docs in absent.items() if docs}
    missing = MissingDocuments(rule, sum(map(len, absent.values())), len(absent))
    if absent and not any(doc in known for query in by_id for doc in dataset.qrels[query]):
        examples = f"the judgments have ids like {next(iter(absent.values()))[0]!r}, the documents have ids like "
        missing = replace(missing, examples=f"{examples}{next(iter(known))!r}")
    if rule != DROP or not absent:
        return dataset, missing
    kept = {
        query: {doc: grade for doc, grade in judged.items() if doc not in absent[query]} if query in absent else judged
        for query, judged in dataset.qrels.items()
    }
    n_emptied = sum(not any(grade > 0 for grade in kept[query].values()) for query in absent)
    return replace(dataset, qrels=kept), replace(missing, n_emptied=n_emptied)


def _known_documents(dataset: BenchmarkDataset, document_of: Callable[[str], str] | None) -> Collection[str]:
    """The ids of documents; with chunks, also the ids of the documents that the chunks belong to."""
    if dataset.files is None and document_of is None:
        return dataset.documents
    owners = map(document_of, dataset.documents) if document_of is not None else ()
    return dict.fromkeys(chain(dataset.files or (), owners, dataset.documents))


def _why_unknown(dataset: BenchmarkDataset, rule: str, context: DomainContext, *, is_by_id: bool) -> str:
    """Why documents of the judgments cannot be compared with the documents; empty if they can.

    Documents that a package would have to download are read only if their judgments are to be dropped.
    """
    if not is_by_id or has_domain(dataset) or context.has_canonical_ids:
        return "relevance is not decided by the ids of documents"
    if rule == KEEP and not is_local(dataset):
        return "the documents are not read"
    return "" if dataset.documents else "the benchmark has no documents"


def is_local(dataset: BenchmarkDataset) -> bool:
    """Whether the documents are in memory or in files, so that reading them downloads nothing."""
    return dataset.path is None or dataset.path.exists()


def notes_on_empty_corpus(dataset: BenchmarkDataset) -> list[str]:
    """A note if the benchmark has a file for documents, but no document is in it."""
    from assay.datasets import find_empty_corpus

    file = find_empty_corpus(dataset)
    return [] if file is None else [f"{file.name} has no documents."]


BY_JUDGMENTS = "qrels"
"""The only resolver that leaves retrieved documents unjudged. All others decide about everything that is retrieved."""


def without_constant_judged(result: Result, dataset: BenchmarkDataset, strategies: Mapping[str, str]) -> Result:
    """The result without judged@k if it was not requested and cannot be other than 1.

    `strategies` says which resolver decided about each query.
    """
    added = {metric.name for metric in result.metrics if metric.metric.name == "judged" and metric.name in result.beside}
    others = [metric for metric in result.metrics if metric.name not in added]
    if not added or not others or not _are_complete(result, dataset, strategies, added):
        return result
    return result.subset(metrics=others)


def _are_complete(result: Result, dataset: BenchmarkDataset, strategies: Mapping[str, str], names: set[str]) -> bool:
    by_judgments = [query for query, name in strategies.items() if name == BY_JUDGMENTS]
    if not by_judgments:
        return bool(strategies)
    return _has_judged_all(dataset, by_judgments) and _is_all_judged(result, names)


def _has_judged_all(dataset: BenchmarkDataset, queries: list[str]) -> bool:
    """Whether every document in the scope of each of these queries is judged."""
    if not is_local(dataset) or not dataset.documents or dataset.files is not None:
        return False
    n_least = min(len(dataset.qrels.get(query, ())) for query in queries)
    scopes = {query: _scope(dataset, query) for query in queries}
    if None in scopes.values() and n_least < len(dataset.documents):
        return False
    groups = dataset.groups if any(scope is not None for scope in scopes.values()) else {}
    return all(
        dataset.qrels[query].keys() >= set(dataset.documents if scope is None else groups.get(scope, ()))
        for query, scope in scopes.items()
    )


def _scope(dataset: BenchmarkDataset, query: str) -> str | None:
    return dataset.queries[query].scope if query in dataset.queries else None


def _is_all_judged(result: Result, names: set[str]) -> bool:
    """Whether no ranking has an unjudged document: a run may have documents that are not in the benchmark."""
    if result.grader is None:
        return False
    policies = {setting.metric.name: setting.policy for setting in result.settings}
    for name in names:
        run = result.grader.grading(policies[name]).run
        is_ranked = dict(zip(run.query_ids, (run.n_retrieved > 0).tolist(), strict=True))
        scores = np.array([score for query, score in result.scores(name).items() if is_ranked.get(query)])
        if not np.all(scores == 1):
            return False
    return True
