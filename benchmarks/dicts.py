"""Nested dicts in memory, against pytrec_eval-terrier's evaluate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytrec_eval

import assay
from benchmarks._data import make_dicts
from benchmarks._timing import Row, best_time, faster

METRICS = ["ndcg@10", "map", "mrr", "P@10", "R@100", "R@1000"]
MEASURES = {"ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100", "recall_1000"}

CASES: list[tuple[str, dict[str, Any], float]] = [
    ("1,000 × 1,000, 50 judged", {"n_queries": 1000, "n_docs": 1000, "n_judged": 50}, 2.5),
    ("… ties in half the queries", {"n_queries": 1000, "n_docs": 1000, "n_judged": 50, "ties": 0.5}, 2.5),
    ("… documents in random order", {"n_queries": 1000, "n_docs": 1000, "n_judged": 50, "shuffled": True}, 2.5),
    ("50,000 × 10, 2 judged", {"n_queries": 50_000, "n_docs": 10, "n_judged": 2}, 1.3),
    ("… ties in every query", {"n_queries": 50_000, "n_docs": 10, "n_judged": 2, "ties": 1.0, "decimals": 0}, 1.0),
]


def measure() -> Iterator[Row]:
    """Judgments are prepared once on both sides; the run is a plain dict."""
    for name, shape, bar in CASES:
        qrels, run = make_dicts(**shape)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
        ours = assay.Qrels(qrels)
        _check(theirs.evaluate(run), assay.evaluate(ours, run, METRICS))
        yield faster(
            f"dicts, {name}" if name[0] != "…" else name,
            "pytrec_eval",
            best_time(lambda ours=ours, run=run: assay.evaluate(ours, run, METRICS)),  # type: ignore[misc]
            best_time(lambda theirs=theirs, run=run: theirs.evaluate(run)),  # type: ignore[misc]
            bar,
        )


def _check(theirs: dict[str, dict[str, float]], ours: assay.Result) -> None:
    """Speed means nothing unless the numbers agree."""
    for metric in ours.metrics:
        for query, score in ours.scores(metric.name).items():
            if abs(score - theirs[query][metric.trec_name]) > 1e-9:
                raise RuntimeError(f"{metric} of {query}: {score} against {theirs[query][metric.trec_name]}")
