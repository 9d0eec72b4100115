"""conduct: carry out a plan; every part of it, from the queries to the result, with a log to go on from."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets import BenchmarkDataset, load_dataset
from assay.errors import BadParameter, DataError, NothingSelected, ProviderError
from assay.evaluation import (
    Result,
    Setting,
    check_has_answers,
    now,
    ontology_of,
    reads_answers,
    settings_of,
    with_intervals,
    with_the_same_metrics,
)
from assay.execution.checkpoint import (
    EVALUATION,
    Known,
    ResponseCache,
    clear_finished,
    describe_start,
    find_checkpoint,
    mark_finished,
    mark_unfinished,
)
from assay.execution.chunking import check_has_spans, chunked
from assay.execution.client import failed_response
from assay.execution.indexed_terms import with_indexed_terms
from assay.execution.plan import Plan
from assay.execution.plan_file import PlanFaults
from assay.execution.progress import Progress
from assay.execution.responses import Appender, Response, remove_left_over
from assay.execution.runner import Part, collect_responses, provenance
from assay.execution.stages import ROUTING, staged, with_first
from assay.metrics import find_metrics
from assay.model import Tags, asked_for, tags_of
from assay.temporary_files import is_read_only
from assay.text import counted

HOME = Path(".assay")
"""Where logs and caches are kept, below the working folder."""


@dataclass(frozen=True)
class ExecutionOptions:
    """How a plan is carried out."""

    resume: bool = False
    home: Path = HOME
    name: str = ""
    """What the plan is known by; by default its content."""
    watch: Callable[[Progress], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    """Told what a person should know before it begins."""
    before: Sequence[Result] | None = None
    """Results of which only what failed is asked again; the rest of them stays as it is."""


def execute_plan(plan: Plan, conduct: ExecutionOptions) -> list[Result]:
    """One result per benchmark and provider, in the order of the plan; before a reranker's, that of what it was given."""
    for provider in plan.providers:
        provider.check()
    for chunker in plan.chunkers:
        chunker.check()
    faults = PlanFaults("plan")
    loaded = load_benchmarks(plan, faults)
    faults.raise_if_any()
    datasets = {name: _graded(dataset, plan) for name, dataset in loaded.items()}
    for dataset in datasets.values():  # one that is missing shows now, not when all is asked
        ontology_of(plan.relevance, dataset, plan.metrics)
    parts, answered = _parts(datasets, plan, conduct)
    header = describe_start(plan, datasets, parts)
    if conduct.before is not None:
        header["again"] = {part.key: sorted(part.queries.keys() - answered[part.key].keys()) for part in parts}
    if not conduct.resume and is_read_only(conduct.home / "runs"):
        conduct.say("nothing can be written here, so no log is kept to go on from")
        alone = (_results(part, plan, answered.get(part.key, {}), None, conduct) for part in parts)
        return with_the_same_metrics(list(itertools.chain.from_iterable(alone)))
    _keep_out_of_repositories(conduct.home)
    for folder in ("runs", "answers"):
        remove_left_over(conduct.home / folder)
    checkpoint = find_checkpoint(conduct.home / "runs", conduct.name, header)
    with checkpoint.log.held():
        logged = checkpoint.resume(conduct.say) if conduct.resume else checkpoint.begin()
        mark_unfinished(checkpoint.log)
        known = {part.key: {**answered.get(part.key, {}), **logged.get(part.key, {})} for part in parts}
        appender = checkpoint.log.appender()
        try:
            results = [_results(part, plan, known[part.key], appender, conduct) for part in parts]
        finally:
            appender.close()
        if not any(result.failures for some in results for result in some):
            mark_finished(checkpoint.log)
        identity = {EVALUATION: checkpoint.identity()}
    clear_finished(conduct.home / "runs")
    every = [replace(one, provenance={**one.provenance, **identity}) for one in itertools.chain.from_iterable(results)]
    return with_the_same_metrics(every)


def _keep_out_of_repositories(home: Path) -> None:
    """What is kept here is nobody's to commit, and must not make a clean repository look changed."""
    mark = home / ".gitignore"
    with suppress(OSError, DataError):
        home.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            with atomic_write(mark) as file:
                file.write(b"*\n")


def is_total_failure(result: Result) -> bool:
    """Whether a provider failed on every query it was asked."""
    return bool(result.failures) and not result.run


def _graded(dataset: BenchmarkDataset, plan: Plan) -> BenchmarkDataset:
    if plan.is_graded:
        return dataset
    binary = {
        query: {doc: float(grade > 0) if grade >= 0 else grade for doc, grade in judged.items()}
        for query, judged in dataset.qrels.items()
    }
    return replace(dataset, qrels=binary, _fingerprints={})


