"""Fusing runs, against ranx in an interpreter of its own: ASSAY_RANX_PYTHON names one that can import it.

Runs are prepared on both sides, ranx is warm (compiled), and both give complete rankings, best first, in arrays of their
own; dictionaries are made when someone looks, which is measured as well. Twice: runs that share half of their documents, and
runs that share few.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from assay.fusion import fuse
from assay.model import Run
from benchmarks._fusion_data import make_runs
from benchmarks._timing import Row, best_time, faster

ROOT = Path(__file__).parents[1]
SHAPE = (5, 1000, 1000)
POOLS = {"sharing half": (3000, 3.0), "sharing few": (20_000, 3.0)}
"""How many documents the runs draw theirs from, for each query, and the bar. With few in common nearly all are tied, which
ranx leaves as it is."""
TRIES = 6
SCRIPT = """
import json, sys, time
from benchmarks._fusion_data import make_runs
from ranx import Run, fuse
runs = make_runs(*json.loads(sys.argv[1]))
prepared = [Run(run) for run in runs]
def timed(what):
    began = time.perf_counter()
    answer = what()
    return answer, time.perf_counter() - began
for line in sys.stdin:
    prepared, preparing = timed(lambda: [Run(run) for run in runs])
    fused, seconds = timed(lambda: fuse(prepared, norm=None, method="rrf", params={"k": 60}))
    best = {query: max(dict(fused.run[query]).values()) for query in ("q0", "q1", "q2")}
    _, reading = timed(fused.to_dict)
    print(json.dumps([seconds, preparing, reading, best]), flush=True)
"""
"""Fuses whenever it is asked to, so that both take turns: what else the machine does then weighs on both."""


def measure() -> Iterator[Row]:
    """Nothing where ranx is not at hand."""
    python = os.environ.get("ASSAY_RANX_PYTHON")
    if not python:
        sys.stderr.write("benchmarks of fusion: ASSAY_RANX_PYTHON does not name an interpreter with ranx\n")
        return
    for name, (pool, bar) in POOLS.items():
        yield from _against_ranx(python, name, pool, bar)


def _against_ranx(python: str, name: str, pool: int, bar: float) -> Iterator[Row]:
    runs = make_runs(pool, *SHAPE)
    prepared = [Run(run) for run in runs]
    turns = []
    command = [python, "-c", SCRIPT, json.dumps([pool, *SHAPE])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as ranx:
        for _ in range(TRIES):
            seconds, preparing, reading, best = json.loads(_asked(ranx))
            _check(fuse(prepared, "rrf"), best)
            ours = [
                best_time(lambda: fuse(prepared, "rrf"), 1),
                best_time(lambda: fuse(prepared, "rrf").rankings, 1),
                best_time(lambda: fuse(runs, "rrf"), 1),
            ]
            turns.append((*ours, seconds, seconds + reading, seconds + preparing))
    fused, read, from_dicts, *theirs = map(min, zip(*turns[1:], strict=True))
    yield faster(f"rrf, 5 runs × 1,000 × 1,000, {name}", "ranx, warm", fused, theirs[0], bar)
    yield faster("… and its rankings as dicts", "ranx, warm", read, theirs[1], bar)
    yield faster("… out of dicts", "ranx, warm", from_dicts, theirs[2], 2)


def _asked(process: subprocess.Popen[str]) -> str:
    """One answer of a process that answers line by line."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("no pipes")
    process.stdin.write("\n")
    process.stdin.flush()
    return next(line for line in process.stdout if line.startswith("["))


def _check(fused: Run, best: dict[str, float]) -> None:
    """Speed means nothing unless the numbers agree."""
    for query, score in best.items():
        if abs(max(fused[query].values()) - score) > 1e-12:
            raise RuntimeError(f"rrf of {query}: {max(fused[query].values())} against {score}")
