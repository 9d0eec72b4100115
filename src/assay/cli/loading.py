"""Loading: the results, rankings and replies that the inputs of a command mean."""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from assay.cli.file_errors import errors_at, errors_of, errors_of_judgments
from assay.cli.inputs import STANDARD_INPUT, Inputs, Kind, Word, describe_lack
from assay.cli.reading_progress import show_reading
from assay.cli.scoring_options import ScoringOptions, make_profile, make_relevance
from assay.cli.terminal import describe_source_format, log_duration, log_policy, log_verbose
from assay.errors import DataError, UsageError
from assay.text import counted

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import AgeSource, Result
    from assay.metrics import BoundMetric
    from assay.model import Qrels, Run
    from assay.store import LookupResult

T = TypeVar("T")

MAX_RUNS_KEPT = 500
"""With more runs, scores stay in memory and rankings do not. Notes about ties need rankings, so they are left out."""
MAX_THREADS = 4
"""Threads in which runs are scored side by side; more would only wait for each other."""
MIN_BYTES_FOR_THREADS = 1 << 18
"""Smaller files together are scored one after the other."""


@dataclass(frozen=True)
class LoadedResults:
    """The results, grouped by benchmark; and, if the inputs are results, what each word means."""

    groups: list[list[Result]]
    lookups: tuple[LookupResult, ...] = ()

    @property
    def results(self) -> list[Result]:
        """The results of all benchmarks."""
        return [result for group in self.groups for result in group]

    @property
    def newer_judgments(self) -> list[str]:
        """Notes on grades by people that stored results do not use, each once."""
        return list(dict.fromkeys(f"note: {note}" for lookup in self.lookups for note in lookup.newer_judgments))


def load_results(options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions | None = None) -> LoadedResults:
    """Results under their given names. Runs are scored first, as `scoring` says, else as the flags say."""
    if not inputs.is_scored:
        return LoadedResults([_score_runs(options, inputs, scoring or make_scoring(options, inputs))])
    inputs.check_files()
    lookups = [look_up(word) for word in inputs.systems]
    named = [(word, result) for word, lookup in zip(inputs.systems, lookups, strict=True) for result in lookup.results]
    return LoadedResults(_group_by_benchmark(named, needs_several=inputs.rules.least > 1), tuple(lookups))


def make_scoring(options: argparse.Namespace, inputs: Inputs, metrics: Sequence[BoundMetric] = ()) -> ScoringOptions:
    """How runs are scored, as the flags say; every name is checked. `metrics` are used if the flags name none."""
    from assay.metrics import parse_metrics

    profile = make_profile(options)
    has_own = inputs.rules.default_metrics == "benchmark" or inputs.are_records
    if not options.metrics and inputs.is_dataset and has_own:
        from assay.evaluation import default_metrics, formats_of

        metrics = default_metrics(formats_of(inputs.truth, options.dataset_format))
    elif options.metrics or not metrics:
        metrics = parse_metrics(options.metrics, profile.name)
    keep_rankings = inputs.rules.keep_rankings(options)
    return ScoringOptions(
        profile,
        tuple(metrics),
        make_relevance(options),
        keep_rankings=keep_rankings,
        looks_up_unjudged=inputs.rules.looks_up_unjudged,
        has_own_depth=inputs.are_records,
    )


def look_up(word: Word) -> LookupResult:
    """The results that a word means, under their given name."""
    lookup = _find_in_standard_input(word) if word.is_standard_input else _find(word)
    if not word.name:
        return lookup
    is_one = len({result.name for result in lookup.results}) == 1
    names = [word.name if is_one else f"{word.name}/{result.name}" for result in lookup.results]
    renamed = [result.renamed(name) for result, name in zip(lookup.results, names, strict=True)]
    return replace(lookup, results=tuple(renamed))


def _find(word: Word) -> LookupResult:
    from assay.store import find_results

    return find_results(word.path, word.store)


