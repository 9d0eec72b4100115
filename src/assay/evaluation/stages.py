"""stages: the results of a part; its rankings, with the routes it reports, and before them what a reranker was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.evaluation.added_columns import in_asked_order, without_scores
from assay.evaluation.answers import Answer
from assay.evaluation.first_stage import RERANKING, first_answers, with_improvement
from assay.evaluation.kept_words import kept_words
from assay.evaluation.replied import judged_beside
from assay.evaluation.reported_routes import ROUTING, with_routing
from assay.evaluation.result import Result
from assay.evaluation.runner import Part, score_part
from assay.evaluation.setting import Setting
from assay.metrics import BoundMetric
from assay.model import Profile


def staged(part: Part, answers: Mapping[str, Answer], settings: Sequence[Setting], profile: Profile) -> list[Result]:
    """One result, or two where the provider put others' hits into a new order: the first ranking, then the last.

    Metrics that do not read one ranking are scored here, beside those that do.
    """
    ranked = [one for one in settings if one.metric.metric.view not in (ROUTING, RERANKING)] or [judged_beside(profile)]
    routes, gains = (_reading(view, settings) for view in (ROUTING, RERANKING))
    after = with_routing(score_part(part, answers, ranked, profile), part.queries, answers, routes)
    after = replace(after, said=kept_words(part.queries, answers))
    stages = [after]
    if part.provider.provider.keeps_first:
        first = score_part(part, first_answers(answers, part.k), ranked, profile)
        after = with_improvement(after, first, gains, ranked, profile.policy)
        stages = [without_scores(first, [*routes, *gains]), after]
    elif gains:
        said = f"{after.name} does not rerank: {', '.join(metric.name for metric in gains)} cannot be scored."
        stages = [replace(without_scores(after, gains), notes=(*after.notes, said))]
    names = [one.metric.name for one in settings]
    return [in_asked_order(one, names) for one in stages]


def _reading(view: str, settings: Sequence[Setting]) -> list[BoundMetric]:
    """The metrics that read a view."""
    return [one.metric for one in settings if one.metric.metric.view == view]
