"""Fusing runs, against ranx in an interpreter of its own: ASSAY_RANX_PYTHON names one that can import it.

Runs are prepared on both sides, ranx is warm (compiled), and both give complete rankings, best first. Twice: runs that share
half of their documents, and runs that share few.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from assay.fusion import fuse
from assay.model.run import Run
from benchmarks._fusion_data import make_runs
from benchmarks._timing import Row, best_time, faster

ROOT = Path(__file__).parents[1]
SHAPE = (5, 1000, 1000)
POOLS = {"sharing half": 3000, "sharing few": 20_000}
"""How many documents the runs draw theirs from, for each query."""
SCRIPT = """
import json, sys, time
from benchmarks._fusion_data import make_runs
from ranx import Run, fuse
runs = make_runs(*json.loads(sys.argv[1]))
times, preparing = [], []
for _ in range(2):
    began = time.perf_counter()
    prepared = [Run(run) for run in runs]
    preparing.append(time.perf_counter() - began)
for _ in range(4):
    began = time.perf_counter()
    fused = fuse(prepared, norm=None, method="rrf", params={"k": 60})
    times.append(time.perf_counter() - began)
best = {query: max(dict(fused.run[query]).values()) for query in ("q0", "q1", "q2")}
print(json.dumps([min(times[1:]), min(preparing), best]))
"""


def measure() -> Iterator[Row]:
    """Nothing where ranx is not at hand."""
    python = os.environ.get("ASSAY_RANX_PYTHON")
    if not python:
        sys.stderr.write("benchmarks of fusion: ASSAY_RANX_PYTHON does not name an interpreter with ranx\n")
        return
    for name, pool in POOLS.items():
        yield from _against_ranx(python, name, pool)


def _against_ranx(python: str, name: str, pool: int) -> Iterator[Row]:
    command = [python, "-c", SCRIPT, json.dumps([pool, *SHAPE])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    warm, preparing, best = json.loads(done.stdout.splitlines()[-1])
    runs = make_runs(pool, *SHAPE)
    prepared = [Run(run) for run in runs]
    _check(fuse(prepared, "rrf"), best)
    ours = best_time(lambda: fuse(prepared, "rrf"))
    yield faster(f"rrf, 5 runs × 1,000 × 1,000, {name}", "ranx, warm", ours, warm, 3)
    from_dicts = best_time(lambda: fuse(runs, "rrf"), 3)
    yield faster("… from dicts", "ranx, warm", from_dicts, warm + preparing, 3)


def _check(fused: Run, best: dict[str, float]) -> None:
    """Speed means nothing unless the numbers agree."""
    for query, score in best.items():
        if abs(max(fused[query].values()) - score) > 1e-12:
            raise RuntimeError(f"rrf of {query}: {max(fused[query].values())} against {score}")
