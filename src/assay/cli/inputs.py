"""Inputs of commands that score: judgments and runs, a benchmark and runs, or saved results."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.scoring_options import (
    add_policy_arguments,
    add_relevance_arguments,
    check_has_dataset,
    make_profile,
    make_relevance,
    read_domain_options,
)
from assay.cli.terminal import describe_source_format, log_duration, log_policy, log_verbose
from assay.errors import MAX_FAULTS, DataError, Hint, NoGroundTruth, UsageError
from assay.grammar import WrittenName
from assay.model import Policy
from assay.text import counted

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import Profile, Result, Setting
    from assay.files import FileSource


SCORING_FLAGS = (
    *("relevance", "f1_threshold", "unit", "id_map", "dataset_format", "profile"),
    *("ontology", "annotations"),
)
"""Flags about scoring, which has been done where results are saved ones; and so have all flags of a policy."""
"""The beginning of the error about a benchmark without the ground truth that was asked for."""


@dataclass(frozen=True)
class NamedFile:
    """A file as it was typed: `name=file`, or the file alone."""

    path: str
    name: str = ""

    @classmethod
    def of(cls, word: str) -> NamedFile:
        """A name before the first `=`, unless a file is called that; in `bm25(k1=1.2)=a.run` that is the second."""
        name, equals, path = _split_name(word)
        is_address = "#" in name and not Path(path.partition("#")[0]).is_file()
        if not equals or not name or is_address or Path(word.partition("#")[0]).is_file():
            return cls(word)
        if not path:
            raise UsageError(f"{word}: after the name there must be a file, as in base=bm25.run")
        return cls(path, name)


def _split_name(word: str) -> tuple[str, str, str]:
    """Split at the first `=` that a file follows; where there is none, at the first outside brackets."""
    places = [place for place, letter in enumerate(word) if letter == "="]
    outside = [place for place in places if word[:place].count("(") <= word[:place].count(")")]
    files = [place for place in places if Path(word[place + 1 :].partition("#")[0]).is_file()]
    for place in (*files, *outside):
        return word[:place], "=", word[place + 1 :]
    return word, "", ""


def add_system_arguments(parser: argparse.ArgumentParser, *, n: str = "") -> None:
    """Files, metrics, and how runs are scored."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="file",
        help=f"judgments, then {n}runs; or {n}results of --format json; name=file gives a name, "
        "file.json#benchmark/provider picks from several results",
    )
    parser.add_argument(
        "-m",
        "--metrics",
        type=WrittenName,
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics to compare, the one that decides first",
    )
    add_relevance_arguments(parser)
    add_policy_arguments(parser)


def read_systems(options: argparse.Namespace, *, with_rankings: bool = False) -> list[list[Result]]:
    """The systems to compare, benchmark by benchmark. Everything that can be refused is, before a run is read."""
    from assay.evaluation import check_not_empty, is_saved_result

    check_has_dataset(options)
    check_metrics_are_no_files(options, options.files)
    words = [NamedFile.of(word) for word in (*options.files, *options.more_runs)]
    for word in words:
        check_not_empty(word.path)
    saved = [word for word in words if is_saved_result(word.path)]
    for word in words:
        if word not in saved and word.path != "-" and not Path(word.path).exists():
            raise DataError("no such file", source=word.path)
    if saved and not options.dataset:
        check_only_results(options, words, saved)
        return _group_by_benchmark(_read_saved_results(words))
    if saved:
        raise UsageError(f"{saved[0].path} is a saved result, which needs no --dataset: it was scored already")
    return [_score_runs(options, words, with_rankings=with_rankings)]


def check_only_results(options: argparse.Namespace, words: Sequence[NamedFile], saved: Sequence[NamedFile]) -> None:
    """Results go with results only, and are compared as they were scored."""
    for word in words:
        if word not in saved:
            raise UsageError(
                f"{saved[0].path} is a result, {word.path} is not: give results alone, or judgments and runs.\n"
                f"  assay score … --format json makes a result of a run"
            )
    decided = (*SCORING_FLAGS, *(setting.name for setting in fields(Policy)))
    flags = [f"--{name.replace('_', '-')}" for name in decided if getattr(options, name) is not None]
    if flags:
        raise UsageError(f"results are compared as they were scored: {', '.join(flags)} has no place here")


