"""EvalResults of memorybench: read once, graded once per threshold, and scored by every requested metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from assay.compat.arguments import AGAIN, credited_once
from assay.compat.memorybench.packs import as_pack
from assay.datasets import BenchmarkDataset
from assay.errors import DataError, NoGroundTruth
from assay.evaluation import Relevance, Result, evaluate_metrics
from assay.metrics import BoundMetric, find_metrics, overlap
from assay.model import Hit, Pack, Query, is_finite_number, text_id
from assay.text import shortened, words_of
from assay.views import mark_of

JUDGMENT_FIELDS = ("relevantIds", "relevantChunkIds", "groundTruthIds", "qrels")
"""Metadata fields for the relevant ids; the first that is present counts."""
EVIDENCE_FIELDS = ("evidence", "answerCorpusIds")
"""Metadata fields for the ids of what contains the answer."""

CONTEXT_FIELD = "retrievedContext"
FIELDS = ("id", "content", "metadata")
"""The fields of a context; any of them is enough."""


class EvalCases(NamedTuple):
    """Every result as a query, with what was retrieved for it and the answer that was given."""

    dataset: BenchmarkDataset
    hits: dict[str, list[Hit]]
    answers: dict[str, str]
    correct: dict[str, float]
    """Result → the mark of its judge; a result without a mark is not there."""
    repeated: dict[str, set[str]]
    """Result → the ids of contexts that come twice."""
    packed: dict[tuple[str, str], bool]
    """Result and context → whether the pack called it relevant."""
    scores: list[float]
    """The scores of all contexts."""

    @property
    def n_results(self) -> int:
        """How many results there are."""
        return len(self.dataset.queries)

    def relevant(self, name: str, threshold: float) -> list[bool]:
        """Whether each context of a result is relevant by itself, whatever comes before it."""
        query, hits = self.dataset.queries[name], self.hits[name]
        if name in self.dataset.qrels:
            return [self.dataset.qrels[name].get(hit.doc_id, 0) > 0 for hit in hits]
        if self.dataset.pack is not None and self.dataset.pack.sealed_relevance:
            return [self.packed.get((name, hit.doc_id), False) for hit in hits]
        if query.evidence is not None:
            return [hit.doc_id in query.evidence for hit in hits]
        expected = words_of(query.expected or "")
        return [bool(expected) and overlap(words_of(hit.text or ""), expected, "set").f1 >= threshold for hit in hits]

    def is_decided_by_words(self, name: str) -> bool:
        """Whether only the words of a result decide about relevance."""
        is_packed = self.dataset.pack is not None and self.dataset.pack.sealed_relevance
        return name not in self.dataset.qrels and not is_packed and self.dataset.queries[name].evidence is None

    def texts(self, name: str) -> tuple[list[str], list[str]]:
        """The words of the answer, and of the expected answer."""
        return words_of(self.answers[name]), words_of(self.dataset.queries[name].expected or "")


def read_eval_results(results: Sequence[Mapping[str, Any]], pack: Any = None) -> EvalCases:
    """Read results. They are identified by their position, because several systems may have the same item."""
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
        raise DataError(f"expected a list of EvalResult maps, found {shortened(results)}")
    asked = EvalCases(BenchmarkDataset("memorybench"), {}, {}, {}, {}, {}, [])
    asked.dataset.pack = _recorded(as_pack(pack), asked.packed)
    for place, result in enumerate(results, 1):
        if not isinstance(result, Mapping):
            raise DataError(f"result {place}: expected a map with retrievedContext, found {shortened(result)}")
        _read(asked, result, f"{place}")
    return asked


def _read(asked: EvalCases, result: Mapping[str, Any], name: str) -> None:
    metadata = result.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise DataError(f"result {name}: expected a map as metadata, found {shortened(metadata)}")
    judged = next((metadata[key] for key in JUDGMENT_FIELDS if metadata.get(key) is not None), None)
    evidence = next((metadata[key] for key in EVIDENCE_FIELDS if metadata.get(key) is not None), None)
    expected = result.get("expected")
    asked.dataset.queries[name] = Query(
        name,
        str(result.get("question") or ""),
        expected=None if expected in (None, "") else str(expected),
        evidence=None if evidence is None else _ids([evidence] if isinstance(evidence, str) else evidence, name),
        metadata={"itemId": result.get("itemId", name), **metadata},
    )
    if judged is not None:
        asked.dataset.qrels[name] = _grades(judged, name)
    if CONTEXT_FIELD not in result:
        raise DataError(f"result {name}: expected {CONTEXT_FIELD} (it may be []), found {_listed(result)}")
    asked.hits[name] = _hits(result[CONTEXT_FIELD], name)
    if any(hit.doc_id.startswith(AGAIN) for hit in asked.hits[name]) and (twins := _twins(result[CONTEXT_FIELD])):
        asked.repeated[name] = twins
    asked.scores.extend(_scores(result[CONTEXT_FIELD]))
    actual = result.get("actual")
    asked.answers[name] = "" if actual is None else str(actual)
    if (mark := mark_of(result.get("correct"))) is not None:
        asked.correct[name] = mark


def _recorded(pack: Pack | None, answers: dict[tuple[str, str], bool]) -> Pack | None:
    """The pack, which also writes down what it calls relevant."""
    if pack is None:
        return None

    def is_relevant(query: Query, hit: Hit) -> Any:
        items = pack.is_relevant(query, hit)
        answers[query.query_id, hit.doc_id] = bool(items)
        return items

    return replace(pack, is_relevant=is_relevant)


def _twins(contexts: Iterable[Any]) -> set[str]:
    """The ids that come twice, rather than being left out."""
    ids = [context if isinstance(context, str) else context.get("id") for context in contexts]
    return {name for name, count in Counter(text_id(id_) for id_ in ids if id_ is not None).items() if count > 1}


def _scores(contexts: Iterable[Any] | None) -> list[float]:
    scores: list[Any] = [context.get("score") for context in contexts or () if isinstance(context, Mapping)]
    return [float(score) for score in scores if is_finite_number(score)]


def _ids(value: Any, name: str) -> list[str]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | set | frozenset):
        raise DataError(f"result {name}: expected a list of ids, found {shortened(value)}")
    return [text_id(id_) for id_ in value]


def _grades(value: Any, name: str) -> dict[str, float]:
    """A list of ids, each with grade 1, or id → grade."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(_ids(value, name), 1.0)
    if wrong := [grade for grade in value.values() if not is_finite_number(grade)]:
        raise DataError(f"result {name}: expected finite numbers as grades, found {shortened(wrong[0])}")
    return {text_id(id_): float(grade) for id_, grade in value.items()}


