"""Scoring: score a run against judgments under a profile and its policy."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol, TypedDict, overload

from assay.datasets import BenchmarkDataset, GroundTruth, all_formats, known_format, looks_like
from assay.errors import BadParameter, DataError, NoGroundTruth, UsageError
from assay.evaluation.bands import residual_bands, tie_bands
from assay.evaluation.canonical_ids import CanonicalIds
from assay.evaluation.completeness import (
    notes_on_empty_corpus,
    with_left_out_queries,
    without_constant_judged,
)
from assay.evaluation.domains import Subject, bind_views, check_options, expected_ids, needs_domain, open_context
from assay.evaluation.grader import Grader, MakeViews
from assay.evaluation.ground_truth import as_judged, as_ranked
from assay.evaluation.notes import (
    check_ids_match,
    notes_on,
    notes_on_reading,
    notes_on_relevance,
    notes_on_spans,
    notes_on_tags,
)
from assay.evaluation.profile import Profile, Setting, Settings, check_supported, settings_of
from assay.evaluation.profiles import choose_profile, requested_settings
from assay.evaluation.relevance import Judgement, Relevance, TermSource, judge, subject_of, written_relevance
from assay.evaluation.result import Result
from assay.evaluation.result_lists.known_documents import VIEW as RESULT_LISTS
from assay.evaluation.result_lists.known_documents import DatasetDocuments, check_known_documents
from assay.evaluation.result_lists.read_documents import read_documents
from assay.evaluation.result_parts import Evidence, Provenance, RelevantDocuments, Scores
from assay.evaluation.short_rankings import with_short_run
from assay.evaluation.times.ages import AgeSource
from assay.evaluation.times.time_filter import notes_on_younger, with_age_tags
from assay.files import as_source
from assay.metrics import BoundMetric, Given, find_metrics, parse_metrics, written_metrics
from assay.model import JudgmentSource, Policy, Qrels, Run, RunSource, ScoreTable
from assay.text import shortened
from assay.views import Times, Truth

REPLAY = "metrics of result lists need none if the run is a provider: assay eval --benchmarks … --providers replay:FILE"


class EvaluateSettings(TypedDict, total=False):
    """The settings of `evaluate`, as keywords of functions that score several runs or belong to one dataset."""

    policy: Policy | None
    profile: str | Profile | None
    relevance: str | Relevance
    ontology: TermSource | None
    tie_band: bool
    residuals: bool


class SampledJudgments(Protocol):
    """Judgments of a sample of pairs, from which metrics are estimated instead of scored."""

    def evaluate(self, truth: Any, run: Any, metrics: Sequence[BoundMetric] | None, profile: Profile, name: str) -> Result:
        """The estimates for a run; `truth` may have the texts and tags of queries."""


@overload
def evaluate(  # noqa: D418 (here all that is public is explained)
    qrels: BenchmarkDataset,
    run: RunSource | None = None,
    metrics: Given | Iterable[Given] | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    tie_band: bool = False,
    residuals: bool = False,
    relevance: str | Relevance = "auto",
    ontology: TermSource | None = None,
) -> Result:
    """Score a run against a benchmark; without a run, what its file says a system retrieved."""


@overload
def evaluate(  # noqa: D418
    qrels: JudgmentSource,
    run: RunSource,
    metrics: Given | Iterable[Given] | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    tie_band: bool = False,
    residuals: bool = False,
    relevance: str | Relevance = "auto",
    ontology: TermSource | None = None,
) -> Result:
    """Score a run against judgments."""


@overload
def evaluate(  # noqa: D418
    qrels: GroundTruth | None,
    run: RunSource,
    metrics: Given | Iterable[Given] | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    judgments: SampledJudgments,
) -> Result:
    """Estimate metrics of a run from a sample of judgments."""


def evaluate(
    qrels: GroundTruth | None,
    run: RunSource | None = None,
    metrics: Given | Iterable[Given] | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    tie_band: bool = False,
    residuals: bool = False,
    relevance: str | Relevance = "auto",
    ontology: TermSource | None = None,
    judgments: SampledJudgments | None = None,
) -> Result:
    """Score a run against judgments. Both can be nested dicts, files, frames, records, or prepared `Qrels` and `Run`.

    Without a run, `qrels` must be a BenchmarkDataset whose file has what a system retrieved: `dataset.retrieved`.
    A `profile` scores like another tool. `tie_band` and `residuals` add how much ties and unjudged documents could change.
    If `qrels` is a BenchmarkDataset, `relevance` says how relevance is decided. `ontology` (an ontology or its file) is for
    metrics and relevance by similar terms, and resolves other ids of a term. With `judgments`, such as `assay.Corrected`,
    metrics are estimated from a sample of judgments, and `qrels` has only the texts and tags of queries, or is None.
    """
    chosen = choose_profile(policy, profile)
    rankings = _retrieved(qrels) if run is None and isinstance(qrels, BenchmarkDataset) else run
    by, options = written_relevance(relevance), {} if ontology is None else {"ontology": ontology}
    if judgments is not None:
        parsed_metrics = None if metrics is None else parse_metrics(written_metrics(metrics), chosen.name)
        _check_sampled(judgments, tie_band, residuals, by != "auto", bool(options))
        return judgments.evaluate(qrels, as_source(rankings), parsed_metrics, chosen, name)
    settings = None if metrics is None else requested_settings(metrics, chosen)
    return with_bands(
        _evaluated(qrels, rankings, settings, chosen, name, by, options), tie_band=tie_band, residuals=residuals
    )


def _check_sampled(judgments: object, *others: bool) -> None:
    """Raise if judgments are not a sample, or if a setting is used that estimates do not have."""
    if not callable(getattr(judgments, "evaluate", None)):
        raise BadParameter(
            f"judgments must be a sample such as assay.Corrected(people, model, pool), not {shortened(judgments)}"
        )
    if any(others):
        raise UsageError("estimates have no tie band, residuals, relevance or ontology. Remove these settings")


def _retrieved(dataset: BenchmarkDataset) -> Mapping[str, Sequence[str]]:
    """What a system retrieved, according to the benchmark's own file."""
    if not dataset.retrieved:
        raise UsageError(f"evaluate needs a run, because {dataset.name} does not say what a system retrieved")
    return dataset.retrieved