def _read_saved_results(words: Sequence[NamedFile]) -> list[tuple[NamedFile, Result]]:
    """All results of the files, under the names that were given to them."""
    from assay.evaluation import read_results

    named_results: list[tuple[NamedFile, Result]] = []
    for word in words:
        results = read_results(word.path)
        n_names = len({result.name for result in results})
        for result in results:
            name = word.name if n_names == 1 else f"{word.name}/{result.name}"
            named_results.append((word, result.renamed(name) if word.name else result))
    return named_results


def _group_by_benchmark(named_results: Sequence[tuple[NamedFile, Result]]) -> list[list[Result]]:
    """Results about the same benchmark together; one that does not say what it is about goes with the only one there is."""
    benchmarks = list(dict.fromkeys(result.benchmark for _, result in named_results if result.benchmark))
    only = benchmarks[0] if len(benchmarks) == 1 else ""
    groups: dict[str, list[tuple[NamedFile, Result]]] = {}
    for word, result in named_results:
        groups.setdefault(result.benchmark or only, []).append((word, result))
    if all(len(group) == 1 for group in groups.values()):
        return [with_unique_names(named_results)]
    return [with_unique_names(group) for group in groups.values()]


def with_unique_names(named_results: Sequence[tuple[NamedFile, Result]]) -> list[Result]:
    """Names that clash get the stem of their file in front, or its path where stems clash as well."""
    names = [result.name for _, result in named_results]
    for front in (lambda path: Path(path).stem, str):
        clashing = {name for name in names if names.count(name) > 1}
        names = [
            f"{front(word.path.partition('#')[0])}/{result.name}" if name in clashing else name
            for name, (word, result) in zip(names, named_results, strict=True)
        ]
    return [result.renamed(name) for name, (_, result) in zip(names, named_results, strict=True)]


def _score_runs(options: argparse.Namespace, words: Sequence[NamedFile], *, with_rankings: bool) -> list[Result]:
    """Runs scored against judgments, which come first, or against a benchmark."""
    from assay.evaluation import settings_of
    from assay.files import as_source
    from assay.metrics import parse_metrics

    truth = NamedFile(options.dataset) if options.dataset else words[0] if words else NamedFile("")
    runs = words if options.dataset else words[1:]
    _check_two_runs(options, truth, runs)
    profile = make_profile(options)
    log_policy(options, profile)
    settings = settings_of(parse_metrics(options.metrics, profile.name), profile)
    sources = [as_source(run.path) for run in runs]
    names = system_names(runs, [source.name for source in sources])
    _check_baseline(getattr(options, "baseline", None), names)
    scoring = read_ground_truth(options, truth.path, settings, profile)
    results = []
    for source, name in zip(sources, names, strict=True):
        try:
            with log_duration(options, f"{source.label}: {describe_source_format(source)}, scored"):
                results.append(scoring.score(source, name, with_rankings=with_rankings))
        except DataError as error:
            raise _attribute_to_source(error, source, options) from None
    return results


def _attribute_to_source(error: DataError, source: FileSource, options: argparse.Namespace) -> DataError:
    """The error with the name of the file at fault: the run, unless it is the benchmark or the map of ids."""
    if options.dataset and isinstance(error, NoGroundTruth):
        return error.at(options.dataset)
    others = [str(path) for path in (options.dataset, options.id_map) if path]
    is_other = any(error.source.startswith(path) for path in others) and error.source != source.label
    return error if is_other else describe_file_error(error, source, "a run")


def _check_two_runs(options: argparse.Namespace, truth: NamedFile, runs: Sequence[NamedFile]) -> None:
    start = f"{options.prog} --dataset {shlex.quote(truth.path)}" if options.dataset else f"{options.prog} qrels.txt"
    example = f"{start} bm25.run dense.run -m ndcg@10"
    if truth.name:
        raise UsageError(f"judgments come first, and without a name: {options.prog} qrels.txt {truth.name}={truth.path} …")
    if len(runs) < 2:
        here = "there is no run" if not runs else f"there is one run, {runs[0].path}"
        what = "judgments, or results, and " if not truth.path else ""
        raise UsageError(f"at least two systems are needed for a comparison, and {here}: give {what}two runs\n  {example}")
    if [truth.path, *(run.path for run in runs)].count("-") > 1:
        raise UsageError("standard input (-) can be read once only")


