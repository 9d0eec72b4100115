"""Inputs of commands: judgments and runs, a benchmark and runs, saved or stored results. Nothing is loaded here."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Literal

from assay.cli.output_options import add_store_argument
from assay.cli.scoring_options import (
    RUN_HELP,
    SCORING_FLAGS,
    add_dataset_arguments,
    add_policy_arguments,
    add_relevance_arguments,
    check_has_dataset,
)
from assay.errors import Hint, UsageError
from assay.grammar import WrittenName
from assay.model import Policy

STANDARD_INPUT = "-"
LATEST = "latest"
"""The name that always means a stored evaluation."""
MAX_FILES_NAMED = 5
"""Files that an error names."""
FILE_ENDINGS = (
    *(".txt", ".run", ".qrels", ".trec", ".json", ".jsonl", ".csv", ".tsv", ".parquet"),
    *(".gz", ".zst", ".xz", ".bz2"),
)
RECORD_ENDINGS = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet"}
"""Extensions of tables with one record per query."""
EXAMPLE_FILES = {
    "run": ("bm25.run", "dense.run"),
    "file of answers": ("answers.jsonl", "other.jsonl"),
    "file of routes": ("routes.jsonl", "other.jsonl"),
}
NUMBERS = ("no", "one", "two")


class Kind(Enum):
    """What a word on the command line means: a file to score, or results that are scored already."""

    FILE = "file"
    SAVED = "saved result"
    STORED = "stored result"


@dataclass(frozen=True)
class InputRules:
    """The inputs that one command accepts. Commands differ only in these fields."""

    metrics: str
    """The help text of -m."""
    file: str = "run"
    """The kind of its input files; a key of EXAMPLE_FILES."""
    truth: Literal["first", "flag", "dataset", ""] = "first"
    """Where the ground truth is: before the runs or in --dataset; in --qrels or --dataset; in --dataset; nowhere."""
    least: int = 1
    """The smallest number of files, one for each system."""
    most: int | None = None
    least_results: int = 1
    """The smallest number of words for results, if there are no files. One word may mean several results."""
    most_results: int | None = None
    example: str = "-m ndcg@10"
    """Flags of the example command in errors."""
    has_default: bool = False
    """Whether the latest evaluation is the default input."""
    reads: Literal["scores", "rankings", "replies"] = "scores"
    """What is read from results: their scores, or their saved rankings or replies, which are scored again."""
    keep_rankings: Callable[[argparse.Namespace], bool] = lambda _: False
    """Whether the rankings of runs are needed, not only their scores."""
    looks_up_unjudged: bool = False
    """Whether unjudged documents of two systems are compared, so that small files are read only once."""
    can_repeat: bool = False
    """Whether the same file may be given twice."""
    order: Hint | None = None
    """The hint for a file in the wrong place, if judgments do not come first."""
    default_metrics: Literal["group", "benchmark"] = "group"
    """The default metrics of runs: the default group, or the metrics that suit the benchmark."""
    takes_records: bool = False
    """Whether files may have their own ground truth, such as tables of RAG tools with what a system retrieved."""
    decided: tuple[str, ...] = ()
    """Flags of the command that have no effect on results, because these are scored already."""


@dataclass(frozen=True)
class Word:
    """A file or a reference as it was typed: `name=file`, or the file alone."""

    path: str
    name: str = ""
    store: str | None = None
    """The store in which it is looked up, if it is not a file."""

    @classmethod
    def of(cls, word: str, store: str | None = None) -> Word:
        """Split off a name before `=`, unless the whole word is a file. `bm25(k1=1.2)=a.run` is split at the second `=`."""
        name, equals, path = _split_name(word)
        is_address = "#" in name and not Path(path.partition("#")[0]).is_file()
        if not equals or not name or is_address or Path(word.partition("#")[0]).is_file():
            return cls(word, store=store)
        if not path:
            raise UsageError(f"{word}: a file must follow the name, as in base=bm25.run")
        return cls(path, name, store)

    @property
    def place(self) -> str:
        """The file or the evaluation, without a part such as `#bm25`."""
        return self.path.partition("#")[0]

    @property
    def is_standard_input(self) -> bool:
        """Whether it is `-`, or a part of the results there, as in `new=-#bm25`."""
        return self.place == STANDARD_INPUT

    @cached_property
    def kind(self) -> Kind:
        """What the word means. If a store exists, a word that does not look like a file means a stored result."""
        from assay.files import is_saved_result, looks_saved

        with suppress(OSError):  # reported later, when the file is read
            if looks_saved(_peek()) if self.is_standard_input else is_saved_result(self.path):
                return Kind.SAVED
        if self.is_standard_input or Path(self.path).exists() or Path(self.place).exists():
            return Kind.FILE
        from assay.store import looks_like_file, parse_location

        is_reference = self.place == LATEST or (not looks_like_file(self.place) and parse_location(self.store).exists)
        return Kind.STORED if is_reference else Kind.FILE

    def check_exists(self) -> None:
        """Check that the file exists and is not empty."""
        from assay.files import check_not_empty, missing_file

        check_not_empty(self.path)
        if self.kind is Kind.FILE and not self.is_standard_input and not Path(self.path).exists():
            raise missing_file(self.path)

    def __str__(self) -> str:
        return f"{self.name}={self.path}" if self.name else self.path


def _peek() -> bytes:
    """The first bytes of standard input, without consuming them."""
    stream = sys.stdin.buffer
    return stream.peek() if isinstance(stream, io.BufferedReader) else b""


def _split_name(word: str) -> tuple[str, str, str]:
    """Split at the first `=` that is followed by an existing file; if there is none, at the first outside brackets."""
    places = [place for place, letter in enumerate(word) if letter == "="]
    outside = [place for place in places if word[:place].count("(") <= word[:place].count(")")]
    files = [place for place in places if Path(word[place + 1 :].partition("#")[0]).is_file()]
    for place in (*files, *outside):
        return word[:place], "=", word[place + 1 :]
    return word, "", ""


@dataclass(frozen=True)
class Inputs:
    """The inputs of a command: the ground truth, if there is any, and the systems."""

    rules: InputRules
    truth: str
    is_dataset: bool
    """Whether the ground truth is a benchmark rather than judgments alone."""
    systems: tuple[Word, ...]
    are_records: bool = False
    """Whether the files of the systems have the ground truth themselves."""

    @property
    def is_scored(self) -> bool:
        """Whether the systems are results that are scored already."""
        return self.rules.reads == "scores" and not self.truth

    @property
    def n_standard_inputs(self) -> int:
        """How many of the inputs are `-`."""
        return sum(word.is_standard_input for word in (Word(self.truth), *self.systems))

    def check_files(self) -> None:
        """Check that every file exists and is not empty."""
        truth = [Word(self.truth)] if self.truth and self.rules.truth == "first" and not self.is_dataset else []
        for word in (*truth, *self.systems):
            word.check_exists()

    @property
    def names(self) -> list[str]:
        """The names of systems in files: the given name, else the name of the file, else its path if names clash."""
        from assay.files import FileSource

        words = [word for word in self.systems if word.kind is Kind.FILE]
        stems = ["<stdin>" if word.is_standard_input else FileSource(Path(word.path)).name for word in words]
        short = [word.name or stem for word, stem in zip(words, stems, strict=True)]
        long = [word.name or word.path for word in words]
        if len(set(short)) == len(short):
            return short
        own_names = [word.name for word in words if word.name]
        can_repeat = self.rules.can_repeat and len(set(own_names)) == len(own_names)
        if can_repeat:
            return long if len(set(long)) == len(long) else [f"{name} ({number})" for number, name in enumerate(long, 1)]
        names = [stem if short.count(stem) == 1 else path for stem, path in zip(short, long, strict=True)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(
                f"two systems have the same name: {', '.join(twice)}. "
                "Give each its own name, as in base=bm25.run new=other.run"
            )
        return names


def add_input_arguments(parser: argparse.ArgumentParser, rules: InputRules) -> None:
    """The arguments that all commands share: systems, metrics, and how they are scored."""
    parser.set_defaults(also_takes="files")
    before = "judgments, then " if rules.truth == "first" else ""
    systems = "runs" if rules.file == "run" else rules.file.replace("file", "files")
    parser.add_argument(
        "files",
        nargs="*",
        metavar="file",
        help=f"{before}{systems} (- reads standard input, name=file sets a name); or results: JSON files "
        "(file.json#benchmark/provider selects one of several), or stored evaluations such as latest"
        f"{f' (default: {LATEST})' if rules.has_default else ''}",
    )
    parser.add_argument(
        "-m", "--metrics", type=WrittenName, nargs="+", action="extend", metavar="METRIC", help=rules.metrics
    )
    add_store_argument(parser)
    if rules.truth == "flag":
        add_dataset_arguments(parser.add_argument_group("judgments"))
    elif rules.truth:
        add_relevance_arguments(
            parser,
            RUN_HELP
            if rules.file == "run"
            else "runs with the retrieved documents: one for all files of answers, or one for each",
        )
        add_policy_arguments(parser)


def parse_inputs(options: argparse.Namespace, rules: InputRules) -> Inputs:
    """The inputs, checked as far as possible before anything is loaded."""
    check_metrics_are_no_files(options)
    is_dataset = bool(getattr(options, "dataset", None))
    typed = [*options.files, *(getattr(options, "more_runs", ()) if rules.file == "run" else ())]
    if not typed and not is_dataset and rules.has_default:
        typed = [LATEST]
    words = tuple(Word.of(word, options.store) for word in typed)
    are_records = rules.takes_records and not is_dataset and _have_truth(words, options.dataset_format)
    if rules.truth in ("first", "dataset") and not are_records:
        check_has_dataset(options)
    inputs = (
        Inputs(rules, words[0].path, is_dataset=True, systems=words, are_records=True)
        if are_records
        else _divide(options, rules, words)
    )
    if inputs.n_standard_inputs > 1:
        raise UsageError("standard input (-) can be read only once")
    _check_count(options, inputs)
    if inputs.is_scored:
        _check_no_scoring_flags(options, rules)
    return inputs


def _have_truth(words: Sequence[Word], dataset_format: str | None) -> bool:
    """Whether every file has its own ground truth and what a system retrieved, as tables of RAG tools do."""
    if not words or any(word.is_standard_input or word.kind is not Kind.FILE for word in words):
        return False
    if dataset_format is None and not RECORD_ENDINGS & set(Path(words[0].path.lower()).suffixes):
        return False
    from assay.datasets import RAG_RECORDS, brings_retrieved

    if dataset_format == RAG_RECORDS:
        return True
    if not brings_retrieved(Path(words[0].path)):
        return False
    if others := [word for word in words if not brings_retrieved(Path(word.path))]:
        for word in others:
            word.check_exists()
        raise UsageError(
            f"{words[0]} has its own queries and ground truth, but {others[0]} does not. To score runs on these queries:\n"
            f"  assay score --dataset {shlex.join([words[0].path, *map(str, others)])}"
        )
    return True


def _divide(options: argparse.Namespace, rules: InputRules, words: Sequence[Word]) -> Inputs:
    """Split the words into ground truth and systems. Results given with judgments are scored again by their rankings."""
    dataset = getattr(options, "dataset", None) or ""
    if rules.truth != "first":
        return Inputs(rules, dataset or getattr(options, "qrels", None) or "", bool(dataset), tuple(words))
    results = [word for word in words if word.kind is not Kind.FILE]
    if dataset:
        return Inputs(rules, dataset, is_dataset=True, systems=tuple(words))
    if words and len(results) == len(words):
        return Inputs(rules, "", is_dataset=False, systems=tuple(words))
    if words and words[0] in results:
        _refuse_mixture(results[0], next(word for word in words if word not in results))
    truth, systems = (words[0], words[1:]) if words else (Word(""), ())
    if truth.name:
        raise UsageError(f"the first file must be the judgments, without a name: {options.prog} qrels.txt {truth} …")
    return Inputs(rules, truth.path, is_dataset=False, systems=tuple(systems))


def _refuse_mixture(result: Word, other: Word) -> None:
    other.check_exists()
    differs = "is a result, but {} is not" if result.kind is Kind.SAVED else "is not a file, but {} is"
    raise UsageError(
        f"{result.path} {differs.format(other.path)}. Give either results, saved or stored, or judgments and runs.\n"
        "  To save a run as a result: assay score … -o result.json"
    )


def _check_count(options: argparse.Namespace, inputs: Inputs) -> None:
    """Refuse too few or too many inputs, with an example. How many results a word means is known only after loading."""
    rules, n = inputs.rules, len(inputs.systems)
    has_results = any(word.kind is not Kind.FILE for word in inputs.systems)
    takes_results = inputs.is_scored or (has_results and rules.reads != "scores")
    least, most = (rules.least_results, rules.most_results) if takes_results else (rules.least, rules.most)
    if n < least or not inputs.systems:
        inputs.check_files()
        raise UsageError(f"{describe_lack(inputs, inputs.systems)}. For example:\n  {_example(options, inputs)}")
    if most is not None and n > most:
        what = "results" if takes_results else f"{rules.file}s" if most > 1 else rules.file
        raise UsageError(
            f"expected {NUMBERS[most]} {what}, found {n}: {', '.join(map(str, inputs.systems))}. For example:\n"
            f"  {_example(options, inputs)}"
        )


def describe_lack(inputs: Inputs, systems: Sequence[object]) -> str:
    """The expected inputs, and the inputs that are given."""
    rules = inputs.rules
    has_judgments = rules.truth == "first" and not inputs.is_dataset
    runs = f"at least {NUMBERS[rules.least]} {rules.file}{'s' if rules.least > 1 else ''}"
    needed = f"judgments and {runs}" if has_judgments else runs
    results = "results" if rules.least_results == 1 else f"{NUMBERS[rules.least_results]} results"
    words = [*([inputs.truth] if has_judgments and inputs.truth else []), *map(str, systems)]
    return f"expected {needed}, or {results}; found {', '.join(words) or 'nothing'}"


def _example(options: argparse.Namespace, inputs: Inputs) -> str:
    """A complete command with enough files."""
    rules = inputs.rules
    is_run = str(inputs.truth or "").endswith((".run", ".trec"))
    truth = ["qrels.txt" if is_run else inputs.truth or "qrels.txt"] if rules.truth == "first" else []
    start = ["--dataset", inputs.truth] if inputs.is_dataset and rules.truth == "first" else truth
    return f"{options.prog} {shlex.join([*start, *EXAMPLE_FILES[rules.file][: rules.least]])} {rules.example}".rstrip()


def _check_no_scoring_flags(options: argparse.Namespace, rules: InputRules) -> None:
    """Refuse flags about scoring, because the results are scored already."""
    names = (*SCORING_FLAGS, *rules.decided, *(setting.name for setting in fields(Policy)))
    flags = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name, None) is not None]
    if flags:
        raise UsageError(
            f"results are scored already, so {' and '.join(flags)} cannot be used with them. Give judgments and runs instead"
        )


def check_metrics_are_no_files(options: argparse.Namespace) -> None:
    """Check that `-m` has not read files as metrics, as in `-m a b q.txt r.txt`."""
    taken = [word for word in options.metrics or () if _looks_like_a_file(word)]
    if taken:
        names = [word for word in options.metrics if word not in taken]
        raise UsageError(
            f"-m reads everything after it as a metric: {some_files(taken)}. Put the files first:\n"
            f"  {options.prog} {some_files((*options.files, *taken))} -m {shlex.join(names) or 'ndcg@10'}"
        )


def some_files(words: Sequence[str]) -> str:
    """The files as words of a command; of very many, the first ones and an ellipsis."""
    return f"{shlex.join(words[:MAX_FILES_NAMED])}{' …' if len(words) > MAX_FILES_NAMED else ''}"


def _looks_like_a_file(word: str) -> bool:
    is_path = "/" in word or os.sep in word  # Windows accepts both
    return word == STANDARD_INPUT or is_path or word.lower().endswith(FILE_ENDINGS) or Path(word).is_file()
