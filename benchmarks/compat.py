"""The drop-ins against what they stand in for: pytrec_eval, and ranx for `other_tools`; and what imports cost.

ASSAY_RANX_PYTHON names an interpreter that can import ranx. Both sides are warm, hold prepared judgments, and take turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytrec_eval

import assay.compat.pytrec_eval as our_pytrec_eval
import assay.compat.ranx as our_ranx
from benchmarks._data import make_dicts
from benchmarks._timing import Row, best_process, best_time, faster, within

ROOT = Path(__file__).parents[1]
SHAPE = {"n_queries": 1000, "n_docs": 100, "n_judged": 20}
MEASURES = ("map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100")
METRICS = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]
BAR = 1.5
TRIES = 8
STARTS = 20
DROP_INS = sorted(path.parent.name for path in (ROOT / "src" / "assay" / "compat").glob("*/__init__.py"))
SCRIPT = """
import json, sys, time
from benchmarks._data import make_dicts
from ranx import Qrels, Run, evaluate
judgments, rankings = make_dicts(**json.loads(sys.argv[1]))
metrics = json.loads(sys.argv[2])
qrels = Qrels(judgments)
def timed(what):
    began = time.perf_counter()
    answer = what()
    return answer, time.perf_counter() - began
for line in sys.stdin:
    run, preparing = timed(lambda: Run(rankings))
    means, seconds = timed(lambda: evaluate(qrels, run, metrics))
    print(json.dumps([seconds, preparing, {name: float(mean) for name, mean in means.items()}]), flush=True)
"""
"""Scores whenever it is asked to, so that both take turns: what else the machine does then weighs on both."""


def measure() -> Iterator[Row]:
    """Evaluations of 1,000 queries with 100 documents each, and imports."""
    yield _against_pytrec_eval()
    yield from map(_import_of, DROP_INS)


def _import_of(name: str) -> Row:
    """Whole interpreter starts, in turns with those that import assay alone."""
    turns = [(_start(f"assay.compat.{name}"), _start("assay")) for _ in range(STARTS)]
    return within(f"import assay.compat.{name}", "import assay", *map(min, zip(*turns, strict=True)), 1.2)


def _start(module: str) -> float:
    return best_process([sys.executable, "-c", f"import {module}"], 1)[0]


def _against_pytrec_eval() -> Row:
    qrels, run = make_dicts(**SHAPE)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    ours = our_pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    expected = theirs.evaluate(run)
    for query, values in ours.evaluate(run).items():
        _check(query, values, expected[query])
    turns = [(best_time(lambda: ours.evaluate(run), 1), best_time(lambda: theirs.evaluate(run), 1)) for _ in range(TRIES)]
    return faster("compat.pytrec_eval, 1,000 × 100", "pytrec_eval", *map(min, zip(*turns, strict=True)), BAR)


def against_ranx() -> Iterator[Row]:
    """Evaluations of dicts. Nothing where ranx is not at hand."""
    python = os.environ.get("ASSAY_RANX_PYTHON")
    if not python:
        sys.stderr.write("benchmarks of compat: ASSAY_RANX_PYTHON does not name an interpreter with ranx\n")
        return
    judgments, rankings = make_dicts(**SHAPE)
    qrels = our_ranx.Qrels(judgments)
    turns = []
    command = [python, "-c", SCRIPT, json.dumps(SHAPE), json.dumps(METRICS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as ranx:
        for _ in range(TRIES):
            seconds, preparing, means = json.loads(_asked(ranx))
            run = our_ranx.Run(rankings)
            _check("the mean", our_ranx.evaluate(qrels, run, METRICS), means)
            ours = best_time(lambda run=run: our_ranx.evaluate(qrels, run, METRICS), 1)  # type: ignore[misc]
            whole = best_time(lambda: our_ranx.evaluate(qrels, our_ranx.Run(rankings), METRICS), 1)
            turns.append((ours, seconds, whole, seconds + preparing))
    ours, theirs, from_dicts, theirs_from_dicts = map(min, zip(*turns[1:], strict=True))
    yield faster("compat.ranx, 1,000 × 100", "ranx, warm", ours, theirs, BAR)
    yield faster("… from dicts", "ranx, warm", from_dicts, theirs_from_dicts, BAR)


def _asked(process: subprocess.Popen[str]) -> str:
    """One answer of a process that answers line by line."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("no pipes")
    process.stdin.write("\n")
    process.stdin.flush()
    return next(line for line in process.stdout if line.startswith("["))


def _check(what: str, ours: dict[str, float], theirs: dict[str, float]) -> None:
    """Speed means nothing unless the numbers agree."""
    for name, score in theirs.items():
        if abs(ours[name] - score) > 1e-9:
            raise RuntimeError(f"{name} of {what}: {ours[name]} against {score}")
