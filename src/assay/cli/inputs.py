"""Inputs of commands that score: judgments and runs, a benchmark and runs, or saved results."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.scoring_options import (
    add_policy_arguments,
    add_relevance_arguments,
    ontology_of,
    profile_of,
    refuse_without_dataset,
    relevance_of,
)
from assay.cli.terminal import kind_of, log_policy, log_verbose, timed
from assay.errors import MAX_FAULTS, DataError, UsageError
from assay.grammar import WrittenName
from assay.model import Policy
from assay.text import counted

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import Profile, Result, Setting
    from assay.files import FileSource


DECIDED_BEFORE = (
    *("relevance", "f1_threshold", "unit", "id_map", "dataset_format", "profile"),
    *("ontology", "annotations"),
)
"""Flags about scoring, which has been done where results are saved ones; and so have all flags of a policy."""
NOBODY_DECIDES = "none of the "
"""How an error begins that is about a benchmark without the ground truth that was asked for."""


@dataclass(frozen=True)
class Named:
    """A file as it was typed: `name=file`, or the file alone."""

    path: str
    name: str = ""

    @classmethod
    def of(cls, word: str) -> Named:
        """A name before the first `=`, unless a file is called that; in `bm25(k1=1.2)=a.run` that is the second."""
        name, equals, path = _name_and_path(word)
        is_address = "#" in name and not Path(path.partition("#")[0]).is_file()
        if not equals or not name or is_address or Path(word.partition("#")[0]).is_file():
            return cls(word)
        if not path:
            raise UsageError(f"{word}: after the name there must be a file, as in base=bm25.run")
        return cls(path, name)


def _name_and_path(word: str) -> tuple[str, str, str]:
    """The word parted at the first `=` behind which a file is named; where none is, at the first outside brackets."""
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

    refuse_without_dataset(options)
    refuse_swallowed(options, options.files)
    words = [Named.of(word) for word in (*options.files, *options.more_runs)]
    for word in words:
        check_not_empty(word.path)
    saved = [word for word in words if is_saved_result(word.path)]
    for word in words:
        if word not in saved and word.path != "-" and not Path(word.path).exists():
            raise DataError(f"{word.path}: no such file")
    if saved and not options.dataset:
        refuse_mixture(options, words, saved)
        return _by_benchmark(_saved_results(words))
    if saved:
        raise UsageError(f"{saved[0].path} is a saved result, which needs no --dataset: it was scored already")
    return [_scored(options, words, with_rankings=with_rankings)]


def refuse_mixture(options: argparse.Namespace, words: Sequence[Named], saved: Sequence[Named]) -> None:
    """Results go with results only, and are compared as they were scored."""
    for word in words:
        if word not in saved:
            raise UsageError(
                f"{saved[0].path} is a result, {word.path} is not: give results alone, or judgments and runs.\n"
                f"  assay score … --format json makes a result of a run"
            )
    decided = (*DECIDED_BEFORE, *(setting.name for setting in fields(Policy)))
    flags = [f"--{name.replace('_', '-')}" for name in decided if getattr(options, name) is not None]
    if flags:
        raise UsageError(f"results are compared as they were scored: {', '.join(flags)} has no place here")


def _saved_results(words: Sequence[Named]) -> list[tuple[Named, Result]]:
    """All results of the files, under the names that were given to them."""
    from assay.evaluation import read_results

    found: list[tuple[Named, Result]] = []
    for word in words:
        results = read_results(word.path)
        n_names = len({result.name for result in results})
        for result in results:
            given = word.name if n_names == 1 else f"{word.name}/{result.name}"
            found.append((word, replace(result, name=given) if word.name else result))
    return found


def _by_benchmark(found: Sequence[tuple[Named, Result]]) -> list[list[Result]]:
    """Results about the same benchmark together; one that does not say what it is about goes with the only one there is."""
    benchmarks = list(dict.fromkeys(result.benchmark for _, result in found if result.benchmark))
    only = benchmarks[0] if len(benchmarks) == 1 else ""
    groups: dict[str, list[tuple[Named, Result]]] = {}
    for word, result in found:
        groups.setdefault(result.benchmark or only, []).append((word, result))
    if all(len(group) == 1 for group in groups.values()):
        return [told_apart(found)]
    return [told_apart(group) for group in groups.values()]


def told_apart(found: Sequence[tuple[Named, Result]]) -> list[Result]:
    """Names that clash get the stem of their file in front, or its path where stems clash as well."""
    names = [result.name for _, result in found]
    for front in (lambda path: Path(path).stem, str):
        clashing = {name for name in names if names.count(name) > 1}
        names = [
            f"{front(word.path.partition('#')[0])}/{result.name}" if name in clashing else name
            for name, (word, result) in zip(names, found, strict=True)
        ]
    return [replace(result, name=name) for name, (_, result) in zip(names, found, strict=True)]


def _scored(options: argparse.Namespace, words: Sequence[Named], *, with_rankings: bool) -> list[Result]:
    """Runs scored against judgments, which come first, or against a benchmark."""
    from assay.evaluation import settings_of
    from assay.files import as_source
    from assay.metrics import parse_metrics

    truth = Named(options.dataset) if options.dataset else words[0] if words else Named("")
    runs = words if options.dataset else words[1:]
    _refuse_too_few(options, truth, runs)
    profile = profile_of(options)
    log_policy(options, profile)
    settings = settings_of(parse_metrics(options.metrics, profile.name), profile)
    sources = [as_source(run.path) for run in runs]
    names = names_of(runs, [source.name for source in sources])
    _refuse_unknown(getattr(options, "baseline", None), names)
    scoring = scoring_of(options, truth.path, settings, profile)
    results = []
    for source, name in zip(sources, names, strict=True):
        try:
            with timed(options, f"{source.label}: {kind_of(source)}, scored"):
                results.append(scoring.score(source, name, with_rankings=with_rankings))
        except DataError as error:
            raise _blamed(error, source, options) from None
    return results


def _blamed(error: DataError, source: FileSource, options: argparse.Namespace) -> DataError:
    """The error under the name of what is at fault: the run, unless it is the benchmark or the map of ids."""
    if options.dataset and error.message.startswith(NOBODY_DECIDES):
        return DataError(f"{options.dataset}: {error.message}", error.faults)
    others = [str(path) for path in (options.dataset, options.id_map) if path]
    is_other = any(error.message.startswith(path) for path in others) and not error.message.startswith(source.label)
    return error if is_other else describe_file_error(error, source, "a run")


def _refuse_too_few(options: argparse.Namespace, truth: Named, runs: Sequence[Named]) -> None:
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


def _refuse_unknown(baseline: str | None, names: Sequence[str]) -> None:
    """A misspelt baseline is told before runs are scored, which may take long."""
    from assay.comparison import place_of

    if baseline is not None:
        place_of(baseline, names)


def names_of(runs: Sequence[Named], stems: Sequence[str]) -> list[str]:
    """Names that were given; else those of the files, as far as they tell them apart, else paths."""
    short = [run.name or stem for run, stem in zip(runs, stems, strict=True)]
    long = [run.name or run.path for run in runs]
    names = [one if short.count(one) == 1 else other for one, other in zip(short, long, strict=True)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two systems are called {', '.join(twice)}; give them names, as in base=bm25.run new=other.run")
    return names


@dataclass(frozen=True)
class Scoring:
    """The ground truth, read once, and how runs are scored against it."""

    settings: Sequence[Setting]
    profile: Profile
    qrels: Any = None
    dataset: BenchmarkDataset | None = None
    relevance: Any = None
    ontology: Any = None

    def score(self, source: FileSource, name: str, *, with_rankings: bool) -> Result:
        """A run's result; with its rankings where queries are looked at one by one."""
        from assay.evaluation import evaluate_dataset, evaluate_judgments
        from assay.model import Run

        if self.dataset is not None:
            result = evaluate_dataset(self.dataset, source, self.settings, self.profile, name, self.relevance)
            result = replace(result, benchmark=self.dataset.name)
            return replace(result, run=self._judged_run(self.dataset, source)) if with_rankings else result
        if not with_rankings:
            return evaluate_judgments(self.qrels, source, self.settings, self.profile, name, self.ontology)
        run = Run(source, duplicates=self.profile.policy.duplicates)
        result = evaluate_judgments(self.qrels, run, self.settings, self.profile, name, self.ontology)
        return replace(result, run=run)

    def _judged_run(self, dataset: BenchmarkDataset, source: FileSource) -> Any:
        """The ranking that was judged: of documents, where chunks were rolled up to them."""
        from assay.evaluation import judge
        from assay.model import Run

        run = judge(dataset, source, self.relevance, self.profile.policy).run
        return run if isinstance(run, Run) else Run(run, duplicates=self.profile.policy.duplicates)


