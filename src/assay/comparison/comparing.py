"""Comparing: `compare` scores runs and compares them, `compare_results` compares existing results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

from assay.comparison.alignment import align
from assay.comparison.chunk_fairness import fair_metrics_first
from assay.comparison.comparison import Comparison
from assay.comparison.options import ComparisonOptions, SignificanceSettings
from assay.comparison.pairs import compare_pairs, field_outcomes
from assay.comparison.verdict import listed
from assay.datasets import GroundTruth
from assay.errors import ProviderError, UnknownName, UsageError, near_matches
from assay.evaluation import (
    EvaluateSettings,
    Result,
    SampledJudgments,
    choose_profile,
    clusters_of,
    evaluate_metrics,
    written_relevance,
)
from assay.metrics import BoundMetric, Given, WrittenMetric, parse_metrics, written_metrics
from assay.model import Qrels, RunSource
from assay.text import shortened

ONTOLOGY = "ontology"
EVALUATE_SETTINGS = ("policy", "profile", "relevance", ONTOLOGY, "tie_band", "residuals", "judgments")
"""Settings of `evaluate`; the ontology is an option of its domain."""


class CompareSettings(SignificanceSettings, EvaluateSettings, total=False):
    """The settings of `compare`, as keywords: those of the test and those of `evaluate`."""


@overload
def compare(  # noqa: D418 (here all that is public is explained)
    qrels: None,
    runs: Mapping[str, Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    **settings: Unpack[SignificanceSettings],
) -> Comparison:
    """Compare results, which are scored already."""


@overload
def compare(  # noqa: D418
    qrels: GroundTruth,
    runs: Mapping[str, RunSource | Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Score runs and compare them."""


@overload
def compare(  # noqa: D418
    qrels: GroundTruth | None,
    runs: Mapping[str, RunSource | Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    judgments: SampledJudgments,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Estimate metrics of runs from a sample of judgments, and compare them."""


def compare(
    qrels: GroundTruth | None,
    runs: Mapping[str, RunSource | Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    judgments: SampledJudgments | None = None,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Score several runs and compare them query by query. Each run can be a dict, a file, a frame, or a prepared Run.

    Runs can also be results, which are scored already; if all are results, the judgments can be None. Without a baseline,
    every pair is compared. `settings` are those of `ComparisonOptions` (test, correction, alpha, interval, tolerance, rope,
    seed) and of `evaluate` (policy, profile, relevance, ontology, tie_band, residuals, judgments).
    """
    if not isinstance(runs, Mapping):
        names = (
            "compare(None, {'bm25': result, 'dense': other})"
            if isinstance(runs, Result)
            else "{'bm25': run, 'dense': other}"
        )
        raise UsageError(f"runs must have names, as in {names}, not {shortened(runs)}")
    others: dict[str, Any] = {**settings, **({} if judgments is None else {"judgments": judgments})}
    _check_settings(others)
    chosen = {name: others.pop(name) for name in settings if name in ComparisonOptions.__dataclass_fields__}
    how = ComparisonOptions(baseline=baseline, **chosen)
    asked = written_metrics(metrics)
    if not all(isinstance(run, Result) for run in runs.values()):
        parsed = parse_metrics(asked, _profile_name(runs, others)) if asked is not None else None
        if "relevance" in others:
            others["relevance"] = written_relevance(others["relevance"])
        results = _score_runs(qrels, runs, parsed, others)
        return compare_results(_with_names(runs, results), how, metrics=parsed, intersect=intersect)
    if others:
        raise UsageError(f"results are compared as they were scored, so {', '.join(others)} cannot be set here")
    results = [run for run in runs.values() if isinstance(run, Result)]
    return compare_results(_with_names(runs, results), how, metrics=asked, intersect=intersect)


def _with_names(runs: Mapping[str, Any], results: Sequence[Result]) -> list[Result]:
    return [result.renamed(str(name)) for name, result in zip(runs, results, strict=True)]


def _profile_name(runs: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The profile for parsing metric names: that of the results, else that of the settings."""
    scored = [run.profile for run in runs.values() if isinstance(run, Result)]
    return scored[0] if scored else choose_profile(settings.get("policy"), settings.get("profile")).name


def _check_settings(settings: Mapping[str, Any]) -> None:
    """Raise UnknownName for an unknown keyword, with similar names."""
    known = ("intersect", *ComparisonOptions.__dataclass_fields__, *EVALUATE_SETTINGS)
    for name in settings:
        if name not in known:
            raise UnknownName("setting of compare", name, near_matches(name, known), f"choose from {', '.join(known)}")


def _score_runs(
    qrels: Any, runs: Mapping[str, Any], metrics: Sequence[BoundMetric] | None, settings: Mapping[str, Any]
) -> list[Result]:
    """Results unchanged, runs scored."""
    is_ready = qrels is None or isinstance(qrels, Qrels) or getattr(qrels, "queries", None) is not None
    judged = qrels if is_ready and (qrels is not None or settings.get("judgments")) else Qrels(qrels)
    options = {name: value for name, value in settings.items() if name == ONTOLOGY and value is not None}
    own = {name: value for name, value in settings.items() if name != ONTOLOGY}
    return [
        run if isinstance(run, Result) else evaluate_metrics(judged, run, metrics, name=str(name), **own, options=options)
        for name, run in runs.items()
    ]


def compare_results(
    results: Sequence[Result],
    how: ComparisonOptions | None = None,
    *,
    metrics: WrittenMetric | Iterable[WrittenMetric] | None = None,
    intersect: bool = False,
) -> Comparison:
    """Compare results query by query. Results that differ in data or conventions are an error, unless `intersect` is set.

    A provider that failed on every query is left out, because its values are unknown. Metrics keep their order, but for
    several chunkers span metrics come first, because the verdict is about the first one.
    """
    chosen = how or ComparisonOptions()
    working = [result for result in results if not result.is_total_failure]
    if len(results) >= 2 > len(working):
        raise ProviderError(_failure_message(results))
    aligned = align(working, metrics, intersect=intersect)
    if chosen.cluster:
        clusters_of(aligned.results, chosen.cluster)  # an unknown tag is an error
    aligned = replace(aligned, metrics=fair_metrics_first(results, aligned.metrics))
    fields = field_outcomes(aligned, chosen)
    failed = tuple(result for result in results if result.is_total_failure)
    return Comparison(aligned, chosen, tuple(compare_pairs(aligned, chosen, fields)), fields, failed=failed)


def _failure_message(results: Sequence[Result]) -> str:
    """Which providers failed on every query, and the first error."""
    failed = [result for result in results if result.is_total_failure]
    names = listed([result.name for result in failed])
    why = next(iter(failed[0].failures.values()))
    return f"nothing can be compared, because {names} failed on every query. The first error: {why}"
