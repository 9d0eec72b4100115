"""Fifty runs in one command, against a pytrec_eval process that scores the same files."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks._timing import Row, describe, faster, faster_in_turns, take_turns_as_processes
from benchmarks._trec_files import Shape, make_trec_files
from benchmarks.files import PEER, check_means, score_command

N_RUNS = 50


def measure() -> Iterator[Row]:
    """Each run has 1,000 queries with 100 documents."""
    files = [make_trec_files(Shape(1000, 100, 50, seed=number)) for number in range(N_RUNS)]
    qrels, runs = files[0][0], [run for _, run in files]
    peer = [sys.executable, "-c", PEER, str(qrels), *map(str, runs)]
    check_means(qrels, runs, peer)
    ours, theirs = take_turns_as_processes(score_command(qrels, runs), peer, tries=3)
    yield faster_in_turns(f"assay score, {N_RUNS} runs of 1,000 × 100", "pytrec_eval", ours, theirs, 1.2)
    yield faster("… wall", "pytrec_eval", ours.wall, theirs.wall, 2, describe(ours, theirs))