def scoring_of(options: argparse.Namespace, truth: str, settings: Sequence[Setting], profile: Profile) -> Scoring:
    """The ground truth of a command: a benchmark where --dataset names one, else a file of judgments."""
    from assay.files import as_source
    from assay.model import Qrels

    if options.dataset:
        from assay.datasets import load_dataset
        from assay.evaluation import check_ontology_fits

        relevance = relevance_of(options)
        with timed(options, f"{truth}: read") as more:
            dataset = load_dataset(truth, options.dataset_format)
            more.append(f"format {dataset.format}, {dataset!r}")
        log_verbose(options, f"relevance: {relevance.by}, unit {relevance.unit}")
        check_ontology_fits(relevance, dataset)
        return Scoring(settings, profile, None, dataset, relevance)
    source = as_source(truth)
    try:
        with timed(options, f"{truth}: {kind_of(source)}") as more:
            qrels = Qrels(source)
            more.append(f"{len(qrels.docs):,} judgments of {counted(len(qrels), 'query')}")
        return Scoring(settings, profile, qrels, ontology=ontology_of(options))
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
        refuse_without_dataset(options)
        files = [file for file in (options.qrels, *options.runs) if file]
        refuse_swallowed(options, files)
        if options.dataset:
            found = cls(options.dataset, [*files, *options.more_runs], is_dataset=True)
        else:
            found = cls(files[0] if files else "", [*files[1:], *options.more_runs], is_dataset=False)
        if not found.truth or not found.runs:
            example = f"assay score --dataset {found.truth} run.txt" if options.dataset else "assay score qrels.txt run.txt"
            needed = "at least one run is needed" if options.dataset else "judgments and at least one run are needed"
            raise UsageError(f"{needed}: {example} -m ndcg@10")
        if [found.truth, *found.runs].count("-") > 1:
            raise UsageError("standard input (-) can be read once only")
        return found

    def names(self, stems: Sequence[str]) -> list[str]:
        """Short names of the runs where they tell them apart, paths where not."""
        if len(set(stems)) == len(stems):
            return list(stems)
        paths = self.runs
        return (
            list(paths) if len(set(paths)) == len(paths) else [f"{path} ({number})" for number, path in enumerate(paths, 1)]
        )


