"""ranx and trec_eval, if they are there: ASSAY_RANX_PYTHON names an interpreter with ranx, and trec_eval is on the path.

ranx compiles its functions when they are first called. So it is measured as a whole process on a file (cold), and in a
process that has compiled them before (warm).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks._timing import Row, faster_in_turns, take_turns_as_processes
from benchmarks._trec_files import Shape, make_trec_files
from benchmarks.compat import against_ranx
from benchmarks.files import ONE_MILLION, score_command

RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, ["ndcg@10", "map", "mrr", "precision@10", "recall@100", "recall@1000"]))
"""
MEASURES = ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100,1000")


def measure() -> Iterator[Row]:
    """A file of a million rows; then dicts."""
    qrels, run = make_trec_files(Shape(ONE_MILLION))
    if program := shutil.which("trec_eval"):
        yield _against_trec_eval(program, qrels, run)
    else:
        sys.stderr.write("benchmarks of other tools: trec_eval is not on the path\n")
    if python := os.environ.get("ASSAY_RANX_PYTHON"):
        theirs = [python, "-c", RANX, str(qrels), str(run)]
        ours, others = take_turns_as_processes(score_command(qrels, [run]), theirs, tries=3)
        yield faster_in_turns("assay score, 1 M rows", "ranx, cold", ours, others, 3)
    yield from against_ranx()


def _against_trec_eval(program: str, qrels: Path, run: Path) -> Row:
    """trec_eval orders scores as 32-bit floats, so only its time is compared."""
    flags = [flag for measure in MEASURES for flag in ("-m", measure)]
    ours, theirs = take_turns_as_processes(score_command(qrels, [run]), [program, *flags, str(qrels), str(run)])
    return faster_in_turns("assay score, 1 M rows", "trec_eval", ours, theirs, 0.5)
