"""Material: the questions, answers, reference answers and retrieved texts of a file of answers and its benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.datasets import BenchmarkDataset
from assay.errors import DataError
from assay.evaluation import expected_answers
from assay.files import AnswerRecords, hits_of
from assay.judged_answers.items import Material
from assay.metrics import BoundMetric
from assay.model import Hit, Policy
from assay.text import counted, some_of
from assay.views import ANSWER_IN_CONTEXTS, REFERENCE_IN_CONTEXTS, USEFUL_CONTEXTS

NEEDS_CONTEXTS = frozenset({ANSWER_IN_CONTEXTS, REFERENCE_IN_CONTEXTS, USEFUL_CONTEXTS})


def materials_of(records: AnswerRecords, dataset: BenchmarkDataset | None, policy: Policy) -> list[Material]:
    """The texts of every query of the benchmark; without one, of every record. The records have abstentions marked."""
    queries = records.queries if dataset is None else dataset.queries
    missing = [query for query in queries if query not in records.replies]
    if missing and policy.missing == "error":
        raise DataError(f"the answers to {counted(len(missing), 'query')} are missing: {some_of(missing)}")
    if not records.replies.keys() & queries.keys():
        ours, theirs = next(iter(records.replies)), next(iter(queries), "")
        raise DataError(
            f"none of the answers belongs to a query of the benchmark: the answers have query ids like {ours!r}, the "
            f"benchmark has ids like {theirs!r}. Check that both use the same ids"
        )
    expected = {**records.expected, **({} if dataset is None else expected_answers(dataset.queries))}
    materials = []
    for query_id, query in queries.items():
        reply = records.replies.get(query_id)
        if reply is None and policy.missing == "skip":
            continue
        right = expected.get(query_id)
        materials.append(
            Material(
                query_id,
                query.text or (records.queries[query_id].text if query_id in records.queries else ""),
                "" if reply is None or reply.abstained else (reply.text or "").strip(),
                None if right is None else right.references,
                () if reply is None and records.hits else _contexts(query_id, records, dataset),
                _relevant(query_id, dataset),
            )
        )
    return materials


def _contexts(query: str, records: AnswerRecords, dataset: BenchmarkDataset | None) -> tuple[str, ...] | None:
    """The retrieved texts; those of ids are in the benchmark. None if the record does not say what was retrieved."""
    if query not in records.hits:
        return None
    listed = records.hits[query]
    hits = (hits_of({query: listed}) or {query: [Hit(str(each)) for each in listed]})[query]
    return tuple(_text(hit, query, dataset) for hit in hits)


def _text(hit: Hit, query: str, dataset: BenchmarkDataset | None) -> str:
    if hit.text is not None:
        return hit.text
    document = None if dataset is None else dataset.documents.get(hit.doc_id)
    if document is None:
        raise DataError(
            f"query {query}: the text of the retrieved document {hit.doc_id} is unknown. Add the texts as `contexts`, or "
            "name a benchmark that has the documents with --dataset"
        )
    return document.content


def _relevant(query: str, dataset: BenchmarkDataset | None) -> tuple[str, ...]:
    """The texts of relevant documents, the best first."""
    if dataset is None or query not in dataset.qrels:
        return ()
    graded = sorted(dataset.qrels[query].items(), key=lambda pair: (-pair[1], pair[0]))
    known: Mapping[str, object] = dataset.documents
    return tuple(dataset.documents[document].content for document, grade in graded if grade > 0 and document in known)


def check_material(materials: Sequence[Material], checks: Mapping[str, BoundMetric]) -> None:
    """Raise if a metric has nothing to read: no retrieved texts, no reference answers, or no question."""
    for check, metric in checks.items():
        if check in NEEDS_CONTEXTS and all(each.contexts is None for each in materials):
            raise DataError(
                f"{metric.name} needs the retrieved text, but no answer has `contexts` or `retrieved_ids`. Add one of them "
                "to each answer"
            )
        needs_reference = check not in (ANSWER_IN_CONTEXTS, USEFUL_CONTEXTS)
        if needs_reference and all(each.references is None and not each.relevant for each in materials):
            raise DataError(
                f"{metric.name} needs reference answers. Name a benchmark with --dataset, or add `references` to each answer"
            )
        if check == USEFUL_CONTEXTS and (empty := [each.query for each in materials if not each.question.strip()]):
            raise DataError(f"{metric.name} needs the text of the query, but {some_of(empty)} has none. Add `question`")