def refuse_swallowed(options: argparse.Namespace, files: Sequence[str]) -> None:
    """`-m a b q.txt r.txt` makes metrics of the files; say how to write it."""
    taken = [word for word in options.metrics or () if _looks_like_a_file(word)]
    if taken:
        names = [word for word in options.metrics if word not in taken]
        raise UsageError(
            f"what follows -m is taken as a metric: {' '.join(taken)}. Put files first:\n"
            f"  {options.prog} {shlex.join((*files, *taken))} -m {shlex.join(names) or 'ndcg@10'}"
        )


def _looks_like_a_file(word: str) -> bool:
    return word == "-" or os.sep in word or word.lower().endswith(FILE_ENDINGS) or Path(word).is_file()


EXAMPLES = 3
"""Faults that are shown of a file that is something else."""
ORDER = "judgments come first, then runs"
"""What readers say of a file that is in the wrong place."""
MOST = 0.75
"""The share of its lines that are at fault in such a file."""


def refuse_saved_results(files: Iterable[str]) -> None:
    """What `--format json` wrote is no input of score."""
    from assay.evaluation import is_saved_result

    for file in files:
        with suppress(OSError):  # who reads it will say so
            if is_saved_result(file):
                raise UsageError(
                    f"{file} is a saved result, not judgments or a run; assay why compares results:\n"
                    f"  assay why {shlex.quote(file)} other_result.json"
                )


def describe_file_error(error: DataError, source: FileSource, what: str, order: str = ORDER) -> DataError:
    """The error, with the file's name; where hardly a line is as it should be, with that first.

    `order` says where judgments and runs belong, in commands to which they do not come one after another.
    """
    if n_lines := _n_lines_of_prose(error, source):
        lines = f"{len(error.faults)} of its first {n_lines} lines cannot be read"
        return DataError(f"{source.label} does not look like {what}: {lines}", (*error.faults[:EXAMPLES], "…"))
    named = error.message if error.message.startswith(source.label) else f"{source.label}: {error.message}"
    return DataError(named.replace(ORDER, order), error.faults)


def _n_lines_of_prose(error: DataError, source: FileSource) -> int:
    """How many lines were read, if most of them are at fault, some for the number of their words; else 0."""
    if len(error.faults) < MAX_FAULTS or not any(re.search(r"expected \d+ columns", fault) for fault in error.faults):
        return 0
    last = re.match(r":(\d+):", error.faults[-1].removeprefix(source.label))
    n_lines = sum(1 for _ in takewhile(lambda line: line[0] <= int(last[1]), source.lines())) if last else 0
    return n_lines if MOST * n_lines <= len(error.faults) else 0