def evaluate_metrics(
    qrels: Any,
    run: Any,
    metrics: Sequence[BoundMetric] | None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    tie_band: bool = False,
    residuals: bool = False,
    relevance: str | Relevance = "auto",
    options: Mapping[str, Any] | None = None,
    judgments: SampledJudgments | None = None,
) -> Result:
    """Like `evaluate`, for internal code that has parsed the metrics already; None: the default metrics.

    `options` are the options of domains.
    """
    chosen = choose_profile(policy, profile)
    if judgments is not None:
        _check_sampled(judgments, tie_band, residuals, relevance != "auto", bool(options))
        return judgments.evaluate(qrels, as_source(run), metrics, chosen, name)
    settings = None if metrics is None else settings_of(metrics, chosen)
    return with_bands(
        _evaluated(qrels, run, settings, chosen, name, relevance, options or {}), tie_band=tie_band, residuals=residuals
    )


def _evaluated(
    qrels: Any,
    run: Any,
    settings: Settings | None,
    profile: Profile,
    name: str,
    relevance: str | Relevance,
    options: Mapping[str, Any],
) -> Result:
    """The result without bands; the default metrics if there are no settings."""
    if settings is None:
        is_benchmark = isinstance(qrels, BenchmarkDataset)
        settings = requested_settings(default_metrics([qrels.format]) if is_benchmark else None, profile)
    if isinstance(qrels, BenchmarkDataset):
        by = relevance if isinstance(relevance, Relevance) else Relevance(relevance)
        by = by.with_options(options)
        check_options(qrels.name, qrels.qrels, by.domain_options)
        scored = evaluate_dataset(qrels, run, settings, profile, name, by)
        return with_short_run(scored, qrels, is_own_choice=run is qrels.retrieved)
    if relevance != "auto":
        raise UsageError("relevance needs a BenchmarkDataset: plain judgments are matched by id only")
    judgments = as_judged(qrels)
    source = as_ranked(run, judgments)
    return with_short_run(evaluate_judgments(judgments, source, settings, profile, name, options))


