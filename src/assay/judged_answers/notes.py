"""Notes on judged answers: whose verdicts they are, what could not be judged, and which queries have no score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.judged_answers.asking import AnswerJudgingRun
from assay.judged_answers.layers import MODEL
from assay.judged_answers.scoring import AnswerScores
from assay.judging import notes_on_size
from assay.store import PEOPLE
from assay.text import counted, some_of


def notes_on_verdicts(scores: AnswerScores, run: AnswerJudgingRun) -> Iterator[str]:
    """Everything that a reader should know about the verdicts behind these scores."""
    yield from _labels(scores)
    if scores.estimated:
        yield from notes_on_size(scores.estimated, min(map(scores.n_judged, scores.estimated)))
    yield from _unreadable(scores, run)
    yield from _undefined(scores)
    if n_other := scores.layers.n_other:
        yield f"{counted(n_other, 'verdict')} by people {_are(n_other)} not used: for other texts, queries or metrics."


def _labels(scores: AnswerScores) -> Iterator[str]:
    """Whose verdicts the values are from."""
    layers, judges = scores.layers, ", ".join(scores.layers.judges) or "no verdicts"
    if scored := " ".join(metric.name for metric in scores.metrics if metric not in scores.estimated):
        if layers.name == MODEL:
            yield f"{scored}: verdicts by a model ({judges}), not corrected by people. A gate refuses these values."
        else:
            yield f"{scored}: verdicts by people ({judges})."
    if not scores.estimated or layers.draw is None:
        return
    by = "people" if layers.name == PEOPLE else "people and by a model, corrected by those of people"
    names, n = " ".join(metric.name for metric in scores.estimated), min(map(scores.n_judged, scores.estimated))
    are = "is an estimate" if len(scores.estimated) == 1 else "are estimates"
    yield (
        f"{names} {are} from verdicts by {by} ({judges}), on {counted(n, 'query')} of {len(scores.plan.query_ids):,} "
        f"(drawn: {layers.draw}). Single queries have no scores."
    )
    judged = np.all([scores.is_judged(metric) for metric in scores.estimated], axis=0).tolist()
    if n_open := sum(query in scores.drawn for query, done in zip(scores.plan.query_ids, judged, strict=True) if not done):
        have = "has" if n_open == 1 else "have"
        yield (
            f"{n_open:,} of the {len(scores.drawn):,} drawn queries {have} not all verdicts yet. The estimates assume that "
            "these queries are like the others."
        )


def _unreadable(scores: AnswerScores, run: AnswerJudgingRun) -> Iterator[str]:
    """Verdicts and statements that a judge did not give, which count as unknown and never as 0."""
    items = scores.plan.items
    if scores.layers.name != PEOPLE and (lost := [item.id for item in items if item.id not in scores.layers.model]):
        whys = [run.unjudged[item] for item in lost if item in run.unjudged]
        why = f", such as: {whys[0]}" if whys else ""
        verdicts = counted(len(items), "verdict")
        yield f"{len(lost):,} of {verdicts} {_are(len(lost))} unjudged and left out, not counted as 0{why}."
    if pending := scores.plan.pending:
        kinds = " and ".join(sorted({source.task.name for source in pending}))
        queries = some_of(list(dict.fromkeys(source.query for source in pending)))
        whys = [run.unwritten[source.key] for source in pending if source.key in run.unwritten]
        why = f"; such as: {whys[0]}" if whys else ""
        yield f"the {kinds} of {counted(len(pending), 'text')} are unknown, so nothing is judged there ({queries}{why})."


def _undefined(scores: AnswerScores) -> Iterator[str]:
    """The queries without a score, one sentence for all metrics that lack the same ones."""
    names: dict[tuple[str, ...], list[str]] = {}
    for metric in scores.metrics:
        has_items = zip(scores.plan.query_ids, scores.defined[metric.name].tolist(), strict=True)
        names.setdefault(tuple(query for query, is_defined in has_items if not is_defined), []).append(metric.name)
    for without, metrics in names.items():
        if without:
            which = "which has nothing to judge and does" if len(without) == 1 else "which have nothing to judge and do"
            queries = counted(len(without), "query")
            are = f"{' '.join(metrics)} {_are(len(metrics))}"
            yield f"{are} undefined for {queries}, {which} not count ({some_of(without)})."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
