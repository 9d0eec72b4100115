"""TREC files, whole processes: `assay score` against pytrec_eval's parse and evaluate."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks._data import make_files
from benchmarks._timing import Row, best_process, faster, within
from benchmarks.dicts import MEASURES, METRICS

PEER = f"""
import sys, pytrec_eval
with open(sys.argv[1]) as qrels_file, open(sys.argv[2]) as run_file:
    qrels, run = pytrec_eval.parse_qrel(qrels_file), pytrec_eval.parse_run(run_file)
scores = pytrec_eval.RelevanceEvaluator(qrels, {MEASURES!r}).evaluate(run)
for measure in {sorted(MEASURES)!r}:
    print(measure, sum(score[measure] for score in scores.values()) / len(scores))
"""


def measure() -> Iterator[Row]:
    """Seven million rows, and a tenth of that to see that time grows in proportion."""
    large, small = make_files(7000), make_files(700)
    our_time, our_memory = _ours(*map(str, large))
    small_time, _ = _ours(*map(str, small))
    their_time, their_memory = best_process([sys.executable, "-c", PEER, *map(str, large)])
    yield faster("assay score, 7 M rows", "pytrec_eval process", our_time, their_time, 3.0)
    yield within("… peak memory", "pytrec_eval process", our_memory, their_memory, 0.6, "MB")
    yield within("… growth", "itself on 700 k rows", our_time, small_time, 11.0)


def _ours(qrels: str, run: str) -> tuple[float, float]:
    return best_process([sys.executable, "-m", "assay", "score", qrels, run, "-m", *METRICS])