def _parts(datasets: Mapping[str, BenchmarkDataset], plan: Plan, conduct: ExecutionOptions) -> tuple[list[Part], Known]:
    """What there is to do, and the answers of results whose failures alone are asked again."""
    cache = str(conduct.home / "embeddings") if plan.cache else ""
    common: dict[str, Any] = {"patience": plan.patience, "batch": plan.batch_size, "cache": cache}
    for dataset in datasets.values():
        check_has_spans(dataset, plan.metrics)
        check_has_answers(dataset, plan.metrics)
    cuts = [chunked(dataset, one, plan.relevance) for dataset in datasets.values() for one in plan.chunkers or (None,)]
    parts = [
        Part(
            cut.dataset,
            provider,
            plan.selection.apply(cut.dataset.queries),
            cut.depth(plan.k),
            number=number,
            relevance=cut.relevance,
            cut=cut,
            **common,
        )
        for number, (cut, provider) in enumerate(itertools.product(cuts, plan.providers))
    ]
    if conduct.before is None:
        return parts, {}
    before = {(result.benchmark, result.name): result for result in conduct.before}
    matching = [(part, before[names]) for part in parts if (names := (part.dataset.name, part.system)) in before]
    if not any(result.failures for _, result in matching):
        there = ", ".join(f"{'/'.join(names)} ({len(one.failures):,} failed)" for names, one in list(before.items())[:5])
        raise NothingSelected(f"no query to ask again with these benchmarks and providers; the results are {there}")
    reads_words = any(reads_answers(metric) or metric.metric.view == ROUTING for metric in plan.metrics)
    kept = []
    for part, result in matching:
        first = before.get((result.benchmark, _first_name(result)))
        part, answers = _of_result(part, result, first)
        if not result.said and (reads_words or ROUTING in result.provenance):
            conduct.say(f"{part.name}: all queries are asked again, for that result does not keep what was said to them")
            answers = {}
        kept.append((part, answers))
    known = {part.key: _with_all_it_needs(part, answers, conduct.say) for part, answers in kept}
    return [part for part, _ in kept], known


def _of_result(part: Part, result: Result, first: Result | None) -> tuple[Part, dict[str, Response]]:
    """The part, as far as a result goes, and the answers in it; for a reranker with what it was given."""
    asked = {**result.run, **result.failures}
    queries = {name: query for name, query in part.queries.items() if name in asked}
    answers = {
        query: Response(query, list(ranking), list(ranking.values()), float("nan"), said=_said(result, query))
        for query, ranking in result.run.items()
        if query in queries
    }
    if part.provider.provider.keeps_first:
        ranked = first.run if first is not None else {}
        answers = {query: with_first(answer, ranked[query]) for query, answer in answers.items() if query in ranked}
    return replace(part, queries=queries), answers


def _said(result: Result, query: str) -> dict[str, Any] | None:
    """What was said to a query beside its hits, as far as the result keeps it."""
    return dict(result.said[query]) if query in result.said else None


def _with_all_it_needs(part: Part, answers: dict[str, Response], say: Callable[[str], None]) -> dict[str, Response]:
    """Answers that can be scored again: not those where texts that hits brought along decide, for results keep none."""
    by_ids = part.relevance.by.strip() in ("auto", "qrels") and part.queries.keys() <= part.dataset.qrels.keys()
    whole = {query: one for query, one in answers.items() if by_ids or part.dataset.documents.keys() >= set(one.docs)}
    if n_lost := len(answers) - len(whole):
        say(f"{part.name}: {counted(n_lost, 'query')} asked again too, for results do not keep the texts of hits")
    return whole


def _first_name(result: Result) -> str:
    return f"{result.name} before"


def _results(
    part: Part, plan: Plan, known: Mapping[str, Response], log: Appender | None, conduct: ExecutionOptions
) -> list[Result]:
    """A provider that cannot be started fails on every query, so that the others get their turn."""
    begun = Begun()
    n_known = sum(answer.error is None for query, answer in known.items() if query in part.queries)
    progress = Progress(part.name, len(part.queries), watch=conduct.watch, n_known=n_known)
    cache = ResponseCache(conduct.home / "answers", part) if plan.cache else None
    kept = cache.known() if cache else {}
    try:
        answers = collect_responses(part, {**kept, **known}, log, progress)
    except ProviderError as error:
        before = {query: answer for query, answer in {**kept, **known}.items() if answer.error is None}
        answers = {query: before.get(query) or failed_response(query, error) for query in part.queries}
        progress.add([answer for answer in answers.values() if answer.error is not None])
    if cache:
        cache.keep(answers, kept)
    return scored(part, plan, answers, progress, begun, _beside(plan))