def evaluate_dataset(
    dataset: BenchmarkDataset,
    run: Any,
    settings: Sequence[Setting],
    profile: Profile,
    name: str,
    relevance: str | Relevance,
    times: Times | None = None,
    max_documents: int | None = None,
) -> Result:
    """Score a run against a dataset, however relevance is decided; `times` are the times of its queries.

    If chunks are rolled up to documents, only the first `max_documents` documents count. judged@10 is left out if nobody
    asked for it and it cannot be other than 1.
    """
    chosen = relevance if isinstance(relevance, Relevance) else Relevance(relevance)
    context = open_context(subject_of(chosen, dataset, [setting.metric for setting in settings]))
    with _suggesting_replay(settings if times is None else []):
        judgement = judge(dataset, run, chosen, profile.policy, max_documents, context)
    whole, dataset = dataset, judgement.dataset
    spans = (judgement.chunks or judgement.run, judgement.truth) if judgement.truth is not None else None
    views, notes_on_ids = bind_views(context, dataset.qrels, judgement.run, profile.policy.duplicates)
    check_known_documents(dataset, [setting.metric for setting in settings])
    known = DatasetDocuments(whole, judgement.owner)
    about = (times, spans, views, dataset.documents, AgeSource.of(dataset), known)
    result = evaluate_settings(judgement.qrels, judgement.run, settings, profile, name, *about)
    sources = known.describe()
    read = read_documents(whole, result.metrics, sources)
    if not profile.name:
        check_ids_match(result.counts, judgement.qrels, judgement.run, dataset.queries)
    notes = (*_notes_on_data(dataset, judgement, result, known), *notes_on_ids, *result.notes)
    rankings = {query: dict(ranking) for query, ranking in (judgement.chunks or {}).items()}
    scored = without_constant_judged(result, dataset, judgement.resolved.strategies).with_fields(
        relevance={**judgement.resolved.to_dict(), **judgement.missing.to_dict(), **context.describe(), **sources, **read},
        notes=notes,
        run=rankings or result.run,
        queries=with_age_tags(result, dataset.queries),
    )
    return with_left_out_queries(scored, whole)


@contextmanager
def _suggesting_replay(settings: Sequence[Setting]) -> Iterator[None]:
    """Say in an error about missing judgments how these metrics are computed without any, if all read result lists."""
    try:
        yield
    except NoGroundTruth as error:
        asked = {setting.metric.metric.view for setting in settings if not setting.is_beside}
        raise error.hinting(REPLAY if asked == {RESULT_LISTS} else error.hint) from None


def _notes_on_data(
    dataset: BenchmarkDataset, judgement: Judgement, result: Result, known: DatasetDocuments
) -> tuple[str, ...]:
    """Notes on a benchmark: how it was read, its times and documents, and how relevance was decided."""
    about_reading = (*notes_on_reading(dataset), *notes_on_format(dataset))
    about_dataset = (*about_reading, *notes_on_tags(dataset), *notes_on_spans(dataset), *judgement.missing.notes)
    about_time = (*judgement.notes_on_time, *notes_on_younger(result, dataset))
    about_documents = (*notes_on_empty_corpus(dataset), *known.notes())
    about_relevance = (*notes_on_relevance(judgement.resolved), *judgement.notes_on_ids)
    return (*about_dataset, *about_time, *about_documents, *about_relevance)


def evaluate_settings(
    qrels: Qrels,
    run: Any,
    settings: Sequence[Setting],
    profile: Profile,
    name: str = "",
    times: Times | None = None,
    spans: tuple[Run, Truth] | None = None,
    make_views: MakeViews | None = None,
    documents: Container[str] = (),
    ages: AgeSource | None = None,
    known: DatasetDocuments | None = None,
) -> Result:
    """Read and rank the run once, score every metric under its own policy, and add notes for the reader.

    `documents` are the documents that could have been retrieved, if they are known.
    """
    settings = Settings.of(settings)
    grader = Grader(qrels, run, settings.by_policy, times, spans, make_views, ages, known)
    table = score_table(grader, settings, profile)
    notes = notes_on(grader, settings, profile, run, documents)
    return _result(grader, table, settings, profile, name, notes)


def score_table(grader: Grader, settings: Settings, profile: Profile) -> ScoreTable:
    """The scores of every metric under its own policy; an error if the tool of the profile would fail."""
    try:
        for setting in settings if profile.refusals else ():
            grading = grader.grading(setting.policy)
            check_supported(profile, setting, grading.run, grading.missing)
        return grader.table(settings)
    except DataError as error:
        if profile.is_own:
            raise
        message = f"profile {profile.name}: {error.message}{_advice_on(error.field)}"
        raise DataError(message, error.faults, error.field) from None