def _check_baseline(baseline: str | None, names: Sequence[str]) -> None:
    """Check that the baseline is one of the systems, before runs are scored, which may take long."""
    from assay.comparison import place_of

    if baseline is not None:
        place_of(baseline, names)


def system_names(runs: Sequence[NamedFile], stems: Sequence[str]) -> list[str]:
    """Names that were given; else those of the files, as far as they tell them apart, else paths."""
    short = [run.name or stem for run, stem in zip(runs, stems, strict=True)]
    long = [run.name or run.path for run in runs]
    names = [stem if short.count(stem) == 1 else other for stem, other in zip(short, long, strict=True)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two systems are called {', '.join(twice)}; give them names, as in base=bm25.run new=other.run")
    return names


@dataclass(frozen=True)
class GroundTruth:
    """The ground truth, read once, and how runs are scored against it."""

    settings: Sequence[Setting]
    profile: Profile
    qrels: Any = None
    dataset: BenchmarkDataset | None = None
    relevance: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """What flags say to domains."""

    def score(self, source: FileSource, name: str, *, with_rankings: bool) -> Result:
        """A run's result; with its rankings where queries are looked at one by one."""
        from assay.evaluation import evaluate_dataset, evaluate_judgments
        from assay.model import Run

        if self.dataset is not None:
            result = evaluate_dataset(self.dataset, source, self.settings, self.profile, name, self.relevance)
            result = result.with_fields(benchmark=self.dataset.name)
            return result.with_fields(run=self._judged_run(self.dataset, source)) if with_rankings else result
        if not with_rankings:
            return evaluate_judgments(self.qrels, source, self.settings, self.profile, name, self.options)
        run = Run(source, duplicates=self.profile.policy.duplicates)
        result = evaluate_judgments(self.qrels, run, self.settings, self.profile, name, self.options)
        return result.with_fields(run=run)

    def _judged_run(self, dataset: BenchmarkDataset, source: FileSource) -> Any:
        """The ranking that was judged: of documents, where chunks were rolled up to them."""
        from assay.evaluation import judge
        from assay.model import Run

        run = judge(dataset, source, self.relevance, self.profile.policy).run
        return run if isinstance(run, Run) else Run(run, duplicates=self.profile.policy.duplicates)


def read_ground_truth(options: argparse.Namespace, truth: str, settings: Sequence[Setting], profile: Profile) -> GroundTruth:
    """The ground truth of a command: a benchmark where --dataset names one, else a file of judgments."""
    from assay.files import as_source
    from assay.model import Qrels

    if options.dataset:
        from assay.datasets import load_dataset
        from assay.evaluation import check_options

        relevance = make_relevance(options)
        with log_duration(options, f"{truth}: read") as more:
            dataset = load_dataset(truth, options.dataset_format)
            more.append(f"format {dataset.format}, {dataset!r}")
        log_verbose(options, f"relevance: {relevance.by}, unit {relevance.unit}")
        check_options(dataset.name, dataset.qrels, relevance.domain_options)
        return GroundTruth(settings, profile, None, dataset, relevance)
    source = as_source(truth)
    try:
        with log_duration(options, f"{truth}: {describe_source_format(source)}") as more:
            qrels = Qrels(source)
            more.append(f"{len(qrels.docs):,} judgments of {counted(len(qrels), 'query')}")
        return GroundTruth(settings, profile, qrels, options=read_domain_options(options))
    except DataError as error:
        raise describe_file_error(error, source, "judgments") from None


FILE_ENDINGS = (
    *(".txt", ".run", ".qrels", ".trec", ".json", ".jsonl", ".csv", ".tsv", ".parquet"),
    *(".gz", ".zst", ".xz", ".bz2"),
)


@dataclass(frozen=True)
class Inputs:
    """Ground truth and runs, as paths."""

    truth: str
    runs: list[str]
    is_dataset: bool
    """Whether the ground truth is a benchmark rather than judgments alone."""

    @classmethod
    def of(cls, options: argparse.Namespace) -> Inputs:
        """The first file is the judgments, unless --dataset names a benchmark; all others are runs."""
        check_has_dataset(options)
        files = [file for file in (options.qrels, *options.runs) if file]
        check_metrics_are_no_files(options, files)
        if options.dataset:
            inputs = cls(options.dataset, [*files, *options.more_runs], is_dataset=True)
        else:
            inputs = cls(files[0] if files else "", [*files[1:], *options.more_runs], is_dataset=False)
        if not inputs.truth or not inputs.runs:
            example = f"assay score --dataset {inputs.truth} run.txt" if options.dataset else "assay score qrels.txt run.txt"
            needed = "at least one run is needed" if options.dataset else "judgments and at least one run are needed"
            raise UsageError(f"{needed}: {example} -m ndcg@10")
        if [inputs.truth, *inputs.runs].count("-") > 1:
            raise UsageError("standard input (-) can be read once only")
        return inputs

    def names(self, stems: Sequence[str]) -> list[str]:
        """Short names of the runs where they tell them apart, paths where not."""
        if len(set(stems)) == len(stems):
            return list(stems)
        paths = self.runs
        return (
            list(paths) if len(set(paths)) == len(paths) else [f"{path} ({number})" for number, path in enumerate(paths, 1)]
        )


def check_metrics_are_no_files(options: argparse.Namespace, files: Sequence[str]) -> None:
    """Check that `-m` has taken no files as metrics, as in `-m a b q.txt r.txt`."""
    taken = [word for word in options.metrics or () if _looks_like_a_file(word)]
    if taken:
        names = [word for word in options.metrics if word not in taken]
        raise UsageError(
            f"what follows -m is taken as a metric: {' '.join(taken)}. Put files first:\n"
            f"  {options.prog} {shlex.join((*files, *taken))} -m {shlex.join(names) or 'ndcg@10'}"
        )


def _looks_like_a_file(word: str) -> bool:
    return word == "-" or os.sep in word or word.lower().endswith(FILE_ENDINGS) or Path(word).is_file()


MAX_FAULTS_SHOWN = 3
"""Faults that are shown of a file that is something else."""
MIN_SHARE_AT_FAULT = 0.75
"""The share of its lines that are at fault in such a file."""


def check_no_saved_results(files: Iterable[str]) -> None:
    """Check that none of the files is a saved result, which is no input of score."""
    from assay.evaluation import is_saved_result

    for file in files:
        with suppress(OSError):  # who reads it will say so
            if is_saved_result(file):
                raise UsageError(
                    f"{file} is a saved result, not judgments or a run; assay why compares results:\n"
                    f"  assay why {shlex.quote(file)} other_result.json"
                )


def describe_file_error(error: DataError, source: FileSource, what: str, order: Hint | None = None) -> DataError:
    """The error, with the file's name; where hardly a line is as it should be, with that first.

    `order` says where judgments and runs belong, in commands to which they do not come one after another.
    """
    if n_lines := _n_lines_if_mostly_faulty(error, source):
        lines = f"{len(error.faults)} of its first {n_lines} lines cannot be read"
        return DataError(f"{source.label} does not look like {what}: {lines}", (*error.faults[:MAX_FAULTS_SHOWN], "…"))
    return error.at(source.label).hinting(order if order and error.hint else error.hint)


def _n_lines_if_mostly_faulty(error: DataError, source: FileSource) -> int:
    """How many lines were read, if most of them are at fault, some for the number of their words; else 0."""
    if len(error.faults) < MAX_FAULTS or all(fault.code != "columns" for fault in error.faults):
        return 0
    last = error.faults[-1].line or 0
    n_lines = sum(1 for _ in takewhile(lambda line: line[0] <= last, source.lines()))
    return n_lines if MIN_SHARE_AT_FAULT * n_lines <= len(error.faults) else 0
