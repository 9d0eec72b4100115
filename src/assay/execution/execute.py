"""Executing a plan: run every part of it, from the queries to the result, with a log for resuming."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets import QUERIES, BenchmarkDataset, detect_format, load_dataset, queries_to_send
from assay.errors import AssayError, BadParameter, DataError, NothingSelected, ProviderError
from assay.evaluation import (
    Result,
    Setting,
    check_has_answers,
    check_known_documents,
    combine_repeats,
    now,
    open_context,
    rankings_of_repeat,
    reads_answers,
    settings_of,
    subject_of,
    with_domain_documents,
    with_intervals,
    with_the_same_metrics,
)
from assay.execution.checkpoint import (
    EVALUATION,
    KnownResponses,
    ResponseCache,
    clear_finished,
    describe_start,
    find_checkpoint,
    mark_finished,
    mark_unfinished,
)
from assay.execution.chunking import check_has_spans, chunk_dataset
from assay.execution.client import failed_response
from assay.execution.corpus_fingerprints import INDEXES, recall_fingerprints
from assay.execution.plan import Plan
from assay.execution.plan_file import PlanFaults
from assay.execution.plan_logs import score_logs
from assay.execution.progress import Progress
from assay.execution.responses import Appender, Response, remove_stale_files
from assay.execution.runner import Part, collect_repeats, make_provenance
from assay.execution.stages import ROUTING, score_stages, with_first_ranking
from assay.files import Reading, current_reading, reading_with
from assay.metrics import find_metrics
from assay.model import Tags, asked_for, tags_of
from assay.providers import BoundProvider
from assay.temporary_files import is_read_only
from assay.text import counted

DEFAULT_HOME = Path(".assay")
"""The folder for logs and caches, in the working folder."""


@dataclass(frozen=True)
class ExecutionOptions:
    """How a plan is executed."""

    resume: bool = False
    home: Path = DEFAULT_HOME
    name: str = ""
    """The name of the plan in the logs; by default a hash of its content."""
    watch: Callable[[Progress], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    """Called with notes for the user, before the execution begins and while a provider works."""
    before: Sequence[Result] | None = None
    """Earlier results: only their failed queries are sent again, everything else is kept."""


def execute_plan(plan: Plan, options: ExecutionOptions) -> list[Result]:
    """One result for each benchmark and provider, in the order of the plan; for a reranker also its first stage.

    A plan of search logs has a result for each log.

    The columns that the plan names are for benchmarks and for recorded runs.
    """
    with reading_with(Reading(plan.columns)) as reading:
        if not plan.logs:
            return _execute(plan, options)
        results = score_logs(plan)
        reading.check_columns_used()
        return results


def _execute(plan: Plan, options: ExecutionOptions) -> list[Result]:
    datasets = _check_and_load(plan)
    parts, answered = _make_parts(datasets, plan, options)
    if plan.cache:
        recall_fingerprints(datasets.values(), options.home / INDEXES)
    header = describe_start(plan, datasets, parts)
    if options.before is not None:
        header["again"] = {key: sorted(part.queries.keys() - answered[key].keys()) for part in parts for key in part.keys}
    if not options.resume and is_read_only(options.home / "runs"):
        options.say("this folder is read-only, so there is no log and the evaluation cannot be resumed")
        alone = (_execute_part(part, plan, answered, None, options) for part in parts)
        return with_the_same_metrics(list(itertools.chain.from_iterable(alone)))
    write_gitignore(options.home)
    for folder in ("runs", "answers", INDEXES):
        remove_stale_files(options.home / folder)
    checkpoint = find_checkpoint(options.home / "runs", options.name, header)
    with checkpoint.log.lock():
        logged = checkpoint.resume(options.say) if options.resume else checkpoint.begin()
        mark_unfinished(checkpoint.log)
        known = {key: {**answered.get(key, {}), **logged.get(key, {})} for part in parts for key in part.keys}
        appender = checkpoint.log.appender()
        try:
            results = [_execute_part(part, plan, known, appender, options) for part in parts]
        finally:
            appender.close()
        if not any(result.failures for some in results for result in some):
            mark_finished(checkpoint.log)
        identity = {EVALUATION: checkpoint.identity()}
    clear_finished(options.home / "runs")
    every = [
        result.with_fields(provenance={**result.provenance, **identity}) for result in itertools.chain.from_iterable(results)
    ]
    return with_the_same_metrics(every)


def _check_and_load(plan: Plan) -> dict[str, BenchmarkDataset]:
    """Name → benchmark, after checking providers and chunkers, so that missing parts are found before any query."""
    for provider in plan.providers:
        provider.check()
    for chunker in plan.chunkers:
        chunker.check()
    faults = PlanFaults("plan")
    loaded = load_benchmarks(plan, faults)
    faults.raise_if_any()
    datasets = {name: _with_grades(dataset, plan) for name, dataset in loaded.items()}
    for dataset in datasets.values():
        open_context(subject_of(plan.relevance, dataset, plan.metrics))
    return datasets


def write_gitignore(home: Path) -> None:
    """Make git ignore logs and caches, so that a clean repository does not look changed."""
    mark = home / ".gitignore"
    with suppress(OSError, DataError):
        home.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            with atomic_write(mark) as file:
                file.write(b"*\n")


def _with_grades(dataset: BenchmarkDataset, plan: Plan) -> BenchmarkDataset:
    if plan.is_graded:
        return dataset
    binary = {
        query: {doc: float(grade > 0) if grade >= 0 else grade for doc, grade in judged.items()}
        for query, judged in dataset.qrels.items()
    }
    return replace(dataset, qrels=binary, _fingerprints={})


def _make_parts(
    datasets: Mapping[str, BenchmarkDataset], plan: Plan, options: ExecutionOptions
) -> tuple[list[Part], KnownResponses]:
    """The parts of a plan, and the known responses if only failed queries of earlier results are sent again."""
    cache = str(options.home / INDEXES) if plan.cache else ""
    common: dict[str, Any] = {"retry_policy": plan.retry_policy, "batch": plan.batch_size, "cache": cache}
    for dataset in datasets.values():
        check_has_spans(dataset, plan.metrics)
        check_has_answers(dataset, plan.metrics)
        check_known_documents(dataset, plan.metrics)
    cuts = [
        (chunk_dataset(dataset, chunker, plan.relevance), _words_for_texts(name, plan))
        for name, dataset in datasets.items()
        for chunker in plan.chunkers or (None,)
    ]
    parts = [
        Part(
            cut.dataset,
            provider,
            plan.selection.apply(queries_to_send(cut.dataset)),
            cut.depth(plan.depth(cut.dataset)),
            number=number,
            relevance=cut.relevance,
            chunked=cut,
            repeats=plan.repeats,
            texts=texts,
            **common,
        )
        for number, ((cut, texts), provider) in enumerate(itertools.product(cuts, plan.providers))
    ]
    return (parts, {}) if options.before is None else _repeated_parts(parts, options.before, plan, options.say)


def _words_for_texts(benchmark: str, plan: Plan) -> tuple[str, ...]:
    """The options of later commands that name the queries and documents; none if the benchmark has both.

    A file whose format cannot be detected is not named, because later commands have no option for its format.
    """
    documents = ("--documents", plan.documents) if plan.documents else ()
    if not documents and benchmark not in plan.query_files:
        return ()
    with suppress(AssayError):
        if not Path(benchmark).is_file() or detect_format(Path(benchmark)):
            return ("--dataset", benchmark, *documents)
    return documents


def _repeated_parts(
    parts: Sequence[Part], results: Sequence[Result], plan: Plan, say: Callable[[str], None]
) -> tuple[list[Part], KnownResponses]:
    """The parts that have an earlier result, and the responses stored in it; its failed queries are sent again."""
    before = {(result.benchmark, result.name): result for result in results}
    matching = [(part, before[names]) for part in parts if (names := (part.dataset.name, part.system)) in before]
    if not any(result.failures for _, result in matching):
        there = ", ".join(
            f"{'/'.join(names)} ({len(result.failures):,} failed)" for names, result in list(before.items())[:5]
        )
        raise NothingSelected(
            f"there is no failed query to retry for these benchmarks and providers. The file contains {there}"
        )
    reads_words = any(reads_answers(metric) or metric.metric.view == ROUTING for metric in plan.metrics)
    parts, known = [], KnownResponses()
    for part, result in matching:
        first = before.get((result.benchmark, _first_stage_name(result)))
        part, answers = _responses_in_result(part, result, first)
        is_lost = not result.said or part.repeats > 1
        if is_lost and (reads_words or ROUTING in result.provenance):
            say(f"{part.name}: sending all queries again, because the result has no stored answers or routes")
            answers = [{} for _ in answers]
        parts.append(part)
        known |= dict(zip(part.keys, _scorable_responses(part, answers, say), strict=True))
    return parts, known


def _responses_in_result(part: Part, result: Result, first: Result | None) -> tuple[Part, list[dict[str, Response]]]:
    """The part with only the queries of a result, and the responses in it, by repeat; for a reranker with its first stage.

    A query that failed on some repeats has responses for the others, and is sent only as often as it failed.
    """
    asked = {**result.run, **result.failures}
    queries = {name: query for name, query in part.queries.items() if name in asked}
    part = replace(part, queries=queries, repeats=max(part.repeats, result.n_repeats))
    repeats = []
    for repeat in range(part.repeats):
        answers = {
            query: Response(
                query, list(ranking), list(ranking.values()), float("nan"), said=dict(result.said.get(query, {})) or None
            )
            for query, ranking in rankings_of_repeat(result, repeat).items()
            if query in queries
        }
        if part.provider.provider.keeps_first:
            ranked = rankings_of_repeat(first, repeat) if first is not None else {}
            answers = {
                query: with_first_ranking(answer, ranked[query]) for query, answer in answers.items() if query in ranked
            }
        repeats.append(answers)
    return part, repeats


def _scorable_responses(
    part: Part, repeats: Sequence[dict[str, Response]], say: Callable[[str], None]
) -> list[dict[str, Response]]:
    """Responses that can be scored again. If texts of hits decide about relevance, none can: results do not store them."""
    by_ids = part.relevance.by.strip() in ("auto", "qrels") and part.queries.keys() <= part.dataset.qrels.keys()
    documents = part.dataset.documents
    whole = [
        {query: answer for query, answer in answers.items() if by_ids or documents.keys() >= set(answer.docs)}
        for answers in repeats
    ]
    lost = {query for answers, rest in zip(repeats, whole, strict=True) for query in answers.keys() - rest.keys()}
    if lost:
        say(f"{part.name}: sending {counted(len(lost), 'more query')} again, because results do not store the texts of hits")
    return whole


def _first_stage_name(result: Result) -> str:
    return f"{result.name} before"


def _execute_part(
    part: Part, plan: Plan, known: KnownResponses, log: Appender | None, options: ExecutionOptions
) -> list[Result]:
    """Execute one part. A provider that cannot be started fails on every query, so that other providers still run.

    Repeats are never read from the cache, and not written to it.
    """
    start = StartTime()
    logged = [known.get(key, {}) for key in part.keys]
    n_known = sum(answer.error is None for some in logged for query, answer in some.items() if query in part.queries)
    n_asked = len(part.queries) * part.repeats
    progress = Progress(part.name, n_asked, watch=options.watch, n_known=n_known, tell=options.say)
    cache = ResponseCache(options.home / "answers", part) if plan.cache and part.repeats == 1 else None
    cached = cache.known() if cache else {}
    usable = [{**cached, **some} for some in logged]
    try:
        repeats = collect_repeats(part, usable, log, progress)
    except ProviderError as error:
        repeats = [_failed_responses(part, some, error) for some in usable]
        progress.add([answer for answers in repeats for answer in answers.values() if answer.error is not None])
    if cache:
        cache.store(repeats[0], cached)
    return score_responses(part, plan, repeats, progress, start, _extra_settings(plan))


def _failed_responses(part: Part, known: Mapping[str, Response], error: ProviderError) -> dict[str, Response]:
    """The known responses, and the error for all other queries."""
    before = {query: answer for query, answer in known.items() if answer.error is None}
    return {query: before.get(query) or failed_response(query, error) for query in part.queries}


@dataclass(frozen=True)
class StartTime:
    """When a part began: as a timestamp, and on the performance counter."""

    timestamp: str = field(default_factory=now)
    clock: float = field(default_factory=time.perf_counter)


def score_responses(
    part: Part,
    plan: Plan,
    repeats: Sequence[Mapping[str, Response]],
    progress: Progress,
    start: StartTime,
    beside: Sequence[Setting] = (),
) -> list[Result]:
    """The result of a part with its provenance; for a reranker two results, the first stage and the final one."""
    asked = time.perf_counter()
    settings = [*settings_of(plan.metrics, plan.profile), *beside]
    by_repeat = [score_stages(part, answers, settings, plan.profile) for answers in repeats]
    *first, result = (_with_intervals(combine_repeats(stages), plan) for stages in zip(*by_repeat, strict=True))
    seconds = {"asking": asked - start.clock, "scoring": time.perf_counter() - asked}
    rests_on = {**make_provenance(part, progress, repeats, start.timestamp, seconds), **_describe_request(plan)}
    notes = (*result.notes, *progress.notes)
    after = result.with_fields(notes=notes, provenance={**rests_on, **result.provenance})
    before = {**rests_on, "stage": "before reranking"}
    return [
        *(stage.with_fields(name=_first_stage_name(result), provenance={**before, **stage.provenance}) for stage in first),
        after,
    ]


def _with_intervals(result: Result, plan: Plan) -> Result:
    """The result with the intervals of the plan, and with notes on its depth."""
    result = result.with_fields(notes=(*result.notes, *(f"{note}." for note in plan.notes_on_depth)))
    method = plan.statistics.confidence_intervals
    return with_intervals(result, method, plan.statistics.level) if method else result


def _describe_request(plan: Plan) -> dict[str, Any]:
    """What the plan requests, for provenance."""
    return {
        "metrics": [metric.name for metric in plan.metrics],
        "policy": plan.profile.policy.to_dict(),
        "selection": plan.selection.to_dict(),
        "seed": plan.selection.seed,
    }


def _extra_settings(plan: Plan) -> list[Setting]:
    """Metrics in addition to the requested ones: how much is judged, and how long queries take."""
    asked = {metric.name for metric in plan.metrics}
    beside = [metric for metric in find_metrics(["judged@10", "latency", "latency_p95"]) if metric.name not in asked]
    return [Setting(metric, metric, plan.profile.policy, is_beside=True) for metric in beside]


def _reading_of(plan: Plan) -> Reading:
    """The settings of a plan about reading."""
    used = set(current_reading().used)
    return Reading(plan.columns, plan.documents, plan.as_of, plan.vectors, plan.popularity, used=used)


def load_benchmarks(plan: Plan, faults: PlanFaults) -> dict[str, BenchmarkDataset]:
    """Benchmark as written in the plan → dataset, for those that can be read. Errors are collected.

    It is an error if two benchmarks have the same name, because results are named after it; if no query has a selected tag;
    if a provider needs documents that a benchmark does not have; and if a column that the plan names is neither in a table
    of a benchmark nor in a run that the check of a provider read before.
    """
    with reading_with(_reading_of(plan)) as reading:
        loaded = {
            name: faults.attempt(load_dataset, name, _format_of(name, plan), lenient=plan.lenient)
            for name in plan.benchmarks
        }
    datasets = {name: dataset for name, dataset in loaded.items() if dataset is not None}
    if len(datasets) == len(loaded):
        faults.attempt(reading.check_columns_used)
    first: dict[str, str] = {}
    for path, dataset in datasets.items():
        if first.setdefault(dataset.name, path) != path:
            both = f"{first[dataset.name]} and {path} are both called {dataset.name}"
            advice = "Rename one of them, or run them separately"
            faults.add(BadParameter(f"{both}, so their results would have the same name. {advice}"))
    indexed = faults.attempt(with_indexed_documents, datasets, plan)
    datasets = datasets if indexed is None else dict(indexed)
    for dataset in datasets.values() if indexed is not None else ():
        faults.attempt(_check_has_documents, dataset, plan)
    if len(datasets) == len(loaded):
        faults.attempt(plan.selection.check_tags, [dataset.queries for dataset in datasets.values()])
        for by in asked_for(plan.by) if plan.by else ():
            faults.attempt(_all_tags(datasets).crossed, by)
    return datasets


def _format_of(benchmark: str, plan: Plan) -> str | None:
    """The format of a benchmark: queries for a file of queries, unless the plan names one; None: detected."""
    return plan.dataset_format or (QUERIES if benchmark in plan.query_files else None)


def with_indexed_documents(datasets: Mapping[str, BenchmarkDataset], plan: Plan) -> Mapping[str, BenchmarkDataset]:
    """The datasets with the documents that domains create for the providers of the plan."""
    is_searched = any(provider.indexes for provider in plan.providers)
    return with_domain_documents(datasets, plan.relevance.domain_options, plan.selection.apply, is_searched=is_searched)


def _check_has_documents(dataset: BenchmarkDataset, plan: Plan) -> None:
    check_has_features(dataset, plan.providers)
    if dataset.documents:
        return
    if needy := [provider.name for provider in plan.providers if provider.indexes]:
        verb = "needs" if len(needy) == 1 else "need"
        advice = (
            "Name them with --documents, documents: in a plan, or documents= in Python (a table, or a folder of .md or .txt "
            "files), or choose a provider with its own documents, such as http or replay"
        )
        raise DataError(f"{dataset.name} has no documents, but {', '.join(needy)} {verb} documents to search. {advice}")


def check_has_features(dataset: BenchmarkDataset, providers: Sequence[BoundProvider]) -> None:
    """Raise if a provider ranks documents by features, but the documents of the benchmark have none."""
    if dataset.features is None and (needy := [provider.name for provider in providers if provider.reads_features]):
        verb = "ranks" if len(needy) == 1 else "rank"
        advice = "Use a benchmark for learning to rank, in the format letor"
        raise DataError(
            f"the documents of {dataset.name} have no features, but {', '.join(needy)} {verb} by features. {advice}"
        )


def _all_tags(datasets: Mapping[str, BenchmarkDataset]) -> Tags:
    """The tags of all queries; the benchmark is also a tag."""
    return Tags(
        {
            f"{name}/{query.query_id}": {**tags_of(query), "benchmark": name}
            for name, dataset in datasets.items()
            for query in dataset.queries.values()
        }
    )
