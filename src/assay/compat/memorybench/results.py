"""EvalResults as memorybench writes them: read once, graded once for each threshold, and scored by every metric wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.compat.arguments import credited_once
from assay.datasets import BenchmarkDataset
from assay.errors import DataError
from assay.evaluation import Relevance, Result, evaluate_metrics
from assay.metrics import find_metrics
from assay.model import Hit, Pack, Query, is_finite_number, text_id
from assay.text import shortened, words_of

JUDGMENT_FIELDS = ("relevantIds", "relevantChunkIds", "groundTruthIds", "qrels")
"""Where metadata have the ids of what is relevant; the first that is there counts."""
EVIDENCE_FIELDS = ("evidence", "answerCorpusIds")
"""Where metadata have the ids of what holds the answer."""

CONTEXT_FIELD = "retrievedContext"
FIELDS = ("id", "content", "metadata")
"""What a context may say; any of them is enough."""


class EvalCases(NamedTuple):
    """Every result as a query, what was retrieved for it, and the answer that was given."""

    dataset: BenchmarkDataset
    hits: dict[str, list[Hit]]
    answers: dict[str, str]


def read_eval_results(results: Sequence[Mapping[str, Any]], pack: Pack | None = None) -> EvalCases:
    """Results are identified by their place, since one item may be asked of several systems."""
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
        raise DataError(f"expected a list of EvalResult maps, found {shortened(results)}")
    asked = EvalCases(BenchmarkDataset("memorybench", pack=pack), {}, {})
    for place, result in enumerate(results, 1):
        if not isinstance(result, Mapping):
            raise DataError(f"result {place}: expected a map with retrievedContext, found {shortened(result)}")
        _read(asked, result, f"{place}")
    return asked


def _read(asked: EvalCases, result: Mapping[str, Any], name: str) -> None:
    metadata = result.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise DataError(f"result {name}: metadata is a map, found {shortened(metadata)}")
    judged = next((metadata[key] for key in JUDGMENT_FIELDS if metadata.get(key) is not None), None)
    evidence = next((metadata[key] for key in EVIDENCE_FIELDS if metadata.get(key) is not None), None)
    expected = result.get("expected")
    asked.dataset.queries[name] = Query(
        name,
        str(result.get("question") or ""),
        expected=None if expected in (None, "") else str(expected),
        evidence=None if evidence is None else _ids(evidence, name),
    )
    if judged is not None:
        asked.dataset.qrels[name] = _grades(judged, name)
    if CONTEXT_FIELD not in result:
        raise DataError(f"result {name}: {CONTEXT_FIELD} is missing, and may be []; found {_listed(result)}")
    asked.hits[name] = _hits(result[CONTEXT_FIELD], name)
    actual = result.get("actual")
    asked.answers[name] = "" if actual is None else str(actual)


def _ids(value: Any, name: str) -> list[str]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | set | frozenset):
        raise DataError(f"result {name}: expected a list of ids, found {shortened(value)}")
    return [text_id(id_) for id_ in value]


def _grades(value: Any, name: str) -> dict[str, float]:
    """A list of ids, each with grade 1, or id → grade."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(_ids(value, name), 1.0)
    if wrong := [grade for grade in value.values() if not is_finite_number(grade)]:
        raise DataError(f"result {name}: a grade is a finite number, found {shortened(wrong[0])}")
    return {text_id(id_): float(grade) for id_, grade in value.items()}


def _hits(contexts: Any, name: str) -> list[Hit]:
    """The contexts in the order they came, best first; none where there is null. One without an id is known by its place."""
    if contexts is None:
        return []
    if isinstance(contexts, str | bytes) or not isinstance(contexts, Sequence):
        raise DataError(f"result {name}: {CONTEXT_FIELD} is a list, found {shortened(contexts)}")
    records = [_record(context, f"result {name}, context {place}") for place, context in enumerate(contexts, 1)]
    ids = credited_once("" if record.get("id") is None else record["id"] for record in records)
    return [
        Hit(id_, -float(place), record.get("content"), record.get("metadata"))
        for place, (id_, record) in enumerate(zip(ids, records, strict=True))
    ]


def _record(context: Any, where: str) -> Mapping[str, Any]:
    """A context as a map with `id`, `content` or `metadata`; a text by itself may be an id or content, so it is both."""
    if isinstance(context, str):
        return {"id": context, "content": context}
    if not isinstance(context, Mapping) or not any(context.get(field) is not None for field in FIELDS):
        fields = _listed(context) if isinstance(context, Mapping) else shortened(context)
        raise DataError(f"{where}: expected a map with {', '.join(FIELDS)}, or a text; found {fields}")
    content, metadata = context.get("content"), context.get("metadata")
    if content is not None and not isinstance(content, str):
        raise DataError(f"{where}: content is text, found {shortened(content)}")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DataError(f"{where}: metadata is a map, found {shortened(metadata)}")
    return context


def _listed(fields: Mapping[str, Any]) -> str:
    return ", ".join(map(str, fields)) or "nothing"


class GradedResults:
    """What was asked, and what metrics of the catalog say about it; nothing is worked out before somebody wants it."""

    def __init__(self, asked: EvalCases, metrics: Sequence[str], hit_metrics: Sequence[str]) -> None:
        self.asked = asked
        self._metrics = find_metrics((*metrics, *hit_metrics))
        self._hit_metrics = find_metrics(hit_metrics)
        self._by_threshold: dict[float, Result | None] = {}
        self._exact: list[Result | None] = []

    def graded(self, threshold: float) -> Result | None:
        """By ids, else evidence, else words shared; None where no result says anything about relevance."""
        if threshold not in self._by_threshold:
            self._by_threshold[threshold] = self._graded(threshold)
        return self._by_threshold[threshold]

    def exact(self) -> Result | None:
        """By the expected words in a row; None where no result says what to expect."""
        if not self._exact:
            self._exact.append(self._exactly())
        return self._exact[0]

    def _graded(self, threshold: float) -> Result | None:
        dataset = self.asked.dataset
        is_decided = any(
            query in dataset.qrels or record.evidence is not None or words_of(record.expected or "")
            for query, record in dataset.queries.items()
        )
        relevance = Relevance("auto", defaults={"threshold": threshold})
        return evaluate_metrics(dataset, self.asked.hits, self._metrics, relevance=relevance) if is_decided else None

    def _exactly(self) -> Result | None:
        try:
            return evaluate_metrics(self.asked.dataset, self.asked.hits, self._hit_metrics, relevance="substring")
        except DataError:  # no result says what to expect
            return None