def _hits(contexts: Any, name: str) -> list[Hit]:
    """The contexts in their order, best first; none for null. A context without an id gets its position as id."""
    if contexts is None:
        return []
    if isinstance(contexts, str | bytes) or not isinstance(contexts, Sequence):
        raise DataError(f"result {name}: expected a list as {CONTEXT_FIELD}, found {shortened(contexts)}")
    records = [_record(context, f"result {name}, context {place}") for place, context in enumerate(contexts, 1)]
    ids = credited_once("" if record.get("id") is None else record["id"] for record in records)
    return [
        Hit(id_, -float(place), record.get("content"), record.get("metadata"))
        for place, (id_, record) in enumerate(zip(ids, records, strict=True))
    ]


def _record(context: Any, where: str) -> Mapping[str, Any]:
    """A context as a map with `id`, `content` or `metadata`. A text alone may be an id or content, so it is used as both."""
    if isinstance(context, str):
        return {"id": context, "content": context}
    if not isinstance(context, Mapping) or not any(context.get(field) is not None for field in FIELDS):
        fields = _listed(context) if isinstance(context, Mapping) else shortened(context)
        raise DataError(f"{where}: expected text, or a map with one of {', '.join(FIELDS)}, found {fields}")
    content, metadata = context.get("content"), context.get("metadata")
    if content is not None and not isinstance(content, str):
        raise DataError(f"{where}: expected text as content, found {shortened(content)}")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DataError(f"{where}: expected a map as metadata, found {shortened(metadata)}")
    return context


def _listed(fields: Mapping[str, Any]) -> str:
    return ", ".join(map(str, fields)) or "nothing"


class GradedResults:
    """The queries, and their scores by metrics of the catalog. Nothing is computed before it is needed."""

    def __init__(self, asked: EvalCases, metrics: Sequence[str], hit_metrics: Sequence[str]) -> None:
        self.asked = asked
        self._metrics = find_metrics((*metrics, *hit_metrics))
        self._hit_metrics = find_metrics(hit_metrics)
        self._graded: dict[tuple[float, str], Result | None] = {}
        self._by_text: dict[tuple[float, str], Result | None] = {}
        self._exact: list[Result | None] = []
        self._relevant: dict[float, dict[str, list[bool]]] = {}

    def graded(self, threshold: float, by: str = "auto") -> Result | None:
        """Scores by ids, otherwise evidence, otherwise shared words; or by one resolver. None if nothing can be graded."""
        if (threshold, by) not in self._graded:
            self._graded[threshold, by] = self._grade(threshold) if by == "auto" else self._by_resolver(by, self._metrics)
        return self._graded[threshold, by]

    def by_text(self, threshold: float, by: str = "auto") -> Result | None:
        """Scores of hit metrics by shared words alone, without ids and packs; or by one resolver. None as for `graded`."""
        if (threshold, by) not in self._by_text:
            relevance = Relevance("token", defaults={"threshold": threshold}) if by == "auto" else by
            self._by_text[threshold, by] = self._by_resolver(relevance, self._hit_metrics)
        return self._by_text[threshold, by]

    def relevant(self, threshold: float) -> dict[str, list[bool]]:
        """Result → whether each of its contexts is relevant by itself. A pack has been asked by then."""
        if threshold not in self._relevant:
            names = self.asked.dataset.queries
            self._relevant[threshold] = {name: self.asked.relevant(name, threshold) for name in names}
        return self._relevant[threshold]

    def exact(self) -> Result | None:
        """Scores by the exact expected text; None if no result has an expected answer."""
        if not self._exact:
            self._exact.append(self._by_resolver("substring", self._hit_metrics))
        return self._exact[0]

    def _grade(self, threshold: float) -> Result | None:
        dataset = self.asked.dataset
        pack = dataset.pack
        is_decided = (pack is not None and pack.sealed_relevance and bool(dataset.queries)) or any(
            query in dataset.qrels or record.evidence is not None or words_of(record.expected or "")
            for query, record in dataset.queries.items()
        )
        relevance = Relevance("auto", defaults={"threshold": threshold})
        return evaluate_metrics(dataset, self.asked.hits, self._metrics, relevance=relevance) if is_decided else None

    def _by_resolver(self, relevance: str | Relevance, metrics: Sequence[BoundMetric]) -> Result | None:
        try:
            return evaluate_metrics(self.asked.dataset, self.asked.hits, metrics, relevance=relevance)
        except NoGroundTruth:  # no result has what the resolver needs, such as an expected answer
            return None