def _find_in_standard_input(word: Word) -> LookupResult:
    from assay.files import as_source

    source = as_source(STANDARD_INPUT)
    _, hash_sign, part = word.path.partition("#")
    with errors_of(source):
        lookup = _find(Word(f"{source.path}{hash_sign}{part}"))
    return replace(lookup, label=f"{source.label}{hash_sign}{part}")


def _group_by_benchmark(named_results: Sequence[tuple[Word, Result]], *, needs_several: bool) -> list[list[Result]]:
    """Results grouped by benchmark. A result without a benchmark joins the others if they have only one benchmark.

    If several results are needed and each benchmark has only one, all are one group, and the comparison reports it.
    """
    benchmarks = list(dict.fromkeys(result.benchmark for _, result in named_results if result.benchmark))
    only = benchmarks[0] if len(benchmarks) == 1 else ""
    groups: dict[str, list[tuple[Word, Result]]] = {}
    for word, result in named_results:
        groups.setdefault(result.benchmark or only, []).append((word, result))
    if needs_several and all(len(group) == 1 for group in groups.values()):
        return [_with_unique_names(named_results)]
    return [_with_unique_names(group) for group in groups.values()]


def _with_unique_names(named_results: Sequence[tuple[Word, Result]]) -> list[Result]:
    names = _unique_names([(word, result.name) for word, result in named_results])
    return [result.distinguished(name) for name, (_, result) in zip(names, named_results, strict=True)]


def _unique_names(named: Sequence[tuple[Word, str]]) -> list[str]:
    """Names that clash get the name of their file in front, or its path if these clash as well."""
    names = [name for _, name in named]
    for front in (lambda path: Path(path).stem, str):
        clashing = {name for name, count in Counter(names).items() if count > 1}
        names = [
            f"{front(word.place)}/{own}" if name in clashing else name
            for name, (word, own) in zip(names, named, strict=True)
        ]
    return names


def _score_runs(options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions) -> list[Result]:
    """Runs scored against judgments, or against a benchmark."""
    log_policy(options, scoring.profile)
    with _without_garbage_collection():
        truth, sources = _load_all(options, inputs, scoring)
        _check_documents(truth, scoring)
        is_many = len(sources) > MAX_RUNS_KEPT and options.prog.endswith(" score")

        def score(source: Any, name: str) -> tuple[Result, float]:
            began = time.perf_counter()
            with _errors_at(options, inputs, source):
                result = scoring.score(truth, source, name)
                kept = result.with_fields(grader=None, recorded=result.fingerprints) if is_many else result
                return kept, time.perf_counter() - began

        with show_reading([source for source, _ in sources], quiet=getattr(options, "quiet", False)):
            scored = _side_by_side(score, sources)
        for source, (_, seconds) in zip(sources, scored, strict=True):
            log_verbose(options, f"{_describe(*source)}, scored in {seconds:.2f} s")
        return [result for result, _ in scored]


def _check_documents(truth: Qrels | BenchmarkDataset, scoring: ScoringOptions) -> None:
    """Errors about documents and their vectors come before those about runs, so they name no run."""
    from assay.evaluation import check_known_documents
    from assay.model import Qrels

    if not isinstance(truth, Qrels):
        check_known_documents(truth, scoring.metrics)


def _side_by_side(score: Callable[[Any, str], T], sources: Sequence[tuple[Any, str]]) -> list[T]:
    """What `score` returns for each source, computed in a few threads: NumPy computes outside of the interpreter's lock.

    For small files, the import of threads takes longer than they save.
    """
    n_threads = min(len(sources), os.cpu_count() or 1, MAX_THREADS)
    if n_threads < 2 or _are_small(sources):
        return [score(*source) for source in sources]
    from concurrent.futures import ThreadPoolExecutor

    from assay.files import stop_reading

    with ThreadPoolExecutor(n_threads) as pool:
        tasks = [pool.submit(partial(copy_context().run, score, *source)) for source in sources]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            stop_reading()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _are_small(sources: Sequence[tuple[Any, str]]) -> bool:
    """Whether all sources are small files."""
    from assay.files import FileSource

    return all(isinstance(source, FileSource) for source, _ in sources) and (
        sum(source.path.stat().st_size for source, _ in sources) < MIN_BYTES_FOR_THREADS
    )


