"""The profile ranx against ranx itself, in an interpreter of its own: ASSAY_RANX_PYTHON names one that can import it."""

import json
import os
import random
import subprocess

import pytest

import assay

PYTHON = os.environ.get("ASSAY_RANX_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="ASSAY_RANX_PYTHON does not name an interpreter with ranx"),
]

METRICS = [
    *("ndcg", "ndcg@10", "ndcg_burges@10", "dcg@10", "dcg_burges@5", "map", "map@5", "mrr", "mrr@3", "precision@5"),
    *("recall@10", "f1@10", "r-precision", "rbp.95", "rbp.5", "hit_rate@5"),
    *("ndcg@10-l2", "map-l2", "mrr-l2", "precision@5-l3", "recall@10-l2", "r-precision-l2", "hit_rate@1-l2"),
]
BPREF = ["bpref", "bpref-l2"]
"""Undefined where a query has nothing relevant, or nothing judged non-relevant."""
SCRIPT = """
import json, sys
from ranx import Qrels, Run, evaluate
asked = json.load(sys.stdin)
run = Run(asked["run"])
evaluate(Qrels(asked["qrels"]), run, asked["metrics"])
print(json.dumps({name: dict(zip(scores, map(float, scores.values()))) for name, scores in run.scores.items()}))
"""


def tied_rankings(seed, always=(), n_queries=60):
    """Long and short rankings with few different scores; some documents may be judged alike for every query."""
    rng = random.Random(seed)
    docs = [f"d{number}" for number in range(150)]
    qrels, run = {}, {}
    for number in range(n_queries):
        judged = rng.sample(docs, rng.randint(2, 60))
        qrels[f"q{number}"] = {doc: rng.choice((-1, 0, 0, 1, 2, 3)) for doc in judged} | dict(always)
        length, levels = rng.choice((1, 5, 15, 16, 17, 40, 120)), rng.choice((1, 2, 5, 50))
        run[f"q{number}"] = {doc: float(rng.randrange(levels)) for doc in rng.sample(docs, length)}
    return qrels, run


def test_scores():
    for metrics, given in ((METRICS, {"seed": 2}), (BPREF, {"seed": 1, "always": (("never found", 3), ("nor this", 0))})):
        qrels, run = tied_rankings(**given)
        asked = json.dumps({"qrels": qrels, "run": run, "metrics": metrics})
        answer = subprocess.run([PYTHON, "-c", SCRIPT], input=asked, capture_output=True, text=True, check=True)
        theirs, ours = json.loads(answer.stdout), assay.evaluate(qrels, run, metrics, profile="ranx")
        for name in metrics:
            assert ours.scores(name) == pytest.approx(theirs[name], rel=1e-9, abs=1e-9), name


def test_ranks_are_not_those_of_any_plain_rule():
    """Otherwise the rankings above would prove nothing about ranx's sort."""
    qrels, run = tied_rankings(2)
    by_ranx = assay.evaluate(qrels, run, "mrr", profile="ranx").scores("mrr")
    for ties in ("docid_desc", "docid_asc", "input_order"):
        assert assay.evaluate(qrels, run, "mrr", policy=assay.Policy(ties=ties)).scores("mrr") != by_ranx
