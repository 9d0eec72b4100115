"""first_stage: the rankings that a reranker was given, out of the answers it gave; and what it made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.evaluation.added_columns import with_columns
from assay.evaluation.answers import Answer
from assay.evaluation.result import Result
from assay.evaluation.scoring import score_views
from assay.evaluation.setting import Setting
from assay.metrics import BoundMetric, find_metric
from assay.model import Policy
from assay.providers import RANK, REST, SCORE, first_ranking
from assay.views import Reranking


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


RERANKING = "reranking"
USUAL_CUTOFF = 10


def with_improvement(
    after: Result, first: Result, asked: Sequence[BoundMetric], settings: Sequence[Setting], policy: Policy
) -> Result:
    """The result after reranking, with how much better it is than the first; beside it, where nobody asked for that.

    Unless somebody asked, it is that of each NDCG which was asked for, with its cutoff and gain.
    """
    graders = (first.grader, after.grader)
    if graders[0] is None or graders[1] is None:
        raise UsageError("these results were read from a file; the improvement needs the rankings")
    view = Reranking(*(grader.main_grading(settings, policy).run for grader in graders if grader is not None))
    metrics = list(asked) or _usual_improvements(settings)
    table = score_views({RERANKING: view}, metrics)
    beside = () if asked else [metric.name for metric in metrics]
    answered = [place for place, query in enumerate(table.query_ids) if query not in after.failures]
    undefined = (_on_undefined(table.columns[metric.name].score[answered], metric) for metric in metrics)
    notes = (*after.notes, *(note for some in undefined for note in some))
    return replace(with_columns(after, table, metrics, beside), notes=notes)


def _usual_improvements(settings: Sequence[Setting]) -> list[BoundMetric]:
    """Those of the NDCGs that were asked for; at the usual cutoff, where none was."""
    measured = [one.metric for one in settings if one.metric.metric.name == "ndcg" and not one.is_beside]
    usual = find_metric(f"{RERANKING}_improvement@{USUAL_CUTOFF}")
    found = [usual.metric.bind(k=one.params["k"], gain=one.params["gain"]) for one in measured] or [usual]
    return list({metric.name: metric for metric in found}.values())


def _on_undefined(score: Any, metric: BoundMetric) -> list[str]:
    """How many queries have no percentage, for nothing can be one of 0."""
    n = int(np.count_nonzero(np.isnan(score)))
    if not n:
        return []
    share = f"{n:,} of {len(score):,} queries"
    return [f"{metric.name}: {share} had an NDCG of 0 before, of which nothing is a percentage; they count in the means."]