def _load_all(
    options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions
) -> tuple[Qrels | BenchmarkDataset, list[tuple[Any, str]]]:
    """The ground truth, and the rankings to score with their names."""
    if inputs.are_records:
        return load_records(options, inputs, scoring)
    sources = load_sources(inputs)
    return load_truth(options, inputs, scoring), sources


def _describe(source: Any, name: str) -> str:
    from assay.files import FileSource

    return f"{source.label}: {describe_source_format(source)}" if isinstance(source, FileSource) else name


def _errors_at(options: argparse.Namespace, inputs: Inputs, source: Any) -> AbstractContextManager[None]:
    """Errors name the file of the run, unless the benchmark, the id map or the file of vectors is wrong."""
    from assay.files import FileSource

    if not isinstance(source, FileSource):
        return nullcontext()
    flags = ("id_map", "vectors") if inputs.is_dataset else ()
    others = tuple(str(path) for flag in flags if (path := getattr(options, flag, None)))
    return errors_at(
        source, "a run", dataset=inputs.truth if inputs.is_dataset else "", others=others, order=inputs.rules.order
    )


def load_sources(inputs: Inputs) -> list[tuple[Any, str]]:
    """The rankings to score, and their names: files, and the rankings in results."""
    from assay.files import as_source

    names = iter(inputs.names)
    inputs.check_files()
    sources: list[Any] = []
    named: list[tuple[Word, str]] = []
    for word in inputs.systems:
        if word.kind is Kind.FILE:
            sources.append(as_source(word.path))
            named.append((word, next(names)))
            continue
        results = look_up(word).results
        lack = "scores but no rankings. Results of assay eval include rankings"
        sources += [_kept(word, result, "run", lack) for result in results]
        named += [(word, result.name) for result in results]
    return list(zip(sources, _unique_names(named), strict=True))


def _kept(word: Word, result: Result, field: str, lack: str) -> Any:
    """The rankings or replies in a result; `lack` is the end of the error `bm25 has …` for a result without them."""
    if kept := getattr(result, field):
        return kept
    raise DataError(f"{result.name} has {lack}", source=word.path)


def load_runs(options: argparse.Namespace, inputs: Inputs, duplicates: str) -> dict[str, Run]:
    """Name → run: of files, and of results that include rankings."""
    from assay.model import Run

    runs: dict[str, Run] = {}
    for source, name in load_sources(inputs):
        with _errors_at(options, inputs, source):
            runs[name if name not in runs else f"{name} ({len(runs) + 1})"] = Run(source, duplicates=duplicates)
    if len(runs) < inputs.rules.least:
        raise UsageError(describe_lack(inputs, [*runs]))
    return runs


class JudgedRun(NamedTuple):
    """Judgments, a run as ids, and the ages of documents if they are known."""

    qrels: Qrels
    run: Any
    ages: AgeSource | None = None


def load_judged(options: argparse.Namespace, inputs: Inputs) -> JudgedRun:
    """Judgments and the one run. A benchmark first decides which retrieved documents are relevant."""
    from assay.evaluation import AgeSource, judge
    from assay.model import Qrels

    scoring = make_scoring(options, inputs)
    (source, name), *others = load_sources(inputs)
    if others:
        names = ", ".join((name, *(other for _, other in others)))
        raise UsageError(f"expected one run, found {len(others) + 1}: {names}")
    truth = load_truth(options, inputs, scoring)
    if isinstance(truth, Qrels):
        return JudgedRun(truth, source)
    with _errors_at(options, inputs, source):
        judgement = judge(truth, source, scoring.relevance, scoring.profile.policy)
    return JudgedRun(judgement.qrels, judgement.run, AgeSource.of(judgement.dataset))