def evaluate_judgments(
    qrels: Qrels,
    run: Any,
    settings: Sequence[Setting],
    profile: Profile,
    name: str = "",
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Score a run against judgments only. A domain that accepts `options` may resolve other ids of a document."""
    if options or needs_domain(Settings.of(settings).metrics):
        return _evaluated_in_domain(qrels, run, Settings.of(settings), profile, name, options or {})
    result = evaluate_settings(qrels, run, settings, profile, name)
    if not profile.name:  # another tool has a value for such a run
        check_ids_match(result.counts, qrels, run)
    return result


def _evaluated_in_domain(
    qrels: Qrels, run: Any, settings: Settings, profile: Profile, name: str, options: Mapping[str, Any]
) -> Result:
    """The result of a run if a domain knows the documents, or creates what metrics read."""
    context = open_context(Subject(qrels, options, settings.metrics))
    check_options("judgments", qrels, options)
    canonical_notes: tuple[str, ...] = ()
    if context.has_canonical_ids:
        ids = CanonicalIds(context.canonical)
        run, retrieved = ids.of_run(run, profile.policy.duplicates)
        canonical_notes, qrels = tuple(context.notes(expected_ids(qrels), retrieved)), ids.of_judgments(qrels)
    views, notes_on_ids = bind_views(context, qrels, run, profile.policy.duplicates)
    result = evaluate_settings(qrels, run, settings, profile, name, make_views=views)
    if not profile.name:
        check_ids_match(result.counts, qrels, run)
    about_ids = (*canonical_notes, *notes_on_ids)
    return result.with_fields(notes=(*about_ids, *result.notes)) if about_ids else result


def with_bands(result: Result, *, tie_band: bool, residuals: bool) -> Result:
    """The result with bands: how much ties and unjudged documents could change each value."""
    if not tie_band and not residuals and not result.tie_bands and not result.residuals:
        return result
    grader, settings = result.grader, result.settings
    if grader is None:
        raise UsageError("bands need the rankings, but this result was read from a file or a store. Score the run again")
    return result.with_fields(
        tie_bands=tie_bands(grader, settings) if tie_band else {},
        residuals=residual_bands(grader, settings) if residuals else {},
    )


def _result(
    grader: Grader, table: ScoreTable, settings: Settings, profile: Profile, name: str, notes: tuple[str, ...]
) -> Result:
    """A result with these scores and what they are based on."""
    policy = settings.main_policy(profile.policy)
    grading = grader.grading(policy)
    scores = Scores(
        table,
        settings.metrics,
        counts={**grading.counts, "scored": len(table.query_ids)},
        missing=grading.missing,
        settings=settings,
        beside=settings.beside,
    )
    evidence = Evidence(
        relevant=RelevantDocuments(grader.qrels, policy.rel),
        nonrelevant=RelevantDocuments(grader.qrels, policy.rel, is_relevant=False),
        grader=grader,
    )
    origin = Provenance(_on_scale(policy, grading.run.max_grade), profile.name, notes=notes)
    return Result(name, scores, origin, evidence)


@lru_cache(maxsize=256)
def _on_scale(policy: Policy, max_grade: float) -> Policy:
    """The policy with the highest grade that it was applied with."""
    return replace(policy, max_grade=max_grade or None)


ADVICE_OF_FIELD = {
    "ties": "--ties docid_desc",
    "missing": "--missing zero",
    "extra": "--extra skip",
    "no_relevant": "--no-relevant zero",
}


def _advice_on(field: str) -> str:
    """How to continue if a tool's conventions refuse the data; empty if no option helps."""
    if field == "ties":
        return f". The tool does not define the order of equal scores. Add {ADVICE_OF_FIELD[field]} to choose one."
    return f". The tool itself stops here. Add {ADVICE_OF_FIELD[field]} to score anyway." if field else ""


def default_metrics(formats: Iterable[str]) -> list[BoundMetric]:
    """The metrics of the format, if all benchmarks have the same format and it names metrics; else the default group."""
    names = set(formats)
    format_ = known_format(names.pop()) if len(names) == 1 else None
    return find_metrics(format_.default_metrics) if format_ and format_.default_metrics else parse_metrics(None)


def formats_of(benchmarks: Any, dataset_format: Any = None) -> list[str]:
    """The format of each benchmark by name or path, if the format has its own default metrics; empty for all others."""
    names = benchmarks if isinstance(benchmarks, list | tuple) else [benchmarks]
    return [str(dataset_format) if dataset_format else _format_with_metrics(str(name)) for name in names]


def _format_with_metrics(benchmark: str) -> str:
    formats = (format_ for format_ in all_formats().values() if format_.default_metrics)
    return next((format_.name for format_ in formats if looks_like(format_, benchmark)), "")


def notes_on_format(dataset: BenchmarkDataset) -> list[str]:
    """The notes that the format of a dataset adds to every result, each with a full stop."""
    format_ = known_format(dataset.format)
    notes = format_.notes(dataset) if format_ is not None and format_.notes is not None else []
    return [note if note.endswith(".") else f"{note}." for note in notes]
