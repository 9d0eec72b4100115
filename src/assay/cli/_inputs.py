"""Inputs: which file is the ground truth and which are runs, however they were written on the command line."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.cli._relevance import refuse_without_dataset
from assay.errors import UsageError

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
