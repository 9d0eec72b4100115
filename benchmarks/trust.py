"""What profiles, tie bands, residuals and explanations cost, against plain scoring of the same data by assay."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import assay
from assay.evaluation import PROFILES
from assay.evaluation.bands import tie_report
from benchmarks._data import make_dicts, make_files
from benchmarks._timing import Row, best_process, best_time, within

METRICS = ["ndcg@10", "map", "mrr@10", "P@10", "R@100"]
TIED = {"n_queries": 1000, "n_docs": 1000, "n_judged": 50, "ties": 0.1}
ASSAY = Path(sys.executable).with_name("assay")


def measure() -> Iterator[Row]:
    """Dicts with ties in a tenth of the queries (none for sentence-transformers, which has no rule for them); then files."""
    yield from _in_memory()
    yield from _from_files()


def _in_memory() -> Iterator[Row]:
    given, run = make_dicts(**TIED)
    qrels = assay.Qrels(given)
    score = partial(assay.evaluate, qrels, run, METRICS)
    plain = best_time(score)
    for name in PROFILES:
        if name == "sentence-transformers":
            loose, untied = make_dicts(**{**TIED, "ties": 0.0})
            score_untied = partial(assay.evaluate, assay.Qrels(loose), untied, METRICS)
            yield within(
                f"--profile {name}", "default", best_time(partial(score_untied, profile=name)), best_time(score_untied), 1.3
            )
        else:
            yield within(f"--profile {name}", "default", best_time(partial(score, profile=name)), plain, 1.3)
    yield within("--tie-band", "default", best_time(partial(score, tie_band=True)), plain, 3)
    yield within("--residuals", "default", best_time(partial(score, residuals=True)), plain, 10)
    for metric in ("ndcg@10", "mrr@10", "map", "err@10"):
        one = best_time(partial(assay.evaluate, qrels, run, metric))
        yield within(f"why -m {metric}", "scoring it", best_time(partial(assay.why, qrels, run, metric)), one, 10)


def _from_files() -> Iterator[Row]:
    qrels, run = map(str, make_files(1000, ties=0.1))
    score = [str(ASSAY), "score", qrels, run, "-m", *METRICS]
    plain = best_process(score)[0]
    for name in ("pytrec_eval", "beir", "ir_measures", "ranx"):
        yield within(f"1 M rows, --profile {name}", "default", best_process([*score, "--profile", name])[0], plain, 1.3)
    yield within("1 M rows, --tie-band", "default", best_process([*score, "--tie-band"])[0], plain, 3)
    yield from _note_about_ties()
    why = [str(ASSAY), "why", qrels, run, "-m", "ndcg@10"]
    yield within("1 M rows, why -m ndcg@10", "default", best_process(why)[0], plain, 10)


def _note_about_ties() -> Iterator[Row]:
    """How long it takes to say how many queries have ties that matter, for all metrics of trec_eval, all queries tied."""
    for n_queries in (200, 1000):
        qrels, run = map(str, make_files(n_queries, ties=1.0))
        result = assay.evaluate(qrels, run, "all_trec")
        took = best_time(partial(tie_report, result.grader, result.settings))
        yield within(f"{n_queries:,},000 tied rows, -m all_trec, note about ties", "2 s", took, 2.0, 1)
