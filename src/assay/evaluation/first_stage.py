"""first_stage: the rankings that a reranker was given, out of the answers it gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.evaluation.answers import Answer
from assay.providers.rerank import RANK, REST, SCORE, first_ranking


def first_answers(answers: Mapping[str, Answer], k: int) -> dict[str, Answer]:
    """For each query what was ranked before; a query that failed has failed there too, for its ranking was not kept."""
    return {query: _first(answer, k) for query, answer in answers.items()}


def with_first(answer: Answer, first: Mapping[str, float]) -> Answer:
    """The answer, with its first ranking noted in it as a reranker does; for answers read back from results."""
    place = {doc: rank for rank, doc in enumerate(first, 1)}
    beyond = len(answer.docs) + 1
    extra: dict[str, dict[str, Any]] = {
        doc: {RANK: place.get(doc, beyond), SCORE: first.get(doc, 0.0)} for doc in answer.docs
    }
    rest = [[doc, score] for doc, score in first.items() if doc not in extra]
    if rest and answer.docs:
        extra[answer.docs[0]] |= {REST: rest}
    return Answer(answer.query, answer.docs, answer.scores, answer.ms, extra=extra)


def _first(answer: Answer, k: int) -> Answer:
    if answer.error is not None:
        return answer
    hits = (first_ranking(answer.hits) or [])[:k]
    return Answer(answer.query, [hit.doc_id for hit in hits], [hit.score for hit in hits], float("nan"))
