"""Systems: what is compared, however it was written: judgments and runs, a benchmark and runs, or saved results."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._inputs import refuse_swallowed
from assay.cli._policy import add_policy_arguments, profile_of
from assay.cli._relevance import add_relevance_arguments, ontology_of, refuse_without_dataset, relevance_of
from assay.cli._verbose import kind_of, log_policy, log_verbose, timed
from assay.cli._wrong_file import describe_file_error
from assay.errors import DataError, UsageError
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