@dataclass(frozen=True)
class Begun:
    """When a part began: by the calendar, and by the clock."""

    at: str = field(default_factory=now)
    clock: float = field(default_factory=time.perf_counter)


def scored(
    part: Part, plan: Plan, answers: Mapping[str, Response], progress: Progress, begun: Begun, beside: Sequence[Setting] = ()
) -> list[Result]:
    """The result of a part with its provenance; two where the provider put others' hits into a new order."""
    asked = time.perf_counter()
    settings = [*settings_of(plan.metrics, plan.profile), *beside]
    *first, result = (_sure(one, plan) for one in staged(part, answers, settings, plan.profile))
    seconds = {"asking": asked - begun.clock, "scoring": time.perf_counter() - asked}
    rests_on = {**provenance(part, progress, answers, begun.at, seconds), **_asked_for(plan)}
    after = replace(result, provenance={**rests_on, **result.provenance})
    before = {**rests_on, "stage": "before reranking"}
    return [*(replace(one, name=_first_name(result), provenance=before) for one in first), after]


def _sure(result: Result, plan: Plan) -> Result:
    """The result with the intervals that the plan asks for, and with what is to be said of its depth."""
    result = replace(result, notes=(*result.notes, *(f"{note}." for note in plan.notes_on_depth)))
    method = plan.statistics.confidence_intervals
    return with_intervals(result, method, plan.statistics.level) if method else result


def _asked_for(plan: Plan) -> dict[str, Any]:
    """What was asked for, as provenance has it."""
    return {
        "metrics": [metric.name for metric in plan.metrics],
        "policy": plan.profile.policy.to_dict(),
        "selection": plan.selection.to_dict(),
        "seed": plan.selection.seed,
    }


def _beside(plan: Plan) -> list[Setting]:
    """What stands beside the metrics asked for: how much was judged, and how long it took."""
    asked = {metric.name for metric in plan.metrics}
    beside = [metric for metric in find_metrics(["judged@10", "latency", "latency_p95"]) if metric.name not in asked]
    return [Setting(metric, metric, plan.profile.policy, is_beside=True) for metric in beside]


def load_benchmarks(plan: Plan, faults: PlanFaults) -> dict[str, BenchmarkDataset]:
    """Benchmark as the plan has it → dataset, of those that can be read; what is wrong with any of them is noted.

    Two of one name are refused, for results are known by it; so are tags to select by that no query of any of them has,
    and benchmarks without documents for providers that search in those.
    """
    loaded = {name: faults.attempt(load_dataset, name, plan.dataset_format) for name in plan.benchmarks}
    datasets = {name: dataset for name, dataset in loaded.items() if dataset is not None}
    first: dict[str, str] = {}
    for path, dataset in datasets.items():
        if first.setdefault(dataset.name, path) != path:
            both = f"{first[dataset.name]} and {path} are both called {dataset.name}"
            faults.add(BadParameter(f"{both}, and so would be their results; give one another name, or run them apart"))
    indexed = faults.attempt(with_indexed_terms, datasets, plan)
    datasets = datasets if indexed is None else indexed
    for dataset in datasets.values() if indexed is not None else ():
        faults.attempt(_refuse_without_documents, dataset, plan)
    if len(datasets) == len(loaded):
        faults.attempt(plan.selection.check_tags, [dataset.queries for dataset in datasets.values()])
        for by in asked_for(plan.by) if plan.by else ():
            faults.attempt(_tags_of_all(datasets).crossed, by)
    return datasets


def _refuse_without_documents(dataset: BenchmarkDataset, plan: Plan) -> None:
    if dataset.documents:
        return
    if needy := [provider.name for provider in plan.providers if provider.indexes]:
        verb = "needs" if len(needy) == 1 else "need"
        advice = "add them to the benchmark, or choose providers with documents of their own, such as http or replay"
        raise DataError(f"{dataset.name} has no documents, and {', '.join(needy)} {verb} some to search in; {advice}")


def _tags_of_all(datasets: Mapping[str, BenchmarkDataset]) -> Tags:
    """The tags of all queries; the benchmark is one of them."""
    return Tags(
        {
            f"{name}/{query.query_id}": {**tags_of(query), "benchmark": name}
            for name, dataset in datasets.items()
            for query in dataset.queries.values()
        }
    )
