"""Fusions against ranx, in an interpreter of its own: ASSAY_RANX_PYTHON names one that can import it.

Rankings have no ties, no list of one document and no equal scores, all of which ranx treats otherwise.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from functools import cache

import pytest

from assay.fusion import fuse, train

PYTHON = os.environ.get("ASSAY_RANX_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="ASSAY_RANX_PYTHON does not name an interpreter with ranx"),
]
WEIGHTS = [0.5, 0.3, 0.2]
CASES = {
    "rrf": ("rrf", None, {"k": 60}),
    "rrf(k=7)": ("rrf", None, {"k": 7}),
    "comb_min": ("min", "min-max", {}),
    "comb_max(norm=max)": ("max", "max", {}),
    "comb_med(norm=sum)": ("med", "sum", {}),
    "comb_sum(norm=z_score)": ("sum", "zmuv", {}),
    "comb_sum(norm=rank)": ("sum", "rank", {}),
    "comb_mnz(norm=borda)": ("mnz", "borda", {}),
    "comb_mnz": ("mnz", "min-max", {}),
    "comb_anz": ("anz", "min-max", {}),
    "comb_gmnz(gamma=0.5)": ("gmnz", "min-max", {"gamma": 0.5}),
    "isr": ("isr", None, {}),
    "log_isr": ("log_isr", None, {}),
    "logn_isr(sigma=0.01)": ("logn_isr", None, {"sigma": 0.01}),
    "rbc(p=0.9)": ("rbc", None, {"phi": 0.9}),
    "weighted_sum(weights=[0.5, 0.3, 0.2])": ("wsum", "min-max", {"weights": WEIGHTS}),
    "weighted_mnz(weights=[0.5, 0.3, 0.2])": ("wmnz", "min-max", {"weights": WEIGHTS}),
    "mixed(weights=[0.5, 0.3, 0.2])": ("mixed", "min-max", {"weights": WEIGHTS}),
    "borda": ("bordafuse", None, {}),
    "weighted_borda(weights=[0.5, 0.3, 0.2])": ("w_bordafuse", None, {"weights": WEIGHTS}),
}
LEARNT = {
    "mapfuse": ("mapfuse", None, {}),
    "posfuse": ("posfuse", None, {}),
    "slidefuse(window=2)": ("slidefuse", None, {"w": 2}),
    "probfuse(segments=5)": ("probfuse", None, {"n_segments": 5}),
}
SCRIPT = """
import json, sys
import ranx
from ranx import Qrels, Run, fuse
from ranx.fusion.mapfuse import mapfuse_train
from ranx.fusion.posfuse import posfuse_train
from ranx.fusion.probfuse import probfuse_train
from ranx.fusion.slidefuse import slidefuse_train
asked = json.load(sys.stdin)
runs, qrels, found = [Run(run) for run in asked["runs"]], Qrels(asked["qrels"]), {}
for name, (method, norm, params) in asked["cases"].items():
    if method == "mapfuse": params = {"map_scores": mapfuse_train(qrels, runs)}
    if method == "posfuse": params = {"probs": posfuse_train(qrels, runs)}
    if method == "slidefuse": params = {"probs": slidefuse_train(qrels, runs), "w": params["w"]}
    if method == "probfuse": params = {"probs": probfuse_train(qrels, runs, params["n_segments"])}
    fused = fuse(runs, norm=norm, method=method, params=params)
    found[name] = {query: dict(ranking) for query, ranking in fused.run.items()}
print(json.dumps(found))
"""


@cache
def data():
    """Three runs of 20 documents for each of 12 queries, best first, and judgments for all."""
    rng = random.Random(5)
    runs, qrels = [], {}
    for _ in range(3):
        run = {}
        for number in range(12):
            docs = rng.sample([f"d{doc}" for doc in range(40)], 20)
            scores = sorted((rng.uniform(0.1, 9) for _ in docs), reverse=True)
            run[f"q{number:02}"] = dict(zip(docs, scores, strict=True))
        runs.append(run)
    for number in range(12):
        qrels[f"q{number:02}"] = {f"d{doc}": 1 for doc in rng.sample(range(40), 8)}
    return runs, qrels


@cache
def theirs():
    runs, qrels = data()
    asked = json.dumps({"runs": runs, "qrels": qrels, "cases": CASES | LEARNT})
    answer = subprocess.run([PYTHON, "-c", SCRIPT], input=asked, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout.splitlines()[-1])


def test_the_same_scores():
    runs, qrels = data()
    for method, scores in theirs().items():
        trained = train(runs, qrels, method) if method in LEARNT else None
        fused = fuse(runs, method, trained=trained)
        for query, ranking in scores.items():
            assert dict(fused[query]) == pytest.approx(ranking, rel=1e-9, abs=1e-9), method