def load_replies(inputs: Inputs, what: Literal["answers", "routes"]) -> list[tuple[Any, str]]:
    """The replies of each system, and its name: of files, and of results that include replies."""
    from assay.files import as_source, read_answers, read_routes

    read = {"answers": read_answers, "routes": read_routes}[what]
    names = iter(inputs.names)
    inputs.check_files()
    replies: list[Any] = []
    named: list[tuple[Word, str]] = []
    for word in inputs.systems:
        if word.kind is not Kind.FILE:
            results = look_up(word).results
            replies += [read(_records(word, result, what)) for result in results]
            named += [(word, result.name) for result in results]
            continue
        source = as_source(word.path)
        with errors_of(source) if word.is_standard_input else nullcontext():
            replies.append(read(source.path))
        named.append((word, next(names)))
    return list(zip(replies, _unique_names(named), strict=True))


def _records(word: Word, result: Result, what: str) -> list[dict[str, Any]]:
    """The replies in a result for each query, in the form of a file of replies."""
    lack = f"no {what}. Results of assay eval include {what} if the provider returns {what}"
    reported = _kept(word, result, "said", lack)
    return [
        {"query_id": query, "retrieved_ids": list(result.run.get(query, ())), **_tags(result, query), **fields}
        for query, fields in reported.items()
    ]


def _tags(result: Result, query: str) -> Mapping[str, Any]:
    return result.queries[query].metadata or {} if query in result.queries else {}


def load_truth(options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions) -> Qrels | BenchmarkDataset:
    """The ground truth of a command: the benchmark of --dataset, else a file of judgments."""
    if inputs.is_dataset:
        return _read_truth(options, inputs, scoring)
    command = f"{options.prog} --dataset {shlex.join([inputs.truth, *map(str, inputs.systems)])}"
    with errors_of_judgments(inputs.truth, command):
        return _read_truth(options, inputs, scoring)


def _read_truth(options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions) -> Qrels | BenchmarkDataset:
    from assay.evaluation import load_ground_truth
    from assay.files import as_source
    from assay.model import Qrels

    source = inputs.truth if inputs.is_dataset else as_source(inputs.truth)
    errors = nullcontext() if inputs.is_dataset else errors_at(source, "judgments")
    with errors, log_duration(options, _describe(source, f"{inputs.truth}: read")) as more:
        kind: Literal["judgments", "benchmark"] = "benchmark" if inputs.is_dataset else "judgments"
        truth = load_ground_truth(source, options.dataset_format, kind=kind)
        if isinstance(truth, Qrels):
            more.append(f"{len(truth.docs):,} judgments for {counted(len(truth), 'query')}")
        else:
            more.append(f"format {truth.format}, {truth!r}")
    if isinstance(truth, Qrels):
        _ = scoring.domain_options  # read now, so that its errors do not name the judgments or a run
    else:
        _check_benchmark(options, truth, scoring)
    return truth


def _check_benchmark(options: argparse.Namespace, dataset: BenchmarkDataset, scoring: ScoringOptions) -> None:
    """Check the options about relevance before runs are scored."""
    from assay.evaluation import check_options

    check_options(dataset.name, dataset.qrels, scoring.relevance.domain_options)
    log_verbose(options, f"relevance: {scoring.relevance.by}, unit {scoring.relevance.unit}")


def load_records(
    options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions
) -> tuple[BenchmarkDataset, list[tuple[Any, str]]]:
    """One benchmark from files that have their own ground truth; and what each system retrieved, with its name."""
    from assay.datasets import load_systems

    names = inputs.names
    inputs.check_files()
    with log_duration(options, f"{', '.join(map(str, inputs.systems))}: read") as more:
        dataset, retrieved = load_systems([Path(word.path) for word in inputs.systems], options.dataset_format)
        more.append(f"format {dataset.format}, {dataset!r}")
    _check_benchmark(options, dataset, scoring)
    return dataset, list(zip(retrieved, names, strict=True))


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Turn off garbage collection while large data without reference cycles is loaded, because it costs time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
