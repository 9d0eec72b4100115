"""Nested dicts in memory, against pytrec_eval's evaluate and ranx."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytrec_eval

import assay
import assay.compat.pytrec_eval
from benchmarks._data import make_dicts
from benchmarks._timing import Row, faster_in_turns, take_turns, within_in_turns

METRICS = ["ndcg@10", "map", "mrr", "P@10", "R@100", "R@1000"]
MEASURES = {"ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100", "recall_1000"}

LARGE = {"n_queries": 1000, "n_docs": 1000, "n_judged": 50}
MANY = {"n_queries": 50_000, "n_docs": 10, "n_judged": 2}
WHOLE = {"n_queries": 1000, "n_docs": 300, "n_judged": 50, "whole_numbers": True}
MILLION = {"n_queries": 1_000_000, "n_docs": 10, "n_judged": 2}
CASES: list[tuple[str, dict[str, Any], float, int]] = [
    ("1,000 × 1,000, 50 judged", LARGE, 4.5, 5),
    ("1,000 × 1,000, ties in half the queries", {**LARGE, "ties": 0.5}, 2.5, 5),
    ("1,000 × 1,000, documents in random order", {**LARGE, "shuffled": True}, 2.5, 5),
    ("50,000 × 10, 2 judged", MANY, 1.5, 7),
    ("50,000 × 10, ties in every query", {**MANY, "ties": 1.0, "decimals": 0}, 1.0, 7),
    ("1,000 × 300, scores 1 to 39, sorted", WHOLE, 1.25, 7),
    ("1,000 × 300, scores 1 to 39, in random order", {**WHOLE, "shuffled": True}, 0.95, 7),
    ("1,000,000 × 10, 2 judged", MILLION, 1.5, 3),
]


def measure() -> Iterator[Row]:
    """Judgments are prepared once on both sides; the run is a plain dict."""
    for name, shape, bar, tries in CASES:
        yield _against_pytrec_eval(f"dicts, {name}", shape, bar, tries)
    yield from _one_query()
    yield _notes_on_ties()


def _against_pytrec_eval(case: str, shape: dict[str, Any], bar: float, tries: int) -> Row:
    qrels, run = make_dicts(**shape)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    ours = assay.Qrels(qrels)
    _check(theirs.evaluate(run), assay.evaluate(ours, run, METRICS))
    costs = take_turns(lambda: assay.evaluate(ours, run, METRICS), lambda: theirs.evaluate(run), tries=tries)
    return faster_in_turns(case, "pytrec_eval", *costs, bar)


def _one_query() -> Iterator[Row]:
    """pytrec_eval's evaluator has judgments and measures prepared, so assay's is measured too; `evaluate` has judgments."""
    qrels, run = make_dicts(1, 100, 10)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    prepared, evaluator = assay.Qrels(qrels), assay.Evaluator(qrels, METRICS)
    drop_in = assay.compat.pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    _check(theirs.evaluate(run), assay.evaluate(prepared, run, METRICS))
    ways: dict[str, Callable[[], object]] = {
        "Evaluator.scores, all prepared": lambda: evaluator.scores(run),
        "Evaluator.evaluate, all prepared": lambda: evaluator.evaluate(run),
        "drop-in RelevanceEvaluator, all prepared": lambda: drop_in.evaluate(run),
        "assay.evaluate, prepared judgments": lambda: assay.evaluate(prepared, run, METRICS),
    }
    *ours, other = take_turns(*ways.values(), lambda: theirs.evaluate(run), tries=15, repeats=200)
    for name, costs in zip(ways, ours, strict=True):
        yield within_in_turns(f"one query × 100, {name}", "pytrec_eval, all prepared", costs, other, 10)


def _notes_on_ties() -> Row:
    """The notes say whether ties change a value, which needs the best and the worst order of tied documents."""
    qrels, run = make_dicts(400, 500, 50, whole_numbers=True)
    ours = assay.Qrels(qrels)
    costs = take_turns(
        lambda: assay.evaluate(ours, run, ["all_trec"]).ties, lambda: assay.evaluate(ours, run, ["all_trec"]), tries=3
    )
    return within_in_turns("all_trec on 400 × 500 tied documents, with notes", "itself without notes", *costs, 1.5)


def _check(theirs: dict[str, dict[str, float]], ours: assay.Result) -> None:
    """Speed means nothing unless the numbers agree."""
    for metric in ours.metrics:
        for query, score in ours.scores(metric.name).items():
            if abs(score - theirs[query][metric.trec_name]) > 1e-9:
                raise RuntimeError(f"{metric} of {query}: {score} against {theirs[query][metric.trec_name]}")
