"""TREC files, whole processes: `assay score` against pytrec_eval."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks._timing import Costs, Row, describe, faster, faster_in_turns, take_turns_as_processes, within
from benchmarks._trec_files import Shape, compressed, make_trec_files
from benchmarks.dicts import MEASURES, METRICS

PEER = f"""
import gzip, io, sys, pytrec_eval
def opened(path):
    if path.endswith(".gz"):
        return gzip.open(path, "rt")
    if path.endswith(".zst"):
        import zstandard
        return io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(open(path, "rb")))
    return open(path)
with open(sys.argv[1]) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {MEASURES!r})
for path in sys.argv[2:]:
    with opened(path) as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file))
    for measure in {sorted(MEASURES)!r}:
        print(measure, sum(score[measure] for score in scores.values()) / len(scores))
"""
NAMES = {"P_10": "precision@10", "map": "map", "ndcg_cut_10": "ndcg@10", "recall_100": "recall@100"} | {
    "recall_1000": "recall@1000",
    "recip_rank": "mrr",
}
"""The name of each measure in assay's output."""
FIVE_MILLION, ONE_MILLION = 5000, 1000
TRIES = 5
CASES = [
    ("1 M rows, scores 1 to 39, sorted", Shape(ONE_MILLION, scores="integer"), "", 1.2),
    ("1 M rows, scores 1 to 39, shuffled", Shape(ONE_MILLION, scores="integer", order="shuffled"), "", 1.2),
    ("1 M rows, scores 1 to 39, lines of queries scattered", Shape(ONE_MILLION, scores="integer", order="scattered"), "", 1),
    ("1 M rows, UUIDs as document ids", Shape(ONE_MILLION, ids="uuid"), "", 1.2),
    ("1 M rows, gzip", Shape(ONE_MILLION), "gz", 1.2),
    ("1 M rows, Zstandard", Shape(ONE_MILLION), "zst", 1.2),
]


def measure() -> Iterator[Row]:
    """Five million rows with two kinds of scores; then one million rows in unusual forms."""
    for kind in ("float", "rounded"):
        yield from _five_million(kind)
    for case, shape, extension, bar in CASES:
        qrels, run = make_trec_files(shape)
        run = compressed(run, extension) if extension else run
        ours, theirs = _against_pytrec_eval(qrels, [run], TRIES)
        yield faster_in_turns(f"assay score, {case}", "pytrec_eval", ours, theirs, bar)


def _five_million(kind: str) -> Iterator[Row]:
    qrels, run = make_trec_files(Shape(FIVE_MILLION, scores=kind))
    ours, theirs = _against_pytrec_eval(qrels, [run], 3)
    case = f"assay score, 5 M rows, {kind} scores"
    yield faster_in_turns(case, "pytrec_eval", ours, theirs, 3.3)
    yield faster("… wall", "pytrec_eval", ours.wall, theirs.wall, 4, describe(ours, theirs))
    yield within("… peak memory", "200 MB", ours.megabytes, 200, 1, "MB")


def _against_pytrec_eval(qrels: Path, runs: Sequence[Path], tries: int) -> tuple[Costs, Costs]:
    peer = [sys.executable, "-c", PEER, str(qrels), *map(str, runs)]
    check_means(qrels, runs, peer)
    ours, theirs = take_turns_as_processes(score_command(qrels, runs), peer, tries=tries)
    return ours, theirs


def score_command(qrels: Path, runs: Sequence[Path], *more: str) -> list[str]:
    """The command whose time is measured."""
    return [sys.executable, "-m", "assay", "score", str(qrels), *map(str, runs), "-m", *METRICS, *more]


def check_means(qrels: Path, runs: Sequence[Path], peer: Sequence[str]) -> None:
    """Speed means nothing unless the numbers agree."""
    ours = subprocess.run(score_command(qrels, runs, "-f", "csv"), capture_output=True, text=True, check=True).stdout
    theirs = subprocess.run(peer, capture_output=True, text=True, check=True).stdout
    values = iter(line.split() for line in theirs.splitlines())
    for row in csv.DictReader(ours.splitlines()):
        for _ in MEASURES:
            measure, value = next(values)
            if abs(float(row[NAMES[measure]]) - float(value)) > 1e-9:
                raise RuntimeError(f"{measure} of {row['run']}: {row[NAMES[measure]]} against {value}")
