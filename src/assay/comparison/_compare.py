"""compare: judgments and several runs in, or results that are there already; a Comparison out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.comparison._align import align
from assay.comparison.comparison import Comparison
from assay.comparison.how import ComparisonOptions
from assay.comparison.pairing import compared_pairs, field_outcomes
from assay.errors import UnknownName, UsageError, near_matches
from assay.evaluation import Result, choose_profile, evaluate_metrics
from assay.metrics import Asked, BoundMetric, Given, parse_metrics, written_metrics
from assay.model import Qrels
from assay.text import shortened

SCORING = ("policy", "profile", "relevance", "ontology", "tie_band", "residuals")
"""Settings that are those of `evaluate`."""
SPANS, RANKING = "spans", "ranking"
"""Views of metrics: places in files, which chunkers share, and ranked chunks, which they do not."""


def compare(
    qrels: Any,
    runs: Mapping[str, Any],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    **settings: Any,
) -> Comparison:
    """Score several runs and compare them query by query. Each may be a dict, a file, a frame, or a prepared Run.

    Results may be given as well, which are scored already: for results alone, the judgments may be None.
    Without a baseline every pair is compared. `settings` are the choices of `How` (test, correction, alpha, interval,
    tolerance, rope, seed), and those of `evaluate` (policy, profile, relevance, ontology, tie_band, residuals).
    """
    if not isinstance(runs, Mapping):
        raise UsageError(f"runs are given by name, as in {{'bm25': run, 'dense': other}}, not {shortened(runs)}")
    _refuse_unknown(settings)
    chosen = {name: settings.pop(name) for name in list(settings) if name in ComparisonOptions.__dataclass_fields__}
    how = ComparisonOptions(baseline=baseline, **chosen)
    asked = written_metrics(metrics)
    if not all(isinstance(run, Result) for run in runs.values()):
        wanted = parse_metrics(asked, _tool(runs, settings)) if asked is not None else None
        results = _scored(qrels, runs, wanted, settings)
        return compare_results(_named(runs, results), how, metrics=wanted, intersect=intersect)
    if settings:
        raise UsageError(f"results are compared as they were scored: {', '.join(settings)} has no place here")
    return compare_results(_named(runs, list(runs.values())), how, metrics=asked, intersect=intersect)


def _named(runs: Mapping[str, Any], results: Sequence[Result]) -> list[Result]:
    return [replace(result, name=str(name)) for name, result in zip(runs, results, strict=True)]


def _tool(runs: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The profile that names are read by: that of the results, or else of what is to be scored."""
    scored = [run.profile for run in runs.values() if isinstance(run, Result)]
    return scored[0] if scored else choose_profile(settings.get("policy"), settings.get("profile")).name


def _refuse_unknown(settings: Mapping[str, Any]) -> None:
    """A keyword that means nothing is told with the one that may have been meant."""
    known = ("intersect", *ComparisonOptions.__dataclass_fields__, *SCORING)
    for name in settings:
        if name not in known:
            raise UnknownName("setting of compare", name, near_matches(name, known), f"there are {', '.join(known)}")


def _scored(
    qrels: Any, runs: Mapping[str, Any], metrics: Sequence[BoundMetric] | None, settings: Mapping[str, Any]
) -> list[Result]:
    """Results as they are, runs scored."""
    judged = qrels if isinstance(qrels, Qrels) or hasattr(qrels, "queries") else Qrels(qrels)
    return [
        run if isinstance(run, Result) else evaluate_metrics(judged, run, metrics, name=str(name), **settings)
        for name, run in runs.items()
    ]


def compare_results(
    results: Sequence[Result],
    how: ComparisonOptions | None = None,
    *,
    metrics: Asked | Iterable[Asked] | None = None,
    intersect: bool = False,
) -> Comparison:
    """Compare results query by query; results about different things are refused, unless only what they share is wanted.

    Metrics keep their order, but of several chunkers those of spans come first: the verdict is about the first.
    """
    chosen = how or ComparisonOptions()
    aligned = align(results, metrics, intersect=intersect)
    aligned = replace(aligned, metrics=_fair_first(results, aligned.metrics))
    fields = field_outcomes(aligned, chosen)
    return Comparison(aligned, chosen, tuple(compared_pairs(aligned, chosen, fields)), fields)


def counts_chunks(metric: BoundMetric, results: Sequence[Result]) -> bool:
    """Whether a metric is unfair to these: it counts chunks, and several chunkers made them, each its own."""
    cuts = {str(result.provenance.get("chunks", {}).get("chunker")) for result in results}
    is_by_span = any(result.relevance.get("strategy_used") == "span" for result in results)
    return metric.metric.view == RANKING and len(cuts) > 1 and is_by_span


def fair_metric(results: Sequence[Result]) -> BoundMetric | None:
    """The first metric; if that is unfair to chunkers, the first of spans, or None where there is none."""
    metrics = results[0].metrics
    if not counts_chunks(metrics[0], results):
        return metrics[0]
    return next((metric for metric in metrics if metric.metric.view == SPANS), None)


def _fair_first(results: Sequence[Result], metrics: tuple[BoundMetric, ...]) -> tuple[BoundMetric, ...]:
    if not metrics or not counts_chunks(metrics[0], results):
        return metrics
    return tuple(sorted(metrics, key=lambda metric: metric.metric.view != SPANS))
